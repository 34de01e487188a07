"""The report's HTML: its structure, its copies of data, and that nothing in it can do harm or ask for anything."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import html
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

from reseat.report.content import Bars, Heat, Report
from reseat.report.shown import value
from reseat.report.writers.html import write_html
from reseat.report.writers.parts import Data, table_block
from tests.report.told import HOSTILE, told

#: Elements that have no end.
_VOID = {"wbr", "meta", "img", "br", "link", "input", "hr"}
#: Attributes through which a page could ask for something.
_ASKS = ("src", "srcset", "action", "formaction", "poster", "background", "cite", "ping", "manifest")


class Read(HTMLParser):
    """A document as a list of elements with their attributes and texts; elements must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a name."""
        return [attributes for name, attributes in self.elements if name == tag]


def copies(text: str) -> dict[str, list[list[str]]]:
    """The copies of data in a document, by slug, as rows."""
    links = re.findall(r'download="([^"]+)\.csv" href="data:text/csv;charset=utf-8,([^"]*)"', text)
    found = {slug: unquote(link.replace("&#x27;", "'").replace("&amp;", "&")) for slug, link in links}
    for slug, packed in re.findall(r'<script type="application/gzip" id="data-([^"]+)">([^<]*)</script>', text):
        found[slug] = gzip.decompress(base64.b64decode(packed)).decode()
    return {slug: list(csv.reader(io.StringIO(one))) for slug, one in found.items()}


def test_a_report_has_its_landmarks_headings_and_contents() -> None:
    """Language, title, one h1, a heading a chapter, contents that lead to each, and unique ids."""
    report = told()
    page = Read(write_html(report))
    ids = [attributes["id"] for _, attributes in page.elements if attributes.get("id")]

    assert page.open == []
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("h1")) == 1
    assert len(page.all("h2")) == len(report.chapters) + 2  # the warnings and the contents
    assert len(ids) == len(set(ids))
    assert [one["href"] for one in page.all("a") if one.get("href", "").startswith("#")] == [
        "#report",
        *(f"#{chapter.kind.value}" for chapter in report.chapters),
    ]
    assert {"main", "nav", "header", "footer"} <= {tag for tag, _ in page.elements}


def test_the_first_page_says_what_must_be_known() -> None:
    """Title, who, when, how old, the light with its word and its rule, and every warning stand before the contents."""
    report = told()
    first = write_html(report).split("<nav")[0]
    words = " ".join(text for _, text in Read(first + "</div></div></body></html>").texts if text.strip())

    for said in (report.title, report.subtitle, "Platform team", "2026-03-02 09:30 UTC", "2 h before", "Amber"):
        assert said in words
    assert "Amber: something deserves attention." in words
    assert all(one in words for one in report.warnings)
    assert "unknown" in write_html(replace(report, read_at=None)).split("<nav")[0]


def test_hostile_names_stay_text_everywhere() -> None:
    """No name makes an element, an attribute, a script, an address or a turned line; all of them can be read."""
    plain, hostile = (
        Read(write_html(told(20))),
        write_html(told(20, names=HOSTILE, title=HOSTILE[0], author=HOSTILE[1])),
    )
    page = Read(hostile)
    body = hostile.split("<body>")[1]

    assert {tag for tag, _ in page.elements} - {"wbr"} == {tag for tag, _ in plain.elements} - {"wbr"}
    assert page.all("b") == []
    assert len(re.findall("<script", hostile)) == len(page.all("script"))
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\ud800-\udfff]", hostile)
    assert hostile.encode()
    assert "订单-events" in body
    assert "طلبات" in body
    assert "a" * 249 in body
    assert "<wbr>".join(["a" * 20] * 12 + ["a" * 9]) in body  # in a table it may break
    assert page.all("title")[0] == {}
    assert page.texts[[tag for tag, _ in page.texts].index("title")][1] == HOSTILE[0]


def test_nothing_is_asked_for_and_the_policy_lets_in_only_its_own() -> None:
    """No address of anything outside; style and script are named by their hashes; no style attribute is left."""
    text = write_html(told(20, names=HOSTILE, logo=b'<svg xmlns="http://www.w3.org/2000/svg"/>'))
    page = Read(text)
    policy = next(one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    asked = [
        attributes[name] or "" for _, attributes in page.elements for name in (*_ASKS, "href") if attributes.get(name)
    ]

    assert {one.split(":")[0] if not one.startswith("#") else "#" for one in asked} == {"#", "data"}
    assert not [one for one in asked if one.startswith("data:text/html")]
    assert not re.search(r"url\((?!#)|@import", text)
    assert page.all("link") == []
    assert not [attributes for _, attributes in page.elements if "style" in attributes]
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()

        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_every_figure_has_its_words_its_numbers_and_its_copy() -> None:
    """Title and sentence by id, hover words, a table and a CSV with every number of the figure."""
    report = told()
    text = write_html(report)
    page = Read(text)
    drawn = {one["data-of"]: one for one in page.all("svg") if one.get("role") == "img"}
    held = copies(text)
    for chapter in report.chapters:
        for figure in chapter.figures:
            assert drawn[figure.slug]["aria-labelledby"] == f"{figure.slug}-title"
            assert f"<h3>{html.escape(figure.title)}</h3>" in text
            assert f"<figcaption>{figure.says}</figcaption>" in text
            assert figure.slug in held
    bars, heat = report.figure("brokers"), report.figure("heat")
    assert isinstance(bars, Bars)
    assert isinstance(heat, Heat)
    rows = held["brokers"]

    assert rows[0] == ["Broker", "Rack", "Stays", "Comes", "Goes", "Note"]
    assert [row[2] for row in rows[1:]] == [f"{one:.0f}" for one in bars.series[0].values]
    assert rows[9][3] == ""  # not told is no number
    assert [float(row[3]) for row in held["heat"][1:]] == heat.values.ravel().tolist()
    assert f"broker 4, rack rack-b: stays {value(bars.series[0].values[3], 'replicas')}" in text
    assert "; leaves" in text
    assert held["brokers-2"][0] == ["Broker", "Before"]  # a table of the same slug has a copy of its own


def test_all_rows_are_in_the_copy_and_the_page_says_so() -> None:
    """A table shows its first rows; the copy, packed where it is long, has all; no cell is a formula."""
    text = write_html(told(20, 3_000, names=HOSTILE))
    held = copies(text)["moves"]

    assert len(held) == 3_001
    assert "50 of 3,000 rows are shown and sorted. The copied data has all of them." in text
    assert not [cell for row in held for cell in row if cell[:1] in "=+-@" and cell]
    assert '\'=HYPERLINK("http://x","y")' in [row[0] for row in held]
    assert held[2][2] == ""


def test_figures_follow_light_and_dark() -> None:
    """In a page no neutral colour is fixed, and every variable that a figure uses is told for light and for dark."""
    text = write_html(told())
    body, look = text.split("<body>")[1], text.split("<body>")[0]
    used = set(re.findall(r"var\((--\w+)\)", body))

    assert "--bar" in used
    for name in used:
        assert len(re.findall(rf"{name}:", look)) == 2
    assert "#8d97a5" not in body


@pytest.mark.parametrize(("brokers", "rows"), [(60, 20_000), (1_000, 60)])
def test_the_file_is_small(brokers: int, rows: int) -> None:
    """At most 1.5 MB with a row for each of 20,000 partitions and heatmaps of 60 by 200."""
    report = told(brokers, rows)
    values = np.random.default_rng(1).integers(0, 40, (60, 200)).astype(np.float64)
    big = Heat(
        slug="grid",
        title="Replicas by broker and topic",
        says="Evenly spread.",
        unit="replicas",
        rows=tuple(map(str, range(60))),
        columns=tuple(f"some.topic.of.many-{at}" for at in range(200)),
        column_name="topic",
        values=values,
        top=40.0,
    )
    chapter = replace(report.chapters[1], figures=(*report.chapters[1].figures, big, replace(big, slug="later")))
    text = write_html(replace(report, chapters=(report.chapters[0], chapter, *report.chapters[2:])))
    held = copies(text)

    assert len(text.encode()) < 1_500_000
    assert len(held["moves"]) == rows + 1
    assert [float(row[-1]) for row in held["grid"][1:]] == values.ravel().tolist()


def test_data_that_the_file_cannot_hold_is_said_to_be_elsewhere() -> None:
    """Beyond its room the file keeps the rows that are shown, and says where the others are."""
    table = told(9, 20_000).chapters[-1].tables[0]
    block = table_block(table, Data(left=100))

    assert "Copy data" not in block
    assert "The data file moves.csv has all of them." in block


def test_the_same_report_gives_the_same_bytes() -> None:
    """Nothing depends on the time or on the process's hash seed."""
    assert write_html(told()) == write_html(told())


def test_a_report_without_anything_optional_is_whole() -> None:
    """No author, no reading time, no warnings, no light, no facts: nothing empty stands there."""
    bare = told()
    chapter = replace(bare.chapters[0], text=(), facts=(), light=None, rule=None)
    report = Report(title="t", subtitle="s", made_at=bare.made_at, chapters=(chapter,))
    text = write_html(report)

    assert "Read this first" not in text
    assert '<dl class="facts"></dl>' not in text
    assert 'class="lights"' not in text
    assert Read(text).open == []
