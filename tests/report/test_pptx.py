"""The slides: what is on them, the numbers in the workbooks behind their charts, and a company's own master."""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pypdf
import pytest
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.util import Inches

from reseat.errors import InputRefused
from reseat.report.content import Bars, Draws, Heat, Lines, Report
from reseat.report.shown import cell, plain
from reseat.report.writers.pptx import write_pptx
from tests.report.told import HOSTILE, told

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
#: Days from a workbook's day zero to 1970-01-01.
EPOCH = 25_569


def opened(data: bytes) -> Any:
    """The deck of a file's bytes."""
    return Presentation(io.BytesIO(data))


@pytest.fixture(scope="module")
def report() -> Report:
    """The report that most tests read."""
    return told()


@pytest.fixture(scope="module")
def deck(report: Report) -> Any:
    """Its deck, made once."""
    return opened(write_pptx(report))


def words(slide: Any) -> str:
    """All text on a slide, tables too."""
    found = []
    for shape in slide.shapes:
        if shape.has_text_frame:
            found.append(shape.text_frame.text)
        if shape.has_table:
            found += [box.text for row in shape.table.rows for box in row.cells]
    return "\n".join(found)


def notes(slide: Any) -> str:
    """The speaker's notes of a slide."""
    return slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else ""


def charts(deck: Any) -> dict[str, Any]:
    """The charts by the figure's slug."""
    return {shape.name: shape.chart for slide in deck.slides for shape in slide.shapes if shape.has_chart}


def workbook(chart: Any) -> list[list[str | float | None]]:
    """The cells of a chart's workbook by row, read from its XML; a formula fails."""
    with zipfile.ZipFile(io.BytesIO(chart.part.chart_workbook.xlsx_part.blob)) as held:
        shared = ElementTree.fromstring(held.read("xl/sharedStrings.xml"))
        texts = ["".join(one.itertext()) for one in shared.iter(f"{SHEET}si")]
        sheet = ElementTree.fromstring(held.read("xl/worksheets/sheet1.xml"))
    rows: list[list[str | float | None]] = []
    for row in sheet.iter(f"{SHEET}row"):
        while len(rows) < int(row.get("r", "0")):
            rows.append([])
        for one in row.iter(f"{SHEET}c"):
            assert one.find(f"{SHEET}f") is None, "a formula"
            letter = re.sub(r"\d", "", one.get("r", ""))
            while len(rows[-1]) <= ord(letter) - ord("A"):
                rows[-1].append(None)
            value = one.findtext(f"{SHEET}v")
            if value is not None:
                rows[-1][-1] = texts[int(value)] if one.get("t") == "s" else float(value)
    return rows


def close(found: Any, wanted: Any) -> None:
    """Two columns of numbers are the same; None is not told."""
    expected = [None if math.isnan(one) else one for one in wanted.tolist()]
    assert list(found) == pytest.approx(expected)


def test_a_slide_a_chapter_with_its_heading_facts_and_notes(report: Report, deck: Any) -> None:
    """Nothing of a chapter is lost: what does not stand on its slide stands in its notes."""
    titles = [slide.shapes.title.text for slide in deck.slides]

    assert titles[0] == report.title
    for chapter in report.chapters:
        slide = deck.slides[titles.index(chapter.heading)]
        for fact in chapter.facts:
            for one in (fact.label, fact.shown, fact.detail):
                assert one is None or one in words(slide)
        for one in (*chapter.notes, *chapter.text):
            assert one in notes(slide)
    assert len(set(titles)) == len(titles)


def test_the_first_slide_says_what_must_be_known(report: Report, deck: Any) -> None:
    """Warnings, the light and its rule, both times, and the same in the notes."""
    first = words(deck.slides[0])

    assert report.warnings[0] in first
    assert "Amber" in first.splitlines()
    assert "Amber: something deserves attention." in first
    assert "Platform team · Report of 2026-03-02 09:30 UTC · Cluster as of 2026-03-02 07:30 UTC, 2 h before" in first
    assert report.warnings[0] in notes(deck.slides[0])


