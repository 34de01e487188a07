"""Which partitions of a plan go next: batches that no broker is overrun by.

Promises, in this order:
    1. Limits hold: at no time more than N replica moves at one broker, those that it sends and those that it receives
       together, what is under way included; no batch above its size as reassignment JSON, nor above its number of
       partitions. A partition that exceeds a limit by itself goes when its brokers are idle, or alone in its batch.
    2. There is always progress: with nothing under way a batch is never empty while a partition waits, so every
       partition goes exactly once.
    3. The order that is asked for (``Order``). Sizes that are not told come last. Changes that copy nothing (order,
       fewer replicas) cost nothing and come first.
    4. Among equal sizes senders take turns, so that the partitions of one leader do not stand in line one after the
       other while other leaders idle.
    5. The same input gives the same batches.

Needs: who leads (a newcomer copies from the leader, not from the replica that goes), else who is in sync, else the
order of replicas; sizes where they are told.

How: from the line of each sender come as many as it can send, and all together are taken first-fit in order. Many at
once: one is taken if everything before it fits together with it, which first-fit would do too; those that no longer fit
are dropped; and so on with the rest. Where moves are left, more of each line is looked at.

Example: N = 1; a-0 (1 GB) and a-1 (2 GB) led by 1, b-0 (3 GB) led by 2; a-0 to 3, a-1 to 4, b-0 to 5. The first batch
is a-0 and b-0 (a-1 would be a second move at broker 1), the second a-1.

Complexity: O(n log n) once for the order, then O(n) for a batch, and O(B N log(B N)) for a batch of a preview.
Source: M. R. Garey et al., "Resource constrained scheduling as generalized bin packing", 1976; KIP-455 (a batch is one
request), KIP-73 (replication quotas).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt
import orjson

from reseat.model import NONE, BoolArray, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.arrays import newcomers, row_any, row_counts, row_keys, split_keys

__all__ = [
    "DEFAULT_CONCURRENT_MOVES",
    "BatchLimits",
    "Hours",
    "Order",
    "Preview",
    "Work",
    "batches",
    "bytes_at_busiest",
    "next_batch",
    "work_of",
]

#: Most replica moves at one broker at a time where nobody says how many, those that it sends and those that it receives
#: together: as Cruise Control's 5 out and 5 in (num.concurrent.partition.movements.per.broker), docs/decisions/0017.
DEFAULT_CONCURRENT_MOVES = 10

#: How often more of each line is looked at for one batch, twice as much each time: what is left open then by brokers
#: that find no counterpart is not worth the time.
_LOOKS = 6
#: Further candidates of each line, so that a line of few moves is not looked at one by one.
_SPARE = 4
#: Candidates for each place left in the batch.
_EACH = 3
#: Bytes of reassignment JSON around its entries: ``{"version":1,"partitions":[]}``.
_FRAME = len('{"version":1,"partitions":[]}')
#: Bytes of an entry, its comma included, but without name, numbers and the commas between replicas.
_ENTRY = len('{"topic":,"partition":,"replicas":[]},')


class Order(Enum):
    """Which partitions go first, of those that copy data.

    SMALLEST: the fewest bytes, so that trouble shows early and most partitions are done soon. LARGEST: the most, so
    that what takes longest is not waited for alone at the end. LEADERS: those whose preferred leader changes, so that
    brokers are relieved of writing early; then the fewest bytes.
    """

    SMALLEST = "smallest"
    LARGEST = "largest"
    LEADERS = "leaders"


@dataclass(frozen=True, slots=True)
class Hours:
    """How long copying takes, in seconds.

    Attributes:
        low: the busiest broker works at the rate from start to end, and nobody waits for another; no order is quicker.
        likely: batch after batch, each as long as its busiest broker.
        high: one copy after the other; no order that never rests is slower.
    """

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What one batch, and what is under way at a time, may be.

    Attributes:
        max_concurrent_moves_per_broker: most replica moves at one broker at a time, sent and received together;
            at least 1.
        batch_bytes: most bytes of a batch as reassignment JSON (a ZooKeeper node's limit), or None.
        partitions: most partitions of a batch: half of what a KRaft controller takes in one operation (10,000 records).
        order: which go first.
    """

    max_concurrent_moves_per_broker: int = DEFAULT_CONCURRENT_MOVES
    batch_bytes: int | None = None
    partitions: int = 5_000
    order: Order = Order.SMALLEST

    def __post_init__(self) -> None:
        if self.max_concurrent_moves_per_broker < 1 or self.partitions < 1:
            raise ValueError("At least one move per broker and one partition per batch are needed.")


