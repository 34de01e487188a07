"""Where the ZooKeeper era puts partitions that are added to a topic.

What it promises: what ``AdminZkClient.createNewPartitionsAssignment`` gives, with its error.

How it works: striped placement with start index and shift both the position, in the list of brokers sorted by id, of
the first broker whose id is not below partition 0's first replica (0 if there is none). With racks that position counts
on the ring that takes racks in turn all the same, so the first column does not go on there. The replication factor is
partition 0's, the first new id is the present number of partitions. So without racks the first column goes on as it
was, while the shift is another: that is how ``fingerprint`` tells added partitions.

Example: brokers 0, 1, 2, partition 0 on [2, 0]: partition 3 is on [2, 1], with start 2, shift 2 and first id 3.

KRaft is different: it places new partitions afresh (``place_kraft``) and ignores the old ones.

Source: ``kafka.zk.AdminZkClient`` (2.8.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reseat.errors import PlacementRefused
from reseat.model import Broker
from reseat.placement.placed import Placement
from reseat.placement.striped import RackMode, place_striped

__all__ = ["added_start", "place_added"]


def added_start(brokers: Sequence[Broker], first_replica: int) -> int:
    """Start index and shift of added partitions: the position by id of partition 0's first replica, or of the next.

    Args:
        brokers: the brokers alive, in any order.
        first_replica: the broker id that partition 0's list begins with.
    """
    ids = sorted(broker.id for broker in brokers)
    return next((position for position, broker_id in enumerate(ids) if broker_id >= first_replica), 0)


def place_added(
    brokers: Sequence[Broker],
    existing: Mapping[int, Sequence[int]],
    total: int,
    *,
    topic: str = "topicA",
) -> Placement:
    """Place the partitions that bring a topic to a number of partitions.

    Args:
        brokers: the brokers alive.
        existing: replica ids by partition id.
        total: how many partitions the topic shall have.
        topic: the topic's name, for the error's words.

    Returns:
        The new partitions alone.

    Raises:
        PlacementRefused: in Kafka's words, ``total`` is no increase, or there is no partition 0; and as
            ``place_striped``.
    """
    lists = existing.get(0)
    if not lists:
        raise PlacementRefused(
            f"Unexpected existing replica assignment for topic '{topic}', partition id 0 is missing. "
            f"Assignment: {dict(existing)}",
            kafka_error="AdminOperationException",
            topics=(topic,),
        )
    more = total - len(existing)
    if more <= 0:
        raise PlacementRefused(
            "The number of partitions for a topic can only be increased. Topic "
            f"{topic} currently has {len(existing)} partitions, {total} would not be an increase.",
            kafka_error="InvalidPartitionsException",
            topics=(topic,),
        )
    return place_striped(
        brokers,
        more,
        len(lists),
        fixed_start_index=added_start(brokers, lists[0]),
        first_partition=len(existing),
        rack_mode=RackMode.ENFORCED,  # as ``kafka-topics --alter``
    )
