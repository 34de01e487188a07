"""``show``: what a layout holds, how even it is, and what is wrong with it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from reseat.balance import Balance, Loads, Spread, findings, measure, racks_in_words
from reseat.balance.directories import directory_loads
from reseat.balance.moved import all_findings
from reseat.balance.standing import Standing, standing, standing_sentences
from reseat.cli.disks import directory_lines, load_json
from reseat.cli.inputs import layout_of, read_layout, text_of
from reseat.cli.output.writer import count_text, more, say, table, write_json
from reseat.errors import InputRefused
from reseat.formats import Reading
from reseat.formats.recognised import form, missing
from reseat.formats.text.rates import read_rates
from reseat.model import BrokerState, Certificate, ClusterLayout, Finding
from reseat.model.units import money, size
from reseat.model.wording import counted, visible

__all__ = ["caution_lines", "finding_json", "finding_lines", "show"]

#: Partitions named behind one finding in JSON; their number is always given in full.
NAMED_PARTITIONS = 100
#: Brokers and racks listed for a person; beyond that, the fullest and the emptiest.
LISTED_ROWS = 40
#: Partitions named under one finding for a person.
EXAMPLES = 5
#: Bytes that a price is of.
GB = 1e9
#: Skipped pieces listed for a person.
LISTED_SKIPPED = 20


def show(chosen: argparse.Namespace) -> int:
    """Show a layout; see the command's ``--help``."""
    if chosen.price_per_gb is not None and not chosen.produced:
        raise InputRefused("--price-per-gb only goes with --produced.")
    reading = read_layout(chosen)
    layout = reading.layout
    if chosen.proposed:
        if reading.proposed is None:
            raise InputRefused("The input has no proposed assignment.", source=reading.source)
        layout = reading.proposed
    layout = layout_of(layout, chosen)
    balance = measure(layout)
    found = all_findings(findings(layout), layout, reading, proposed=chosen.proposed)
    rates = None
    if chosen.produced:
        data, source = text_of(chosen.produced)
        rates = read_rates(data, source=source)
    told = () if rates is None else standing(layout, rates)
    if chosen.json:
        more = (
            {} if rates is None else {"replication_a_day": [_standing_json(one, chosen.price_per_gb) for one in told]}
        )
        write_json(_as_json(layout, balance, found, reading) | more)
        return 0
    _say(layout, balance, found, reading)
    if rates is not None:
        say("", *_standing_lines(told, len(layout.topics) - len(told), chosen.price_per_gb))
    return 0


def _standing_json(one: Standing, price: float | None) -> dict[str, object]:
    return {
        "topic": one.topic,
        "produced": one.produced,
        "within_racks": one.within,
        "across_racks": one.across,
        "rack_unknown": one.unplaced,
        "price": None if price is None else one.across / GB * price,
    }


def _standing_lines(told: tuple[Standing, ...], without: int, price: float | None) -> list[str]:
    """What replication sends from rack to rack a day, a topic a line, and all of it."""
    said = standing_sentences(told, without, price)
    head = ["topic", "produced a day", "in its rack", "rack to rack", *([] if price is None else ["price"])]
    rows = [
        [
            visible(one.topic, 60),
            *(size(amount) for amount in (one.produced, one.within, one.across)),
            *([] if price is None else [money(one.across / GB * price)]),
        ]
        for one in told[:LISTED_ROWS]
    ]
    more = len(told) - len(rows)
    return [*said, "", *table(head, rows), *([f"  and {counted(more, 'more topic')}"] if more > 0 else [])]


def finding_json(finding: Finding, layout: ClusterLayout) -> dict[str, object]:
    """A finding as JSON-ready values; at most 100 partitions are named."""
    examples = finding.rows[:NAMED_PARTITIONS]
    return {
        "kind": finding.kind,
        "severity": finding.severity.value,
        "level": finding.severity.word,
        "sentence": finding.sentence,
        "partitions": len(finding.rows),
        "examples": list(layout.names_at(examples[examples < layout.partition_count])),
        "brokers": list(finding.brokers),
        "topics": list(finding.topics),
        "places": list(finding.places),
    }


