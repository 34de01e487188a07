"""The report as a PDF, set by typst: page numbers, an outline, text that can be selected, figures as vectors.

Promises: the same report gives the same bytes on the same machine; text goes to typst as data, never as markup; the
file is tagged for readers of screens (PDF/UA-1).

Fonts: DejaVu Sans as Matplotlib brings it, which draws the figures too. It has Latin, Greek, Cyrillic, Arabic and
Hebrew. Other characters are drawn with the machine's fonts where one has them; where none has, a character's code
point stands for it ("[U+8BA2]") and the first page says so.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reseat.model.wording import listed
from reseat.report import palette
from reseat.report.content import Chapter, Fact, Figure, Light, Report, Table
from reseat.report.drawing import NEUTRAL, svg
from reseat.report.figures.fonts import characters
from reseat.report.logo import logo_as_png, logo_kind
from reseat.report.shown import LIGHT_COLOURS, LIGHTS, about, cell, plain, rest

__all__ = ["write_pdf"]

_PAGE = Path(__file__).with_name("report.typ")
#: Characters in a row that fit every column of ours; a longer run without a space may be broken.
_RUN = 18
#: Where a long name is broken first: after what parts it.
_PIECES = re.compile(rf"[^._:/,;|\-]{{1,{_RUN}}}[._:/,;|\-]*|[._:/,;|\-]{{1,{_RUN}}}")
#: Points: tables, and those with more columns than this.
_SIZES = (8.0, 7.0)
_MANY_COLUMNS = 6


def write_pdf(report: Report) -> bytes:
    """The report as a PDF.

    Raises:
        InputRefused: the logo is neither a PNG nor an SVG.
    """
    import typst

    with TemporaryDirectory(prefix="reseat-report-") as folder:
        home = Path(folder)
        told = _told(report)
        drawn = {f"{one.slug}.svg": svg(one) for chapter in report.chapters for one in chapter.figures}
        families, missing = _others("".join((json.dumps(told, ensure_ascii=False), *drawn.values())))
        if missing:
            told["undrawn"] = (
                f"No font here has {listed(map(_code, sorted(missing)), 20)}; this file shows the code instead of the "
                "character."
            )
        told["fonts"] = ["DejaVu Sans", *families]
        codes = {ord(one): f"[{_code(one)}]" for one in missing}
        texts = {name: text.translate(codes) for name, text in drawn.items()}
        texts["report.json"] = json.dumps(told, ensure_ascii=False).translate(codes)
        for name, text in texts.items():
            (home / name).write_text(text, encoding="utf-8")
        if report.logo is not None:
            logo_as_png(report.logo)
            (home / str(told["logo"])).write_bytes(report.logo)
        (home / "report.typ").write_bytes(_PAGE.read_bytes())
        made: bytes = typst.compile(
            str(home / "report.typ"),
            font_paths=_fonts(home, everywhere=bool(families)),
            pdf_standards=["ua-1"],
            timestamp=int(report.made_at.timestamp()),
        )
        return made


def _told(report: Report) -> dict[str, Any]:
    """What ``report.typ`` reads."""
    light = None if report.lit is None else report.lit.light
    rule = next((chapter.rule for chapter in report.chapters if chapter.rule is not None), None)
    made = report.made_at
    return {
        "title": plain(report.title),
        "title_loose": _loose(report.title),
        "subtitle": plain(report.subtitle),
        "author": plain(report.author) if report.author else None,
        "about": _loose(" · ".join(about(report))),
        "made": [made.year, made.month, made.day, made.hour, made.minute, made.second],
        "made_words": f"{made:%Y-%m-%d %H:%M} UTC",
        "logo": None if report.logo is None else f"logo.{logo_kind(report.logo)}",
        "light": None if light is None else _light(light),
        "rule": None if rule is None else plain(rule),
        "warnings": [_loose(one) for one in report.warnings],
        "chapters": [_chapter(chapter) for chapter in report.chapters],
        "undrawn": None,
        "colours": {**NEUTRAL, "attention": palette.ATTENTION},
    }


def _chapter(chapter: Chapter) -> dict[str, Any]:
    return {
        "name": plain(chapter.name),
        "heading": _loose(chapter.heading),
        "bookmark": plain(f"{chapter.name}: {chapter.heading}"),
        "text": [_loose(one) for one in chapter.text],
        "facts": [_fact(one) for one in chapter.facts],
        "figures": [_figure(one) for one in chapter.figures],
        "tables": [_table(one) for one in chapter.tables],
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "label": _loose(fact.label),
        "shown": _loose(fact.shown),
        "long": len(fact.shown) > 16,
        "detail": None if fact.detail is None else _loose(fact.detail),
        "light": None if fact.light is None else _light(fact.light),
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "file": f"{figure.slug}.svg",
        "title": _loose(figure.title),
        "says": _loose(figure.says),
        "alt": plain(f"{figure.title}. {figure.says}"),
    }


def _table(table: Table) -> dict[str, Any]:
    rows = range(min(len(table), table.shown))
    left_out = rest(table)
    return {
        "title": _loose(table.title),
        "size": _SIZES[len(table.columns) > _MANY_COLUMNS],
        "columns": [{"name": _loose(one.name), "numeric": one.numeric} for one in table.columns],
        "cells": [_loose(cell(column, row)) for row in rows for column in table.columns],
        "rest": None if left_out is None else plain(left_out),
    }


def _light(light: Light) -> list[str]:
    return [LIGHTS[light], LIGHT_COLOURS[light]]


def _loose(text: str) -> str | list[str]:
    """A text; where a word of it is too long for a column, in the pieces between which a line may break."""
    text = plain(text)
    if max(map(len, text.split()), default=0) <= _RUN:
        return text
    pieces: list[str] = []
    for word in re.findall(r"\s+|\S+", text):
        pieces += _PIECES.findall(word) if len(word) > _RUN else [word]
    return pieces


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _own() -> tuple[Path, ...]:
    """The files of DejaVu Sans, regular and bold, that Matplotlib brings."""
    import matplotlib as mpl

    folder = Path(mpl.get_data_path()) / "fonts" / "ttf"
    return tuple(folder / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))


def _beyond(text: str) -> frozenset[str]:
    """Characters of a text that DejaVu Sans has not."""
    return frozenset(set(text) - characters(str(_own()[0])) - set("\n\r\t"))


def _others(text: str) -> tuple[list[str], frozenset[str]]:
    """The families of this machine that have what DejaVu Sans lacks of a text, and what none of them has."""
    missing = _beyond(text)
    families: list[str] = []
    if missing:
        import typst

        for font in sorted(typst.Fonts(include_embedded_fonts=False).fonts(), key=lambda one: (one.family, one.path)):
            if missing and font.style == "normal" and font.weight == 400 and font.stretch == 1:
                found = missing & characters(str(font.path), font.index)
                families += [font.family] if found else []
                missing -= found
    return families, missing


def _fonts(folder: Path, *, everywhere: bool) -> Any:
    """The fonts to set with: DejaVu Sans alone, or with all that the machine has. Read from the folder late."""
    import typst

    for file in _own():
        shutil.copy(file, folder)
    return typst.Fonts(include_system_fonts=everywhere, include_embedded_fonts=False, font_paths=[str(folder)])
