"""A Parquet file with one byte changed, each byte of its footer in turn: read or refused, and the process lives.

A library may end the process instead of raising an error; so another process reads.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Literal

import pytest

from reseat.errors import InputRefused
from reseat.formats import read
from reseat.formats.tables.table import read_parquet, write_parquet

_TEXT = b"topic,partition,replicas,leader,isr,size_bytes\na,0,1;2,1,1;2,5;6\na,1,2;3,2,2,7\nb-1,7,3;1;2,-1,none,\n"


def _sweep(file: bytes, both: bool) -> tuple[int, int, list[str]]:
    """How many were read and refused, and what ended otherwise, with the place; one change of a byte, or both."""
    length = int.from_bytes(file[-8:-4], "little")
    counts, faults = [0, 0], []
    for at in range(len(file) - 8 - length, len(file) - 8):
        for change in (1, 6) if both else (1, 6)[at % 2 :][:1]:
            damaged = bytearray(file)
            damaged[at] ^= change
            try:
                read_parquet(bytes(damaged))
                counts[0] += 1
            except InputRefused:
                counts[1] += 1
            except Exception as fault:  # noqa: BLE001  # what is looked for
                faults.append(f"byte {at} ^ {change}: {type(fault).__name__} {fault}")
    return counts[0], counts[1], faults


@pytest.fixture(scope="module")
def another() -> Iterator[ProcessPoolExecutor]:
    """One process for both: it imports all that reads, which takes a third of the time."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("both", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("per", ["replica", "partition"])
def test_no_changed_byte_of_a_footer_ends_the_process(
    another: ProcessPoolExecutor, per: Literal["replica", "partition"], *, both: bool
) -> None:
    """Two changes in turn, or both of each byte among the long ones; some are harmless, most are refused."""
    file = write_parquet(read(_TEXT).layout, per=per)

    read_so, refused, faults = another.submit(_sweep, file, both).result()

    assert faults == []
    assert read_so > 100
    assert refused > 100
