"""The sentence and the figures of the Racks page: of the present, and of what a plan moves and buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components import caching, frame, text
from components.session import Seat
from components.text import wish_in_words
from reseat.model import Plan

if TYPE_CHECKING:
    from reseat.balance import Spread

__all__ = ["outcome", "present"]

_ON_TOO_FEW = "Partitions on fewer racks than their replication factor and the racks with a broker allow"


def present(seat: Seat) -> None:
    """What one sees while nothing is wished."""
    layout = seat.layout
    balance = caching.balance_of(layout)
    racks = text.plural(len(layout.racks), "rack") if layout.racks else "no racks told"
    frame.answer(
        f"{text.plural(len(layout.brokers), 'broker')} in {racks} hold {text.plural(layout.replica_count, 'replica')}. "
        "Drag one out to see what must move."
        if layout.racks
        else f"{text.plural(len(layout.brokers), 'broker')} hold {text.plural(layout.replica_count, 'replica')}; "
        "their racks are not told. Drag one out to see what must move."
    )
    loads = balance.by_broker
    sizes = None if loads.size_bytes is None else float(np.sum(loads.size_bytes))
    frame.figures(
        [
            ("Replicas", text.count(layout.replica_count), None, "Over all partitions"),
            ("Data held", text.size(sizes), None, "Bytes of all replicas, where told"),
            ("Replica spread", _apart(loads.replica_spread), None, "Fullest minus emptiest broker, in replicas"),
            ("Leader spread", _apart(loads.leader_spread), None, "Most minus fewest leaders of a broker"),
            (
                "On too few racks",
                text.count(balance.rack_violations) if layout.racks else "not told",
                None,
                _ON_TOO_FEW,
            ),
        ]
    )


def outcome(plan: Plan) -> None:
    """The sentence and the figures of a plan: what moves, and what that buys."""
    certificate, wish = plan.certificate, plan.wish
    words = wish_in_words(wish)
    first = certificate.sentences[0] if certificate.sentences else text.plural(certificate.moves, "replica") + " move."
    leave = f"{'Broker' if len(wish.remove) == 1 else 'Brokers'} {text.ids(wish.remove)} can leave"
    frame.answer(f"{leave if wish.remove and not wish.add else words[:1].upper() + words[1:]}: {first}")
    before = caching.balance_of(plan.current)
    least = certificate.least_moves
    proof = "proven least" if certificate.moves_proven else None if least is None else f"least is {least:,}"
    even = "proven least" if certificate.replica_balance_proven else None
    lead = "proven least" if certificate.leader_balance_proven else None
    preferred = before.by_broker.preferred_leader_spread
    violations = f"{text.count(certificate.rack_violations_before)} → {text.count(certificate.rack_violations_after)}"
    frame.figures(
        [
            ("Replicas move", text.count(certificate.moves), proof, "Replicas copied to another broker"),
            ("Data to copy", text.size(certificate.bytes_to_move), None, "The largest told replica of each partition"),
            (
                "Replica spread",
                f"{_apart(before.by_broker.replica_spread)} → {text.count(certificate.replica_spread)}",
                even,
                "Fullest minus emptiest broker, before and after",
            ),
            (
                "Preferred leader spread",
                f"{_apart(preferred)} → {text.count(certificate.leader_spread)}",
                lead,
                "Most minus fewest preferred leaders of a broker, before and after, for these replica sets",
            ),
            ("On too few racks", violations if plan.current.racks else "not told", None, _ON_TOO_FEW),
        ]
    )


def _apart(spread: Spread | None) -> str:
    return text.count(None if spread is None else spread.spread)
