"""The numbers behind the figures: every broker and rack, every pair; searched on the server, all to download."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from components.look import on_paper, tables, text
from components.resilience.source import Subject
from components.resilience.view import ResilienceView, chosen_of, measure_of, ranked
from components.resilience.words import names_of
from components.state import fields, widgets
from components.state.partitions_table import partitions_table
from reseat.model import Longs
from reseat.model.search import Search
from reseat.resilience.losses import Losses, triangle
from reseat.resilience.words import MEASURES, LossMeasure

if TYPE_CHECKING:
    from streamlit.elements.lib.column_types import ColumnConfig

__all__ = ["draw_tables", "pairs_found", "pairs_frame", "single_frame", "singles_found", "singles_on_paper"]

_SINGLE, _PAIRS, _OFFLINE = "Brokers and racks", "Pairs", "Partitions offline"
#: What the columns are called.
_COLUMNS = {
    "offline_partitions": "offline",
    "below_min_isr": "below min ISR",
    "leaders_moved": "leaders moved",
    "moves": "replicas to copy",
    "bytes_to_move": "bytes to copy",
    "least_spread": "best spread afterwards",
    "racks_kept": "racks kept",
}
#: Columns that hold names from outside.
_NAMES = ("lost", "in rack", "rack", "other rack")


def draw_tables(
    subject: Subject, view: ResilienceView, key: str, on_choose: Callable[[str, dict[str, object]], None]
) -> None:
    """The tables of single losses, of pairs and of the partitions that go offline, one at a time.

    Args:
        subject: what is drawn.
        view: by which measure losses are sorted, of which kinds, and whose partitions are listed.
        key: their name on the page; a row that was chosen is forgotten where it changes.
        on_choose: called with the table's key and the event that a chosen row is, for ``resilience_view.apply_event``.
    """
    losses = subject.losses
    offered = [_SINGLE, *([_PAIRS] if losses.pairs else []), *([_OFFLINE] if subject.offline is not None else [])]
    shown = _SINGLE
    if len(offered) > 1:
        shown = fields.segments(
            "Table", offered, name="table", key=f"resilience-table-{len(offered)}",
            says={_SINGLE: "single", _PAIRS: "pairs", _OFFLINE: "offline"}, label_visibility="collapsed",
        )  # fmt: skip
    if shown == _OFFLINE:
        _offline(subject, view)
        return
    typed = fields.find("resilience", "a broker id or a part of a rack's name")
    if shown == _PAIRS:
        cells = pairs_found(losses, view, typed)
        frame = pairs_frame(losses, cells[: tables.MOST_ROWS])
        events: list[dict[str, object]] = [
            {"kind": "pair", "lost": losses.pair_at(cell)} for cell in cells[: tables.MOST_ROWS].tolist()
        ]
        total, what = len(cells), "pair"
        everything = partial(pairs_frame, losses, cells)
    else:
        at = singles_found(losses, view, typed)
        frame = single_frame(losses, view, at[: tables.MOST_ROWS])
        events = [{"kind": "row", "at": one} for one in at[: tables.MOST_ROWS].tolist()]
        total, what = len(at), "loss"
        everything = partial(single_frame, losses, view, at)
    name = f"{key}-{shown}"

    def chosen() -> None:
        for row in widgets.chosen_rows(name)[:1]:
            on_choose(name, events[row])

    kinds = _kinds(frame)
    tables.table(frame, name, kinds, of=tables.MOST_ROWS, on_select=chosen)
    few = tables.shown_of(len(frame), total, what) if what == "pair" else _losses(len(frame), total)
    said = f"{few} Click a row to see its details above."
    tables.foot(f"resilience-{what}", said, f"resilience-{what}.csv", lambda: tables.as_csv(everything(), _NAMES))


def singles_on_paper(losses: Losses, view: ResilienceView) -> None:
    """Brokers and racks for a printer alone: what is folded away is a part of the answer there."""
    at = singles_found(losses, view, "")
    frame = single_frame(losses, view, at[: on_paper.MOST_ROWS])
    on_paper.rows(frame, _kinds(frame), total=len(at))


def _kinds(frame: pd.DataFrame) -> dict[str, ColumnConfig]:
    """Bytes are put into one unit, which stands in their heading."""
    if "bytes to copy" not in frame:
        return {}
    unit, sizes = tables.in_unit(frame["bytes to copy"])
    frame["bytes to copy"] = sizes
    return {"bytes to copy": st.column_config.NumberColumn(f"to copy, {unit}", format=tables.digits(sizes))}


def _offline(subject: Subject, view: ResilienceView) -> None:
    """The partitions that are offline with the loss whose detail is open."""
    chosen = chosen_of(view, subject.losses)
    if subject.offline is None or chosen is None:
        return
    layout, rows = subject.offline(chosen.lost)
    st.caption(
        f"{text.counted(len(rows), 'partition')} offline once {text.verb(len(chosen.lost), 'broker', 'brokers')} "
        f"{text.ids(chosen.lost)} {text.verb(len(chosen.lost), 'is', 'are')} lost:"
    )
    if len(rows):
        partitions_table(layout, rows, "resilience-offline")


def singles_found(losses: Losses, view: ResilienceView, typed: str) -> Longs:
    """Places, in the ranking, of the brokers and racks that a search is about."""
    rows = ranked(view, losses)
    search = Search.of(typed)
    if not search.words:
        return np.arange(len(rows))
    by_id = np.array([search.number in lost for lost in rows["lost"]], np.bool_)
    return np.flatnonzero(search.within(rows["rack"]) | by_id)


def single_frame(losses: Losses, view: ResilienceView, at: Longs) -> pd.DataFrame:
    """Brokers and racks with all that is told of their loss, in the order of the chart."""
    rows = ranked(view, losses).iloc[at]
    frame = pd.DataFrame(
        {
            "lost": [text.visible(name, 60) for name in names_of(rows)],
            "in rack": [
                rack if kind == "broker" else None for kind, rack in zip(rows["kind"], rows["rack"], strict=True)
            ],
            "brokers": [len(lost) for lost in rows["lost"]],
        }
    )
    for name, called in _COLUMNS.items():
        if rows[name].notna().any():
            frame[called] = rows[name].to_numpy(object) if name == "racks_kept" else rows[name].array
    return frame.dropna(axis="columns", how="all")


def pairs_found(losses: Losses, view: ResilienceView, typed: str) -> Longs:
    """Places, in the triangle, of the pairs that a search is about, the worst first; a rack's pairs are both in it."""
    count = len(losses.brokers)
    cells = losses.pairs.get(measure_of(view, losses))
    if cells is None:
        return np.empty(0, np.int64)
    rows, columns = np.triu_indices(count, 1)
    search = Search.of(typed)
    if search.words:
        by_rack, by_id = search.within(losses.racks), losses.brokers == (-1 if search.number is None else search.number)
        keep = by_id[rows] | by_id[columns] | (by_rack[rows] & by_rack[columns])
        rows, columns = rows[keep], columns[keep]
    at = triangle(rows, columns, count)
    worst = np.lexsort([at, *(-losses.pairs[one][at].astype(np.int64) for one in _reversed(losses, view))])
    return at[worst]


