"""Placing replicas as Kafka does, and working back from lists to draws.

Times are the best of three where three are taken; nothing is asserted.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from reseat.model import Broker, ClusterLayout
from reseat.placement import JavaRandom, Tool, infer, place_kraft, place_striped, propose

_ROUNDS = 3
_TOPICS, _PARTITIONS, _FACTOR = 10_000, 20, 3


def run() -> list[tuple[str, str, str]]:
    """What, budget and measured; at most some 40 seconds."""
    plain = [Broker(i) for i in range(1_000)]
    racked = [Broker(i, f"rack-{i % 20}") for i in range(1_000)]
    # Nearly all brokers in two racks and one in a third: the longest walks.
    lopsided = [Broker(i, "a" if i < 500 else "b" if i < 999 else "c") for i in range(1_000)]
    million = 1_000_000
    rows = [
        (
            "striped, 1,000,000 partitions over 1,000 brokers",
            "0.2 s",
            _best(lambda: place_striped(plain, million, _FACTOR, start=5, shift=7)),
        ),
        (
            "the same in 20 racks",
            "1 s",
            _best(lambda: place_striped(racked, million, _FACTOR, start=5, shift=7)),
        ),
        (
            "the same in racks of 500, 499 and 1",
            "-",
            _best(lambda: place_striped(lopsided, million, _FACTOR, start=5, shift=7), 1),
        ),
        (
            "KRaft, 1,000,000 partitions over 1,000 brokers",
            "-",
            _best(lambda: place_kraft(plain, million, _FACTOR, draws=JavaRandom(1)), 1),
        ),
        (
            "KRaft, 100,000 partitions in 20 racks",
            "-",
            _best(lambda: place_kraft(racked, million // 10, _FACTOR, draws=JavaRandom(1)), 1),
        ),
    ]
    for brokers, racks in ((60, 6), (1_000, 20)):
        for kind in ("striped", "a fifth moved", "random"):
            layout = _cluster(brokers, racks, kind)
            started = time.perf_counter()
            found = infer(layout)
            took = time.perf_counter() - started
            kinds = ", ".join(f"{number:,} {kind.value}" for kind, number in Counter(one.kind for one in found).items())
            what = f"inference, {_TOPICS:,} topics, {_TOPICS * _PARTITIONS:,} partitions, {brokers:,} brokers, {kind}"
            rows.append((what, "10 s", f"{took:.2f} s ({kinds})"))
    layout = _cluster(60, 6, "striped")
    for tool in Tool:
        what = f"--generate of {_TOPICS * _PARTITIONS:,} partitions on 59 of 60 brokers, {tool.value}"
        proposing = partial(propose, layout, range(1, 60), draws=JavaRandom(1), tool=tool)
        rows.append((what, "-", _best(proposing, 1)))
    return rows


def _best(call: Callable[[], object], rounds: int = _ROUNDS) -> str:
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return f"{best:.3f} s"


def _cluster(brokers: int, racks: int, kind: str) -> ClusterLayout:
    rng = random.Random(1)
    known = [Broker(i, f"rack-{i % racks}") for i in range(brokers)]
    lists = []
    for _ in range(_TOPICS):
        start, shift = rng.randrange(brokers), rng.randrange(brokers)
        placed = place_striped(known, _PARTITIONS, _FACTOR, start=start, shift=shift).replicas.copy()
        moved = {"striped": 0, "a fifth moved": _PARTITIONS // 5, "random": _PARTITIONS}[kind]
        for row in rng.sample(range(_PARTITIONS), moved):
            placed[row] = rng.sample(range(brokers), _FACTOR)
        lists.append(placed)
    return ClusterLayout.from_columns(
        topics=[f"t{number:05}" for number in range(_TOPICS)],
        topic_of=np.repeat(np.arange(_TOPICS), _PARTITIONS),
        partition=np.tile(np.arange(_PARTITIONS), _TOPICS),
        replicas=np.concatenate(lists),
        brokers=known,
    )
