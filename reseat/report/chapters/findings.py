"""What is wrong: every finding with its severity, what mends it, and what the change does to it."""

from __future__ import annotations

import numpy as np

from reseat.balance import health_unknown
from reseat.balance.mends import after_change, extent, mend_of, name_of
from reseat.model import Finding, Severity
from reseat.model.wording import capital, counted, verb
from reseat.report.content import Bars, Chapter, ChapterKind, Column, Fact, Light, Role, Series, Table
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import severity_word

__all__ = ["chapter"]

_ROLES: dict[Severity, Role] = {Severity.BROKEN: "broken", Severity.ATTENTION: "attention", Severity.NOTE: "other"}
_LIGHTS = {Severity.BROKEN: Light.RED, Severity.ATTENTION: Light.AMBER, Severity.NOTE: None}


def chapter(matter: Matter, choices: ReportChoices) -> Chapter:
    """The chapter; every report has one."""
    found = matter.findings
    after = matter.findings_after
    numbers = {severity: sum(one.severity is severity for one in found) for severity in Severity}
    facts = [
        Fact(
            {"critical": "Critical", "warning": "Warnings", "info": "Info"}[severity_word(severity)],
            f"{number:,}",
            None,
            number,
            _LIGHTS[severity] if number else Light.GREEN if severity is Severity.BROKEN else None,
        )
        for severity, number in numbers.items()
    ]
    if after is not None and found:
        fixed = [one for one in found if after_change(one, after) == "fixed"]
        fresh = _fresh(found, after)
        facts.append(Fact("Fixed by the change", f"{len(fixed):,}", None, len(fixed)))
        facts.append(Fact("New after the change", f"{len(fresh):,}", None, len(fresh)))
    figure = _figure(found)
    return Chapter(
        kind=ChapterKind.FINDINGS,
        name="Findings",
        heading=_heading(numbers, known=health_unknown(matter.layout) is None),
        text=_text(matter, found),
        facts=tuple(facts),
        figures=() if figure is None else (figure,),
        tables=_tables(found, after) if found or after else (),
        notes=(
            "Critical: data or service is at risk now. Warning: should be fixed. Info: good to know.",
            "The effect of the change on a finding is computed from the layout after the change.",
        ),
    )


def _heading(numbers: dict[Severity, int], *, known: bool) -> str:
    unknown = "Leaders or in-sync replicas are unknown"
    critical, warning, info = (numbers[severity] for severity in Severity)
    if critical:
        rest = f", and {counted(warning, 'warning')}" if warning else ""
        return f"{counted(critical, 'critical issue')} {verb(critical, 'needs', 'need')} action{rest}."
    if warning:
        return f"{'No critical issues' if known else unknown}; {counted(warning, 'warning')}."
    if info:
        return "No critical issues and no warnings." if known else f"{unknown}; no warnings."
    return "No findings in what the input includes."


def _text(matter: Matter, found: tuple[Finding, ...]) -> tuple[str, ...]:
    if not found:
        return ("What the input does not include is not checked.",)
    after = matter.findings_after
    if after is None:
        return ()
    fixed = [name_of(one.kind) for one in found if after_change(one, after) == "fixed"]
    fresh = [name_of(one.kind) for one in _fresh(found, after)]
    said = []
    if fixed:
        said.append(f"Fixed by the change: {_lowered(fixed)}.")
    else:
        said.append("The change fixes none of these.")
    if fresh:
        said.append(f"New after the change: {_lowered(fresh)}.")
    return tuple(said)


def _fresh(found: tuple[Finding, ...], after: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """What is found after the change alone."""
    had = {one.kind for one in found}
    return tuple(one for one in after if one.kind not in had)


def _lowered(names: list[str]) -> str:
    return ", ".join(f"{name[:1].lower()}{name[1:]}" for name in dict.fromkeys(names))


def _figure(found: tuple[Finding, ...]) -> Bars | None:
    """Partitions behind each finding, coloured by severity; None where no finding is about partitions."""
    about = [one for one in found if len(one.rows)]
    if not about:
        return None
    series = []
    for severity in Severity:
        values = np.array([len(one.rows) if one.severity is severity else 0 for one in about], np.float64)
        if values.any():
            series.append(Series(severity_word(severity), values, _ROLES[severity]))
    most = max(about, key=lambda one: len(one.rows))
    return Bars(
        slug="findings",
        title="Partitions per finding",
        says=f"The finding with the most partitions ({len(most.rows):,}): {name_of(most.kind)}.",
        unit="partitions",
        names=tuple(name_of(one.kind) for one in about),
        what="finding",
        series=tuple(series),
        stacked=True,
    )


def _tables(found: tuple[Finding, ...], after: tuple[Finding, ...] | None) -> tuple[Table, ...]:
    fresh = () if after is None else _fresh(found, after)
    rows = (*found, *fresh)
    columns = [
        Column("Severity", tuple(severity_word(one.severity) for one in rows)),
        Column("Finding", tuple(capital(one.sentence) for one in rows)),
        Column("Fix", tuple(mend_of(one.kind) for one in rows)),
        Column("Concerns", tuple(extent(one) for one in rows)),
    ]
    if after is not None:
        states = [after_change(one, after) for one in found]
        columns.append(Column("After the change", (*states, *["new" for _ in fresh])))
    return (Table("findings", "Findings", tuple(columns)),)
