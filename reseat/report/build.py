"""From what a report is made of to the report: the chapters that were chosen and that have something to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from reseat.balance import racks_in_words
from reseat.balance.told import incomplete, racks_unknown
from reseat.model import Severity
from reseat.model.naming import natural
from reseat.model.units import duration
from reseat.model.wording import counted, doing, visible
from reseat.report.chapters import (
    appendix,
    change,
    cost,
    findings,
    glossary,
    leaders,
    risk,
    steps,
    summary,
    time,
    today,
    why,
)
from reseat.report.content import Bars, Chapter, ChapterKind, Heat, Report
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import unproven

__all__ = ["build", "warnings_of"]

#: Makes a chapter, or None where there is nothing to tell: without a plan there is no change.
_Maker = Callable[[Matter, ReportChoices], Chapter | None]
_MAKERS: dict[ChapterKind, _Maker] = {
    ChapterKind.SUMMARY: summary.chapter,
    ChapterKind.TODAY: today.chapter,
    ChapterKind.FINDINGS: findings.chapter,
    ChapterKind.CHANGE: change.chapter,
    ChapterKind.WHY: why.chapter,
    ChapterKind.COST: cost.chapter,
    ChapterKind.RISK: risk.chapter,
    ChapterKind.LEADERS: leaders.chapter,
    ChapterKind.TIME: time.chapter,
    ChapterKind.STEPS: steps.chapter,
    ChapterKind.APPENDIX: appendix.chapter,
}


def build(matter: Matter, choices: ReportChoices) -> Report:
    """The report. Pure: the same matter and choices give the same report.

    Args:
        matter: what it is made of.
        choices: how it is told.
    """
    asked = "as it is" if matter.wish.is_empty else doing(matter.wish)
    called = visible(matter.cluster or Path(matter.source).name or matter.source, 80)
    layout = matter.layout
    sizes = (
        f"{counted(len(layout.brokers), 'broker')} {racks_in_words(layout)}, {counted(len(layout.topics), 'topic')}, "
        f"{counted(layout.partition_count, 'partition')}"
    )
    return Report(
        title=choices.title or f"{called}: {asked}",
        # What the title does not say already: with one of the person's own, what it is about.
        subtitle=sizes if choices.title is None else f"{called}, {asked}",
        author=choices.author,
        made_at=choices.made_at,
        read_at=matter.read_at,
        audience=choices.audience,
        warnings=warnings_of(matter, choices),
        chapters=_chapters(matter, choices),
        logo=choices.logo,
    )


def _chapters(matter: Matter, choices: ReportChoices) -> tuple[Chapter, ...]:
    made: dict[ChapterKind, Chapter] = {}
    for kind in dict.fromkeys(choices.chapters):
        maker = _MAKERS.get(kind)
        one = None if maker is None else maker(matter, choices)
        if one is not None:
            made[kind] = one
    if ChapterKind.GLOSSARY in choices.chapters:
        words = glossary.chapter(tuple(made.values()))  # of what the others say, so it is made last
        if words is not None:
            made[ChapterKind.GLOSSARY] = words
    racks = tuple(sorted(matter.layout.racks, key=natural))
    return tuple(_coloured(made[kind], racks) for kind in dict.fromkeys(choices.chapters) if kind in made)


def _coloured(chapter: Chapter, racks: tuple[str, ...]) -> Chapter:
    """A chapter whose figures know all racks of the cluster, so that a rack has one colour in all of them."""
    figures = tuple(
        replace(one, racks=racks) if isinstance(one, Bars | Heat) and one.groups is not None else one
        for one in chapter.figures
    )
    return replace(chapter, figures=figures)


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
        found = (one for one in matter.plan.findings if one.severity is not Severity.NOTE)
        said += [one.sentence for one in (*certificate.cautions, *found)]
    if matter.read_at is not None and choices.made_at - matter.read_at > _STALE:
        age = duration((choices.made_at - matter.read_at).total_seconds())
        said.append(f"The cluster was read {age} before this report was made; it may have changed.")
    return tuple(dict.fromkeys(said))
