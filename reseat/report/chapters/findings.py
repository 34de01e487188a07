"""What is wrong: every finding with its severity, what mends it, and what the change does to it."""

from __future__ import annotations

import numpy as np

from reseat.model import Finding, Severity
from reseat.model.units import plural
from reseat.model.wording import verb
from reseat.report.content import Bars, Chapter, Column, Fact, Kind, Light, Role, Series, Table
from reseat.report.matter import Choices, Matter
from reseat.report.mends import after_change, extent, mend_of, name_of
from reseat.report.sentences import capital, severity_word

__all__ = ["chapter"]

_ROLES: dict[Severity, Role] = {Severity.BROKEN: "broken", Severity.ATTENTION: "attention", Severity.NOTE: "other"}
_LIGHTS = {Severity.BROKEN: Light.RED, Severity.ATTENTION: Light.AMBER, Severity.NOTE: None}


def chapter(matter: Matter, choices: Choices) -> Chapter:
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
        mended = [one for one in found if after_change(one, after) == "mended"]
        fresh = [one for one in after if one.kind not in {had.kind for had in found}]
        facts.append(Fact("Mended by the change", f"{len(mended):,}", None, len(mended)))
        facts.append(Fact("New after the change", f"{len(fresh):,}", None, len(fresh)))
    figure = _figure(found)
    return Chapter(
        kind=Kind.FINDINGS,
        name="What is wrong",
        heading=_heading(numbers),
        text=_text(matter, found),
        facts=tuple(facts),
        figures=() if figure is None else (figure,),
        tables=_tables(found, after) if found or after else (),
        notes=(
            "Critical: data or service is at risk now. Warning: it should be mended. Info: good to know.",
            "What the change does to a finding is computed from the layout that it leads to.",
        ),
    )


def _heading(numbers: dict[Severity, int]) -> str:
    critical, warning, info = (numbers[severity] for severity in Severity)
    if critical:
        rest = f", and {plural(warning, 'warning')}" if warning else ""
        return f"{plural(critical, 'critical finding')} {verb(critical, 'needs', 'need')} action{rest}."
    if warning:
        return f"Nothing is critical; {plural(warning, 'warning')} {verb(warning, 'deserves', 'deserve')} a look."
    if info:
        return "Nothing is critical and there is no warning."
    return "Nothing is found: all is well as far as the input tells."


def _text(matter: Matter, found: tuple[Finding, ...]) -> tuple[str, ...]:
    if not found:
        return ("What the input does not tell cannot be found.",)
    after = matter.findings_after
    if after is None:
        return ()
    mended = [name_of(one.kind) for one in found if after_change(one, after) == "mended"]
    fresh = [name_of(one.kind) for one in after if one.kind not in {had.kind for had in found}]
    said = []
    if mended:
        said.append(f"Mended by the change: {_lowered(mended)}.")
    else:
        said.append("The change mends none of these.")
    if fresh:
        said.append(f"Found only after the change: {_lowered(fresh)}.")
    return tuple(said)


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
        title="Partitions behind each finding",
        says=f"Most partitions, {len(most.rows):,}, are behind: {name_of(most.kind)}.",
        unit="partitions",
        names=tuple(name_of(one.kind) for one in about),
        what="finding",
        series=tuple(series),
        stacked=True,
    )


def _tables(found: tuple[Finding, ...], after: tuple[Finding, ...] | None) -> tuple[Table, ...]:
    fresh = () if after is None else tuple(one for one in after if one.kind not in {had.kind for had in found})
    rows = (*found, *fresh)
    columns = [
        Column("Severity", tuple(severity_word(one.severity) for one in rows)),
        Column("Finding", tuple(capital(one.sentence) for one in rows)),
        Column("What mends it", tuple(mend_of(one.kind) for one in rows)),
        Column("Concerns", tuple(extent(one) for one in rows)),
    ]
    if after is not None:
        states = [after_change(one, after) for one in found]
        columns.append(Column("After the change", (*states, *["new" for _ in fresh])))
    return (Table("findings", "Findings", tuple(columns)),)