def test_slides_are_wide_numbered_and_named(deck: Any) -> None:
    """16:9, and on each the running title and the number's field."""
    assert deck.slide_width / deck.slide_height == pytest.approx(16 / 9, abs=1e-3)
    for slide in deck.slides:
        kinds = {one._element.ph.get("type") for one in slide.placeholders}

        assert {"ftr", "sldNum"} <= kinds
        assert "Orders: broker 4 leaves" in words(slide)
        inside = [one for one in slide.shapes if one.left is not None and one.width is not None]
        assert all(one.left >= 0 and one.left + one.width <= deck.slide_width for one in inside)
        assert all(one.top >= 0 and one.top + one.height <= deck.slide_height for one in inside)


def test_workbooks_of_bars_hold_the_figures_numbers(report: Report, deck: Any) -> None:
    """Names under their racks, each series a column, the mean another; an unknown is an empty cell."""
    for figure in (report.figure("brokers"), report.figure("cost")):
        assert isinstance(figure, Bars)
        rows = workbook(charts(deck)[figure.slug])
        deep = 2 if figure.groups else 1
        marked = [
            f"{name} ({word})" if word else name
            for name, word in zip(figure.names, figure.marked or [None] * 99, strict=False)
        ]

        assert [row[deep - 1] for row in rows[1:]] == marked
        assert rows[0][deep:] == [*(one.name for one in figure.series), *(["mean"] if figure.mean else [])]
        for at, series in enumerate(figure.series):
            close([row[deep + at] if len(row) > deep + at else None for row in rows[1:]], series.values)
        if figure.mean:
            assert {row[-1] for row in rows[1:]} == {figure.mean}
        if figure.groups:
            run, racks = None, []
            for row in rows[1:]:
                run = row[0] or run
                racks.append(run)
            assert racks == list(figure.groups)


def test_charts_show_what_their_workbooks_hold(report: Report, deck: Any) -> None:
    """The values kept in the chart, which a viewer draws, are those of the workbook; the mean is a line of its own."""
    figure = report.figure("brokers")
    assert isinstance(figure, Bars)
    chart = charts(deck)["brokers"]

    assert [type(plot).__name__ for plot in chart.plots] == ["BarPlot", "LinePlot"]
    for series, drawn in zip(figure.series, chart.plots[0].series, strict=True):
        close(drawn.values, series.values)
    assert set(chart.plots[1].series[0].values) == {figure.mean}


def test_workbooks_of_lines_hold_places_and_values(report: Report, deck: Any) -> None:
    """Time is a workbook's days; a gap is an empty cell; the place that the report is about is a point of its own."""
    curve, days = report.figure("curve"), report.figure("days")
    assert isinstance(curve, Lines)
    assert isinstance(days, Lines)

    rows = workbook(charts(deck)["curve"])
    assert [row[0] for row in rows[1:5]] == curve.x.tolist()
    close([row[1] for row in rows[1:5]], curve.series[0].values)
    assert [80.0, 12.0] in rows
    rows = workbook(charts(deck)["days"])
    seconds = days.x.astype("datetime64[s]").astype(np.int64)
    assert [row[0] for row in rows[1:9]] == (seconds / 86_400 + EPOCH).tolist()
    close([row[1] if len(row) > 1 else None for row in rows[1:9]], days.series[0].values)


def test_workbooks_of_draws_hold_each_draw_and_our_value(report: Report, deck: Any) -> None:
    """A row a draw under the tool's name, and our value under its own."""
    figure = report.figure("generate")
    assert isinstance(figure, Draws)
    rows = workbook(charts(deck)["generate"])
    found = [row[0] for row in rows if row and isinstance(row[0], float)]

    assert found == [*figure.draws[0].tolist(), figure.own, figure.own]
    assert {row[1] for row in rows if len(row) > 1 and isinstance(row[1], str)} == {*figure.names, figure.own_name}


def test_every_chart_picture_and_table_has_words_in_its_place(report: Report, deck: Any) -> None:
    """A figure's title and sentence, in the place where readers of screens look; the heatmap is a picture."""
    figures = {one.slug: one for chapter in report.chapters for one in chapter.figures}
    for slide in deck.slides:
        for shape in slide.shapes:
            said = shape._element.xpath("./*[1]/p:cNvPr")[0].get("descr")
            if shape.name in figures:
                figure = figures.pop(shape.name)
                assert said == f"{figure.title}. {figure.says}"
                assert (shape.shape_type == MSO_SHAPE_TYPE.PICTURE) == isinstance(figure, Heat)
            elif shape.has_chart or shape.has_table or shape.shape_type == MSO_SHAPE_TYPE.PICTURE:
                assert said
    assert not figures


