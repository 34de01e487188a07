"""Landed files as rows: what is read, what is refused and why, and the rows of replicas."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.history.schema import arrow_schema
from reseat.model import Broker, ClusterLayout, Snapshot
from reseat.pipeline.decode import (
    Landed,
    Refusal,
    measured_schema,
    measurer,
    read_landed,
    replica_batches,
    replica_reader,
)

TAKEN = datetime(2026, 5, 1, 12, tzinfo=UTC)
ROOT = "file:///data/landing"


def snapshot(**facts: object) -> Snapshot:
    """A small snapshot; ``facts`` replace what it says."""
    layout = ClusterLayout.from_columns(
        topics=["orders"],
        topic_of=[0, 0],
        partition=[0, 1],
        replicas=[[1, 2], [2, -1]],
        brokers=[Broker(1, "a"), Broker(2)],
        leader=[1, -2],
        in_sync=[[True, False], [False, False]],
        in_sync_told=[True, False],
        size_bytes=[[10.0, np.nan], [3.0, np.nan]],
    )
    return Snapshot(**{"layout": layout, "taken_at": TAKEN, "protocol": "admin", "cluster": "a", **facts})  # type: ignore[arg-type]


def files(*contents: tuple[str, bytes]) -> pa.RecordBatch:
    """What Spark's source of files gives."""
    return pa.RecordBatch.from_pydict(
        {
            "path": [f"file:/data/landing/{path}" for path, _ in contents],
            "length": [len(content) for _, content in contents],
            "content": [content for _, content in contents],
        }
    )


def test_a_file_says_which_cluster_when_and_what() -> None:
    """The identity is that of the document; the path does not matter."""
    read = read_landed(write_snapshot(snapshot()), "cluster=other/x.json")

    assert isinstance(read, Landed)
    assert (read.snapshot.cluster, read.day) == ("a", "2026-05-01")
    assert read.snapshot_id == identity(snapshot())


@pytest.mark.parametrize(
    ("facts", "path", "cluster"),
    [
        ({"cluster": None, "cluster_id": "MkU3OEVBNTcwNTJENDM2Qg"}, "cluster=a/x.json", "MkU3OEVBNTcwNTJENDM2Qg"),
        ({"cluster": None, "cluster_id": "_3OEVBNTcwNTJENDM2Qg"}, "cluster=a/x.json", "a"),
        ({"cluster": None}, "cluster=a/2026/x.json", "a"),
    ],
)
def test_a_cluster_that_nobody_named(facts: dict[str, object], path: str, cluster: str) -> None:
    """Is called by its own id where that can name a folder, else by the folder that the file lies in."""
    read = read_landed(write_snapshot(snapshot(**facts)), path)

    assert isinstance(read, Landed)
    assert read.snapshot.cluster == cluster


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x00\xff\xfe", "not a snapshot of Reseat"),
        (b"Topic: orders\tPartitionCount: 1\tReplicationFactor: 1\n", "`reseat land` makes one"),
        (b"\x1f\x8b\x08\x00", "not a snapshot of Reseat"),
        (b"\xef\xbb\xbf{}", "begin with '{'"),
        (b'{"reseat_snapshot" 1}', "damaged in line 1"),
        (b'{"reseat_snapshot": 1, "cluster": "a",', "ends too early"),
        (b'{"reseat_snapshot": 99}', "version"),
        (b'{"version":1,"partitions":[]}', "snapshot"),
        (b"[" * 100_000, ""),
        (write_snapshot(snapshot(cluster="../b")), "letters"),
        (write_snapshot(snapshot(cluster=None)), "does not name its cluster"),
    ],
)
def test_what_cannot_be_read_is_told_in_words(content: bytes, words: str) -> None:
    """Whatever stands in a file, there is a sentence and no exception."""
    read = read_landed(content, "elsewhere/x.json")

    assert isinstance(read, Refusal)
    assert words in read.reason
    assert read.reason.endswith((".", "?"))


def test_every_file_is_one_row_of_measures() -> None:
    """Also one that cannot be read: its reason, its place and its content stand in the row."""
    whole = write_snapshot(snapshot())
    batches = list(measurer(ROOT)([files(("cluster=a/x.json", whole), ("cluster=b/bad.json", b'{"a":'))]))
    good, bad = (row for batch in batches for row in batch.to_pylist())

    assert all(batch.schema == measured_schema() for batch in batches)
    assert (good["path"], good["size_bytes"], good["cluster"]) == ("cluster=a/x.json", len(whole), "a")
    assert (good["reason"], good["bytes"]) == (None, None)
    assert good["taken_at"] == TAKEN
    assert len(good["brokers"]) == 2
    assert (bad["path"], bad["cluster"], bad["snapshot_id"]) == ("cluster=b/bad.json", "b", None)
    assert (bad["reason"] is not None, bad["bytes"], bad["brokers"]) == (True, b'{"a":', None)


def test_replicas_are_rows_in_the_order_of_the_lists() -> None:
    """One row a replica; what is not told is null."""
    read = read_landed(write_snapshot(snapshot()), "x.json")
    assert isinstance(read, Landed)
    (batch,) = replica_batches(read)

    assert batch.schema == arrow_schema("replicas", with_keys=True)
    assert [
        (r["topic"], r["partition"], r["position"], r["broker"], r["rack"], r["is_leader"], r["in_sync"],
         r["size_bytes"], r["leader"])
        for r in batch.to_pylist()
    ] == [
        ("orders", 0, 0, 1, "a", True, True, 10, 1),
        ("orders", 0, 1, 2, None, False, False, None, 1),
        ("orders", 1, 0, 2, None, None, None, 3, None),
    ]  # fmt: skip


def test_a_partition_without_a_leader_says_so() -> None:
    """-1 is nobody; null would be: not told."""
    layout = ClusterLayout.from_columns(
        topics=["orders"], topic_of=[0], partition=[0], replicas=[[1]], leader=[-1], brokers=[Broker(1)]
    )
    read = read_landed(write_snapshot(snapshot(layout=layout)), "x.json")
    assert isinstance(read, Landed)
    (row,) = next(iter(replica_batches(read))).to_pylist()

    assert (row["is_leader"], row["leader"], row["in_sync"]) == (False, -1, None)


def test_large_snapshots_come_in_several_batches() -> None:
    """All rows, once, in order."""
    count = 70_000
    layout = ClusterLayout.from_columns(
        topics=["orders"],
        topic_of=np.zeros(count, np.int32),
        partition=np.arange(count),
        replicas=np.ones((count, 1), np.int32),
        brokers=[Broker(1)],
    )
    content = write_snapshot(snapshot(layout=layout))
    batches = list(replica_reader(ROOT)([files(("cluster=a/x.json", content), ("cluster=a/bad.json", b"?"))]))

    assert len(batches) == 2
    assert pa.Table.from_batches(batches)["partition"].to_pylist() == list(range(count))
