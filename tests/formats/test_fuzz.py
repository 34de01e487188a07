"""Mutations of every form: a reading or a refusal in one sentence, never another exception or a hang, no row lost."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from reseat.errors import InputRefused
from reseat.formats import read
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.snapshot import read_snapshot
from tests.formats.mutation import TIGHT, Round, corpus, mutated, run, unaccounted

_FOLDER = Path(__file__).parent / "texts"
#: Inputs of ``make soak``, in rounds of so many, for so many minutes at most.
_MILLION, _ROUND, _MINUTES = 1_000_000, 5_000, 60


def test_mutations_are_read_or_refused() -> None:
    """A thousand mutations at all doors, the same each time."""
    read(b"topic,partition,replicas\na,0,1\n")  # loads the library of tables, which is no part of the time allowed

    done = run(1, 1_000, corpus(_FOLDER))

    assert done.faults == []
    assert done.answered > 100
    assert done.refused > 100


@pytest.mark.parametrize(
    "whole",
    [
        "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
        "Topic: a\tPartition: 1\tLeader: 1\tReplicas: 1\tIsr: 1",
        '  topic "a" with 2 partitions:\n    partition 0, leader 1, replicas: 1, isrs: 1\n'
        "    partition 1, leader 1, replicas: 1, isrs: 1",
        "a p0: [1 2] -> [1]\na p1: [1 2] -> [1]",
        "topic,partition,replicas\na,0,1\na,1,2",
    ],
)
def test_the_oracle_tells_a_row_that_is_lost(whole: str) -> None:
    """It finds nothing in a whole reading, and the last line in that of a text without it."""
    lines = whole.split("\n")

    assert unaccounted(whole.encode(), read(whole)) == []
    assert unaccounted(whole.encode(), read("\n".join(lines[:-1]))) == [f"line {len(lines)}: ('a', 1)"]


@pytest.mark.parametrize(("name", "door"), [("snapshot", read_snapshot), ("plan-sealed", read_sealed)])
def test_mutations_meet_the_strict_doors_too(
    name: str, door: Callable[..., object], sample: Callable[[str], str]
) -> None:
    """Two thousand mutations of a snapshot and of a sealed plan through their own readers."""
    sentences = []
    for number in range(2_000):
        text = mutated(random.Random(number), [sample(name).encode()])
        try:
            door(text, limits=TIGHT)
        except InputRefused as refusal:
            sentences.append(str(refusal))

    assert len(sentences) > 1_000
    assert [sentence for sentence in sentences if not sentence.endswith((".", "?"))] == []


def _round(seed: int, until: float, folder: Path) -> Round:
    read(b"topic,partition,replicas\na,0,1\n")
    return run(seed, _ROUND, corpus(_FOLDER), until, at_hand=folder / str(seed))


@pytest.mark.slow
def test_a_million_mutations_are_read_or_refused_and_lose_no_row(
    record_property: Callable[[str, object], None], tmp_path: Path
) -> None:
    """Each round grows a corpus of its own, in a process whose memory is bound; an hour at most."""
    until = time.time() + 60 * _MINUTES
    with ProcessPoolExecutor(
        os.cpu_count(), mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        rounds = [pool.submit(_round, seed, until, tmp_path) for seed in range(2, 2 + _MILLION // _ROUND)]
        ended = [one.exception() for one in rounds]
    deadly = [f"{path.name}: {path.read_bytes()[:6_000]!r}" for path in tmp_path.iterdir()]

    assert deadly == []
    assert ended == [None] * len(rounds)

    done = [one.result() for one in rounds]
    answered, refused = sum(one.answered for one in done), sum(one.refused for one in done)
    record_property("read", answered)
    record_property("refused", refused)

    assert [fault for one in done for fault in one.faults] == []
    assert min(answered, refused) > 1_000
