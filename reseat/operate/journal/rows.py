"""Rows of the journal's tables: runs and their partitions, as SQL has them and as the values they tell."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from reseat.operate.journal.records import MoveProgress, Run, RunOptions, RunState
from reseat.schedule.batches import Order
from reseat.schedule.windows import read_windows

__all__ = [
    "COLUMNS",
    "OPEN_STATES",
    "OPTIONS",
    "ids",
    "ids_text",
    "insert",
    "options_of",
    "options_row",
    "run_of",
    "update_moves",
]

#: Of how a run is carried out, as SQL lists them.
OPTIONS = "moves_a_broker, throttle, schedule"

#: Of a run, as SQL lists them.
COLUMNS = (
    "id, cluster_id, cluster, kind, takes_back, plan, rollback, hash, moves_a_broker, throttle, operator, state, "
    "sentence, approved_at, ended_at, way, overridden, paused_by, schedule, stop"
)
#: States of a run that is not over, as SQL lists them.
OPEN_STATES = ", ".join(f"'{state.value}'" for state in RunState if state.open)


def insert(database: sqlite3.Connection, table: str, row: Mapping[str, object]) -> int:
    """Add a row, by its columns; returns its id."""
    columns, values = ", ".join(row), ", ".join("?" * len(row))
    cursor = database.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", tuple(row.values()))  # noqa: S608
    return int(cursor.lastrowid or 0)


def update_moves(database: sqlite3.Connection, run_id: int, changed: Mapping[int, MoveProgress]) -> None:
    """Keep what is known of some partitions of a run, by row number."""
    database.executemany(
        "UPDATE moves SET now = ?, state = ?, error = ?, bytes_total = ?, bytes_done = ? WHERE run = ? AND row = ?",
        (
            (ids_text(move.now), move.state, move.error, move.bytes_total, move.bytes_done, run_id, row)
            for row, move in changed.items()
        ),
    )


def run_of(row: sqlite3.Row) -> Run:
    """The run that a row with ``COLUMNS`` tells."""
    return Run(
        id=row["id"],
        cluster_id=row["cluster_id"],
        cluster=row["cluster"],
        kind=row["kind"],
        takes_back=row["takes_back"],
        plan=row["plan"],
        rollback=row["rollback"],
        hash=row["hash"],
        options=options_of(row),
        operator=row["operator"],
        state=RunState(row["state"]),
        sentence=row["sentence"],
        approved_at=datetime.fromisoformat(row["approved_at"]),
        ended_at=None if row["ended_at"] is None else datetime.fromisoformat(row["ended_at"]),
        protocol=row["way"],
        overridden=tuple(filter(None, row["overridden"].split(","))),
        paused_by=row["paused_by"],
        stop=row["stop"],
    )


def options_of(row: sqlite3.Row) -> RunOptions:
    """How a run is carried out, from a row with ``OPTIONS``."""
    told = json.loads(row["schedule"])
    return RunOptions(
        max_concurrent_moves_per_broker=row["moves_a_broker"],
        throttle=row["throttle"],
        order=Order(told.get("order", Order.SMALLEST.value)),
        windows=read_windows(told.get("windows", "")),
        pause_after=tuple(told.get("pause_after", ())),
        cordon=tuple(told.get("cordon", ())),
    )


def options_row(options: RunOptions) -> dict[str, Any]:
    """The cells of ``OPTIONS``; what a run's schedule says is JSON."""
    told: dict[str, object] = {}
    if options.order is not Order.SMALLEST:
        told["order"] = options.order.value
    if options.windows is not None:
        told["windows"] = str(options.windows)
    if options.pause_after:
        told["pause_after"] = options.pause_after
    if options.cordon:
        told["cordon"] = options.cordon
    return {
        "moves_a_broker": options.max_concurrent_moves_per_broker,
        "throttle": options.throttle,
        "schedule": json.dumps(told),
    }


def ids_text(brokers: Iterable[int]) -> str:
    """Broker ids as a cell has them."""
    return ",".join(map(str, brokers))


def ids(text: str) -> tuple[int, ...]:
    """The broker ids of a cell."""
    return tuple(map(int, text.split(","))) if text else ()
