"""The PDF: what a reader, a search and a reader of screens find in it."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import replace

import pypdf
import pytest

from reseat.errors import InputRefused
from reseat.report.content import Chapter, ChapterKind, Report
from reseat.report.shown import plain
from reseat.report.writers.pdf import write_pdf
from tests.report.told import HOSTILE, told


def read(report: Report) -> pypdf.PdfReader:
    """The PDF of a report, opened."""
    return pypdf.PdfReader(io.BytesIO(write_pdf(report)))


def text_of(reader: pypdf.PdfReader) -> str:
    """All text, without the ends of lines, at which long words are broken."""
    return "".join("".join(page.extract_text().split("\n")) for page in reader.pages)


@pytest.fixture(scope="module")
def report() -> Report:
    """The report that most tests read."""
    return told()


@pytest.fixture(scope="module")
def reader(report: Report) -> pypdf.PdfReader:
    """Its PDF, made once."""
    return read(report)


def test_every_heading_paragraph_and_fact_can_be_selected(report: Report, reader: pypdf.PdfReader) -> None:
    """All words of the content are text of the file."""
    text = text_of(reader).replace(" ", "")

    for chapter in report.chapters:
        words = [chapter.heading, *chapter.text, *(one.title for one in (*chapter.figures, *chapter.tables))]
        words += [part for one in chapter.facts for part in (one.label, one.shown, one.detail) if part]
        words += [one.says for one in chapter.figures]
        for one in words:
            assert one.replace(" ", "") in text, one


def test_the_first_page_says_what_must_be_known_first(report: Report, reader: pypdf.PdfReader) -> None:
    """Warnings, the light with its rule, author and both times stand before everything else."""
    first = reader.pages[0].extract_text()

    assert report.warnings[0] in first
    assert "Amber" in first
    assert "Amber: something deserves attention." in first
    assert "Platform team · Report of 2026-03-02 09:30 UTC · Cluster as of 2026-03-02 07:30 UTC, 2 h before" in first


def test_a_long_title_leaves_the_first_page_to_what_must_be_known() -> None:
    """249 characters, as a name in it can have, still leave room for warnings and contents."""
    first = read(told(title="n" * 249)).pages[0].extract_text()

    assert told().warnings[0] in first
    assert "Every move." in first


def test_an_untold_time_of_the_cluster_is_said() -> None:
    """A source without a time is not given the report's."""
    report = told(read_at=None, author=None)
    report = replace(report, chapters=report.chapters[:1])

    assert (
        "Report of 2026-03-02 09:30 UTC · Time of the cluster's state: unknown" in read(report).pages[0].extract_text()
    )


def test_the_outline_leads_to_the_page_of_each_chapter(report: Report, reader: pypdf.PdfReader) -> None:
    """A bookmark a chapter, in order, each to the page that begins with its heading."""
    entries = [one for one in reader.outline if not isinstance(one, list)]

    assert [one.title for one in entries] == [f"{one.name}: {one.heading}" for one in report.chapters]
    for one, chapter in zip(entries, report.chapters, strict=True):
        page = reader.get_destination_page_number(one)
        assert page is not None
        assert chapter.heading[:30] in reader.pages[page].extract_text()
        assert f"{page + 1} / {len(reader.pages)}" in reader.pages[page].extract_text()


def test_pages_have_numbers_and_the_running_title(report: Report, reader: pypdf.PdfReader) -> None:
    """Every page is A4 and says which it is of how many."""
    assert len(reader.pages) == 1 + len(report.chapters)
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text()

        assert text.endswith(f"{number} / {len(reader.pages)}")
        assert text.startswith(report.title)
        assert [round(float(side) / 72 * 25.4) for side in page.mediabox[2:]] == [210, 297]


def test_the_file_tells_title_language_author_and_that_it_is_tagged(reader: pypdf.PdfReader) -> None:
    """What a shelf and a reader of screens ask of a file, by PDF/UA-1."""
    root = reader.trailer["/Root"]
    told_of = reader.metadata
    assert told_of is not None

    assert told_of.title == "Orders: broker 4 leaves"
    assert told_of.author == "Platform team"
    assert str(told_of.creation_date) == "2026-03-02 09:30:00+00:00"
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_object().get_data()