@dataclass(frozen=True, eq=False)
class Work:
    """What each partition of a plan costs, a row each; n partitions.

    Attributes:
        broker_ids: (B,) int32 ids of the brokers whose positions the other columns hold.
        sender: (n,) int32 position of the broker that is copied from, -1 where nothing is copied.
        receivers: (n, W) int32 positions of the brokers that copy, -1 where there are fewer.
        bytes: (n,) float64 copied to each receiver, NaN where not told.
        text_bytes: (n,) int64 bytes of its entry in reassignment JSON.
        new_leader: (n,) bool whether its preferred leader changes.
    """

    broker_ids: IntArray
    sender: IntArray
    receivers: IntArray
    bytes: FloatArray
    text_bytes: Longs
    new_leader: BoolArray

    @cached_property
    def copies(self) -> IntArray:
        """(n,) int32: replicas that are copied."""
        return row_counts(self.receivers != NONE)

    @cached_property
    def bytes_of_copies(self) -> FloatArray:
        """(n, W) float64: bytes that each receiver copies of the whole log; 0: no receiver, or no size is told."""
        each: FloatArray = np.where(self.receivers != NONE, np.nan_to_num(self.bytes)[:, None], 0.0)
        return each

    def rows_by(self, order: Order) -> Longs:
        """(n,) all rows in the order in which they are to go; sorted once for each order."""
        if order not in self._sorted:
            self._sorted[order] = self._sort(order)
        return self._sorted[order]

    @cached_property
    def _sorted(self) -> dict[Order, Longs]:
        return {}

    def _sort(self, order: Order) -> Longs:
        total = np.where(self.copies > 0, self.bytes * self.copies, 0.0)
        rank = np.unique(-total if order is Order.LARGEST else total, return_inverse=True)[1].ravel()  # NaN is last
        late = (self.copies > 0).astype(np.int64)  # what copies nothing goes before empty partitions, too
        if order is Order.LEADERS:
            late += (late > 0) & ~self.new_leader
        size = late * (len(rank) + 1) + rank
        by_sender = np.lexsort((self.sender, size))  # stable: rows ascend within a sender
        first = np.ones(len(size), np.bool_)
        first[1:] = (np.diff(size[by_sender]) != 0) | (np.diff(self.sender[by_sender]) != 0)
        starts = np.flatnonzero(first)
        turn = np.empty(len(size), np.int64)
        turn[by_sender] = np.arange(len(size)) - starts[np.cumsum(first) - 1] if len(size) else 0
        return np.lexsort((turn, size)).astype(np.int64)


def work_of(now: ClusterLayout, proposed: ClusterLayout) -> Work:
    """What the partitions of a plan cost as the cluster stands.

    Args:
        now: the cluster; replicas that a reassignment is adding count as there.
        proposed: the partitions that change, with the lists that they shall have. One that the cluster does not have
            copies nothing.
    """
    rows = now.rows_of(proposed)
    there: BoolArray = rows >= 0
    brokers = proposed.with_brokers(now.brokers)
    ids = brokers.broker_ids
    place = np.append(np.searchsorted(ids, now.broker_ids).astype(np.int32), NONE)
    held = np.where(there[:, None], place[now.replicas[rows]], NONE).astype(np.int32)
    new = newcomers(held, brokers.replicas) & there[:, None]
    receivers = np.where(new, brokers.replicas, NONE)
    copies = row_counts(new)
    return Work(
        broker_ids=ids,
        sender=np.where(copies > 0, _senders(now, rows, held, place), NONE).astype(np.int32),
        receivers=receivers.astype(np.int32),
        bytes=_sizes(now, rows),
        text_bytes=_text_bytes(proposed),
        new_leader=there & row_any(held[:, :1] != brokers.replicas[:, :1]),
    )


