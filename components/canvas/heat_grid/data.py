"""What the browser is sent for a heatmap: numbers packed small, and the words beside them.

Cells are whole multiples of one unit in 16 bits (8 for states), so that a grid of 250 by 500 is a quarter of a megabyte
whatever the layout's size. Every word is text; the browser never takes one as HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from components.canvas.cells import b64, cividis, palette, rgb, token_of
from components.look import text, theme
from reseat.balance.grid import Axes, CellMeasure, CellState, Grid
from reseat.model import NONE, NOT_TOLD, Broker, ClusterLayout, FloatArray

__all__ = ["counts_data", "states_data"]

#: Cells are sent in 16 bits.
_STEPS = 65_535
_SIGNED_STEPS = 32_767
_WORDS: dict[CellMeasure, tuple[str, str]] = {
    "replicas": ("replica", "replicas"),
    "leaders": ("partition led", "partitions led"),
    "preferred leaders": ("preferred leader", "preferred leaders"),
    "bytes": ("", ""),
    "behind": ("replica out of sync", "replicas out of sync"),
}
#: Characters of a directory's path beside its row: the end tells them apart.
_PATH = 14
#: Height on a screen of 768 pixels, where there are rows enough to fill it; with few rows the rest moves up.
_HEIGHT = 430
_AROUND, _ROW, _LEAST = 98, 44, 190


def counts_data(
    grid: Grid,
    measure: CellMeasure,
    *,
    before: Grid | None = None,
    limit: float | None = None,
    beside: Grid | None = None,
    counted: Sequence[int] | None = None,
) -> dict[str, Any]:
    """The data of a grid of sums; with ``before`` of the same axes, of the difference.

    Args:
        grid: the sums.
        measure: what they are.
        before: the sums to take off.
        limit: the top of the scale, so that before and after share it; None takes the grid's own.
        beside: the sums with which the scale's low end and middle are shared, as ``limit`` is.
        counted: the rows that the mean is of; None: all.
    """
    values = grid.values if before is None else grid.values - before.values
    top = max(float(np.abs(values).max(initial=0)), 0.0 if limit is None or before is not None else limit)
    steps = _STEPS if before is None else _SIGNED_STEPS
    unit = 1.0 if top <= steps and measure != "bytes" else max(top / steps, 1e-9)
    kind = "counts" if before is None else "difference"
    packed = np.rint(values / unit).astype("<u2" if before is None else "<i2")
    low, middle = _scale([grid] if beside is None else [grid, beside], unit, top)
    rows, columns = grid.row_sums, grid.column_sums
    if before is not None:
        rows, columns = rows - before.row_sums, columns - before.column_sums
    return _finished(
        grid.axes,
        kind=kind,
        values=b64(packed),
        unit=unit,
        top=max(int(np.rint(top / unit)), 1),
        low=low,
        middle=middle,
        format="bytes" if measure == "bytes" else "count",
        word=_WORDS[measure][0],
        words=_WORDS[measure][1],
        row_sums=rows,
        column_sums=columns,
        row_mean=float((rows if counted is None else rows[list(counted)]).mean())
        if before is None and len(rows)
        else 0.0,
        palette=palette(theme.DIFFERENCE) if kind == "difference" else cividis(),
        present=[],
    )


def states_data(states: npt.NDArray[np.uint8], axes: Axes, proposed: ClusterLayout | None = None) -> dict[str, Any]:
    """The data of a grid of states (``CellState``), with each partition's facts for the hover.

    Args:
        states: (rows, columns) uint8.
        axes: axes of single brokers and partitions.
        proposed: a plan's proposed layout, whose lists are told beside the present ones.
    """
    held = states != CellState.EMPTY
    return _finished(
        axes,
        kind="states",
        values=b64(states),
        unit=1.0,
        top=1,
        low=1.0,
        middle=1.0,
        format="count",
        word="",
        words="",
        row_sums=held.sum(axis=1).astype(np.float64),
        column_sums=held.sum(axis=0).astype(np.float64),
        row_mean=float(held.sum(axis=1).mean()) if len(states) else 0.0,
        palette=cividis(),
        present=[int(state) for state in np.unique(states)],
        facts=[_facts(axes.base, int(row), proposed) for row in axes.columns],
    )


def _scale(grids: Sequence[Grid], unit: float, top: float) -> tuple[float, float]:
    """The low end and the middle of a scale of counts, in units: so that both ends are told apart.

    The low end is the least that any cell holds; the middle lies, by factors, between the middle cell and the middle of
    the two ends: where most cells hold little and a few very much, neither the many nor the few are one colour.
    """
    held = np.concatenate([np.rint(grid.values[grid.values > 0] / unit) for grid in grids])
    held = np.maximum(held, 1.0)
    if not len(held):
        return 1.0, 1.0
    low, high = float(held.min()), max(top / unit, 1.0)
    return low, float(np.sqrt(np.median(held) * np.sqrt(low * high)))


def _finished(
    axes: Axes,
    *,
    row_sums: FloatArray,
    column_sums: FloatArray,
    row_mean: float,
    facts: Sequence[str] = (),
    **values: Any,
) -> dict[str, Any]:
    look, most = theme.look(), max(_AROUND + _ROW * len(axes.row_spans), _LEAST)
    data: dict[str, Any] = {
        **values,
        "rows": len(axes.row_spans),
        "columns": len(axes.column_spans),
        "rowSums": b64(row_sums.astype("<f4")),
        "columnSums": b64(column_sums.astype("<f4")),
        "rowMean": row_mean,
        "rowSumsWord": _sums_word(axes),
        "brokers": [axes.name_of(place) for place in range(len(axes.brokers))],
        "rowStarts": [span.start for span in axes.row_spans],
        "rowLabels": [_row_label(axes, span) for span in axes.row_spans],
        "rowWords": [_row_words(axes, span) for span in axes.row_spans],
        "columnWords": [_column_words(axes, span) for span in axes.column_spans],
        "columnFacts": list(facts) or [""] * len(axes.column_spans),
        "rowGroups": _row_groups(axes),
        "columnGroups": _column_groups(axes),
        "columnSumsWord": "per partition" if axes.by_partition else "per topic",
        "none": rgb(look.none),
        "states": [rgb(colour) for colour in _state_colours(look)],
        "look": {
            "text": look.text,
            "quiet": look.quiet,
            "line": look.line,
            "bar": look.bar,
            "background": look.background,
            "accent": look.accent,
        },
        "height": min(_HEIGHT, most),
        "most": most,
        "label": f"{text.counted(len(axes.brokers), *axes.row_kind)} by "
        f"{text.counted(len(axes.columns), 'partition' if axes.by_partition else 'topic')}. "
        "Arrow keys move between cells, Enter opens one, Escape zooms out.",
    }
    return data | {"token": token_of(data)}


def _state_colours(look: theme.Neutrals) -> tuple[str, ...]:
    """Colours in the order of ``CellState``."""
    return (
        look.none,
        theme.LEADER,
        theme.FINE,
        theme.ATTENTION,
        theme.BROKEN,
        theme.MOVED_IN,
        theme.MOVED_OUT,
        theme.FOLLOWER,
    )


def _sums_word(axes: Axes) -> str:
    """What the bars beside the rows sum: a broker's all, or only the part shown; of several brokers together."""
    whole = axes.base.partition_count if axes.by_partition else len(axes.base.topics)
    each = max((len(span) for span in axes.row_spans), default=1)
    one, many = axes.row_kind
    who = f"per {one}" if each == 1 else f"per {each} {many}"
    return who if len(axes.columns) == whole else f"{who} (shown part)"


