"""The report as a talk: one HTML document, one chapter a screen, big type, gone through by keys.

A chapter of more than two figures goes on: two of them a screen, so that type stays big.

Arrows, Page keys, Space and Enter go on and back, Home and End to the ends; N shows the speaker's notes, F fills the
screen, Escape leaves. Figures tell their numbers when hovered. With scripts off all screens stand below each other.
A page around it in a frame is sent the message ``reseat-talk-left`` once the talk is left.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.report.behind import table_of
from reseat.report.content import Chapter, Figure, Report, Table
from reseat.report.drawing import inline
from reseat.report.shown import about
from reseat.report.writers.parts import Data, document, fact_cards, image, light_block, plain_rows, safe

__all__ = ["write_talk"]

#: Rows of a table that a screen has room for, where it has no figure.
_ROWS = 8
#: Points: how wide a figure is drawn that has a screen to itself, and one of two; its type is as large in both.
_WHOLE, _HALF = 460.0, 320.0
#: Paragraphs that stand on a screen beside figures, and without any; the others are among the notes.
_BESIDE, _ALONE = 1, 4


def write_talk(report: Report) -> str:
    """The talk as an HTML document, UTF-8."""
    data = Data()
    light = report.lit
    parts = [_cover(report, light)]
    for chapter in report.chapters:
        parts += _screens(chapter, data, lit=chapter is not light)
    screens = "".join(
        f'<section class="screen" aria-label="{number} of {len(parts)}">{part}</section>\n'
        for number, part in enumerate(parts, 1)
    )
    body = f'<main id="talk">{screens}</main>\n{_BAR}'
    styles, scripts = ("base.css", "talk.css"), ("report.js", "talk.js")
    return document(title=report.title, body=body, styles=styles, scripts=scripts, author=report.author)


_BAR = (
    '<nav class="bar" aria-label="Talk">'
    '<button type="button" class="only" data-does="back" aria-label="Back">\u2190</button>'
    '<span class="counter only" role="status"></span>'
    '<button type="button" class="only" data-does="next" aria-label="Next">\u2192</button>'
    '<button type="button" class="only notes-key" data-does="notes" aria-pressed="false">Notes (N)</button>'
    '<button type="button" class="only" data-does="full">Full screen (F)</button>'
    '<button type="button" class="only" data-does="leave">Leave (Esc)</button>'
    '<button type="button" class="start" data-does="start">Present</button></nav>'
)


def _cover(report: Report, light: Chapter | None) -> str:
    warnings = "".join(f"<li>{safe(one)}</li>" for one in report.warnings)
    return (
        '<div class="inner" tabindex="0">'
        + (image(report.logo) if report.logo is not None else "")
        + f'<h1 tabindex="-1">{safe(report.title)}</h1><p class="subtitle">{safe(report.subtitle)}</p>'
        + f'<p class="quiet">{safe(" · ".join(about(report)))}</p>'
        + (light_block(light.light, light.rule) if light is not None and light.light is not None else "")
        + (f'<div class="warnings"><ul>{warnings}</ul></div>' if warnings else "")
        + "</div>"
        + _notes(())
    )


def _screens(chapter: Chapter, data: Data, *, lit: bool) -> list[str]:
    """A chapter's screen; where it has more than two figures, each further two have a screen of their own."""
    pairs = _pairs(chapter.figures)
    shown = _BESIDE if chapter.figures or chapter.tables else _ALONE
    said = "".join(f"<p>{safe(one)}</p>" for one in chapter.text[:shown]) + fact_cards(chapter.facts)
    if lit and chapter.light is not None:
        said = light_block(chapter.light, chapter.rule) + said
    tables = "" if chapter.figures else "".join(_table(one) for one in chapter.tables[:1])
    notes = _notes((*chapter.notes, *chapter.text[shown:]))
    made = []
    for number, pair in enumerate(pairs, 1):
        name = chapter.name if len(pairs) == 1 else f"{chapter.name}, {number} of {len(pairs)}"
        figures = "".join(_figure(one, data, alone=len(pair) == 1) for one in pair)
        made.append(
            f'<div class="inner" tabindex="0"><h2 tabindex="-1"><span class="name">{safe(name)}</span> '
            f"{safe(chapter.heading)}</h2>"
            + (said if number == 1 else "")
            + (f'<div class="figures">{figures}</div>' if figures else "")
            + (tables if number == 1 else "")
            + "</div>"
            + notes
        )
    return made


def _pairs(figures: tuple[Figure, ...]) -> list[tuple[Figure, ...]]:
    """Figures by twos: before and after stand beside each other."""
    return [figures[at : at + 2] for at in range(0, len(figures), 2)] or [()]


def _figure(figure: Figure, data: Data, *, alone: bool) -> str:
    """A figure with its sentence; the data of one whose cells are looked up in it. Two share a screen: narrower."""
    name = data.name(table_of(figure))
    drawn = inline(figure, _WHOLE if alone else _HALF)
    drawn = drawn.replace("<svg ", f'<svg data-of="{safe(name)}" preserveAspectRatio="xMinYMin" ', 1)
    held = "" if 'class="hits"' in drawn else f"<div hidden>{data.of(table_of(figure), name)[0]}</div>"
    return (
        f"<figure><h3>{safe(figure.title)}</h3><figcaption>{safe(figure.says)}</figcaption>"
        f'<div class="plot">{drawn}</div>{held}</figure>'
    )


def _table(table: Table) -> str:
    """The first rows of a table."""
    few = replace(table, shown=min(table.shown, _ROWS))
    left = f'<p class="quiet">{few.shown:,} of {len(table):,} rows are shown.</p>' if len(table) > few.shown else ""
    return f"<h3>{safe(table.title)}</h3>{plain_rows(few)}{left}"


def _notes(notes: tuple[str, ...]) -> str:
    """What a speaker says, shown on demand."""
    said = "".join(f"<p>{safe(one)}</p>" for one in notes) or '<p class="quiet">There are no notes for this screen.</p>'
    return f'<aside class="notes" aria-label="Notes" tabindex="0">{said}</aside>'
