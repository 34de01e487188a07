"""What the rack board tells Python, and what it does to the what-if. Pure: no Streamlit in here.

The board's JavaScript decides nothing: it sends ``{"changes": [{"do": ..., ...}, ...]}`` and this file turns that into
a wish. A browser can send anything, so whatever is not understood leaves the wish as it is and is answered with a
sentence. Changes are idempotent ("broker 7 is out", not "toggle broker 7"), because the board repeats a change until
it has seen its effect: of two drops in one breath Streamlit delivers the last message only, and that one then holds
both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from reseat.model import ClusterLayout, Wish
from reseat.model.naming import LARGEST_ID

__all__ = ["MAX_ADDED", "MAX_CHANGES", "Heard", "apply_event"]

#: A person makes a handful of changes before the page answers; more than this was not made by the board.
MAX_CHANGES = 256
#: Brokers that a what-if may add: as many as the largest cluster the board is drawn for.
MAX_ADDED = 1_000


@dataclass(frozen=True, slots=True)
class Heard:
    """What an event came to.

    Attributes:
        wish: the wish afterwards; the very one given where nothing was understood.
        ignored: one sentence for each change that was not carried out.
        understood: whether any change was carried out, also one that the wish held already.
    """

    wish: Wish
    ignored: tuple[str, ...] = ()
    understood: bool = False


def apply_event(wish: Wish, event: object, layout: ClusterLayout) -> Heard:
    """The wish after an event of the rack board.

    Changes, in the order they are given:

    - ``{"do": "out", "brokers": [7, 8]}``: these brokers of the layout shall leave; an added one is no longer added;
    - ``{"do": "back", "brokers": [7]}``: these stay after all;
    - ``{"do": "add", "broker": 9, "rack": "a"}``: a new broker joins, in a rack of the layout or in none (None);
      one already added goes to that rack instead;
    - ``{"do": "reset"}``: nobody leaves and nobody joins.

    What else is wished (replication factor, options) stays.

    Args:
        wish: the what-if as it is.
        event: what came from the browser; not trusted.
        layout: the layout that the what-if is about.
    """
    changes = event.get("changes") if isinstance(event, Mapping) else None
    if not isinstance(changes, Sequence) or isinstance(changes, str | bytes):
        return Heard(wish, ("The rack board sent something without a list of changes; nothing was changed.",))
    if len(changes) > MAX_CHANGES:
        return Heard(
            wish, (f"The rack board sent {len(changes):,} changes at once, more than {MAX_CHANGES}; none was made.",)
        )
    ignored: list[str] = []
    understood = False
    for change in changes:
        changed, sentence = _changed(wish, change, layout)
        if sentence is not None:
            ignored.append(sentence)
        understood |= sentence is None or changed != wish
        # Another change has another curve: the point that was chosen is none of its own.
        wish = wish if changed == wish else changed.at(None)
    return Heard(wish, tuple(dict.fromkeys(ignored)), understood)


def _changed(wish: Wish, change: object, layout: ClusterLayout) -> tuple[Wish, str | None]:
    if not isinstance(change, Mapping):
        return wish, "The rack board sent a change that is not an object; it was left out."
    match change.get("do"):
        case "out":
            return _out(wish, change.get("brokers"), layout)
        case "back":
            ids = _broker_ids(change.get("brokers"))
            if ids is None:
                return wish, "The rack board did not say which brokers to restore; nothing was changed."
            return replace(wish, remove=tuple(i for i in wish.remove if i not in ids)), None
        case "add":
            return _add(wish, change.get("broker"), change.get("rack"), layout)
        case "reset":
            return replace(wish, remove=(), add=()), None
        case _:
            return wish, "The rack board sent a change of an unknown kind; it was left out."


def _out(wish: Wish, brokers: object, layout: ClusterLayout) -> tuple[Wish, str | None]:
    ids = _broker_ids(brokers)
    if ids is None:
        return wish, "The rack board did not say which brokers to remove; nothing was changed."
    added = {broker for broker, _ in wish.add}
    known = {i for i in ids if layout.position(i) is not None}
    after = replace(
        wish.of_brokers(),
        remove=tuple(sorted({*wish.remove, *known})),
        add=tuple(pair for pair in wish.add if pair[0] not in ids),
    )
    strangers = sorted(ids - known - added)
    if not strangers:
        return after, None
    return after, f"{_brokers(strangers)} not in this layout and cannot be removed."


def _add(wish: Wish, broker: object, rack: object, layout: ClusterLayout) -> tuple[Wish, str | None]:
    if not _is_broker_id(broker):
        return wish, f"A new broker needs an id from 0 to {LARGEST_ID:,}; none was added."
    if layout.position(broker) is not None:
        return wish, f"Broker {broker} is in this layout already; choose an id that is free."
    if rack is not None and not (isinstance(rack, str) and rack in layout.racks):
        return wish, f"Broker {broker} was dropped into a rack that this layout does not have; it was not added."
    others = tuple(pair for pair in wish.add if pair[0] != broker)
    if len(others) >= MAX_ADDED:
        return wish, f"A what-if adds at most {MAX_ADDED:,} brokers; broker {broker} was not added."
    return replace(wish.of_brokers(), add=tuple(sorted((*others, (broker, rack)), key=lambda pair: pair[0]))), None


def _broker_ids(brokers: object) -> frozenset[int] | None:
    """The ids of a list of broker ids, or None where it is anything else."""
    if not isinstance(brokers, Sequence) or isinstance(brokers, str | bytes):
        return None
    if not all(_is_broker_id(broker) for broker in brokers):
        return None
    return frozenset(brokers)


def _is_broker_id(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_ID


def _brokers(ids: Sequence[int]) -> str:
    if len(ids) == 1:
        return f"Broker {ids[0]} is"
    shown = ", ".join(str(i) for i in ids[:5])
    return f"Brokers {shown} are" if len(ids) <= 5 else f"Brokers {shown} and {len(ids) - 5:,} more are"