def _row_label(axes: Axes, span: range) -> str:
    first, last = (text.visible(axes.name_of(place), 200) for place in (span.start, span.stop - 1))
    if len(span) > 1:  # of several directories the brokers are enough
        return " … ".join(name.partition(":")[0] for name in (first, last))
    broker, _, path = first.partition(":")
    return first if len(path) <= _PATH else f"{broker}:…{path[-_PATH:]}"


def _row_words(axes: Axes, span: range) -> str:
    ids = axes.brokers[span.start : span.stop].tolist()
    racks = {_broker(axes, broker).rack for broker in ids}
    rack = next(iter(racks)) if len(racks) == 1 else None
    of_rack = f" in rack {text.visible(rack, 60)}" if rack else ""
    if axes.by_directory:
        names = [axes.name_of(place) for place in range(span.start, span.stop)]
        first = text.visible(names[0], 90)
        return f"{first}{of_rack}" if len(names) == 1 else f"{len(names):,} log directories{of_rack}, {first} …"
    if len(ids) == 1:
        broker = _broker(axes, ids[0])
        host = f", {text.visible(broker.host, 60)}" if broker.host else ""
        return f"Broker {ids[0]}{of_rack}{host}"
    return f"{len(ids):,} brokers{of_rack} ({text.ids(ids, 4)})"


