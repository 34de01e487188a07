"""Charts of a slide that can be edited, each with its numbers in a workbook.

Promises: the workbook's numbers are the figure's, an empty cell where one is not told; a name is text in it, never a
formula, a link or a number.

How it works: python-pptx writes chart and workbook; its writers of workbooks are told here to take text as text. A mean
stands beside the bars as a line of its own, which python-pptx cannot ask for: the last series is moved into a line
chart upon the same axes.

Source: ECMA-376 part 1, 21.2 (DrawingML charts); python-pptx 1.0.2 for the private names that are overridden.
"""

from __future__ import annotations

import math
from copy import deepcopy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reseat.report import palette
from reseat.report.content import Bars, Draws, Lines, Series, Unit
from reseat.report.drawing import COLOURS
from reseat.report.shown import plain
from reseat.report.slides.chart_data import (
    _name,
    add_names,
    category_data,
    cells,
    format_of,
    number_format,
    place_on_x,
    places_on_x,
    point_data,
    value_at,
)
from reseat.report.slides.master import FONT
from reseat.report.slides.parts import rgb

if TYPE_CHECKING:
    from pptx.chart.chart import Chart

__all__ = ["add_bars", "add_draws", "add_lines"]

#: Characters of all names under the bars that fit a slide; beyond them the axis says what it holds, without names.
_NAMES = 260
#: Bars, over all series, that may have their numbers written on them.
_LABELLED = 18
#: By the first letter of Matplotlib's hatch; drawn white upon the colour, as in every other file.
_PATTERNS = {"/": "wdUpDiag", "x": "openDmnd", ".": "dotGrid"}


def add_bars(shapes: Any, frame: tuple[Any, ...], figure: Bars, made_at: datetime) -> Any:
    """A chart of bars; racks stand under the brokers where the figure has them.

    Args:
        shapes: of the slide.
        frame: left, top, width and height.
        figure: what to draw.
        made_at: when the workbook says that it was made.

    Returns:
        The graphic frame.
    """
    from pptx.enum.chart import XL_CHART_TYPE, XL_TICK_LABEL_POSITION

    data = category_data(made_at, number_format(figure.unit, figure.series))
    add_names(data, figure)
    for series in figure.series:
        data.add_series(plain(series.name), cells(series.values))
    if figure.mean is not None:
        data.add_series("mean", [figure.mean] * len(figure.names))
    kind = XL_CHART_TYPE.COLUMN_STACKED if figure.stacked else XL_CHART_TYPE.COLUMN_CLUSTERED
    held = shapes.add_chart(kind, *frame, data)
    chart = held.chart
    _plain(chart)
    for series, drawn in zip(figure.series, chart.plots[0].series, strict=False):
        _filled(drawn, series)
    chart.plots[0].gap_width = 40 if len(figure.names) <= 60 else 10
    chart.plots[0].overlap = 100 if figure.stacked else 0
    if figure.mean is not None:
        _mean_line(chart)
    _legend(chart, len(figure.series) + (figure.mean is not None))
    axis = chart.category_axis
    shown = [_name(figure, at) for at in range(len(figure.names))]
    _titled(axis, figure.what)
    if sum(len(name) + 2 for name in shown) * (1 if len(shown) > 12 else 0) > _NAMES:
        axis.tick_label_position = XL_TICK_LABEL_POSITION.NONE
        _titled(axis, f"{len(shown):,} {figure.what}s")
    _values(chart.value_axis, figure.unit, number_format(figure.unit, figure.series))
    if not figure.stacked and len(figure.names) * len(figure.series) <= _LABELLED:
        _labelled(chart, number_format(figure.unit, figure.series))
    return held


