"""The numbers behind a chart of a slide: what PowerPoint keeps of them in its workbook, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from reseat.report.content import Bars, Lines, Series, Unit
from reseat.report.shown import plain

if TYPE_CHECKING:
    from pptx.chart.data import CategoryChartData, XyChartData

__all__ = [
    "add_names",
    "category_data",
    "cells",
    "number_format",
    "place_on_x",
    "places_on_x",
    "point_data",
    "value_at",
]

#: What a workbook counts days from.
_DAY_ZERO = np.datetime64("1899-12-30T00:00:00", "s")
_FORMATS: dict[Unit, str] = {"share": "0%", "money": "#,##0.00"}
#: A workbook holds bytes; its format writes all of a figure in the unit of its largest: (at least, format).
_BYTES = (
    (999.5e9, '#,##0.0,,,," TB"'),
    (999.5e6, '#,##0.0,,," GB"'),
    (999.5e3, '#,##0.0,," MB"'),
    (999.5, '#,##0.0," kB"'),
    (0.0, '#,##0" B"'),
)


@contextmanager
def _book(stream: Any, made_at: datetime) -> Iterator[tuple[Any, Any]]:
    """A workbook in which text is text, and which says the report's time and no other."""
    from xlsxwriter import Workbook

    how = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = Workbook(stream, how)
    book.set_properties({"created": made_at.replace(tzinfo=None)})
    yield book, book.add_worksheet()
    book.close()


def _with_own_book(data: Any, writer: Any, made_at: datetime, number_format: str) -> Any:
    """Data of a chart whose workbook is written as ``_book`` does."""

    class Writer(writer):  # type: ignore[misc]
        def _open_worksheet(self, xlsx_file: Any) -> Any:
            return _book(xlsx_file, made_at)

    class Data(data):  # type: ignore[misc]
        @property
        def _workbook_writer(self) -> Any:
            return Writer(self)

    return Data(number_format=number_format)


def category_data(made_at: datetime, number_format: str) -> CategoryChartData:
    """Data of bars: names and series, written into the workbook as text and numbers."""
    from pptx.chart.data import CategoryChartData
    from pptx.chart.xlsx import CategoryWorkbookWriter

    data: CategoryChartData = _with_own_book(CategoryChartData, CategoryWorkbookWriter, made_at, number_format)
    return data


def point_data(made_at: datetime, number_format: str) -> XyChartData:
    """Data of points: x and y of each series."""
    from pptx.chart.data import XyChartData
    from pptx.chart.xlsx import XyWorkbookWriter

    data: XyChartData = _with_own_book(XyChartData, XyWorkbookWriter, made_at, number_format)
    return data


def add_names(data: CategoryChartData, figure: Bars) -> None:
    """Names of the bars, under their racks where there are any: a run of one rack is one name."""
    groups = figure.groups
    if groups is None or not any(groups):
        for at in range(len(figure.names)):
            data.add_category(_name(figure, at))
        return
    run: Any = None
    for at, group in enumerate(groups):
        if run is None or group != groups[at - 1]:
            run = data.add_category(plain(group or "no rack"))
        run.add_sub_category(_name(figure, at))


def _name(figure: Bars, at: int) -> str:
    """A carrier's name, with the word that marks it."""
    word = figure.marked[at] if figure.marked is not None else None
    return plain(figure.names[at] if word is None else f"{figure.names[at]} ({word})")


def cells(values: Any) -> list[float | None]:
    """Values as cells, an empty one where nothing is told."""
    return [None if math.isnan(one) else one for one in values.tolist()]


def places_on_x(x: Any) -> list[float]:
    """Places on x as a workbook counts them: days since 1899-12-30 where x is time."""
    if x.dtype.kind == "M":
        return [float(one) for one in (x.astype("datetime64[s]") - _DAY_ZERO) / np.timedelta64(1, "D")]
    return [float(one) for one in x.astype(np.float64)]


def place_on_x(figure: Lines, at: float) -> float:
    """One place on x, given as the content gives it: seconds since 1970 where x is time."""
    if figure.x.dtype.kind == "M":
        return places_on_x(np.array([int(at)], "datetime64[s]"))[0]
    return float(at)


def value_at(figure: Lines, marked: float) -> float | None:
    """The first series' value at a place that x has; None where it has none there."""
    places = figure.x.astype("datetime64[s]").astype(np.int64) if figure.x.dtype.kind == "M" else figure.x
    for at, value in zip(places.tolist(), figure.series[0].values.tolist() if figure.series else (), strict=False):
        if at == marked and not math.isnan(value):
            return float(value)
    return None


def number_format(unit: Unit, series: tuple[Series, ...]) -> str:
    """How a spreadsheet writes the values of these series."""
    return format_of(unit, [value for one in series for value in one.values.tolist()])


def format_of(unit: Unit, values: list[float]) -> str:
    """How a spreadsheet writes values of this unit."""
    if unit == "bytes":
        most = max((abs(value) for value in values if not math.isnan(value)), default=0.0)
        return next(written for least, written in _BYTES if most >= least)
    if unit in _FORMATS:
        return _FORMATS[unit]
    whole = all(value.is_integer() for value in values if not math.isnan(value))
    return "#,##0" if whole else "#,##0.0"