def _broker(axes: Axes, broker: int) -> Broker:
    at = axes.base.position(broker)
    return Broker(broker) if at is None else axes.base.brokers[at]


def _column_words(axes: Axes, span: range) -> str:
    base, chosen = axes.base, axes.columns[span.start : span.stop]
    if not axes.by_partition:
        if len(chosen) == 1:
            return f"topic {text.visible(base.topics[int(chosen[0])], 80)}"
        return f"{len(chosen):,} topics, {text.visible(base.topics[int(chosen[0])], 40)} …"
    if len(chosen) == 1:
        return text.visible(base.name_of(int(chosen[0])), 90)
    topics = np.unique(base.topic_of[chosen])
    if len(topics) == 1:
        return f"{len(chosen):,} partitions of {text.visible(base.topics[int(topics[0])], 60)}"
    return f"{len(chosen):,} partitions of {len(topics):,} topics"


def _row_groups(axes: Axes) -> list[dict[str, object]]:
    """Runs of grid rows whose brokers share a rack."""
    looks = theme.rack_looks(axes.base.racks)
    racks = [_broker(axes, int(axes.brokers[span.start])).rack for span in axes.row_spans]
    edges = [0, *(i for i, (a, b) in enumerate(pairwise(racks), 1) if a != b), len(racks)]
    if len(edges) - 1 > len(set(racks)) or not axes.base.racks:
        return []  # rows are not in the order of racks: bands would say nothing
    return [
        {
            "label": "no rack" if racks[start] is None else text.visible(str(racks[start]), 40),
            "from": start,
            "to": stop,
            "colour": "transparent" if racks[start] is None else looks[str(racks[start])][0],
        }
        for start, stop in pairwise(edges)
        if stop > start
    ]


def _column_groups(axes: Axes) -> list[dict[str, object]]:
    """Labels above the columns: topics one by one, or runs of a topic's partitions."""
    base = axes.base
    if not axes.by_partition:
        single = len(axes.column_spans) == len(axes.columns)
        names = [base.topics[int(axes.columns[span.start])] for span in axes.column_spans]
        return (
            [{"label": text.visible(name, 60), "from": i, "to": i + 1} for i, name in enumerate(names)]
            if single
            else []
        )
    firsts = np.array([span.start for span in axes.column_spans], np.int64)
    topics = base.topic_of[axes.columns[firsts]] if len(firsts) else np.empty(0, np.int32)
    edges = [0, *(np.flatnonzero(np.diff(topics)) + 1).tolist(), len(topics)]
    return [
        {"label": text.visible(base.topics[int(topics[start])], 60), "from": start, "to": stop}
        for start, stop in pairwise(edges)
        if stop > start
    ]


def _facts(layout: ClusterLayout, row: int, proposed: ClusterLayout | None) -> str:
    """All that is told of one partition, as lines."""
    ids = [int(i) for i in layout.replica_ids[row] if i != NONE]
    lines = [f"Replicas {', '.join(map(str, ids))}"]
    leader = int(layout.leader_ids[row])
    if leader == NONE:
        lines.append("No leader: offline")
    elif leader != NOT_TOLD:
        preferred = bool(layout.order_told[int(layout.topic_of[row])])
        lines.append(
            f"Led by {leader}" + (f", preferred leader is {ids[0]}" if preferred and ids and ids[0] != leader else "")
        )
    if layout.in_sync is not None and bool(layout.in_sync_known[row]):
        members = [i for i, inside in zip(ids, layout.in_sync[row].tolist(), strict=False) if inside]
        lines.append(f"In sync {', '.join(map(str, members)) or 'none'} ({len(members)} of {len(ids)})")
    sizes = layout.replica_bytes
    if sizes is not None and np.isfinite(sizes[row]).any():
        lines.append(f"{text.size(float(np.nanmax(sizes[row])))} per replica")
    if layout.adding is not None and layout.removing is not None and bool(layout.under_way[row]):
        for words, mask in (("moving in", layout.adding), ("moving out", layout.removing)):
            members = [i for i, inside in zip(ids, mask[row].tolist(), strict=False) if inside]
            if members:
                lines.append(f"In progress: {words} {', '.join(map(str, members))}")
    if proposed is not None:
        after = [int(i) for i in proposed.replica_ids[row] if i != NONE]
        if after != ids:
            lines.append(f"After: {', '.join(map(str, after))}")
    return "\n".join(lines)
