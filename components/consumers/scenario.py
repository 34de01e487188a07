"""What the Consumers page shows: which group, what happens to it, by which assignor, and which step one looks at.

Kept in the session and in the address. A link carries an example's name, or a whole small story, so that it works on
any server; everything in it may come from a stranger, and is read by the same strict reader as a text.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from components.look import text
from components.state import shared
from components.state.slots import Anew, Slot
from reseat.consumers import ASSIGNORS, BROKER_ASSIGNORS, EARLIER, Assignor, assignor_named
from reseat.consumers.assignors import installed
from reseat.consumers.compare import AssignorResult, compare, what_if
from reseat.consumers.events import GroupEvent, Join, Partitions, Together
from reseat.consumers.examples import EXAMPLES, Example
from reseat.consumers.rebalancing import GroupState
from reseat.consumers.text import read_group, write_group
from reseat.consumers.walk import View, views
from reseat.errors import GroupInvalid, ReseatError

__all__ = [
    "ANEW",
    "GroupScenario",
    "add",
    "assignors",
    "begin",
    "begin_example",
    "choose",
    "current",
    "from_query",
    "go",
    "keep",
    "measured",
    "strategy",
    "take_back",
    "to_query",
    "walk",
    "what_if_of",
]

_KEPT: Slot[GroupScenario] = Slot("consumers", addressed=True)
#: The fields, which begin anew with each scenario.
ANEW = Anew("consumers")
_TOLD: Slot[tuple[GroupState, tuple[GroupEvent, ...], dict[str, AssignorResult]]] = Slot("consumers-told")
_WHAT_IF: Slot[tuple[GroupState, tuple[str, ...], tuple[tuple[str, tuple[AssignorResult, ...]], ...]]] = Slot(
    "consumers-what-if"
)
#: A link is no longer than what mail programs and proxies let through.
_LONGEST_LINK = 3_000
#: Partitions and members, times steps; and partitions times members, which some strategies are slow in.
_MOST_WORK, _MOST_PAIRS, _MOST_PAIRS_WITH_RACKS = 2_000_000, 200_000_000, 5_000_000
#: What a link unfolds to at most.
_LONGEST_TEXT = 300_000


@dataclass(frozen=True, slots=True, eq=False)
class GroupScenario:
    """A group, what happens to it, and how one looks at that.

    Attributes:
        name: the example's name, the file's or the group's.
        slug: the example's name in links; "" where it is none.
        state: the group before the story.
        events: the story.
        assignor: by which strategy.
        place: which view of the walk one looks at.
        error: what in a link was not understood, or None.
        note: what one should know of where the group comes from, or None.
    """

    name: str
    slug: str
    state: GroupState
    events: tuple[GroupEvent, ...]
    assignor: str
    place: int = 0
    error: str | None = None
    note: str | None = None


def current() -> GroupScenario:
    """The scenario that the page shows."""
    return _KEPT.once(lambda: from_query(st.query_params.to_dict()) or _of(EXAMPLES[0]))


def keep(told: GroupScenario) -> None:
    """Tell this from now on; what is too long for an address stays where the browser goes back."""
    _KEPT.set(told, addressed=bool(to_query(told)))


def begin(
    name: str, state: GroupState, events: Sequence[GroupEvent], *, assignor: str, note: str | None = None
) -> None:
    """Tell another group's story, from its beginning."""
    keep(GroupScenario(name, "", state, tuple(events), assignor, note=note))
    ANEW.begin()


def begin_example(example: Example) -> None:
    """Tell an example."""
    keep(_of(example))
    ANEW.begin()


def go(place: int) -> None:
    """Look at another view of the walk."""
    keep(replace(current(), place=place))


def choose(assignor: str) -> None:
    """Tell the same story by another strategy, and look at the same step, as far as it goes."""
    now = current()
    other = replace(now, assignor=assignor)
    number = walk(now)[_within(now)].number if walk(now) else 0
    place = next((i for i, view in enumerate(walk(other)) if view.number == number), 0)
    keep(replace(other, place=place))


def _within(told: GroupScenario) -> int:
    """The place of a scenario, within its walk."""
    return max(0, min(told.place, len(walk(told)) - 1))


def add(event: GroupEvent) -> None:
    """Let something happen after the story's end, and look at it.

    Raises:
        GroupInvalid: it cannot happen.
    """
    now = current()
    longer = replace(now, slug="", events=(*now.events, event))
    keep(replace(longer, place=len(walk(longer)) - 1))


def take_back() -> None:
    """Let the last step of the story not have happened."""
    now = current()
    shorter = replace(now, slug="", events=now.events[:-1])
    keep(replace(shorter, place=max(0, len(walk(shorter)) - 1)))


def assignors() -> tuple[list[str], str | None]:
    """The names of all strategies there are, and what is wrong with those that are installed, or None."""
    kafkas = [*ASSIGNORS, *EARLIER, *BROKER_ASSIGNORS]
    try:
        return [*kafkas, *sorted(installed())], None
    except GroupInvalid as error:
        return kafkas, str(error)


