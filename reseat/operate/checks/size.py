"""The check that what a plan sends fits: into the nodes of ZooKeeper that grow with it, and lists of throttles.

Requests to brokers are split by whoever sends them (``admin_target``), and a list of throttled replicas that is too
long for a string of Kafka's protocol is ``*``. What nobody can split is the one node in which ZooKeeper keeps all
replica lists of a topic.

Complexity: O(P R) for the P partitions of the plan's topics.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.model.wording import named
from reseat.operate.checks.check import Check, failed, passed
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.targets.throttle_names import LONGEST_LIST

__all__ = ["requests_fit", "throttled_as_wholes"]

#: What a node and its path may take where ``jute.maxbuffer`` is as delivered (1,048,575 bytes), with room for the rest
#: of the node: names of keys, version, topic id.
_NODE_BYTES = 1_040_000
#: A topic of fewer partitions is not looked at: each would need 1,000 bytes, as 20 replicas with ids of ten digits do
#: that all move.
_FEWEST = 1_000
_TENS = 10 ** np.arange(1, 10, dtype=np.int64)


def requests_fit(diff: PlanDiff) -> Check:
    """22. No topic's node in ZooKeeper grows beyond what ZooKeeper takes.

    The controller writes the whole node for each partition that it begins to move: old and new replicas, and those
    being added and removed. Where it is too large ZooKeeper ends the controller's session, again and again. Judged is
    the most that it can be, with all of the plan under way at once.
    """
    name = "requests_fit"
    if diff.snapshot.metadata != "zookeeper":
        return passed(name, "Requests are split to the size that brokers accept.")
    before, most = _node_bytes(diff)
    grown = np.flatnonzero((most > _NODE_BYTES) & (before <= _NODE_BYTES))
    if not grown.size:
        return passed(name, "Every topic's node stays below ZooKeeper's size limit.")
    names = [diff.snapshot.layout.topics[topic] for topic in grown.tolist()]
    return failed(
        name,
        "ZooKeeper keeps the replica lists of a topic in one node of at most 1,048,575 bytes, and that of "
        f"{named('topic', names)} could have {int(most[grown].max()):,} while the plan is executed. Move fewer of its "
        "partitions at a time, or raise jute.maxbuffer on every server and broker first.",
        overridable=True,
    )


def throttled_as_wholes(diff: PlanDiff) -> tuple[str, ...]:
    """Topics of which all replicas are throttled, since the list of those that copy is too long for Kafka's strings."""
    rows = diff.moving[diff.newcomers[diff.moving].any(axis=1)]
    now, after = diff.current.select(rows), diff.after.select(rows)
    longest = np.zeros(len(now.topics), np.int64)
    for lists, held in ((after.replica_ids, diff.newcomers[rows]), (now.replica_ids, now.replica_ids != NONE)):
        each = _digits(now.partition) + 1  # 12:1,12:2, is twice the partition and its colon, and a list of brokers
        sizes = _listed(lists, held) + held.sum(axis=1) * each
        longest = np.maximum(longest, np.bincount(now.topic_of, sizes, len(now.topics)).astype(np.int64))
    return tuple(now.topics[topic] for topic in np.flatnonzero(longest - 1 > LONGEST_LIST).tolist())


def _node_bytes(diff: PlanDiff) -> tuple[Longs, Longs]:
    """Bytes of each topic's node as it is, and at most while the plan is carried out; 0 where that cannot be much."""
    layout, topics = diff.snapshot.layout, len(diff.snapshot.layout.topics)
    in_topic = layout.topic_of[diff.row[diff.planned]]
    rows = diff.moving[(np.bincount(layout.topic_of) >= _FEWEST)[in_topic[diff.moving]]]
    of_topic = in_topic[rows]
    whole = np.flatnonzero(np.isin(layout.topic_of, of_topic))
    chosen = layout.select(whole)
    lists = chosen.replica_ids
    before = np.bincount(layout.topic_of[whole], _entries(chosen.partition, lists, lists != NONE), topics)
    now, after = diff.now.select(rows), diff.after.select(rows)
    more = (
        _listed(after.replica_ids, diff.newcomers[rows])
        + _entries(now.partition, after.replica_ids, diff.newcomers[rows])
        + _entries(now.partition, now.replica_ids, diff.goes[rows])
    )
    return before.astype(np.int64), (before + np.bincount(of_topic, more, topics)).astype(np.int64)


def _entries(partition: IntArray, lists: IntArray, held: BoolArray) -> Longs:
    """Bytes of ``"12":[1,2,3],`` by row."""
    return _digits(partition) + 5 + _listed(lists, held)


def _listed(lists: IntArray, held: BoolArray) -> Longs:
    """Bytes of ``1,2,3,`` by row."""
    sizes: Longs = np.where(held, _digits(lists) + 1, 0).sum(axis=1).astype(np.int64)
    return sizes


def _digits(numbers: npt.NDArray[np.integer]) -> Longs:
    """How many digits each has, none of them below 0."""
    return np.searchsorted(_TENS, numbers, side="right").astype(np.int64) + 1
