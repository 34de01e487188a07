"""What the losses of one cluster would do, as pages draw them: brokers and racks as ranked rows, pairs as a triangle.

Rows come from the table ``resilience`` of the pipeline, or straight from the core for a layout that nothing was landed
of; both have the same columns (``reseat.history.schema``) and look the same here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reseat.model import NOT_TOLD, ClusterLayout, IntArray, Longs
from reseat.model.arrays import row_keys
from reseat.model.naming import natural
from reseat.resilience.words import MEASURES, LossMeasure

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from reseat.election import Mode
    from reseat.resilience import Loss

__all__ = [
    "AMOUNTS",
    "Losses",
    "Scatter",
    "corner",
    "from_layout",
    "from_tables",
    "order_of",
    "place",
    "triangle",
    "worst_brokers",
]

#: Further whole numbers of a row.
AMOUNTS = ("moves", "bytes_to_move", "least_spread")

_Cells = npt.NDArray[np.uint32]

_NO_FLOOR = "min.insync.replicas is unknown: nothing is counted as below it."
_NO_LEADERS = "Leaders are unknown: how many move, and where to, is left out."
_NO_RACKS = "Racks are unknown: brokers and pairs are analysed, racks are not."


class Scatter(NamedTuple):
    """How widely replicas are scattered: distinct broker sets, and the chance that random losses lose a partition."""

    copysets: int
    chance_two: float | None
    chance_three: float | None


@dataclass(frozen=True, eq=False)
class Losses:
    """What each loss would do to one layout.

    Attributes:
        single: one row a broker and a rack: ``kind``, ``lost`` (tuple of ids), ``rack`` (the broker's own too), the
            measures and further amounts as nullable integers, ``racks_kept`` and ``leaders_to``.
        brokers: (B,) int32 ids in the order of the matrix: by rack as names are sorted, no rack last, then by id.
        racks: B racks, None where there is none.
        pairs: B (B + 1) / 2 values by measure: the upper half of the matrix row by row, its diagonal the broker alone.
            A measure that is not told of all of them is left out; empty where pairs were not counted.
        scatter: copysets and chances, or None where they were not counted.
        already: what is offline or below min ISR before anything is lost; every loss counts it too.
        notes: what was inferred because the source does not tell it, one sentence each.
    """

    single: pd.DataFrame
    brokers: IntArray
    racks: tuple[str | None, ...]
    pairs: Mapping[LossMeasure, _Cells]
    scatter: Scatter | None = None
    already: Mapping[LossMeasure, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def of_kind(self, kind: str) -> pd.DataFrame:
        """The rows of ``broker`` or of ``rack``."""
        return self.single[self.single["kind"] == kind]

    def told(self, measure: LossMeasure) -> bool:
        """Whether a measure is told of any loss."""
        return bool(self.single[measure].notna().any())

    @property
    def first_telling(self) -> LossMeasure:
        """The worst measure by which some loss does anything; the last one, where none does."""
        for measure in MEASURES:
            cells, already = self.pairs.get(measure), self.already.get(measure, 0)
            if self.single[measure].fillna(0).gt(already).any() or (cells is not None and (cells > already).any()):
                return measure
        return MEASURES[0]

    def pair_at(self, cell: int) -> tuple[int, int]:
        """The two brokers of a place in a triangle, the lower id first; equal on the diagonal."""
        row, column = place(cell, len(self.brokers))
        ids = int(self.brokers[row]), int(self.brokers[column])
        return min(ids), max(ids)

    def worst_pair(self, measure: LossMeasure) -> tuple[tuple[int, int], int] | None:
        """The pair that does most by a measure, and how much; None without pairs.

        Of equals it is the one that does most by the next measure.
        """
        cells = self.pairs.get(measure)
        count = len(self.brokers)
        if cells is None or count < 2:
            return None
        further = MEASURES[MEASURES.index(measure) + 1 :][:1]
        rank = row_keys(cells, self.pairs.get(further[0], 0) if further else 0)
        rank[triangle(np.arange(count), np.arange(count), count)] = -1
        at = int(np.argmax(rank))
        return self.pair_at(at), int(cells[at])

    def harmful_pairs(self, measure: LossMeasure) -> int:
        """How many pairs do any harm beyond what is so already."""
        cells = self.pairs.get(measure)
        if cells is None:
            return 0
        count, already = len(self.brokers), self.already.get(measure, 0)
        alone = triangle(np.arange(count), np.arange(count), count)
        return int(np.count_nonzero(cells > already)) - int(np.count_nonzero(cells[alone] > already))


def worst_brokers(cells: _Cells, count: int, most: int) -> Longs:
    """Places of the brokers that stand in the worst pairs, at most so many, ascending; all where there are no more.

    Args:
        cells: the triangle of B brokers.
        count: B.
        most: how many.
    """
    if count <= most:
        return np.arange(count)
    worst, start = np.zeros(count, np.int64), 0
    for row in range(count):
        line = cells[start : start + count - row]
        worst[row] = max(int(worst[row]), int(line.max()))
        worst[row:] = np.maximum(worst[row:], line)
        start += count - row
    return np.sort(np.argsort(-worst, kind="stable")[:most])


def corner(cells: _Cells, count: int, places: Longs) -> _Cells:
    """The triangle of some of the brokers.

    Args:
        cells: the triangle of B brokers.
        count: B.
        places: theirs, ascending.
    """
    if len(places) == count:
        return cells
    rows, columns = np.triu_indices(len(places))
    part: _Cells = cells[triangle(places[rows], places[columns], count)]
    return part


def triangle(low: npt.NDArray[np.integer], high: npt.NDArray[np.integer], count: int) -> Longs:
    """Places in the upper half, row by row with its diagonal, of cells (low, high) with low <= high."""
    first = low.astype(np.int64)
    places: Longs = first * count - first * (first - 1) // 2 + (high - first)
    return places


def place(cell: int, count: int) -> tuple[int, int]:
    """Row and column of a place in the upper half."""
    starts = triangle(np.arange(count), np.arange(count), count)
    row = int(np.searchsorted(starts, cell, side="right")) - 1
    return row, row + cell - int(starts[row])


def order_of(brokers: IntArray, rack_of: Mapping[int, str]) -> tuple[IntArray, tuple[str | None, ...]]:
    """Brokers by rack, those without one last, then by id; and their racks."""
    ordered = sorted(brokers.tolist(), key=lambda one: (one not in rack_of, natural(rack_of.get(one, "")), one))
    return np.array(ordered, np.int32), tuple(rack_of.get(one) for one in ordered)


def from_layout(layout: ClusterLayout, mode: Mode) -> Losses:
    """The losses of a layout, counted by the core.

    Args:
        layout: the layout.
        mode: which controller decides.
    """
    from reseat.resilience import copysets, loss, pairs, racks, singles

    rows = [
        *(("rack", one) for one in racks(layout, mode=mode)),
        *(("broker", one) for one in singles(layout, mode=mode)),
    ]
    rack_of = {broker.id: broker.rack for broker in layout.brokers if broker.rack is not None}
    single = _ranked([_row(kind, one, rack_of) for kind, one in rows])
    brokers, placed = order_of(layout.broker_ids, rack_of)
    both = pairs(layout, mode=mode)
    told: dict[LossMeasure, Longs | None] = {
        "offline_partitions": both.offline_partitions,
        "below_min_isr": both.below_min_isr,
        "leaders_moved": both.leaders_moved,
    }
    scattered = copysets(layout)
    now = loss(layout, (), mode=mode)
    return Losses(
        single=single,
        brokers=brokers,
        racks=placed,
        pairs=_cells(both.first, both.second, told, single, brokers),
        scatter=Scatter(scattered.copysets, scattered.chance_two, scattered.chance_three),
        already={"offline_partitions": now.offline_partitions, "below_min_isr": now.below_min_isr or 0},
        notes=_inferred(layout),
    )


def from_tables(resilience: pa.Table, copysets: pa.Table, snapshot: Mapping[str, object]) -> Losses:
    """The losses of a snapshot that was swept.

    Args:
        resilience: its rows of that table, all kinds.
        copysets: its row of that table, or none.
        snapshot: its row of the table ``snapshots``.
    """
    import pyarrow.compute as pc

    pairs = resilience.filter(pc.equal(resilience["kind"], "pair"))
    rows = resilience.filter(pc.not_equal(resilience["kind"], "pair")).to_pylist()
    rack_of = {broker: row["rack"] for row in rows if row["kind"] == "rack" for broker in row["lost"]}
    for row in rows:
        row["lost"] = tuple(row["lost"])
        row["leaders_to"] = tuple((to["broker"], to["leaders"]) for to in row["leaders_to"] or ())
        row["rack"] = row["rack"] if row["kind"] == "rack" else rack_of.get(row["lost"][0])
    single = _ranked(rows)
    alone = [row["lost"][0] for row in rows if row["kind"] == "broker"]
    brokers, placed = order_of(np.array(alone, np.int32), rack_of)
    lost = np.asarray(pairs["lost"].combine_chunks().flatten(), np.int32).reshape(-1, 2)
    told = {one: None if pairs[one].null_count else pairs[one].to_numpy() for one in MEASURES}
    whole = copysets.to_pylist()
    scattered = [Scatter(row["copysets"], row["chance_two"], row["chance_three"]) for row in whole]
    return Losses(
        single=single,
        brokers=brokers,
        racks=placed,
        pairs=_cells(lost[:, 0], lost[:, 1], told, single, brokers),
        scatter=scattered[0] if scattered else None,
        already=_already(whole, snapshot, single),
        notes=_missing(snapshot, single),
    )


def _row(kind: str, one: Loss, rack_of: Mapping[int, str]) -> dict[str, object]:
    healing = one.healing
    return {
        "kind": kind,
        "lost": one.lost,
        "rack": one.rack if kind == "rack" else rack_of.get(one.lost[0]),
        "leaders_to": one.leaders_to,
        **{measure: getattr(one, measure) for measure in MEASURES},
        **{name: None if healing is None else getattr(healing, name) for name in (*AMOUNTS, "racks_kept")},
    }


def _ranked(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """The rows of brokers and racks, worst first; of equals the rack first, then by id."""
    import pandas as pd

    names = ["kind", "lost", "rack", *MEASURES, *AMOUNTS, "racks_kept", "leaders_to"]
    frame = pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in names})
    frame = frame.astype(dict.fromkeys((*MEASURES, *AMOUNTS), "Int64") | {"racks_kept": "boolean"})
    frame["rank"] = frame["kind"].map({"rack": 0, "broker": 1})
    order = [*MEASURES, "rank", "lost"]
    worst = frame.sort_values(order, ascending=[False] * 3 + [True] * 2, na_position="last")
    return worst.drop(columns="rank").reset_index(drop=True)


def _cells(
    first: IntArray,
    second: IntArray,
    told: Mapping[LossMeasure, Longs | None],
    single: pd.DataFrame,
    brokers: IntArray,
) -> dict[LossMeasure, _Cells]:
    """The triangles of the measures that are told of every pair."""
    count = len(brokers)
    if not len(first):
        return {}
    rank = np.argsort(brokers, kind="stable")
    sorted_ids = brokers[rank]
    one, other = rank[np.searchsorted(sorted_ids, first)], rank[np.searchsorted(sorted_ids, second)]
    at = triangle(np.minimum(one, other), np.maximum(one, other), count)
    rows = single[single["kind"] == "broker"]
    own = rank[np.searchsorted(sorted_ids, [lost[0] for lost in rows["lost"]])]
    cells: dict[LossMeasure, _Cells] = {}
    for measure, values in told.items():
        if values is None or rows[measure].isna().any():
            continue
        cells[measure] = np.zeros(count * (count + 1) // 2, np.uint32)
        cells[measure][at] = values
        cells[measure][triangle(own, own, count)] = rows[measure].to_numpy(np.int64)
    return cells


def _inferred(layout: ClusterLayout) -> tuple[str, ...]:
    """What is taken to be so because the source does not tell it."""
    notes = []
    untold = layout.partition_count - int(np.count_nonzero(layout.in_sync_known))
    if untold:
        of = "" if untold == layout.partition_count else f" of {untold:,} of {layout.partition_count:,} partitions"
        notes.append(f"The ISR is unknown{of}: all their replicas are assumed to be in sync.")
    if not layout.floor_told:
        notes.append(_NO_FLOOR)
    if layout.partition_count and not (layout.leader != NOT_TOLD).any():
        notes.append(_NO_LEADERS)
    if not layout.racks:
        notes.append(_NO_RACKS)
    return tuple(notes)


def _missing(snapshot: Mapping[str, object], single: pd.DataFrame) -> tuple[str, ...]:
    """The same of a snapshot, as far as its rows show it."""
    notes = []
    if snapshot.get("under_replicated") is None:
        notes.append("The ISR is unknown for some partitions: all their replicas are assumed to be in sync.")
    if single["below_min_isr"].isna().all():
        notes.append(_NO_FLOOR)
    if single["leaders_moved"].isna().all():
        notes.append(_NO_LEADERS)
    if not (single["kind"] == "rack").any():
        notes.append(_NO_RACKS)
    return tuple(notes)


def _already(
    whole: Sequence[Mapping[str, object]], snapshot: Mapping[str, object], single: pd.DataFrame
) -> dict[LossMeasure, int]:
    """What stands before anything is lost: as it was swept.

    Earlier versions did not sweep it: then as the snapshot says, never more than after the mildest loss.
    """
    offline = whole[0].get("offline_partitions") if whole else None
    if isinstance(offline, int):
        below = whole[0]["below_min_isr"]
        return {"offline_partitions": offline, "below_min_isr": below if isinstance(below, int) else 0}
    already: dict[LossMeasure, int] = {}
    names: dict[LossMeasure, str] = {"offline_partitions": "offline", "below_min_isr": "below_min_isr"}
    for measure, name in names.items():
        said, told = snapshot.get(name), single[measure].dropna()
        if isinstance(said, int) and len(told):
            already[measure] = min(said, int(told.min()))
    return already
