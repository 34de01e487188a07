"""Finding the new files of a landing zone: 200,000 landed files of 1,000 clusters, of which 1,000 are new.

The ledger knows three months of them, compacted, and of the last month a day's files of a run every ten minutes beside
that: a seventh of what is landed. Nothing is asserted.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from reseat.history.folder import FileFact, Folder
from reseat.pipeline.ledger import LEDGER, LEDGER_SCHEMA, name_of, token_of, unread_among
from reseat.sources.landing import landed_pieces

CLUSTERS, FILES, OLD = 1_000, 200, 1_300_000
RUNS = 144
MONTHS = ("2020-01", "2020-02", "2020-03")
NOW = "2020-04"


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    with tempfile.TemporaryDirectory(prefix="reseat-bench-") as home:
        landing, tables = Folder.open(Path(home) / "landing"), Folder.open(Path(home) / "tables")
        new = _laid_out(landing, tables)
        began = time.perf_counter()
        listed = sum(len(piece) for piece in landed_pieces(landing))
        listing = time.perf_counter() - began
        began = time.perf_counter()
        found = sum(len(unread_among(tables, piece)) for piece in landed_pieces(landing))
        both = time.perf_counter() - began
    rows = (len(MONTHS) * OLD + listed - new) / 1e6
    return [
        (f"listing {listed:,} landed files of {CLUSTERS:,} clusters", "-", f"{listing:.2f} s"),
        (f"  and finding {found:,} new ones by a ledger of {rows:.1f} million rows", "-", f"{both:.2f} s"),
    ]


def _laid_out(landing: Folder, tables: Folder) -> int:
    """Lay out both, and say how many files are new."""
    for month, named in enumerate(MONTHS):
        old = [FileFact(f"cluster=c{n % CLUSTERS:04d}/2020{month}{n}", n, n) for n in range(OLD)]
        _written(tables, f"month={named}/old", sorted(old, key=name_of))
    changed = 1_586_000_000_000_000_000  # in April 2020
    for cluster in range(CLUSTERS):
        folder = Path(landing.path(f"cluster=c{cluster:04d}"))
        folder.mkdir(parents=True)
        for number in range(FILES):
            file = folder / f"20200404T{number:06d}.000000Z-{cluster:016x}{number:016x}.json"
            file.touch()
            os.utime(file, ns=(changed, changed))
    files = [file for piece in landed_pieces(landing) for file in piece]
    new, loose = files[FILES // 2 :: FILES], files[::7]
    known = sorted(set(files) - {*new, *loose}, key=name_of)
    _written(tables, f"month={NOW}/compacted", known)
    for number in range(RUNS):
        _written(tables, f"month={NOW}/run-{number}", sorted(set(loose[number::RUNS]) - set(new), key=name_of))
    return len(new)


def _written(tables: Folder, path: str, files: Sequence[FileFact]) -> None:
    columns = [list(map(name_of, files)), list(map(token_of, files)), ["taken"] * len(files)]
    ids = [f"{number:032x}" for number in range(len(files))]
    rows = pa.table([*columns, ids], schema=LEDGER_SCHEMA)
    place = Path(tables.path(f"{LEDGER}/{path}.parquet"))
    place.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(rows, place, compression="zstd", row_group_size=100_000)
