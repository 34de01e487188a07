"""What stands on a slide beside charts: the foot, cards of facts, text, tables, the light and the logo."""

from __future__ import annotations

import copy
import io
from collections.abc import Sequence
from typing import Any

from reseat.model.wording import visible
from reseat.report import palette
from reseat.report.content import Fact, Light, Table
from reseat.report.logo import logo_as_png
from reseat.report.shown import LIGHT_COLOURS, LIGHTS, cell, plain, rest
from reseat.report.slides.master import FONT, INCH, Frame, Master

__all__ = ["ROWS", "add_cards", "add_foot", "add_lamp", "add_logo", "add_table", "add_text", "rgb", "titled"]

#: Rows of a table that a slide has at most.
ROWS = 12
#: EMU beside the words of a cell, and that an average letter of one point is wide; letters of a cell; columns that are
#: many; the identifier that the format gives to a table without style and grid.
_CELL, _LETTER, _LONGEST, _MANY = INCH // 16, 7_200, 160, 6
_NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
#: (letters, points) of a title: the longer, the smaller.
_TITLES = ((70, 28), (105, 24), (180, 18), (400, 14))
#: Points of body text.
BODY = 14


def rgb(colour: str) -> Any:
    """A colour as python-pptx has it."""
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(colour[1:].upper())


def titled(slide: Any, words: str) -> None:
    """A slide's title, smaller where it is long."""
    from pptx.util import Pt

    frame = slide.shapes.title.text_frame
    frame.text = plain(words)
    frame.word_wrap = True
    size = next((points for letters, points in _TITLES if len(words) <= letters), 11)
    if len(words) > _TITLES[0][0]:
        for run in frame.paragraphs[0].runs:
            run.font.size = Pt(size)


def add_foot(slide: Any, look: Master, words: str) -> None:
    """The running title and the slide's number, where the layout has places for them; empty places go."""
    from pptx.oxml.ns import qn

    for shape in list(slide.placeholders):
        if shape._element.ph.get("type") not in {"title", "ctrTitle", "subTitle", "ftr", "sldNum"}:
            shape._element.getparent().remove(shape._element)
    numbers = [int(one.get("id")) for one in slide.shapes._spTree.iter(qn("p:cNvPr"))]
    for place in slide.slide_layout.placeholders:
        kind = place._element.ph.get("type")
        if kind not in {"ftr", "sldNum"}:
            continue
        made = copy.deepcopy(place._element)
        made.nvSpPr.cNvPr.set("id", str(max(numbers) + 1))
        numbers.append(max(numbers) + 1)
        if kind == "ftr":
            _only_text(made, words)
            if look.own:
                _small(made)
        slide.shapes._spTree.append(made)


def add_text(
    slide: Any,
    frame: Frame,
    paragraphs: Sequence[str],
    *,
    size: float = BODY,
    bold: bool = False,
    colour: str | None = None,
    bullets: bool = False,
) -> Any:
    """A box of paragraphs."""
    from pptx.enum.text import MSO_AUTO_SIZE
    from pptx.util import Pt

    box = slide.shapes.add_textbox(frame.left, frame.top, frame.width, frame.height)
    text = box.text_frame
    text.word_wrap, text.auto_size = True, MSO_AUTO_SIZE.NONE
    text.margin_left = text.margin_right = 0
    for number, words in enumerate(paragraphs):
        one = text.paragraphs[0] if number == 0 else text.add_paragraph()
        run = one.add_run()
        run.text = plain(f"• {words}" if bullets else words)
        run.font.size, run.font.bold = Pt(size), bold
        one.space_after = Pt(size * 0.4)
        if colour is not None:
            run.font.color.rgb = rgb(colour)
    return box


