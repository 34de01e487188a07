"""Pieces of HTML that the report's file, its preview and the talk share: figures, facts, tables, lights, documents.

Every text is escaped here; a document asks for nothing, and its policy lets only its own style and script in.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import math
import re
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from urllib.parse import quote

import numpy as np

from reseat.report import palette
from reseat.report.behind import csv_of, table_of
from reseat.report.content import Column, Fact, Figure, Heat, Light, Table
from reseat.report.drawing import NEUTRAL, inline
from reseat.report.logo import logo_kind
from reseat.report.shown import LIGHT_COLOURS, LIGHTS, cell, plain, rest

__all__ = [
    "WEB",
    "Data",
    "document",
    "fact_cards",
    "figure_block",
    "image",
    "light_block",
    "plain_rows",
    "safe",
    "table_block",
]

#: Styles and scripts of documents.
WEB = Path(__file__).with_name("web")
#: A CSV up to so many characters stands in its link, which works without scripts; a longer one is packed.
_LINKED = 12_000
#: Characters of packed data in one file: with the rest it stays under 1.5 MB.
_MOST = 800_000
#: Rows from which a table is folded.
_FOLDED = 15
#: Every run of characters without a blank, or of blanks; long ones may break after so many characters.
_LONG = re.compile(r"\S+|\s+")
_PIECE = 20
#: Columns of a heatmap up to which its table has its shape.
_SHAPED = 24


def safe(text: str) -> str:
    """A text as HTML, fit for attributes too."""
    return html.escape(plain(text))


@dataclass(eq=False)
class Data:
    """The copies of data in one document: short ones in links, long ones packed, none once the file is full."""

    left: int = _MOST
    names: set[str] = field(default_factory=set)

    def name(self, table: Table) -> str:
        """What its copy is called in this document: a figure and a table may have one slug."""
        tried = chain((table.slug,), (f"{table.slug}-{number}" for number in count(2)))
        known = next(one for one in tried if one not in self.names)
        self.names.add(known)
        return known

    def of(self, table: Table, name: str) -> tuple[str, bool]:
        """(buttons to copy and download the data of a table, with the data; whether it is there)."""
        csv = csv_of(table)
        slug, title = safe(name), safe(table.title)
        held = ""
        if len(csv) <= _LINKED:
            link = quote(csv, safe=" ,-._~!*()/:;'$@+=")
            self.left -= len(link)
            get = f'<a class="csv" data-of="{slug}" download="{slug}.csv" href="data:text/csv;charset=utf-8,{link}">'
            end = "</a>"
        else:
            packed = base64.b64encode(gzip.compress(csv.encode(), 9, mtime=0)).decode()
            if len(packed) > self.left:
                return "", False
            self.left -= len(packed)
            held = f'<script type="application/gzip" id="data-{slug}">{packed}</script>'
            get, end = f'<button type="button" class="csv needs" data-of="{slug}">', "</button>"
        named = f'<span class="hidden"> of {title}</span>'
        copy = (
            f'<button type="button" class="copy needs" data-of="{slug}" data-title="{title}">Copy data{named}</button>'
        )
        return f'<div class="data">{copy}{get}Download CSV{named}{end}</div>{held}', True


def document(
    *, title: str, body: str, styles: tuple[str, ...], scripts: tuple[str, ...], author: str | None = None
) -> str:
    """A whole HTML document with its own styles and scripts, files of ``web``."""
    look = _looks(title) + "".join((WEB / name).read_text(encoding="utf-8") for name in styles)
    # Each in an element of its own: a page that shows the document in a frame lets them in by their digests (``WEB``).
    texts = [(WEB / name).read_text(encoding="utf-8") for name in scripts]
    own = " ".join(f"'{_hash(text)}'" for text in texts)
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(look)}'; script-src {own}; "
        "base-uri 'none'; form-action 'none'"
    )
    who = "" if author is None else f'<meta name="author" content="{safe(author)}">'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"{who}<title>{safe(title)}</title>\n<style>{look}</style>\n</head>\n"
        f"<body>\n{body}\n{''.join(f'<script>{text}</script>' for text in texts)}\n</body>\n</html>\n"
    )


def _lamp(light: Light) -> str:
    """A coloured dot; its word has to stand beside it."""
    dot = f'<circle cx="5" cy="5" r="5" fill="{LIGHT_COLOURS[light]}"/>'
    return f'<svg class="lamp" viewBox="0 0 10 10" aria-hidden="true">{dot}</svg>'


def light_block(light: Light, rule: str | None) -> str:
    """The traffic light with its word and its rule."""
    lit = list(Light).index(light)
    dots = "".join(
        f'<circle cx="{7 + 15 * place}" cy="7" r="6" fill="{LIGHT_COLOURS[light] if place == lit else "none"}" '
        f'stroke="{LIGHT_COLOURS[light] if place == lit else "var(--quiet)"}" stroke-width="1"/>'
        for place in range(len(Light))
    )
    why = "" if rule is None else f'<p class="quiet">{safe(rule)}</p>'
    return (
        f'<div class="verdict"><svg class="lights" viewBox="0 0 44 14" aria-hidden="true">{dots}</svg>'
        f"<div><p><strong>{LIGHTS[light]}</strong></p>{why}</div></div>"
    )


def fact_cards(facts: tuple[Fact, ...]) -> str:
    """Numbers that matter, a card each; nothing where there are none."""
    if not facts:
        return ""
    cards = "".join(
        f'<div><dt>{safe(one.label)}</dt><dd class="shown{" long" if len(one.shown) > 14 else ""}">'
        f"{safe(one.shown)}</dd>"
        + (f"<dd>{_lamp(one.light)}{LIGHTS[one.light]}</dd>" if one.light is not None else "")
        + (f"<dd>{safe(one.detail)}</dd>" if one.detail is not None else "")
        + "</div>"
        for one in facts
    )
    return f'<dl class="facts">{cards}</dl>'


def figure_block(figure: Figure, data: Data) -> str:
    """A figure with its title, its sentence, and its data to read, copy and download."""
    table = table_of(figure)
    name = data.name(table)
    buttons, there = data.of(table, name)
    shape = _shaped(figure) if isinstance(figure, Heat) and len(figure.columns) <= _SHAPED else table
    drawn = inline(figure).replace("<svg ", f'<svg data-of="{safe(name)}" ', 1)
    named = f'<span class="hidden">: {safe(figure.title)}</span>'
    return (
        f'<div class="block"><h3>{safe(figure.title)}</h3><figure>'
        f"<figcaption>{safe(figure.says)}</figcaption>"
        f'<div class="plot" tabindex="0" role="group" aria-label="{safe(figure.title)}">{drawn}</div></figure>'
        f'<details class="behind"><summary>Data of this figure{named}</summary>'
        f"{_rows(shape, there=there)}</details>{buttons}</div>"
    )


def table_block(table: Table, data: Data) -> str:
    """A table with its title and its copies; folded where it is long."""
    buttons, there = data.of(table, data.name(table))
    shown = min(len(table), table.shown)
    if len(table) <= _FOLDED:
        return f'<div class="block"><h3>{safe(table.title)}</h3>{_rows(table, there=there)}{buttons}</div>'
    many = f"{len(table):,} rows" if shown == len(table) else f"{shown:,} of {len(table):,} rows"
    return (
        f'<div class="block"><h3 class="hidden">{safe(table.title)}</h3><details><summary>{safe(table.title)}: {many}'
        f"</summary>{_rows(table, there=there)}</details>{buttons}</div>"
    )


def image(logo: bytes) -> str:
    """A logo as a picture that stands in the file; a picture runs no script."""
    kind = {"png": "image/png", "svg": "image/svg+xml"}[logo_kind(logo)]
    return f'<img class="logo" alt="Logo" src="data:{kind};base64,{base64.b64encode(logo).decode()}">'


def plain_rows(table: Table, kind: str = "") -> str:
    """The rows of a table that a person is shown, as a ``<table>`` of a class."""
    head = "".join(f'<th scope="col"{_kind(column)}>{_loose(column.name) or "&nbsp;"}</th>' for column in table.columns)
    many = min(len(table), table.shown)
    columns = [[_cell(column, row) for row in range(many)] for column in table.columns]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*columns, strict=True))
    return (
        f'<table class="{kind}"><caption class="hidden">{safe(table.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _rows(table: Table, *, there: bool) -> str:
    """The rows that a person is shown, which can be sorted, and where the others are."""
    if not len(table):
        return '<p class="quiet">No rows.</p>'
    left = "" if len(table) <= table.shown else f'<p class="rest">{safe(_left(table, there=there))}</p>'
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{safe(table.title)}">{plain_rows(table, "sorts")}'
        f"</div>{left}"
    )


def _left(table: Table, *, there: bool) -> str:
    """Where the other rows are."""
    if there:
        return f"{table.shown:,} of {len(table):,} rows are shown and sorted. The copied data has all of them."
    return rest(table) or ""


def _loose(text: str) -> str:
    """A text in whose long words a line may break, and in no others: columns stay as wide as their words."""
    return _LONG.sub(lambda word: "<wbr>".join(map(safe, re.findall(f"(?s:.){{1,{_PIECE}}}", word[0]))), plain(text))


def _kind(column: Column) -> str:
    return ' class="number"' if column.numeric else ""


def _cell(column: Column, row: int) -> str:
    if not column.numeric:
        return f"<td>{_loose(cell(column, row))}</td>"
    shown = safe(cell(column, row))
    held = column.values[row]
    amount = math.nan if held is None or isinstance(held, str) else float(held)
    if shown.replace(",", "").isdecimal():
        return f'<td class="number">{shown}</td>'
    return f'<td class="number" data-v="{"" if math.isnan(amount) else f"{amount:.12g}"}">{shown}</td>'


def _shaped(figure: Heat) -> Table:
    """A heatmap's numbers in its own shape: a row a broker, a column each of its columns."""
    columns = [Column("Broker", figure.rows)]
    if figure.groups is not None:
        columns.append(Column("Rack", figure.groups))
    columns += [
        Column(name, np.asarray(figure.values[:, place], np.float64), figure.unit)
        for place, name in enumerate(figure.columns)
    ]
    return Table(figure.slug, figure.title, tuple(columns))


def _looks(title: str) -> str:
    """The colours as variables, light and dark, and the running title for the printed page."""
    running = "".join(char if char.isascii() and char.isalnum() else f"\\{ord(char):x} " for char in plain(title))
    dark = palette.DARK
    light = "".join(f"--{name}:{colour};" for name, colour in NEUTRAL.items())
    night = "".join(f"--{name}:{getattr(dark, name)};" for name in NEUTRAL)
    return (
        f':root{{color-scheme:light dark;{light}--running:"{running}"}}\n'
        f"@media screen and (prefers-color-scheme: dark){{:root{{{night}}}}}\n"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
