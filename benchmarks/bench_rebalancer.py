"""Reseat beside Meta's Rebalancer (OSDI'24, from PyPI, Apache 2.0), asked for the same drain and the same rebalance.

Rebalancer needs Python 3.12 and is none of Reseat's libraries: ``RESEAT_REBALANCER`` names a Python that has it. It is
told what Reseat holds by itself: at most one replica of a partition on a broker and in a rack; then, first to last, of
a drain nothing on the broker that leaves, the fewest moves, replicas even over the rest; of a rebalance even replicas,
the fewest moves. It searches locally with single moves and swaps until two seconds bring nothing better, or for five
minutes; it knows neither bounds nor leaders. Both are timed without what it takes to make the layout, Rebalancer with
what it takes to be told it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.bench_planning import layout_of
from reseat.model import ClusterLayout, Plan, Wish
from reseat.planning import plan, remove_brokers

_SIZES = ((60, 20_000, 6), (300, 200_000, 10))
_PEER = Path(__file__).with_name("rebalancer_peer.py")


def run() -> list[tuple[str, str, str]]:
    """What, whose, and measured; some minutes where Rebalancer is at hand, else seconds."""
    python = os.environ.get("RESEAT_REBALANCER", "")
    rows = []
    for brokers, partitions, racks in _SIZES:
        layout = layout_of(brokers, partitions, racks)
        out = int(layout.broker_ids[1])
        for what, leave, make in (
            (f"drain broker {out}", [out], partial(remove_brokers, layout, [out])),
            ("rebalance", [], partial(plan, layout, Wish(rebalance=True))),
        ):
            where = f"{brokers:,} brokers, {partitions:,} partitions: {what}"
            rows.append((where, "Reseat", _ours(make)))
            rows.append(
                (where, "Rebalancer", _theirs(python, layout, leave) if python else "RESEAT_REBALANCER names none")
            )
    return rows


def _ours(make: Callable[[], Plan]) -> str:
    started = time.perf_counter()
    certificate = make().certificate
    took = time.perf_counter() - started
    proven = "proven" if certificate.moves_proven and certificate.replica_balance_proven else "not proven"
    return f"{took:.1f} s, {certificate.moves:,} moves, spread {certificate.replica_spread:,}, {proven}"


def _theirs(python: str, layout: ClusterLayout, leave: list[int]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "layout.npz"), Path(folder, "after.npz")
        np.savez(asked, replicas=layout.replicas, racks=[broker.rack for broker in layout.brokers], leave=leave)
        done = subprocess.run([python, _PEER, asked, answered], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"failed: {done.stderr.strip()[-200:]}"
        took = json.loads(done.stdout.splitlines()[-1])["seconds"]
        after = np.load(answered)["replicas"]
    moves = int(sum((after != kept).all(axis=1).sum() for kept in layout.replicas.T[:, :, None]))
    held = np.delete(np.bincount(after.ravel(), minlength=len(layout.brokers)), leave)
    left, racks = int(np.isin(after, leave).sum()), np.sort(np.array([b.rack for b in layout.brokers])[after], axis=1)
    twice = int((racks[:, 1:] == racks[:, :-1]).any(axis=1).sum())
    faults = [f"{left:,} replicas left there"] * bool(left) + [f"{twice:,} partitions twice in a rack"] * bool(twice)
    return ", ".join([f"{took:.1f} s, {moves:,} moves, spread {int(held.max() - held.min()):,}", *faults])