def finding_lines(found: tuple[Finding, ...], layout: ClusterLayout | None = None) -> list[str]:
    """Findings for a person, each with its places in the text, or with the first of its partitions in ``layout``."""
    if not found:
        return ["No findings in this input."]
    lines = ["Findings"]
    for finding in found:
        places = f" ({'; '.join(finding.places[:4])})" if finding.places else ""
        lines.append(f"  {finding.severity.word.upper():<9}  {finding.sentence}{places}")
        rows = finding.rows[:EXAMPLES]
        if layout is not None and len(rows) and not places and len(rows) < layout.partition_count:
            more = f" and {len(finding.rows) - len(rows):,} more" if len(finding.rows) > len(rows) else ""
            lines.append(f"  {'':<9}  {', '.join(layout.names_at(rows))}{more}")
    return lines


def caution_lines(certificate: Certificate) -> list[str]:
    """What is said before anything else of a plan, a line each; nothing where there is nothing."""
    lines = [f"{finding.severity.word.upper():<9}  {finding.sentence}" for finding in certificate.cautions]
    return [*lines, ""] if lines else []


def _as_json(
    layout: ClusterLayout, balance: Balance, found: tuple[Finding, ...], reading: Reading
) -> dict[str, object]:
    return {
        "source": reading.source,
        "kind": reading.kind,
        "topics": len(layout.topics),
        "partitions": balance.partitions,
        "replicas": balance.replicas,
        "brokers": len(layout.brokers),
        "racks": len(layout.racks),
        "unknown_racks": list(layout.unknown_racks),
        "gaps": layout.gaps.as_dict(),
        "offline": balance.offline,
        "under_replicated": balance.under_replicated,
        "below_min_isr": balance.below_min_isr,
        "not_preferred": balance.not_preferred,
        "rack_sum_of_squares": balance.rack_sum_of_squares,
        "rack_violations": balance.rack_violations,
        "under_way": int(layout.under_way.sum()),
        "has_proposed": reading.proposed is not None,
        "digest": layout.digest,
        "spread": {
            "replicas": _spread_json(balance.by_broker.replica_spread),
            "leaders": _spread_json(balance.by_broker.leader_spread),
            "preferred_leaders": _spread_json(balance.by_broker.preferred_leader_spread),
            "bytes": _spread_json(balance.by_broker.byte_spread),
        },
        "by_broker": [
            {"broker": broker.id, "rack": broker.rack, "host": broker.host, "state": _state_json(broker.state), **load}
            for broker, load in zip(layout.brokers, _loads_json(balance.by_broker), strict=True)
        ],
        "by_rack": [
            {"rack": name, **load}
            for name, load in zip(balance.by_rack.names, _loads_json(balance.by_rack), strict=True)
        ],
        "log_dirs": [load_json(load) for load in directory_loads(layout, reading.log_dirs)],
        "findings": [finding_json(finding, layout) for finding in found],
        "skipped": [
            {"line": piece.line, "lines": piece.lines, "text": piece.text, "why": piece.why}
            for piece in reading.skipped
        ],
    }


def _state_json(state: BrokerState) -> str | None:
    return None if state is BrokerState.NOT_TOLD else state.value


def _spread_json(spread: Spread | None) -> dict[str, object] | None:
    if spread is None:
        return None
    return {
        "brokers": spread.count,
        "mean": spread.mean,
        "least": spread.least,
        "most": spread.most,
        "spread": spread.spread,
        "least_possible": spread.least_possible,
        "variation": spread.variation,
    }


def _loads_json(loads: Loads) -> list[dict[str, object]]:
    columns = {
        "replicas": loads.replicas.tolist(),
        "leaders": None if loads.leaders is None else loads.leaders.tolist(),
        "preferred_leaders": None if loads.preferred_leaders is None else loads.preferred_leaders.tolist(),
        "bytes": None
        if loads.size_bytes is None
        else [None if math.isnan(size) else size for size in loads.size_bytes.tolist()],
    }
    return [
        {key: None if column is None else column[at] for key, column in columns.items()}
        for at in range(len(loads.replicas))
    ]


