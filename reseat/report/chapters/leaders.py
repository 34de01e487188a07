"""Leaders: who leads today and afterwards, and what an election of the preferred leaders does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.balance.grid import broker_order
from reseat.election import ElectionPreview, Reason, leader_spread, preferred
from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.units import count
from reseat.model.wording import counted, verb
from reseat.report.content import Bars, Chapter, ChapterKind, Column, Fact, Series, Table
from reseat.report.matter import Matter, ReportChoices
from reseat.report.telling import arrow

__all__ = ["chapter"]


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None where neither leaders nor the order of replicas are told, or there is no partition."""
    layout = matter.start
    if not layout.partition_count or not ((layout.leader != NOT_TOLD).any() or layout.order_told.any()):
        return None
    preview = matter.election or preferred(layout, matter.mode)
    away = matter.wish.remove if matter.plan is not None else ()
    everyone = layout if matter.after is None else layout.with_brokers(matter.after.brokers)
    before, after = preview.leaders_before, preview.leaders_after
    joined = tuple(broker for broker, _ in matter.wish.add) if matter.plan is not None else ()
    spreads = leader_spread(everyone, before, joined), leader_spread(everyone, after, away)
    moved, elected = preview.while_moving, preview.by_election
    return Chapter(
        kind=ChapterKind.LEADERS,
        name="Leaders",
        heading=_heading(preview, moved, elected, spreads),
        text=_text(preview, choices),
        facts=_facts(preview, moved, elected, spreads),
        figures=(_bars(preview, everyone, away, joined),),
        tables=tuple(one for one in (_table(preview, everyone), _changes(preview, layout)) if one is not None),
        notes=(
            "Only a partition's leader serves writes and, by default, reads; so the load follows the leaders.",
            "Clients reconnect briefly when a leader changes; no data is copied for it.",
        ),
    )


def _heading(preview: ElectionPreview, moved: int | None, elected: int, spreads: tuple[int | None, int | None]) -> str:
    before, after = spreads
    if preview.leaders_before is None:
        return "Current leaders are unknown; after an election the first replica of each list would lead."
    how = "stays" if before == after else "falls" if (before or 0) > (after or 0) else "rises"
    apart = (
        ""
        if before is None or after is None
        else (
            f"; the leader spread (max - min per broker) {how} "
            f"{f'at {after:,}' if how == 'stays' else f'from {before:,} to {after:,}'}"
        )
    )
    if moved is None:
        if not elected:
            return f"A preferred leader election would change nothing{apart}."
        return f"A preferred leader election would change {counted(elected, 'leader')}{apart}."
    changed = int(np.count_nonzero(preview.changed))
    if not changed:
        return f"The change keeps every leader{apart}."
    return f"{counted(changed, 'partition')} {verb(changed, 'has', 'have')} another leader afterwards{apart}."


def _text(preview: ElectionPreview, choices: ReportChoices) -> tuple[str, ...]:
    if choices.audience == "operators":
        of_all = "Counted for an election of all partitions; the plan's election file lists only the plan's partitions."
        return preview.sentences if preview.leader_done is None else (*preview.sentences, of_all)
    plain = (
        "Each partition has one leader, the broker that clients write to. A leader change interrupts clients briefly "
        "and copies no data."
    )
    return (plain, *preview.sentences)


def _facts(
    preview: ElectionPreview, moved: int | None, elected: int, spreads: tuple[int | None, int | None]
) -> tuple[Fact, ...]:
    facts = []
    if moved is not None:
        facts.append(
            Fact("Leaders change while data moves", count(moved), "because the old leader loses its replica", moved)
        )
    facts.append(Fact("An election changes", count(elected), "leaders, no data", elected))
    before, after = spreads
    if after is not None:
        shown = arrow(before, after) if before is not None else f"{count(after)} afterwards"
        facts.append(Fact("Leader spread", shown, "max - min per broker", after))
    without = int(np.count_nonzero(preview.leader_after == NONE))
    facts.append(Fact("Without a leader afterwards", count(without), "partitions", without))
    stay = sum(
        number
        for reason, number in preview.counts().items()
        if reason in (Reason.PREFERRED_NOT_ALIVE, Reason.PREFERRED_NOT_IN_SYNC, Reason.PREFERRED_IS_OBSERVER)
    )
    facts.append(Fact("Preferred leader not eligible", count(stay), "not alive or out of sync", stay))
    return tuple(facts)


