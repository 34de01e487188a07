"""The registry of columns: it lists all of them, and what goes by it says what it always said."""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from reseat.errors import LayoutInvalid
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.model import Broker, BrokerState, ClusterLayout, Snapshot
from reseat.model.columns import BESIDE_ISR, COLUMNS, MASKS

YES, NO = True, False


def told_in_full(**other: Any) -> ClusterLayout:
    """Two topics and three partitions of which every column is told."""
    columns = {
        "topics": ["b", "a"],
        "topic_of": [0, 1, 1],
        "partition": [3, 1, 0],
        "replicas": [[1, 2, -1], [2, 3, 1], [3, 1, 2]],
        "brokers": [Broker(1, "r1", "h", 9092, BrokerState.ALIVE), Broker(7)],
        "leader": [1, -1, -2],
        "leader_epoch": [5, -2, 0],
        "in_sync": [[YES, NO, NO], [YES, YES, NO], [NO, NO, NO]],
        "in_sync_told": [YES, YES, NO],
        "eligible": [[NO, YES, NO]] * 3,
        "last_known_eligible": [[YES, NO, NO]] * 3,
        "observers": [[NO, YES, NO]] * 3,
        "log_dir": [[0, 1, -1], [1, -1, 0], [0, 0, 0]],
        "log_dirs": ["/y", "/x"],
        "min_in_sync": [2, -1],
        "topic_ids": ["b" * 22, ""],
        "order_told": [YES, NO],
        "size_bytes": [[1.0, 2.0, np.nan], [3.5, np.nan, 1.0], [0.0, 1.0, 2.0]],
        "adding": [[NO, YES, NO], [NO, NO, NO], [NO, NO, YES]],
        "removing": [[YES, NO, NO], [NO, NO, NO], [NO, YES, NO]],
    }
    return ClusterLayout.from_columns(**(columns | other))


def told_in_part() -> ClusterLayout:
    """The same with one size a partition, and without what few sources tell."""
    absent = ("leader", "leader_epoch", "topic_ids", "log_dir", "in_sync", "in_sync_told", "eligible", "adding")
    return told_in_full(**dict.fromkeys(absent), size_bytes=[1.0, 2.0, np.nan])


def test_every_array_of_a_layout_is_in_the_registry() -> None:
    """A field that no check, merge or file knew of would be lost on the way."""
    layout = told_in_full()
    arrays = {one.name for one in fields(layout) if isinstance(getattr(layout, one.name), np.ndarray)}

    assert arrays == set(COLUMNS) == set(layout.columns())
    assert ("in_sync", *BESIDE_ISR) == MASKS
    assert not any(column.flags.writeable for column in layout.columns().values())


@pytest.mark.parametrize(
    ("layout", "digest", "named", "written"),
    [
        (
            told_in_full(),
            "0645366a36799077e4f75d90e5e2edfe",
            "3e1f1c6dde44849c517324432d91b6b0",
            "a646a189547bf2ae458f859d9838c4c2",
        ),
        (
            told_in_part(),
            "35da4a5a2a4e934aecf2ddb7bd14346b",
            "80bc5098e797fbb381a591de3e44c03d",
            "de4d8694d08438cf9d4fc2928d2230df",
        ),
        (
            told_in_full().target(),
            "669d5f193506f5c864bdd7f188483c2c",
            "64d480e324a968011be38ff8b15c1e13",
            "b40568fd64ff98aea46a4f4f3013638f",
        ),
        (
            told_in_full().select(np.array([0, 2])),
            "ebda0f2ac84b632581bee5334904d437",
            "855c9818ad79025b44613be9feff3453",
            "f0ab756f5c861736b689c9d9a6dfb346",
        ),
    ],
    ids=["in full", "in part", "target", "select"],
)
def test_digests_identities_and_files_are_those_of_ever(
    layout: ClusterLayout, digest: str, named: str, written: str
) -> None:
    """Links name layouts by digests and tables name snapshots by identities: none of them may change."""
    snapshot = Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "admin")
    text = write_snapshot(snapshot)

    assert layout.digest == digest
    assert identity(snapshot) == named
    assert hashlib.blake2b(text, digest_size=16).hexdigest() == written
    assert read_snapshot(text).layout == replace(layout, gaps=read_snapshot(text).layout.gaps)


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_a_column_of_a_wrong_shape_or_type_is_refused_by_its_name(name: str) -> None:
    """Each column, one entry too long, and as texts."""
    layout = told_in_full()
    column = layout.columns()[name]

    with pytest.raises(LayoutInvalid, match=f"Column {name} has shape" if name != "replicas" else "has shape"):
        replace(layout, **{name: np.concatenate([column, column])})
    with pytest.raises(LayoutInvalid, match=f"Column {name} has type"):
        replace(layout, **{name: column.astype(np.str_)})


@pytest.mark.parametrize("name", [name for name, column in COLUMNS.items() if column.into])
def test_a_position_outside_of_what_it_points_into_is_refused(name: str) -> None:
    """One beyond the last, and one below the least."""
    layout = told_in_full()

    for wrong in (99, COLUMNS[name].least - 1):
        with pytest.raises(LayoutInvalid, match=f"Column {name} holds a position outside the"):
            replace(layout, **{name: np.full_like(layout.columns()[name], wrong)})


def test_a_column_that_no_layout_has_is_refused() -> None:
    """A name with a slip of the pen does not vanish."""
    with pytest.raises(TypeError, match="'in_synk'"):
        told_in_full(in_synk=None)
