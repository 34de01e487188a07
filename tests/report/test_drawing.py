"""Figures as SVG and PNG: every number at its place, names that mean nothing, and few bytes."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from reseat.report import palette
from reseat.report.carriers import rack_name
from reseat.report.content import Bars, Draws, Figure, Heat, Lines, Series
from reseat.report.drawing import NEUTRAL, inline, png, svg
from reseat.report.figures.bars import rack_colours
from reseat.report.figures.sheet import fitted, nice_ticks, width
from tests.report.told import HOSTILE, told

SVG = "{http://www.w3.org/2000/svg}"


def figures(brokers: int = 9, names: tuple[str, ...] = ()) -> list[Figure]:
    """One of every kind at least."""
    return [figure for chapter in told(brokers, names=names).chapters for figure in chapter.figures]


def bars(brokers: int = 9, **other: object) -> Bars:
    """Bars of so many brokers."""
    figure = told(brokers).figure("brokers")
    assert isinstance(figure, Bars)
    return replace(figure, **other)


def texts(document: str) -> list[str]:
    """What is written in an SVG, hover words aside."""
    return ["".join(one.itertext()) for one in ET.fromstring(document).iter(f"{SVG}text")]


def heights(document: str, colour: str) -> list[float]:
    """How high each bar of a colour is, points."""
    paths = [one for one in ET.fromstring(document).iter(f"{SVG}path") if f"fill: {colour}" in one.get("style", "")]
    outline = max((path.get("d", "") for path in paths), key=len)
    found = []
    for part in outline.split("z")[:-1]:
        y = [float(one) for one in re.findall(r"[ML] [-\d.]+ ([-\d.]+)", part)]
        found.append(max(y) - min(y))
    return found


def test_bars_are_as_high_as_their_values() -> None:
    """Heights are in proportion, and the highest value gives the scale."""
    figure = bars(
        stacked=False, series=(Series("before", np.array([50.0, 100, 200]), "before"),), names=("1", "2", "3")
    )
    figure = replace(figure, groups=None, marked=None, mean=None)
    drawn = heights(svg(figure), palette.LIGHT.bar)
    other = replace(figure, series=(Series("before", np.array([200.0, 100, 50]), "before"),))

    assert drawn[1] == pytest.approx(2 * drawn[0], abs=0.05)
    assert drawn[2] == pytest.approx(4 * drawn[0], abs=0.05)
    assert heights(svg(other), palette.LIGHT.bar)[0] == pytest.approx(drawn[2], abs=0.05)


def test_bars_say_mean_racks_marks_and_meanings() -> None:
    """The mean's number, every rack, the marked carrier's word and the series' names are text."""
    said = texts(svg(bars()))

    assert {"mean 160", "rack-a", "rack-b", "rack-c", "leaves", "stays", "comes", "goes", "replicas"} <= set(said)
    assert "4 leaves" in texts(svg(bars(60)))  # where not every broker has its name below
    assert "<pattern" in svg(bars())  # what goes is hatched too


def test_a_rack_keeps_its_colour() -> None:
    """In a figure of few brokers, and beside blocks over two racks, a rack is drawn as where all of them are."""
    racks = tuple(sorted([*(f"r{at:02}" for at in range(14)), "x" * 249]))
    every = rack_colours((*racks, None), racks)
    few = rack_colours(("r03", "r02 to r03", None, "r13", rack_name("x" * 249)), racks)

    assert [few[name] for name in ("r03", "r13")] == [every[name] for name in ("r03", "r13")]
    assert every["r03"] == (palette.RACKS[3], "")
    assert every["r13"] == (palette.RACKS[1], "////")
    assert few[rack_name("x" * 249)] == every["x" * 249]
    assert few["r02 to r03"] == few[None] == every[None]
    assert palette.RACKS[3] in svg(bars(names=tuple("123456789"), groups=("r03",) * 9, racks=racks))


def test_a_series_that_is_not_told_says_so() -> None:
    """No bar of height 0 stands for what is unknown without a word."""
    figure = bars(stacked=False, series=(Series("before", np.full(9, np.nan), "before"), bars().series[1]))

    assert "before (unknown)" in texts(svg(figure))
    assert "?" in texts(svg(figure))


@pytest.mark.parametrize("brokers", [1, 9, 60, 1_000])
def test_names_below_do_not_touch(brokers: int) -> None:
    """Ticks are thinned: what is written below the bars leaves room between neighbours, and few bytes are needed."""
    document = svg(bars(brokers))
    below = [one for one in ET.fromstring(document).iter(f"{SVG}text") if (one.text or "").isdecimal()]
    row = [one for one in below if float(one.get("y", "0")) > 185]
    places = sorted((float(one.get("x", "0")), width(one.text or "")) for one in row)

    assert places
    assert all(a + wide / 2 + 2 <= b - other / 2 for (a, wide), (b, other) in pairwise(places))
    assert len(document) < 110_000


