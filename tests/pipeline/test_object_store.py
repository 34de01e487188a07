"""The same on S3 and ABFS: land, run, plain read, compact, thin out; real services, reached as any other is."""

from __future__ import annotations

from pathlib import Path

import pytest

from reseat.history.folder import Folder
from reseat.sources.landing import land
from tests.history import made
from tests.pipeline import plain
from tests.pipeline.in_object_store import reseat
from tests.servers.object_store import ObjectStore

pytestmark = [pytest.mark.slow, pytest.mark.spark]


@pytest.mark.parametrize("at", ["service", "azure"])
def test_landed_run_read_compacted_and_thinned_out(request: pytest.FixtureRequest, at: str, tmp_path: Path) -> None:
    """The tables are those that a local folder holds; what runs twice changes nothing."""
    was = made.write(tmp_path / "local", swept=False)
    service: ObjectStore = request.getfixturevalue(at)
    landing, tables = (Folder.open(f"{service.url}/{one}") for one in ("landing", "tables"))
    for cluster, snapshots in was.snapshots.items():
        for one in (*snapshots, snapshots[0]):
            land(one, landing, cluster)
    assert [one.path for one in landing.files()] == [one.path for one in Folder.open(was.landing).files()]
    landing.write("cluster=shop/torn.json", b"{")

    told = reseat(service, "run", "--landing", landing.where)
    assert "6 snapshots ingested" in told
    assert "1 file could not be read" in told
    rows = plain.rows(tables)
    assert len(rows.pop("rejected")) == 1
    assert rows | {"rejected": []} == plain.rows(Folder.open(was.tables))
    assert "No new file" in reseat(service, "run", "--landing", landing.where)

    reseat(service, "compact")
    assert "Nothing to compact" in reseat(service, "compact")
    compacted = plain.rows(tables)
    assert len(compacted.pop("rejected")) == 1
    assert compacted == rows

    reseat(service, "retain", "--keep-days", "1")
    kept = {
        cluster: (snapshots[len(snapshots) // 2 - 1], snapshots[-1]) for cluster, snapshots in was.snapshots.items()
    }
    thinned = plain.rows(tables)
    assert len(thinned.pop("rejected")) == 1
    assert thinned | {"rejected": []} == plain.rows(
        Folder.open(made.write(tmp_path / "kept", kept, swept=False).tables)
    )
    assert not [one for one in tables.folders("_reseat") if one != "ledger"]
