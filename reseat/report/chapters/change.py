"""The change: what moves, and brokers, racks and heatmap before and after on one scale."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from reseat.model import FloatArray
from reseat.model.plan import topic_spread
from reseat.model.units import count, signed
from reseat.model.wording import capital, counted, doing, verb
from reseat.report.carriers import Carriers, brokers_of, busiest, rack_name, worst_first
from reseat.report.content import Bars, Chapter, ChapterKind, Column, Fact, Figure, Series, Table
from reseat.report.heat import maps_of
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import copied, data_to_copy, spread_of

__all__ = ["chapter"]

_SAYS = "Grey stays, sky blue is added, hatched is removed"


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None where nothing is planned, or the plan is faulty."""
    plan, after, layout_after = matter.plan, matter.balance_after, matter.after
    if plan is None or after is None or layout_after is None or plan.certificate.faults:
        return None
    brokers = brokers_of(plan.current, plan)
    was, then = brokers.counts(matter.balance_start), brokers.counts(after)
    made = plan.certificate
    figures: list[Figure] = [_by_broker(matter, brokers, was, then)]
    racks = _by_rack(matter)
    if racks is not None:
        figures.append(racks)
    maps = maps_of(plan.current, layout_after)
    if maps.before.size:
        cell = f"A cell is {maps.cell}."
        figures += [
            maps.heat(
                "heatmap-before",
                "Replicas by topic and broker, before",
                f"The scale is the same before and after. {cell}",
            ),
            maps.heat_after(
                "heatmap-after",
                "Replicas by topic and broker, after",
                f"The scale is the same before and after. {cell}",
            ),
            maps.heat_change(
                "heatmap-change",
                "Replicas added and removed",
                f"{counted(maps.changed, 'cell')} of {maps.before.size:,} {_differ(maps.changed)}; white is unchanged.",
            ),
        ]
    return Chapter(
        kind=ChapterKind.CHANGE,
        name="The change",
        heading=_heading(matter, was, then),
        text=_text(matter),
        facts=(
            Fact("Replicas to copy", count(made.moves), None, made.moves),
            *([] if matter.copying is None else [data_to_copy(matter.copying.whole)]),
            Fact("Partitions changed", count(made.changed_partitions), None, made.changed_partitions),
            *_spreads(matter),
        ),
        figures=tuple(figures),
        tables=_tables(matter, brokers, was, then),
        notes=(
            "A replica moves by copying: the new broker copies the partition from its leader, and only then does the "
            "old broker delete its own.",
            "Producers and consumers keep running.",
        ),
    )


def _differ(cells: int) -> str:
    return verb(cells, "differs", "differ")


def _heading(matter: Matter, was: FloatArray, then: FloatArray) -> str:
    if matter.plan is None or not matter.plan.changed.any():
        return "Nothing changes."
    gains, gives = int((then > was).sum()), int((then < was).sum())
    asked = capital(doing(matter.wish))
    moves = matter.plan.moves
    dropped = int((moves.target < 0).sum())
    if not matter.plan.certificate.moves:
        if dropped:
            return f"{asked} removes {counted(dropped, 'replica')} from {counted(gives, 'broker')} and copies nothing."
        return f"{asked} changes the order of {counted(int(matter.plan.changed.sum()), 'replica list')} only."
    alone = bool(matter.wish.remove) and bool(np.isin(moves.source, matter.wish.remove).all())
    nothing_else = ", and nothing else moves" if alone else ""
    where = f"onto {counted(gains, 'broker')}" if gains else "with no broker holding more than before"
    return f"{asked} copies {copied(matter)} {where}{nothing_else}."


def _text(matter: Matter) -> tuple[str, ...]:
    if matter.plan is None:
        return ()
    plan, said = matter.plan, []
    unchanged = plan.current.partition_count - plan.certificate.changed_partitions
    said.append(f"{counted(unchanged, 'partition')} of {plan.current.partition_count:,} do not change.")
    if matter.layout.under_way.any():  # a plan for brokers that join has another layout too
        said.append("Before: the layout once the reassignments in progress are complete.")
    spread = spread_of(matter, after=True)
    start = spread_of(matter, after=False)
    if not math.isnan(spread) and not math.isnan(start):
        said.append(f"The replica spread (max - min per broker) goes from {count(start)} to {count(spread)}.")
    widest = topic_spread(plan, plan.current)
    if widest is not None:
        after = count(topic_spread(plan, plan.proposed))
        said.append(f"The topic spread (the largest of one topic's replicas) goes from {widest:,} to {after}.")
    return tuple(said)


