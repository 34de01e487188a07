"""The cluster today: racks, brokers and partitions, how even brokers are, and who holds what."""

from __future__ import annotations

import numpy as np

from reseat.balance import Spread, racks_in_words
from reseat.model.units import count, size
from reseat.model.wording import counted, verb
from reseat.report.carriers import brokers_of, rack_name, worst_first
from reseat.report.content import Bars, Chapter, ChapterKind, Column, Fact, Series, Table
from reseat.report.heat import maps_of
from reseat.report.matter import Matter, ReportChoices

__all__ = ["chapter"]


def chapter(matter: Matter, choices: ReportChoices) -> Chapter:
    """The chapter; every report has one."""
    layout, balance = matter.layout, matter.balance
    spread = balance.by_broker.replica_spread
    facts = [
        Fact("Brokers", count(len(layout.brokers)), racks_in_words(layout), len(layout.brokers)),
        Fact("Topics", count(len(layout.topics)), None, len(layout.topics)),
        Fact("Partitions", count(layout.partition_count), None, layout.partition_count),
        Fact("Replicas", count(layout.replica_count), None, layout.replica_count),
    ]
    if spread is not None:
        best = None if spread.least_possible is None else f"best possible: {spread.least_possible:,}"
        facts.append(Fact("Replica spread", counted(int(spread.spread), "replica"), best, spread.spread))
    stored = None if balance.by_broker.size_bytes is None else float(np.nansum(balance.by_broker.size_bytes))
    told = "" if balance.sizes_told == balance.replicas else f"of {balance.sizes_told:,} replicas"
    facts.append(
        Fact("Stored", size(stored), told or None if stored is not None else None, np.nan if stored is None else stored)
    )
    maps = maps_of(layout)
    figures = [_bars(matter)]
    heat = maps.heat(
        "today-heatmap",
        "Replicas by topic and broker, today",
        f"The brighter a cell, the more replicas; a column in one colour is an evenly balanced topic. A cell is "
        f"{maps.cell}.",
    )
    return Chapter(
        kind=ChapterKind.TODAY,
        name="The cluster today",
        heading=_heading(spread, balance.replicas),
        text=_text(matter),
        facts=tuple(facts),
        figures=(*figures, heat) if heat.values.size else tuple(figures),
        tables=_tables(matter),
        notes=(
            "A partition is a part of a topic; each of its copies, a replica, is on a different broker.",
            "A broker with more replicas does more work, and more is affected when it fails.",
        ),
    )


def _heading(spread: Spread | None, replicas: int) -> str:
    if not replicas:
        return "The cluster has no replicas."
    if spread is None:
        return "No broker is known to be alive."
    fullest, emptiest = f"{counted(int(spread.most), 'replica')}", count(spread.least)
    if spread.avoidable == 0:
        if spread.spread == 0:
            return f"Replicas are balanced: every live broker has {fullest}."
        return f"Replica balance is the best possible: {emptiest} to {fullest} per broker."
    if spread.least > 0 and spread.most >= 2 * spread.least:
        return (
            f"The fullest broker has {fullest}, the emptiest {emptiest}: "
            f"{spread.most / spread.least:.1f} times as many."
        )
    return f"The fullest broker has {fullest}, the emptiest {emptiest}."


def _text(matter: Matter) -> tuple[str, ...]:
    layout, balance = matter.layout, matter.balance
    spread = balance.by_broker.replica_spread
    said = []
    if spread is not None and balance.replicas:
        said.append(
            f"A live broker has {spread.mean:,.1f} replicas on average; the replica spread (max - min) is "
            f"{count(spread.spread)}" + (f" (best possible: {spread.least_possible:,})." if spread.avoidable else ".")
        )
    away = [broker for broker in layout.brokers if broker.state.unavailable]
    if away:
        states = ", ".join(f"broker {broker.id} is {broker.state.word}" for broker in away[:6])
        more = f", and {len(away) - 6:,} more are not alive" if len(away) > 6 else ""
        them = verb(len(away), "it", "them")
        said.append(f"{states[:1].upper()}{states[1:]}{more}. Averages and spreads do not count {them}.")
    if balance.by_broker.leaders is None:
        said.append("Leaders are unknown: the input does not include them.")
    elif balance.leader_told < balance.partitions:
        without = balance.partitions - balance.leader_told
        said.append(f"The leader of {counted(without, 'partition')} is unknown.")
    if balance.by_broker.size_bytes is None:
        said.append("Sizes are unknown: everything here is counted in replicas.")
    if matter.read_at is None:
        said.append("The snapshot time is unknown: the input does not include it.")
    return tuple(said)


def _bars(matter: Matter) -> Bars:
    layout, balance = matter.layout, matter.balance
    brokers = brokers_of(layout)
    held, leaders = brokers.counts(balance), brokers.leaders(balance)
    spread = balance.by_broker.replica_spread
    series: tuple[Series, ...] = (Series("replicas", held, "before"),)
    says = "The dashed line is the average of the live brokers."
    if leaders is not None and (leaders <= held).all():
        series = (Series("leads", leaders, "leader"), Series("follows", held - leaders, "stays"))
        says = f"Blue: partitions that the broker leads. Grey: followers. {says}"
    return Bars(
        slug="today-brokers",
        title="Replicas by broker",
        says=says,
        unit="replicas",
        names=brokers.names,
        what="broker",
        groups=brokers.groups,
        series=series,
        stacked=True,
        mean=None if spread is None else spread.mean,
        marked=brokers.marked if any(brokers.marked) else None,
    )


def _tables(matter: Matter) -> tuple[Table, ...]:
    layout, balance = matter.layout, matter.balance
    brokers = brokers_of(layout)
    states = {broker.id: broker.state.word for broker in layout.brokers}
    leaders, sizes = brokers.leaders(balance), brokers.sizes(balance)
    columns = [
        Column("Broker", brokers.names),
        *([] if brokers.groups is None else [Column("Rack", brokers.groups)]),
        Column("State", tuple(states[broker] for broker in brokers.ids.tolist())),
        Column("Replicas", brokers.counts(balance), "replicas"),
        *([] if leaders is None else [Column("Leaders", leaders, "leaders")]),
        *([] if sizes is None else [Column("Stored", sizes, "bytes")]),
    ]
    tables = [worst_first(Table("today-brokers", "Brokers", tuple(columns)), brokers.counts(balance))]
    if layout.racks:
        by = balance.by_rack
        of = [sum(broker.rack == name for broker in layout.brokers) for name in by.names]
        tables.append(
            Table(
                "today-racks",
                "Racks",
                (
                    Column("Rack", tuple(rack_name(None if name is None else str(name)) for name in by.names)),
                    Column("Brokers", np.array(of, np.float64), "brokers"),
                    Column("Replicas", by.replicas.astype(np.float64), "replicas"),
                    *([] if by.leaders is None else [Column("Leaders", by.leaders.astype(np.float64), "leaders")]),
                    *([] if by.size_bytes is None else [Column("Stored", by.size_bytes, "bytes")]),
                ),
            )
        )
    return tuple(tables)