def test_a_table_says_where_the_rest_of_it_is(report: Report, deck: Any) -> None:
    """The first rows as they are written everywhere, and a sentence."""
    slide = next(one for one in deck.slides if one.shapes.title.text == "Every move.")
    table = next(shape.table for shape in slide.shapes if shape.has_table)
    columns = report.chapters[-1].tables[0].columns

    assert [box.text for box in table.rows[0].cells] == [one.name for one in columns]
    for row in range(len(table.rows) - 1):
        assert [box.text for box in table.rows[row + 1].cells] == [cell(one, row) for one in columns]
    assert f"{len(table.rows) - 1} of 60 rows are shown. The data file moves.csv has all of them." in words(slide)


def test_operators_are_shown_every_table() -> None:
    """Management is shown the tables that no figure shows."""
    few, all_of_them = (opened(write_pptx(told(audience=one))) for one in ("management", "operators"))
    count = [sum(shape.has_table for slide in one.slides for shape in slide.shapes) for one in (few, all_of_them)]

    assert count == [1, 2]


def test_the_files_own_data_are_the_reports(deck: Any, report: Report) -> None:
    """Nothing of the template that it was made from is left."""
    of = deck.core_properties

    assert (of.title, of.author, of.subject) == (report.title, "Platform team", report.subtitle)
    assert of.created.replace(tzinfo=None) == of.modified.replace(tzinfo=None) == report.made_at.replace(tzinfo=None)
    assert of.last_modified_by == ""
    with zipfile.ZipFile(io.BytesIO(write_pptx(told(chapters=())))) as held:
        assert not [name for name in held.namelist() if "thumbnail" in name]


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    """Nothing of the clock is in the deck, nor in the workbooks in it."""
    assert write_pptx(report) == write_pptx(told())


def test_names_are_text_wherever_they_stand() -> None:
    """No formula, no link, no character that XML cannot hold; names are in text, notes and workbooks as they are."""
    data = write_pptx(told(14, names=HOSTILE, title="=1+1</a:t>", author="@SUM(A1)"))
    deck = opened(data)
    cells = {one for chart in charts(deck).values() for row in workbook(chart) for one in row if isinstance(one, str)}
    said = "\n".join(words(slide) + notes(slide) for slide in deck.slides)

    for name in HOSTILE:
        assert plain(name) in said
        assert any(plain(name) in one for one in cells), name
    assert deck.slides[0].shapes.title.text == "=1+1</a:t>"
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        for name in held.namelist():
            if name.endswith(".xml"):
                ElementTree.fromstring(held.read(name))
            if name.endswith(".xlsx"):
                with zipfile.ZipFile(io.BytesIO(held.read(name))) as book:
                    assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")
                    assert b"<hyperlink" not in book.read("xl/worksheets/sheet1.xml")


def test_a_thousand_brokers_keep_their_names_without_labels() -> None:
    """Every bar is in the workbook; the axis says how many there are instead of a thousand names."""
    report = told(1000)
    report = replace(report, chapters=(report.chapters[1],))
    chart = charts(opened(write_pptx(report)))["brokers"]

    assert len(workbook(chart)) == 1001
    assert str(chart.category_axis.tick_label_position) == "NONE (-4142)"
    assert chart.category_axis.axis_title.text_frame.text == "1,000 brokers"