def next_batch(
    work: Work, waiting: BoolArray, under_way: BoolArray | None = None, limits: BatchLimits | None = None
) -> Longs:
    """The rows that go next, in order; possibly none while something is under way.

    Args:
        work: what each partition costs.
        waiting: (n,) bool, partitions that are not sent yet.
        under_way: (n,) bool, partitions that are sent and not done; None: none.
        limits: what a batch may be.
    """
    limits = limits or BatchLimits()
    free = _Free(work, limits)
    if under_way is not None:
        free.occupy(np.flatnonzero(under_way & ~waiting))
    return _filled(free, _Lines.of(work, waiting, limits.order))


@dataclass(frozen=True, eq=False)
class Preview:
    """A whole schedule, each batch sent when the one before is done.

    The time is that of a cluster whose throttle is what limits; batches that are filled up while others still run, as
    an execution does it, take less. k batches.

    Attributes:
        batch: (n,) int32 the batch of each partition, from 0.
        bytes: (k,) float64 bytes copied, sizes that are not told left out.
        unknown: (k,) int64 copies whose size is not told.
        slowest: (k,) float64 bytes at the broker with the most to send or to receive, as is likely.
        busiest: bytes at the broker with the most to send or to receive in all, at most.
        likely: the same as is likely, see ``reseat.schedule.tiered``.
        lowest: the same at least.
    """

    batch: IntArray
    bytes: FloatArray
    unknown: Longs
    slowest: FloatArray
    busiest: float
    likely: float
    lowest: float

    def __len__(self) -> int:
        return len(self.bytes)

    def seconds(self, rate: float) -> FloatArray:
        """(k,) float64: how long each batch takes at least under a throttle.

        Args:
            rate: bytes a second that each broker may send, and may receive; above 0.
        """
        return self.slowest / rate

    def hours(self, rate: float) -> Hours:
        """How long all of it takes at a throttle, as of ``seconds``."""
        return Hours(self.lowest / rate, float(self.slowest.sum()) / rate, float(self.bytes.sum()) / rate)


def batches(work: Work, limits: BatchLimits | None = None) -> Preview:
    """The whole schedule, as it would be if each batch waited for the one before."""
    limits = limits or BatchLimits()
    batch, count = np.full(len(work.sender), NONE, np.int32), 0
    free, lines = _Free(work, limits), _Lines.of(work, np.ones(len(work.sender), np.bool_), limits.order)
    while lines.any:
        free.reset()
        batch[_filled(free, lines)] = count
        count += 1
    slowest, busiest = bytes_at_busiest(work, batch, count, work.bytes_of_copies)
    told = ~np.isnan(work.bytes)
    copied, unknown = np.where(told, work.bytes, 0.0) * work.copies, np.where(told, 0, work.copies)
    return Preview(
        batch=batch,
        bytes=np.bincount(batch, copied, count).astype(np.float64),
        unknown=np.bincount(batch, unknown, count).astype(np.int64),
        slowest=slowest,
        busiest=busiest,
        likely=busiest,
        lowest=busiest,
    )


