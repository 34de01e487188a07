"""Summary: three sentences (what is, what the change does, what is asked), five numbers, and a traffic light."""

from __future__ import annotations

import math

from reseat.balance import health_unknown, racks_unknown
from reseat.model import Severity
from reseat.model.units import count, size
from reseat.model.wording import capital, counted, doing, verb
from reseat.report.content import Chapter, ChapterKind, Fact, Light
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import (
    copied,
    copying_takes,
    data_to_copy,
    headline,
    ranging,
    remaining,
    severities,
    spread_of,
    unproven,
)

__all__ = ["RULE", "chapter", "light_of"]

#: How the light is decided, as it stands under it.
RULE = (
    "Red: the change was refused, its plan has a fault, or a critical finding is about the plan or remains after it. "
    "Amber: the change fixes a critical finding, a warning is about the plan or remains after it, racks, leaders or "
    "in-sync replicas are unknown, or it is not proven that the plan makes the minimum number of moves. Green: none of "
    "these."
)


def light_of(matter: Matter) -> Light:
    """The traffic light, by ``RULE``."""
    plan = matter.plan
    if matter.refusal is not None or (plan is not None and plan.certificate.faults):
        return Light.RED
    stays = {one.severity for one in (matter.findings if matter.findings_after is None else matter.findings_after)}
    if plan is not None:
        stays |= {one.severity for one in (*plan.certificate.cautions, *plan.findings)}
    if Severity.BROKEN in stays:
        return Light.RED
    now = {one.severity for one in matter.findings}
    leaving = () if plan is None else plan.wish.remove
    doubtful = (
        racks_unknown(matter.layout, leaving) is not None
        or health_unknown(matter.layout) is not None
        or (plan is not None and unproven(plan.certificate))
    )
    return Light.AMBER if doubtful or Severity.BROKEN in now or Severity.ATTENTION in stays else Light.GREEN


def chapter(matter: Matter, choices: ReportChoices) -> Chapter:
    """The chapter; every report has one."""
    light = light_of(matter)
    return Chapter(
        kind=ChapterKind.SUMMARY,
        name="Summary",
        heading=headline(matter),
        text=(_is(matter), _does(matter), _asked(matter, choices, light)),
        facts=_facts(matter, choices),
        light=light,
        rule=RULE,
        notes=(
            "Start with the request: the third sentence.",
            "The light follows the rule below it; nobody chose its colour.",
        ),
    )


def _is(matter: Matter) -> str:
    layout = matter.layout
    racks = f" in {counted(len(layout.racks), 'rack')}" if layout.racks else ""
    size_of = (
        f"{counted(len(layout.brokers), 'broker')}{racks} with {counted(layout.partition_count, 'partition')} "
        f"({counted(layout.replica_count, 'replica')})"
    )
    found = severities(matter)
    worst = next(((word, number) for word, number in found.items() if number and word != "info"), None)
    health = "there are no critical issues and no warnings"
    if worst is not None and worst[0] == "critical":
        health = f"{counted(worst[1], 'critical issue')} {verb(worst[1], 'needs', 'need')} action"
    elif health_unknown(matter.layout) is not None:
        health = "leaders or in-sync replicas are unknown, so critical issues may be missed"
        health += f"; {counted(worst[1], 'warning')}" if worst is not None else ""
    elif worst is not None:
        health = f"there are no critical issues, but {counted(worst[1], 'warning')}"
    return f"The cluster has {size_of}; {health}."


def _does(matter: Matter) -> str:
    if matter.refusal is not None:
        # The whole reason, with what would help, stands on the first page.
        return f"It was refused: {matter.refusal.split('. ')[0].rstrip('.')}."
    if matter.plan is None:
        return "No change is proposed."
    made = matter.plan.certificate
    if made.faults:
        return f"The plan for {doing(made.wish)} is faulty, so its effect is unknown."
    asked = capital(doing(made.wish))
    held = remaining(matter)
    then = "" if held is None else f"; afterwards {ranging(*held)}"
    if not made.moves:
        return f"{asked} copies no data{then}."
    return f"{asked} copies {copied(matter)}{then}."


def _asked(matter: Matter, choices: ReportChoices, light: Light) -> str:
    if matter.refusal is not None:
        return "Please decide how to change the request; nothing moves until then."
    if matter.plan is None:
        found = severities(matter)
        if found["critical"]:
            return "Please have the critical issues fixed first."
        if found["warning"]:
            return "Please decide which warnings to fix."
        unknown = health_unknown(matter.layout) is not None
        return "No decision is needed, as far as the input tells." if unknown else "No decision is needed."
    if matter.plan.certificate.faults:
        return "Please do not approve this plan."
    if not matter.plan.changed.any():
        return "No decision is needed: the plan changes nothing."
    if light is Light.RED:
        return "Please do not approve it before the critical issues are understood."
    if not matter.plan.certificate.moves or matter.copying is None:
        return "Please approve the change."
    if choices.throttle is None:
        return "Please approve the change, and decide how fast each broker may copy."
    rate = f"at {size(choices.throttle)}/s per broker"
    if not matter.copying.sized:
        return "Please approve the change. How long it takes is unknown without replica sizes."
    time = copying_takes(matter.copying, choices.throttle, rate).shown
    return f"Please approve the change and {time} of copying {rate}."


def _facts(matter: Matter, choices: ReportChoices) -> tuple[Fact, ...]:
    layout, found = matter.layout, severities(matter)
    spread = spread_of(matter, after=False)
    findings = Fact(
        "Findings",
        f"{found['critical']:,} critical, {found['warning']:,} {'warning' if found['warning'] == 1 else 'warnings'}",
        "before the change" if matter.plan is not None else None,
        found["critical"] + found["warning"],
    )
    if matter.plan is None or matter.plan.certificate.faults:
        possible = matter.balance_standing.by_broker.replica_spread
        least = None if possible is None or possible.least_possible is None else possible.least_possible
        return (
            Fact("Brokers", count(len(layout.brokers)), None, len(layout.brokers)),
            Fact("Partitions", count(layout.partition_count), None, layout.partition_count),
            Fact("Replicas", count(layout.replica_count), None, layout.replica_count),
            Fact(
                "Replica spread",
                "unknown" if math.isnan(spread) else counted(int(spread), "replica"),
                None if least is None else f"best possible: {least:,}",
                spread,
            ),
            findings,
        )
    made, copying = matter.plan.certificate, matter.copying
    then = spread_of(matter, after=True)
    return (
        Fact("Replicas to copy", count(made.moves), "proven minimum" if made.moves_proven else None, made.moves),
        *([] if copying is None else [data_to_copy(copying.whole)]),
        _third(matter, choices),
        Fact(
            "Replica spread",
            "unknown" if math.isnan(then) else f"{count(spread)} to {counted(int(then), 'replica')}",
            None,
            then,
        ),
        findings,
    )


def _third(matter: Matter, choices: ReportChoices) -> Fact:
    """How long copying takes where a throttle is chosen and something is copied, else how much changes."""
    made = None if matter.plan is None else matter.plan.certificate
    if made is None or matter.copying is None or choices.throttle is None or not made.moves:
        changed = 0 if made is None else made.changed_partitions
        return Fact("Partitions changed", count(changed), f"of {matter.start.partition_count:,}", changed)
    return copying_takes(matter.copying, choices.throttle, f"at {size(choices.throttle)}/s per broker")
