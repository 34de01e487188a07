"""The report as slides that can be edited: native charts, the heatmap as a picture, notes for the speaker.

Promises: the same report gives the same bytes; every chart, picture and table has an alternative text; what a slide has
no room for stands in its notes; names are text, in the workbooks behind the charts too.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any

from reseat.model.wording import visible
from reseat.report import palette
from reseat.report.content import Bars, Chapter, ChapterKind, Draws, Figure, Heat, Lines, Report, Table
from reseat.report.drawing import png
from reseat.report.shown import about, plain
from reseat.report.slides import parts
from reseat.report.slides.charts import add_bars, add_draws, add_lines
from reseat.report.slides.master import INCH, Frame, Master, of_company, our_own

__all__ = ["write_pptx"]

#: Chapters whose first table management is shown too; of the others the figures and facts say it.
_TABLES = {
    ChapterKind.FINDINGS,
    ChapterKind.WHY,
    ChapterKind.COST,
    ChapterKind.STEPS,
    ChapterKind.GLOSSARY,
    ChapterKind.APPENDIX,
}
#: EMU: a row of cards; the least height of a table beside other things; the room of text beside a figure.
_CARDS, _LEAST_TABLE, _TEXT = INCH * 19 // 20, INCH * 23 // 10, INCH * 9 // 10
_GAP = INCH // 8
#: Slides that a table of words goes on over.
_PAGES = 3
#: Points that text is tried in, and EMU that an average letter of one point is wide.
_SIZES = (14.0, 12.0, 11.0)
_LETTER = 6_600
_REST = "Continued in the notes."


def write_pptx(report: Report, template: bytes | None = None) -> bytes:
    """The report as a PPTX.

    Args:
        report: the report.
        template: a company's own PPTX or POTX, whose master replaces the neutral one and whose slides are left out.

    Raises:
        InputRefused: the template is no such file, or the logo neither a PNG nor an SVG.
    """
    look = our_own() if template is None else of_company(template)
    _first(look, report)
    for chapter in report.chapters:
        _chapter(look, report, chapter)
    _properties(look.deck, report)
    out = io.BytesIO()
    look.deck.save(out)
    return _repacked(out.getvalue())


def _first(look: Master, report: Report) -> None:
    """Title, times, the light with its rule, and what must be known; on a second slide where the master has no room."""
    slide = look.deck.slides.add_slide(look.first)
    parts.titled(slide, report.title)
    lines = [report.subtitle, " · ".join(about(report))]
    subtitle = next((one for one in slide.placeholders if one._element.ph.get("type") == "subTitle"), None)
    places = [one for one in slide.placeholders if one._element.ph.get("type") in {"title", "ctrTitle", "subTitle"}]
    below = max((int(one.top + one.height) for one in places if one.top is not None), default=look.room.top)
    room = Frame(look.room.left, below + _GAP, look.room.width, look.room.bottom - below - _GAP)
    if subtitle is not None:
        subtitle.text_frame.text = "\n".join(map(plain, lines))
    elif room.height > INCH // 2:
        room = _text(slide, room, lines, most=INCH // 2)
    parts.add_foot(slide, look, visible(report.title, 90))
    if report.logo is not None:
        parts.add_logo(slide, look.deck, report.logo)
    summary = report.lit
    if summary is not None or report.warnings:
        if room.height < INCH * 3 // 2:
            slide = _slide(look, report, "Read this first", None)
            room = look.room
        if summary is not None and summary.light is not None:
            parts.add_lamp(slide, Frame(room.left, room.top, 3 * INCH, INCH // 4), summary.light)
            room = _below(room, INCH * 3 // 8)
            if summary.rule is not None:
                room = _text(slide, room, [summary.rule], most=INCH * 4 // 5, colour=palette.LIGHT.quiet, start=2)
        if report.warnings:
            _text(slide, room, report.warnings, most=room.height, bullets=True)
    _notes(slide, [*lines, *report.warnings])


def _chapter(look: Master, report: Report, chapter: Chapter) -> None:
    """A slide with facts and the first figure or table, then one a further figure, then one a further table."""
    slide = _slide(look, report, chapter.heading, chapter)
    room = look.room
    tables = list(chapter.tables)
    if report.audience == "management":
        tables = tables[:1] if chapter.kind in _TABLES else []
    figures = list(chapter.figures)
    if chapter.text:
        least = _CARDS + _GAP if chapter.facts else 0
        least += _high(tables[0]) if tables else 0
        room = _text(slide, room, chapter.text, most=_TEXT if figures else max(room.height - least, _TEXT))
    if chapter.facts:
        parts.add_cards(slide, Frame(room.left, room.top, room.width, _CARDS), chapter.facts)
        room = _below(room, _CARDS + _GAP)
    if figures:
        _figure(slide, room, figures.pop(0), report)
    elif tables and room.height >= min(_LEAST_TABLE, _high(tables[0])):
        table = tables.pop(0)
        _more(look, report, chapter, table, parts.add_table(slide, room, table, goes_on=_words(table)))
    _notes(slide, [*chapter.notes, *chapter.text, *([chapter.rule] if chapter.rule else []), *_figure_notes(chapter)])
    for figure in figures:
        slide = _slide(look, report, figure.title, chapter)
        _figure(slide, look.room, figure, report, titled=True)
        _notes(slide, [figure.says])
    for table in tables:
        _more(look, report, chapter, table, 0)


def _more(look: Master, report: Report, chapter: Chapter, table: Table, start: int) -> None:
    """A table from a row on, on a slide of its own; one of words goes on over a few, as it is read through."""
    pages = _PAGES if _words(table) else 1 - bool(start)
    for number in range(pages):
        if start >= min(len(table), table.shown):
            return
        slide = _slide(
            look, report, table.title if number == 0 and start == 0 else f"{table.title}, continued", chapter
        )
        goes_on = number + 1 < pages
        start = parts.add_table(slide, look.room, table, start=start, titled=False, goes_on=goes_on)


def _words(table: Table) -> bool:
    return not any(column.numeric for column in table.columns)


def _slide(look: Master, report: Report, heading: str, chapter: Chapter | None) -> Any:
    slide = look.deck.slides.add_slide(look.plain)
    parts.titled(slide, heading)
    parts.add_foot(slide, look, visible(report.title, 90) + ("" if chapter is None else f" · {chapter.name}"))
    return slide


def _figure(slide: Any, room: Frame, figure: Figure, report: Report, *, titled: bool = False) -> None:
    """A figure with its title, where the slide has not that very one, and its sentence over it."""
    from pptx.util import Emu

    if not titled:
        parts.add_text(slide, Frame(room.left, room.top, room.width, INCH // 4), [figure.title], size=12, bold=True)
        room = _below(room, INCH // 4)
    room = _text(slide, room, [figure.says], most=INCH * 3 // 4, colour=palette.LIGHT.quiet, start=1)
    place = (Emu(room.left), Emu(room.top), Emu(room.width), Emu(max(room.height, INCH)))
    match figure:
        case Bars():
            held = add_bars(slide.shapes, place, figure, report.made_at)
        case Lines():
            held = add_lines(slide.shapes, place, figure, report.made_at)
        case Draws():
            held = add_draws(slide.shapes, place, figure, report.made_at)
        case Heat():
            held = slide.shapes.add_picture(io.BytesIO(png(figure)), place[0], place[1], height=place[3])
            if held.width > room.width:
                held.height, held.width = Emu(held.height * room.width // held.width), Emu(room.width)
    held.name = plain(figure.slug)
    parts.described(held, f"{figure.title}. {figure.says}")


def _text(
    slide: Any,
    room: Frame,
    paragraphs: Sequence[str],
    *,
    most: int,
    bullets: bool = False,
    colour: str | None = None,
    start: int = 0,
) -> Frame:
    """Writes what fits into ``most`` EMU, in the largest type in which all of it does; the rest is left to the notes.

    Returns:
        What is left of the room under it.
    """
    shown, size, high = list(paragraphs), _SIZES[start], 0
    for size in _SIZES[start:]:
        high = _high_of(shown, size, room.width)
        if high <= most:
            break
    kept = len(shown)
    while high > most and kept > 1:
        kept -= 1
        shown = [*paragraphs[:kept], _REST]
        high = _high_of(shown, size, room.width)
    if high > most and kept == 1:
        shown = [visible(paragraphs[0], _letters(most, size, room.width)), *shown[1:]]
        high = _high_of(shown, size, room.width)
    parts.add_text(
        slide, Frame(room.left, room.top, room.width, high), shown, size=size, bullets=bullets, colour=colour
    )
    return _below(room, high + _GAP // 2)


def _letters(most: int, size: float, width: int) -> int:
    """Letters of one paragraph that fit, about, with a line kept for the sentence after it."""
    lines = max(int(most / (size * 1.25 * 12_700)) - 2, 1)
    return lines * int(width / (size * _LETTER))


def _high_of(paragraphs: Sequence[str], size: float, width: int) -> int:
    """EMU that paragraphs take, about."""
    line = max(int(width / (size * _LETTER)), 10)
    lines = sum(-(-len(one) // line) for one in paragraphs)
    return int((lines * 1.25 + len(paragraphs) * 0.4) * size * 12_700 + INCH // 10)


def _high(table: Table) -> int:
    return (min(len(table), parts.ROWS) + 3) * 300_000


def _below(room: Frame, used: int) -> Frame:
    return Frame(room.left, room.top + used, room.width, room.height - used)


def _figure_notes(chapter: Chapter) -> list[str]:
    """The first figure's sentence, and what its numbered events are."""
    said = [one.says for one in chapter.figures[:1]]
    for one in chapter.figures:
        if isinstance(one, Lines):
            said += [f"{number}: {words}" for number, (_, words) in enumerate(one.events, 1)]
    return said


def _notes(slide: Any, sentences: Sequence[str]) -> None:
    """The speaker's notes; a sentence is said once."""
    said = [plain(one) for one in dict.fromkeys(sentences) if one]
    if said:
        slide.notes_slide.notes_text_frame.text = "\n".join(said)


def _properties(deck: Any, report: Report) -> None:
    """The file's own data: nothing of the template's stays."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    of = deck.core_properties
    of.title, of.subject, of.author = (
        plain(report.title)[:255],
        plain(report.subtitle)[:255],
        plain(report.author or "")[:255],
    )
    of.last_modified_by, of.keywords, of.comments, of.category = "", "", "", ""
    of.language, of.revision = "en", 1
    of.created = of.modified = of.last_printed = report.made_at.replace(tzinfo=None)
    for key, relation in list(deck.part.package._rels.items()):
        if relation.reltype == RELATIONSHIP_TYPE.THUMBNAIL:
            deck.part.package._rels.pop(key)


def _repacked(data: bytes) -> bytes:
    """The same file without the time at which it was packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as held, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for one in held.infolist():
            made.writestr(zipfile.ZipInfo(one.filename, (1980, 1, 1, 0, 0, 0)), held.read(one), zipfile.ZIP_DEFLATED)
    return out.getvalue()
