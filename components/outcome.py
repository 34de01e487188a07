"""The sentence and the figures of the Racks page: of the present, and of what a plan moves and buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import caching, frame, text
from components.frame import Figure
from components.session import Seat
from components.text import wish_in_words
from reseat.model import Plan

if TYPE_CHECKING:
    from reseat.balance import Spread

__all__ = ["outcome", "present"]

_SPREAD = "Fullest minus emptiest broker, in replicas"
_LEADERS = "Most minus fewest partitions that list a broker first; an election makes these its leaders"
_RACKS = "Partitions on fewer racks than their replication factor and the racks with a broker allow"


def present(seat: Seat) -> None:
    """What one sees while nothing is wished."""
    # As the board does: what a plan would start from.
    under_way = bool(seat.layout.under_way.any())
    layout = seat.layout.target() if under_way else seat.layout
    balance = caching.balance_of(layout)
    loads = balance.by_broker
    where = f"in {text.plural(len(layout.racks), 'rack')}" if layout.racks else "(their racks are not told)"
    holds = "holds" if len(layout.brokers) == 1 else "hold"
    done = " once the reassignment under way is done" if under_way else ""
    frame.answer(
        f"{text.plural(len(layout.brokers), 'broker')} {where} {holds} "
        f"{text.plural(layout.replica_count, 'replica')}{done}. Drag one out to see what must move."
    )
    data = None if loads.size_bytes is None else float(np.nansum(loads.size_bytes))
    when = "once it is done" if under_way else "now" if seat.past is None else "then"
    # Each has a line below it, as the figures of a plan have: nothing jumps at the first drop.
    frame.figures(
        [
            Figure("Replicas", text.count(layout.replica_count), when),
            Figure("Partitions", text.count(layout.partition_count)),
            Figure("Data held", text.size(data), None, "Bytes of all replicas whose size is told"),
            Figure("Replica spread", _apart(loads.replica_spread), _possible(loads.replica_spread), _SPREAD),
            Figure(
                "Preferred leader spread",
                _apart(loads.preferred_leader_spread),
                _possible(loads.preferred_leader_spread),
                _LEADERS,
            ),
            Figure("On too few racks", text.count(balance.rack_violations if layout.racks else None), None, _RACKS),
        ]
    )


def outcome(plan: Plan) -> None:
    """The sentence and the figures of a plan: what moves, and what that buys."""
    certificate, wish = plan.certificate, plan.wish
    first = certificate.sentences[0] if certificate.sentences else f"{text.plural(certificate.moves, 'replica')} move."
    who = wish_in_words(wish)
    if wish.remove and not wish.add:
        who = f"{'broker' if len(wish.remove) == 1 else 'brokers'} {text.ids(wish.remove)} can leave"
    frame.answer(first if certificate.faults else f"{who[:1].upper()}{who[1:]}: {first}")
    before = caching.balance_of(plan.current).by_broker
    least = certificate.least_moves
    enough = None if least is None else f"{least:,} would do"
    racks = f"{text.count(certificate.rack_violations_before)} → {text.count(certificate.rack_violations_after)}"
    frame.figures(
        [
            Figure(
                "Replicas move",
                text.count(certificate.moves),
                "proven least" if certificate.moves_proven else enough,
                "Replicas that are copied or dropped",
            ),
            Figure("Partitions change", text.count(certificate.changed_partitions), None, "In members or in order"),
            Figure("Data to copy", text.size(certificate.bytes_to_move), None, "The largest told replica of each move"),
            Figure(
                "Replica spread",
                f"{_apart(before.replica_spread)} → {text.count(certificate.replica_spread)}",
                "proven least" if certificate.replica_balance_proven else None,
                f"{_SPREAD}, before and after; least among the plans that move as little",
            ),
            Figure(
                "Preferred leader spread",
                f"{_apart(before.preferred_leader_spread)} → {text.count(certificate.leader_spread)}",
                "proven least" if certificate.leader_balance_proven else None,
                f"{_LEADERS}. Proven for the replica sets of this plan",
            ),
            Figure("On too few racks", racks if plan.current.racks else text.count(None), None, _RACKS),
        ]
    )


def _apart(spread: Spread | None) -> str:
    return text.count(None if spread is None else spread.spread)


def _possible(spread: Spread | None) -> str | None:
    return None if spread is None or spread.least_possible is None else f"{spread.least_possible:,} is possible"
