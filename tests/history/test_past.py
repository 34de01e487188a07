"""One moment of the past as a whole snapshot: from its landed file, and where that is gone from the tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.balance.changes import changes
from reseat.errors import InputRefused
from reseat.formats.documents.snapshot import reading_of
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.history.past import snapshot_at
from reseat.history.read import History
from reseat.model import NONE, LogDirectory
from tests.history.made import FIRST_DAY, Made, history, write


@pytest.fixture
def made(tmp_path) -> Made:
    """A landing zone and the tables made of it."""
    return write(tmp_path)


def test_a_moment_is_what_its_landed_file_says(made):
    """The very snapshot that was landed, log directories and configurations included."""
    landed = made.snapshots["shop"][1]
    found = snapshot_at(History.open(made.tables), made.landing, "shop", made.ids("shop")[1])

    assert found.layout == landed.layout
    assert found.taken_at == landed.taken_at
    assert found.not_read == ()


def test_where_the_file_is_gone_the_tables_tell_it(made):
    """The layout comes from the tables: nothing changed to what was landed, and the snapshot says how it came."""
    for file in made.landing.rglob("*.json"):
        file.unlink()
    landed = made.snapshots["shop"][1]
    found = snapshot_at(History.open(made.tables), made.landing, "shop", made.ids("shop")[1])

    assert len(changes(landed.layout, found.layout)) == 0
    assert [broker.state for broker in found.layout.brokers] == [broker.state for broker in landed.layout.brokers]
    assert (found.cluster, found.taken_at, found.version) == ("shop", landed.taken_at, "4.1")
    assert "rebuilt from the tables" in found.not_read[0]
    assert any("rebuilt" in finding.sentence for finding in reading_of(found).findings)


def test_directories_come_from_the_tables_too(tmp_path):
    """Where each replica lies, what brokers tell of each directory, and which one is offline."""
    plain = history()["shop"][0]
    brokers = tuple(replace(one, offline_dirs=("/b",) if one.id == 2 else ()) for one in plain.layout.brokers)
    lies = np.where(plain.layout.replicas == NONE, NONE, plain.layout.replicas % 2).astype(np.int32)
    landed = replace(
        plain,
        layout=replace(plain.layout, brokers=brokers, log_dirs=("/a", "/b"), log_dir=lies),
        log_dirs=(LogDirectory(1, "/a", 9, 4, cordoned=True), LogDirectory(2, "/b", error="KAFKA_STORAGE_ERROR")),
        under_way_told=False,
    )
    made = write(tmp_path, {"shop": (landed,)})
    for file in made.landing.rglob("*.json"):
        file.unlink()
    found = snapshot_at(History.open(made.tables), made.landing, "shop", made.ids("shop")[0])

    assert (found.log_dirs, found.under_way_told) == (landed.log_dirs, False)
    assert found.layout.brokers == brokers
    assert found.layout.log_dir is not None
    assert found.layout.log_dir.tolist() == lies.tolist()


def test_a_file_that_holds_another_snapshot_is_not_taken_for_it(made):
    """A landed file that somebody changed is told by its identity, and the tables count."""
    first, second = made.snapshots["shop"][:2]
    path = next(made.landing.rglob("20260501T151000*.json"))
    path.write_bytes(write_snapshot(first))
    found = snapshot_at(History.open(made.tables), made.landing, "shop", made.ids("shop")[1])

    assert found.taken_at == second.taken_at
    assert "holds another snapshot than the ingested one" in found.not_read[0]


def test_a_damaged_file_is_no_trouble_where_the_tables_are_whole(made):
    """What cannot be read is told from the tables too."""
    next(made.landing.rglob("20260501T151000*.json")).write_text("{")
    found = snapshot_at(History.open(made.tables), made.landing, "shop", made.ids("shop")[1])

    assert "rebuilt from the tables" in found.not_read[0]


def test_a_moment_that_nobody_knows_is_refused_in_words(made):
    """Thinned out or never taken in: a sentence that names cluster and snapshot."""
    with pytest.raises(InputRefused, match="No snapshot abc of cluster shop is in the tables"):
        snapshot_at(History.open(made.tables), made.landing, "shop", "abc")


def test_tables_that_lack_replicas_are_not_taken_for_a_layout(made):
    """File gone and rows missing: refused in words, instead of a layout with holes."""
    for file in made.landing.rglob("*.json"):
        file.unlink()
    for file in (made.tables / "topic_spread" / "cluster=shop" / f"day={FIRST_DAY}").iterdir():
        file.unlink()

    with pytest.raises(InputRefused, match="The saved file no longer exists"):
        snapshot_at(History.open(made.tables), made.landing, "shop", made.ids("shop")[1])
