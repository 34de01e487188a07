"""Risk: what the next loss of a broker, a rack or a pair would take, before and after."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model import ClusterLayout, FloatArray
from reseat.model.units import count
from reseat.model.wording import counted
from reseat.report.content import Bars, Chapter, ChapterKind, Column, Fact, Light, Role, Series, Table, Unit
from reseat.report.losses import LossGroup, LossSummary, losses_of
from reseat.report.matter import Matter, ReportChoices
from reseat.report.telling import arrow
from reseat.resilience.words import MEASURES, WORDS, LossMeasure, answer, chance, loss_in_words, who

__all__ = ["chapter"]

#: Bars of the worst brokers or racks that a figure has.
_MOST_BARS = 12
_PLAIN: dict[LossMeasure, str] = {
    "offline_partitions": "cannot be read or written",
    "below_min_isr": "reject writes that need every in-sync replica (acks=all)",
    "leaders_moved": "fail over to another broker, after a short pause",
}


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None for a layout without a broker or a partition."""
    layout = matter.layout
    if not layout.brokers or not layout.partition_count:
        return None
    mode = matter.mode
    before = losses_of(layout, mode)
    after = None if matter.after is None else losses_of(matter.after, mode)
    measure = _first_telling(before, after)
    everyone = (*layout.brokers, *(() if matter.after is None else matter.after.brokers))
    rack_of = {broker.id: broker.rack for broker in everyone}
    already = before.already, {} if after is None else after.already
    figures, tables = [], []
    kinds = {"broker": (before.brokers, None if after is None else after.brokers)}
    if before.racks is not None or (after is not None and after.racks is not None):
        none = LossGroup((), {})
        kinds["rack"] = before.racks or none, None if after is None else after.racks or none
    for kind, groups in kinds.items():
        figures.append(_bars(kind, measure, groups, already, rack_of))
        tables.append(_table(kind, *groups, rack_of))
    if before.pairs is not None:
        tables.append(_pairs(before, after))
    heading = answer(before.worst)
    text = []
    if after is not None:
        then = answer(after.worst)
        text.append("Afterwards the same is true." if then == heading else f"Afterwards: {then}")
    if choices.audience == "management":
        text.append(_in_plain_words(before))
    text.append(
        "This assumes a sudden failure and no unclean election: a partition goes offline when no in-sync replica is "
        "left. How likely a broker is to fail is not part of it."
    )
    return Chapter(
        kind=ChapterKind.RISK,
        name="Risk",
        heading=heading,
        text=(*text, *_inferred(before, layout)),
        facts=_facts(before, after),
        figures=tuple(figures),
        tables=tuple(tables),
        notes=(
            f"The bars show the worst losses by {WORDS[measure].many}, before and after on one scale.",
            "A failure is sudden and complete; a planned stop can be prepared and affects less.",
        ),
    )


def _first_telling(before: LossSummary, after: LossSummary | None) -> LossMeasure:
    """The worst measure by which some single loss does anything."""
    both = [before] if after is None else [before, after]
    for measure in MEASURES:
        if any(measure in group for losses in both for group in (losses.worst.broker, losses.worst.rack)):
            return measure
    return MEASURES[0]


def _beside(
    measure: LossMeasure, before: LossGroup, after: LossGroup | None
) -> tuple[list[int | str], FloatArray, FloatArray | None]:
    """Names of both, values before and after; NaN where one of them does not have it or does not tell."""
    names: list[int | str] = sorted({*before.names, *(() if after is None else after.names)}, key=_order)

    def of(group: LossGroup) -> FloatArray:
        column = group.by.get(measure)
        told = {} if column is None else dict(zip(group.names, column.tolist(), strict=True))
        return np.array([told.get(name, np.nan) for name in names], np.float64)

    return names, of(before), None if after is None else of(after)


def _order(name: int | str) -> tuple[int, str]:
    return (name, "") if isinstance(name, int) else (-1, name)


def _bars(
    kind: str,
    measure: LossMeasure,
    groups: tuple[LossGroup, LossGroup | None],
    already: tuple[dict[LossMeasure, int], dict[LossMeasure, int]],
    racks: dict[int, str | None],
) -> Bars:
    before, after = groups
    names, was, then = _beside(measure, before, after)
    both = was if then is None else np.fmax(was, then)
    worst = np.argsort(-np.nan_to_num(both), kind="stable")[:_MOST_BARS]
    role: Role = "broken" if measure == "offline_partitions" else "attention"
    role = "leader" if measure == "leaders_moved" else role
    shown = [names[at] for at in worst.tolist()]
    gone = () if after is None else set(before.names) - set(after.names)
    what = WORDS[measure].many
    left_out = len(names) - len(shown)
    says = (
        f"No {kind} failure causes {what}." if not shown else f"Failure of any single {kind}: no {WORDS[measure].one}."
    )
    if then is not None:
        # Whoever leaves or has not joined holds nothing: losing it takes no more than what is so already.
        told_was, told_then = set(before.names), set(() if after is None else after.names)
        was = np.where([name in told_was for name in names], was, already[0].get(measure, 0))
        then = np.where([name in told_then for name in names], then, already[1].get(measure, 0))
    series = (
        (Series("today", was[worst], role),)
        if then is None
        else (Series("before", was[worst], "before"), Series("after", then[worst], "after"))
    )
    if shown and np.nan_to_num(both[worst[0]]) > 0:
        most = loss_in_words(measure, int(both[worst[0]]))
        name = who(kind, (first,), None) if isinstance(first := shown[0], int) else who(kind, (), first)
        when = "" if then is None else " before or after"
        drawn = f" The chart shows the worst {len(shown)} of {counted(len(names), kind)}." if left_out else ""
        says = f"The worst failure is {name}: {most}{when}.{drawn}"
    return Bars(
        slug=f"loss-{kind}s",
        title=f"{what[:1].upper()}{what[1:]} if one {kind} fails{'' if after is None else ', before and after'}",
        says=says,
        unit="leaders" if measure == "leaders_moved" else "partitions",
        names=tuple(str(name) for name in shown),
        what=kind,
        groups=tuple(racks.get(name) if isinstance(name, int) else None for name in shown)
        if kind == "broker" and any(racks.values())
        else None,
        series=series,
        marked=tuple("drained" if name in gone else None for name in shown),
    )


