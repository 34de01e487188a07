"""From chosen replica sets to a plan: lists put in order, the proposed layout, and the certificate.

Promises: the order of lists is that of ``leaders``; nothing is claimed in the certificate that the independent checker
did not confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from reseat.balance.health import order_told_by_row
from reseat.balance.racks import rack_violations
from reseat.model import NONE, BoolArray, Certificate, ClusterLayout, Finding, IntArray, Longs, Options, Plan, Wish
from reseat.model.arrays import lists_differ, widened
from reseat.model.wording import counted
from reseat.planning.cautions import with_cautions
from reseat.planning.preconditions import Settled, who_leads
from reseat.planning.proof.checker import check
from reseat.planning.proof.verdict import Verdict, not_executed
from reseat.planning.proposal import bytes_to_copy, propose
from reseat.planning.rack_levels import regions
from reseat.planning.receivers import with_doubtful_receivers
from reseat.planning.solve.leaders import leader_first, preferred_leaders

__all__ = ["certified", "concluded", "cost_of", "said_of_cap", "with_leaders_evened"]


def with_leaders_evened(
    current: ClusterLayout,
    rows: Longs,
    lists: IntArray,
    *,
    free: Longs,
    leaving: BoolArray | None = None,
    options: Options,
    tolerance: int | None = None,
    near: ClusterLayout | None = None,
) -> ClusterLayout:
    """The proposed layout of these rows, each list led by the replica that evens preferred leaders.

    Args:
        current: the layout planned on.
        rows: (n,) rows whose members change.
        lists: (n, R) their new lists, at least as wide as the layout's.
        free: rows whose lists may be ordered anew, these among them.
        leaving: (B,) bool, brokers that lead nothing where another one can.
        options: ``never_leads`` and ``leader_racks`` apply.
        tolerance: as ``preferred_leaders``.
        near: the proposed layout for another tolerance.

    Raises:
        WishRefused: as ``who_leads``.
    """
    if len(free) > len(rows):
        every = widened(current.replicas, lists.shape[1]).copy()
        every[rows] = lists
        rows, lists = free, every[free]
    if not rows.size or not lists.shape[1]:
        return current
    before = current.replicas[rows, :1].max(axis=1, initial=NONE)
    fixed = current.preferred_by_broker - np.bincount(before[before != NONE], minlength=len(current.brokers))
    who = who_leads(current, options, leaving)
    first = None if near is None else near.replicas[rows, 0]
    chosen = preferred_leaders(
        lists, before, fixed, who.may_lead, who.resorts, rank=who.rank, tolerance=tolerance, near=first
    )
    lists = np.take_along_axis(lists, leader_first(lists, chosen), axis=1)
    different = np.flatnonzero(lists_differ(lists, current.replicas[rows]))
    return propose(current, rows[different], lists[different])


def concluded(
    start: Settled,
    proposed: ClusterLayout,
    wish: Wish,
    say: Callable[[Verdict], tuple[str, ...]],
    *,
    leaders: bool = True,
    limited: bool = False,
    findings: Iterable[Finding] = (),
) -> Plan:
    """The plan that proposes this layout, judged and certified, with all that a person should know before executing it.

    Args:
        start: the layout planned on.
        proposed: the layout proposed.
        wish: what it is for.
        say: what the certificate says of a verdict without faults.
        leaders: as ``certified``.
        limited: as ``check``.
        findings: of this plan.
    """
    verdict = check(start.layout, proposed, wish, limited=limited, pinned=start.pinned)
    verdict = replace(verdict, every_list=wish.orders_all)
    said = not_executed(verdict.faults) or say(verdict)
    standing = start.read.target()
    made = certified(
        start.layout, proposed, standing=standing, wish=wish, verdict=verdict, leaders=leaders, sentences=said
    )
    plan = Plan(start.layout, proposed, made, (*start.findings, *findings))
    return with_cautions(with_doubtful_receivers(plan, start.under_way), start.read)


def certified(
    current: ClusterLayout,
    proposed: ClusterLayout,
    *,
    standing: ClusterLayout,
    wish: Wish,
    verdict: Verdict,
    leaders: bool = True,
    sentences: tuple[str, ...] = (),
) -> Certificate:
    """The certificate: numbers counted by the checker, and least values where it proves them.

    Of racks nothing is the least where they are a rule and not an aim, and of leaders where not ``leaders`` says that
    they were evened over all orders that the wish leaves open. On brokers that leave no partition could be afterwards,
    and on those that join none before: ``standing`` is ``current`` without them. Where the order of a topic is unknown,
    so is the balance of preferred leaders; how many change is known where all that changes has one.
    """
    racks_proven = verdict.rack_proven and not wish.keeps_racks
    racks = verdict.rack_sum_of_squares if racks_proven else None
    rows = np.flatnonzero(lists_differ(current.replicas, proposed.replicas))
    stays = ~proposed.is_broker(wish.remove)
    certificate = Certificate(
        wish=wish,
        moves=verdict.moves,
        least_moves=verdict.least_moves,
        moves_proven=verdict.moves_proven,
        changed_partitions=rows.size,
        bytes_to_move=bytes_to_copy(current, rows, proposed.replicas[rows]),
        rack_sum_of_squares=verdict.rack_sum_of_squares,
        least_rack_sum_of_squares=racks,
        rack_balance_proven=racks_proven and verdict.rack_sum_of_squares == racks,
        replica_sum_of_squares=verdict.replica_sum_of_squares,
        least_replica_sum_of_squares=verdict.replica_sum_of_squares if verdict.replicas_proven else None,
        replica_balance_proven=verdict.replicas_proven,
        replica_spread=verdict.replica_spread,
        leader_sum_of_squares=verdict.leader_sum_of_squares,
        least_leader_sum_of_squares=verdict.leader_sum_of_squares if leaders else None,
        leader_balance_proven=verdict.leaders_proven and leaders,
        leader_spread=verdict.leader_spread,
        changed_preferred_leaders=verdict.changed_preferred_leaders if order_told_by_row(current)[rows].all() else None,
        least_changed_preferred_leaders=verdict.changed_preferred_leaders if leaders else None,
        changed_leaders_proven=verdict.changed_leaders_proven and leaders,
        rack_violations_before=rack_violations(standing, levels=regions(standing, wish.options)),
        rack_violations_after=rack_violations(proposed, stays, regions(proposed, wish.options)),
        last_resorts=verdict.last_resorts,
        faults=verdict.faults,
        sentences=sentences,
    )
    if current.order_told.all():
        return certificate
    return replace(
        certificate,
        leader_sum_of_squares=None,
        least_leader_sum_of_squares=None,
        leader_balance_proven=False,
        leader_spread=None,
        least_changed_preferred_leaders=None,
        changed_leaders_proven=False,
    )


def said_of_cap(cap: int) -> str:
    """That no broker receives more than ``cap`` replicas."""
    return f"No broker receives more than {counted(cap, 'replica')}"


def cost_of(said: str, limited: Longs, free: Longs, *, what: str = "cap") -> str:
    """What balance a limit costs, as a sentence.

    Args:
        said: the limit in words.
        limited: replicas by broker that counts, with the limit.
        free: the same without it.
        what: what the limit is.
    """
    cost = int((limited**2).sum() - (free**2).sum())
    if cost <= 0:
        return f"{said}; this costs no balance."
    spread, without = int(np.ptp(limited)), int(np.ptp(free))
    if spread == without:
        return f"{said}; this {what} adds {cost:,} to the sum of squares of replica counts."
    return (
        f"{said}; without this {what} the replica spread would be {without:,} instead of {spread:,} "
        f"(the {what} adds {cost:,} to the sum of squares)."
    )
