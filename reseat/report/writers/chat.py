"""The report as a short text for chat: what was found, the numbers, what to know. Plain, without markup."""

from __future__ import annotations

from reseat.model.wording import visible
from reseat.report.content import ChapterKind, Report
from reseat.report.shown import LIGHTS

__all__ = ["write_chat"]

#: What fits into a message that people read at once.
_LONGEST = 1_500
#: Chapters whose headings tell the rest in a line each.
_TOLD = (ChapterKind.CHANGE, ChapterKind.COST, ChapterKind.RISK, ChapterKind.STEPS)


def write_chat(report: Report) -> str:
    """The text: the title, the light, what must be known, the numbers of the first chapter, then a line a chapter."""
    lines = [report.title]
    first = next((one for one in report.chapters if one.kind is ChapterKind.SUMMARY), None)
    if first is not None:
        light = "" if first.light is None else f"{LIGHTS[first.light]}. "
        lines += [f"{light}{first.heading}", *first.text]
    lines += [f"Note: {one}" for one in report.warnings[:3] if one not in lines]
    if first is not None:
        lines += [f"- {one.label}: {one.shown}{f' ({one.detail})' if one.detail else ''}" for one in first.facts]
    said = {line.removeprefix("- ") for line in lines} | ({first.heading} if first is not None else set())
    lines += [
        f"- {one.name}: {one.heading}" for one in report.chapters if one.kind in _TOLD and one.heading not in said
    ]
    text = "\n".join(_harmless(line) for line in lines)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rsplit(chr(10), 1)[0]}\n…"


def _harmless(line: str) -> str:
    """A line in which no name calls anybody or becomes markup: chats read @ and < so."""
    return visible(line, 600).replace("@", "@\u2060").replace("<", "<\u2060")
