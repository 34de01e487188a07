"""Checks of the replicas that a plan makes, moves and drops: valid, safe to move, room for them, racks.

Which of them can be overridden, and why, stands in the table of ``reseat.operate.guard``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.balance.health import in_sync_count, min_in_sync_by_row, staying_factor, without_live_copy
from reseat.balance.racks import rack_squares, rack_violating
from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout
from reseat.model.columns import row_any, row_counts
from reseat.model.units import size
from reseat.model.wording import counted, listed, verb
from reseat.operate.checks import Check, Verdict
from reseat.operate.room import usable_room
from reseat.operate.touched import Rows, Touched

__all__ = [
    "can_finish",
    "disk_room",
    "log_dirs_chosen",
    "min_in_sync",
    "movable",
    "racks_not_worsened",
    "replicas_valid",
    "replication_factor_kept",
    "targets_alive",
]

#: Brokers that are registered with a KRaft controller and get nothing copied until they are back.
_FENCED = (BrokerState.FENCED, BrokerState.SHUTTING_DOWN)


def replicas_valid(touched: Touched) -> Check:
    """11. No list is empty, names a broker twice, or puts a replica on a broker that is to leave."""
    name, after = "replicas_valid", touched.after
    faults, bad = [], np.zeros(after.partition_count, np.bool_)
    empty = np.flatnonzero(after.replication_factor == 0)
    twice = after.duplicates
    leaving = np.isin(after.broker_ids, touched.request.plan.leaving)
    onto = np.flatnonzero(row_any(np.append(leaving, False)[after.replicas]))
    for rows, what in (
        (empty, "an empty replica list"),
        (twice, "a broker twice in its replica list"),
        (onto, f"a replica on {listed(touched.request.plan.leaving)}, which the plan is to drain,"),
    ):
        if rows.size:
            bad[rows] = True
            faults.append(
                f"{counted(int(rows.size), 'partition')} would have {what}: {listed(touched.names(rows))}.".replace(
                    ",:", ":"
                )
            )
    if not faults:
        return Check(name, Verdict.PASSED, "Every replica list of the plan is valid.")
    return Check(name, Verdict.FAILED, " ".join(faults), partitions=touched.names(np.flatnonzero(bad)))


def replication_factor_kept(touched: Touched) -> Check:
    """12. No partition is left with fewer replicas unless that was asked, and never unsaid with one or below min ISR.

    A plan of Reseat that drains nothing lowers it because that was wished; one that drains brokers, or a text that
    does not say what it is for, more likely by mistake (an evacuation that failed, ``--generate``'s one factor for a
    whole topic). A rollback goes back to what stood before and need not say that it is wished; how few replicas are too
    few is asked of it all the same, since the topic's settings and its writers may not be those of then.
    """
    name = "replication_factor_kept"
    rows = touched.changed
    before, after = touched.current.replication_factor[rows], touched.after.replication_factor[rows]
    lower = rows[after < before]
    if not lower.size:
        more = int(np.count_nonzero(after > before))
        raised = f"; {counted(more, 'partition')} {verb(more, 'gets', 'get')} more" if more else ""
        return Check(name, Verdict.PASSED, f"No partition is left with fewer replicas{raised}.")
    names = touched.names(lower)
    said = f"{counted(lower.size, 'partition')} would be left with fewer replicas"
    plan = touched.request.plan
    rollback = touched.request.kind == "rollback"
    left = touched.after.replication_factor[lower]
    least = min_in_sync_by_row(touched.now)[lower]
    single, short = lower[left == 1], lower[(left > 1) & (left < least)]
    sentences = [
        f"{counted(some.size, 'partition')} would be left with {what}: {listed(touched.names(some))}."
        for some, what in ((single, "a single replica"), (short, "fewer replicas than min.insync.replicas"))
        if some.size
    ]
    if not rollback and (plan.before is None or plan.leaving):
        why = "The plan does not request this" if plan.before is None else "The plan is to drain brokers"
        sentences.insert(0, f"{said}: {listed(names)}. {why}.")
    if not sentences:
        why = "as it was before the plan, which a rollback need not be asked for" if rollback else "as the plan asks"
        return Check(name, Verdict.PASSED, f"{said}, {why}: {listed(names)}.", partitions=names)
    return Check(name, Verdict.FAILED, " ".join(sentences), overridable=True, partitions=names)


def targets_alive(touched: Touched) -> Check:
    """13. Every broker that a replica comes to is alive, so that it can be copied."""
    name, moving = "targets_alive", touched.moving
    comes = touched.newcomers[moving]
    targets = np.unique(touched.after.replicas[moving][comes])
    if not targets.size:
        return Check(name, Verdict.PASSED, "No replica has to be copied.")
    states = {int(p): touched.now.brokers[p].state for p in targets}
    dead = [p for p, state in states.items() if state is BrokerState.DEAD or not touched.known[p]]
    fenced = [p for p, state in states.items() if p not in dead and state in _FENCED]
    untold = [p for p, state in states.items() if p not in dead and state is BrokerState.NOT_TOLD]
    if dead or fenced:
        concerned = np.append(np.isin(np.arange(len(touched.now.brokers)), dead or fenced), False)
        rows = moving[row_any(concerned[touched.after.replicas[moving]] & comes)]
        ids = touched.ids(np.array(dead or fenced))
        one = len(ids) == 1
        state = "not alive" if dead else "registered but fenced"
        then = "" if dead else f" Nothing is copied there until {'it is' if one else 'they are'} back."
        return Check(
            name,
            Verdict.FAILED,
            f"{verb(len(ids), 'Broker', 'Brokers')} {listed(ids)} {verb(len(ids), 'is', 'are')} {state}, and replicas "
            f"of {counted(rows.size, 'partition')} are to come there: {listed(touched.names(rows))}.{then}",
            overridable=not dead,
            partitions=touched.names(rows),
            brokers=ids,
        )
    if untold:
        ids = touched.ids(np.array(untold))
        return Check(name, Verdict.NOT_TOLD, f"It is unknown whether brokers {listed(ids)} are alive.", brokers=ids)
    ids = touched.ids(targets)
    return Check(name, Verdict.PASSED, f"{counted(len(ids), 'broker')} to copy to {verb(len(ids), 'is', 'are')} alive.")


def movable(touched: Touched) -> Check:
    """14. Every partition has a live in-sync replica to copy from; a partition without one is named as unmovable."""
    name, rows = "movable", touched.moving
    now = touched.now
    lost = without_live_copy(now)[rows]
    if not lost.any():
        untold = rows[(now.leader[rows] == NOT_TOLD) & ~now.in_sync_known[rows]]
        if untold.size:
            names = touched.names(untold)
            return Check(
                name,
                Verdict.NOT_TOLD,
                f"Neither leader nor ISR is told for {counted(untold.size, 'partition')}: {listed(names)}.",
                partitions=names,
            )
        return Check(name, Verdict.PASSED, "Every partition that moves has a live in-sync replica to copy from.")
    bad = rows[lost]
    names = touched.names(bad)
    held = touched.ids(now.replicas[bad][now.in_sync[bad]]) if now.in_sync is not None else ()
    where = (
        f" ({verb(len(held), 'broker', 'brokers')} {listed(held)} had {verb(len(held), 'it', 'them')})" if held else ""
    )
    return Check(
        name,
        Verdict.FAILED,
        f"{counted(bad.size, 'partition')} cannot be moved, since no in-sync copy is on a live broker{where}: "
        f"{listed(names)}. Bring that broker back, or leave {verb(bad.size, 'it', 'them')} out of the plan.",
        partitions=names,
        brokers=held,
    )


def min_in_sync(touched: Touched) -> Check:
    """15. A partition below min.insync.replicas is touched only where that is because of brokers to be drained it.

    It is, where it would have enough in-sync replicas if those that it loses were in sync. No more are asked than
    the partition has replicas: with too few of them no plan but one that adds some can help.
    """
    name, rows = "min_in_sync", touched.moving
    now = touched.now
    least = min_in_sync_by_row(now)[rows]
    told = now.in_sync_known[rows] & (least >= 0)
    needed = np.minimum(least, staying_factor(now)[rows])
    have = in_sync_count(now)[rows]
    out = now.replicas[rows] != NONE
    if now.in_sync is not None:
        out &= ~now.in_sync[rows]
    leave = row_counts(touched.goes[rows] & out)
    below = told & (have < needed)
    bad = rows[below & (have + leave < needed)]
    if bad.size:
        names = touched.names(bad)
        return Check(
            name,
            Verdict.FAILED,
            f"{counted(bad.size, 'partition')} {verb(bad.size, 'has', 'have')} fewer in-sync replicas than "
            f"min.insync.replicas, and not because of brokers to be drained: {listed(names)}. Let "
            f"{verb(bad.size, 'it', 'them')} catch up first, or leave {verb(bad.size, 'it', 'them')} out of the plan.",
            partitions=names,
        )
    mended = rows[below]
    if mended.size:
        names = touched.names(mended)
        return Check(
            name,
            Verdict.PASSED,
            f"{counted(mended.size, 'partition')} {verb(mended.size, 'is', 'are')} below min.insync.replicas because "
            f"of brokers to be drained: {listed(names)}.",
            partitions=names,
        )
    untold = rows[~told]
    if untold.size:
        return Check(
            name,
            Verdict.NOT_TOLD,
            f"ISR or min.insync.replicas is unknown for {counted(untold.size, 'partition')}: "
            f"{listed(touched.names(untold))}.",
            partitions=touched.names(untold),
        )
    return Check(name, Verdict.PASSED, "No partition that moves is below min.insync.replicas.")


def can_finish(touched: Touched) -> Check:
    """16. No partition waits for a broker that is down and stays in its list.

    A controller is done with a partition when the ISR holds the whole target, those that stay included
    (``KafkaController.isReassignmentComplete``, ``PartitionReassignmentReplicas`` of KRaft).
    """
    name, rows = "can_finish", touched.moving
    states = [broker.state in (BrokerState.DEAD, *_FENCED) for broker in touched.now.brokers]
    down = np.array([*states, False], np.bool_)
    waits = down[touched.after.replicas[rows]] & ~touched.newcomers[rows]
    bad = rows[row_any(waits)]
    if not bad.size:
        return Check(name, Verdict.PASSED, "No partition that moves keeps a replica on a broker that is down.")
    ids = touched.ids(touched.after.replicas[rows][waits])
    return Check(
        name,
        Verdict.FAILED,
        f"{counted(bad.size, 'partition')} {verb(bad.size, 'keeps', 'keep')} a replica on "
        f"{verb(len(ids), 'broker', 'brokers')} {listed(ids)}, which {verb(len(ids), 'is', 'are')} down: the move will "
        f"not end before {verb(len(ids), 'it is', 'they are')} back: {listed(touched.names(bad))}.",
        overridable=True,
        partitions=touched.names(bad),
        brokers=ids,
    )


# ---- racks -----------------------------------------------------------------------------------------------------


def racks_not_worsened(touched: Touched) -> Check:
    """17. By the racks of now, no partition shares racks more than it does, beyond what the plan showed.

    Shown was what the plan's own lists and racks say, where it tells them: a partition that they make share racks is
    no surprise.
    """
    name, rows = "racks_not_worsened", touched.changed
    current, after = touched.current.select(rows), touched.after.select(rows)
    if not current.racks:
        return Check(name, Verdict.PASSED, "No broker has a rack.")
    alive = touched.alive & ~np.isin(touched.now.broker_ids, touched.request.plan.leaving)
    worse = _worse(current, after, alive)
    shown = worse & _worse_when_planned(touched, rows, alive)
    beyond = rows[worse & ~shown]
    if beyond.size:
        names = touched.names(beyond)
        return Check(
            name,
            Verdict.FAILED,
            f"{counted(beyond.size, 'partition')} would share racks more than now, which the plan did not show: "
            f"{listed(names)}.",
            overridable=True,
            partitions=names,
        )
    if shown.any():
        names = touched.names(rows[shown])
        return Check(
            name,
            Verdict.PASSED,
            f"{counted(len(names), 'partition')} would share racks more than now, as the plan showed: {listed(names)}.",
            partitions=names,
        )
    return Check(name, Verdict.PASSED, "No partition would share racks more than now.")


def _worse(before: ClusterLayout, after: ClusterLayout, usable: BoolArray) -> BoolArray:
    """(n,) bool: rows that now sit on fewer racks than they could, or share racks more with as many replicas."""
    worse: BoolArray = rack_violating(after, usable) & ~rack_violating(before, usable)
    ours, theirs = rack_squares(after), rack_squares(before)
    if ours is not None and theirs is not None:
        worse |= (after.replication_factor == before.replication_factor) & (ours > theirs)
    return worse


def _worse_when_planned(touched: Touched, rows: Rows, usable: BoolArray) -> BoolArray:
    plan = touched.request.plan
    if plan.before is None or plan.racks is None or not any(plan.racks.values()):
        return np.zeros(rows.size, np.bool_)
    ours = touched.planned[rows]
    then = [replace(b, rack=plan.racks.get(b.id)) for b in touched.now.brokers]
    before = plan.before.select(ours).with_brokers(then)
    after = plan.proposed.select(ours).with_brokers(then)
    at = np.isin(before.broker_ids, touched.now.broker_ids[usable])
    return _worse(before, after.with_brokers(before.brokers), at)


# ---- room ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Arrivals:
    """What comes to brokers: a row a replica that is copied.

    Attributes:
        row: (k,) rows of ``touched.now``.
        broker: (k,) broker positions.
        size: (k,) bytes, NaN where not told.
        directory: (k,) positions in the plan's log directories, -1 where the broker chooses.
    """

    row: Rows
    broker: npt.NDArray[np.int32]
    size: npt.NDArray[np.float64]
    directory: npt.NDArray[np.int32]

    @classmethod
    def of(cls, touched: Touched) -> _Arrivals:
        at, column = np.nonzero(touched.newcomers)
        sizes = touched.now.replica_bytes
        largest = (
            np.full(touched.now.partition_count, np.nan)
            if sizes is None or not sizes.shape[1]
            else np.fmax.reduce(sizes, axis=1)
        )
        dirs = touched.request.plan.proposed.log_dir
        told = np.full(at.size, NONE, np.int32) if dirs is None else dirs[touched.planned][at, column]
        return cls(at, touched.after.replicas[at, column], largest[at], told)


def disk_room(touched: Touched) -> Check:
    """19. What comes to each broker and log directory fits into what is left there.

    What leaves a broker is not counted as room: it is deleted only once its successor is in sync. Without log
    directories in the plan a broker chooses by how many partitions each of its directories holds and not by room, so
    only what cannot fit anywhere is refused.
    """
    name = "disk_room"
    comes = _Arrivals.of(touched)
    if not comes.row.size:
        return Check(name, Verdict.PASSED, "No replica has to be copied.")
    usable, offline = usable_room(touched.snapshot.log_dirs)
    short, untold = [], set[int]()
    for position in np.unique(comes.broker).tolist():
        mine = comes.broker == position
        sizes = comes.size[mine]
        broker = int(touched.now.broker_ids[position])
        total, largest = float(np.nansum(sizes)), float(np.nanmax(np.append(sizes, 0.0)))
        room = usable.get(broker)
        if broker in offline and not room:
            short.append((broker, f"broker {broker} has no log directory that is online"))
            continue
        if room is None or np.isnan(sizes).any():
            untold.add(broker)
        if room is None:
            continue
        left, widest = sum(room.values()), max(room.values())
        if total > left:
            short.append((broker, f"broker {broker} has {size(left)} left and would get {size(total)}"))
        elif largest > widest:
            short.append(
                (
                    broker,
                    f"broker {broker} has at most {size(widest)} left in one log directory and would get a "
                    f"replica of {size(largest)}",
                )
            )
        else:
            short += _crowded(touched, broker, room, comes.size[mine], comes.directory[mine])
    if short:
        ids = tuple(dict.fromkeys(broker for broker, _ in short))
        concerned = np.append(np.isin(touched.now.broker_ids, ids), False)
        rows = np.unique(comes.row[concerned[comes.broker]])
        reasons = listed(reason for _, reason in short)
        return Check(
            name,
            Verdict.FAILED,
            f"The plan needs more room than there is: {reasons}. What leaves a broker does not count, since it is "
            "deleted last.",
            partitions=touched.names(rows),
            brokers=ids,
        )
    if untold:
        ids = tuple(sorted(untold))
        return Check(
            name,
            Verdict.NOT_TOLD,
            f"Whether there is room is unknown for {verb(len(ids), 'broker', 'brokers')} {listed(ids)}: sizes of "
            "replicas, or what is left in log directories (told from Kafka 3.3 on), are not known.",
            brokers=ids,
        )
    return Check(
        name, Verdict.PASSED, f"{size(float(comes.size.sum()))} come to brokers that have room for what each gets."
    )


def _crowded(
    touched: Touched,
    broker: int,
    room: dict[str, int],
    sizes: npt.NDArray[np.float64],
    directory: npt.NDArray[np.int32],
) -> list[tuple[int, str]]:
    """Log directories that the plan names and that would get more than they have left."""
    found = []
    for code in np.unique(directory[directory != NONE]).tolist():
        path = touched.request.plan.proposed.log_dirs[code]
        total = float(np.nansum(sizes[directory == code]))
        if path in room and total > room[path]:
            reason = f"log directory {path} of broker {broker} has {size(room[path])} left and would get {size(total)}"
            found.append((broker, reason))
    return found


def log_dirs_chosen(touched: Touched) -> Check:
    """20. The plan leaves log directories to the brokers: directories that it names are not carried out."""
    name = "log_dirs_chosen"
    comes = _Arrivals.of(touched)
    by_broker: defaultdict[int, set[str]] = defaultdict(set)
    for directory in touched.snapshot.log_dirs:
        by_broker[directory.broker].add(directory.path)
    named = comes.directory != NONE
    paths = touched.request.plan.proposed.log_dirs
    pairs = np.unique(np.stack([comes.broker[named], comes.directory[named]], axis=1), axis=0)
    ignored = {
        (position, code)
        for position, code in pairs.tolist()
        if by_broker[int(touched.now.broker_ids[position])] != {paths[code]}
    }
    if not ignored:
        return Check(name, Verdict.PASSED, "The plan leaves it to the brokers in which log directory a replica goes.")
    at = [
        (position, code) in ignored
        for position, code in zip(comes.broker.tolist(), comes.directory.tolist(), strict=True)
    ]
    rows = np.unique(comes.row[np.array(at, np.bool_)])
    said = (
        f"The plan names log directories for new replicas of {counted(rows.size, 'partition')}, and these are "
        f"ignored: the brokers choose. {listed(touched.names(rows))}."
    )
    return Check(name, Verdict.FAILED, said, overridable=True, partitions=touched.names(rows))
