"""What comes of an election: leaders before and after, and the reason, partition by partition."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray, Longs

__all__ = ["LOSSY", "ElectionPreview", "Reason", "leader_counts", "leader_spread", "less_even"]

_Codes = npt.NDArray[np.uint8]


class Reason(IntEnum):
    """Why a partition has the leader it has afterwards; the value is the code in ``ElectionPreview.reason``."""

    ALREADY_LED = 0
    ELECTED = 1
    PREFERRED_NOT_ALIVE = 2
    PREFERRED_NOT_IN_SYNC = 3
    PREFERRED_IS_OBSERVER = 4
    OTHER_ELECTED = 5
    LEADER_NOT_TOLD = 6
    ORDER_NOT_TOLD = 7
    NO_REPLICAS = 8
    KEEPS_LEADING = 9
    TAKES_OVER = 10
    UNCLEAN = 11
    NO_CANDIDATE = 12
    WAS_OFFLINE = 13
    LEADER_GIVEN_UP = 14
    ELIGIBLE = 15
    LAST_KNOWN = 16

    @property
    def label(self) -> str:
        """A few words for a table cell."""
        return _WORDS[self][0]

    @property
    def value_in_json(self) -> str:
        """The same in JSON, whose values stay as they were first written."""
        return self.label.replace("unknown", "not told")  # a value of JSON

    @property
    def sentence(self) -> str:
        """One sentence for a person."""
        return _WORDS[self][1]

    @property
    def error(self) -> str:
        """Kafka's name of the result, as the Admin protocol gives it; NONE where there is no error."""
        return _WORDS[self][2]


#: Of a leader that may lack what was acknowledged.
LOSSY = (Reason.UNCLEAN, Reason.LAST_KNOWN)

_WORDS: dict[Reason, tuple[str, str, str]] = {
    Reason.ALREADY_LED: (
        "already led",
        "The preferred replica leads already: there is nothing to elect.",
        "ELECTION_NOT_NEEDED",
    ),
    Reason.ELECTED: ("elected", "The preferred replica is alive and in sync: it is elected.", "NONE"),
    Reason.PREFERRED_NOT_ALIVE: (
        "preferred replica not alive",
        "The preferred replica's broker is not alive: the leader does not change.",
        "PREFERRED_LEADER_NOT_AVAILABLE",
    ),
    Reason.PREFERRED_NOT_IN_SYNC: (
        "preferred replica not in ISR",
        "The preferred replica is not in the ISR: the leader does not change.",
        "PREFERRED_LEADER_NOT_AVAILABLE",
    ),
    Reason.PREFERRED_IS_OBSERVER: (
        "preferred replica is an observer",
        "The first replica is an observer, which is never elected: the leader does not change.",
        "PREFERRED_LEADER_NOT_AVAILABLE",
    ),
    Reason.OTHER_ELECTED: (
        "another in-sync replica elected",
        "Neither the leader nor the preferred replica is alive: the next eligible replica is elected.",
        "NONE",
    ),
    Reason.LEADER_NOT_TOLD: (
        "leader unknown",
        "The current leader is unknown, so whether this is a change is unknown, too.",
        "NONE",
    ),
    Reason.ORDER_NOT_TOLD: (
        "order unknown",
        "The source does not keep replica order, so the preferred replica is unknown.",
        "NONE",
    ),
    Reason.NO_REPLICAS: ("no replicas", "The partition has no replicas.", "NONE"),
    Reason.KEEPS_LEADING: ("keeps leading", "The leader stays.", "ELECTION_NOT_NEEDED"),
    Reason.TAKES_OVER: ("takes over", "The first replica that is alive and in sync takes over.", "NONE"),
    Reason.UNCLEAN: (
        "unclean election",
        "No in-sync replica is left: an out-of-sync replica takes over, and records it had not copied are lost.",
        "NONE",
    ),
    Reason.NO_CANDIDATE: (
        "goes offline",
        "No live in-sync replica is left: the partition has no leader.",
        "ELIGIBLE_LEADERS_NOT_AVAILABLE",
    ),
    Reason.LEADER_GIVEN_UP: (
        "leader given up",
        "The leader is not alive and no replica can take over: the partition is left without a leader.",
        "NONE",
    ),
    Reason.ELIGIBLE: (
        "eligible replica takes over",
        "The ISR is empty: an eligible leader replica, known to have all that is committed, takes over (KIP-966).",
        "NONE",
    ),
    Reason.LAST_KNOWN: (
        "last known leader is back",
        "ISR and ELR are empty: the last known leader leads again, and records it has lost stay lost (KIP-966).",
        "NONE",
    ),
    Reason.WAS_OFFLINE: ("offline already", "The partition has no leader already.", "ELIGIBLE_LEADERS_NOT_AVAILABLE"),
}


def leader_counts(layout: ClusterLayout, leader: IntArray) -> Longs:
    """(B,) int64: partitions that each broker leads, by positions, (P,) int32."""
    brokers = len(layout.brokers)
    return np.bincount(np.maximum(leader, NONE) + 1, minlength=brokers + 1)[1:].astype(np.int64)


