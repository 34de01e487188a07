"""A tiered topic on a real 4.4: how many records are in remote storage alone, and how many only in local logs."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from kafka import KafkaProducer

from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin import read_admin_cluster
from tests.conftest import missing
from tests.servers import cluster as servers

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


def test_records_of_a_tiered_topic_are_told_by_where_they_are(tmp_path: Path) -> None:
    """Four full segments of ten records go to remote storage and leave the local log; the last five are there alone."""
    if what := servers.missing():
        missing("kafka", what)
    if shutil.which("javac") is None:
        pytest.skip("No javac: the remote storage of this test must be compiled.")
    jars = servers.CACHE / "kraft-4.4" / "jars"
    source = servers.HERE / "Nowhere.java"
    subprocess.run(["javac", "-nowarn", "-d", str(tmp_path), "-cp", f"{jars}/*", str(source)], check=True)
    settings = {
        "remote_log_storage_system_enable": "true",
        "remote_log_storage_manager_class_name": "Nowhere",
        "remote_log_storage_manager_class_path": f"{tmp_path}/",
        "remote_log_metadata_manager_listener_name": "PLAINTEXT",
        "rlmm_config_remote_log_metadata_topic_num_partitions": "1",
        "rlmm_config_remote_log_metadata_topic_replication_factor": "1",
        "remote_log_manager_task_interval_ms": "300",
        "log_retention_check_interval_ms": "500",
        "log_initial_task_delay_ms": "100",
    }
    cluster = servers.start("kraft-4.4", tmp_path / "cluster", {1: "a"}, **settings)
    try:
        configs = ("remote.storage.enable=true", "segment.bytes=1048576", "local.retention.bytes=1")
        asked = [part for config in configs for part in ("--config", config)]
        cluster.tool("topics", "--create", "--topic", "events", "--partitions", "1", *asked)
        producer = KafkaProducer(bootstrap_servers=cluster.bootstrap)
        for _ in range(45):
            producer.send("events", b"x" * 100_000)
        producer.flush(60)
        producer.close()
        until = time.monotonic() + 60
        while True:
            snapshot = read_admin_cluster(Connection(bootstrap=(cluster.bootstrap,), timeout_seconds=20.0))
            if snapshot.tiering.records == (("events", 45, 5, 5),):
                break
            assert time.monotonic() < until, snapshot.tiering
            time.sleep(0.3)  # a server in another process: nothing tells when it is so far
    finally:
        cluster.stop()

    assert snapshot.tiering.topics == ("events",)
    assert read_snapshot(write_snapshot(snapshot)).tiering == snapshot.tiering
    assert not snapshot.not_read
