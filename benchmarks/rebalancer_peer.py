"""Asks Meta's Rebalancer for a layout; run by ``bench_rebalancer`` with a Python that has it.

Usage: ``python rebalancer_peer.py layout.npz after.npz``. Reads ``replicas`` (partitions x RF, positions of brokers),
``racks`` (one a broker) and ``leave`` (positions of brokers to be emptied); writes ``replicas`` afterwards and prints
the seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict

import numpy as np
from rebalancer import ProblemSolver


def main() -> None:
    """Read, ask, write."""
    with np.load(sys.argv[1], allow_pickle=True) as told:
        replicas, racks, leave = told["replicas"], told["racks"], told["leave"]
    started = time.perf_counter()
    holds: dict[str, list[str]] = {str(broker): [] for broker in range(len(racks))}
    groups: dict[str, list[str]] = defaultdict(list)
    for row, brokers in enumerate(replicas.tolist()):
        for k, broker in enumerate(brokers):
            holds[str(broker)].append(f"{row}-{k}")
            groups[str(row)].append(f"{row}-{k}")
    solver = ProblemSolver(service_name="rebalancer", service_scope="bench")
    solver.set_object_name("replica").set_container_name("broker").set_assignment(holds)
    solver.add_partition("partition", groups).add_scope("rack", {str(i): str(rack) for i, rack in enumerate(racks)})
    for scope in ("broker", "rack"):
        count = {"name": f"one a {scope}", "scope": scope, "partitionName": "partition", "limit": {"globalLimit": 1}}
        solver.add_constraint({"groupCountSpec": count})
    stay = {"itemsBlacklist": [str(broker) for broker in leave]}
    if len(leave):
        solver.add_goal({"toFreeSpec": {"name": "leave", "containers": stay["itemsBlacklist"]}}, 1.0, 0)
    even = {"name": "even", "scope": "broker", "dimension": "replica_count"}
    solver.add_goal({"balanceSpec": even | ({"filter": stay} if len(leave) else {})}, 1.0, 2 if len(leave) else 1)
    solver.add_goal(
        {"minimizeMovementSpec": {"name": "moves", "scope": "broker", "dimension": "replica_count"}},
        1.0,
        1 if len(leave) else 2,
    )
    moves = [{"singleMoveTypeSpec": {}}, {"swapMoveTypeSpec": {}}]
    solver.add_solver({"localSearchSolverSpec": {"moveTypeList": moves, "solveTime": 300, "allowedPlateauTime": 2}})
    solver.disable_solution_summary()
    after = replicas.copy()
    for name, broker in solver.solve()["assignment"].items():
        row, k = name.split("-")
        after[int(row), int(k)] = int(broker)
    seconds = time.perf_counter() - started
    np.savez(sys.argv[2], replicas=after)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
