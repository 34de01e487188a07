"""The story of stops, returns and elections that the Leaders page walks: kept in the session, changed by callbacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from components.look import text
from components.state import addresses
from components.state.slots import Anew, Slot
from reseat.election import Move, MoveKind
from reseat.model import ClusterLayout
from reseat.model.arrays import on_brokers

__all__ = [
    "ANEW",
    "AT",
    "MOST_MOVES",
    "NAMES",
    "WALK",
    "Walk",
    "add",
    "example",
    "from_query",
    "go",
    "keep",
    "kept",
    "label",
    "left_out",
    "remove",
    "tell",
    "to_query",
    "without_brokers",
]

#: Steps of one story: each keeps a state of the whole layout.
MOST_MOVES = 12
#: The names of the address that tell a story.
WALK, AT = NAMES = "walk", "at"
_KEPT: Slot[Walk] = Slot("leaders-walk", addressed=True)
#: The strip, drawn anew with each story.
ANEW = Anew("leaders-walk")
_NOTHING = "none"
_ONE = r"(?:(?:stop|crash|return):[0-9]{1,10}(?:,[0-9]{1,10}){0,999}|preferred|unclean)"
_STORY = re.compile(f"{_ONE}(?:;{_ONE})*")
_WORDS = {
    MoveKind.STOP: "stop",
    MoveKind.CRASH: "crash",
    MoveKind.RETURN: "return",
}


@dataclass(frozen=True, slots=True)
class Walk:
    """What one walks.

    Attributes:
        moves: what happens, in order.
        at: how many of them have happened where one stands.
    """

    moves: tuple[Move, ...] = ()
    at: int = 0


def kept(layout: ClusterLayout) -> Walk:
    """The story of this session as far as this layout knows its brokers; at first an example."""
    walk = _KEPT.once(lambda: from_query(st.query_params.to_dict()) or example(layout))
    known = set(layout.broker_ids.tolist())
    moves = tuple(move for move in walk.moves if set(move.brokers) <= known)
    return walk if moves == walk.moves else replace(walk, moves=moves, at=min(walk.at, len(moves)))


def left_out(layout: ClusterLayout) -> tuple[Move, ...]:
    """What of the story this layout cannot tell, because a broker is not in it."""
    known = set(layout.broker_ids.tolist())
    return tuple(move for move in _KEPT.get(Walk()).moves if not set(move.brokers) <= known)


def to_query(walk: Walk) -> dict[str, str]:
    """The story as a part of the address: ``stop:3;stop:5;return:3;preferred`` and how far one is."""
    told = [":".join(filter(None, (move.kind.value, ",".join(map(str, move.brokers))))) for move in walk.moves]
    return {WALK: ";".join(told) or _NOTHING, AT: str(walk.at)}


def from_query(query: Mapping[str, str]) -> Walk | None:
    """The story that an address tells; None where it tells none, or one that is not understood."""
    told, at = query.get(WALK, ""), query.get(AT, "0")
    if told == _NOTHING:
        return Walk()
    if not told or not _STORY.fullmatch(told) or not re.fullmatch(r"[0-9]{1,2}", at):
        return None
    moves = []
    for one in told.split(";")[:MOST_MOVES]:
        kind, _, ids = one.partition(":")
        moves.append(Move(MoveKind(kind), tuple(sorted({int(broker) for broker in ids.split(",") if broker}))))
    return Walk(tuple(moves), min(int(at), len(moves)))


def tell(layout: ClusterLayout | None) -> None:
    """Let the address tell the story as this layout walks it, or none where it is not shown."""
    for name, said in (dict.fromkeys(NAMES, "") if layout is None else to_query(kept(layout))).items():
        addresses.tell(name, said)


def keep(walk: Walk) -> None:
    """Keep another story; the strip is drawn anew."""
    _KEPT.set(walk)
    ANEW.begin()


def example(layout: ClusterLayout) -> Walk:
    """One stops, its fellow stops, the first is back, an election: with the first partition of two live replicas."""
    live = on_brokers(layout.replicas, layout.available)
    held = live.sum(axis=1) >= 2
    if not held.any():
        return Walk()
    row = int(np.argmax(held))
    first, second = layout.replica_ids[row][live[row]][:2].tolist()
    moves = (
        Move(MoveKind.STOP, (first,)),
        Move(MoveKind.STOP, (second,)),
        Move(MoveKind.RETURN, (first,)),
        Move(MoveKind.PREFERRED),
    )
    return Walk(moves, 1)


def go(walk: Walk, at: int) -> None:
    """Stand after so many moves."""
    keep(replace(walk, at=max(0, min(at, len(walk.moves)))))


def add(walk: Walk, move: Move) -> None:
    """Let something happen next, where one stands, and stand after it."""
    if len(walk.moves) < MOST_MOVES:
        moves = (*walk.moves[: walk.at], move, *walk.moves[walk.at :])
        keep(replace(walk, moves=moves, at=walk.at + 1))


def remove(walk: Walk) -> None:
    """Take out the move that one stands after."""
    if walk.at:
        moves = (*walk.moves[: walk.at - 1], *walk.moves[walk.at :])
        keep(replace(walk, moves=moves, at=walk.at - 1))


def without_brokers(kind: MoveKind) -> bool:
    """Whether a move is an election, which names no broker."""
    return kind in (MoveKind.PREFERRED, MoveKind.UNCLEAN)


def label(move: Move) -> str:
    """A few words for the strip: ``3 stops``, ``3, 5 return``, ``preferred election``."""
    if without_brokers(move.kind):
        return f"{move.kind.value} election"
    word = _WORDS[move.kind]
    one = {"stop": "stops", "crash": "crashes", "return": "returns"}[word]
    return f"{text.ids(move.brokers, 3)} {one if len(move.brokers) == 1 else word}"
