"""Carries a plan out on a real cluster with Kafka's own reassign tool, as an operator would."""

from __future__ import annotations

import json
import time
from pathlib import Path

from reseat.formats import read
from reseat.model import ClusterLayout
from tests.servers.cluster import KafkaCluster


def layout_of(cluster: KafkaCluster) -> ClusterLayout:
    """The cluster as its own ``kafka-topics --describe`` tells it, with the racks that it was started with."""
    return read(cluster.describe(), source="describe").layout.with_racks(cluster.racks)


def carry_out(cluster: KafkaCluster, plan: Path, seconds: float = 120) -> None:
    """``--execute`` a plan, then ``--verify`` until the tool says that every partition is complete.

    Raises:
        AssertionError: the tool refused the plan, or it is not complete in time.
    """
    wanted = json.loads(plan.read_text())["partitions"]
    said = cluster.tool("reassign", "--reassignment-json-file", str(plan), "--execute")
    assert "Successfully started" in said, said
    until = time.monotonic() + seconds
    while True:
        said = cluster.tool("reassign", "--reassignment-json-file", str(plan), "--verify")
        done = sum("complete" in line for line in said.splitlines() if line.startswith("Reassignment of partition"))
        if done == len(wanted):
            break
        assert time.monotonic() < until, said
    # On KRaft the reassignments are off the list up to 0.6 s before --describe shows the new replicas: done means both.
    while "Adding Replicas: " in cluster.describe():
        assert time.monotonic() < until, "a replica is still being added"


def await_assignments(cluster: KafkaCluster, wanted: dict[tuple[str, int], list[int]], seconds: float = 60) -> None:
    """Describe until every partition's replicas are as wanted, in order.

    Raises:
        AssertionError: they are not in time; the message names the partitions that differ.
    """
    until = time.monotonic() + seconds
    while True:
        now = layout_of(cluster).assignments()
        differs = {key: (now.get(key), value) for key, value in wanted.items() if now.get(key) != value}
        if not differs and now.keys() == wanted.keys():
            return
        assert time.monotonic() < until, f"not as planned (is, should be): {differs}"
