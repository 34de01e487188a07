"""What a plan copies: how much, from where to where, and how long it takes at a throttle.

Promises: every copy of the plan is counted once, at the broker that sends it and at the one that receives it; what has
no told size or no known rack is counted apart and never taken as 0; sizes and copies add up to the certificate's.

Needs: a plan. A newcomer copies from the partition's leader; where nobody tells the leader, from the first replica in
sync, else from the first, as ``reseat.schedule.batches`` has it.

How: the time is told three times, each from bytes and throttle alone. ``low``: the broker with the most to send or to
receive works at the throttle from start to end, and nobody waits for another; no order of copying is quicker.
``likely``: in batches of at most ten moves a broker, as Reseat sends them, each batch as long as its slowest broker,
one after the other. ``high``: one copy after the other at the throttle; no order of copying that never rests is slower.
Where earlier runs on the cluster showed rates, likely and high are theirs (``reseat.schedule.estimate``).

Complexity: that of ``reseat.schedule.batches.batches``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, FloatArray, IntArray, Longs, Plan
from reseat.model.tiering import Tiering
from reseat.model.units import amount, money, size
from reseat.model.wording import counted, verb
from reseat.schedule.batches import BatchLimits, Hours, Preview, Work, batches, work_of
from reseat.schedule.estimate import Estimate, ObservedRate, estimate_at
from reseat.schedule.tiered import left_out, with_tiered

__all__ = ["Copying", "Route", "copying_of", "leave_their_rack", "rollback"]


@dataclass(frozen=True, slots=True)
class Route:
    """Copies of one kind of way.

    Attributes:
        copies: replicas.
        bytes: of those whose size is told.
        unsized: copies whose size is not told.
    """

    copies: int
    bytes: float
    unsized: int

    @property
    def amount(self) -> str:
        """Its bytes in words: "at least" where some sizes are unknown, "unknown" where all are."""
        return amount(self.bytes, self.unsized, self.copies)


@dataclass(frozen=True, eq=False)
class Copying:
    """The copies of a plan; n copies, B brokers.

    Attributes:
        work: what each changed partition costs.
        changed: the partitions that change, with their new lists.
        broker_ids: (B,) int32, ascending; those of the plan's layout.
        sender: (n,) int32 positions of the brokers that are copied from, -1 where nobody can be.
        receiver: (n,) int32 positions of the brokers that copy.
        bytes: (n,) float64, NaN where not told.
        sender_rack: (n,) int32 the rack of the sender as a position in the layout's racks, -1 unknown or none.
        receiver_rack: (n,) int32 likewise.
        assumed: copies whose source is taken, since nobody tells the leader.
        batch_bytes: most bytes of a batch as text, where the version of Kafka has such a limit.
        rates: what earlier runs on the cluster showed.
        tiering: which topics are tiered.
    """

    work: Work
    changed: ClusterLayout
    broker_ids: IntArray
    sender: IntArray
    receiver: IntArray
    bytes: FloatArray
    sender_rack: IntArray
    receiver_rack: IntArray
    assumed: int
    batch_bytes: int | None = None
    rates: tuple[ObservedRate, ...] = ()
    tiering: Tiering = Tiering()  # noqa: RUF009 (frozen)

    def __len__(self) -> int:
        return len(self.receiver)

    @property
    def unsized(self) -> int:
        """Copies whose size is not told."""
        return int(np.isnan(self.bytes).sum())

    @property
    def told_bytes(self) -> float:
        """Bytes of the copies whose size is told."""
        return float(np.nansum(self.bytes))

    @property
    def sized(self) -> bool:
        """Whether the size of any copy is told, or there is none to tell."""
        return self.unsized < len(self) or not len(self)

    @property
    def whole(self) -> Route:
        """All copies."""
        return Route(len(self), self.told_bytes, self.unsized)

    @cached_property
    def sent(self) -> FloatArray:
        """(B,) float64: bytes that each broker sends, of those told."""
        return self._by_broker(self.sender)

    @cached_property
    def received(self) -> FloatArray:
        """(B,) float64: bytes that each broker receives, of those told."""
        return self._by_broker(self.receiver)

    @cached_property
    def copies_sent(self) -> Longs:
        """(B,) int64: replicas that each broker sends."""
        return self._count(self.sender)

    @cached_property
    def copies_received(self) -> Longs:
        """(B,) int64: replicas that each broker receives."""
        return self._count(self.receiver)

    @cached_property
    def _rack_known(self) -> BoolArray:
        known: BoolArray = (self.sender_rack >= 0) & (self.receiver_rack >= 0)
        return known

    @cached_property
    def across(self) -> Route:
        """Copies from one rack to another."""
        return self._route(self._rack_known & (self.sender_rack != self.receiver_rack))

    @cached_property
    def within(self) -> Route:
        """Copies inside one rack."""
        return self._route(self._rack_known & (self.sender_rack == self.receiver_rack))

    @cached_property
    def unplaced(self) -> Route:
        """Copies of which the rack of the sender or of the receiver is unknown, or none."""
        return self._route(~self._rack_known)

    def by_receiving_rack(self, racks: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What each rack receives, (racks + 1,) each, brokers without a rack last: within, across, unplaced.

        Bytes where sizes are told, else replicas.
        """
        amount = np.nan_to_num(self.bytes) if self.sized else np.ones(len(self))
        place = np.where(self.receiver_rack < 0, racks, self.receiver_rack)
        same = self.sender_rack == self.receiver_rack
        masks = (self._rack_known & same, self._rack_known & ~same, ~self._rack_known)
        within, across, unplaced = (
            np.bincount(place[mask], amount[mask], racks + 1).astype(np.float64) for mask in masks
        )
        return within, across, unplaced

    def between_racks(self, racks: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Bytes from rack to rack, of copies with known racks and sizes.

        Args:
            racks: how many the layout has.

        Returns:
            (s,) racks that send any, (r,) racks that receive any, as positions in the layout's, ascending; and
            (s, r) float64 bytes. Most of hundreds of racks have nothing to do with a drain of one broker.
        """
        counts = self._rack_known & ~np.isnan(self.bytes)
        pair = self.sender_rack[counts].astype(np.int64) * racks + self.receiver_rack[counts]
        cells = np.bincount(pair, self.bytes[counts], racks * racks).reshape(racks, racks).astype(np.float64)
        send, receive = np.flatnonzero(cells.any(1)), np.flatnonzero(cells.any(0))
        return send.astype(np.int32), receive.astype(np.int32), cells[np.ix_(send, receive)]

    def rack_sentences(self, price: float | None = None) -> tuple[str, ...]:
        """What crosses racks and what it costs, for a person.

        Args:
            price: of a GB (1,000,000,000 bytes) that goes from one rack to another, in whatever currency.
        """
        across = self.across
        if not len(self) or self.unplaced.copies == len(self):
            return ()
        if not across.copies:
            return ("Nothing is copied from rack to rack, as far as racks are known.",)
        if across.unsized == across.copies:
            which = f"{across.copies:,} of {counted(len(self), 'new replica')}"
            return (f"{which} {verb(across.copies, 'is', 'are')} copied from rack to rack, of unknown size.",)
        at_least = "At least " if across.unsized else ""
        paid = "" if price is None else f", {at_least.lower()}{money(across.bytes / 1e9 * price)} at {price:,.4g} a GB"
        said = [
            f"{at_least}{size(across.bytes)} of {size(self.told_bytes)} is copied from rack to rack{paid}. A new "
            "replica copies from its partition's leader, also where consumers fetch from their own rack (KIP-392).",
            *(["Of tiered topics whole local logs are counted."] if left_out(self.batches) else []),
        ]
        if self.unplaced.copies:
            said.append(f"The racks of {counted(self.unplaced.copies, 'copy', 'copies')} are unknown: not among these.")
        return tuple(said)

    def estimate(self, rate: float) -> Estimate:
        """How long it takes at a throttle, and what that comes from.

        Args:
            rate: bytes a second that each broker may send, and may receive; above 0.
        """
        return estimate_at(self.batches, rate, self.rates)

    def hours(self, rate: float) -> Hours:
        """How long that is."""
        return self.estimate(rate).hours

    @cached_property
    def batches(self) -> Preview:
        """The batches in which Reseat sends the plan."""
        whole = batches(self.work, BatchLimits(batch_bytes=self.batch_bytes))
        return with_tiered(whole, self.work, self.changed, self.tiering)

    def _by_broker(self, carrier: IntArray) -> FloatArray:
        size = np.append(np.nan_to_num(self.bytes), 0.0)[:-1]
        return np.bincount(carrier + 1, size, len(self.broker_ids) + 1)[1:].astype(np.float64)

    def _count(self, carrier: IntArray) -> Longs:
        return np.bincount(carrier + 1, minlength=len(self.broker_ids) + 1)[1:].astype(np.int64)

    def _route(self, mask: BoolArray) -> Route:
        sizes = self.bytes[mask]
        return Route(int(mask.sum()), float(np.nansum(sizes)), int(np.isnan(sizes).sum()))


def leave_their_rack(plan: Plan) -> int:
    """How many replicas a plan moves to another rack than one that they could stay in; a broker without is its own."""
    rack = np.append(plan.current.rack_groups, NONE)
    racks, rows = int(rack.max(initial=0)) + 2, np.flatnonzero(plan.changed)

    def held(lists: IntArray) -> Longs:
        cell = np.arange(len(lists))[:, None] * racks + rack[lists] + 1
        counts = np.bincount(cell.ravel(), minlength=len(lists) * racks).reshape(-1, racks)
        return counts[:, 1:]

    came = held(plan.proposed.replicas[rows]) - held(plan.current.replicas[rows])
    return int(np.minimum(came.clip(min=0).sum(axis=1), (-came).clip(min=0).sum(axis=1)).sum())


def copying_of(
    plan: Plan,
    tiering: Tiering = Tiering(),  # noqa: B008 (frozen)
    *,
    batch_bytes: int | None = None,
    rates: tuple[ObservedRate, ...] = (),
) -> Copying:
    """The copies of a plan. Pure.

    Args:
        plan: the plan; where a reassignment was under way, its current layout is the one that will be then.
        tiering: which topics are tiered.
        batch_bytes: most bytes of a batch as text; None: no limit.
        rates: what earlier runs on the cluster showed.
    """
    now = plan.current
    proposed = plan.proposed.select(plan.changed)
    work = work_of(now, proposed)
    rows, column = np.nonzero(work.receivers != NONE)
    sender, receiver = work.sender[rows], work.receivers[rows, column]
    # The work's brokers are those of the two layouts together; the plan's layout holds all of them.
    rack = np.append(now.rack_of, np.int32(NONE))
    changed = np.flatnonzero(plan.changed)
    return Copying(
        work=work,
        changed=proposed,
        broker_ids=now.broker_ids,
        sender=sender,
        receiver=receiver,
        bytes=work.bytes[rows],
        sender_rack=rack[sender],
        receiver_rack=rack[receiver],
        assumed=int((now.leader[changed[rows]] == NOT_TOLD).sum()),
        batch_bytes=batch_bytes,
        rates=rates,
        tiering=tiering,
    )


def rollback(plan: Plan) -> Plan:
    """The way back: from the proposed layout to the current one.

    It carries the certificate of the way there, which says nothing of the way back.
    """
    back = plan.proposed.with_brokers(plan.current.brokers)
    return Plan(current=back, proposed=plan.current, certificate=plan.certificate)
