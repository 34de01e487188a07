"""The data behind a figure, as a table, and any table as CSV: what every copy and every file takes.

A CSV has all rows and the numbers themselves, not as they are written for a person; nothing stands where a value is not
told. Text that a spreadsheet would take for a formula gets an apostrophe before it, as in all of Reseat's CSV.
"""

from __future__ import annotations

import csv
import io
from functools import singledispatch

import numpy as np
import numpy.typing as npt

from reseat.formats.input.formula import escaped
from reseat.report.content import Bars, Column, Draws, Figure, Heat, Lines, Table

__all__ = ["csv_of", "table_of", "x_words"]


def csv_of(table: Table) -> str:
    """A table as CSV with a header, lines ended by LF."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_word(column.name) for column in table.columns])
    writer.writerows(zip(*(_cells(column) for column in table.columns), strict=True))
    return out.getvalue()


def table_of(figure: Figure) -> Table:
    """The data behind a figure: a row a carrier, a place on the line, a cell of the grid or a draw."""
    return Table(figure.slug, figure.title, _columns(figure))


def x_words(x: npt.NDArray[np.generic]) -> list[str]:
    """Places on a line as words: days or minutes in UTC where x is time, else numbers."""
    if x.dtype.kind != "M":
        return [f"{value:,.10g}" for value in x.astype(np.float64).tolist()]
    minutes = x.astype("datetime64[m]")
    whole_days = bool((minutes == minutes.astype("datetime64[D]")).all())
    return [str(value).replace("T", " ") for value in (minutes.astype("datetime64[D]") if whole_days else minutes)]


@singledispatch
def _columns(figure: Figure) -> tuple[Column, ...]:
    raise TypeError(f"No figure: {type(figure).__name__}")


@_columns.register
def _(figure: Bars) -> tuple[Column, ...]:
    columns = [Column(_heading(figure.what), figure.names)]
    if figure.groups is not None:
        columns.append(Column("Rack", figure.groups))
    columns += [Column(_heading(series.name), series.values, figure.unit) for series in figure.series]
    if figure.marked is not None and any(figure.marked):
        columns.append(Column("Note", figure.marked))
    return tuple(columns)


@_columns.register
def _(figure: Lines) -> tuple[Column, ...]:
    columns = [Column(_heading(figure.x_name), x_words(figure.x) if figure.x.dtype.kind == "M" else figure.x)]
    columns += [Column(_heading(series.name), series.values, figure.unit) for series in figure.series]
    return tuple(columns)


@_columns.register
def _(figure: Heat) -> tuple[Column, ...]:
    high, wide = figure.values.shape
    columns = [Column("Broker", [figure.rows[row] for row in np.repeat(np.arange(high), wide).tolist()])]
    if figure.groups is not None:
        columns.append(Column("Rack", [figure.groups[row] for row in np.repeat(np.arange(high), wide).tolist()]))
    columns.append(Column(_heading(figure.column_name), list(figure.columns) * high))
    columns.append(Column(_heading(figure.unit), figure.values.ravel(), figure.unit))
    return tuple(columns)


@_columns.register
def _(figure: Draws) -> tuple[Column, ...]:
    names = [name for name, values in zip(figure.names, figure.draws, strict=True) for _ in range(len(values))]
    drawn = np.concatenate([*(np.asarray(values, np.float64) for values in figure.draws), np.array([figure.own])])
    return (Column("Drawn by", [*names, figure.own_name]), Column(_heading(figure.unit), drawn, figure.unit))


def _heading(name: str) -> str:
    return name[:1].upper() + name[1:]


def _cells(column: Column) -> list[object]:
    values = column.values
    return [_cell(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]


def _cell(value: object) -> object:
    """A value as it is written: whole numbers without a point, what is not told not at all."""
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, float):
        if np.isnan(value):
            return None
        return int(value) if value.is_integer() else value
    return value


def _word(text: str) -> str:
    """A text that no spreadsheet takes for a formula and that UTF-8 can hold."""
    return escaped(text.encode("utf-8", "replace").decode())
