"""A share group that Kafka 4.4 told, for whoever has none at hand: three members, two partitions, records under way."""

from __future__ import annotations

from reseat.sources.kafka_admin.groups import LiveGroup, LiveMember

__all__ = ["RECORDED_SHARE"]


def _member(identity: str, *partitions: int) -> LiveMember:
    """One of three console share consumers."""
    reads = tuple(("payments", partition) for partition in partitions)
    return LiveMember(
        identity, "console-share-consumer", "127.0.0.1", topics=("payments",), assignment=reads, generation=4
    )


#: As ``ShareGroupDescribe`` and ``DescribeShareGroupOffsets`` of a real 4.4.0 told it while records were produced.
RECORDED_SHARE = LiveGroup(
    name="payments-workers",
    kind="share",
    state="Stable",
    assignor="simple",
    coordinator=2,
    members=(
        _member("V1hHg_EXSiidZ_CiczZFaw", 0),
        _member("IvnLZ0JfTtWfHqyAYcoDFg", 0, 1),
        _member("UFen8c_8TYKUPfMbxafd8g", 1),
    ),
    committed={("payments", 0): 3591, ("payments", 1): 1809},
    ends={("payments", 0): 3857, ("payments", 1): 1943},
    partitions={"payments": 2},
    epoch=4,
    assignment_epoch=4,
    lags={("payments", 0): 133, ("payments", 1): 67},
)
