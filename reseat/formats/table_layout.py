"""From the columns of a table to a layout: rows are grouped by partition and laid out as matrices.

What it promises, in this order: a partition's replicas are those of its rows, in the order of ``position``; rows in
any order give the same layout; whatever contradicts is a finding with its places.

How it works: a change of topic or partition from one row to the next starts a group. Where positions count 0, 1, 2 ...
within each group, groups are partitions and nothing is sorted; else rows are sorted by topic, partition and position
first. Facts of brokers are scattered into tables by id and compared with what each row tells.

Complexity: O(n) for rows in order, O(n log n) otherwise, vectorised.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from reseat.errors import InputRefused
from reseat.formats import idlists
from reseat.formats.assemble import (
    PLACES_NAMED,
    Rows,
    assemble,
    check_brokers,
    check_topics,
    counted,
    not_understood,
    padded,
    place_finding,
)
from reseat.formats.reading import Limits, Reading
from reseat.formats.table_columns import ABSENT, NOBODY, Table
from reseat.model import NONE, NOT_TOLD, BoolArray, Broker, BrokerState, ClusterLayout, Finding, IntArray, Severity

__all__ = ["MASKS", "read_table"]

#: Masks over replicas that a table may tell, by their names in ``ClusterLayout``.
MASKS = ("eligible", "last_known_eligible", "observers", "adding", "removing")

_STATES = {state.value: state for state in BrokerState}
_IDS = r"^[\[({]?\s*[0-9]{1,10}(?:\s*[,; |]\s*[0-9]{1,10})*\s*[\])}]?$"
_SIZES = r"^[0-9.eE+]*(?:;[0-9.eE+]*)*$"
#: Up to this broker id, facts of brokers are kept in tables by id.
_TABLE_LIMIT = 1 << 22
#: Comparisons a partition up to which two lists of ids are compared directly; above, by sorting.
_DIRECT = 64


def read_table(
    table: Table, source: str, limits: Limits, *, unknown: Sequence[str], by_partition: bool, kind: str
) -> Reading:
    """The reading of a table.

    Args:
        table: its columns.
        source: the text's name.
        limits: what is accepted.
        unknown: names of columns that were not understood.
        by_partition: whether a row is a partition (else a replica).
        kind: CSV or Parquet, for the reading's kind.

    Raises:
        InputRefused: no row tells a partition.
        LimitMet: there is more than ``limits`` allow.
    """
    return _TableReader(table, source, limits, by_partition).read(unknown, kind)


class _TableReader:
    """One table being read; collects what is skipped and found."""

    def __init__(self, table: Table, source: str, limits: Limits, by_partition: bool) -> None:
        self.table = table
        self.source = source
        self.limits = limits
        self.by_partition = by_partition
        self.findings: list[Finding] = []
        #: Findings about rows, told once the layout is there: kind, rows as told, column.
        self.outside: list[tuple[str, npt.NDArray[np.int64], str]] = []

    def read(self, unknown: Sequence[str], kind: str) -> Reading:
        table = self.table
        told, about_brokers = self._divided()
        brokers = self._brokers(table if not self.by_partition else table.rows(about_brokers))
        chosen = _only(table, told)
        topics = table.text["topic"][1]
        longest = max(topics, key=len, default="")
        check_topics(len(topics), len(longest), longest, self.source, self.limits)
        if not chosen.count and not brokers:
            skipped = table.skipped.result()
            raise InputRefused(
                "No row of the table tells a partition.",
                source=self.source,
                line=skipped[0].line if skipped else None,
                details=tuple(f"Line {piece.line}: {piece.why}" for piece in skipped[:PLACES_NAMED]),
            )
        rows, facts = self._partitions(chosen) if self.by_partition else self._replicas(chosen)
        layout, contradictions = assemble(rows, brokers=brokers, **facts)
        self.findings.extend(contradictions)
        self._note_outside(layout, rows)
        self._note_missing(layout)
        self._note_over_lines()
        if unknown:
            names = ", ".join(repr(name[:40]) for name in unknown[:PLACES_NAMED])
            self.findings.append(
                Finding(
                    kind="unknown_columns",
                    severity=Severity.NOTE,
                    sentence=f"{counted(len(unknown), 'column', 'columns')} not understood and left out: {names}.",
                )
            )
        what = "partition" if self.by_partition else "replica"
        return Reading(
            layout=layout,
            kind=f"{kind}, one row a {what}",
            source=self.source,
            skipped=table.skipped.result(),
            findings=tuple(self.findings),
        )

    # ---- which rows tell what ------------------------------------------------------------------------------

    def _divided(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
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

    # ---- brokers -------------------------------------------------------------------------------------------

    def _brokers(self, table: Table) -> list[Broker]:
        """Brokers with the facts that rows tell of them; a fact told differently counts as first told."""
        ids = table.integer.get("broker")
        if ids is None or not len(ids):
            return []
        present = ids != ABSENT
        facts: dict[str, tuple[IntArray, list[str]]] = {
            name: table.text[name] for name in ("rack", "host", "state") if name in table.text
        }
        if not facts and "port" not in table.integer and not (table.text["topic"][0] == NONE).any():
            return []  # brokers only mentioned: the layout adds them itself
        everywhere = bool(present.all())
        check_brokers(ids, 0, self.source, self.limits)
        known = _different(ids if everywhere else ids[present])
        out = {int(i): Broker(int(i)) for i in known.tolist()}
        columns: dict[str, npt.NDArray[Any]] = {name: codes for name, (codes, _) in facts.items()}
        if "port" in table.integer:
            columns["port"] = table.integer["port"]
        values: dict[int, dict[str, Any]] = {i: {} for i in out}
        differing: set[int] = set()
        places: list[str] = []
        for name, codes in columns.items():
            told = codes >= 0
            if not everywhere:
                told &= present
            rows = None if told.all() else np.flatnonzero(told)
            first, other = _first_told(ids, codes, rows)
            for broker, code in first:
                values[broker][name] = code if name == "port" else facts[name][1][code]
            differing.update(ids[other[:1000]].tolist())
            places += [table.place(int(row)) for row in other[:PLACES_NAMED]]
        if differing:
            self.findings.append(
                Finding(
                    kind="contradicting_brokers",
                    severity=Severity.ATTENTION,
                    sentence=f"{counted(len(differing), 'broker is', 'brokers are')} told with different racks, hosts "
                    f"or states; the first telling counts. See {places[0]}.",
                    brokers=tuple(sorted(differing)),
                    places=tuple(places[:PLACES_NAMED]),
                )
            )
        return [
            Broker(
                id=i,
                rack=values[i].get("rack"),
                host=values[i].get("host"),
                port=values[i].get("port"),
                state=_STATES.get(str(values[i].get("state", "")).lower().replace("_", " "), BrokerState.NOT_TOLD),
            )
            for i in out
        ]

    # ---- one row a replica ---------------------------------------------------------------------------------

    def _replicas(self, table: Table) -> tuple[Rows, dict[str, Any]]:
        topic, partition = table.text["topic"][0], table.integer["partition"]
        position = table.integer.get("position")
        starts = _starts(topic, partition)
        if position is None or not _counts_up(position, starts):
            table, starts = self._in_order(table)
            topic, partition = table.text["topic"][0], table.integer["partition"]
        broker = table.integer["broker"]
        check_brokers(broker, 0, self.source, self.limits)
        lengths = np.diff(np.append(starts, table.count))
        if (broker == ABSENT).any():
            # A partition told without a replica is one row without a broker.
            blank = broker == ABSENT
            lengths = lengths - np.add.reduceat(blank, starts).astype(np.int64)
            held = np.flatnonzero(~blank)
        else:
            held = None

        def matrix(column: npt.NDArray[Any], fill: object) -> npt.NDArray[Any]:
            return padded(column if held is None else column[held], lengths, fill, self.source, self.limits)

        by_row: dict[str, npt.NDArray[Any]] = {"leader": self._leader(table, starts, lengths)}
        in_sync = table.flag.get("in_sync")
        if in_sync is not None and (in_sync != NONE).any():
            by_row["in_sync"] = matrix(in_sync == 1, False)
            if (in_sync == NONE).any():
                told = np.minimum.reduceat(in_sync, starts) >= 0
                by_row["in_sync_told"] = told
                by_row["in_sync"] &= told[:, None]
        for name in MASKS:
            if name in table.flag and (table.flag[name] != NONE).any():
                by_row[name] = matrix(table.flag[name] == 1, False)
        if "size_bytes" in table.real and not np.isnan(table.real["size_bytes"]).all():
            by_row["size_bytes"] = matrix(table.real["size_bytes"], np.nan)
        log_dirs: list[str] = []
        if "log_dir" in table.text and table.text["log_dir"][1]:
            codes, log_dirs = table.text["log_dir"]
            by_row["log_dir"] = matrix(codes, NONE)
        self._first_of_partition(table, starts, by_row)
        first = table.text["topic"][0][starts]
        rows = Rows(
            topics=table.text["topic"][1],
            topic_of=first,
            partition=partition[starts],
            replicas=matrix(broker, NONE),
            place=lambda row: table.place(int(starts[row])),
            by_row=by_row,
        )
        return self._with_topic_facts(table, rows, log_dirs, position is not None)

    def _in_order(self, table: Table) -> tuple[Table, npt.NDArray[np.int64]]:
        """Rows by topic, partition and position; a position told twice counts once."""
        topic, partition = table.text["topic"][0], table.integer["partition"]
        position = table.integer.get("position")
        keys = (partition, topic) if position is None else (position, partition, topic)
        table = table.rows(np.lexsort(keys).astype(np.int64))
        if position is not None:
            topic, partition = table.text["topic"][0], table.integer["partition"]
            position, broker = table.integer["position"], table.integer["broker"]
            again = np.zeros(table.count, np.bool_)
            again[1:] = (topic[1:] == topic[:-1]) & (partition[1:] == partition[:-1]) & (position[1:] == position[:-1])
            again &= position != ABSENT
            if again.any():
                at = np.flatnonzero(again)
                first = np.flatnonzero(~again)[np.cumsum(~again)[at] - 1]
                self._note_repeats(table, first, at, broker[first] != broker[at])
                table = table.rows(np.flatnonzero(~again))
            self._note_gaps(table)
        return table, _starts(table.text["topic"][0], table.integer["partition"])

    def _note_repeats(
        self, table: Table, first: npt.NDArray[np.int64], again: npt.NDArray[np.int64], differs: BoolArray
    ) -> None:
        for mask, kind, severity, words in (
            (~differs, "repeated_rows", Severity.NOTE, "told twice"),
            (differs, "contradicting_rows", Severity.ATTENTION, "told twice with different brokers; the first counts"),
        ):
            if not mask.any():
                continue
            pairs = [
                (table.place(int(a)), table.place(int(b)))
                for a, b in zip(first[mask][:10], again[mask][:10], strict=True)
            ]
            row = int(again[mask][0])
            self.findings.append(
                Finding(
                    kind=kind,
                    severity=severity,
                    sentence=f"{counted(int(mask.sum()), 'replica is', 'replicas are')} {words}: position "
                    f"{int(table.integer['position'][row])} of {self._name(table, row)} ({pairs[0][0]} and "
                    f"{pairs[0][1]}).",
                    places=tuple(place for pair in pairs for place in pair),
                )
            )

    def _note_gaps(self, table: Table) -> None:
        """Positions that do not follow each other: a replica may be missing from the text."""
        starts = _starts(table.text["topic"][0], table.integer["partition"])
        position = table.integer["position"]
        counted_from = np.repeat(position[starts], np.diff(np.append(starts, table.count)))
        gaps = np.flatnonzero((position - counted_from != _count_up(starts, table.count)) & (position != ABSENT))
        if gaps.size:
            row = int(gaps[0])
            self.findings.append(
                Finding(
                    kind="position_gaps",
                    severity=Severity.ATTENTION,
                    sentence=f"Positions of replicas leave gaps {counted(len(gaps), 'time', 'times')}, first at "
                    f"{self._name(table, row)} ({table.place(row)}): is a replica missing from the table?",
                    places=tuple(table.place(int(row)) for row in gaps[:PLACES_NAMED]),
                )
            )

    def _name(self, table: Table, row: int) -> str:
        codes, words = table.text["topic"]
        return f"{words[int(codes[row])]}-{int(table.integer['partition'][row])}"

    def _leader(self, table: Table, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> IntArray:
        """The leader of each partition: its row with ``is_leader``, or the column ``leader``."""
        out = np.full(len(starts), NOT_TOLD, np.int32)
        flags = table.flag.get("is_leader")
        if flags is not None and len(starts):
            flagged = lengths > 0
            if (flags == NONE).any():
                flagged &= np.minimum.reduceat(flags, starts) >= 0
            out[flagged] = NONE
            at = np.flatnonzero(flags == 1)
            each = _each(starts, table.count)
            owner = at // each if each else np.searchsorted(starts, at, side="right") - 1
            out[owner[::-1]] = table.integer["broker"][at[::-1]]  # the first of several counts
            out[out == ABSENT] = NOT_TOLD
            several = at[1:][owner[1:] == owner[:-1]]
            if several.size:
                row = int(several[0])
                self.findings.append(
                    Finding(
                        kind="several_leaders",
                        severity=Severity.ATTENTION,
                        sentence=f"{counted(len(several), 'partition has', 'partitions have')} more than one leader; "
                        f"the first counts: {self._name(table, row)} ({table.place(row)}).",
                        places=tuple(table.place(int(row)) for row in several[:PLACES_NAMED]),
                    )
                )
        if "leader" in table.integer and len(starts):
            told = table.integer["leader"][starts]
            out = np.where(told == ABSENT, out, told).astype(np.int32)
        return out

    # ---- one row a partition -------------------------------------------------------------------------------

    def _partitions(self, table: Table) -> tuple[Rows, dict[str, Any]]:
        lists, told, bad = self._ids(table, "replicas")
        if bad.any():
            for row in np.flatnonzero(bad).tolist():
                text = str(table.lists["replicas"][row].as_py())[:60]
                self.table.skip(
                    table.line(row),
                    f"{self._name(table, row)}: {text}",
                    "replicas is not a list of broker ids, such as 1;2;3.",
                )
            table = table.rows(np.flatnonzero(~bad))
            lists = lists[~bad]
        check_brokers(lists, 0, self.source, self.limits)
        padded(lists.ravel(), np.full(len(lists), lists.shape[1]), NONE, self.source, self.limits)  # the limits alone
        by_row: dict[str, npt.NDArray[Any]] = {}
        leader = table.integer.get("leader")
        by_row["leader"] = (
            np.full(table.count, NOT_TOLD, np.int32)
            if leader is None
            else np.where(leader == ABSENT, NOT_TOLD, leader).astype(np.int32)
        )
        for name in ("isr", *MASKS):
            if name not in table.lists:
                continue
            ids, told, bad = self._ids(table, name)
            self._note_cells(table, name, bad)
            told &= ~bad
            if not told.any():
                continue
            mask, outside = _mask(lists, ids, told)
            if outside.any():
                self.outside.append((f"{name}_outside_replicas", np.flatnonzero(outside), name))
            if name != "isr":
                by_row[name] = mask
                continue
            by_row["in_sync"] = mask
            if not told.all():
                by_row["in_sync_told"] = told
        self._sizes(table, lists, by_row)
        log_dirs = self._log_dirs(table, lists, by_row)
        everything = np.arange(table.count)
        self._first_of_partition(table, everything, by_row)
        rows = Rows(
            topics=table.text["topic"][1],
            topic_of=table.text["topic"][0],
            partition=table.integer["partition"],
            replicas=lists,
            place=table.place,
            by_row=by_row,
        )
        return self._with_topic_facts(table, rows, log_dirs, True)

    def _ids(self, table: Table, name: str) -> tuple[IntArray, BoolArray, BoolArray]:
        """Lists of ids as a matrix, which of them are told, and which are no lists of ids."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = table.lists[name]
        nobody = pc.is_in(pc.utf8_lower(texts), pa.array(sorted(NOBODY)))
        listed = pc.match_substring_regex(texts, _IDS)
        told = np.asarray(pc.not_equal(texts, "").to_numpy(zero_copy_only=False))
        bad = told & ~np.asarray(pc.or_(nobody, listed).to_numpy(zero_copy_only=False))
        plain = pc.if_else(listed, texts, "")
        ids, too_large = idlists.padded([text.encode() for text in plain.to_pylist()], self.limits)
        return ids, told, bad | too_large

    def _note_cells(self, table: Table, name: str, bad: BoolArray) -> None:
        for row in np.flatnonzero(bad).tolist():
            self.table.skip(
                table.line(row),
                f"{self._name(table, row)}: {str(table.lists[name][row].as_py())[:60]}",
                f"{name} is not a list that can be read; it was treated as unknown.",
            )

    def _sizes(self, table: Table, lists: IntArray, by_row: dict[str, npt.NDArray[Any]]) -> None:
        """One number for all replicas, or one a replica divided by semicolons."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if "size_bytes" not in table.lists or not table.count:
            return
        texts = table.lists["size_bytes"]
        fits = np.asarray(pc.match_substring_regex(texts, _SIZES).to_numpy(zero_copy_only=False))
        texts = pc.if_else(pa.array(fits), texts, "")
        parts = pc.split_pattern(texts, ";")
        lengths = np.diff(np.asarray(parts.offsets))
        flat = parts.flatten()
        try:
            numbers = pc.if_else(pc.equal(flat, ""), pa.scalar(None, pa.string()), flat).cast(pa.float64())
        except pa.ArrowInvalid:
            self._note_cells(table, "size_bytes", np.ones(table.count, np.bool_))
            return
        values = np.asarray(pc.fill_null(numbers, np.nan).to_numpy(zero_copy_only=False)).astype(np.float64)
        factor = (lists != NONE).sum(axis=1)
        other = (lengths != 1) & (lengths != factor)
        self._note_cells(table, "size_bytes", ~fits | other)
        if np.isnan(values).all():
            return
        matrix = padded(values, lengths, np.nan, self.source, self.limits)
        if matrix.shape[1] <= 1:
            by_row["size_bytes"] = matrix[:, 0] if matrix.shape[1] else np.full(table.count, np.nan)
            return
        matrix[other] = np.nan
        single = (lengths == 1) & (factor > 1)
        wide = np.full(lists.shape, np.nan)
        columns = min(matrix.shape[1], lists.shape[1])
        wide[:, :columns] = matrix[:, :columns]
        wide[single] = matrix[single, :1]
        by_row["size_bytes"] = np.where(lists != NONE, wide, np.nan)

    def _log_dirs(self, table: Table, lists: IntArray, by_row: dict[str, npt.NDArray[Any]]) -> list[str]:
        """JSON lists, null where a replica's directory is not told."""
        if "log_dirs" not in table.lists:
            return []

        encoded = table.lists["log_dirs"].dictionary_encode()
        which = np.asarray(encoded.indices.fill_null(NONE).to_numpy(zero_copy_only=False))
        decoder = msgspec.json.Decoder(list[str | None])
        code: dict[str, int] = {}
        factor = (lists != NONE).sum(axis=1)
        matrix = np.full(lists.shape, NONE, np.int32)
        bad = np.zeros(table.count, np.bool_)
        for number, text in enumerate(encoded.dictionary.to_pylist()):  # as many as there are combinations
            rows = np.flatnonzero(which == number)
            if not text or text.lower() in NOBODY:
                continue
            try:
                names = decoder.decode(text)
            except (msgspec.DecodeError, RecursionError):
                bad[rows] = True
                continue
            fits = rows[factor[rows] == len(names)]
            bad[rows[factor[rows] != len(names)]] = True
            if fits.size:
                codes = [NONE if name is None else code.setdefault(name, len(code)) for name in names]
                matrix[fits, : len(codes)] = np.array(codes, np.int32)
        self._note_cells(table, "log_dirs", bad)
        if code:
            by_row["log_dir"] = matrix
        return list(code)

    # ---- both ----------------------------------------------------------------------------------------------

    def _first_of_partition(
        self, table: Table, starts: npt.NDArray[np.int64], by_row: dict[str, npt.NDArray[Any]]
    ) -> None:
        epoch = table.integer.get("leader_epoch")
        if epoch is not None and (epoch != ABSENT).any():
            by_row["leader_epoch"] = np.where(epoch[starts] == ABSENT, NOT_TOLD, epoch[starts]).astype(np.int32)

    def _with_topic_facts(
        self, table: Table, rows: Rows, log_dirs: list[str], positions: bool
    ) -> tuple[Rows, dict[str, Any]]:
        """Topics in use alone, and what is told of each."""
        names = rows.topics
        codes = table.text["topic"][0]
        used = np.zeros(len(names), np.bool_)
        used[rows.topic_of] = True
        facts: dict[str, Any] = {"log_dirs": log_dirs}
        minimum = table.integer.get("min_in_sync")
        if minimum is not None and (minimum != ABSENT).any():
            least = np.full(len(names), NONE, np.int32)
            at = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)  # where a topic begins: mostly told there
            if (minimum[at] == ABSENT).any():
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
        if used.all():
            return rows, facts
        place = np.cumsum(used) - 1
        kept = [name for name, mask in zip(names, used.tolist(), strict=True) if mask]
        return (
            Rows(kept, place[rows.topic_of].astype(np.int32), rows.partition, rows.replicas, rows.place, rows.by_row),
            facts,
        )

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
                sentence=f"{counted(len(over), 'row has', 'rows have')} a cell in quotes that goes over several lines "
                f"({', '.join(places[:3])}{' and more' if len(over) > 3 else ''}); what stands in it was not read as "
                "rows. Is a quote missing there?",
                places=places,
            )
        )

    def _note_outside(self, layout: ClusterLayout, rows: Rows) -> None:
        for kind, told, column in self.outside:
            self.findings.append(
                place_finding(
                    layout,
                    rows,
                    told,
                    kind=kind,
                    severity=Severity.ATTENTION,
                    sentence=f"{{what}} brokers in {column} that hold no replica; they were left out: {{examples}}.",
                    one="partition names",
                    many="partitions name",
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
        named = ", ".join(f"{topic}-{partition} ({place})" for topic, partition, place in missing[:3])
        rows = {layout.row(topic, partition) for topic, partition, _ in missing} - {None}
        self.findings.append(
            Finding(
                kind="replicas_missing",
                severity=Severity.BROKEN,
                sentence=f"{counted(len(missing), 'row', 'rows')} not understood, so replicas of these partitions may "
                f"be missing: {named}{' and more' if len(missing) > 3 else ''}. Mend them before planning.",
                rows=np.array(sorted(row for row in rows if row is not None), np.int64),
                places=tuple(place for _, _, place in missing[:PLACES_NAMED]),
            )
        )


def _small(ids: IntArray) -> bool:
    return bool(ids.size) and int(ids.max()) <= _TABLE_LIMIT and int(ids.min()) >= 0


def _different(ids: IntArray) -> IntArray:
    """The ids that occur, ascending."""
    if not _small(ids):
        return np.unique(ids)
    occurs = np.zeros(int(ids.max()) + 1, np.bool_)
    occurs[ids] = True
    return np.flatnonzero(occurs).astype(np.int32)


def _only(table: Table, rows: npt.NDArray[np.int64]) -> Table:
    """The table with these rows alone, which ascend; without a copy where they follow each other."""
    if len(rows) == table.count:
        return table
    if len(rows) and int(rows[-1] - rows[0]) == len(rows) - 1:
        return table.stretch(int(rows[0]), int(rows[-1]) + 1)
    return table.rows(rows)


def _first_told(
    ids: IntArray, codes: npt.NDArray[Any], rows: npt.NDArray[np.int64] | None
) -> tuple[list[tuple[int, int]], npt.NDArray[np.int64]]:
    """What is first told of each broker, and the rows that tell it otherwise."""
    told, value = (ids, codes) if rows is None else (ids[rows], codes[rows])
    if not len(told):
        return [], np.empty(0, np.int64)
    if _small(told):
        told = told.astype(np.intp)  # once, not at each use as an index
        first = np.full(int(told.max()) + 1, NONE, value.dtype)
        first[told[::-1]] = value[::-1]  # in reverse, so that the first telling is the one that stays
        expected = first[told]
        brokers = np.flatnonzero(first != NONE)
        pairs = list(zip(brokers.tolist(), first[brokers].tolist(), strict=True))
    else:
        brokers, at, inverse = np.unique(told, return_index=True, return_inverse=True)
        expected = value[at][inverse]
        pairs = list(zip(brokers.tolist(), value[at].tolist(), strict=True))
    other = np.flatnonzero(expected != value)
    return pairs, other if rows is None else rows[other]


def _starts(topic: IntArray, partition: IntArray) -> npt.NDArray[np.int64]:
    """Where a new partition begins."""
    if not len(topic):
        return np.empty(0, np.int64)
    new = np.empty(len(topic), np.bool_)
    new[0] = True
    np.not_equal(topic[1:], topic[:-1], out=new[1:])
    new[1:] |= partition[1:] != partition[:-1]
    return np.flatnonzero(new)


def _each(starts: npt.NDArray[np.int64], count: int) -> int:
    """How many rows each group has, where that is one number; else 0."""
    if not len(starts) or count % len(starts):
        return 0
    each = count // len(starts)
    return each if bool((starts == np.arange(0, count, each)).all()) else 0


def _counts_up(position: IntArray, starts: npt.NDArray[np.int64]) -> bool:
    """Whether positions are 0, 1, 2 ... within each group."""
    each = _each(starts, len(position))
    if each:
        return bool((position.reshape(-1, each) == np.arange(each, dtype=position.dtype)).all())
    return np.array_equal(position, _count_up(starts, len(position)))


def _count_up(starts: npt.NDArray[np.int64], count: int) -> IntArray:
    """0, 1, 2 ... within each group."""
    lengths = np.diff(np.append(starts, count))
    if len(lengths) and (lengths == lengths[0]).all():
        return np.tile(np.arange(lengths[0], dtype=np.int32), len(lengths))
    return (np.arange(count) - np.repeat(starts, lengths)).astype(np.int32)


def _mask(lists: IntArray, ids: IntArray, told: BoolArray) -> tuple[BoolArray, BoolArray]:
    """(P, R) which replicas the ids name, and (P,) which rows name an id that is no replica."""
    if lists.shape[1] * ids.shape[1] <= _DIRECT:
        mask = np.zeros(lists.shape, np.bool_)
        outside = np.zeros(len(lists), np.bool_)
        for k in range(ids.shape[1]):
            hit = (lists == ids[:, k : k + 1]) & (ids[:, k : k + 1] != NONE)
            mask |= hit
            outside |= ~hit.any(axis=1) & (ids[:, k] != NONE)
        return mask, outside & told
    of_row = np.arange(len(lists), dtype=np.int64)[:, None] << 32
    held, named = np.where(lists == NONE, -1, of_row | lists), np.where(ids == NONE, -2, of_row | ids)
    mask = np.isin(held, named)
    outside = ((named != -2) & ~np.isin(named, held)).any(axis=1)
    return mask & told[:, None], outside & told
