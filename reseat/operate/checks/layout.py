"""Checks that the cluster still is what the plan was made for: reading, order, lists, brokers and racks, newcomers.

The one difference that can be overridden is one where nothing is left to do: partitions that are as planned already.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reseat.balance.quorum import still_voting
from reseat.formats.documents.sealed import layout_hash, topic_ids_of
from reseat.model import NONE, ClusterLayout, IntArray, Longs
from reseat.model.arrays import lists_differ, on_brokers, row_any, widened
from reseat.model.wording import SPELLED_OUT, counted, listed, named, verb, visible
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.checks.plan_diff import PlanDiff, same_members
from reseat.operate.targets.target import Partition

__all__ = [
    "brokers_unchanged",
    "layout_unchanged",
    "leaving_brokers_since",
    "order_told",
    "reading_settled",
    "topics_same",
]

#: Characters of a rack's name that a sentence holds: brokers may tell anything.
_LONGEST = 60


def reading_settled(diff: PlanDiff) -> Check:
    """7. No topic of the plan changed while the cluster was read."""
    ours = set(diff.request.plan.proposed.topics)
    moved = sorted(ours.intersection(diff.snapshot.unsettled))
    if not moved:
        return passed("reading_settled", "No topic of the plan changed while the cluster was read.")
    return failed(
        "reading_settled",
        f"{counted(len(moved), 'topic')} of the plan changed while the cluster was read: {listed(moved)}. Read it "
        "again.",
    )


def order_told(diff: PlanDiff) -> Check:
    """8. The reading keeps the order of replica lists, without which none can be compared."""
    now = diff.now
    unordered = [now.topics[i] for i in np.flatnonzero(~now.order_told)]
    if not unordered:
        return passed("order_told", "Replica lists are in assignment order.")
    return failed(
        "order_told",
        f"The reading does not keep the order of replica lists for {counted(len(unordered), 'topic')}: "
        f"{listed(unordered)}. Read the cluster itself.",
    )


def layout_unchanged(diff: PlanDiff) -> Check:
    """9. The partitions of the plan still have the replica lists that it was made for.

    A rollback may also find a partition where it shall lead to, in whatever order: its run may have been stopped, and
    a cancelled reassignment does not always bring the old order back.
    """
    name, request = "layout_unchanged", diff.request
    gone = request.plan.proposed.names_at(np.flatnonzero(diff.row < 0))
    baseline, unknown = _made_for(diff)
    if baseline is None:
        return failed(
            name,
            "The plan does not say which layout it was made for, and no reading was shown when it was confirmed: read "
            "the cluster, review the plan against it, and confirm again.",
        )
    now, after = diff.current.replicas, diff.after.replicas
    differs = lists_differ(now, baseline)
    if request.kind == "rollback":
        differs &= ~same_members(now, after)
    differs[unknown] = False
    rows = np.flatnonzero(differs)
    planned_already = ~lists_differ(now[rows], after[rows])
    sentences = []
    if gone:
        sentences.append(
            f"{counted(len(gone), 'partition')} of the plan {verb(len(gone), 'is', 'are')} gone: {listed(gone)}."
        )
    if unknown.size:
        names = diff.names(unknown)
        sentences.append(
            f"{counted(len(names), 'partition')} of the plan {verb(len(names), 'was', 'were')} not in the reading "
            f"shown: {listed(names)}."
        )
    other = rows[~planned_already]
    if other.size:
        sentences.append(
            f"{counted(other.size, 'partition')} of the plan {verb(other.size, 'has', 'have')} another replica list "
            f"than it was made for: {_compared(diff, other, baseline)}. Make a new plan."
        )
    done = rows[planned_already]
    if done.size:
        sentences.append(
            f"{counted(done.size, 'partition')} {verb(done.size, 'is', 'are')} as planned already, and nothing would "
            f"be sent for {verb(done.size, 'it', 'them')}: {listed(diff.names(done))}."
        )
    if not sentences:
        return passed(name, _still(diff))
    return failed(
        name,
        " ".join(sentences),
        overridable=not (gone or unknown.size or other.size),
        partitions=gone + diff.names(unknown) + diff.names(rows),
    )


def _made_for(diff: PlanDiff) -> tuple[IntArray | None, Longs]:
    """(m, R) lists that the plan was made for, as positions of ``diff``; and rows for which nothing tells them."""
    none = np.empty(0, np.int64)
    plan, shown = diff.request.plan, diff.request.shown
    if plan.before is not None:
        return _replicas_in(diff.now, plan.before.select(diff.planned)), none
    if shown is None:
        return None, none
    ours = shown.rows_of(diff.after)
    lists = np.full((len(ours), shown.replicas.shape[1]), NONE, np.int32)
    told = ours >= 0
    lists[told] = widened(_replicas_in(diff.now, shown.select(ours[told]).target()), lists.shape[1])
    return lists, np.flatnonzero(~told)


def _replicas_in(base: ClusterLayout, layout: ClusterLayout) -> IntArray:
    """The lists of ``layout`` as positions of ``base``; a broker that ``base`` does not have is none of its brokers."""
    positions = {broker.id: position for position, broker in enumerate(base.brokers)}
    beyond = len(positions)  # a position that no list of ``base`` has
    place = np.array([*(positions.get(broker.id, beyond) for broker in layout.brokers), NONE], np.int32)
    return np.asarray(place[layout.replicas], np.int32)


def _compared(diff: PlanDiff, rows: Longs, baseline: IntArray) -> str:
    """The first few differences, partition by partition, and how many more."""
    shown = rows[:SPELLED_OUT]
    ids = [*map(str, diff.now.broker_ids.tolist()), "?"]  # ?: a broker that neither plan nor cluster has any more
    parts = []
    for row, name in zip(shown.tolist(), diff.names(shown), strict=True):
        was, now = (
            ",".join(ids[i] for i in lists[row].tolist() if i != NONE) for lists in (baseline, diff.current.replicas)
        )
        parts.append(f"{name} was [{was}], is [{now}]")
    more = rows.size - shown.size
    return "; ".join(parts) + (f"; and {more:,} more" if more else "")


def _still(diff: PlanDiff) -> str:
    number = int(diff.planned.size)
    what = "in the reading shown" if diff.request.plan.before is None else "that the plan was made for"
    if diff.request.kind == "rollback":
        return (
            f"{counted(number, 'partition')} of the rollback {verb(number, 'has', 'have')} the replica lists from "
            "before or after it."
        )
    return f"{counted(number, 'partition')} of the plan {verb(number, 'has', 'have')} the replica lists {what}."


def topics_same(diff: PlanDiff) -> Check:
    """23. No topic of the plan was deleted and made anew under its name since the plan was made (KIP-516)."""
    name, plan, shown = "topics_same", diff.request.plan, diff.request.shown
    topics = diff.current.topics
    then = plan.topic_ids or ({} if shown is None else topic_ids_of(shown, topics))
    now = topic_ids_of(diff.snapshot.layout, topics)
    anew = [topic for topic in topics if topic in then and topic in now and then[topic] != now[topic]]
    if anew:
        return failed(
            name,
            f"{counted(len(anew), 'topic')} of the plan {verb(len(anew), 'was', 'were')} deleted and recreated since: "
            f"{listed(anew)}. Make a new plan.",
        )
    if not all(topic in then and topic in now for topic in topics):
        return unknown(
            name,
            "Topic ids are unknown for every topic of the plan, so a topic that was deleted and recreated would be "
            "noticed only if its replica lists differ.",
        )
    return passed(name, "The topics of the plan are those that it was made for.")


def brokers_unchanged(diff: PlanDiff) -> Check:
    """10. The brokers of the plan are there, in the racks that they had.

    A broker that is down tells no rack, which is no change; nor is it one where no rack was told when the plan was
    made: ``racks_not_worsened`` then goes by the racks of now.
    """
    name, rows = "brokers_unchanged", diff.changed
    after = np.unique(diff.after.replicas[rows])
    used = np.unique(np.concatenate([after, np.unique(diff.now.replicas[rows])]))
    after, used = after[after != NONE], used[used != NONE]
    gone = diff.ids(after[~diff.known[after]])
    if gone:
        return failed(
            name,
            f"{named('Broker', gone)}, which the plan uses, {verb(len(gone), 'is', 'are')} not in the cluster.",
            brokers=gone,
        )
    then = diff.racks_then
    known_then = then is not None and any(rack is not None for rack in then.values())
    if then is None or not known_then:
        if not diff.now.racks:
            return passed(name, "All brokers of the plan are in the cluster; none has a rack.")
        return unknown(
            name,
            "All brokers of the plan are in the cluster. Racks were unknown when it was made, so a changed rack would "
            "not be noticed; racks_not_worsened uses the current racks.",
        )
    targets = set(after.tolist())
    moved = [
        position for position in used.tolist() if _rack_changed(diff.now, position, then, target=position in targets)
    ]
    if not moved:
        return passed(name, "All brokers of the plan are in the cluster, in the same racks as then.")
    ids = diff.ids(np.array(moved))
    changes = listed(
        f"broker {i} was {_rack(then.get(i))}, is {_rack(diff.now.brokers[p].rack)}"
        for i, p in zip(ids, moved, strict=True)
    )
    return failed(
        name, f"{counted(len(ids), 'broker')} of the plan changed racks: {changes}. Make a new plan.", brokers=ids
    )


def _rack_changed(now: ClusterLayout, position: int, then: Mapping[int, str | None], *, target: bool) -> bool:
    broker = now.brokers[position]
    was = then.get(broker.id)
    if was == broker.rack:
        return False
    if broker.rack is None and not broker.state.up:
        return False
    # A broker that was down when the plan was made told no rack; where it only gives replicas up, none is needed.
    return was is not None or target


def _rack(rack: str | None) -> str:
    if rack is None:
        return "without a rack"
    return f"in rack {visible(rack, _LONGEST)}"


def leaving_brokers_since(diff: PlanDiff, holdings: Mapping[int, frozenset[Partition]] | None) -> Check:
    """18. Nothing came to a leaving broker since: the plan takes away all that it holds."""
    name, plan, layout = "leaving_brokers_since", diff.request.plan, diff.snapshot.layout
    if plan.before is None:
        return unknown(name, "The plan does not say which brokers it drains.")
    if not plan.leaving:
        return passed(name, "The plan drains no broker.")
    leaving = layout.is_broker(plan.leaving)
    held = row_any(on_brokers(layout.target().replicas, leaving))
    held[diff.row[diff.planned]] = False  # lists of the plan itself are checked by replicas_valid
    rows = np.flatnonzero(held)
    stray = _only_in_log_dirs(diff, holdings)
    brokers = listed(plan.leaving)
    which = f"{verb(len(plan.leaving), 'broker', 'brokers')} {brokers}"
    if not rows.size and not stray:
        votes = still_voting(diff.snapshot.quorum, plan.leaving)
        return passed(name, f"The plan removes every replica from {which}. {votes}".rstrip())
    if rows.size and plan.layout_hash is not None and layout_hash(layout) == plan.layout_hash and not stray:
        return passed(
            name,
            f"No replica was added to {which} since the plan was made; the plan leaves "
            f"{counted(rows.size, 'partition')} there.",
            brokers=plan.leaving,
        )
    names = tuple(dict.fromkeys(layout.names_at(rows) + stray))
    return failed(
        name,
        f"{counted(len(names), 'partition')} {verb(len(names), 'has', 'have')} a replica on {which} that the plan does "
        f"not remove: {listed(names)}. {verb(len(plan.leaving), 'It', 'They')} will not be empty afterwards.",
        overridable=True,
        partitions=names,
        brokers=plan.leaving,
    )


def _only_in_log_dirs(diff: PlanDiff, holdings: Mapping[int, frozenset[Partition]] | None) -> tuple[str, ...]:
    """What the log directories of leaving brokers hold though the layout does not place it there."""
    if holdings is None:
        return ()
    layout = diff.snapshot.layout
    found: set[Partition] = set()
    for broker in diff.request.plan.leaving:
        rows = np.flatnonzero(row_any(on_brokers(layout.replicas, layout.broker_ids == broker)))
        found |= holdings.get(broker, frozenset()).difference(layout.partitions_at(rows))
    return tuple(f"{topic}-{partition}" for topic, partition in sorted(found))
