"""What is proven of a plan, in words for laymen, straight from its certificate.

Promises: a sentence claims a best only where the certificate's ``*_proven`` is True, and no more than that flag means
for the kind of change: of added brokers, among plans that only move replicas onto them; of leaders, for the replicas
as this plan has them; of racks, as far as they are known.
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.model import Certificate
from reseat.model.units import plural

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
            "Spread over racks",
            _SQUARES,
            made.rack_sum_of_squares,
            made.least_rack_sum_of_squares,
            made.rack_balance_proven,
            _racks(made),
        ),
        (
            "Balance of replicas",
            _SQUARES,
            made.replica_sum_of_squares,
            made.least_replica_sum_of_squares,
            made.replica_balance_proven,
            _replicas(made),
        ),
        (
            "Balance of preferred leaders",
            _SQUARES,
            made.leader_sum_of_squares,
            made.least_leader_sum_of_squares,
            made.leader_balance_proven,
            _leaders(made),
        ),
        (
            "Preferred leaders that change",
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
    return " Racks that are unknown were no part of the proof." if made.unknown_racks else ""


def _only_adds(made: Certificate) -> bool:
    return bool(made.wish.add) and not made.wish.remove


def _chosen(made: Certificate) -> bool:
    return made.wish.point is not None or made.wish.options.max_moves is not None


def _moves(made: Certificate) -> str:
    if made.faults:
        return "The plan is faulty, so how few copies are enough is unknown."
    if made.moves_proven and _only_adds(made):
        return f"It is proven that no plan that fills the new brokers as well copies fewer replicas.{_known(made)}"
    if made.moves_proven:
        return f"It is proven that no plan for this change copies fewer replicas.{_known(made)}"
    if made.least_moves is not None and made.least_moves < made.moves:
        why = ", and more were chosen for balance" if _chosen(made) else ""
        return f"{plural(made.least_moves, 'copy', 'copies')} would be enough{why}: this plan makes {made.moves:,}."
    if _chosen(made):
        return f"The number of copies, {made.moves:,}, was chosen; it is not meant to be the least."
    return "It is not proven that no plan copies fewer replicas."


def _racks(made: Certificate) -> str:
    if made.rack_balance_proven and not made.faults:
        return f"It is proven that each partition that changes sits on as many racks as it can reach.{_known(made)}"
    return "It is not proven that each partition that changes sits on as many racks as it could reach."


def _replicas(made: Certificate) -> str:
    if not made.replica_balance_proven or made.faults:
        return "It is not proven that the brokers could not be better balanced."
    if _only_adds(made):
        among = "with at most so many copies" if _chosen(made) else "by moving replicas onto the new brokers only"
        return f"It is proven that the brokers cannot be better balanced {among}.{_known(made)}"
    if made.wish.topics:
        return f"It is proven that no plan with these racks balances the brokers better.{_known(made)}"
    return f"It is proven that no plan with these copies and racks balances the brokers better.{_known(made)}"


def _leaders(made: Certificate) -> str:
    if made.leader_balance_proven and not made.faults:
        return (
            "It is proven that leading cannot be shared out better among the replicas as this plan places them, with "
            "all other partitions left alone."
        )
    return "It is not proven that leading could not be shared out better."


def _changed(made: Certificate) -> str:
    if made.changed_leaders_proven and not made.faults:
        return "It is proven that fewer changes of preferred leaders would share out leading less well."
    return "It is not proven that fewer preferred leaders could change."