def measured(told: GroupScenario, names: Sequence[str]) -> tuple[AssignorResult, ...]:
    """The story told by each of these strategies; told once, and kept while it is looked at.

    Raises:
        GroupInvalid: something cannot happen, or a strategy refuses the group.
    """
    _within_reach(told)
    nothing: dict[str, AssignorResult] = {}
    state, events, found = _TOLD.get((told.state, told.events, nothing))
    if state is not told.state or events != told.events:
        found = {}
    _TOLD.set((told.state, told.events, found))
    for name in names:
        if name not in found:
            (found[name],) = compare(told.state, told.events, [assignor_named(name)])
    return tuple(found[name] for name in names)


def _within_reach(told: GroupScenario) -> None:
    """Refuse a story that would keep the server busy for longer than a page may: anybody's link can name one."""
    topics = dict(told.state.partitions)
    members = len(told.state.members)
    for event in told.events:
        if isinstance(event, Partitions):
            topics[event.topic] = max(event.count, topics.get(event.topic, 0))
        elif isinstance(event, Join):
            members += 1
        elif isinstance(event, Together):
            members += len(event.members)
    partitions, steps = sum(topics.values()), max(1, len(told.events))
    pairs = _MOST_PAIRS_WITH_RACKS if told.state.racks else _MOST_PAIRS
    if (partitions + members) * steps > _MOST_WORK or partitions * members > pairs:
        raise GroupInvalid(
            f"{text.counted(partitions, 'partition')}, {text.counted(members, 'member')} and "
            f"{text.counted(steps, 'step')} are more than a page can show at once. "
            "Use python -m reseat consumers on the command line."
        )


def what_if_of(end: GroupState, names: Sequence[str]) -> tuple[tuple[str, tuple[AssignorResult, ...]], ...]:
    """What these strategies would give a group with one member more or less; kept while it is looked at.

    Raises:
        GroupInvalid: a strategy refuses the group.
    """
    none: tuple[tuple[str, tuple[AssignorResult, ...]], ...] = ()
    state, asked, found = _WHAT_IF.get((end, (), none))
    if state is not end or asked != tuple(names):
        found = what_if(end, [assignor_named(name) for name in names])
        _WHAT_IF.set((end, tuple(names), found))
    return found


def walk(told: GroupScenario) -> list[View]:
    """The views of a scenario.

    Raises:
        GroupInvalid: something cannot happen, or the strategy refuses the group.
    """
    return views(measured(told, [told.assignor])[0].transitions)


def strategy(told: GroupScenario) -> Assignor:
    """The strategy of a scenario.

    Raises:
        GroupInvalid: there is none of its name.
    """
    return assignor_named(told.assignor)


def to_query(told: GroupScenario) -> dict[str, str]:
    """The scenario as query parameters.

    One that is too long for a link is named by its digest, for as long as this server has it; one that is too long for
    the server's shelf is left out, and the link opens the page alone.
    """
    if told.slug:
        query = {"group": told.slug}
    else:
        written = write_group(told.state, told.events)
        folded = base64.urlsafe_b64encode(zlib.compress(written.encode(), 9)).decode().rstrip("=")
        if len(folded) > _LONGEST_LINK:
            folded = shared.linked_texts().put(written)
        if not folded:
            return {}
        query = {"group": "own", "told": folded, "name": told.name[:60]}
    return query | {"assignor": told.assignor, "at": str(told.place)}


def from_query(query: Mapping[str, str]) -> GroupScenario | None:
    """The scenario of a link; None where it names none. What is not understood is said in ``error``."""
    slug = query.get("group", "")
    if not slug:
        return None
    place = query.get("at", "")
    at = int(place) if place.isascii() and place.isdecimal() and len(place) < 6 else 0
    known = query.get("assignor", "")
    example = next((one for one in EXAMPLES if one.slug == slug), None)
    names, _ = assignors()
    if example is not None:
        told = _of(example)
        return replace(told, assignor=known if known in names else told.assignor, place=at)
    try:
        kept = shared.linked_texts().find(query.get("told", ""))
        read = read_group(_unpacked(query.get("told", "")) if kept is None else kept.encode(), "the link's group")
    except (ReseatError, ValueError, zlib.error) as error:
        why = str(error) if isinstance(error, ReseatError) else "it is incomplete or was changed."
        return replace(_of(EXAMPLES[0]), error=f"The link's group was not understood: {why}")
    assignor = known if known in names else "range"
    return GroupScenario(query.get("name", "")[:60] or "a group", "", read.state, read.events, assignor, at)


def _unpacked(folded: str) -> bytes:
    if not folded or len(folded) > 2 * _LONGEST_LINK:
        raise ValueError("no group")
    try:
        packed = base64.b64decode(folded + "=" * (-len(folded) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("no group") from error
    unfolding = zlib.decompressobj()
    data = unfolding.decompress(packed, _LONGEST_TEXT)
    if not unfolding.eof:
        raise ValueError("longer than any link's group")
    return data


def _of(example: Example) -> GroupScenario:
    return GroupScenario(example.name, example.slug, example.state, example.events, example.assignor, example.step)
