"""The moves of a plan as tables and flows: partition by partition, and who sends to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import plots
from components.charts.flow import flows
from components.look import tables, text
from components.state import fields
from reseat.model import NONE, ClusterLayout, FloatArray, IntArray, Longs, Plan
from reseat.model.wording import verb

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_csv", "draw_flows", "draw_moves", "flow_counts", "moves_frame", "shown_first"]

#: Above so many brokers that send or receive, the diagram shows racks.
_MOST_BROKERS = 30
#: Above so many arrows a diagram shows the largest and says how many it leaves out.
_MOST_ARROWS = 240
#: Pixels of the diagram, and of each name in it: of many thin bands the names lay over each other.
_LEAST_HEIGHT, _NAME_HEIGHT = 340, 22
#: What a partition copies, in the table; as the CSV has it.
_BYTES = "bytes to copy"


def moves_frame(plan: Plan, rows: Longs) -> pd.DataFrame:
    """Changed partitions with their lists before and after, what moves, and the preferred leader's change.

    Args:
        plan: the plan.
        rows: (n,) rows of changed partitions.
    """
    import pandas as pd

    current = plan.current
    before, after = current.replica_ids[rows], plan.proposed.replica_ids[rows]
    goes, comes, sizes = _by_partition(plan, rows)
    frame = pd.DataFrame(
        {
            "topic": [current.topics[i] for i in current.topic_of[rows].tolist()],
            "partition": current.partition[rows],
            "from": tables.lists(before),
            "to": tables.lists(after),
            "leaves": goes,
            "joins": comes,
            "preferred leader": [
                f"{old} → {new}" if old != new else str(old)
                for old, new in zip(before[:, 0].tolist(), after[:, 0].tolist(), strict=True)
            ],
        }
    )
    if sizes is not None:
        frame[_BYTES] = sizes
    return frame


def shown_first(plan: Plan) -> Longs:
    """(n,) the rows of changed partitions: those whose replicas move, then those whose lists are only reordered."""
    rows = np.flatnonzero(plan.changed)
    return rows[np.argsort(~np.isin(rows, plan.moves.row), kind="stable")]


def _by_partition(plan: Plan, rows: Longs) -> tuple[list[str], list[str], FloatArray | None]:
    """Leaving and joining brokers of each row as text, and the bytes copied."""
    moves = plan.moves
    first = np.searchsorted(moves.row, rows, side="left")
    after = np.searchsorted(moves.row, rows, side="right")

    def words(column: IntArray) -> list[str]:
        return [
            ", ".join(str(broker) for broker in column[a:b].tolist() if broker != NONE)
            for a, b in zip(first.tolist(), after.tolist(), strict=True)
        ]

    sizes = None
    if moves.bytes is not None:
        # One size that is unknown makes its partition's unknown, and no other one's.
        sums = np.nan_to_num(moves.bytes), np.isnan(moves.bytes)
        told, unknown = (np.concatenate(([0], np.cumsum(each))) for each in sums)
        sizes = np.where(unknown[after] > unknown[first], np.nan, told[after] - told[first])
    return words(moves.source), words(moves.target), sizes


def as_csv(plan: Plan) -> str:
    """The whole table of moves as CSV; a cell that a spreadsheet would take for a formula gets a leading quote."""
    return tables.as_csv(moves_frame(plan, np.flatnonzero(plan.changed)))


def draw_moves(plan: Plan, key: str) -> None:
    """The table of moves with its search."""
    rows = shown_first(plan)
    if not rows.size:
        st.caption("No partition changes.")
        return
    typed = fields.find(key)
    chosen = tables.matching(plan.current, rows, typed, plan.current.replica_ids[rows], plan.proposed.replica_ids[rows])
    found = rows[chosen]
    first = found[: tables.MOST_ROWS]
    frame, sizes = moves_frame(plan, first), {}
    if _BYTES in frame:
        unit, copied = tables.in_unit(frame[_BYTES])
        frame[_BYTES] = copied
        sizes[_BYTES] = st.column_config.NumberColumn(f"data to copy, {unit}", format=tables.digits(copied))
    tables.table(frame, f"{key}-table", sizes, height=330, of=len(rows))
    st.caption(
        f"{len(found):,} of {text.counted(len(rows), 'changed partition')} {verb(len(found), 'matches', 'match')}; "
        f"{len(first):,} {verb(len(first), 'is', 'are')} shown."
        if typed.strip()
        else tables.shown_of(len(first), len(rows), "changed partition")
    )


def flow_counts(
    plan: Plan,
) -> tuple[list[str], list[str], Longs, Longs, bool]:
    """Who gives replicas up and who receives them.

    Returns:
        Names of the givers, names of the receivers, (n, 2) their positions, (n,) replicas, and whether these are
        racks because there are too many brokers. Replicas that are only added come from "new copies"; those that are
        only dropped go to "dropped".
    """
    layout, moves = plan.current, plan.moves
    source, target = moves.source.astype(np.int64), moves.target.astype(np.int64)
    involved = np.union1d(source[source >= 0], target[target >= 0])
    by_rack = len(involved) > _MOST_BROKERS and bool(layout.racks)
    if by_rack:
        source, target = _racks_of(layout, source), _racks_of(layout, target)
    pairs, counts = np.unique(np.stack([source, target], axis=1), axis=0, return_counts=True)
    left, left_at = np.unique(pairs[:, 0], return_inverse=True)
    right, right_at = np.unique(pairs[:, 1], return_inverse=True)

    def name(code: int, nobody: str) -> str:
        if code == NONE:
            return nobody
        if not by_rack:
            return f"broker {code}"
        return layout.racks[code] if code < len(layout.racks) else "no rack"

    return (
        [name(code, "new copies") for code in left.tolist()],
        [name(code, "dropped") for code in right.tolist()],
        np.stack([left_at, right_at], axis=1),
        counts,
        by_rack,
    )


def _racks_of(layout: ClusterLayout, ids: Longs) -> Longs:
    """Racks of broker ids: a position in ``layout.racks``, their number for none; -1 stays."""
    rack = np.where(layout.rack_of < 0, len(layout.racks), layout.rack_of).astype(np.int64)
    place = np.searchsorted(layout.broker_ids, np.maximum(ids, layout.broker_ids[0]))
    return np.where(ids < 0, NONE, rack[place])


def draw_flows(plan: Plan, key: str) -> None:
    """The diagram of who sends to whom."""
    if not len(plan.moves):
        st.caption("No replica moves.")
        return
    sources, targets, link, counts, by_rack = flow_counts(plan)
    largest = np.argsort(-counts, kind="stable")[:_MOST_ARROWS]
    figure = flows(sources, targets, link[largest], counts[largest], "replicas")
    height = max(_LEAST_HEIGHT, _NAME_HEIGHT * max(len(sources), len(targets)))
    plots.draw(figure, key, "Brokers that give up replicas (left) and brokers that receive them (right)", height=height)
    left_out = len(counts) - len(largest)
    notes = (["Brokers are grouped by rack."] if by_rack else []) + (
        [f"{left_out:,} smaller flows are not drawn."] if left_out else []
    )
    st.caption(
        " ".join(
            [*notes, "Data is copied from each partition's leader. This chart shows which broker gives up the replica."]
        )
    )
