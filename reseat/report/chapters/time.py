"""Over time: how even the cluster was, how large it grew, and what happened, from its history."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model.units import count, duration, size
from reseat.model.wording import counted, verb
from reseat.report.content import Chapter, ChapterKind, Column, Fact, Figure, Lines, Series, Table, Unit
from reseat.report.matter import Matter, ReportChoices, ReportPast
from reseat.report.telling import arrow

__all__ = ["chapter"]

#: Columns of the table ``snapshots`` that tell how even the brokers are, and what each counts; the first told is drawn.
_BALANCE: tuple[tuple[str, Unit], ...] = (("replica_spread", "replicas"), ("leader_spread", "leaders"))


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None without a history."""
    past = matter.past
    if past is None or not len(past.taken_at):
        return None
    figures = [one for one in (_balance(past), _size(past)) if one is not None]
    return Chapter(
        kind=ChapterKind.TIME,
        name="Over time",
        heading=_heading(past),
        text=_text(past),
        facts=_facts(past),
        figures=tuple(figures),
        tables=_tables(past),
        notes=(
            f"Each point is {'the largest value of several snapshots' if past.thinned else 'one snapshot'}; what was "
            "done and undone between two snapshots does not show.",
        ),
    )


def _heading(past: ReportPast) -> str:
    over = _over(past)
    if len(past.taken_at) == 1:
        return "The history has one snapshot; from the second on a report says what changed."
    spread = _ends(past, "replica_spread")
    grown = _ends(past, "size_bytes")
    said = []
    if spread is not None:
        before, after = spread
        how = (
            f"stayed at {count(after)}"
            if before == after
            else f"{'fell' if after < before else 'rose'} from {count(before)} to {count(after)}"
        )
        said.append(f"the replica spread (max − min) {how}")
    if grown is not None:
        before, after = grown
        said.append(
            f"the data changed from {size(before)} to {size(after)}" if before != after else "the data did not grow"
        )
    else:
        partitions = _ends(past, "partitions")
        if partitions is not None and partitions[0] != partitions[1]:
            said.append(f"the number of partitions changed from {count(partitions[0])} to {count(partitions[1])}")
    return f"In {over}, {' and '.join(said) or 'nothing that is known has changed'}."


def _over(past: ReportPast) -> str:
    seconds = float((past.taken_at[-1] - past.taken_at[0]) / np.timedelta64(1, "s"))
    return counted(round(seconds / 86_400), "day") if seconds >= 1.5 * 86_400 else duration(seconds)


def _ends(past: ReportPast, name: str) -> tuple[float, float] | None:
    """The first and the last value that is told."""
    column = past.series.get(name)
    if column is None:
        return None
    told = column[~np.isnan(column)]
    return (float(told[0]), float(told[-1])) if len(told) > 1 else None


def _text(past: ReportPast) -> tuple[str, ...]:
    said = []
    for name, words in (("offline", "without a leader"), ("under_replicated", "under-replicated")):
        column = past.series.get(name)
        if column is None or np.isnan(column).all():
            said.append(f"Which partitions were {words} is unknown.")
            continue
        at = int(np.nanargmax(column))
        most = int(column[at])
        if most:
            when = str(past.when_worst(name).astype("datetime64[m]")).replace("T", " ")
            said.append(f"At worst {counted(most, 'partition')} {verb(most, 'was', 'were')} {words} ({when} UTC).")
        elif np.isnan(column).any() or name in past.partly:
            said.append(f"No partition was {words} in the snapshots that include it.")
        else:
            said.append(f"No partition was {words} in any snapshot.")
    if not past.events and len(past.taken_at) > 1:
        down = past.series.get("brokers_down")
        known = down is None or not (np.isnan(down).any() or "brokers_down" in past.partly)
        said.append(
            "No broker went down or came up, and no large reassignment was seen."
            if known
            else "No large reassignment was seen. Whether brokers went down is unknown."
        )
    return tuple(said)


