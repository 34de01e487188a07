"""What a person is told before anything else of a plan: what it leaves out, what it cannot know, what it worsens.

Promises: each is a finding in the certificate, in the order of ``with_cautions``, and a number of it beside; nothing is
said where there is nothing. What cannot move for want of a live copy is the guard's own rule (``without_live_copy``).

Needs: a plan, and the layout as it was read (before what is under way is settled).

Complexity: O(P R) for P partitions of replication factor R.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from reseat.balance import (
    distinct_racks,
    frozen_by_cordon,
    incomplete,
    racks_unknown,
    with_observers,
    without_live_copy,
)
from reseat.balance.health import last_in_sync
from reseat.balance.room import short_of_room
from reseat.model import BoolArray, BrokerState, ClusterLayout, Finding, LogDirectory, Longs, Plan, Severity
from reseat.model.arrays import newcomers, of_one_width, on_brokers, row_any
from reseat.model.wording import counted, listed, named, verb
from reseat.planning.preconditions import pinned_by_wish
from reseat.planning.rack_levels import regions

__all__ = ["with_cautions", "with_room"]

#: Partitions that a sentence names.
_NAMED = 6
#: Why a broker gets no replica, in words; of any other state that it is fenced or shutting down.
_DISK = "without one of its log directories"
_CLOSED = {BrokerState.DEAD: "dead", BrokerState.CORDONED: "cordoned"}


def with_cautions(plan: Plan, layout: ClusterLayout) -> Plan:
    """The same plan, with what is to be said first in its certificate.

    The layout is the one that was read; its rows are those of the plan.
    """
    unmovable, diversity = _unmovable(plan, layout), _diversity_lost(plan)
    back = _way_back(plan)
    said = (
        unmovable,
        incomplete(plan.current),
        racks_unknown(plan.current, plan.wish.remove),
        diversity,
        back,
        _held(plan, np.flatnonzero(pinned_by_wish(layout, plan.wish.options)), "pinned", "is pinned", "are pinned"),
        _cordoned(plan, layout),
        _observed(plan, layout),
        _disk_failed(plan),
    )
    certificate = replace(
        plan.certificate,
        gaps=plan.current.gaps,
        unknown_racks=() if said[2] is None else said[2].brokers,
        unmovable_partitions=0 if unmovable is None else len(unmovable.rows),
        rack_diversity_lost=None if not plan.current.racks else 0 if diversity is None else len(diversity.rows),
        way_back_waits_for=() if back is None else back.brokers,
        cautions=tuple(finding for finding in said if finding is not None),
    )
    return replace(plan, certificate=certificate)


def with_room(plan: Plan, directories: Iterable[LogDirectory]) -> Plan:
    """The same plan; where brokers have no room for what it brings them, its certificate says so before all else."""
    short = short_of_room(plan, directories)
    if short is None:
        return plan
    return replace(plan, certificate=replace(plan.certificate, cautions=(short, *plan.certificate.cautions)))


def _unmovable(plan: Plan, layout: ClusterLayout) -> Finding | None:
    """What the wish concerns and cannot move: left where it is, or planned all the same."""
    rows = _concerned(plan, without_live_copy(layout))
    if not rows.size:
        return None
    count = len(rows)
    which = listed(layout.name_of(int(row)) for row in rows[:_NAMED].tolist())
    if count > _NAMED:
        which = f"{which}; {count:,} in all"
    last = last_in_sync(layout, rows)
    back = named("broker", last) if last else "a broker of their ISR"
    if plan.wish.options.keep_unmovable:
        then = f"They are planned anyway, as requested, but do not move until {back} is back."
    else:
        them = verb(count, "it where it is", "them where they are")
        then = f"The plan leaves {them}. Bring {back} back."
    lack = f"{counted(count, 'partition has', 'partitions have')} no live in-sync replica and cannot be moved"
    said = f"{lack}: {which}. {then}"
    return Finding("unmovable", Severity.BROKEN, said, rows=rows.astype(np.int64), brokers=last)


def _cordoned(plan: Plan, layout: ClusterLayout) -> Finding | None:
    """Partitions that the wish concerns and that a cordon holds where they are."""
    wish = plan.wish
    frozen = frozen_by_cordon(layout, wish.remove)
    rows = np.flatnonzero(frozen) if wish.leaders_only or wish.add else _concerned(plan, frozen)
    ids = layout.broker_ids[layout.cordoned & ~layout.is_broker(wish.remove)].tolist()
    on = f"a replica on cordoned {named('broker', ids)}"
    return _held(plan, rows, "held_by_cordon", f"has {on}", f"have {on}")


def _observed(plan: Plan, layout: ClusterLayout) -> Finding | None:
    """Partitions with observers: those that the wish concerns stay; a plan of another tool may change some."""
    observed, wish = with_observers(layout), plan.wish
    changed = np.flatnonzero(observed & plan.changed)
    if changed.size:
        them = f"{counted(len(changed), 'partition')} with observers {verb(len(changed), 'changes', 'change')}"
        said = f"{them}: a reassignment that names no observers makes them ordinary replicas, which may lead."
        return Finding("observers_not_named", Severity.ATTENTION, said, rows=changed.astype(np.int64))
    rows = np.flatnonzero(observed) if wish.leaders_only or wish.add else _concerned(plan, observed)
    return _held(plan, rows, "held_by_observers", "has observers", "have observers")


def _disk_failed(plan: Plan) -> Finding | None:
    """Brokers that stay, serve with a log directory offline, and get nothing for that reason."""
    left_out = [b for b in plan.current.brokers if b.offline_dirs and b.id not in plan.wish.remove]
    if not left_out or not plan.certificate.moves:
        return None
    ids = tuple(b.id for b in left_out)
    where = listed(f"{path} of broker {b.id}" for b in left_out for path in b.offline_dirs)
    nothing, are = verb(len(ids), "The broker receives", "These brokers receive"), verb(len(ids), "is", "are")
    said = f"Offline: log directory {where}. {nothing} nothing and {are} not counted in the balance."
    return Finding("disk_failed", Severity.ATTENTION, said, brokers=ids)


def _held(plan: Plan, rows: Longs, kind: str, one: str, many: str) -> Finding | None:
    """Partitions (n,) that keep their lists, why (of one, of many), and whether a broker that leaves holds some."""
    if not rows.size:
        return None
    keeps = verb(len(rows), f"{one} and keeps its replica list", f"{many} and keep their replica lists")
    sentence = f"{counted(len(rows), 'partition')} {keeps}"
    leaving = plan.current.is_broker(plan.wish.remove)
    stays = on_brokers(plan.current.replicas[rows], leaving)
    ids = tuple(np.unique(plan.current.replica_ids[rows][stays]).tolist())
    if not ids:
        severity = Severity.NOTE if kind == "pinned" else Severity.ATTENTION
        return Finding(kind, severity, f"{sentence}.", rows=rows.astype(np.int64))
    stay = counted(int(stays.sum()), "replica stays", "replicas stay")
    drained = f"{verb(len(ids), 'is', 'are')} not drained completely"
    said = f"{sentence}: {stay} on {named('broker', ids)}, which {drained}."
    return Finding(kind, Severity.ATTENTION, said, rows=rows.astype(np.int64), brokers=ids)


def _concerned(plan: Plan, held: BoolArray) -> Longs:
    """(n,) partitions among ``held`` (P,) that move, or that the wish would move."""
    current, wish, rows = plan.current, plan.wish, np.flatnonzero(held)
    if not rows.size or wish.rebalance or wish.mend_racks or wish.mend:
        return rows
    leaving = current.is_broker(wish.remove)
    concerned = np.isin(rows, plan.moves.row) | row_any(on_brokers(current.replicas[rows], leaving))
    if wish.topics:
        other = current.replication_factor[rows] != wish.replication_factor
        concerned |= current.is_topic(wish.topics)[current.topic_of[rows]] & other
    return rows[concerned]


def _diversity_lost(plan: Plan) -> Finding | None:
    """Partitions with as many replicas on fewer racks, or on fewer regions of a level that is asked for."""
    if not plan.current.racks:
        return None
    rows = np.flatnonzero(plan.changed)
    rows = rows[row_any(newcomers(*of_one_width(plan.current.replica_ids[rows], plan.proposed.replica_ids[rows])))]
    current, after = plan.current, plan.proposed
    counts = (after.replication_factor >= current.replication_factor)[rows]
    found, fewer = np.zeros(len(rows), np.bool_), []
    levels = (regions(one, plan.wish.options) for one in (current, after))
    for what, pair in (("racks", (None, None)), *(("regions", pair) for pair in zip(*levels, strict=True))):
        before, now = distinct_racks(current, pair[0], rows), distinct_racks(after, pair[1], rows)
        if before is None or now is None:
            return None
        if (less := (now < before) & counts).any():
            found |= less
            fewer.append(what)
    lost = rows[found]
    if not lost.size:
        return None
    topics = plan.current.topics_at(lost)
    who = f"{counted(len(lost), 'partition')} of {counted(len(topics), 'topic')} {verb(len(lost), 'loses', 'lose')}"
    said = f"{who} rack diversity, on fewer {' or '.join(dict.fromkeys(fewer))} than now: {listed(topics)}."
    return Finding("rack_diversity_lost", Severity.ATTENTION, said, rows=lost.astype(np.int64), topics=topics)


def _way_back(plan: Plan) -> Finding | None:
    """Replicas that the rollback would put back onto brokers that get none now, which the guard refuses."""
    closed = plan.current.broker_ids[~plan.current.receiving].tolist()
    why = {b.id: _CLOSED.get(b.state, "fenced or shutting down") for b in plan.current.brokers if b.id in closed}
    why |= {b.id: _DISK for b in plan.current.brokers if b.offline_dirs and b.state.up}
    if not why or plan.certificate.faults or not (held := np.isin(plan.moves.source, list(why))).any():
        return None
    count, ids = int(held.sum()), tuple(np.unique(plan.moves.source[held]).tolist())
    found = {why[broker] for broker in ids}
    then = ["alive"] * bool(found - {"cordoned", _DISK}) + ["not cordoned"] * ("cordoned" in found)
    until = " and ".join(then + ["complete"] * (_DISK in found))
    are, these = ("is", "this broker is") if len(ids) == 1 else ("are", "these brokers are")
    moves = f"The rollback moves {counted(count, 'replica')} back to {named('broker', ids)}"
    said = f"{moves}, which {are} {', '.join(sorted(found))}: it is refused until {these} {until}."
    rows = np.unique(plan.moves.row[held]).astype(np.int64)
    return Finding("way_back_waits", Severity.ATTENTION, said, rows=rows, brokers=ids)
