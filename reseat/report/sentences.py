"""Sentences that more than one chapter says: what is asked for, what the report comes to, and what is proven of it.

Promises: "no plan can" stands only where the certificate's ``*_proven`` says so, and for what it says so of: where
brokers are added, for instance, among plans that spread replicas as well.
"""

from __future__ import annotations

import math

from reseat.balance import health_unknown
from reseat.model import Certificate, Severity
from reseat.model.units import count, duration
from reseat.model.wording import capital, counted, doing, verb
from reseat.report.content import Fact
from reseat.report.copying import Copying, Route
from reseat.report.matter import Matter

__all__ = [
    "copied",
    "copying_takes",
    "data_to_copy",
    "headline",
    "least_moves",
    "ranging",
    "remaining",
    "severities",
    "severity_word",
    "spread_of",
    "unproven",
]


def data_to_copy(whole: Route, detail: str | None = None) -> Fact:
    """What a plan copies, as a figure."""
    return Fact("Data to copy", whole.amount, detail, math.nan if whole.unsized else whole.bytes)


def copying_takes(copying: Copying, throttle: float, detail: str) -> Fact:
    """How long a plan copies at a throttle, as a figure; at least that where some sizes are unknown."""
    if not copying.sized:
        return Fact("Copying takes", "unknown", detail)
    likely = copying.hours(throttle).likely
    least = "at least" if copying.unsized else "about"
    return Fact("Copying takes", f"{least} {duration(likely)}", detail, math.nan if copying.unsized else likely)


def severities(matter: Matter) -> dict[str, int]:
    """How many findings of each severity, by its word: critical, warning, info."""
    found = [one.severity for one in matter.findings]
    return {severity.word: found.count(severity) for severity in Severity}


def severity_word(severity: Severity) -> str:
    """What a severity is called: critical, warning or info."""
    return severity.word


def unproven(certificate: Certificate) -> bool:
    """Whether a plan that should move the least is not proven to."""
    return not certificate.moves_proven and not certificate.faults and not certificate.wish.chooses_moves


def copied(matter: Matter) -> str:
    """What is copied: "92 replicas (30.7 MB)"; without sizes that are not told."""
    if matter.plan is None:
        return "nothing"
    said, amount = counted(matter.plan.certificate.moves, "replica"), matter.plan.moves.amount
    return said if amount == "unknown" or not matter.plan.certificate.moves else f"{said} ({amount})"


def least_moves(certificate: Certificate) -> str | None:
    """Why there are no fewer moves, as a clause that goes behind "and"; None where that is not proven."""
    if not certificate.moves_proven or certificate.faults:
        return None
    wish = certificate.wish
    known = " (racks unknown)" if certificate.unknown_racks else ""
    if wish.rebalance:
        return f"no plan that balances as well can move fewer{known}"
    if wish.add and not wish.remove:
        return f"no plan that fills the new brokers as well can move fewer{known}"
    return f"no plan for it can move fewer{known}"


def ranging(least: float, most: float) -> str:
    """How many replicas brokers hold, as a clause: "brokers have 32 to 238 replicas"."""
    if least == most:
        return f"every broker has {counted(int(most), 'replica')}"
    return f"brokers have {count(least)} to {count(most)} replicas"


def remaining(matter: Matter) -> tuple[float, float] | None:
    """The fewest and the most replicas on a broker that the spread is over, once the plan is done; None without one."""
    if matter.plan is None:
        return None
    held = matter.plan.proposed.replicas_by_broker[matter.plan.counting]
    return (float(held.min()), float(held.max())) if held.size else None


def headline(matter: Matter) -> str:
    """What the report comes to, in one sentence."""
    if matter.refusal is not None:
        return f"{capital(doing(matter.wish))} is not possible as requested."
    if matter.plan is not None:
        return _of_plan(matter, matter.plan.certificate)
    found = severities(matter)
    parts = f"{counted(matter.layout.partition_count, 'partition')} on {counted(len(matter.layout.brokers), 'broker')}"
    if found["critical"]:
        return f"{counted(found['critical'], 'critical issue')} in {parts}."
    unknown = health_unknown(matter.layout)
    if unknown is not None:
        return f"{unknown}; {counted(found['warning'], 'warning')}." if found["warning"] else f"{unknown}."
    if found["warning"]:
        return f"No critical issues in {parts}; {counted(found['warning'], 'warning')}."
    return f"No critical issues and no warnings in {parts}."


def _of_plan(matter: Matter, made: Certificate) -> str:
    asked = capital(doing(made.wish))
    if made.faults:
        return f"The plan for {doing(made.wish)} has {counted(len(made.faults), 'fault')} and must not be executed."
    if not made.moves:
        dropped = _dropped(matter)
        what = f"removes {counted(dropped, 'replica')} and copies nothing" if dropped else "copies nothing"
        return f"{asked} {what}{_but(made)}."
    said = f"{asked} copies {copied(matter)}"
    why = least_moves(made)
    if made.unmovable_partitions:
        return f"{said}{_but(made)}."
    if why is not None:
        return f"{said}, and {why}."
    if made.wish.chooses_moves:
        return f"{said}, the number chosen for better balance."
    return f"{said}; it is not proven that this is the minimum."


def _but(made: Certificate) -> str:
    if not made.unmovable_partitions:
        return ""
    count_of = made.unmovable_partitions
    return f", but {counted(count_of, 'partition')} {verb(count_of, 'has', 'have')} no live copy to copy from"


def _dropped(matter: Matter) -> int:
    return 0 if matter.plan is None else int((matter.plan.moves.target < 0).sum())


def spread_of(matter: Matter, *, after: bool) -> float:
    """Fullest minus emptiest broker in replicas, before or once the plan is done; NaN where it cannot be told."""
    if after:
        made = None if matter.plan is None else matter.plan.certificate.replica_spread
        return math.nan if made is None else float(made)
    standing = matter.balance_standing.by_broker.replica_spread
    return math.nan if standing is None else standing.spread
