"""What a run asks the file system grows with what is new, and not with the fleet whose tables it adds to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reseat.history.folder import Folder
from reseat.pipeline.ingest import run
from reseat.sources.landing import land
from tests.pipeline.moments import MOMENTS, snapshot_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHOP = tuple(snapshot_of(moment) for moment in MOMENTS if moment.cluster == "shop")
#: What goes to the file system, one request or more each.
_CALLS = (
    "_listed",
    "_level",
    "exists",
    "read",
    "write",
    "create",
    "move",
    "delete",
    "delete_folder",
    "delete_empty",
)


@contextmanager
def calls() -> Iterator[Counter[tuple[str, str]]]:
    """Counts the driver's calls by the folder's last name and what is asked."""
    counted: Counter[tuple[str, str]] = Counter()

    def counting(name: str) -> Any:
        plain = getattr(Folder, name)

        def call(self: Folder, *given: object, **named: object) -> object:
            counted[Path(self.where).name, name] += 1
            return plain(self, *given, **named)

        return call

    with pytest.MonkeyPatch.context() as patched:
        for name in _CALLS:
            patched.setattr(Folder, name, counting(name))
        yield counted


def fleet(spark: SparkSession, home: Path, clusters: int) -> tuple[Folder, Folder]:
    """A landing zone and tables of so many clusters with one snapshot each."""
    landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
    for number in range(clusters):
        land(SHOP[0], landing, f"c{number:02}")
    run(spark, landing, tables)
    return landing, tables


def next_run(spark: SparkSession, landing: Folder, tables: Folder, new: int) -> Counter[tuple[str, str]]:
    """The calls of a run over the next snapshot of so many clusters, on the same day."""
    for number in range(new):
        land(replace(SHOP[1], cluster="x"), landing, f"c{number:02}")
    with calls() as counted:
        assert run(spark, landing, tables).taken == new
    return counted


def test_calls_grow_with_what_is_new(spark: SparkSession, tmp_path: Path) -> None:
    """Each new snapshot adds one listing and the moves of its own files, whatever the size of the fleet.

    Listing the landing zone is the one thing that takes a call a folder.
    """
    small = next_run(spark, *fleet(spark, tmp_path / "small", 3), 2)
    large = next_run(spark, *fleet(spark, tmp_path / "large", 9), 4)
    files_each = (small["tables", "move"] - 1) // 2  # beside the ledger's one

    assert (small.pop(("landing", "_listed")), large.pop(("landing", "_listed"))) == (3, 9)
    assert large - small == {("tables", "_level"): 2, ("tables", "move"): 2 * files_each}
    assert small - large == {}
