"""Rows of the table ``changes`` as a list for a person: chosen by kind, searched, in words.

Knows nothing of Streamlit but what ``tables`` makes of names.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from components.look import tables, text
from components.over_time.changes_table import WORDS
from reseat.history.read import History

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["MOST", "as_csv", "as_table", "beginning", "matching", "read_changes"]

#: Changes read at once; a stretch with more is read from its end.
MOST = 200_000


def beginning(counts: pd.DataFrame, since: datetime, until: datetime, kinds: Collection[str]) -> tuple[datetime, int]:
    """From when on at most ``MOST`` changes lie before a moment, and how many there are in all.

    Args:
        counts: of ``History.change_counts``.
        since: the earlier end; changes that led to it do not count.
        until: the later end.
        kinds: the kinds of change asked for.
    """
    inside = counts[(counts["taken_at"] > since) & (counts["taken_at"] <= until) & counts["kind"].isin(list(kinds))]
    total = int(inside["changes"].sum())
    if total <= MOST:
        return since, total
    newest_first = inside.groupby("taken_at")["changes"].sum().sort_index(ascending=False)
    # What led to the newest moment of all is read in any case; then as many moments more as there is room for.
    room = int((newest_first.cumsum() <= MOST).sum()) or 1
    return (newest_first.index[room] if room < len(newest_first) else since), total


def read_changes(history: History, cluster: str, since: datetime, until: datetime, kinds: Collection[str]) -> pa.Table:
    """The changes of some kinds after one moment, up to another, newest first.

    Raises:
        InputRefused: the tables cannot be read.
    """
    from pyarrow import compute as pc

    rows = history.changes(cluster, since, until, filter=pc.field("kind").isin(sorted(kinds)))
    order = [("taken_at", "descending"), *((name, "ascending") for name in ("kind", "topic", "partition", "broker"))]
    return rows.sort_by(order)


def matching(rows: pa.Table, typed: str) -> pa.Table:
    """The rows that a search is about.

    A number finds a broker or a partition id; ``topic-7`` one partition; other words a part of a topic's name.
    """
    from pyarrow import compute as pc

    wanted = typed.strip()
    if not wanted:
        return rows
    hit = pc.fill_null(pc.match_substring(rows["topic"], wanted, ignore_case=True), False)
    if wanted.isdecimal() and len(wanted) < 10:
        for column in ("broker", "was", "partition"):
            hit = pc.or_(hit, pc.fill_null(pc.equal(rows[column], int(wanted)), False))
    topic, dash, partition = wanted.rpartition("-")
    if dash and partition.isdecimal() and len(partition) < 10:
        same = pc.and_(pc.equal(rows["topic"], topic), pc.equal(rows["partition"], int(partition)))
        hit = pc.or_(hit, pc.fill_null(same, False))
    return rows.filter(hit)


def as_table(rows: pa.Table) -> pd.DataFrame:
    """Some changes as a table for a person."""
    import pandas as pd

    told = rows.to_pydict()
    none = {-1: "none", None: ""}
    return pd.DataFrame(
        {
            "time": [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in told["taken_at"]],
            "change": [WORDS.get(kind, kind) for kind in told["kind"]],
            "topic": ["" if topic is None else text.visible(topic, 249) for topic in told["topic"]],
            "partition": ["" if partition is None else str(partition) for partition in told["partition"]],
            "broker": [none.get(broker, str(broker)) for broker in told["broker"]],
            "before": [none.get(was, str(was)) for was in told["was"]],
        }
    )


def as_csv(rows: pa.Table) -> str:
    """All of some changes as CSV, with the names of the table's own columns."""
    columns = ["taken_at", "previous_taken_at", "kind", "topic", "partition", "broker", "was"]
    return tables.as_csv(rows.select(columns).to_pandas(types_mapper=_whole))


def _whole(kind: pa.DataType) -> object:
    import pandas as pd

    return pd.Int32Dtype() if str(kind) == "int32" else None