def _reversed(losses: Losses, view: ResilienceView) -> list[LossMeasure]:
    """The measures to sort by, the first one last, as numpy wants them."""
    first = measure_of(view, losses)
    return [*(one for one in reversed(MEASURES) if one != first and one in losses.pairs), first]


def pairs_frame(losses: Losses, cells: Longs) -> pd.DataFrame:
    """Pairs with what their loss does by each measure."""
    count = len(losses.brokers)
    starts = triangle(np.arange(count), np.arange(count), count)
    rows = np.searchsorted(starts, cells, side="right") - 1
    columns = rows + cells - starts[rows]
    ids = np.sort(np.stack([losses.brokers[rows], losses.brokers[columns]], axis=1), axis=1)
    racks = {int(broker): rack for broker, rack in zip(losses.brokers, losses.racks, strict=True)}
    frame = pd.DataFrame({"broker": ids[:, 0], "other broker": ids[:, 1]})
    frame["rack"] = [racks[one] for one in ids[:, 0].tolist()]
    frame["other rack"] = [racks[one] for one in ids[:, 1].tolist()]
    for measure in MEASURES:
        if measure in losses.pairs:
            frame[_COLUMNS[measure]] = losses.pairs[measure][cells]
    return frame.dropna(axis="columns", how="all") if len(frame) else frame


def _losses(shown: int, total: int) -> str:
    if shown >= total:
        return f"{text.counted(total, 'loss', 'losses')}."
    return f"The first {shown:,} of {total:,} losses; search to see others, or download all."
