"""Memory in reading is bound by the limits: what is small and would swell meets a process without room for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent
#: Megabytes of one text, and of the room for reading it beside what the process has once its libraries are there. A
#: text that became objects value by value would need some 25 times its size.
_MEGABYTES, _ROOM = 12, 200
#: What is accepted there: in proportion to the room as the limits of every day are to a machine's memory.
_LIMITS = (
    "Limits(megabytes=16, partitions=50_000, cells=500_000, documents=10_000, lines=10_000, values=200_000, "
    "keys=10_000, topics=10_000, brokers=10_000)"
)

_SCRIPT = """
import os, resource, sys
sys.path.insert(0, {folder!r})
import pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.parquet
import reseat.formats.tables.table, swellings
from reseat.errors import InputRefused
from reseat.formats import Limits, read, read_racks
from reseat.formats.text.reassignment import read_document
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.tables.table import read_csv, read_parquet

pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)
read(reseat.formats.tables.table.write_parquet(read(b"topic,partition,replicas\\na,0,1;2\\n").layout))

def throw(name, data):
    held = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (held + {room} * 1_000_000,) * 2)
    for door in ({doors},):
        try:
            door(data, limits={limits})
        except InputRefused as refusal:
            if "alloc" in str(refusal) or len(str(refusal)) > 2_000:
                print(name, door.__name__, str(refusal)[:200], flush=True)
        except BaseException as fault:
            print(name, door.__name__, type(fault).__name__, str(fault)[:200], flush=True)

count = 0
for name, data in swellings.{things}:
    count += 1
    child = os.fork()  # so that what one text leaves behind is no room for the next
    if not child:
        throw(name, data)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(name, "ended with", status, flush=True)
print("done", count)
"""


def _thrown(things: str, doors: str, limits: str) -> list[str]:
    script = _SCRIPT.format(folder=str(_FOLDER), things=things, doors=doors, limits=limits, room=_ROOM)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=3_600,
        # Threads and pools that reserve address space on their own would blur what reading takes.
        env=os.environ | {"MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout.splitlines()


def test_no_parquet_file_swells_whatever_its_encoding() -> None:
    """Names told 300,000 times, names of a megabyte packed away, lists of millions: with the limits of every day."""
    *faults, last = _thrown("parquets()", "read, read_parquet", "Limits()")

    assert faults == []
    assert last.startswith("done ")


@pytest.mark.slow
def test_no_text_swells_whatever_its_form() -> None:
    """JSON of nothing but brackets, headers without rows, quotes, cells, documents: at every reader."""
    *faults, last = _thrown(
        f"texts({_MEGABYTES}_000_000)", "read, read_sealed, read_snapshot, read_racks, read_document, read_csv", _LIMITS
    )

    assert faults == []
    assert last.startswith("done ")


def test_texts_that_swell_most_are_bound_too() -> None:
    """The same with the worst of them, at the door through which uploads come."""
    worst = {"topic node: pairs", "kcat, topics: texts", "Cruise Control: objects", "keys", "CSV, brokers", "documents"}
    *faults, last = _thrown(f"texts({_MEGABYTES}_000_000, {worst!r})", "read", _LIMITS)

    assert faults == []
    assert last == f"done {len(worst)}"
