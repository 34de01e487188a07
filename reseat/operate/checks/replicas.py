"""Checks of the replicas that a plan makes, moves and drops: valid, safe to move, room for them, racks.

Which of them can be overridden, and why, stands in the table of ``reseat.operate.checks.guard``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.balance.health import in_sync_count, min_in_sync_by_row, staying_factor, without_live_copy
from reseat.balance.racks import rack_squares, rack_violating
from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout, Longs
from reseat.model.arrays import on_brokers, row_any, row_counts
from reseat.model.wording import counted, listed, named, verb
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.checks.plan_diff import PlanDiff

__all__ = [
    "can_finish",
    "min_in_sync",
    "movable",
    "racks_not_worsened",
    "replicas_valid",
    "replication_factor_kept",
    "targets_alive",
]

#: Brokers that are registered with a KRaft controller and get nothing copied until they are back.
_FENCED = (BrokerState.FENCED, BrokerState.SHUTTING_DOWN)


def replicas_valid(diff: PlanDiff) -> Check:
    """11. No list is empty, names a broker twice, or puts a replica on a broker that is to leave."""
    name, after = "replicas_valid", diff.after
    faults, bad = [], np.zeros(after.partition_count, np.bool_)
    empty = np.flatnonzero(after.replication_factor == 0)
    twice = after.duplicates
    leaving = after.is_broker(diff.request.plan.leaving)
    onto = np.flatnonzero(row_any(on_brokers(after.replicas, leaving)))
    for rows, what in (
        (empty, "an empty replica list"),
        (twice, "a broker twice in its replica list"),
        (onto, f"a replica on {listed(diff.request.plan.leaving)}, which the plan is to drain,"),
    ):
        if rows.size:
            bad[rows] = True
            faults.append(
                f"{counted(int(rows.size), 'partition')} would have {what}: {listed(diff.names(rows))}.".replace(
                    ",:", ":"
                )
            )
    if not faults:
        return passed(name, "Every replica list of the plan is valid.")
    return failed(name, " ".join(faults), partitions=diff.names(np.flatnonzero(bad)))


def replication_factor_kept(diff: PlanDiff) -> Check:
    """12. No partition is left with fewer replicas unless that was asked, and never unsaid with one or below min ISR.

    A plan of Reseat that drains nothing lowers it because that was wished; one that drains brokers, or a text that
    does not say what it is for, more likely by mistake (an evacuation that failed, ``--generate``'s one factor for a
    whole topic). A rollback goes back to what stood before and need not say that it is wished; how few replicas are too
    few is asked of it all the same, since the topic's settings and its writers may not be those of then.
    """
    name = "replication_factor_kept"
    rows = diff.changed
    before, after = diff.current.replication_factor[rows], diff.after.replication_factor[rows]
    lower = rows[after < before]
    if not lower.size:
        more = int(np.count_nonzero(after > before))
        raised = f"; {counted(more, 'partition')} {verb(more, 'gets', 'get')} more" if more else ""
        return passed(name, f"No partition is left with fewer replicas{raised}.")
    names = diff.names(lower)
    said = f"{counted(lower.size, 'partition')} would be left with fewer replicas"
    plan = diff.request.plan
    rollback = diff.request.kind == "rollback"
    left = diff.after.replication_factor[lower]
    least = min_in_sync_by_row(diff.now)[lower]
    single, short = lower[left == 1], lower[(left > 1) & (left < least)]
    sentences = [
        f"{counted(some.size, 'partition')} would be left with {what}: {listed(diff.names(some))}."
        for some, what in ((single, "a single replica"), (short, "fewer replicas than min.insync.replicas"))
        if some.size
    ]
    if not rollback and (plan.before is None or plan.leaving):
        why = "The plan does not request this" if plan.before is None else "The plan is to drain brokers"
        sentences.insert(0, f"{said}: {listed(names)}. {why}.")
    if not sentences:
        why = "as it was before the plan" if rollback else "as the plan requests"
        return passed(name, f"{said}, {why}: {listed(names)}.", partitions=names)
    return failed(name, " ".join(sentences), overridable=True, partitions=names)


def targets_alive(diff: PlanDiff) -> Check:
    """13. Every broker that a replica comes to is alive, so that it can be copied."""
    name, moving = "targets_alive", diff.moving
    comes = diff.newcomers[moving]
    targets = np.unique(diff.after.replicas[moving][comes])
    if not targets.size:
        return passed(name, "No replica has to be copied.")
    states = {int(p): diff.now.brokers[p].state for p in targets}
    dead = [p for p, state in states.items() if state is BrokerState.DEAD or not diff.known[p]]
    fenced = [p for p, state in states.items() if p not in dead and state in _FENCED]
    untold = [p for p, state in states.items() if p not in dead and state is BrokerState.NOT_TOLD]
    if dead or fenced:
        ids = diff.ids(np.array(dead or fenced))
        concerned = diff.now.is_broker(ids)
        rows = moving[row_any(on_brokers(diff.after.replicas[moving], concerned) & comes)]
        state = "not alive" if dead else "registered but fenced"
        then = "" if dead else f" Nothing is copied there until {verb(len(ids), 'it is', 'they are')} back."
        return failed(
            name,
            f"{named('Broker', ids, 'is', 'are')} {state}, and replicas "
            f"of {counted(rows.size, 'partition')} would be copied there: {listed(diff.names(rows))}.{then}",
            overridable=not dead,
            partitions=diff.names(rows),
            brokers=ids,
        )
    if untold:
        ids = diff.ids(np.array(untold))
        return unknown(name, f"It is unknown whether brokers {listed(ids)} are alive.", brokers=ids)
    ids = diff.ids(targets)
    return passed(name, f"{counted(len(ids), 'broker')} to copy to {verb(len(ids), 'is', 'are')} alive.")


def movable(diff: PlanDiff) -> Check:
    """14. Every partition has a live in-sync replica to copy from; a partition without one is named as unmovable."""
    name, rows = "movable", diff.moving
    now = diff.now
    lost = without_live_copy(now)[rows]
    if not lost.any():
        untold = rows[(now.leader[rows] == NOT_TOLD) & ~now.in_sync_known[rows]]
        if untold.size:
            names = diff.names(untold)
            return unknown(
                name,
                f"Leader and ISR are unknown for {counted(untold.size, 'partition')}: {listed(names)}.",
                partitions=names,
            )
        return passed(name, "Every partition that moves has a live in-sync replica to copy from.")
    bad = rows[lost]
    names = diff.names(bad)
    held = diff.ids(now.replicas[bad][now.in_sync[bad]]) if now.in_sync is not None else ()
    where = f" ({named('broker', held)} had {verb(len(held), 'it', 'them')})" if held else ""
    return failed(
        name,
        f"{counted(bad.size, 'partition')} cannot be moved, because no in-sync copy is on a live broker{where}: "
        f"{listed(names)}. Bring that broker back, or leave {verb(bad.size, 'it', 'them')} out of the plan.",
        partitions=names,
        brokers=held,
    )


def min_in_sync(diff: PlanDiff) -> Check:
    """15. A partition below min.insync.replicas is touched only where that is because of brokers to be drained it.

    It is, where it would have enough in-sync replicas if those that it loses were in sync. No more are asked than
    the partition has replicas: with too few of them no plan but one that adds some can help.
    """
    name, rows = "min_in_sync", diff.moving
    now = diff.now
    least = min_in_sync_by_row(now)[rows]
    told = now.in_sync_known[rows] & (least >= 0)
    needed = np.minimum(least, staying_factor(now)[rows])
    have = in_sync_count(now)[rows]
    out = now.replicas[rows] != NONE
    if now.in_sync is not None:
        out &= ~now.in_sync[rows]
    leave = row_counts(diff.goes[rows] & out)
    below = told & (have < needed)
    bad = rows[below & (have + leave < needed)]
    if bad.size:
        names = diff.names(bad)
        return failed(
            name,
            f"{counted(bad.size, 'partition')} {verb(bad.size, 'has', 'have')} fewer in-sync replicas than "
            f"min.insync.replicas, and not because of brokers to be drained: {listed(names)}. Let "
            f"{verb(bad.size, 'it', 'them')} catch up first, or leave {verb(bad.size, 'it', 'them')} out of the plan.",
            partitions=names,
        )
    mended = rows[below]
    if mended.size:
        names = diff.names(mended)
        return passed(
            name,
            f"{counted(mended.size, 'partition')} {verb(mended.size, 'is', 'are')} below min.insync.replicas because "
            f"of brokers to be drained: {listed(names)}.",
            partitions=names,
        )
    untold = rows[~told]
    if untold.size:
        return unknown(
            name,
            f"ISR or min.insync.replicas is unknown for {counted(untold.size, 'partition')}: "
            f"{listed(diff.names(untold))}.",
            partitions=diff.names(untold),
        )
    return passed(name, "No partition that moves is below min.insync.replicas.")


def can_finish(diff: PlanDiff) -> Check:
    """16. No partition waits for a broker that is down and stays in its list.

    A controller is done with a partition when the ISR holds the whole target, those that stay included
    (``KafkaController.isReassignmentComplete``, ``PartitionReassignmentReplicas`` of KRaft).
    """
    name, rows = "can_finish", diff.moving
    waits = on_brokers(diff.after.replicas[rows], ~diff.now.available) & ~diff.newcomers[rows]
    bad = rows[row_any(waits)]
    if not bad.size:
        return passed(name, "No partition that moves keeps a replica on a broker that is down.")
    ids = diff.ids(diff.after.replicas[rows][waits])
    return failed(
        name,
        f"{counted(bad.size, 'partition')} {verb(bad.size, 'keeps', 'keep')} a replica on "
        f"{named('broker', ids)}, which {verb(len(ids), 'is', 'are')} down: the move will "
        f"not end before {verb(len(ids), 'it is', 'they are')} back: {listed(diff.names(bad))}.",
        overridable=True,
        partitions=diff.names(bad),
        brokers=ids,
    )


# ---- racks -----------------------------------------------------------------------------------------------------


def racks_not_worsened(diff: PlanDiff) -> Check:
    """17. By the racks of now, no partition shares racks more than it does, beyond what the plan showed.

    Shown was what the plan's own lists and racks say, where it tells them: a partition that they make share racks is
    no surprise.
    """
    name, rows = "racks_not_worsened", diff.changed
    current, after = diff.current.select(rows), diff.after.select(rows)
    if not current.racks:
        return passed(name, "No broker has a rack.")
    alive = diff.alive & ~diff.now.is_broker(diff.request.plan.leaving)
    worse = _worse(current, after, alive)
    shown = worse & _worse_when_planned(diff, rows, alive)
    beyond = rows[worse & ~shown]
    if beyond.size:
        names = diff.names(beyond)
        return failed(
            name,
            f"{counted(beyond.size, 'partition')} would have less rack diversity than now, which the plan did not "
            f"show: {listed(names)}.",
            overridable=True,
            partitions=names,
        )
    if shown.any():
        names = diff.names(rows[shown])
        return passed(
            name,
            f"{counted(len(names), 'partition')} would have less rack diversity than now, as the plan showed: "
            f"{listed(names)}.",
            partitions=names,
        )
    return passed(name, "No partition would have less rack diversity than now.")


def _worse(before: ClusterLayout, after: ClusterLayout, usable: BoolArray) -> BoolArray:
    """(n,) bool: rows that now sit on fewer racks than they could, or share racks more with as many replicas."""
    worse: BoolArray = rack_violating(after, usable) & ~rack_violating(before, usable)
    ours, theirs = rack_squares(after), rack_squares(before)
    if ours is not None and theirs is not None:
        worse |= (after.replication_factor == before.replication_factor) & (ours > theirs)
    return worse


def _worse_when_planned(diff: PlanDiff, rows: Longs, usable: BoolArray) -> BoolArray:
    plan = diff.request.plan
    if plan.before is None or plan.racks is None or not any(plan.racks.values()):
        return np.zeros(rows.size, np.bool_)
    ours = diff.planned[rows]
    then = [replace(b, rack=plan.racks.get(b.id)) for b in diff.now.brokers]
    before = plan.before.select(ours).with_brokers(then)
    after = plan.proposed.select(ours).with_brokers(then)
    at = before.is_broker(diff.now.broker_ids[usable])
    return _worse(before, after.with_brokers(before.brokers), at)
