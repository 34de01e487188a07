"""``disks``: the log directories of brokers, and a plan that evens them out or empties one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from reseat.balance.directories import DirectoryLoad, directory_loads
from reseat.cli.files import refuse_one_file_for_two, write_texts
from reseat.cli.inputs import STANDARD_INPUT, layout_of, read_layout, reading_notes
from reseat.cli.output.writer import complain, say, table, write_json
from reseat.errors import InputRefused, WishRefused
from reseat.formats import Reading
from reseat.model import ClusterLayout
from reseat.model.units import size
from reseat.planning.directories import DirectoryPlan, balance_directories, drain_directory

__all__ = ["directory_lines", "disks", "load_json"]

#: Directories listed for a person; beyond that, the fullest.
_LISTED = 40
_UNKNOWN = "Log directories are unknown. Read the live cluster, or add the output of kafka-log-dirs --describe."


def disks(chosen: argparse.Namespace) -> int:
    """Show directories, or plan; see the command's ``--help``."""
    if chosen.balance and chosen.drain:
        raise WishRefused("--balance and --drain exclude each other.")
    if (chosen.output or chosen.rollback) and not (chosen.balance or chosen.drain):
        raise WishRefused("--output and --rollback need --balance or --drain.")
    if chosen.brokers and not chosen.balance:
        raise WishRefused("--brokers needs --balance.")
    if (chosen.output, chosen.rollback).count(STANDARD_INPUT) + chosen.json > 1:
        raise InputRefused("Only one file can be written to standard output.")
    refuse_one_file_for_two((*chosen.layout, chosen.racks), (("output", chosen.output), ("rollback", chosen.rollback)))
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    made = _planned(chosen, layout, reading)
    if made is not None:
        write_texts([(chosen.output, made.text()), (chosen.rollback, made.text(back=True))])
    tell = complain if STANDARD_INPUT in (chosen.output, chosen.rollback) else say
    if chosen.json:
        write_json(_as_json(layout, reading, made))
    elif made is None:
        loads = directory_loads(layout, reading.log_dirs)
        tell(*(directory_lines(loads) if loads else [_UNKNOWN]))
    else:
        tell(*made.sentences)
    (complain if chosen.json else tell)(*reading_notes(reading, layout))
    return 0


def _planned(chosen: argparse.Namespace, layout: ClusterLayout, reading: Reading) -> DirectoryPlan | None:
    if chosen.balance:
        return balance_directories(layout, reading.log_dirs, set(chosen.brokers))
    if not chosen.drain:
        return None
    return drain_directory(layout, reading.log_dirs, *chosen.drain)


def _as_json(layout: ClusterLayout, reading: Reading, made: DirectoryPlan | None) -> dict[str, object]:
    out: dict[str, object] = {"log_dirs": [load_json(one) for one in directory_loads(layout, reading.log_dirs)]}
    if made is not None:
        out["moves"] = [
            {
                "topic": move.topic,
                "partition": move.partition,
                "broker": move.broker,
                "before": move.before,
                "target": move.target,
                "bytes": move.bytes,
            }
            for move in made.moves
        ]
        out["bytes"] = made.bytes
        out["brokers"] = [
            {
                "broker": one.broker,
                "before": dict(one.before),
                "after": dict(one.after),
                "least_fullest": one.least_fullest,
                "least_moved": one.least_moved,
            }
            for one in made.brokers
        ]
        out["sentences"] = list(made.sentences)
    return out


def load_json(load: DirectoryLoad) -> dict[str, object]:
    """A directory as JSON-ready values; sizes in bytes, null where not told."""
    told = load.told
    return {
        "broker": load.broker,
        "path": load.path,
        "state": load.state,
        "replicas": load.replicas,
        "bytes": load.bytes,
        "total_bytes": None if told is None else told.total_bytes,
        "usable_bytes": None if told is None else told.usable_bytes,
    }


def directory_lines(loads: Sequence[DirectoryLoad]) -> list[str]:
    """Directories as a table; of many, those that are not online, and those that hold most."""
    shown = list(loads)
    note = []
    if len(shown) > _LISTED:
        shown = sorted(shown, key=lambda one: (one.state == "online", -(one.bytes or 0), one.broker, one.path))
        shown = shown[:_LISTED]
        note = [f"  What is not online, and the fullest: {_LISTED} of {len(loads):,}; --json lists all."]
    rows = [
        (
            str(one.broker),
            one.path,
            one.state,
            f"{one.replicas:,}",
            _bytes(one.bytes),
            _bytes(None if one.told is None else one.told.usable_bytes),
            _bytes(None if one.told is None else one.told.total_bytes),
        )
        for one in shown
    ]
    return table(("Broker", "log directory", "state", "replicas", "bytes", "left", "of"), rows, left=3) + note


def _bytes(number: int | None) -> str:
    return "-" if number is None else size(float(number))
