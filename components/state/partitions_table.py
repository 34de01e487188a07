"""Some partitions of a layout as a table that is searched, and what was typed stands in the page's address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components.look import on_paper, text
from components.look.tables import MOST_ROWS, RIGHT, foot, leader_names, lists, matching, shown_of, table
from components.state import fields
from reseat.formats.tables.table import write_csv
from reseat.model import NONE, ClusterLayout, Longs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["partitions_on_paper", "partitions_table"]

#: More rows than these get a line to search in.
_SEARCHED = 12
#: Rows of a folded table that are printed; they are sent with the page, though few print it.
_FOLDED = 100
_RIGHT = {"leader": RIGHT, "bytes": RIGHT}


def partitions_table(layout: ClusterLayout, rows: Longs, key: str) -> None:
    """Some partitions with all their facts: searched on the server, the first of them sent, all to download."""
    found = rows
    if len(rows) > _SEARCHED:
        typed = fields.find(key)
        found = rows[matching(layout, rows, typed, layout.replica_ids[rows], layout.leader_ids[rows])]
    first = found[:MOST_ROWS]
    table(_frame(layout, first), key, _RIGHT, height=260, of=len(rows))
    said = shown_of(len(first), len(found), "partition")
    foot(key, said, "partitions.csv", lambda: write_csv(layout.select(found), per="partition"))


def partitions_on_paper(layout: ClusterLayout, rows: Longs) -> None:
    """The first of some partitions for a printer alone: what a fold holds that nobody has opened."""
    on_paper.rows(_frame(layout, rows[:_FOLDED]), _RIGHT, total=len(rows))


def _frame(layout: ClusterLayout, rows: Longs) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "topic": [layout.topics[i] for i in layout.topic_of[rows].tolist()],
            "partition": layout.partition[rows],
            "replicas": lists(layout.replica_ids[rows]),
            "leader": leader_names(layout.leader_ids[rows]),
        }
    )
    if layout.in_sync is not None:
        synced = np.where(layout.in_sync[rows], layout.replica_ids[rows], NONE)
        told = layout.in_sync_known[rows].tolist()
        frame["in sync"] = [isr if known else "unknown" for isr, known in zip(lists(synced), told, strict=True)]
    if layout.replica_bytes is not None:
        largest = np.nan_to_num(layout.replica_bytes[rows], nan=-1.0).max(axis=1, initial=-1.0)
        frame["bytes"] = [text.size(value if value >= 0 else None) for value in largest.tolist()]
    return frame