def company(*, kinds: tuple[str, ...] = ("blank", "obj", "titleOnly", "title"), slides: int = 2) -> bytes:
    """A company's deck of 4:3: its layouts in another order, with slides and a section that names them."""
    deck = Presentation()
    layouts = {one._element.get("type"): one for one in deck.slide_layouts}
    for number in range(slides):
        slide = deck.slides.add_slide(layouts["titleOnly"])
        slide.shapes.title.text = f"Their secret {number}"
    held = deck.slide_master._element.find("{http://schemas.openxmlformats.org/presentationml/2006/main}sldLayoutIdLst")
    ids = {one: held[at] for at, one in enumerate(layouts)}
    for one in list(held):
        held.remove(one)
    for one in kinds:
        held.append(ids[one])
    layouts["titleOnly"].name = "Nur Titel"
    layouts["titleOnly"].placeholders[0].left = Inches(1.5)
    layouts["titleOnly"].placeholders[0].width = Inches(8)
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def test_a_companys_master_replaces_ours() -> None:
    """Its layouts are told by their type; its own slides are left out, and nothing of them is in the file."""
    data = write_pptx(told(), company())
    deck = opened(data)

    assert deck.slide_width == Inches(10)
    assert deck.slides[0].slide_layout._element.get("type") == "title"
    assert {one.slide_layout.name for one in list(deck.slides)[1:]} == {"Nur Titel"}
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        assert not [name for name in held.namelist() if b"Their secret" in held.read(name)]
    for slide in deck.slides:
        for shape in slide.shapes:
            if shape.has_chart or shape.has_table:
                assert shape.left >= Inches(1.5)
                assert shape.left + shape.width <= Inches(9.5) + 10
                assert shape.top >= slide.slide_layout.placeholders[0].top
    assert charts(deck).keys() == charts(opened(write_pptx(told()))).keys()


def test_a_master_without_a_title_only_layout_still_serves() -> None:
    """The layout with a title and the least beside it; empty places do not stay on the slide."""
    deck = opened(write_pptx(told(), company(kinds=("blank", "obj", "twoObj"), slides=0)))

    for slide in deck.slides:
        assert slide.slide_layout._element.get("type") == "obj"
        assert {one._element.ph.get("type") for one in slide.placeholders} <= {"title", "ftr", "sldNum"}
    assert any(told().warnings[0] in words(slide) for slide in list(deck.slides)[:2])


def test_a_template_file_is_taken_as_it_is_named_by_office() -> None:
    """A POTX says of itself that it is a template; it is read all the same."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(company())) as held, zipfile.ZipFile(out, "w") as made:
        for name in held.namelist():
            body = held.read(name)
            made.writestr(name, body.replace(b"presentation.main+xml", b"template.main+xml"))

    assert len(opened(write_pptx(told(), out.getvalue())).slides) > 5


def test_what_is_no_template_is_refused_with_a_sentence() -> None:
    """No deck, a broken one, another office file, one without any title."""
    book = charts(opened(write_pptx(told())))["brokers"].part.chart_workbook.xlsx_part.blob
    for broken in (b"", b"no deck", company()[:3000], book):
        with pytest.raises(InputRefused, match="no PowerPoint file"):
            write_pptx(told(), broken)
    with pytest.raises(InputRefused, match="no layout with a title"):
        write_pptx(told(), company(kinds=("blank",), slides=0))


def test_the_logo_is_on_the_first_slide() -> None:
    """An SVG becomes a picture of points, which this format can hold."""
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 9"><rect width="90" height="9"/></svg>'
    deck = opened(write_pptx(told(chapters=(), logo=svg)))
    picture = next(one for one in deck.slides[0].shapes if one.shape_type == MSO_SHAPE_TYPE.PICTURE)

    assert picture.image.ext == "png"
    assert picture.width / picture.height == pytest.approx(10, rel=0.02)
    with pytest.raises(InputRefused, match="logo"):
        write_pptx(told(logo=b"GIF89a"))


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed here")
@pytest.mark.slow
def test_libreoffice_opens_it_and_makes_as_many_pages(tmp_path: Path) -> None:
    """Another office reads the deck: as many pages as slides, with their headings."""
    report = told(14, names=HOSTILE)
    data = write_pptx(report)
    (tmp_path / "deck.pptx").write_bytes(data)
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    call = [
        "soffice",
        home,
        "--headless",
        "--convert-to",
        "pdf",
        "--outdir",
        str(tmp_path),
        str(tmp_path / "deck.pptx"),
    ]
    subprocess.run(call, check=True, capture_output=True, timeout=180)
    pages = pypdf.PdfReader(tmp_path / "deck.pdf").pages

    assert len(pages) == len(opened(data).slides)
    text = " ".join(" ".join(page.extract_text().split()) for page in pages)
    for chapter in report.chapters:
        assert chapter.heading in text
