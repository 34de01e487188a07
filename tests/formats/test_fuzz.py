"""Mutations of every form: a reading or a refusal in one sentence, never another exception, never a hang."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from reseat.errors import InputRefused
from reseat.formats import Limits, Reading, combine, read
from reseat.formats.sealed import read_sealed
from reseat.formats.snapshot import read_snapshot

#: Small limits, so that mutations meet them too.
_TIGHT = Limits(megabytes=1, depth=10, line_length=5_000, partitions=40, replicas=8, cells=200)
#: Longest that one text of a few kilobytes may take; a runaway expression takes far longer.
_SECONDS = 20.0

_PIECES = (
    b"99999999999999999999", b"-1", b"null", b"{", b"}", b"[", b"]", b'"', b"\\", b"\t", b"\n", b"\r", b",", b":",
    b"\x00", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\x1b[31m", b"[" * 200, b"{}", b"true", b"1e400", b"2147483648",
    b"Topic: ", b"Partition: ", b"Leader: none", b"Replicas: ", b"Isr: ", b"Elr: 5", b"Offline: 1", b"Configs:",
    b"PartitionCount: ", b'"partitions":', b'"replicas":[1]', b'"\\ud800"', b"get /brokers/topics/x",
    b"ls /brokers/ids", b"partition 0, leader 1, replicas: 1,1, isrs: 2",
    b" p0: [1] -> [2]", b"PARTITION  LEADER  REPLICAS\n0  1  [1]",
    b'{"reseat_snapshot":1,', b'"reseat":{"version":1},', b'"order_told":"1",', b'"before":[[1]],',
)  # fmt: skip
_SWAPS = (
    (b"\n", b""), (b"\t", b" "), (b'"', b""), (b"\n", b"\r\n"), (b":", b""), (b",", b", "), (b"0", b"0" * 11),
    (b"{", b"{\n"), (b"1", b"\xef\xbc\x91"), (b"-", b"\xe2\x88\x92"), (b" ", b"\xc2\xa0"),
)  # fmt: skip


def mutated(rng: random.Random, samples: list[bytes]) -> bytes:
    """One sample with a few pieces cut, doubled, moved, replaced or taken from another sample."""
    text = bytearray(rng.choice(samples))
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        start = rng.randrange(len(text) + 1)
        stop = min(len(text), start + rng.choice((1, 2, 5, 20, 200)))
        match rng.randrange(8):
            case 0:
                del text[start:stop]
            case 1:
                text[start:start] = rng.choice(_PIECES)
            case 2:
                text[start:stop] = rng.choice(_PIECES)
            case 3:
                text[start:start] = text[start:stop] * rng.choice((1, 2, 30))
            case 4:
                other = rng.choice(samples)
                place = rng.randrange(len(other))
                text[start:start] = other[place : place + rng.choice((10, 100, 1_000))]
            case 5:
                del text[start:]
            case 6:
                lines = bytes(text).split(b"\n")
                rng.shuffle(lines)
                text = bytearray(b"\n".join(lines))
            case _:
                text = bytearray(bytes(text).replace(*rng.choice(_SWAPS)))
    return bytes(text)


def sweep(seed: int, count: int, samples: list[bytes]) -> tuple[int, int]:
    """Read ``count`` mutations; (how many were read, how many refused)."""
    done: list[Reading] = []
    refused = 0
    sentences: set[str] = set()
    for number in range(count):
        rng = random.Random(seed * 1_000_003 + number)
        text = mutated(rng, samples)
        given = text if rng.random() < 0.7 else text.decode("utf-8", "replace")
        started = time.perf_counter()
        try:
            done.append(read(given, limits=_TIGHT if rng.random() < 0.3 else Limits()))
            if rng.random() < 0.1 and len(done) > 3:
                done.append(combine(rng.sample(done[-20:], 3)))
        except InputRefused as refusal:
            refused += 1
            sentences.add(str(refusal))
        assert time.perf_counter() - started < _SECONDS, (seed, number, text[:2_000])
    assert [sentence for sentence in sentences if not sentence.endswith((".", "?"))] == []
    return len(done), refused


def test_mutations_are_read_or_refused(samples: list[bytes]) -> None:
    """Five thousand mutations, the same each time."""
    read(b"topic,partition,replicas\na,0,1\n")  # loads the library of tables, which is no part of the time allowed

    done, refused = sweep(1, 5_000, samples)

    assert done > 200
    assert refused > 200


@pytest.mark.parametrize(("name", "door"), [("snapshot", read_snapshot), ("plan-sealed", read_sealed)])
def test_mutations_meet_the_strict_doors_too(
    name: str, door: Callable[..., object], sample: Callable[[str], str]
) -> None:
    """Two thousand mutations of a snapshot and of a sealed plan through their own readers."""
    sentences = []
    for number in range(2_000):
        text = mutated(random.Random(number), [sample(name).encode()])
        try:
            door(text, limits=_TIGHT)
        except InputRefused as refusal:
            sentences.append(str(refusal))

    assert len(sentences) > 1_000
    assert [sentence for sentence in sentences if not sentence.endswith((".", "?"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_mutations_are_read_or_refused(seed: int, samples: list[bytes]) -> None:
    """A hundred thousand mutations in ten runs."""
    read(b"topic,partition,replicas\na,0,1\n")

    done, refused = sweep(seed, 10_000, samples)

    assert done > 1_000
    assert refused > 1_000
