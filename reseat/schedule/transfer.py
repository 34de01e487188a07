"""How long a plan takes: what each broker receives and sends, and the slowest of them under a throttle.

Promises: exact sums of the sizes that are told; moves whose size is not told are counted, not guessed; the time is a
lower bound that holds where the throttle is what limits (``leader.`` and ``follower.replication.throttled.rate`` bound
each broker's sending and each broker's receiving apart).

Needs: a plan; its layouts need sizes (else there is nothing to say) and, for who sends, leaders or assignment order.

How: a newcomer copies its partition from the leader, not from the replica that goes. So the receiver of a move is its
target and the sender its partition's leader: the one told, else the first replica of the list. Two sums over brokers.

Example: 6 GB go to broker 4 and 3 GB to broker 5, all from leader 1, at 3 MB/s: broker 1 sends 9 GB, 50 minutes.

Complexity: O(moves). Source: KIP-73 (replication quotas).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import FloatArray, IntArray, Plan

__all__ = ["Transfer", "rollback", "transfer"]


@dataclass(frozen=True, eq=False)
class Transfer:
    """What carrying out a plan sends over the network.

    Attributes:
        brokers: (B,) int32 broker ids.
        received: (B,) float64 bytes that each receives.
        sent: (B,) float64 bytes that each sends as the leader of what is copied.
        copies: replicas that are copied.
        unknown: copies whose size is not told; they are in no sum.
        total: bytes copied.
    """

    brokers: IntArray
    received: FloatArray
    sent: FloatArray
    copies: int
    unknown: int
    total: float

    def slowest(self) -> tuple[int, bool, float] | None:
        """(broker id, whether it sends, bytes) of the broker with the most to send or to receive; None: nothing."""
        if not self.brokers.size or not max(self.received.max(), self.sent.max()):
            return None
        sends = bool(self.sent.max() > self.received.max())
        column = self.sent if sends else self.received
        at = int(column.argmax())
        return int(self.brokers[at]), sends, float(column[at])

    def seconds(self, rate: float) -> float:
        """The least time under a throttle.

        Args:
            rate: bytes a second that each broker may send, and may receive; above 0.
        """
        slowest = self.slowest()
        return 0.0 if slowest is None else slowest[2] / rate


def transfer(plan: Plan) -> Transfer | None:
    """What carrying out a plan copies; None where no size is told."""
    moves, layout = plan.moves, plan.current
    if moves.bytes is None:
        return None
    copied = moves.target >= 0
    size, rows = moves.bytes[copied], moves.row[copied]
    told = ~np.isnan(size)
    weights = size[told]
    width = layout.replica_ids.shape[1]
    first = layout.replica_ids[rows, 0] if width else np.zeros(0, np.int32)
    leader = np.where(layout.leader_ids[rows] >= 0, layout.leader_ids[rows], first)[told]
    return Transfer(
        brokers=layout.broker_ids,
        received=_by_broker(layout.broker_ids, moves.target[copied][told], weights),
        sent=_by_broker(layout.broker_ids, leader, weights),
        copies=int(copied.sum()),
        unknown=int((~told).sum()),
        total=float(weights.sum()),
    )


def rollback(plan: Plan) -> Plan:
    """The way back: from the proposed layout to the current one.

    It carries the certificate of the way there, which says nothing of the way back.
    """
    back = plan.proposed.with_brokers(plan.current.brokers)
    return Plan(current=back, proposed=plan.current, certificate=plan.certificate)


def _by_broker(brokers: IntArray, ids: npt.NDArray[np.integer], weights: FloatArray) -> FloatArray:
    """Sum of weights by broker; ids below 0 (nobody) are left out."""
    known = ids >= 0
    place = np.searchsorted(brokers, ids[known])
    return np.bincount(place, weights=weights[known], minlength=len(brokers)).astype(np.float64)