def _table(kind: str, before: LossGroup, after: LossGroup | None, racks: dict[int, str | None]) -> Table:
    columns: list[Column] = []
    rank: list[FloatArray] = []
    for measure in MEASURES:
        if measure not in before.by and (after is None or measure not in after.by):
            continue
        names, was, then = _beside(measure, before, after)
        unit: Unit = "leaders" if measure == "leaders_moved" else "partitions"
        label = WORDS[measure].label
        if then is None:
            columns.append(Column(label, was, unit))
        else:
            columns += [
                Column(f"{label} before", _or_empty(was, names, before), unit),
                Column(f"{label} after", _or_empty(then, names, after), unit),
            ]
        rank.append(np.nan_to_num(was if then is None else np.fmax(was, then)))
    names, _, _ = _beside("offline_partitions", before, after)
    order = np.lexsort(tuple(-column for column in reversed(rank))) if rank else np.arange(len(names))
    head = [Column(kind.capitalize(), _array([names[at] for at in order.tolist()]))]
    if kind == "broker" and any(racks.values()):
        head.append(Column("Rack", [racks.get(int(names[at])) for at in order.tolist()]))
    body = tuple(Column(column.name, np.asarray(column.values)[order], column.unit) for column in columns)
    return Table(f"loss-{kind}s", f"What losing one {kind} would take", (*head, *body))


def _array(names: list[int | str]) -> npt.NDArray[np.generic] | list[str | None]:
    return np.array(names, np.int64) if names and isinstance(names[0], int) else [str(name) for name in names]


def _or_empty(values: FloatArray, names: list[int | str], group: LossGroup | None) -> npt.NDArray[np.generic]:
    """Values; an empty cell where the broker or rack is not there, which is not the same as not told."""
    there = set(() if group is None else group.names)
    if all(name in there for name in names):
        return values
    return np.array(
        [value if name in there else None for name, value in zip(names, values.tolist(), strict=True)], object
    )


def _pairs(before: LossSummary, after: LossSummary | None) -> Table:
    rows = [("before" if after is not None else "today", one) for one in before.pairs or ()]
    rows += [] if after is None else [("after", one) for one in after.pairs or ()]
    columns = [
        Column("When", [when for when, _ in rows]),
        Column("Brokers", [f"{one.brokers[0]} and {one.brokers[1]}" for _, one in rows]),
        Column("Offline", np.array([one.offline_partitions for _, one in rows], np.int64), "partitions"),
    ]
    if any(one.below_min_isr is not None for _, one in rows):
        below = [np.nan if one.below_min_isr is None else one.below_min_isr for _, one in rows]
        columns.append(Column("Below min ISR", np.array(below, np.float64), "partitions"))
    return Table("loss-pairs", "The worst pairs of brokers to lose together", tuple(columns), shown=20)


def _facts(before: LossSummary, after: LossSummary | None) -> tuple[Fact, ...]:
    facts = []
    for kind, label in (("broker", "Worst single broker"), ("rack", "Worst single rack"), ("pair", "Worst pair")):
        was, then = _most(before, kind), None if after is None else _most(after, kind)
        if was is None:
            continue
        shown, value = arrow(was, then), float(was if then is None else then)
        facts.append(
            Fact(
                label,
                shown,
                "partitions offline",
                value,
                None if kind == "pair" else Light.RED if value else Light.GREEN,
            )
        )
    two = before.chance_two
    if two is not None:
        later = chance(two if after is None else after.chance_two)
        shown = chance(two) if later == chance(two) else f"{chance(two)} to {later}"
        facts.append(
            Fact(
                "P(data loss), 2 random brokers lost",
                shown,
                "all replicas of a partition lost",
                two if after is None else _number(after.chance_two),
            )
        )
    return tuple(facts)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _most(losses: LossSummary, kind: str) -> int | None:
    """Partitions offline after the worst loss of a kind, those that are offline already included."""
    if kind == "pair":
        return losses.pairs[0].offline_partitions if losses.pairs else None
    group = losses.brokers if kind == "broker" else losses.racks
    return None if group is None or not len(group.names) else int(group.by["offline_partitions"].max())


def _in_plain_words(losses: LossSummary) -> str:
    told = [measure for measure in MEASURES[:2] if measure in losses.brokers.by]
    said = "; ".join(f"{WORDS[measure].many} {_PLAIN[measure]}" for measure in told)
    return f"In plain words: {said}."


def _inferred(losses: LossSummary, layout: ClusterLayout) -> list[str]:
    """What is taken to be so because the source does not tell it."""
    said = []
    untold = layout.partition_count - int(np.count_nonzero(layout.in_sync_known))
    if untold:
        said.append(
            f"In-sync replicas are unknown for {count(untold)} of {counted(layout.partition_count, 'partition')}: all "
            "replicas are assumed to be in sync."
        )
    if "below_min_isr" not in losses.brokers.by:
        said.append("min.insync.replicas is unknown: nothing is counted as below it.")
    if losses.racks is None:
        said.append("Racks are unknown: only failures of brokers and of pairs are counted.")
    if losses.pairs is None and len(losses.brokers.names) > 1:
        said.append("There are too many pairs of brokers to count here.")
    return said
