"""What a run asks the file system grows with what is new, and not with the fleet whose tables it adds to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reseat.history import folder
from reseat.history.folder import Folder
from reseat.sources.landing import land
from tests.pipeline.moments import put
from tests.pipeline.running import run
from tests.pipeline.test_exactly_once import SHOP

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

#: What goes to the file system, one request or more each; besides, ``scan`` and ``level`` list a folder.
_CALLS = (
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

    def listing(name: str) -> Any:
        plain = getattr(folder, name)

        def call(path: str, *given: object) -> object:
            counted[next(part for part in Path(path).parts if part in ("landing", "tables")), name] += 1
            return plain(path, *given)

        return call

    with pytest.MonkeyPatch.context() as patched:
        for name in _CALLS:
            patched.setattr(Folder, name, counting(name))
        for name in ("scan", "level"):
            patched.setattr(folder, name, listing(name))
        yield counted


def fleet(spark: SparkSession, home: Path, clusters: int) -> tuple[Folder, Folder]:
    """A landing zone and tables of so many clusters with one snapshot each."""
    landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
    for number in range(clusters):
        land(SHOP[0], landing, f"c{number:02}")
    run(spark, landing, tables)
    return landing, tables


def next_run(spark: SparkSession, landing: Folder, tables: Folder, new: int) -> Counter[tuple[str, str]]:
    """The calls of a run over the next snapshot of so many clusters, on the same day; Spark writes their rows."""
    put(landing, *(replace(SHOP[1], cluster=f"c{number:02}") for number in range(new)), large=True)
    with calls() as counted:
        assert run(spark, landing, tables).taken == new
    return counted


def test_calls_grow_with_what_is_new(spark: SparkSession, tmp_path: Path) -> None:
    """Each new snapshot adds one listing and the moves of its own files, whatever the size of the fleet.

    Listing the landing zone is the one thing that takes a call a folder.
    """
    small = next_run(spark, *fleet(spark, tmp_path / "small", 2), 1)
    large = next_run(spark, *fleet(spark, tmp_path / "large", 5), 2)
    files_each = small["tables", "move"] - 1  # beside the ledger's one

    assert (small.pop(("landing", "scan")), large.pop(("landing", "scan"))) == (2, 5)
    assert large - small == {("tables", "level"): 1, ("tables", "move"): files_each}
    assert small - large == {}