def add_cards(slide: Any, frame: Frame, facts: Sequence[Fact]) -> None:
    """The facts side by side: what it is, the number, what goes with it."""
    from pptx.enum.shapes import MSO_SHAPE
    from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
    from pptx.util import Emu, Pt

    gap = INCH // 10
    wide = min((frame.width - gap * (len(facts) - 1)) // len(facts), 3 * INCH)
    for at, fact in enumerate(facts):
        box = slide.shapes.add_shape(
            MSO_SHAPE.RECTANGLE, Emu(frame.left + at * (wide + gap)), Emu(frame.top), Emu(wide), Emu(frame.height)
        )
        box.name = plain(f"Fact {at + 1}")
        box.shadow.inherit = False
        box.fill.solid()
        box.fill.fore_color.rgb = rgb(palette.LIGHT.faint)
        box.line.fill.background()
        text = box.text_frame
        text.word_wrap, text.vertical_anchor = True, MSO_ANCHOR.MIDDLE
        text.margin_left = text.margin_right = Emu(INCH // 10)
        text.margin_top = text.margin_bottom = Emu(INCH // 25)
        long = len(fact.shown) * 0.145 * INCH > wide - INCH // 5
        rows = [
            (fact.label, 10.0, False, palette.LIGHT.quiet),
            (fact.shown, 13 if long else 20, True, palette.LIGHT.text),
        ]
        last = " · ".join(part for part in (LIGHTS[fact.light] if fact.light else "", fact.detail or "") if part)
        if last:
            rows.append((last, 9.0, False, palette.LIGHT.quiet))
        for number, (words, size, bold, colour) in enumerate(rows):
            one = text.paragraphs[0] if number == 0 else text.add_paragraph()
            one.alignment = PP_ALIGN.LEFT
            if number == 2 and fact.light:
                lamp = one.add_run()
                lamp.text = "● "
                lamp.font.size = Pt(size)
                lamp.font.color.rgb = rgb(LIGHT_COLOURS[fact.light])
            run = one.add_run()
            run.text = visible(words, 90)
            run.font.size, run.font.bold = Pt(size), bold
            run.font.color.rgb = rgb(colour)


def add_lamp(slide: Any, frame: Frame, light: Light) -> None:
    """The traffic light: a dot of its colour and its word."""
    from pptx.enum.shapes import MSO_SHAPE
    from pptx.util import Emu

    dot = slide.shapes.add_shape(MSO_SHAPE.OVAL, Emu(frame.left), Emu(frame.top), Emu(frame.height), Emu(frame.height))
    dot.name = "Traffic light"
    described(dot, f"Traffic light: {LIGHTS[light]}")
    dot.shadow.inherit = False
    dot.fill.solid()
    dot.fill.fore_color.rgb = rgb(LIGHT_COLOURS[light])
    dot.line.fill.background()
    beside = Frame(frame.left + frame.height * 3 // 2, frame.top - INCH // 16, frame.width, frame.height + INCH // 8)
    add_text(slide, beside, [LIGHTS[light]], size=18, bold=True)


def add_table(slide: Any, frame: Frame, table: Table, *, start: int = 0, titled: bool = True, goes_on: bool) -> int:
    """A table's rows from ``start``, as many as the frame has room for; under them where the rest is.

    Args:
        slide: where.
        frame: its room.
        table: the table.
        start: the first row.
        titled: whether its title stands over it.
        goes_on: whether another slide has what this one has no room for, so that none of it is said to be left out.

    Returns:
        The row after the last that is shown.
    """
    from pptx.enum.text import PP_ALIGN
    from pptx.oxml.ns import qn
    from pptx.util import Emu, Pt

    if titled:
        add_text(slide, Frame(frame.left, frame.top, frame.width, INCH // 3), [table.title], size=12, bold=True)
        frame = Frame(frame.left, frame.top + INCH // 3, frame.width, frame.height - INCH // 3)
    size = 11 if len(table.columns) <= _MANY else 9
    most = min(len(table), table.shown, start + ROWS)
    texts = [[_short(cell(column, row)) for row in range(start, most)] for column in table.columns]
    widths = _widths(
        frame.width, size, [[plain(one.name), *held] for one, held in zip(table.columns, texts, strict=True)]
    )
    heights = [_row_high(size, widths, [plain(one.name) for one in table.columns])]
    for row in zip(*texts, strict=True):
        if sum(heights) + _row_high(size, widths, row) > frame.height - INCH // 3 and len(heights) > 1:
            break
        heights.append(_row_high(size, widths, row))
    end = start + len(heights) - 1
    held = slide.shapes.add_table(
        len(heights), len(widths), Emu(frame.left), Emu(frame.top), Emu(sum(widths)), Emu(sum(heights))
    )
    described(held, table.title)
    grid = held.table
    style = grid._tbl.tblPr.find(qn("a:tableStyleId"))
    if style is not None:
        style.text = _NO_STYLE
    for number, high in enumerate(heights):
        grid.rows[number].height = Emu(high)
    for at, (column, values) in enumerate(zip(table.columns, texts, strict=True)):
        grid.columns[at].width = Emu(widths[at])
        for number, words in enumerate((plain(column.name), *values)[: len(heights)]):
            box = grid.cell(number, at)
            box.margin_top = box.margin_bottom = Emu(_CELL // 2)
            box.margin_left = box.margin_right = Emu(_CELL)
            box.fill.solid()
            box.fill.fore_color.rgb = rgb(palette.LIGHT.faint if number == 0 else palette.LIGHT.background)
            one = box.text_frame.paragraphs[0]
            one.alignment = PP_ALIGN.RIGHT if column.numeric else PP_ALIGN.LEFT
            run = one.add_run()
            run.text = words
            run.font.size, run.font.bold = Pt(size), number == 0
            one._p.get_or_add_endParaRPr().set("sz", str(size * 100))  # an empty cell is as high as its end's type
            run.font.color.rgb = rgb(palette.LIGHT.text)
    left_out = None if goes_on else rest(table, end)
    if left_out is not None:
        under = Frame(frame.left, frame.top + sum(heights) + INCH // 16, frame.width, INCH // 3)
        add_text(slide, under, [left_out], size=10, colour=palette.LIGHT.quiet)
    return end


def add_logo(slide: Any, deck: Any, logo: bytes) -> None:
    """The logo in the upper right corner, as a picture."""
    from pptx.util import Emu

    picture = slide.shapes.add_picture(io.BytesIO(logo_as_png(logo)), Emu(0), Emu(0), height=Emu(INCH * 3 // 5))
    if picture.width > 3 * INCH:
        picture.height, picture.width = Emu(picture.height * 3 * INCH // picture.width), Emu(3 * INCH)
    picture.left = Emu(deck.slide_width - picture.width - INCH // 2)
    picture.top = Emu(INCH * 2 // 5)
    picture.name = "Logo"
    described(picture, "Logo")


def described(shape: Any, words: str) -> None:
    """The alternative text of a shape."""
    shape._element.xpath("./*[1]/p:cNvPr")[0].set("descr", plain(words))


def _only_text(element: Any, words: str) -> None:
    """Leaves one run of text in a copied place."""
    from pptx.oxml.ns import qn

    body = element.find(qn("p:txBody"))
    for one in body.findall(qn("a:p")):
        body.remove(one)
    paragraph = body.makeelement(qn("a:p"), {})
    run = paragraph.makeelement(qn("a:r"), {})
    text = run.makeelement(qn("a:t"), {})
    text.text = plain(words)
    run.append(text)
    paragraph.append(run)
    body.append(paragraph)


def _small(element: Any) -> None:
    """The foot of our own master: small, quiet and left, also where a program does not inherit that."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls, qn

    paragraph = element.find(f"{qn('p:txBody')}/{qn('a:p')}")
    paragraph.insert(0, parse_xml(f'<a:pPr {nsdecls("a")} algn="l"/>'))
    ink = palette.LIGHT.quiet[1:].upper()
    paragraph.find(qn("a:r")).insert(
        0,
        parse_xml(
            f'<a:rPr {nsdecls("a")} lang="en-US" sz="900"><a:solidFill><a:srgbClr val="{ink}"/></a:solidFill>'
            f'<a:latin typeface="{FONT}"/></a:rPr>'
        ),
    )


def _short(words: str) -> str:
    """What a cell has room for: the middle of a very long name is left out."""
    return visible(words, _LONGEST)


def _widths(most: int, size: int, columns: list[list[str]]) -> list[int]:
    """EMU of each column, by its longest words, together at most as wide as the slide."""
    letter = size * _LETTER
    asked = [min(max(map(len, column)), _LONGEST) * letter + 5 * _CELL for column in columns]
    if sum(asked) <= most:
        return asked
    least = [min(one, 10 * letter) for one in asked]
    scale = max(most - sum(least), 0) / max(sum(asked) - sum(least), 1)
    return [low + int((one - low) * scale) for low, one in zip(least, asked, strict=True)]


def _row_high(size: int, widths: Sequence[int], words: Sequence[str]) -> int:
    """EMU that a row takes: its cells' lines, about."""
    fits = (max((wide - 2 * _CELL) // (size * _LETTER), 1) for wide in widths)
    lines = max((-(-len(one) // most) for one, most in zip(words, fits, strict=True)), default=1)
    return int(max(lines, 1) * size * 1.25 * 12_700) + _CELL
