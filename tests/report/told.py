"""Reports with every kind of figure, made without a cluster, so that a writer is judged by what it is given alone."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from reseat.report.content import (
    Bars,
    Chapter,
    ChapterKind,
    Column,
    Draws,
    Fact,
    Heat,
    Light,
    Lines,
    Report,
    Series,
    Table,
)

__all__ = ["HOSTILE", "told"]

#: Names that mean something to a format: HTML, a formula, typst, direction marks, XML's illegal characters.
HOSTILE = (
    '</script><b>"bold"',
    '=HYPERLINK("http://x","y")',
    "#let x = 1 $a$ *b* _c_ @d",
    "turned\u202eround",
    "+1-2",
    "-3",
    "@SUM(A1)",
    "订单-events",
    "طلبات",
    "bell\x07\x00end",
    "lone\ud800half",
    "a" * 249,
)


def told(brokers: int = 9, rows: int = 60, *, names: tuple[str, ...] = (), **other: object) -> Report:
    """A report of four chapters.

    Args:
        brokers: how many carriers its charts have.
        rows: of the appendix' table.
        names: put into every place where a name can stand, beside the plain ones.
        other: fields of the report that differ.
    """
    carriers = (*names, *(str(number) for number in range(1, brokers + 1 - len(names))))
    draw = np.random.default_rng(4)
    was = draw.integers(100, 200, brokers).astype(np.float64)
    comes = draw.integers(0, 30, brokers).astype(np.float64)
    comes[-1] = np.nan
    racks = tuple(f"rack-{'abc'[at % 3]}" for at in range(brokers))
    bars = Bars(
        slug="brokers",
        title="Replicas by broker",
        says="No broker has more than 210 replicas.",
        unit="replicas",
        names=carriers,
        what="broker",
        groups=tuple(sorted(racks)),
        series=(
            Series("stays", was, "stays"),
            Series("comes", comes, "comes"),
            Series("goes", np.where(np.arange(brokers) == 3, 20.0, 0.0), "goes"),
        ),
        stacked=True,
        mean=160.0,
        marked=tuple("leaves" if at == 3 else None for at in range(brokers)),
    )
    beside = Bars(
        slug="cost",
        title="Bytes before and after",
        says="Bytes are spread as they were.",
        unit="bytes",
        names=carriers[:6],
        what="broker",
        series=(Series("before", was[:6] * 1e9, "before"), Series("after", was[:6] * 1.1e9, "after")),
    )
    lines = Lines(
        slug="curve",
        title="What more moves buy",
        says="After 80 moves the spread falls no further.",
        unit="replicas",
        x=np.array([0.0, 40.0, 80.0, 120.0]),
        x_name="replica moves",
        series=(Series("spread", np.array([144.0, 60.0, 12.0, 12.0]), "plan"),),
        marked=80.0,
    )
    days = Lines(
        slug="days",
        title="Partitions by day",
        says="Partitions grew by 40.",
        unit="partitions",
        x=np.arange("2026-01-01", "2026-01-09", dtype="datetime64[D]").astype("datetime64[s]"),
        x_name="day",
        series=(
            Series("partitions", np.array([300.0, 300, 310, np.nan, 320, 330, 340, 340]), "plan"),
            Series("replicas out of sync", np.array([0.0, 0, 4, 2, 0, 0, 0, 1]), "broken"),
        ),
        events=((float(np.datetime64("2026-01-04T00:00:00", "s").astype(np.int64)), "broker 7 went down"),),
    )
    heat = Heat(
        slug="heat",
        title="Replicas by broker and topic",
        says="One topic stands on two brokers alone.",
        unit="replicas",
        rows=carriers[:8],
        groups=racks[:8],
        columns=tuple(f"topic-{number}" for number in range(12)),
        column_name="topic",
        values=draw.integers(0, 9, (len(carriers[:8]), 12)).astype(np.float64),
        top=9.0,
    )
    draws = Draws(
        slug="generate",
        title="Moves beside Kafka's own tool",
        says="The plan moves 84 replicas; the tool moves 300 or more.",
        unit="moves",
        names=("kafka-reassign-partitions", *names[:1]),
        draws=(np.array([310.0, 305, 330, 322]), *(np.array([280.0, 290]) for _ in names[:1])),
        own=84.0,
        own_name="this plan",
    )
    table = Table(
        "moves",
        "Every move",
        (
            Column("Topic", tuple((*names, *(f"topic-{number}" for number in range(rows)))[:rows])),
            Column("Partition", np.arange(rows)),
            Column("Bytes", np.where(np.arange(rows) == 1, np.nan, np.arange(rows) * 1e9), "bytes"),
            Column("Rack", tuple(None if at == 2 else racks[at % brokers] for at in range(rows))),
        ),
        shown=50,
    )
    chapters = (
        Chapter(
            kind=ChapterKind.SUMMARY,
            name="Summary",
            heading="Broker 4 leaves: 84 replicas move. No plan can move fewer. Proven.",
            text=("The first sentence.", *names, "The last sentence."),
            facts=(
                Fact("Brokers", str(brokers), value=brokers),
                Fact("Replicas move", "84", "proven least", 84, Light.GREEN),
                Fact("Data to copy", "84 MB", None, 84e6),
                Fact("Hours", "unknown", "no throttle is chosen", light=Light.AMBER),
                Fact("At risk", "12", None, 12, Light.RED),
            ),
            light=Light.AMBER,
            rule="Amber: something deserves attention.",
            notes=("Say this first.", *names),
        ),
        Chapter(
            kind=ChapterKind.CHANGE,
            name="The change",
            heading="84 replicas move.",
            text=("What moves, and what does not.",),
            facts=(Fact("Replicas move", "84"), *(Fact(name, name, name) for name in names[:5])),
            figures=(bars, heat),
            tables=(Table("brokers", "Replicas by broker", (Column("Broker", carriers), Column("Before", was))),),
            notes=("Grey stays.",),
        ),
        Chapter(
            kind=ChapterKind.WHY,
            name="Why this plan",
            heading="It moves the least.",
            figures=(draws, lines),
        ),
        Chapter(
            kind=ChapterKind.TIME,
            name="Over time",
            heading="It was not always so.",
            figures=(days, beside),
        ),
        Chapter(kind=ChapterKind.APPENDIX, name="Appendix", heading="Every move.", tables=(table,)),
    )
    given: dict[str, object] = {
        "title": "Orders: broker 4 leaves",
        "subtitle": "orders, broker 4 leaves",
        "author": "Platform team",
        "made_at": datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
        "read_at": datetime(2026, 3, 2, 7, 30, tzinfo=UTC),
        "warnings": ("The cluster was read 2 h before this report was made; it may have changed.", *names),
        "chapters": chapters,
    }
    return Report(**{**given, **other})  # type: ignore[arg-type]
