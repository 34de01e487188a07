"""What an unclean election may lose, partition by partition: who would lead, who had the last in-sync copy, how much.

How: who would lead is the preview's answer (``reseat.election.unclean``). How much is lost can only be bounded from
below: what the last in-sync copy alone acknowledged is told by nobody while its broker is down. But a replica that is
alive knows the high watermark that its leader last told it, and where that lies beyond the end of the new leader's log
the offsets between are acknowledged and gone.

Example: ``pay-7`` is [2, 4, 3], nobody leads, the ISR is 3, which is dead. Broker 2 would lead; its log ends at 480.
Broker 4 knows a high watermark of 500: at least 20 acknowledged offsets are lost.

Source: KIP-460 (unclean elections), KIP-966 (eligible replicas), KIP-101 (what a new leader's followers truncate).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reseat.election import Reason, unclean
from reseat.model import NONE, ClusterLayout
from reseat.model.arrays import row_any
from reseat.model.wording import listed, verb
from reseat.operate.targets.target import Partition

if TYPE_CHECKING:
    from reseat.election import Mode
    from reseat.sources.kafka_admin.log_ends import LogEnd

__all__ = ["RecordLoss", "losses"]

_LOSES = (Reason.UNCLEAN, Reason.LAST_KNOWN)
_STAYS_OFFLINE = (Reason.WAS_OFFLINE, Reason.NO_CANDIDATE, Reason.NO_REPLICAS)
_UNKNOWN = (Reason.LEADER_NOT_TOLD, Reason.ORDER_NOT_TOLD)


@dataclass(frozen=True, slots=True)
class RecordLoss:
    """What an unclean election of one partition may lose.

    Attributes:
        topic: its topic.
        partition: its id.
        leader: broker id that would lead, -1 nobody, -2 not told.
        last_in_sync: ids of the brokers with the last in-sync (or eligible) copies, in assignment order.
        may_lose: whether an acknowledged record may be lost.
        sentence: all of it, for a person; begins with the partition's name.
    """

    topic: str
    partition: int
    leader: int
    last_in_sync: tuple[int, ...]
    may_lose: bool
    sentence: str


def losses(
    layout: ClusterLayout,
    partitions: Sequence[Partition],
    mode: Mode,
    ends: Mapping[tuple[Partition, int], LogEnd] | None = None,
) -> tuple[RecordLoss, ...]:
    """What an unclean election of these partitions may lose, by topic and id; those that are not there are left out.

    Args:
        layout: the cluster as it was read.
        partitions: which.
        mode: which controller decides.
        ends: where the logs of living replicas end, by partition and broker, as far as brokers told it.
    """
    found = sorted({row: one for one in partitions if (row := layout.row(*one)) is not None}.items())
    chosen = layout.select(np.array([row for row, _ in found], np.int64))
    foreseen = unclean(chosen, mode)
    holds = np.zeros(chosen.replicas.shape, np.bool_)
    for told in (chosen.in_sync, chosen.eligible):
        if told is not None:
            holds |= told & (chosen.replicas != NONE)
    known = row_any(holds)
    out = []
    for row, (_, one) in enumerate(found):
        reason = Reason(int(foreseen.reason[row]))
        last = tuple(int(broker) for broker in chosen.replica_ids[row][holds[row]].tolist()) if known[row] else ()
        # Where no ISR is told the preview takes all replicas to be in sync, and here nothing is taken for granted.
        guessed = bool(foreseen.assumed[row]) and reason not in (*_STAYS_OFFLINE, Reason.KEEPS_LEADING)
        leader = int(foreseen.leader_after[row])
        may_lose = guessed or reason in _LOSES or reason in _UNKNOWN
        much = _how_much(one, leader, chosen.replica_ids[row].tolist(), ends or {})
        words = _words(reason, leader, last, guessed=guessed) + (f" {much}" if may_lose else "")
        name = f"{one[0]}-{one[1]}"
        out.append(RecordLoss(*one, leader, last, may_lose, f"{name}: {words}"))
    return tuple(out)


def _words(reason: Reason, leader: int, last: tuple[int, ...], *, guessed: bool) -> str:
    if reason is Reason.KEEPS_LEADING:
        return "it has a leader, so no election takes place and nothing is lost."
    if reason in _STAYS_OFFLINE:
        return "no replica of it is alive: it stays offline."
    if reason in _UNKNOWN:
        return f"who would lead is unknown. {reason.sentence}"
    if guessed:
        return f"broker {leader} would lead, and whether it is in sync is unknown."
    if reason not in _LOSES:
        return f"broker {leader}, which is in sync, would lead: nothing is lost."
    had = (
        f"the last in-sync {verb(len(last), 'copy is', 'copies are')} on {verb(len(last), 'broker', 'brokers')} "
        f"{listed(last)}"
        if last
        else "no in-sync copy is left"
    )
    return f"broker {leader} would lead, which is not in sync; {had}."


def _how_much(
    one: Partition, leader: int, replicas: Sequence[int], ends: Mapping[tuple[Partition, int], LogEnd]
) -> str:
    """A sentence: acknowledged offsets that are lost at least, or why that is not known."""
    own = ends.get((one, leader))
    if own is None:
        return f"How much is lost is unknown: where the log of broker {leader} ends is unknown."
    known = [(told.high_watermark, broker) for broker in replicas if (told := ends.get((one, broker))) is not None]
    newest, knower = max(((mark, broker) for mark, broker in known if mark is not None), default=(None, NONE))
    begun = f"The log of broker {leader} ends at offset {own.end:,}, and "
    if newest is None:
        return f"{begun}no high watermark was reported: how much is lost is unknown."
    if newest > own.end:
        least = newest - own.end
        return (
            f"{begun}broker {knower} knows a high watermark of {newest:,}: at least {least:,} acknowledged offsets are "
            "lost."
        )
    return (
        f"{begun}no living replica knows a high watermark above {newest:,}: how much the last in-sync copy "
        "acknowledged beyond that is unknown, and lost."
    )
