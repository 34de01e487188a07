"""Whether everything that was read was true at one moment, and what to read again where that is not shown.

What it promises: ``CONSISTENT`` is said only where one zxid is known at which every value read was the value in
ZooKeeper. It is never said because it is likely.

What it needs: of every value its *newest* zxid, at which it came to be (mzxid for data, pzxid for a list of children,
the pzxid of the nearest ancestor that is there for a node that is not), and its *floor*, a zxid of which ZooKeeper is
known to have been at or beyond when the value was seen.

How it works:

1. ZooKeeper orders all changes by zxid. A value with newest ``m`` that is seen in a state ``s`` was the value at every
   zxid from ``m`` to ``s``: any change between would have made ``m`` greater. For a list of children that holds of
   pzxid; for a node that is missing, of the pzxid of its nearest ancestor: it changes when a child comes or goes.
2. ``s`` itself is not told, but one session sees states that only move forward. So ``s`` is at least the newest zxid
   that any answer had told when the question was sent: the floor. The whole of ``m``..floor lies within ``m``..``s``.
3. All values were true at one moment where these spans have a zxid in common: where the greatest newest is no greater
   than the least floor. Straight after the first pass this says: nothing in it is newer than the zxid before its
   first request, which is the least floor.
4. Otherwise something changed meanwhile. Values whose floor lies below the greatest newest were seen before that
   change and may have changed with it: they are looked at again (their Stat alone; a value that differs is read
   again), which lifts their floors above it. What is new by then is a new greatest newest, and another round, a few
   times. Values seen after the change need no second look, so a round costs what had been read before it.
5. Where that does not settle, the topics whose newest is above the least floor are named: everything else was true
   at that floor.

Example: floors start at 100; one topic is found to have changed at 120. What was seen at floors from 120 on stays;
the rest is asked for its Stats, at floors of 130 or so. None has changed since 120: all was true at 120.

Before the first request ``sync`` lets a follower or observer catch up with the leader, so that the moment is not
older than the reading. A watch on every node would tell changes without looking again, but would leave a hundred
thousand watches in somebody else's ZooKeeper, to go off when the cluster is in trouble.

Complexity: O(values) a round. Source: ZooKeeper Programmer's Guide (ZooKeeper Stat Structure; Consistency
Guarantees), and Zab's total order of changes.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROUNDS", "Span"]

#: Rounds of looking again before the topics that change are named. Each takes up to as long as the first pass.
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Span:
    """The zxids at which everything read is known to have been true, from ``newest`` to ``floor``.

    Attributes:
        newest: the greatest newest of all values.
        floor: the least floor of all values.
    """

    newest: int
    floor: int

    @property
    def holds(self) -> bool:
        """Whether there is such a zxid."""
        return self.newest <= self.floor
