"""What answers tell of the cluster as a whole, answer by answer."""

from __future__ import annotations

from typing import Any

import pytest
from kafka.protocol import admin as requests

from reseat.sources.kafka_admin.overview import quorum_told


@pytest.mark.parametrize(
    ("features", "dynamic"),
    [({}, None), ({"metadata.version": 27}, False), ({"kraft.version": 0}, False), ({"kraft.version": 1}, True)],
)
def test_voters_can_be_changed_from_version_1_of_the_feature_on(features: dict[str, int], dynamic: bool | None) -> None:
    """KIP-853; where no feature was told, nobody knows."""
    answer: Any = requests.DescribeQuorumResponse
    topic = answer.TopicData
    voter = topic.PartitionData.ReplicaState
    part = topic.PartitionData(
        partition_index=0, error_code=0, error_message=None, leader_id=3, leader_epoch=1, high_watermark=9,
        current_voters=[
            voter(replica_id=one, log_end_offset=9 - one, last_fetch_timestamp=-1, last_caught_up_timestamp=-1)
            for one in (3, 4)
        ],
        observers=[],
    )  # fmt: skip
    told = answer(error_code=0, topics=[topic(topic_name="__cluster_metadata", partitions=[part])], nodes=[])
    quorum, error = quorum_told(told, features)

    assert error is None
    assert quorum is not None
    assert (quorum.leader, quorum.voter_ids, quorum.dynamic) == (3, (3, 4), dynamic)
