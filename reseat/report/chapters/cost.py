"""Cost: what is copied, how long that takes, what crosses racks and its price, and leaders that change hands."""

from __future__ import annotations

import math

import numpy as np

from reseat.election import ElectionPreview
from reseat.model import NOT_TOLD
from reseat.model.units import count, duration, money, size
from reseat.model.wording import counted, verb
from reseat.report.carriers import brokers_of, busiest, rack_name
from reseat.report.content import Bars, Chapter, ChapterKind, Column, Fact, Figure, Series, Table
from reseat.report.copying import Copying, Route
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import copying_takes, data_to_copy
from reseat.report.shown import value
from reseat.report.tiered import tiered_sentences
from reseat.schedule.batches import Hours
from reseat.schedule.tiered import left_out

__all__ = ["chapter", "price_of"]

#: Throttles that are shown where none was chosen, bytes a second a broker.
THROTTLES = (10e6, 25e6, 50e6, 100e6, 250e6)
_GB = 1e9


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None where nothing is planned, or the plan is faulty."""
    copying = matter.copying
    if matter.plan is None or copying is None or matter.plan.certificate.faults:
        return None
    return Chapter(
        kind=ChapterKind.COST,
        name="Cost",
        heading=_heading(matter, choices, copying),
        text=_text(matter, choices, copying),
        facts=_facts(matter, choices, copying),
        figures=_figures(matter, copying),
        tables=_tables(matter, choices, copying),
        notes=(
            "A throttle limits what each broker sends and receives for this change, so that producers and consumers "
            "keep their bandwidth.",
            f"Times are computed from bytes and {'earlier runs' if copying.rates else 'the throttle'}. Slower networks "
            "or disks take longer; data written during the copy is copied too and is not counted.",
        ),
    )


def price_of(route: Route, price_per_gb: float | None) -> float:
    """What copies cost, in the currency of the price; NaN where no price is given or no size is told."""
    if price_per_gb is None or (route.copies and route.unsized == route.copies):
        return math.nan
    return route.bytes / _GB * price_per_gb


def _amount(route: Route) -> str:
    """Bytes of a route, or replicas where no size is told: "at least" where some are not."""
    if not route.copies:
        return size(0)
    if route.unsized == route.copies:
        return counted(route.copies, "replica")
    return route.amount


def _heading(matter: Matter, choices: ReportChoices, copying: Copying) -> str:
    if not len(copying):
        return "No data is copied, so the change costs no copying."
    counts = len(copying) if not copying.sized else 1  # a size is one amount
    said = f"{_amount(copying.whole)} {verb(counts, 'is', 'are')} copied"
    if copying.across.copies:
        every = copying.across.copies == len(copying)
        said += f", {'all' if every else _amount(copying.across)} of it from rack to rack"
    if choices.throttle is not None and copying.sized:
        least = "at least" if copying.unsized else "about"
        said += f", in {least} {duration(copying.hours(choices.throttle).likely)}"
    elif not copying.sized:
        said += "; the duration is unknown without sizes"
    return f"{said[:1].upper()}{said[1:]}."


def _text(matter: Matter, choices: ReportChoices, copying: Copying) -> tuple[str, ...]:
    said = []
    if len(copying) and not copying.sized:
        said.append(
            "Sizes are unknown, so cost is counted in replicas. Add the output of kafka-log-dirs --describe to get "
            "bytes."
        )
    elif copying.unsized:
        said.append(
            f"The sizes of {counted(copying.unsized, 'copy', 'copies')} are unknown: bytes, hours and price are lower "
            "bounds."
        )
    if len(copying) and copying.sized:
        said.append(_ends(copying, choices.throttle or THROTTLES[0]))
    if matter.plan is not None:
        said += tiered_sentences(matter.plan, matter.tiering)
    said += _racks(matter, choices, copying)
    if matter.election is not None:
        said += _leaders(matter.election)
    return tuple(said)


def _ends(copying: Copying, throttle: float) -> str:
    """What the low, likely and high times are."""
    low, runs = "Low: the busiest broker copies at the throttle all the time.", copying.estimate(throttle).runs
    if runs:
        return (
            f"{low} Likely and high: at the middle and the slowest of the rates that {counted(runs, 'earlier run')} on "
            "this cluster showed. Of a throttle of which they show nothing, the times are from it alone."
            f"{left_out(copying.batches)}"
        )
    batches = counted(len(copying.batches), "batch", "batches")
    return (
        f"{low} Likely: in {batches} of at most ten moves per broker, one after the other, each as long as "
        f"its slowest broker. High: one copy at a time.{left_out(copying.batches)}"
    )


def _racks(matter: Matter, choices: ReportChoices, copying: Copying) -> list[str]:
    if not len(copying):
        return []
    said = []
    if copying.unplaced.copies == len(copying):
        if matter.start.racks or matter.start.unknown_racks:
            said.append("Racks are unknown, so traffic between racks and its price are unknown.")
        else:
            said.append("No broker has a rack, so there is no traffic between racks to count.")
    else:
        said.append(
            "A new replica copies from its partition's leader; the copy crosses racks when the two are in different "
            "racks."
        )
        if copying.unplaced.copies:
            said.append(
                f"{counted(copying.unplaced.copies, 'copy', 'copies')} with an unknown rack: not counted as traffic "
                "between racks."
            )
        if choices.price_per_gb is None:
            said.append("No price for traffic between racks was given.")
        else:
            said.append(
                f"The price counts each GB (1,000,000,000 bytes) that crosses racks once, at "
                f"{choices.currency}{choices.price_per_gb:,.4g}."
            )
    if copying.assumed:
        said.append(
            f"The leader of {counted(copying.assumed, 'copy', 'copies')} is unknown: the source is assumed to be the "
            "first replica known to be in sync, else the first of the list."
        )
    return said


def _leaders(election: ElectionPreview) -> list[str]:
    moving, elected = election.while_moving, election.by_election
    untold = int(np.count_nonzero(election.leader_before == NOT_TOLD))
    if moving is None:
        return ["Leaders are unknown, so the number of leader changes is unknown."]
    said = []
    if moving:
        said.append(
            f"{counted(moving, 'leader')} {verb(moving, 'changes', 'change')} while data moves: clients of these "
            "partitions reconnect."
        )
    else:
        said.append(f"No {'known ' if untold else ''}leader changes while data moves.")
    if elected:
        said.append(f"A preferred leader election afterwards would change {counted(elected, 'leader')}.")
    if untold:
        said.append(f"The leader of {counted(untold, 'partition')} is unknown; they are not counted.")
    return said


def _facts(matter: Matter, choices: ReportChoices, copying: Copying) -> tuple[Fact, ...]:
    across = copying.across
    facts = [data_to_copy(copying.whole, counted(len(copying), "replica") if len(copying) else None)]
    known = copying.unplaced.copies < len(copying) or not len(copying)
    facts.append(
        Fact(
            "From rack to rack",
            _amount(across) if known else "unknown",
            counted(across.copies, "replica") if known and copying.sized and across.copies else None,
            math.nan if not known or across.unsized else across.bytes,
        )
    )
    if choices.price_per_gb is not None:
        price = price_of(across, choices.price_per_gb) if known else math.nan
        least = "at least " if across.unsized or (copying.unplaced.copies and known) else ""
        facts.append(
            Fact(
                "Price of that traffic",
                "unknown" if math.isnan(price) else f"{least}{choices.currency}{money(price)}",
                f"at {choices.currency}{choices.price_per_gb:,.4g} per GB",
                price,
            )
        )
    if choices.throttle is not None and len(copying):
        facts.append(_time(copying, choices.throttle))
    if matter.election is not None:
        moving, elected = matter.election.while_moving, matter.election.by_election
        detail = f"and {elected:,} by an election afterwards" if elected else None
        facts.append(Fact("Leader changes", count(moving), detail, math.nan if moving is None else moving))
    return tuple(facts)


def _time(copying: Copying, throttle: float) -> Fact:
    told, rate = copying.estimate(throttle), f"at {size(throttle)}/s per broker"
    hours, runs = told.hours, told.source if told.runs else ""
    more = f"; low {duration(hours.low)}, high {duration(hours.high)}{runs}" if copying.sized else ""
    return copying_takes(copying, throttle, f"{rate}{more}")


def _figures(matter: Matter, copying: Copying) -> tuple[Figure, ...]:
    if not len(copying) or matter.plan is None:
        return ()
    racks = (_by_rack(matter, copying),) if copying.unplaced.copies < len(copying) else ()
    return _by_broker(matter, copying), *racks


def _by_broker(matter: Matter, copying: Copying) -> Bars:
    brokers = brokers_of(matter.start, matter.plan)
    at = np.searchsorted(copying.broker_ids, brokers.ids)
    by = (copying.sent, copying.received) if copying.sized else (copying.copies_sent, copying.copies_received)
    sent, received = (told[at].astype(np.float64) for told in by)
    top = int(np.maximum(sent, received).argmax())
    most = float(max(sent[top], received[top]))
    does = "sends" if sent[top] >= received[top] else "receives"
    amount = size(most) if copying.sized else counted(int(most), "replica")
    figure = Bars(
        slug="copies-by-broker",
        title="What each broker sends and receives",
        says=f"The busiest is broker {brokers.names[top]}: it {does} {amount}.",
        unit="bytes" if copying.sized else "replicas",
        names=brokers.names,
        what="broker",
        groups=brokers.groups,
        series=(Series("sends", sent, "other"), Series("receives", received, "comes")),
        marked=brokers.marked if any(brokers.marked) else None,
    )
    return busiest(figure, np.maximum(sent, received), "that copy most") if most else figure


def _by_rack(matter: Matter, copying: Copying) -> Bars:
    racks = matter.start.racks
    within, across, unplaced = copying.by_receiving_rack(len(racks))
    names = [rack_name(rack) for rack in racks]
    if within[-1] or across[-1] or unplaced[-1]:
        names.append(rack_name(None))
    else:
        within, across, unplaced = within[:-1], across[:-1], unplaced[:-1]
    series = [Series("from the same rack", within, "stays"), Series("from other racks", across, "attention")]
    if unplaced.any():
        series.append(Series("rack unknown", unplaced, "other"))
    share = across.sum() / max(float((within + across + unplaced).sum()), 1e-9)
    return Bars(
        slug="copies-by-rack",
        title="What each rack receives, and from where",
        says=f"{'At least ' if unplaced.any() else ''}{value(share, 'share')} of what is copied crosses racks."
        if copying.across.copies
        else "Nothing that is copied crosses racks.",
        unit="bytes" if copying.sized else "replicas",
        names=tuple(names),
        what="rack",
        series=tuple(series),
        stacked=True,
    )


def _tables(matter: Matter, choices: ReportChoices, copying: Copying) -> tuple[Table, ...]:
    tables = []
    if len(copying) and copying.sized:
        rates = (
            THROTTLES if choices.throttle is None else (choices.throttle / 2, choices.throttle, choices.throttle * 2)
        )
        hours: list[Hours] = [copying.hours(rate) for rate in rates]
        marks = tuple("chosen" if rate == choices.throttle else None for rate in rates)
        tables.append(
            Table(
                "copying-time",
                "How long copying takes",
                (
                    Column("Throttle per broker", tuple(f"{size(rate)}/s" for rate in rates)),
                    Column("Low", np.array([one.low for one in hours]), "seconds"),
                    Column("Likely", np.array([one.likely for one in hours]), "seconds"),
                    Column("High", np.array([one.high for one in hours]), "seconds"),
                    *([Column("", marks)] if any(marks) else []),
                ),
            )
        )
    if len(copying):
        tables.append(_routes(choices, copying))
    return tuple(tables)


def _routes(choices: ReportChoices, copying: Copying) -> Table:
    routes = {
        "inside one rack": copying.within,
        "from rack to rack": copying.across,
        "rack unknown": copying.unplaced,
        "all": copying.whole,
    }
    if not copying.unplaced.copies:
        del routes["rack unknown"]
    elif copying.unplaced.copies == len(copying):
        routes = {"all": copying.whole}
    columns = [
        Column("Way", tuple(routes)),
        Column("Replicas", np.array([route.copies for route in routes.values()], np.float64), "replicas"),
    ]
    if copying.sized:
        columns.append(Column("Known bytes", np.array([route.bytes for route in routes.values()]), "bytes"))
    if choices.price_per_gb is not None and copying.sized:
        price = [price_of(route, choices.price_per_gb) if way == "from rack to rack" else None
                 for way, route in routes.items()]  # fmt: skip
        columns.append(Column(f"Price, {choices.currency}", np.array(price, dtype=object), "money"))
    return Table("copying-ways", "Copies by route", tuple(columns))
