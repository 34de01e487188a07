"""Elections at the size of the design: a rack fails, a sequence is walked, and a majority system stands beside it.

Times are the best of three: the machine is shared. Nothing is asserted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reseat.demo.generate import generate
from reseat.election import Mode, Move, MoveKind, against_majority, elect_leaders, stop, unclean, walk
from reseat.model import ClusterLayout

ROUNDS = 3
#: Three stops, a return and an election.
STORY = (
    Move(MoveKind.STOP, (3,)),
    Move(MoveKind.STOP, (5,)),
    Move(MoveKind.RETURN, (3,)),
    Move(MoveKind.PREFERRED),
)


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    made = generate(1_000, 1_000_000, 3, 20, lagging=0.01)
    least = np.full(len(made.topics), 2, np.int32)
    old = replace(made, min_in_sync=least)
    nobody = np.zeros(made.replicas.shape, np.bool_)
    new = replace(old, eligible=nobody, last_known_eligible=nobody)
    rack = [broker.id for broker in made.brokers if broker.rack == made.racks[0]]
    rows: list[tuple[str, str, str]] = []
    controllers: tuple[tuple[str, ClusterLayout, Mode], ...] = (
        ("ZooKeeper", old, "zookeeper"),
        ("KRaft with ELR", new, "kraft"),
    )
    for name, layout, mode in controllers:
        work: tuple[tuple[str, str, Callable[[ClusterLayout, Mode], object]], ...] = (
            ("failure of one rack", "0.5 s", lambda one, mode: stop(one, rack, mode=mode)),
            ("the same, unclean allowed", "0.5 s", lambda one, mode: stop(one, rack, unclean=True, mode=mode)),
            ("a sequence of four steps", "-", lambda one, mode: walk(one, STORY, mode=mode)),
            ("against a majority", "-", lambda one, mode: against_majority(one, rack, mode)),
            ("unclean election of all", "-", unclean),
            ("ElectLeaders of all", "-", lambda one, mode: elect_leaders(one, "preferred", None, mode)),
        )
        rows += [
            (f"1,000,000 partitions, 20 racks, {name}: {what}", budget, _time(call, layout, mode))
            for what, budget, call in work
        ]
    return rows


def _time(call: Callable[[ClusterLayout, Mode], object], layout: ClusterLayout, mode: Mode) -> str:
    best = float("inf")
    for _ in range(ROUNDS):
        cold = replace(layout)  # the same columns, nothing derived from them yet
        started = time.perf_counter()
        call(cold, mode)
        best = min(best, time.perf_counter() - started)
    return f"{best * 1000:,.0f} ms"