def _bars(preview: ElectionPreview, layout: ClusterLayout, away: tuple[int, ...], joined: tuple[int, ...]) -> Bars:
    ids = broker_order(layout)
    at = np.searchsorted(layout.broker_ids, ids)
    place = np.searchsorted(preview.broker_ids, ids)
    after = preview.leaders_after[place].astype(np.float64)
    before = preview.leaders_before
    was = np.full(len(ids), np.nan) if before is None else before[place].astype(np.float64)
    there = ~np.isin(ids, np.array(joined, np.int64))
    stay = ~np.isin(ids, np.array(away, np.int64))
    racks = tuple(layout.brokers[one].rack for one in at.tolist())
    planned = preview.leader_done is not None
    return Bars(
        slug="leaders",
        title=f"Leaders by broker, {'before the change and after it' if planned else 'today and after an election'}",
        says=_says(was[there], after, stay),
        unit="leaders",
        names=tuple(str(broker) for broker in ids.tolist()),
        what="broker",
        groups=racks if any(racks) else None,
        series=(Series("before" if planned else "today", was, "before"), Series("after an election", after, "after")),
        mean=float(after[stay].mean()) if stay.any() else None,
        marked=tuple("drained" if broker in away else None for broker in ids.tolist()) if away else None,
    )


def _says(was: FloatArray, after: FloatArray, stay: BoolArray) -> str:
    if not stay.any():
        return "No broker remains to lead."
    then = f"{_between(after[stay])} each afterwards"
    if np.isnan(was).all():
        return f"Brokers lead {then}; current leaders are unknown."
    return f"Brokers lead {_between(was)} partitions each today, {then}."


def _between(values: FloatArray) -> str:
    """The least and the most of some counts."""
    least, most = count(values.min()), count(values.max())
    return least if least == most else f"{least} to {most}"


def _table(preview: ElectionPreview, layout: ClusterLayout) -> Table:
    ids = broker_order(layout)
    at = np.searchsorted(layout.broker_ids, ids)
    place = np.searchsorted(preview.broker_ids, ids)

    def of(counts: Longs | None) -> FloatArray:
        return np.full(len(ids), np.nan) if counts is None else counts[place].astype(np.float64)

    columns = [
        Column("Broker", ids),
        *([Column("Rack", [layout.brokers[one].rack for one in at.tolist()])] if layout.racks else []),
        Column("Leaders today", of(preview.leaders_before), "leaders"),
    ]
    if preview.leaders_done is not None:
        columns.append(Column("Once data has moved", of(preview.leaders_done), "leaders"))
    columns.append(Column("After an election", of(preview.leaders_after), "leaders"))
    return Table("leaders", "Leaders by broker", tuple(columns))


def _changes(preview: ElectionPreview, layout: ClusterLayout) -> Table | None:
    """Every partition that is led by another broker afterwards."""
    before, after = preview.leader_before, preview.leader_after
    rows = np.flatnonzero((before != after) & (before != NOT_TOLD))
    if not rows.size:
        return None
    topics = np.array(layout.topics, object)
    columns = [
        Column("Topic", topics[layout.topic_of[rows]]),
        Column("Partition", layout.partition[rows]),
        Column("Leader today", _ids(before[rows])),
    ]
    if preview.leader_done is not None:
        columns.append(Column("Once data has moved", _ids(preview.leader_done[rows])))
    columns.append(Column("After an election", _ids(after[rows])))
    return Table("leader-changes", "Partitions with another leader afterwards", tuple(columns), shown=20)


def _ids(leaders: IntArray) -> npt.NDArray[np.generic]:
    """Broker ids as they are written, nobody and not told in words."""
    if (leaders >= 0).all():
        return leaders
    shown = leaders.astype(object)
    shown[leaders == NONE] = "none"
    shown[leaders == NOT_TOLD] = "unknown"
    return shown
