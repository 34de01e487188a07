"""The report as one HTML file that asks for nothing: styles, figures and data stand in it.

Promises: one file, opened from disk without any request; every text is text; all of it can be read with scripts off and
printed; its policy lets in no script and no style but its own.
"""

from __future__ import annotations

from reseat.report.content import Chapter, Report
from reseat.report.shown import about
from reseat.report.writers.parts import Data, document, fact_cards, figure_block, image, light_block, safe, table_block

__all__ = ["write_html"]

_STYLES = ("base.css", "report.css")
_SCRIPTS = ("report.js",)


def write_html(report: Report) -> str:
    """The report as an HTML document, UTF-8."""
    data = Data()
    light = report.lit
    chapters = "".join(_chapter(one, data, lit=one is not light) for one in report.chapters)
    contents = "".join(
        f'<li><a href="#{one.kind.value}">{safe(one.name)}</a> <span class="says">{safe(one.heading)}</span></li>'
        for one in report.chapters
    )
    body = (
        f'<a class="skip" href="#report">Skip to the report</a>\n<div class="page">\n{_cover(report, light)}\n'
        f'<div class="columns">\n<nav aria-label="Contents"><h2>Contents</h2><ol>{contents}</ol></nav>\n'
        f'<main id="report" tabindex="-1">{chapters}</main>\n</div>\n'
        f"<footer><p>{safe(' · '.join(about(report)))}</p></footer>\n</div>"
    )
    return document(title=report.title, body=body, styles=_STYLES, scripts=_SCRIPTS, author=report.author)


def _cover(report: Report, light: Chapter | None) -> str:
    """The first page: what it is, of when, what must be known, and the light."""
    warnings = "".join(f"<li>{safe(one)}</li>" for one in report.warnings)
    return (
        '<header class="cover">'
        + (image(report.logo) if report.logo is not None else "")
        + f'<h1>{safe(report.title)}</h1><p class="subtitle">{safe(report.subtitle)}</p>'
        + f'<p class="about">{safe(" · ".join(about(report)))}</p>'
        + (light_block(light.light, light.rule) if light is not None and light.light is not None else "")
        + (f'<div class="warnings"><h2>Read this first</h2><ul>{warnings}</ul></div>' if warnings else "")
        + "</header>"
    )


def _chapter(chapter: Chapter, data: Data, *, lit: bool) -> str:
    text = "".join(f"<p>{safe(one)}</p>" for one in chapter.text)
    slug = chapter.kind.value
    return (
        f'<section class="chapter" id="{slug}" aria-labelledby="{slug}-heading"><h2 id="{slug}-heading">'
        f'<span class="name">{safe(chapter.name)}</span> {safe(chapter.heading)}</h2>'
        + (light_block(chapter.light, chapter.rule) if lit and chapter.light is not None else "")
        + (f'<div class="text">{text}</div>' if text else "")
        + fact_cards(chapter.facts)
        + "".join(figure_block(one, data) for one in chapter.figures)
        + "".join(table_block(one, data) for one in chapter.tables)
        + "</section>\n"
    )