class _Free:
    """What is still free: moves at each broker, bytes of text and places in the batch."""

    def __init__(self, work: Work, limits: BatchLimits) -> None:
        self._limits = limits
        self._room = None if limits.batch_bytes is None else max(1, limits.batch_bytes - _FRAME)
        self._brokers = len(work.broker_ids)
        self._needs = np.concatenate([work.sender[:, None], work.receivers], axis=1)
        # Whoever needs more than the limit counts as the limit, and so goes when its broker is idle, or alone.
        self._amounts = np.ones(self._needs.shape, np.int64)
        self._amounts[:, 0] = np.minimum(work.copies, limits.max_concurrent_moves_per_broker)
        self._text = work.text_bytes if self._room is None else np.minimum(work.text_bytes, self._room)
        self.reset()

    def reset(self) -> None:
        """Everything is free again, for a new batch."""
        # One more, at the end, for the padding and for senders of nothing: it never runs out.
        self.moves = np.full(self._brokers + 1, self._limits.max_concurrent_moves_per_broker, np.int64)
        self.moves[-1] = np.iinfo(np.int64).max
        self.places = self._limits.partitions
        self._bytes = self._room

    def occupy(self, rows: Longs) -> None:
        """The moves of these rows are taken."""
        used = np.bincount(
            self._needs[rows].ravel() + 1, weights=self._amounts[rows].ravel(), minlength=self.moves.size
        )
        self.moves[:-1] -= used[1:].astype(np.int64)

    def take(self, rows: Longs) -> None:
        """These rows go in the batch."""
        self.occupy(rows)
        self.places -= rows.size
        if self._bytes is not None:
            self._bytes -= int(self._text[rows].sum())

    def fit(self, rows: Longs) -> BoolArray:
        """(c,) bool: rows that would fit by themselves."""
        fits: BoolArray = ~row_any(self._amounts[rows] > self.moves[self._needs[rows]])
        if self._bytes is not None:
            fits &= self._text[rows] <= self._bytes
        return fits

    def together(self, rows: Longs) -> BoolArray:
        """(c,) bool: rows that fit even if all before them go."""
        needs = self._needs[rows]
        flat = needs.ravel()
        by_broker = np.argsort(flat, kind="stable")
        brokers = flat[by_broker]
        running = np.cumsum(self._amounts[rows].ravel()[by_broker])
        first = np.flatnonzero(np.append(True, brokers[1:] != brokers[:-1]))
        before = np.where(first > 0, running[first - 1], 0)
        running -= np.repeat(before, np.diff(np.append(first, brokers.size)))
        fits = np.empty(flat.size, np.bool_)
        fits[by_broker] = running <= self.moves[brokers]
        together: BoolArray = ~row_any(~fits.reshape(needs.shape)) & (np.arange(rows.size) < self.places)
        if self._bytes is not None:
            together &= np.cumsum(self._text[rows]) <= self._bytes
        return together


@dataclass(frozen=True, eq=False)
class _Lines:
    """Who waits, a line for each sender, and one for changes that copy nothing (the last).

    Attributes:
        rows: waiting rows, line after line, each in order.
        rank: (n,) the place of each row in the order of all.
        head: (B + 1,) where each line begins in ``rows``; moves on as rows go.
        end: (B + 1,) where it ends.
    """

    rows: Longs
    rank: Longs
    head: Longs
    end: Longs

    @classmethod
    def of(cls, work: Work, waiting: BoolArray, order: Order) -> _Lines:
        ordered = work.rows_by(order)
        line = ordered[waiting[ordered]]
        brokers = len(work.broker_ids)
        sender = np.where(work.sender[line] == NONE, brokers, work.sender[line])
        end = np.cumsum(np.bincount(sender, minlength=brokers + 1)).astype(np.int64)
        rank = np.empty(len(work.sender), np.int64)
        rank[ordered] = np.arange(len(work.sender))
        return cls(line[np.argsort(sender, kind="stable")], rank, np.append(0, end[:-1]), end)

    @property
    def any(self) -> bool:
        """Whether anybody waits."""
        return bool((self.head < self.end).any())

    def window(self, start: Longs, width: Longs) -> Longs:
        """Places in ``rows``: from each line, ``width`` of them beginning ``start`` behind its head."""
        first = np.minimum(self.head + start, self.end)
        length = np.minimum(width, self.end - first)
        return _spans(first, length)

    def close_up(self, looked: Longs, going: Longs) -> None:
        """Take rows out, of so many (B + 1,) of each line that were looked at; those passed over move up."""
        last = np.minimum(self.head + looked, self.end)
        places = _spans(self.head, last - self.head)
        stays = ~np.isin(places, going)
        kept = self.rows[places[stays]]
        gone = np.bincount(np.searchsorted(self.end, going, side="right"), minlength=self.end.size)
        self.head[:] += gone
        self.rows[_spans(self.head, last - self.head)] = kept


def _spans(first: Longs, length: Longs) -> Longs:
    """The numbers first, first + 1, ... of each span, one span after the other."""
    offsets = np.repeat(first - (np.cumsum(length) - length), length)
    return np.asarray(np.arange(offsets.size) + offsets, np.int64)


