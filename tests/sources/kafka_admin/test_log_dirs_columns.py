"""DescribeLogDirs decoded in columns: what kafka-python says in objects, of every version; cut nowhere in silence."""

from __future__ import annotations

from typing import Any

import pytest
from kafka.protocol import admin as requests

from reseat.sources.kafka_admin.log_dirs_columns import Directory, directories
from reseat.sources.kafka_admin.undecoded import Bytes

RESPONSE: Any = requests.DescribeLogDirsResponse
VERSIONS = range(1, 6)


def body(version: int, topics: int = 130) -> Bytes:
    """Two directories, one of them offline; some names and some numbers of topics and logs need two bytes of length."""
    result = RESPONSE.DescribeLogDirsResult
    topic = result.DescribeLogDirsTopic
    log = topic.DescribeLogDirsPartition
    held = [
        topic(
            name=f"{'orders-é' * (1 + number % 20)}-{number}",
            partitions=[
                log(partition_index=one, partition_size=2**40 + one, offset_lag=7 * one, is_future_key=one % 5 == 4)
                for one in range(200 if number == 3 else number % 3)
            ],
        )
        for number in range(topics)
    ]
    answer = RESPONSE(
        throttle_time_ms=5,
        error_code=0,
        results=[
            result(error_code=56, log_dir="/d/0", topics=[], total_bytes=-1, usable_bytes=-1),
            result(error_code=0, log_dir="/data/" + "x" * 200, topics=held, total_bytes=2**50, usable_bytes=3),
        ],
    )
    return Bytes(version, answer.encode(version=version), RESPONSE)


def logs_of(told: Directory) -> list[list[tuple[int, int, int, bool]]]:
    """The logs of each topic."""
    each, at = [], 0
    for count in told.counts:
        each.append([(*map(int, row.tolist()[:3]), bool(row["future"])) for row in told.logs[at : at + count]])
        at += count
    return each


@pytest.mark.parametrize("version", VERSIONS)
def test_columns_say_what_objects_say(version: int) -> None:
    """Directly: whoever reads falls back on the objects where columns cannot be had, and would only become slow."""
    answer = body(version)
    told = answer.decoded()
    error, found = directories(answer)

    assert error == told.error_code
    assert len(found) == len(told.results) == 2
    for mine, theirs in zip(found, told.results, strict=True):
        assert (mine.error_code, mine.log_dir) == (theirs.error_code, theirs.log_dir)
        assert (mine.total_bytes, mine.usable_bytes) == (
            (theirs.total_bytes, theirs.usable_bytes) if version >= 4 else (-1, -1)
        )
        assert (mine.cordoned is None) == (version < 5)
        assert [name.decode() for name in mine.topics] == [topic.name for topic in theirs.topics]
        assert logs_of(mine) == [
            [
                (log.partition_index, log.partition_size, log.offset_lag, bool(log.is_future_key))
                for log in topic.partitions
            ]
            for topic in theirs.topics
        ]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_body_that_is_cut_short_anywhere_is_refused(version: int) -> None:
    """A ValueError, whatever it was that is missing."""
    whole = body(version, topics=3).data
    for end in range(len(whole)):
        with pytest.raises(ValueError, match=r"cut short|not a response|cannot be"):
            directories(Bytes(version, whole[:end], RESPONSE))


@pytest.mark.parametrize("version", [2, 5])
def test_a_length_without_an_end_is_refused(version: int) -> None:
    """Bytes that each say that another follows."""
    head = body(version).data[: 4 if version < 3 else 6]
    with pytest.raises(ValueError, match="a number without an end"):
        directories(Bytes(version, head + b"\xff" * 50, RESPONSE))