@dataclass(frozen=True, eq=False)
class ElectionPreview:
    """Who leads before and after, for P partitions (the layout's rows) and B brokers.

    Attributes:
        leader_before: (P,) int32 broker ids, -1 no leader, -2 not told.
        leader_after: (P,) int32, likewise.
        reason: (P,) uint8, codes of ``Reason``.
        assumed: (P,) bool, rows whose ISR is not told, where all replicas are taken to be in sync.
        broker_ids: (B,) int32, ascending.
        leaders_before: (B,) int64 partitions led; None where no leader is told.
        leaders_after: (B,) int64.
        sentences: what happens and what it rests on, for a person.
        leader_done: (P,) int32, for a plan: who leads once its data has moved, before the preferred election.
        leaders_done: (B,) int64 of that.
    """

    leader_before: IntArray
    leader_after: IntArray
    reason: _Codes
    assumed: BoolArray
    broker_ids: IntArray
    leaders_before: Longs | None
    leaders_after: Longs
    sentences: tuple[str, ...] = ()
    leader_done: IntArray | None = None
    leaders_done: Longs | None = None

    @classmethod
    def of(cls, layout: ClusterLayout, after: IntArray, reason: _Codes, assumed: BoolArray) -> ElectionPreview:
        """The preview of a layout's leaders becoming ``after``, (P,) int32 broker positions, -1 or -2."""
        ids = np.append(layout.broker_ids, np.array([NOT_TOLD, NONE], np.int32))  # -2 and -1 count from the end
        told = bool((layout.leader != NOT_TOLD).any())
        return cls(
            leader_before=layout.leader_ids,
            leader_after=ids[after],
            reason=reason,
            assumed=assumed,
            broker_ids=layout.broker_ids,
            leaders_before=leader_counts(layout, layout.leader) if told else None,
            leaders_after=leader_counts(layout, after),
        )

    @property
    def changed(self) -> BoolArray:
        """(P,) bool: partitions whose leader is told and changes."""
        return _differ(self.leader_before, self.leader_after)

    @property
    def elected(self) -> int:
        """Partitions that a preferred election gives another leader: the preferred replica, or another one instead."""
        counts = self.counts()
        return counts.get(Reason.ELECTED, 0) + counts.get(Reason.OTHER_ELECTED, 0)

    @property
    def while_moving(self) -> int | None:
        """Partitions whose leader is told and changes while a plan's data moves; None: no plan, or no leader told."""
        if self.leader_done is None or (self.leaders_before is None and len(self.leader_before)):
            return None
        return int(np.count_nonzero(_differ(self.leader_before, self.leader_done)))

    @property
    def by_election(self) -> int:
        """Partitions whose leader is told, of a plan once its data has moved, and changes with the election."""
        start = self.leader_before if self.leader_done is None else self.leader_done
        return int(np.count_nonzero(_differ(start, self.leader_after)))

    def reason_of(self, row: int) -> Reason:
        """The reason of one partition."""
        return Reason(int(self.reason[row]))

    def counts(self) -> dict[Reason, int]:
        """How many partitions each reason has, reasons without any left out."""
        numbers = np.bincount(self.reason, minlength=len(Reason)).tolist()
        return {reason: numbers[reason] for reason in Reason if numbers[reason]}


def _differ(one: IntArray, other: IntArray) -> BoolArray:
    """(P,) bool: partitions whose leader is told first and is another one then."""
    mask: BoolArray = (one != other) & (one != NOT_TOLD)
    return mask


def leader_spread(layout: ClusterLayout, counts: Longs | None, away: tuple[int, ...] = ()) -> int | None:
    """Most minus fewest leaders over the brokers that can receive, as ``reseat.balance.measure`` counts them.

    Args:
        layout: whose brokers they are.
        counts: (B,) leaders by broker, or None where no leader is told.
        away: ids of brokers that do not count, since they lead nothing on purpose.

    Returns:
        The spread; None where nothing is told or no broker counts.
    """
    if counts is None:
        return None
    here = layout.receiving & ~layout.is_broker(away)
    return int(np.ptp(counts[here])) if here.any() else None


def less_even(layout: ClusterLayout, preview: ElectionPreview, away: tuple[int, ...] = ()) -> str | None:
    """What a person should know of an election that makes the spread of leaders worse; None where it does not.

    Args:
        layout: whose brokers they are.
        preview: the election; of a plan's, the leaders before it are those once the data has moved.
        away: as in ``leader_spread``.

    Returns:
        A sentence, or None where leaders get no less even or some are not told.
    """
    leader = preview.leader_before if preview.leader_done is None else preview.leader_done
    if (leader == NOT_TOLD).any():
        return None
    before = preview.leaders_before if preview.leaders_done is None else preview.leaders_done
    start, end = leader_spread(layout, before, away), leader_spread(layout, preview.leaders_after, away)
    if start is None or end is None or end <= start:
        return None
    return f"It worsens leader balance: the leader spread (max − min) rises from {start:,} to {end:,}."
