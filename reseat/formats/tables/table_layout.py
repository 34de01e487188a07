"""From the columns of a table to a layout: rows are grouped by partition and laid out as matrices.

What it promises, in this order: a partition's replicas are those of its rows, in the order of ``position``; rows in
any order give the same layout; whatever contradicts is a finding with its places.

How it works: rows about brokers alone are told from rows about partitions; ``ReplicaRows`` or ``PartitionRows`` lays
the latter out as matrices; what is told of topics joins them, and ``assemble`` makes the layout.

Complexity: O(n) for rows in order, O(n log n) otherwise, vectorised.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.errors import InputRefused
from reseat.formats.input.reading import Reading
from reseat.formats.input.shown import shown
from reseat.formats.rows.assemble import assemble
from reseat.formats.rows.bounds import check_brokers, check_topics
from reseat.formats.rows.row_findings import PLACES_NAMED, Rows, first_few, not_understood, outside_finding
from reseat.formats.tables.partition_rows import PartitionRows
from reseat.formats.tables.replica_rows import ReplicaRows
from reseat.formats.tables.table_columns import ABSENT, Table
from reseat.formats.tables.table_names import Header
from reseat.model import NONE, Broker, BrokerState, ClusterLayout, Finding, IntArray, Longs, Severity
from reseat.model.tiering import Tiering
from reseat.model.wording import counted

__all__ = ["read_table"]


def read_table(table: Table, header: Header, kind: str) -> Reading:
    """The reading of a table.

    Args:
        table: its columns.
        header: what they are called, and whether a row is a partition (else a replica).
        kind: CSV or Parquet, for the reading's kind.

    Raises:
        InputRefused: no row tells a partition.
        LimitMet: there is more than ``limits`` allow.
    """
    return _TableReader(table, header.by_partition).read(header.unknown, kind)


class _TableReader:
    """One table being read; collects what is skipped and found."""

    def __init__(self, table: Table, by_partition: bool) -> None:
        self.table = table
        self.by_partition = by_partition
        self.findings: list[Finding] = []

    def read(self, unknown: Sequence[str], kind: str) -> Reading:
        table = self.table
        told, about_brokers = self._divided()
        brokers, differing = _brokers_of(table if not self.by_partition else table.rows(about_brokers))
        self.findings.extend(differing)
        chosen = table if len(told) == table.count else table.rows(told)
        topics = table.text["topic"][1]
        longest = max(topics, key=len, default="")
        check_topics(len(topics), len(longest), longest, table.source, table.limits)
        if not chosen.count and not brokers:
            skipped = table.skipped.result()
            raise InputRefused(
                "No row of the table is a partition.",
                source=table.source,
                line=skipped[0].line if skipped else None,
                details=tuple(f"Line {piece.line}: {piece.why}" for piece in skipped[:PLACES_NAMED]),
            )
        read_rows = PartitionRows(table, chosen) if self.by_partition else ReplicaRows(chosen)
        rows, log_dirs = read_rows.read()
        if isinstance(read_rows, ReplicaRows):
            self.findings.extend(read_rows.findings)
        rows, facts = self._with_topic_facts(read_rows.table, rows, log_dirs)
        layout, contradictions = assemble(rows, brokers=brokers, **facts)
        self.findings.extend(contradictions)
        if isinstance(read_rows, PartitionRows):
            self.findings.extend(outside_finding(layout, rows, told, name) for name, told in read_rows.outside.items())
        self._note_missing(layout)
        self._note_over_lines()
        if unknown:
            names = ", ".join(repr(shown(name)) for name in unknown[:PLACES_NAMED])
            self.findings.append(
                Finding(
                    kind="unknown_columns",
                    severity=Severity.NOTE,
                    sentence=f"{counted(len(unknown), 'column', 'columns')} not recognised and ignored: {names}.",
                )
            )
        what = "partition" if self.by_partition else "replica"
        return Reading(
            layout=layout,
            kind=f"{kind}, one row per {what}",
            source=table.source,
            skipped=table.skipped.result(),
            findings=tuple(self.findings),
            tiering=Tiering(_tiered(read_rows.table)),
        )

    # ---- which rows tell what ------------------------------------------------------------------------------

    def _divided(self) -> tuple[Longs, Longs]:
        """Rows that tell of partitions, and rows that tell of brokers alone; the others are skipped."""
        table = self.table
        topic, partition = table.text["topic"][0], table.integer["partition"]
        broker = table.integer.get("broker")
        of_broker = (topic == NONE) & (partition == ABSENT)
        if broker is not None:
            of_broker &= broker != ABSENT
        else:
            of_broker[:] = False
        told = (topic != NONE) & (partition != ABSENT)
        for row in np.flatnonzero(~told & ~of_broker).tolist():
            blank = topic[row] == NONE and partition[row] == ABSENT
            if blank and (broker is None or broker[row] == ABSENT) and not self._replicas_told(row):
                continue  # a row of empty cells, as spreadsheets leave them at the end
            what = "topic" if topic[row] == NONE else "partition"
            self._skip(row, f"The {what} is empty.")
        return np.flatnonzero(told), np.flatnonzero(of_broker)

    def _replicas_told(self, row: int) -> bool:
        lists = self.table.lists.get("replicas")
        return lists is not None and bool(lists[row].as_py())

    def _skip(self, row: int, why: str) -> None:
        table = self.table
        shown = []
        for name, (codes, words) in table.text.items():
            if codes[row] != NONE:
                shown.append(f"{name}={words[int(codes[row])]}")
        shown += [f"{name}={int(column[row])}" for name, column in table.integer.items() if column[row] != ABSENT]
        shown += [f"{name}={column[row].as_py()}" for name, column in table.lists.items() if column[row].as_py()]
        table.skip(table.line(row), ", ".join(shown), why)

    # ---- both ----------------------------------------------------------------------------------------------

    def _with_topic_facts(self, table: Table, rows: Rows, log_dirs: list[str]) -> tuple[Rows, dict[str, Any]]:
        """Topics in use alone, and what is told of each."""
        positions = self.by_partition or "position" in table.integer
        names = rows.topics
        codes = table.text["topic"][0]
        used = np.zeros(len(names), np.bool_)
        used[rows.topic_of] = True
        facts: dict[str, Any] = {"log_dirs": log_dirs}
        minimum = table.integer.get("min_in_sync")
        if minimum is not None and (minimum != ABSENT).any():
            least = np.full(len(names), NONE, np.int32)
            at = np.flatnonzero(minimum != ABSENT)
            least[codes[at[::-1]]] = minimum[at[::-1]]  # in reverse, so that the first telling is the one that stays
            facts["min_in_sync"] = least[used]
        order = np.full(len(names), positions, np.bool_)
        if "order_told" in table.flag:
            order[codes[table.flag["order_told"] == 0]] = False
        facts["order_told"] = order[used]
        if not positions:
            self.findings.append(
                Finding(
                    kind="order_not_told",
                    severity=Severity.ATTENTION,
                    sentence="The table has no column position: which replica is preferred is unknown.",
                )
            )
        place = np.cumsum(used, dtype=np.int32) - 1
        return replace(rows, topics=list(compress(names, used.tolist())), topic_of=place[rows.topic_of]), facts

    def _note_over_lines(self) -> None:
        """Cells that hold line ends: what stands in them was not read as rows."""
        over = self.table.over_lines
        if not over:
            return
        places = tuple(f"lines {first} to {last}" for first, last in over[:PLACES_NAMED])
        self.findings.append(
            Finding(
                kind="cells_over_lines",
                severity=Severity.NOTE,
                sentence=f"{counted(len(over), 'row has', 'rows have')} a quoted cell that spans several lines "
                f"({first_few(places)}); its content was not read as rows. Is a quote missing there?",
                places=places,
            )
        )

    def _note_missing(self, layout: ClusterLayout) -> None:
        missing, faulty = self.table.missing, self.table.faulty
        if faulty:
            places = [self.table.named(line) for line in heapq.nsmallest(PLACES_NAMED, faulty)]
            self.findings.append(
                not_understood(len(faulty), places, "row, or a cell of it,", "rows, or cells of them,")
            )
        if not missing:
            return
        named = first_few([f"{topic}-{partition} ({place})" for topic, partition, place in missing[:PLACES_NAMED]])
        rows = {layout.row(topic, partition) for topic, partition, _ in missing}
        self.findings.append(
            Finding(
                kind="replicas_missing",
                severity=Severity.BROKEN,
                sentence=f"{counted(len(missing), 'row', 'rows')} not understood, so replicas of these partitions may "
                f"be missing: {named}. Fix them before planning.",
                rows=np.array(sorted(row for row in rows if row is not None), np.int64),
                places=tuple(place for _, _, place in missing[:PLACES_NAMED]),
            )
        )


def _tiered(table: Table) -> tuple[str, ...]:
    """The topics of which a row says that they are tiered."""
    flag = table.flag.get("tiered")
    if flag is None:
        return ()
    codes, words = table.text["topic"]
    return tuple(sorted(words[code] for code in np.unique(codes[flag == 1]).tolist() if code != NONE))


_STATES = {state.value: state for state in BrokerState}
#: Up to this broker id, facts of brokers are kept in tables by id.
_TABLE_LIMIT = 1 << 22


def _brokers_of(table: Table) -> tuple[list[Broker], list[Finding]]:
    """Brokers with the facts that rows tell of them; a fact told differently counts as first told.

    Returns:
        The brokers, none where rows only mention them, and a finding where facts contradict.

    Raises:
        LimitMet: there are too many.
    """
    ids = table.integer.get("broker")
    if ids is None or not len(ids):
        return [], []
    facts = {name: table.text[name] for name in ("rack", "host", "state") if name in table.text}
    if not facts and "port" not in table.integer and not (table.text["topic"][0] == NONE).any():
        return [], []  # brokers only mentioned: the layout adds them itself
    check_brokers(ids, table.source, table.limits)
    rows: slice | Longs = slice(None) if (ids != ABSENT).all() else np.flatnonzero(ids != ABSENT)
    known, which = _numbered(ids[rows])
    columns: dict[str, IntArray] = {name: codes for name, (codes, _) in facts.items()}
    if "port" in table.integer:
        columns["port"] = table.integer["port"]
    told: dict[str, list[Any]] = {}
    differing, places = set[int](), list[str]()
    for name, codes in columns.items():
        first, other = _first_told(which, codes[rows], len(known))
        words = [*facts[name][1], None] if name in facts else None  # the last one: -1 stays unknown
        told[name] = [(None if code < 0 else code) if words is None else words[code] for code in first.tolist()]
        differing.update(known[which[other[:1000]]].tolist())
        places += [table.place(int(row)) for row in np.arange(len(ids))[rows][other[:PLACES_NAMED]]]
    found = []
    if differing:
        said = (
            f"{counted(len(differing), 'broker is', 'brokers are')} in several rows with different racks, hosts or "
            f"states; the first one is used. See {places[0]}."
        )
        found.append(
            Finding(
                "contradicting_brokers",
                Severity.ATTENTION,
                said,
                brokers=tuple(sorted(differing)),
                places=tuple(places[:PLACES_NAMED]),
            )
        )
    nothing = [None] * len(known)
    rack, host, port, state = (told.get(name, nothing) for name in ("rack", "host", "port", "state"))
    states = [_STATES.get((word or "").lower().replace("_", " "), BrokerState.NOT_TOLD) for word in state]
    return list(map(Broker, known.tolist(), rack, host, port, states)), found


def _numbered(ids: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """The ids that occur, ascending, and which of them stands in each row."""
    if not ids.size or int(ids.max()) > _TABLE_LIMIT:
        return np.unique(ids, return_inverse=True)
    rows = ids.astype(np.intp)  # once, not at each use as an index
    place = np.zeros(int(ids.max()) + 1, np.intp)
    place[rows] = 1
    known = np.flatnonzero(place)
    place[known] = np.arange(len(known))
    return known.astype(np.int32), place[rows]


def _first_told(which: npt.NDArray[np.intp], codes: IntArray, count: int) -> tuple[IntArray, Longs]:
    """What is first told of each of so many brokers, -1 where nothing is; and the rows that tell it otherwise."""
    told = codes >= 0
    some = slice(None) if told.all() else np.flatnonzero(told)
    which, codes = which[some], codes[some]
    first = np.full(count, NONE, codes.dtype)
    first[which[::-1]] = codes[::-1]  # in reverse, so that the first telling is the one that stays
    other = np.flatnonzero(first[which] != codes)
    return first, other if isinstance(some, slice) else some[other]
