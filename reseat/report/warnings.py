"""What must be said on the first page: a layout read in part, a stale reading, an unproven or a refused plan."""

from __future__ import annotations

from datetime import timedelta

from reseat.balance.told import incomplete, racks_unknown
from reseat.model import Severity
from reseat.model.units import duration
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import unproven

__all__ = ["warnings_of"]

#: A reading older than this is said to be old.
_STALE = timedelta(hours=1)


def warnings_of(matter: Matter, choices: ReportChoices) -> tuple[str, ...]:
    """The sentences, worst first; empty where nothing is missing."""
    said = []
    if matter.refusal is not None:
        said.append(f"There is no plan: {matter.refusal}")
    if matter.plan is not None and matter.plan.certificate.faults:
        said.append(f"The plan has a fault and must not be executed: {matter.plan.certificate.faults[0]}")
    gaps = (incomplete(matter.layout), racks_unknown(matter.layout, matter.wish.remove))
    said += [finding.sentence for finding in gaps if finding is not None]
    said += [finding.sentence for finding in matter.reading if finding.severity is Severity.BROKEN]
    if matter.plan is not None:
        certificate = matter.plan.certificate
        if unproven(certificate):
            said.append("It is not proven that this plan makes the minimum number of moves.")
        said += [one.sentence for one in certificate.cautions]
    if matter.read_at is not None and choices.made_at - matter.read_at > _STALE:
        age = duration((choices.made_at - matter.read_at).total_seconds())
        said.append(f"The cluster was read {age} before this report was made; it may have changed.")
    return tuple(dict.fromkeys(said))
