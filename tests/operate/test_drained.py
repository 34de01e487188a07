"""A broker is called drained only where neither the description nor its log directories show anything."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from reseat.model import Quorum, QuorumMember
from reseat.operate.checks.check import CheckResult
from reseat.operate.checks.guard import drained
from tests.operate.guarding import LISTS, PLAN, layout, snapshot

AFTER = layout(LISTS | PLAN)
EMPTY = {3: frozenset()}


def test_empty_in_both_is_drained():
    """Broker 3 after its plan."""
    found = drained((3,), snapshot(AFTER), EMPTY)

    assert found.result is CheckResult.PASSED
    assert found.sentence == "Broker 3 is drained: neither the description nor log directories show a replica."


@pytest.mark.parametrize(
    ("voters", "leaving", "said"),
    [
        ((3, 5, 6), (3,), "Broker 3 votes in the controller quorum: without it no other may fail."),
        ((2, 3, 5, 6, 7), (3,), "Broker 3 votes in the controller quorum: without it 1 more may fail."),
        ((3, 5, 2000), (3, 2000), "Brokers 3 and 2000 vote in the controller quorum: without them the quorum is lost."),
        ((5, 6, 7), (3,), None),
    ],
)
def test_an_empty_broker_that_is_still_a_controller_is_said_to_be_one(voters, leaving, said):
    """A node may be both: who stops it since it is drained may end the quorum by that."""
    quorum = Quorum(voters[0], tuple(QuorumMember(voter, behind_seconds=0.1) for voter in voters))
    found = drained(leaving, snapshot(AFTER, quorum=quorum), dict.fromkeys(leaving, frozenset()))

    assert found.result is CheckResult.PASSED
    assert ("votes" in found.sentence or "vote " in found.sentence) is (said is not None)
    assert (said or "") in found.sentence
    assert ("Let other nodes vote before you stop" in found.sentence) is (said is not None)


def test_replicas_described_are_named():
    """Before its plan it has two."""
    found = drained((3,), snapshot(), EMPTY)

    assert found.result is CheckResult.FAILED
    assert found.partitions == ("orders-2", "pay-7")


def test_replicas_that_are_being_removed_are_still_there():
    """A reassignment under way lists them, and ZooKeeper's node may ask for more."""
    now = layout(LISTS | PLAN | {("orders", 2): [4, 1, 3]})
    removing = np.zeros(now.replicas.shape, np.bool_)
    removing[now.row("orders", 2), 2] = True
    leaving = dataclasses.replace(now, removing=removing)

    assert drained((3,), snapshot(leaving), EMPTY).partitions == ("orders-2",)
    assert drained((3,), snapshot(AFTER, pending={("x", 0): (3,)}), EMPTY).partitions == ("x-0",)
    assert drained((3,), snapshot(AFTER, pending={("x", 0): (4,)}), EMPTY).result is CheckResult.PASSED


def test_what_log_directories_still_hold_is_named():
    """Described nowhere, and yet there."""
    found = drained((3, 2000), snapshot(AFTER), {3: frozenset({("pay", 7)}), 2000: frozenset()})

    assert found.result is CheckResult.FAILED
    assert found.partitions == ("pay-7",)
    assert found.brokers == (3,)


@pytest.mark.parametrize("holdings", [None, {}, {4: frozenset()}])
def test_unknown_log_directories_are_never_called_drained(holdings):
    """Not asked, or the broker is down: not told."""
    found = drained((3,), snapshot(AFTER), holdings)

    assert found.result is CheckResult.NOT_TOLD
    assert "unknown" in found.sentence


def test_a_reading_that_did_not_settle_is_never_called_drained():
    """A topic that changed while it was read may have come to the broker."""
    assert drained((3,), snapshot(AFTER, unsettled=("new",)), EMPTY).result is CheckResult.NOT_TOLD


def test_nobody_to_drain():
    """A plan that drains no broker."""
    assert drained((), snapshot(AFTER), None).result is CheckResult.PASSED