def _facts(past: ReportPast) -> tuple[Fact, ...]:
    facts = [
        Fact("Snapshots", count(past.snapshots or len(past.taken_at)), _over(past) if len(past.taken_at) > 1 else None)
    ]
    for name, label, unit in (
        ("brokers", "Brokers", None),
        ("partitions", "Partitions", None),
        ("size_bytes", "Data", "bytes"),
        ("replica_spread", "Replica spread", None),
    ):
        ends = _ends(past, name)
        if ends is None:
            continue
        before, after = ends
        shown = arrow(before, after)
        if unit == "bytes":
            shown = size(after) if before == after else f"{size(before)} to {size(after)}"
        facts.append(Fact(label, shown, "first to last" if before != after else "unchanged", after))
    return tuple(facts)


def _balance(past: ReportPast) -> Figure | None:
    for name, what in _BALANCE:
        column = past.series.get(name)
        if column is None or np.isnan(column).all():
            continue
        worst = int(np.nanargmax(column))
        when = str(past.when_worst(name).astype("datetime64[D]"))
        return _lines(
            past,
            slug="balance-over-time",
            title=f"{what[:-1].capitalize()} spread (max - min per broker)",
            says=f"Lower is better balanced; the spread was largest on {when}: {count(float(column[worst]))}.",
            unit=what,
            series=(Series(f"{what[:-1]} spread", column, "after"),),
        )
    return None


def _size(past: ReportPast) -> Figure | None:
    for name, what, unit in (("size_bytes", "Data held", "bytes"), ("partitions", "Partitions", "partitions")):
        column = past.series.get(name)
        if column is None or np.isnan(column).all():
            continue
        ends = _ends(past, name)
        written = size if unit == "bytes" else count
        first, last = (" that tells it" if np.isnan(column[end]) else "" for end in (0, -1))
        says = (
            f"{what}: {written(float(column[~np.isnan(column)][-1]))} in the last snapshot{last}"
            f"{'' if ends is None else f', {written(ends[0])} in the first{first}'}."
        )
        told: Unit = "bytes" if unit == "bytes" else "partitions"
        return _lines(
            past,
            slug="size-over-time",
            title=f"{what} over time",
            says=says,
            unit=told,
            series=(Series(what.lower(), column, "after"),),
        )
    return None


def _lines(past: ReportPast, *, slug: str, title: str, says: str, unit: Unit, series: tuple[Series, ...]) -> Lines:
    return Lines(
        slug=slug,
        title=title,
        says=says,
        unit=unit,
        x=past.taken_at.astype("datetime64[s]"),
        x_name="time (UTC)",
        series=series,
        events=tuple((float(when.astype("datetime64[s]").astype(np.int64)), words) for when, words in past.events),
    )


def _tables(past: ReportPast) -> tuple[Table, ...]:
    units: dict[str, Unit] = {
        "brokers": "brokers",
        "partitions": "partitions",
        "replicas": "replicas",
        "size_bytes": "bytes",
        "replica_spread": "replicas",
        "leader_spread": "leaders",
        "offline": "partitions",
        "under_replicated": "partitions",
    }
    names = {
        "size_bytes": "Data",
        "replica_spread": "Replica spread",
        "leader_spread": "Leader spread",
        "under_replicated": "Under-replicated",
    }
    columns: list[Column] = [Column("From (UTC)" if past.thinned else "Taken at (UTC)", _moments(past.taken_at))]
    columns += [
        Column(names.get(name, name.capitalize()), past.series[name], unit)
        for name, unit in units.items()
        if name in past.series and not np.isnan(past.series[name]).all()
    ]
    title = "Largest values of several snapshots, oldest first" if past.thinned else "Snapshots, oldest first"
    tables = [Table("snapshots", title, tuple(columns), shown=20)]
    if past.events:
        when = _moments(np.array([when for when, _ in past.events], "datetime64[s]"))
        words: list[str | None] = [words for _, words in past.events]
        tables.append(
            Table("events", "What happened", (Column("Seen at (UTC)", when), Column("What", words)), shown=20)
        )
    return tuple(tables)


def _moments(moments: npt.NDArray[np.datetime64]) -> list[str | None]:
    return [text.replace("T", " ") for text in moments.astype("datetime64[m]").astype(str).tolist()]
