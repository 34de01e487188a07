"""Kafka's rules: a few answers of its own controller classes as literals, and properties that hold for all of them.

The literals are inputs and outputs of ``kafka.controller.PartitionLeaderElectionAlgorithms`` (2.8) and of
``ReplicationControlManager.electLeader`` (3.9).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.election import mode_of, preferred, rules
from reseat.model import Broker, BrokerState, ClusterLayout


def masks(assignment: list[int], isr: list[int], live: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The assignment as one row, with who is alive and who is in sync."""
    row = np.array([assignment], np.int32).reshape(1, -1)
    return row, np.isin(row, live), np.isin(row, isr)


def chosen(row: np.ndarray, column: np.ndarray) -> int | None:
    """The broker in that column."""
    return None if column[0] < 0 else int(row[0, column[0]])


@pytest.mark.parametrize(
    ("assignment", "isr", "live", "unclean", "leader"),
    [
        ([4, 8, 6, 106], [4, 8, 6], [4, 6, 8, 106], True, 4),
        ([116, 6, 119, 2], [2, 6], [], True, None),
        ([110, 2, 5], [], [2, 5, 60, 110], True, 110),  # nobody in sync: the first alive, uncleanly
        ([110, 2, 5], [], [2, 5, 60, 110], False, None),
        ([], [], [1], True, None),
    ],
)
def test_offline_takes_the_first_alive_and_in_sync(
    assignment: list[int], isr: list[int], live: list[int], unclean: bool, leader: int | None
) -> None:
    """In assignment order; out of sync only where unclean election is on."""
    row, alive, in_sync = masks(assignment, isr, live)

    assert chosen(row, rules.offline(alive, in_sync, unclean=unclean)) == leader


@pytest.mark.parametrize(
    ("assignment", "isr", "live", "leader"),
    [
        ([6], [], [6, 50], None),
        ([0, 4, 8, 111, 7], [0, 8], [0, 4, 8, 111], 0),
        ([2, 4, 3, 5, 0], [5, 0, 4, 2, 3], [2], 2),
        ([0, 8, 6, 4, 118], [], [0, 4, 6, 60], None),
    ],
)
def test_reassignment_takes_the_first_of_the_target_that_can(
    assignment: list[int], isr: list[int], live: list[int], leader: int | None
) -> None:
    """Alive and in sync; never uncleanly."""
    row, alive, in_sync = masks(assignment, isr, live)

    assert chosen(row, rules.reassignment(alive, in_sync)) == leader


@pytest.mark.parametrize(
    ("assignment", "isr", "live", "leader"),
    [
        ([109, 7], [7], [], None),
        ([102, 113, 2, 103, 110], [102, 103], [60, 102, 113], 102),
        ([8, 101, 114], [], [101, 114], None),
    ],
)
def test_preferred_takes_the_first_replica_or_nobody(
    assignment: list[int], isr: list[int], live: list[int], leader: int | None
) -> None:
    """The next in line is never taken instead."""
    row, alive, in_sync = masks(assignment, isr, live)

    assert chosen(row, rules.preferred(alive, in_sync)) == leader


@pytest.mark.parametrize(
    ("assignment", "isr", "live", "stopping", "leader"),
    [
        ([8], [8], [8], [8, 77], None),
        ([118, 1], [1], [118], [1], None),
        ([3, 117], [3, 117], [3], [3, 117], None),
        ([3, 117], [3, 117], [3, 117], [3], 117),
    ],
)
def test_controlled_shutdown_passes_over_brokers_that_shut_down(
    assignment: list[int], isr: list[int], live: list[int], stopping: list[int], leader: int | None
) -> None:
    """The first alive, in sync and not shutting down itself."""
    row, alive, in_sync = masks(assignment, isr, live)

    assert chosen(row, rules.controlled_shutdown(alive, in_sync, np.isin(row, stopping))) == leader


_STATES = {"+": BrokerState.ALIVE, "f": BrokerState.FENCED, "s": BrokerState.SHUTTING_DOWN}


@pytest.mark.parametrize(
    ("replicas", "isr", "leader", "states", "answer"),
    [
        ([0], [0], None, {0: "+"}, ("NONE", 0)),
        ([0], [0], None, {0: "f"}, ("PREFERRED_LEADER_NOT_AVAILABLE", -1)),
        ([1, 2], [2], None, {0: "s", 1: "s", 2: "+", 3: "s", 4: "s"}, ("NONE", 2)),
        ([2, 5], [5], 5, {0: "s", 1: "f", 2: "+", 3: "f", 4: "f", 5: "s"}, ("NONE", -1)),
        ([3, 1, 0, 2], [2], 2, {0: "+", 1: "f", 2: "s", 3: "+"}, ("NONE", -1)),
        ([1], [1], 1, {0: "+", 1: "+"}, ("ELECTION_NOT_NEEDED", 1)),
    ],
)
def test_a_kraft_controller_answers_a_preferred_election(
    replicas: list[int], isr: list[int], leader: int | None, states: dict[int, str], answer: tuple[str, int]
) -> None:
    """It may elect another member of the ISR, or give up a leader that is shutting down."""
    key = ("topic", 0)
    layout = ClusterLayout.from_assignments(
        {key: replicas},
        brokers=[Broker(broker, state=_STATES[sign]) for broker, sign in states.items()],
        leaders={key: leader},
        in_sync={key: isr},
    )
    preview = preferred(layout, mode="kraft")

    assert (preview.reason_of(0).error, int(preview.leader_after[0])) == answer


flags = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=6)


@given(flags)
def test_every_rule_equals_its_one_line_in_kafka(replicas: list[tuple[bool, bool, bool]]) -> None:
    """find(live and in ISR), orElse find(live); head where live and in ISR; and not shutting down."""
    table = np.array(replicas, bool).reshape(len(replicas), 3)
    alive, in_sync, stopping = (table[None, :, i] for i in range(3))

    def first(wanted: list[bool]) -> int:
        return wanted.index(True) if True in wanted else -1

    clean = first([a and s for a, s, _ in replicas])
    anyone = first([a for a, _, _ in replicas])

    assert rules.offline(alive, in_sync, unclean=False).tolist() == [clean]
    assert rules.offline(alive, in_sync, unclean=True).tolist() == [clean if clean >= 0 else anyone]
    assert rules.reassignment(alive, in_sync).tolist() == [clean]
    assert rules.preferred(alive, in_sync).tolist() == [0 if clean == 0 else -1]
    assert rules.controlled_shutdown(alive, in_sync, stopping).tolist() == [
        first([a and s and not x for a, s, x in replicas])
    ]


@pytest.mark.parametrize(
    ("metadata", "version", "mode"),
    [
        ("zookeeper", "4.1", "zookeeper"),
        ("kraft", None, "kraft"),
        (None, None, "zookeeper"),
        (None, "3.9", "zookeeper"),
        (None, "4.1.0", "kraft"),
        (None, "unknown", "zookeeper"),
    ],
)
def test_the_controller_is_the_one_that_is_told_or_the_only_one_of_its_version(
    metadata: str | None, version: str | None, mode: str
) -> None:
    """For pages, commands, checks, sweeps and reports alike: Kafka 4 has no ZooKeeper."""
    assert mode_of(None, metadata, version) == mode


def test_only_kraft_has_eligible_leader_replicas() -> None:
    """A layout that tells them shows who decides, unless it is told."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]})
    layout = replace(layout, eligible=np.zeros((1, 2), np.bool_))

    assert mode_of(layout) == "kraft"
    assert mode_of(layout, "zookeeper") == "zookeeper"
