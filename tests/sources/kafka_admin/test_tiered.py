"""Where the records of tiered topics are: what leaders tell by ListOffsets, counted by topic."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from reseat.consumers import Partition
from reseat.sources.kafka_admin.list_offsets import offset_requests, records_told

EARLIEST, LOCAL, TIERED, END = -2, -4, -5, -1
LEADERS = {("events", 0): 1, ("events", 1): 2, ("logs", 0): 2}


def answer(offsets: dict[Partition, int], error: int = 0) -> Any:
    """An answer that tells these offsets."""
    topics = [
        SimpleNamespace(name=topic, partitions=[SimpleNamespace(partition_index=part, offset=offset, error_code=error)])
        for (topic, part), offset in offsets.items()
    ]
    return SimpleNamespace(topics=topics)


def test_records_are_counted_by_topic() -> None:
    """In all, in local logs, not tiered yet: as 4.4.0 told it, with segments in both places too."""
    both = [
        (EARLIEST, answer({("events", 0): 0, ("events", 1): 7, ("logs", 0): 0})),
        (LOCAL, answer({("events", 0): 30, ("events", 1): 47, ("logs", 0): 0})),
        (TIERED, answer({("events", 0): 39, ("events", 1): 46, ("logs", 0): -1})),
        (END, answer({("events", 0): 45, ("events", 1): 52, ("logs", 0): 9})),
    ]

    assert records_told(LEADERS, both) == {"events": (90, 20, 10), "logs": (9, 9, 9)}


def test_a_topic_of_which_a_leader_tells_nothing_is_not_told() -> None:
    """An error, or no answer, of one partition: half of a topic would be taken for all of it."""
    told = [(which, answer({("events", 0): 5, ("logs", 0): 5})) for which in (EARLIEST, LOCAL, TIERED, END)]
    wrong = [(which, answer({("events", 1): 5}, error=6)) for which in (EARLIEST, LOCAL, TIERED, END)]

    assert records_told(LEADERS, [*told, *wrong]) == {"logs": (0, 0, 0)}
    assert records_told(LEADERS, []) == {}


def test_what_is_asked_of_whom() -> None:
    """Four offsets of each leader; nothing of a Kafka before 3.9, which does not know where tiering ends."""
    sent: list[tuple[int, Any]] = []
    knows = SimpleNamespace(supports=lambda request, version: version == 9, submit=lambda *asked: sent.append(asked))
    for _, send in offset_requests(knows, LEADERS):  # type: ignore[arg-type]
        send()

    assert [leader for _, leader in sent] == [1] * 4 + [2] * 4
    assert [one.topics[0].partitions[0].timestamp for one, _ in sent] == [EARLIEST, LOCAL, TIERED, END] * 2
    assert offset_requests(SimpleNamespace(supports=lambda *_: False), LEADERS) == []  # type: ignore[arg-type]
