"""From the command to verified: 1,000 replicas moved on real clusters of four brokers, both kinds, both ways.

The partitions are empty, so that what is measured is what Reseat and the controllers do, and not the disks. Beside it
stands Kafka's own tool for the way back: ``--execute`` of the whole plan at once, ``--verify`` until it is complete.
Nothing is asserted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reseat.formats.documents.writers import write_layout_reassignment
from reseat.model import ClusterLayout
from reseat.operate.targets.patience import Patience
from reseat.placement.topic_spec import TopicSpec
from reseat.sources.connection import Connection
from tests.operate.live_cluster import OpenTarget, create_everywhere
from tests.servers.carry_out import carry_out
from tests.servers.cluster import KafkaCluster, missing, start

MOVES = 1_000
#: Seconds after which a measurement is given up.
_PATIENCE = 300
RACKS: dict[int, str | None] = {1: "a", 2: "b", 3: "a", 4: "b"}


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    reason = missing()
    if reason is not None:
        return [("command to verified", "", reason)]
    rows = []
    for kind in ("kraft-4.1", "zookeeper-2.8"):
        with tempfile.TemporaryDirectory() as folder:
            cluster = start(kind, Path(folder) / "cluster", RACKS, auto_leader_rebalance_enable="false")
            try:
                rows += _measured(cluster, Path(folder))
            finally:
                cluster.stop()
    return rows


def _measured(cluster: KafkaCluster, folder: Path) -> list[tuple[str, str, str]]:
    target = OpenTarget(Connection("bench", tuple(cluster.bootstrap.split(","))))
    here, there = ({partition: [1, other] for partition in range(MOVES)} for other in (2, 4))
    made = create_everywhere(target, TopicSpec.placed("bench", here), Patience(300))
    assert made.made, made.refusal
    assert not made.differences, made.differences
    plans = {name: folder / f"{name}.json" for name in ("there", "back")}
    for name, lists in (("there", there), ("back", here)):
        layout = ClusterLayout.from_assignments({("bench", partition): ids for partition, ids in lists.items()})
        plans[name].write_text(write_layout_reassignment(layout))
    identity = target.cluster_id()
    target.close()
    admin = ["--bootstrap", cluster.bootstrap]
    protocols = {"Admin": admin}
    if cluster.zookeeper:
        protocols["ZooKeeper's nodes"] = ["--zookeeper", cluster.zookeeper]
    rows = []
    for protocol, named in protocols.items():
        seconds = _command(named, plans["there"], identity, folder)
        rows.append((f"{cluster.kind}, {protocol}: command to verified, {MOVES:,} moves", "", f"{seconds:.1f} s"))
        began = time.perf_counter()
        carry_out(cluster, plans["back"], 600)
        rows.append(("  Kafka's own tool, the way back", "", f"{time.perf_counter() - began:.1f} s"))
    return rows


def _command(target: list[str], plan: Path, identity: str, folder: Path) -> float:
    words = ["--plan", str(plan), "--confirm", identity, "--journal", str(folder / "journal.sqlite"), "--wait"]
    words += ["--moves-a-broker", str(MOVES), "--override", "racks_not_worsened"]
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "reseat", "operate", "execute", *target, *words],
        env=os.environ | {"RESEAT_OPERATE": "1"},
        stdout=subprocess.DEVNULL,
        timeout=_PATIENCE,
        check=True,
    )
    return time.perf_counter() - began
