"""Members' metadata: what kafka-python writes is read back, and what is something else is told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from reseat.sources.kafka_admin.groups.consumer_protocol import Subscription, read_assignment, read_subscription


@pytest.mark.parametrize(
    ("version", "read"),
    [
        (0, Subscription(0, ("a", "b"), b"3")),
        (1, Subscription(1, ("a", "b"), b"3", (("a", 0), ("a", 2)))),
        (2, Subscription(2, ("a", "b"), b"3", (("a", 0), ("a", 2)), 4)),
        (3, Subscription(3, ("a", "b"), b"3", (("a", 0), ("a", 2)), 4, "rack-1")),
    ],
)
def test_a_subscription_of_each_version(version: int, read: Subscription) -> None:
    """Each version tells what the ones before it tell, and something more."""
    told = ConsumerProtocolSubscription(
        topics=["a", "b"], user_data=b"3", owned_partitions=[("a", [0, 2])], generation_id=4, rack_id="rack-1"
    )

    assert read_subscription(told.encode(version=version)) == read


def test_a_newer_version_is_read_as_far_as_it_is_known() -> None:
    """Kafka promises that nothing is taken out: what follows is left unread."""
    told = ConsumerProtocolSubscription(
        topics=["a"], user_data=None, owned_partitions=[], generation_id=1, rack_id=None
    )
    data = told.encode(version=3)

    assert read_subscription(b"\x00\x09" + data[2:] + b"more") == Subscription(9, ("a",), generation=1)


def test_an_assignment() -> None:
    """By topic in the bytes, partition by partition here; a member that waits has no bytes."""
    told = ConsumerProtocolAssignment(assigned_partitions=[("a", [0, 2]), ("b", [1])], user_data=None)

    assert read_assignment(told.encode(version=1)) == (("a", 0), ("a", 2), ("b", 1))
    assert read_assignment(b"") == ()


@pytest.mark.parametrize(
    "data", [b"\x00", b"\xff\xff\x00\x00\x00\x00", b"\x00\x00\x7f\xff\xff\xff", b"\x00\x01\x00\x00\x00\x01\x00\x04abcd"]
)
def test_what_is_not_the_protocol_is_none(data: bytes) -> None:
    """Too short, a version below 0, a list longer than the text, a name without what follows."""
    assert read_subscription(data) is None


@given(data=st.binary(max_size=60))
def test_a_strangers_bytes_never_fail(data: bytes) -> None:
    """Whatever a member sends, there is an answer."""
    assert read_subscription(data) is None or isinstance(read_subscription(data), Subscription)
    assert read_assignment(data) is None or isinstance(read_assignment(data), tuple)
