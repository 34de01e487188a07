"""A group as text: members, partitions, racks, and what happens to it; JSON, read strictly.

Whatever is given, the answer is a group or one sentence that says where the text is wrong and what was expected: an
unknown key, a key that stands twice, a number where a name should be. ``docs/formats.md`` describes the text.

Complexity: O(bytes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from reseat.consumers.events import (
    GroupEvent,
    Join,
    Leave,
    Partitions,
    Rebalance,
    Restart,
    Return,
    Subscribe,
    Timeout,
    Together,
)
from reseat.consumers.group import NO_GENERATION, Group, Member, Partition
from reseat.consumers.printed import is_printed, read_printed
from reseat.consumers.rebalancing import GroupState
from reseat.errors import GroupInvalid, InputRefused, LimitMet
from reseat.model.naming import is_topic_id

__all__ = [
    "MOST_BYTES",
    "MOST_EVENTS",
    "MOST_MEMBERS",
    "MOST_NAME",
    "MOST_PARTITIONS",
    "GroupText",
    "read_group",
    "write_group",
]

#: Far beyond any group in use; they keep a hostile text from taking the memory of the server.
MOST_BYTES = 20_000_000
MOST_MEMBERS = 10_000
MOST_PARTITIONS = 1_000_000
MOST_EVENTS = 1_000
MOST_NAME = 1_000

_LONGEST = 200
_PLACE = re.compile(r"(.*) - at `(?:key in )?\$\.?(.*)`$", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class GroupText:
    """What a text tells.

    Attributes:
        state: the group before the story: without members where none of them owns anything yet.
        events: the story; its first step is that the members join, or that the group rebalances as it is.
    """

    state: GroupState
    events: tuple[GroupEvent, ...]


class MemberFields(msgspec.Struct, forbid_unknown_fields=True):
    """A member, as a text tells it."""

    id: str
    topics: list[str]
    instance_id: str | None = None
    rack: str | None = None
    owned: dict[str, list[int]] = {}
    generation: int | None = None
    user_data: str = ""


class StepFields(msgspec.Struct, forbid_unknown_fields=True):
    """A step of the story: one of its fields, or ``subscribe`` and ``topics``."""

    join: MemberFields | None = None
    leave: str | None = None
    time_out: str | None = None
    return_: str | None = msgspec.field(default=None, name="return")
    restart: str | None = None
    subscribe: str | None = None
    topics: list[str] | None = None
    partitions: dict[str, int] | None = None


#: Steps that name a member and nothing else, and their field.
_OF_A_MEMBER: Mapping[type[Leave | Timeout | Return | Restart], str] = {
    Leave: "leave",
    Timeout: "time_out",
    Return: "return_",
    Restart: "restart",
}


class TextFields(msgspec.Struct, forbid_unknown_fields=True):
    """A whole text."""

    topics: dict[str, int]
    members: list[MemberFields]
    racks: dict[str, list[list[str]]] = {}
    topic_ids: dict[str, str] = {}
    story: list[StepFields] = []


def read_group(data: bytes | str, source: str | None = None) -> GroupText:
    """Read a group.

    Args:
        data: the text; bytes are UTF-8.
        source: what to call it in sentences.

    Raises:
        InputRefused: it is not JSON, or no group; says where and what was expected.
        LimitMet: it is larger than any group is.
    """
    if len(data) > MOST_BYTES:
        raise LimitMet(f"The text has more than {MOST_BYTES:,} bytes, which is the limit of a group.", source=source)
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
        if not text.lstrip().startswith("{") and is_printed(text):
            return _of_printed(text, source)
        plain = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
        told = msgspec.convert(plain, TextFields, strict=True)
        _within_limits(told)
        return _group_text(told)
    except msgspec.ValidationError as error:
        raise InputRefused(_sentence(str(error)), source=source) from None
    except json.JSONDecodeError as error:
        raise InputRefused(
            f"This is not JSON: {error.msg} in column {error.colno}.", source=source, line=error.lineno
        ) from None
    except RecursionError:
        raise LimitMet("The text is nested deeper than any group.", source=source) from None
    except UnicodeError:
        raise InputRefused("The text is not UTF-8, or a name in it is half a character.", source=source) from None
    except ValueError as error:  # NaN, Infinity, numbers of thousands of digits
        raise InputRefused(f"A number in it is out of range: {error}.", source=source) from None
    except LimitMet as error:
        error.source = source
        raise
    except GroupInvalid as error:
        raise InputRefused(str(error), source=source) from None


def write_group(state: GroupState, events: Iterable[GroupEvent] = ()) -> str:
    """A group as text that ``read_group`` reads: what it owns now, and further steps.

    Args:
        state: the group.
        events: steps after it; ``Together`` and ``Rebalance`` are written as the members that they concern.
    """
    told: dict[str, Any] = {
        "topics": dict(state.partitions),
        "members": [_member_json(member) for member in state.members.values()],
    }
    if state.racks:
        told["racks"] = {
            topic: [sorted(state.racks.get((topic, p), ())) for p in range(count)]
            for topic, count in state.partitions.items()
        }
    if state.topic_ids:
        told["topic_ids"] = dict(sorted(state.topic_ids.items()))
    steps: list[dict[str, Any]] = []
    for event in events:
        if isinstance(event, Together) and not told["members"] and not steps:
            told["members"] = [_member_json(member) for member in event.members]
        else:
            steps += _step_json(event)
    if steps:
        told["story"] = steps
    return json.dumps(told, indent=1, ensure_ascii=False)


def _of_printed(text: str, source: str | None) -> GroupText:
    state, events = read_printed(text, source)
    members, partitions = len(state.members), sum(state.partitions.values())
    if members > MOST_MEMBERS or partitions > MOST_PARTITIONS:
        raise LimitMet(
            f"The group has {members:,} members and {partitions:,} partitions; the limits are {MOST_MEMBERS:,} and "
            f"{MOST_PARTITIONS:,}."
        )
    return GroupText(state, events)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise GroupInvalid(f"The key {key[:60]!r} is in one object twice: which one applies?")
        found[key] = value
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number in JSON")


def _sentence(words: str) -> str:
    """``Expected `int`, got `str` - at `$.members[0].generation```, as a sentence."""
    found = _PLACE.match(words)
    what, place = (found[1], found[2]) if found else (words, "")
    what = what.replace("`", "'")
    what = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…"  # it names an unknown field whole
    what = what[:1].lower() + what[1:]
    where = f"At {place[:120]}: " if place else ""
    return f"This is JSON, but not a group. {where}{what}."


def _within_limits(told: TextFields) -> None:
    steps = told.story
    members = [*told.members, *(step.join for step in steps if step.join is not None)]
    if len(members) > MOST_MEMBERS:
        raise LimitMet(f"The group has {len(members):,} members; the limit is {MOST_MEMBERS:,}.")
    if len(steps) > MOST_EVENTS:
        raise LimitMet(f"The story has {len(steps):,} steps; the limit is {MOST_EVENTS:,}.")
    counts = [told.topics, *(step.partitions for step in steps if step.partitions is not None)]
    most: dict[str, int] = {}
    for topics in counts:
        for topic, count in topics.items():
            if count < 0:
                raise GroupInvalid(f"Topic {topic[:60]} has {count} partitions; at least 0 were expected.")
            most[topic] = max(most.get(topic, 0), count)
    if sum(most.values()) > MOST_PARTITIONS:
        raise LimitMet(f"The topics have {sum(most.values()):,} partitions; the limit is {MOST_PARTITIONS:,}.")
    racks = (rack for lists in told.racks.values() for on in lists for rack in on)
    names = [*most, *racks]
    for one in members:
        names += [one.id, one.user_data, one.instance_id or "", one.rack or "", *one.topics, *one.owned]
    names += [name for step in steps for field in _OF_A_MEMBER.values() if (name := getattr(step, field))]
    for name in names:
        if len(name) > MOST_NAME:
            raise LimitMet(f"A name has {len(name):,} characters; the limit is {MOST_NAME:,}.")
        name.encode()  # half of a surrogate pair is no character, and cannot be printed


def _group_text(told: TextFields) -> GroupText:
    members = [_member(one) for one in told.members]
    racks: dict[Partition, frozenset[str]] = {}
    for topic, lists in told.racks.items():
        if len(lists) > told.topics.get(topic, 0):
            raise GroupInvalid(
                f"racks covers {len(lists):,} partitions of {topic[:60]}, which has {told.topics.get(topic, 0):,}."
            )
        racks |= {(topic, partition): frozenset(on) for partition, on in enumerate(lists)}
    for topic, given in told.topic_ids.items():
        if topic not in told.topics or not is_topic_id(given):
            raise GroupInvalid(
                f"topic_ids has {given[:60]!r} of {topic[:60]}; the id of one of the topics was expected."
            )
    Group(tuple(members), told.topics, racks)  # refuses a member that stands twice
    story = [step for number, one in enumerate(told.story) for step in _events_in(one, number)]
    if not any(member.owned for member in members):
        first: list[GroupEvent] = [Together(tuple(members))] if members else []
        return GroupText(GroupState({}, told.topics, racks=racks, topic_ids=told.topic_ids), tuple(first + story))
    generation = max(member.generation for member in members)
    by_id = {member.id: member for member in members}
    state = GroupState(by_id, told.topics, max(generation, 0), racks=racks, topic_ids=told.topic_ids)
    return GroupText(state, (Rebalance(), *story))


def _member(told: MemberFields) -> Member:
    if not told.id:
        raise GroupInvalid("A member has an empty id; every member has a name.")
    if told.generation is not None and told.generation < NO_GENERATION:
        raise GroupInvalid(f"Member {told.id[:60]} is of generation {told.generation}; at least -1 was expected.")
    owned = tuple((topic, partition) for topic, partitions in told.owned.items() for partition in partitions)
    if len(set(owned)) < len(owned) or any(partition < 0 for _, partition in owned):
        raise GroupInvalid(f"Member {told.id[:60]} owns a partition twice, or one below 0.")
    # Who owns something was in a generation: the first, where it is not told which.
    generation = told.generation if told.generation is not None else (1 if owned else NO_GENERATION)
    return Member(
        told.id,
        tuple(dict.fromkeys(told.topics)),
        instance_id=told.instance_id or None,
        rack=told.rack or None,
        owned=owned,
        generation=generation,
        user_data=told.user_data.encode(),
    )


def _events_in(told: StepFields, number: int) -> list[GroupEvent]:
    """The events of a step; several where a step gives several topics more partitions."""
    found: list[GroupEvent] = []
    if told.join is not None:
        found.append(Join(_member(told.join)))
    found += [kind(name) for kind, field in _OF_A_MEMBER.items() if (name := getattr(told, field)) is not None]
    if (told.subscribe is None) != (told.topics is None):
        raise GroupInvalid(f"Step {number + 1} of the story: subscribe and topics go together.")
    if told.subscribe is not None and told.topics is not None:
        found.append(Subscribe(told.subscribe, tuple(dict.fromkeys(told.topics))))
    if told.partitions is not None:
        if len(told.partitions) != 1:
            raise GroupInvalid(f"Step {number + 1} of the story: partitions names one topic.")
        found += [Partitions(topic, count) for topic, count in told.partitions.items()]
    if len(found) != 1:
        raise GroupInvalid(
            f"Step {number + 1} of the story says {len(found)} things; exactly one of join, leave, time_out, return, "
            "restart, subscribe and partitions was expected."
        )
    return found


def _member_json(member: Member) -> dict[str, Any]:
    owned: dict[str, list[int]] = {}
    for topic, partition in member.owned:
        owned.setdefault(topic, []).append(partition)
    told: Mapping[str, Any] = {
        "id": member.id,
        "topics": list(member.topics),
        "instance_id": member.instance_id,
        "rack": member.rack,
        "owned": owned or None,
        "generation": member.generation if owned else None,
        "user_data": member.user_data.decode("utf-8", "replace") or None,
    }
    return {key: value for key, value in told.items() if value is not None}


def _step_json(event: GroupEvent) -> list[dict[str, Any]]:
    match event:
        case Join(member):
            return [{"join": _member_json(member)}]
        case Together(members):
            return [{"join": _member_json(member)} for member in members]
        case Rebalance():
            return []
        case Leave(name) | Timeout(name) | Return(name) | Restart(name):
            return [{_OF_A_MEMBER[type(event)].rstrip("_"): name}]
        case Subscribe(name, topics):
            return [{"subscribe": name, "topics": list(topics)}]
        case Partitions(topic, count):
            return [{"partitions": {topic: count}}]