def add_lines(shapes: Any, frame: tuple[Any, ...], figure: Lines, made_at: datetime) -> Any:
    """A chart of lines over numbers or time; a gap stays a gap. As ``add_bars``."""
    from pptx.enum.chart import XL_CHART_TYPE

    x = places_on_x(figure.x)
    data = point_data(made_at, number_format(figure.unit, figure.series))
    for series in figure.series:
        told = data.add_series(plain(series.name))
        for at, value in zip(x, series.values.tolist(), strict=True):
            told.add_data_point(at, None if math.isnan(value) else value)
    extra: list[tuple[str, ...]] = []
    if figure.marked is not None:
        value = value_at(figure, figure.marked)
        if value is not None:
            told = data.add_series("this report")
            told.add_data_point(place_on_x(figure, figure.marked), value)
            extra.append(("this report",))
    if figure.events:
        told = data.add_series("events")
        for at, _ in figure.events:
            told.add_data_point(place_on_x(figure, at), 0.0)
        extra.append(tuple(str(number) for number in range(1, len(figure.events) + 1)))
    held = shapes.add_chart(XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, *frame, data)
    chart = held.chart
    _plain(chart)
    drawn = list(chart.plots[0].series)
    for number, (series, line) in enumerate(zip(figure.series, drawn, strict=False)):
        twin = sum(COLOURS[one.role][0] == COLOURS[series.role][0] for one in figure.series[:number])
        _lined(line, COLOURS[series.role][0], dashed=bool(twin))
        if len(figure.x) == 1:
            _marked(line, COLOURS[series.role][0])
    for words, line in zip(extra, drawn[len(figure.series) :], strict=True):
        _marked(line, palette.LIGHT.text)
        _lined(line, None)
        for at, word in enumerate(words[:12]):
            _said(line.points[at], word)
    _legend(chart, len(figure.series))
    _titled(chart.category_axis, figure.x_name)
    if figure.x.dtype.kind == "M":
        _written(chart.category_axis.tick_labels, "yyyy-mm-dd")
    if len(x) > 1 and min(x) < max(x):
        chart.category_axis.minimum_scale, chart.category_axis.maximum_scale = min(x), max(x)
    chart.category_axis.has_major_gridlines = False
    _values(chart.value_axis, figure.unit, number_format(figure.unit, figure.series))
    return held


def add_draws(shapes: Any, frame: tuple[Any, ...], figure: Draws, made_at: datetime) -> Any:
    """A chart of dots, a row a tool, with our value as a line across. As ``add_bars``."""
    from pptx.enum.chart import XL_CHART_TYPE, XL_TICK_LABEL_POSITION

    values = [one for row in figure.draws for one in row.tolist() if not math.isnan(one)]
    written = format_of(figure.unit, [*values, figure.own])
    data = point_data(made_at, written)
    rows = len(figure.names)
    for row, (name, draws) in enumerate(zip(figure.names, figure.draws, strict=True)):
        told = data.add_series(plain(name))
        for value in draws.tolist():
            if not math.isnan(value):
                told.add_data_point(value, float(rows - row))
    told = data.add_series(plain(figure.own_name))
    for y in (0.4, rows + 0.8):
        told.add_data_point(figure.own, y)
    held = shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *frame, data)
    chart = held.chart
    _plain(chart)
    *tools, own = chart.plots[0].series
    for line, name, draws in zip(tools, figure.names, figure.draws, strict=True):
        _marked(line, palette.LIGHT.bar)
        _lined(line, None)
        known = [value for value in draws.tolist() if not math.isnan(value)]
        if known:
            _said(line.points[known.index(max(known))], name)
    _lined(own, COLOURS["plan"][0])
    _said(own.points[1], figure.own_name)
    chart.has_legend = False
    axis = chart.value_axis
    axis.minimum_scale, axis.maximum_scale, axis.has_major_gridlines = 0, rows + 1, False
    axis.tick_label_position, axis.visible = XL_TICK_LABEL_POSITION.NONE, False
    _titled(chart.category_axis, figure.unit)
    _written(chart.category_axis.tick_labels, written)
    chart.category_axis.has_major_gridlines = False
    return held


def _plain(chart: Chart) -> None:
    """Small quiet type, no title in the chart (the slide says it), gaps stay gaps."""
    from pptx.util import Pt

    chart.font.size, chart.font.name = Pt(11), FONT
    chart.font.color.rgb = rgb(palette.LIGHT.text)
    chart.has_title = False
    for one in chart._chartSpace.iter(_c("dispBlanksAs")):
        one.set("val", "gap")


def _legend(chart: Chart, rows: int) -> None:
    """A legend above, where there is more than one thing to tell apart."""
    from pptx.enum.chart import XL_LEGEND_POSITION

    chart.has_legend = rows > 1
    if chart.has_legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.TOP, False


def _values(axis: Any, unit: Unit, number_format: str) -> None:
    from pptx.util import Pt

    axis.has_major_gridlines = True
    axis.major_gridlines.format.line.color.rgb = rgb(palette.LIGHT.line)
    axis.major_gridlines.format.line.width = Pt(0.5)
    axis.format.line.fill.background()
    if unit != "bytes":
        _titled(axis, unit)
    _written(axis.tick_labels, number_format)
    axis.minimum_scale = 0