@pytest.mark.parametrize("kind", [Bars, Lines, Heat, Draws])
def test_no_name_means_anything(kind: type) -> None:
    """Every figure of hostile names is well-formed in both shapes, has no element from a name, and never computes."""
    for figure in [one for one in figures(20, HOSTILE) if isinstance(one, kind)]:
        hostile = replace(figure, title=HOSTILE[0], says=HOSTILE[2])
        for document in (svg(hostile), inline(hostile)):
            root = ET.fromstring(document)

            assert not [one for one in root.iter() if one.tag.removeprefix(SVG) in {"b", "script", "a"}]
            assert "\u202e" not in document
            assert "@@" not in document
        assert png(hostile, dots=40).startswith(b"\x89PNG")
    drawn = svg(told(20, names=("$x^2$", "@@0@@", "_a_")).figure("cost"))

    assert {"$x^2$", "@@0@@", "_a_"} <= set(texts(drawn))


def test_text_is_left_to_the_readers_fonts() -> None:
    """Chinese and Arabic stand in the SVG as they are."""
    drawn = texts(svg(told(9, names=("订单", "طلبات")).figure("cost")))

    assert {"订单", "طلبات"} <= set(drawn)


def test_names_are_shortened_to_their_room() -> None:
    """Never wider than told, the beginning and the end stay; a short name stays whole."""
    for name in HOSTILE:
        assert width(fitted(name, 60)) <= 60
    assert fitted("a" * 249, 60).count("a") < 15
    assert fitted("orders", 60) == "orders"


def test_in_a_page_neutral_colours_are_variables() -> None:
    """A page's figure fixes no neutral colour, has no style, no font and no namespace; a file's has no variable."""
    for figure in figures():
        inside, alone = inline(figure), svg(figure)

        assert not [colour for colour in NEUTRAL.values() if colour in inside]
        assert "var(--" in inside
        assert not re.search(r"style=|font-family|xmlns|<metadata", inside)
        assert "var(--" not in alone
        assert ET.fromstring(alone).find(f"{SVG}title") is not None


def test_a_heatmap_is_a_small_picture_with_its_cells() -> None:
    """60 by 200 cells take few bytes; the picture has a pixel a cell, and what is not told has no colour."""
    from base64 import b64decode

    from PIL import Image

    heat = told(60).figure("heat")
    assert isinstance(heat, Heat)
    values = np.random.default_rng(2).integers(0, 9, (60, 200)).astype(np.float64)
    values[3, 5] = np.nan
    large = replace(
        heat,
        rows=tuple(map(str, range(60))),
        groups=None,
        columns=tuple(f"t{at}" for at in range(200)),
        values=values,
    )
    document = svg(large)
    packed = re.findall(r"data:image/png;base64,\s*([^\"]+)", document)
    pictures = [Image.open(io.BytesIO(b64decode(one))) for one in packed]
    (cells,) = [one for one in pictures if one.size == (200, 60)]

    assert len(document) < 60_000
    assert cells.convert("RGBA").getpixel((5, 3))[3] == 0  # type: ignore[index]
    assert cells.convert("RGBA").getpixel((0, 0))[3] == 255  # type: ignore[index]


def test_the_same_figure_gives_the_same_bytes() -> None:
    """Files can be compared from week to week."""
    for figure in figures():
        assert svg(figure) == svg(figure)
        assert png(figure, dots=50) == png(figure, dots=50)


def test_nothing_at_all_is_drawn_too() -> None:
    """No carriers, no places, no cells, no draws, or one of each: a figure all the same."""
    none = np.empty(0)
    days, heat, draws = told().figure("days"), told().figure("heat"), told().figure("generate")
    assert isinstance(days, Lines)
    assert isinstance(heat, Heat)
    assert isinstance(draws, Draws)
    empty = (
        bars(names=(), groups=(), marked=(), series=(Series("stays", none, "stays"),), mean=None),
        replace(days, x=days.x[:0], series=(Series("a", none, "plan"),), events=()),
        replace(days, x=days.x[:1], series=(Series("a", np.array([np.nan]), "plan"),), events=()),
        replace(heat, rows=(), groups=(), columns=(), values=np.empty((0, 0)), top=0.0),
        replace(draws, names=(), draws=(), own=float("nan")),
        replace(draws, draws=(none,), own=0.0),
    )
    for figure in empty:
        assert ET.fromstring(svg(figure)).tag == f"{SVG}svg"
        assert png(figure, dots=40)


def test_ticks_are_round_and_inside() -> None:
    """At most so many, in steps of 1, 2, 2.5 or 5, and whole for counts."""
    assert nice_ticks(0, 260) == [0, 100, 200]
    assert nice_ticks(0, 3) == [0, 1, 2, 3]
    assert nice_ticks(0, 0.4, whole=False) == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert nice_ticks(-7, 7, 5) == [-5, 0, 5]
    assert nice_ticks(5, 5) == [5]
