"""What is proven of a plan, in words for laymen, straight from its certificate.

Promises: a sentence claims a best only where the certificate's ``*_proven`` is True, and no more than that flag means
for the kind of change: of added brokers, among plans that only move replicas onto them; of leaders, for the replicas
as this plan has them; of racks, as far as they are known.
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.model import Certificate
from reseat.model.wording import counted

__all__ = ["Proof", "proofs_of"]


@dataclass(frozen=True, slots=True)
class Proof:
    """One objective of a plan.

    Attributes:
        what: the objective, in a few words.
        measure: what its numbers are.
        reached: this plan's number; None where it cannot be told.
        least: the best that is possible, where it is known.
        proven: whether the plan reaches it and that is proven.
        verdict: the same in one word or two.
        sentence: for people outside the field.
    """

    what: str
    measure: str
    reached: int | None
    least: int | None
    proven: bool
    verdict: str
    sentence: str


_SQUARES = "sum of squares"


def proofs_of(made: Certificate) -> tuple[Proof, ...]:
    """The objectives in their order; racks only where they can be told."""
    rows = [
        ("Replicas to copy", "replicas", made.moves, made.least_moves, made.moves_proven, _moves(made)),
        (
            "Rack diversity",
            _SQUARES,
            made.rack_sum_of_squares,
            made.least_rack_sum_of_squares,
            made.rack_balance_proven,
            _racks(made),
        ),
        (
            "Replica balance",
            _SQUARES,
            made.replica_sum_of_squares,
            made.least_replica_sum_of_squares,
            made.replica_balance_proven,
            _replicas(made),
        ),
        (
            "Preferred leader balance",
            _SQUARES,
            made.leader_sum_of_squares,
            made.least_leader_sum_of_squares,
            made.leader_balance_proven,
            _leaders(made),
        ),
        (
            "Preferred leaders changed",
            "partitions",
            made.changed_preferred_leaders,
            made.least_changed_preferred_leaders,
            made.changed_leaders_proven,
            _changed(made),
        ),
    ]
    faulty = bool(made.faults)
    return tuple(
        Proof(what, how, reached, least, proven and not faulty, _verdict(reached, least, proven, faulty), sentence)
        for what, how, reached, least, proven, sentence in rows
        if reached is not None
    )


def _verdict(reached: int | None, least: int | None, proven: bool, faulty: bool) -> str:
    if faulty:
        return "faulty"
    if proven:
        return "proven"
    if least is not None and reached is not None and reached > least:
        return f"{reached - least:,} above the best"
    return "not proven"


def _known(made: Certificate) -> str:
    return " Unknown racks are not part of the proof." if made.unknown_racks else ""


def _moves(made: Certificate) -> str:
    if made.faults:
        return "The plan is faulty, so the minimum number of copies is unknown."
    if made.moves_proven and made.wish.only_adds:
        return f"No plan that fills the new brokers as well copies fewer replicas (proven).{_known(made)}"
    if made.moves_proven and made.wish.rebalance:
        return f"No plan that balances the cluster as well copies fewer replicas (proven).{_known(made)}"
    if made.moves_proven:
        return f"No plan for this change copies fewer replicas (proven).{_known(made)}"
    if made.least_moves is not None and made.least_moves < made.moves:
        why = "; more were chosen for balance" if made.wish.chooses_moves else ""
        return f"The minimum is {counted(made.least_moves, 'copy', 'copies')}, this plan has {made.moves:,}{why}."
    if made.wish.chooses_moves:
        return f"The number of copies, {made.moves:,}, was chosen; it is not meant to be the minimum."
    return "It is not proven that this is the minimum number of copies."


def _racks(made: Certificate) -> str:
    if made.rack_balance_proven and not made.faults:
        return f"Rack diversity is the best possible for every changed partition (proven).{_known(made)}"
    if made.wish.keeps_racks and not made.faults:
        return "Racks are a rule of this change, not an aim: no partition's rack diversity gets worse."
    return "It is not proven that rack diversity is the best possible for every changed partition."


def _replicas(made: Certificate) -> str:
    if not made.replica_balance_proven or made.faults:
        return "It is not proven that the replica balance is the best possible."
    if made.wish.only_adds:
        among = "with this many copies" if made.wish.chooses_moves else "by moving replicas onto the new brokers only"
        return f"The brokers cannot be better balanced {among} (proven).{_known(made)}"
    if made.wish.topics:
        return f"No plan with these racks balances the brokers better (proven).{_known(made)}"
    return f"No plan with these copies and racks balances the brokers better (proven).{_known(made)}"


def _leaders(made: Certificate) -> str:
    if made.leader_balance_proven and not made.faults:
        return (
            "Preferred leaders cannot be better balanced on the replica sets of this plan, with all other partitions "
            "unchanged (proven)."
        )
    return "It is not proven that the preferred leader balance is the best possible."


def _changed(made: Certificate) -> str:
    if made.changed_leaders_proven and not made.faults:
        return "Fewer new preferred leaders would worsen leader balance (proven)."
    return "It is not proven that this is the minimum number of new preferred leaders."