def _filled(free: _Free, lines: _Lines) -> Longs:
    """First-fit among the first of each line: the rows that go, in order; they leave their lines."""
    looked = np.zeros_like(lines.head)
    going: list[Longs] = [np.empty(0, np.int64)]
    for wider in range(_LOOKS):
        # As many of each line as its sender has moves left, and every costless change that has a place.
        left = np.append(free.moves[:-1], free.places if not wider else 0)
        width = np.where(left > 0, (left << wider) + _SPARE, 0)
        places = lines.window(looked, width)
        looked += width
        if not places.size:
            continue
        places = places[np.argsort(lines.rank[lines.rows[places]])][: _EACH * free.places]
        places = places[free.fit(lines.rows[places])]
        while places.size and free.places:
            together = free.together(lines.rows[places])
            free.take(lines.rows[places[together]])
            going.append(places[together])
            places = places[~together]
            places = places[free.fit(lines.rows[places])]
        if not free.places or np.count_nonzero(free.moves[:-1] > 0) < 2:  # a copy takes two brokers
            break
    taken = np.concatenate(going)
    rows = lines.rows[taken]
    lines.close_up(looked, taken)
    return rows[np.argsort(lines.rank[rows])]


def _senders(now: ClusterLayout, rows: Longs, held: IntArray, place: IntArray) -> IntArray:
    """(n,) int32: who is copied from: the leader, else the first in-sync replica, else the first replica."""
    leader = np.where(now.leader[rows] >= 0, place[np.maximum(now.leader[rows], 0)], NONE)
    if not held.shape[1]:
        return leader.astype(np.int32)
    standing = held[:, 0]
    if now.in_sync is not None:
        in_sync = now.in_sync[rows]
        first = np.take_along_axis(held, in_sync.argmax(axis=1)[:, None], axis=1)[:, 0]
        standing = np.where(row_any(in_sync), first, standing)
    return np.where(leader >= 0, leader, standing).astype(np.int32)


def _sizes(now: ClusterLayout, rows: Longs) -> FloatArray:
    """(n,) float64: the largest told replica of each partition, NaN where none is told."""
    sizes = now.copy_bytes
    return np.full(rows.size, np.nan) if sizes is None else np.where(rows >= 0, sizes[rows], np.nan)


def _text_bytes(proposed: ClusterLayout) -> Longs:
    """(n,) int64: bytes of each entry as compact reassignment JSON, its comma included."""
    names = np.array([len(orjson.dumps(name)) for name in proposed.topics], np.int64)
    held = proposed.replicas != NONE
    digits = np.append(_digits(proposed.broker_ids), 0)
    ids = digits[proposed.replicas].sum(axis=1) + np.maximum(row_counts(held) - 1, 0)
    return np.asarray(_ENTRY + names[proposed.topic_of] + _digits(proposed.partition) + ids, np.int64)


def _digits(numbers: IntArray) -> Longs:
    """Decimal digits of numbers of at least 0."""
    return 1 + np.searchsorted(10 ** np.arange(1, 10, dtype=np.int64), numbers, side="right").astype(np.int64)


def bytes_at_busiest(work: Work, batch: IntArray, count: int, each: FloatArray) -> tuple[FloatArray, float]:
    """Bytes at the broker with the most to send or to receive: (count,) of each batch, and of all together.

    Args:
        work: who copies from whom.
        batch: (n,) the batch of each partition, of ``count``.
        count: how many batches there are.
        each: (n, W) bytes that each receiver copies, 0 where there is none.
    """
    sends = np.flatnonzero(work.sender != NONE)
    at, column = np.nonzero(work.receivers != NONE)
    ways = ((sends, work.sender[sends], each.sum(1)[sends]), (at, work.receivers[at, column], each[at, column]))
    sent, received = (_slowest(batch[rows], broker, amount, count) for rows, broker, amount in ways)
    return np.maximum(sent, received), float(max(np.bincount(who, bytes_).max(initial=0.0) for _, who, bytes_ in ways))


def _slowest(batch: IntArray, broker: IntArray, size: npt.NDArray[np.floating], count: int) -> FloatArray:
    """(count,) float64: the most bytes at one broker in each batch. No table of batches by brokers is made."""
    pairs, place = np.unique(row_keys(batch, broker), return_inverse=True)
    sums = np.bincount(place.ravel(), weights=size, minlength=pairs.size)
    most = np.zeros(count, np.float64)
    np.maximum.at(most, split_keys(pairs)[0], sums)
    return most
