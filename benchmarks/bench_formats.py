"""Reading and writing layouts of a million partitions, beside orjson and polars measured in the same run.

Every measurement is a process of its own, so that peak memory is that of one piece of work. Memory is the growth of
the peak over what the process held before, the text itself included in neither. Times are the best of three: the
machine is shared. The CSV reader and its yardstick, polars with its defaults over the same bytes, take turns, three
processes each. Nothing is asserted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reseat.model import ClusterLayout, Plan

PARTITIONS = 1_000_000
BROKERS = 1_000
ROUNDS = 3


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    rows: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder)
        made = _in_process("make", texts)
        rows.append(
            (f"generate {BROKERS:,} brokers, {PARTITIONS:,} partitions", "about 1 s", f"{made['generate']:.2f} s")
        )
        for what, path in (("plain", "plain.json"), ("with log_dirs", "dirs.json")):
            parse, read = _in_process("orjson", texts / path), _in_process("document", texts / path)
            rows.append(
                (
                    f"read reassignment JSON, {what}, {(texts / path).stat().st_size / 1e6:.0f} MB",
                    f"orjson {parse['seconds']:.2f} s, {parse['megabytes']:.0f} MB",
                    f"{_figures(read)}, {read['seconds'] / parse['seconds']:.2f} x orjson",
                )
            )
        replicas = texts / "replicas.csv"
        yardstick, reading = _in_turn(("polars", replicas), ("csv", replicas))
        for what, path, budget in (
            ("3,000,000 replicas", "replicas.csv", f"2 x polars: {2 * yardstick['seconds']:.2f} s"),
            ("3,000,000 replicas, cell by cell", "odd.csv", "1 GB"),
            ("1,000,000 partitions", "partitions.csv", "1 GB"),
        ):
            read = reading if path == replicas.name else _in_process("csv", texts / path)
            ratio = f", {read['seconds'] / yardstick['seconds']:.2f} x polars" if "polars" in budget else ""
            rows.append(
                (
                    f"read CSV, {what}, {(texts / path).stat().st_size / 1e6:.0f} MB",
                    budget,
                    _figures(read) + ratio,
                )
            )
        rows.append(
            ("read Parquet, 3,000,000 replicas", "1 GB", _figures(_in_process("parquet", texts / "replicas.parquet")))
        )
        rows += [
            (
                f"read {what}, {(texts / path).stat().st_size / 1e6:.0f} MB",
                budget,
                _figures(_in_process(reader, texts / path)),
            )
            for what, path, reader, budget in (
                ("a plan of 1,000,000 partitions with its key", "sealed.json", "sealed", ""),
                ("snapshot of 1,000,000 partitions", "snapshot.json", "snapshot", ""),
            )
        ]
        rows += [(f"write {name}", "", f"{seconds:.2f} s") for name, seconds in made.items() if name != "generate"]
    return rows


def _figures(measured: dict[str, float]) -> str:
    return f"{measured['seconds']:.2f} s, {measured['megabytes']:.0f} MB"


def _in_turn(*pieces: tuple[str, Path]) -> list[dict[str, float]]:
    """The best time and largest memory of several processes of each piece, in turn: a busy moment meets all alike."""
    rounds = [[_in_process(what, path) for what, path in pieces] for _ in range(ROUNDS)]
    return [
        {name: best(measured[name] for measured in runs) for name, best in (("seconds", min), ("megabytes", max))}
        for runs in zip(*rounds, strict=True)
    ]


def _in_process(what: str, path: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_formats", what, str(path)], capture_output=True, text=True, check=True
    )
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


# ---- inside the process that is measured -------------------------------------------------------------------


def _make(folder: Path) -> dict[str, float]:
    """Write the texts; the seconds that each took."""
    from reseat.demo.generate import generate
    from reseat.formats.documents.snapshot_writer import write_snapshot
    from reseat.formats.documents.writers import write_describe, write_layout_reassignment, write_reassignment
    from reseat.formats.tables.table import write_csv, write_parquet
    from reseat.model import Snapshot

    started = time.perf_counter()
    layout = generate(BROKERS, PARTITIONS, 3, 20)
    plan = _plan_of_all(layout)
    seconds = {"generate": time.perf_counter() - started}
    for name, path, write in (
        ("reassignment JSON", "plain.json", lambda: write_layout_reassignment(layout).encode()),
        ("a plan that changes all partitions", "plan.json", lambda: write_reassignment(plan, sealed=False).encode()),
        ("the same with its key", "sealed.json", lambda: write_reassignment(plan).encode()),
        ("snapshot", "snapshot.json", lambda: write_snapshot(Snapshot(layout, datetime.now(UTC), "admin"))),
        ("describe text", "describe.txt", lambda: write_describe(layout).encode()),
        ("CSV, one row a replica", "replicas.csv", lambda: write_csv(layout)),
        ("CSV, one row a partition", "partitions.csv", lambda: write_csv(layout, per="partition")),
        ("Parquet", "replicas.parquet", lambda: write_parquet(layout)),
    ):
        started = time.perf_counter()
        data = write()
        seconds[name] = time.perf_counter() - started
        (folder / path).write_bytes(data)
    plain = (folder / "plain.json").read_bytes()
    (folder / "dirs.json").write_bytes(plain.replace(b"]},", b'],"log_dirs":["any","any","any"]},'))
    (folder / "odd.csv").write_bytes((folder / "replicas.csv").read_bytes() + b"odd,x,0,1\n")
    return seconds


def _plan_of_all(layout: ClusterLayout) -> Plan:
    """Every list the other way round: the largest text that a plan of this layout can be."""
    from reseat.model import Certificate, Plan, Wish

    proposed = layout.bare(layout.replica_ids[:, ::-1])
    return Plan(layout, proposed, Certificate(wish=Wish(), moves=0))


def _work(what: str, data: bytes) -> Callable[[], object]:
    """What to measure; everything it needs is imported first."""
    if what == "orjson":
        import orjson

        return lambda: orjson.loads(data)
    if what == "polars":
        import polars

        return lambda: polars.read_csv(data)
    import pyarrow.compute
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401

    from reseat.formats.documents.sealed import read_sealed
    from reseat.formats.documents.snapshot import read_snapshot
    from reseat.formats.tables.table import read_csv, read_parquet
    from reseat.formats.text.reassignment import read_document

    read = {
        "document": read_document,
        "csv": read_csv,
        "parquet": read_parquet,
        "sealed": read_sealed,
        "snapshot": read_snapshot,
    }[what]
    return lambda: read(data)


def _measured(what: str, path: Path) -> dict[str, float]:
    import psutil

    data = path.read_bytes()
    work = _work(what, data)
    before = psutil.Process().memory_info().rss
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        kept = work()
        best = min(best, time.perf_counter() - started)
        del kept
    return {"seconds": best, "megabytes": (_peak() - before) / 1e6}


def _peak() -> float:
    """The largest resident size so far, in bytes."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else peak * 1024)


if __name__ == "__main__":
    name, where = sys.argv[1], Path(sys.argv[2])
    print(json.dumps(_make(where) if name == "make" else _measured(name, where)))
