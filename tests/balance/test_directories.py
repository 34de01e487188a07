"""Log directories measured, and what is found about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.balance.directories import by_directory, directory_findings, directory_loads
from reseat.model import NONE, Broker, ClusterLayout, LogDirectory, Severity
from tests.planning.test_directories import GB, disks


def test_what_lies_in_each_directory_and_what_its_broker_tells():
    """Replicas and bytes by directory; one that holds nothing is there, too."""
    layout, told = disks({"/a": [2, 1], "/b": []}, **{"/a": {"total_bytes": 9 * GB, "usable_bytes": 6 * GB}})
    loads = directory_loads(layout, told)

    assert [(one.path, one.replicas, one.bytes, one.state) for one in loads] == [
        ("/a", 2, 3 * GB, "online"),
        ("/b", 0, 0, "online"),
    ]
    assert loads[0].told == told[0]


def test_each_broker_has_directories_of_its_own():
    """Of the same names, too."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [2, 3]}, size_bytes={("t", 0): GB, ("t", 1): GB}),
        log_dirs=("/a", "/b"),
        log_dir=np.array([[0, 1], [0, 0]], np.int32),
    )

    assert [(one.broker, one.path, one.replicas) for one in directory_loads(layout)] == [
        (1, "/a", 1), (2, "/a", 1), (2, "/b", 1), (3, "/a", 1),
    ]  # fmt: skip


def test_without_a_word_of_brokers_directories_are_those_that_hold_something():
    """As kafka-log-dirs of old tells them."""
    layout, _ = disks({"/a": [2], "/b": [1]})

    assert [(one.path, one.told) for one in directory_loads(layout)] == [("/a", None), ("/b", None)]


def test_an_offline_directory_of_pasted_text_is_one_of_its_brokers():
    """kafka-log-dirs tells no replica in it, and no reading of a live cluster is there."""
    layout, _ = disks({"/a": [2]})
    broken = replace(layout, brokers=(replace(layout.brokers[0], offline_dirs=("/b",)), *layout.brokers[1:]))

    assert [(one.path, one.state) for one in directory_loads(broken)] == [("/a", "online"), ("/b", "offline")]


@pytest.mark.parametrize(
    ("held", "told", "kind", "words"),
    [
        ({"/a": [2, 1], "/b": []}, {}, "log_dir_uneven", "broker 1: /a holds 3.0 GB more than the emptiest"),
        ({"/a": [1, 1], "/b": [1]}, {}, "log_dir_uneven", "broker 1: /a holds 1.0 GB more than the emptiest"),
        ({"/a": [2], "/b": []}, {}, None, ""),  # one replica cannot be split
        ({"/a": [0.2, 0.1], "/b": []}, {}, None, ""),  # too little to copy for
        ({"/a": [2], "/b": [2]}, {"/b": {"error": "KAFKA_STORAGE_ERROR"}}, "log_dir_error", "/b of broker 1 (KAFKA_"),
        ({"/a": [2], "/b": [2]}, {"/b": {"total_bytes": 100, "usable_bytes": 9}}, "log_dir_full", "(9 B left, 9%)"),
        ({"/a": [2], "/b": [2]}, {"/b": {"total_bytes": 100, "usable_bytes": 0}}, "log_dir_full", "(0 B left, 0%)"),
        ({"/a": [2], "/b": [2]}, {"/b": {"total_bytes": 100, "usable_bytes": 10}}, None, ""),
    ],
)
def test_what_is_found(held, told, kind, words):
    """Uneven beyond a tenth and a gigabyte, offline, and less than a tenth left."""
    layout, dirs = disks(held, **told)
    found = directory_findings(directory_loads(layout, dirs))

    assert [one.kind for one in found] == ([kind] if kind else [])
    assert all(words in one.sentence and one.brokers == (1,) for one in found)
    assert all((one.severity is Severity.BROKEN) == (one.kind == "log_dir_error") for one in found)


def test_a_cordoned_directory_is_told_as_such():
    """As a state of its own."""
    layout, _ = disks({"/a": [1]})

    assert directory_loads(layout, (LogDirectory(1, "/a", cordoned=True),))[0].state == "cordoned"


def test_a_layout_by_directory_has_each_replica_once_and_leads_as_before():
    """Rows are directories by broker and path, empty ones too; replicas of untold ones on a place without path."""
    layout = replace(
        ClusterLayout.from_assignments(
            {("t", 0): [1, 2], ("t", 1): [2, 10]},
            brokers=[Broker(1, "a"), Broker(2, "b"), Broker(10, "a")],
            leaders={("t", 0): 2, ("t", 1): None},
        ),
        log_dir=np.array([[0, 1], [0, NONE]], np.int32),
        log_dirs=("/a", "/b"),
    )
    placed = by_directory(layout, [LogDirectory(1, "/c"), LogDirectory(7, "/x")])
    hosts = [broker.host for broker in placed.brokers]

    assert hosts == ["1:/a", "1:/c", "2:/a", "2:/b", "10:?"]
    assert [broker.rack for broker in placed.brokers] == ["a", "a", "b", "b", "a"]
    assert placed.replicas.tolist() == [[0, 3], [2, 4]]
    assert placed.leader.tolist() == [3, NONE]
    assert placed.replicas_by_broker.tolist() == [1, 0, 1, 1, 1]