def _spreads(matter: Matter) -> tuple[Fact, ...]:
    if matter.plan is None:
        return ()
    made = matter.plan.certificate
    facts = []
    start, then = spread_of(matter, after=False), spread_of(matter, after=True)
    if not math.isnan(then):
        before = "unknown" if math.isnan(start) else count(start)
        facts.append(Fact("Replica spread", f"{before} to {counted(int(then), 'replica')}", None, then))
    widest, after = (topic_spread(matter.plan, layout) for layout in (matter.plan.current, matter.plan.proposed))
    if widest is not None and after is not None:
        facts.append(Fact("Topic spread", f"{widest:,} to {counted(after, 'replica')}", None, after))
    if made.rack_violations_before is not None and made.rack_violations_after is not None:
        facts.append(
            Fact(
                "Partitions without rack diversity",
                f"{made.rack_violations_before:,} to {made.rack_violations_after:,}",
                None,
                made.rack_violations_after,
            )
        )
    return tuple(facts)


def _split(was: FloatArray, comes: FloatArray, goes: FloatArray) -> tuple[Series, ...]:
    """What stays, is added, is removed: before is what stays and is removed, after what stays and is added."""
    return (Series("stays", was - goes, "stays"), Series("added", comes, "comes"), Series("removed", goes, "goes"))


def _flows(matter: Matter, brokers: Carriers) -> tuple[FloatArray, FloatArray]:
    """(n,) replicas that come to each broker, and (n,) that go from it."""
    if matter.plan is None:
        return np.zeros(len(brokers.ids)), np.zeros(len(brokers.ids))
    moves = matter.plan.moves
    order = np.argsort(brokers.ids)
    ascending = brokers.ids[order]

    def by_broker(ids: npt.NDArray[np.integer]) -> FloatArray:
        held = np.zeros(len(ascending))
        held[order] = np.bincount(np.searchsorted(ascending, ids[ids >= 0]), minlength=len(ascending))
        return held

    return by_broker(moves.target), by_broker(moves.source)


def _by_broker(matter: Matter, brokers: Carriers, was: FloatArray, then: FloatArray) -> Bars:
    after = matter.balance_after
    spread = None if after is None else after.by_broker.replica_spread
    change = then - was
    most = int(change.argmax()) if change.size else 0
    says = f"{_SAYS}; the dashed line is the average afterwards."
    if change.size and change[most] > 0:
        says = f"{says} Broker {brokers.names[most]} gains the most: {signed(change[most])}."
    comes, goes = _flows(matter, brokers)
    figure = Bars(
        slug="brokers",
        title="Replicas by broker, before and after",
        says=says,
        unit="replicas",
        names=brokers.names,
        what="broker",
        groups=brokers.groups,
        series=_split(was, comes, goes),
        stacked=True,
        mean=None if spread is None else spread.mean,
        marked=brokers.marked if any(brokers.marked) else None,
    )
    return busiest(figure, comes + goes, "that change most") if (comes + goes).any() else figure


def _rack_counts(matter: Matter) -> tuple[tuple[str, ...], FloatArray, FloatArray] | None:
    """The racks' names and their replicas before and after; None where no broker has a rack."""
    before, after = matter.balance_start.by_rack, matter.balance_after
    if after is None or not matter.start.racks:
        return None
    held = dict(zip(after.by_rack.names, after.by_rack.replicas.tolist(), strict=True))
    names = tuple(rack_name(None if name is None else str(name)) for name in before.names)
    then = np.array([held.get(name, 0) for name in before.names], np.float64)
    return names, before.replicas.astype(np.float64), then


def _by_rack(matter: Matter) -> Bars | None:
    counts = _rack_counts(matter)
    if counts is None:
        return None
    names, was, then = counts
    same = bool((was == then).all())
    return Bars(
        slug="racks",
        title="Replicas by rack, before and after",
        says=f"{_SAYS} (net)." if not same else "Every rack has as many replicas as before.",
        unit="replicas",
        names=names,
        what="rack",
        series=_split(was, np.maximum(then - was, 0), np.maximum(was - then, 0)),
        stacked=True,
    )


def _tables(matter: Matter, brokers: Carriers, was: FloatArray, then: FloatArray) -> tuple[Table, ...]:
    columns = [
        Column("Broker", brokers.names),
        *([] if brokers.groups is None else [Column("Rack", brokers.groups)]),
        Column("Before", was, "replicas"),
        Column("After", then, "replicas"),
        Column("Change", then - was, "replicas"),
    ]
    if any(brokers.marked):
        columns.append(Column("Note", brokers.marked))
    tables = [worst_first(Table("brokers", "Replicas by broker", tuple(columns)), np.abs(then - was))]
    counts = _rack_counts(matter)
    if counts is not None:
        names, before, after = counts
        tables.append(
            Table(
                "racks",
                "Replicas by rack",
                (
                    Column("Rack", names),
                    Column("Before", before, "replicas"),
                    Column("After", after, "replicas"),
                    Column("Change", after - before, "replicas"),
                ),
            )
        )
    return tuple(tables)