def _written(labels: Any, number_format: str) -> None:
    """How numbers are written, whatever the workbook's cells say."""
    labels.number_format, labels.number_format_is_linked = number_format, False


def _titled(axis: Any, words: str) -> None:
    from pptx.util import Pt

    axis.has_title = True
    frame = axis.axis_title.text_frame
    frame.text = plain(words)
    font = frame.paragraphs[0].runs[0].font
    font.size, font.bold, font.color.rgb = Pt(10), False, rgb(palette.LIGHT.quiet)


def _labelled(chart: Chart, number_format: str) -> None:
    from pptx.util import Pt

    plot = chart.plots[0]
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.show_value = True
    _written(labels, number_format)
    labels.font.size = Pt(10)


def _filled(drawn: Any, series: Series) -> None:
    """The colour of a series' meaning, with its hatch as a pattern."""
    from pptx.enum.dml import MSO_PATTERN

    colour, hatch = COLOURS[series.role]
    if hatch:
        drawn.format.fill.patterned()
        drawn.format.fill.pattern = MSO_PATTERN.from_xml(_PATTERNS.get(hatch[0], "wdUpDiag"))
        drawn.format.fill.fore_color.rgb = rgb(palette.LIGHT.background)
        drawn.format.fill.back_color.rgb = rgb(colour)
        drawn.format.line.color.rgb = rgb(colour)
    else:
        drawn.format.fill.solid()
        drawn.format.fill.fore_color.rgb = rgb(colour)
    drawn.invert_if_negative = False


def _lined(line: Any, colour: str | None, *, dashed: bool = False) -> None:
    """A line of this colour; None: no line."""
    from pptx.enum.dml import MSO_LINE
    from pptx.util import Pt

    if colour is None:
        line.format.line.fill.background()
        return
    line.format.line.color.rgb, line.format.line.width = rgb(colour), Pt(2)
    if dashed:
        line.format.line.dash_style = MSO_LINE.DASH
    line.smooth = False


def _marked(line: Any, colour: str) -> None:
    from pptx.enum.chart import XL_MARKER_STYLE

    line.marker.style, line.marker.size = XL_MARKER_STYLE.CIRCLE, 8
    line.marker.format.fill.solid()
    line.marker.format.fill.fore_color.rgb = rgb(colour)
    line.marker.format.line.fill.background()


def _said(point: Any, words: str) -> None:
    """Words beside a point."""
    from pptx.enum.chart import XL_LABEL_POSITION
    from pptx.util import Pt

    frame = point.data_label.text_frame
    frame.text = plain(words)
    frame.paragraphs[0].runs[0].font.size = Pt(10)
    point.data_label.position = XL_LABEL_POSITION.ABOVE


def _mean_line(chart: Chart) -> None:
    """Moves the last series out of the bars into a dashed line upon the same axes."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    bars = chart._chartSpace.find(f".//{_c('barChart')}")
    held = bars.findall(_c("ser"))[-1]
    bars.remove(held)
    for name in ("invertIfNegative", "spPr"):
        for one in held.findall(_c(name)):
            held.remove(one)
    ink = palette.LIGHT.quiet[1:].upper()
    look = parse_xml(
        f'<c:spPr {nsdecls("c", "a")}><a:ln w="15875"><a:solidFill><a:srgbClr val="{ink}"/></a:solidFill>'
        '<a:prstDash val="dash"/></a:ln></c:spPr>'
    )
    marker = parse_xml(f'<c:marker {nsdecls("c")}><c:symbol val="none"/></c:marker>')
    held.find(_c("tx")).addnext(look)
    look.addnext(marker)
    held.append(parse_xml(f'<c:smooth {nsdecls("c")} val="0"/>'))
    line = parse_xml(
        f'<c:lineChart {nsdecls("c")}><c:grouping val="standard"/><c:varyColors val="0"/>'
        '<c:marker val="1"/></c:lineChart>'
    )
    line.insert(2, held)
    for axis in bars.findall(_c("axId")):
        line.append(deepcopy(axis))
    bars.addnext(line)


def _c(name: str) -> str:
    from pptx.oxml.ns import qn

    return str(qn(f"c:{name}"))