def test_every_figure_is_vectors_and_has_words_in_its_place(report: Report, reader: pypdf.PdfReader) -> None:
    """A figure's title and sentence are its alternative text."""
    alts = []

    def walk(node: object) -> None:
        held = node.get_object() if isinstance(node, pypdf.generic.IndirectObject) else node
        if isinstance(held, list):
            for one in held:
                walk(one)
        elif isinstance(held, dict):
            if "/Alt" in held:
                alts.append(str(held["/Alt"]))
            if "/K" in held:
                walk(held["/K"])

    walk(reader.trailer["/Root"]["/StructTreeRoot"])
    figures = [one for chapter in report.chapters for one in chapter.figures]

    assert [one for one in alts if one != "Logo"] == [f"{one.title}. {one.says}" for one in figures]
    assert reader.pages[2].images  # the heatmap's cells and its scale; every other figure is lines alone
    assert not [page for number, page in enumerate(reader.pages) if number != 2 and page.images]


def test_a_table_ends_where_it_is_told_to_and_says_where_the_rest_is(reader: pypdf.PdfReader) -> None:
    """Rows beyond ``shown`` are left out, and a sentence says so."""
    text = reader.pages[-1].extract_text()

    assert "topic-49 49 49.0 GB rack-b" in text
    assert "topic-50" not in text
    assert "topic-1 1 unknown rack-b" in text
    assert "50 of 60 rows are shown. The data file moves.csv has all of them." in text


def test_a_table_over_several_pages_repeats_its_header() -> None:
    """The names of the columns stand on each page."""
    report = told(rows=130)
    table = replace(report.chapters[-1].tables[0], shown=130)
    report = replace(report, chapters=(replace(report.chapters[-1], tables=(table,)),))
    reader = read(report)

    assert len(reader.pages) == 4
    for page in list(reader.pages)[1:]:
        assert "Topic Partition Bytes Rack" in page.extract_text()


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    """Nothing of the clock or of chance is in the file."""
    assert write_pdf(report) == write_pdf(told())


def test_names_mean_nothing_to_the_setter() -> None:
    """Hostile names stand where they were put, letter by letter; nothing of them is run or left out."""
    text = text_of(read(told(14, names=HOSTILE, title="#let x = 1", author='"); #panic("x")')))
    bare = text.replace(" ", "")

    for name in HOSTILE:
        seen = plain(name).replace(" ", "").replace("订单", "[U+8BA2][U+5355]")
        assert bare.count(seen) >= 4 or plain(name) in text, name
    assert "\u202e" not in text
    assert "\x07" not in text


def test_characters_that_no_font_has_are_named_by_their_code() -> None:
    """U+10FFFD is for private use: no font that is not made for it has it."""
    report = told(title="Orders \U0010fffd")
    reader = read(replace(report, chapters=report.chapters[:1]))

    first = reader.pages[0].extract_text()
    assert "Orders [U+10FFFD]" in first
    assert "No font here has U+10FFFD; this file shows the code instead of the character." in first


def test_a_report_without_chapters_has_its_first_page() -> None:
    """No chapter, no warning: no empty box."""
    reader = read(told(chapters=(), warnings=()))

    assert len(reader.pages) == 1
    assert "Read this first" not in reader.pages[0].extract_text()


def test_a_chapter_of_text_alone() -> None:
    """Facts, figures and tables may all be missing."""
    chapter = Chapter(kind=ChapterKind.GLOSSARY, name="Glossary", heading="Words used.", text=("Broker: a server.",))

    assert "Broker: a server." in read(told(chapters=(chapter,))).pages[1].extract_text()


def test_a_logo_is_on_the_first_page_and_one_that_is_none_is_refused() -> None:
    """By its bytes; a broken one is refused with a sentence, not with the setter's error."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\xff\0\0")),
        (b"IEND", b""),
    ]
    parts = [
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    ]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'

    assert len(read(told(chapters=(), logo=png)).pages[0].images) == 1
    assert len(write_pdf(told(chapters=(), logo=svg))) > len(write_pdf(told(chapters=())))
    for broken in (b"GIF89a", png[:40], svg[:30], b"<svg xmlns='x'>"):
        with pytest.raises(InputRefused, match="logo"):
            write_pdf(told(chapters=(), logo=broken))