def _say(layout: ClusterLayout, balance: Balance, found: tuple[Finding, ...], reading: Reading) -> None:
    say(f"{reading.source}: {form(reading)}", "")
    counts = [
        ("Topics", count_text(len(layout.topics))),
        ("Partitions", count_text(balance.partitions)),
        ("Replicas", count_text(balance.replicas)),
        ("Brokers", f"{len(layout.brokers):,} {racks_in_words(layout)}"),
        ("Offline", _health(balance.offline, balance.leader_told, balance.partitions)),
        ("Under-replicated", _health(balance.under_replicated, balance.in_sync_told, balance.partitions)),
        ("Below min ISR", _below(balance)),
        ("Non-preferred leaders", count_text(balance.not_preferred)),
    ]
    width = max(len(name) for name, _ in counts)
    say(*(f"  {name:<{width}}  {value}" for name, value in counts), "")
    say(*_spreads(balance), "")
    say(*_brokers(layout, balance), "")
    if layout.racks:
        say(*_racks(balance), "")
    directories = directory_loads(layout, reading.log_dirs)
    if directories:
        say(*directory_lines(directories), "")
    say(*finding_lines(found, layout))
    for one in missing(layout):
        say("", f"Add {one.what}. {one.why}", f"  {one.command}")
    if reading.proposed is not None:
        say("", "The input also has a proposed assignment: --proposed shows it.")
    if reading.skipped:
        lines = sum(piece.lines for piece in reading.skipped)
        say("", f"Skipped: {counted(lines, 'line')}")
        say(*(f"  line {piece.line}: {piece.text[:80]} ({piece.why})" for piece in reading.skipped[:LISTED_SKIPPED]))
        say(*more(len(reading.skipped), LISTED_SKIPPED))


def _health(number: int | None, told: int, partitions: int) -> str:
    if number is None and 0 < told < partitions:
        return f"unknown for {partitions - told:,} of {partitions:,}"
    return count_text(number)


def _below(balance: Balance) -> str:
    if balance.below_min_isr is None or balance.min_isr_told == balance.partitions:
        return count_text(balance.below_min_isr)
    return f"{balance.below_min_isr:,} of the {balance.min_isr_told:,} where it is known"


def _spreads(balance: Balance) -> list[str]:
    by = balance.by_broker
    rows = [
        _spread_row(name, spread, lambda load: f"{load:,.0f}")
        for name, spread in (
            ("Replicas", by.replica_spread),
            ("Leaders", by.leader_spread),
            ("Preferred", by.preferred_leader_spread),
        )
        if spread is not None
    ]
    if by.byte_spread is not None:
        rows.append(_spread_row("Bytes", by.byte_spread, size))
    return table(("Per broker", "mean", "least", "most", "spread", "best possible", "variation"), rows)


def _spread_row(name: str, spread: Spread, text: Callable[[float], str]) -> tuple[str, ...]:
    loads = [text(load) for load in (spread.least, spread.most, spread.spread)]
    mean = f"{spread.mean:,.1f}" if spread.least_possible is not None else text(spread.mean)
    possible = "-" if spread.least_possible is None else f"{spread.least_possible:,}"
    return (name, mean, *loads, possible, f"{spread.variation:.1%}")


def _brokers(layout: ClusterLayout, balance: Balance) -> list[str]:
    order = list(range(len(layout.brokers)))
    note = []
    if len(order) > LISTED_ROWS:
        fullest = sorted(order, key=lambda at: (-int(balance.by_broker.replicas[at]), at))
        order = [*fullest[: LISTED_ROWS // 2], *fullest[-(LISTED_ROWS // 2) :]]
        half = LISTED_ROWS // 2
        note = [f"  The {half} fullest and the {half} emptiest of {len(layout.brokers):,}; --json lists all."]
    rows = []
    for at in order:
        broker = layout.brokers[at]
        rows.append(
            (
                str(broker.id),
                broker.rack or "-",
                broker.host or "-",
                broker.state.word,
                *_load_cells(balance.by_broker, at),
            )
        )
    return table(("Broker", "rack", "host", "state", "replicas", "leaders", "preferred", "bytes"), rows, left=4) + note


def _racks(balance: Balance) -> list[str]:
    rows = [
        ("no rack" if name is None else str(name), *_load_cells(balance.by_rack, at))
        for at, name in enumerate(balance.by_rack.names[:LISTED_ROWS])
    ]
    return table(("Rack", "replicas", "leaders", "preferred", "bytes"), rows)


def _load_cells(loads: Loads, at: int) -> tuple[str, str, str, str]:
    held = math.nan if loads.size_bytes is None else float(loads.size_bytes[at])
    return (
        f"{int(loads.replicas[at]):,}",
        "-" if loads.leaders is None else f"{int(loads.leaders[at]):,}",
        "-" if loads.preferred_leaders is None else f"{int(loads.preferred_leaders[at]):,}",
        "-" if math.isnan(held) else size(held),
    )
