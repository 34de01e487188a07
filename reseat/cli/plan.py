"""``plan``: a change planned, with its rollback and its proof."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from reseat.cli.inputs import STANDARD_INPUT, layout_of, read_layout, reading_notes, write_text
from reseat.cli.show import finding_lines
from reseat.cli.wishes import wish_of
from reseat.cli.writer import complain, say, write_json
from reseat.errors import InputRefused, WishRefused
from reseat.formats.commands import commands, version_of
from reseat.formats.writers import write_reassignment, write_rollback
from reseat.model import Options, Plan
from reseat.planning.plan import plan as plan_wish

__all__ = ["plan"]


def plan(chosen: argparse.Namespace) -> int:
    """Plan a change and write what was asked for; see the command's ``--help``."""
    streams = [name for name in (chosen.output, chosen.rollback, chosen.certificate) if name == STANDARD_INPUT]
    if len(streams) + chosen.json > 1:
        raise InputRefused("Only one text can go to standard output.")
    _refuse_options_that_do_nothing(chosen)
    _refuse_one_file_for_two(chosen)
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    options = Options(
        reorder_all=chosen.reorder_all,
        receive_cap=chosen.receive_cap,
        by_bytes=chosen.by_bytes,
        max_moves=chosen.max_moves,
    )
    wish = wish_of(chosen, layout, options)
    made = plan_wish(layout, wish)
    # All texts first, then all files: where one cannot be made, none is written.
    texts = [
        (chosen.output, write_reassignment(made) if chosen.output else ""),
        (chosen.rollback, write_rollback(made) if chosen.rollback else ""),
        (chosen.certificate, json.dumps(made.certificate.as_dict(), indent=2) if chosen.certificate else ""),
    ]
    for name, text in texts:
        if name:
            write_text(name, text)
    notes = reading_notes(reading, layout, wish.remove)
    if chosen.json:
        write_json(made.certificate.as_dict())
        complain(*notes)
    elif streams:
        complain(*_summary(made, chosen, notes))
    else:
        say(*_summary(made, chosen, notes))
    return 0


def _refuse_options_that_do_nothing(chosen: argparse.Namespace) -> None:
    if chosen.max_moves is not None and (chosen.remove or not chosen.add):
        raise WishRefused(
            "--max-moves goes with --add alone: what must leave a broker, and the copies of a new replication factor, "
            "cannot be fewer."
        )
    if chosen.kafka_version is not None and version_of(chosen.kafka_version) is None:
        raise WishRefused(f"{chosen.kafka_version} is no version of Kafka; one such as 2.8 or 4.1.0 was expected.")


def _refuse_one_file_for_two(chosen: argparse.Namespace) -> None:
    """A rollback written over the plan, or a plan over the layout, would be lost unseen."""
    taken = {Path(name).resolve(): "read" for name in (*chosen.layout, chosen.racks) if name not in (None, "-")}
    for option in ("output", "rollback", "certificate"):
        name = getattr(chosen, option)
        if name is None or name == STANDARD_INPUT:
            continue
        path = Path(name).resolve()
        if path.exists() and not path.is_file():
            continue  # a device, which takes any number of texts
        if path in taken:
            what = taken[path]
            raise InputRefused(f"--{option} names a file that is {what} too; name another.", source=name)
        taken[path] = f"written by --{option}"


def _summary(made: Plan, chosen: argparse.Namespace, notes: list[str]) -> list[str]:
    lines = list(made.certificate.sentences)
    if notes:
        lines += ["", "Note", *(f"  {note}" for note in notes)]
    if made.findings:
        lines += ["", *finding_lines(made.findings)]
    written = [name for name in (chosen.output, chosen.rollback, chosen.certificate) if name and name != STANDARD_INPUT]
    if written:
        lines += ["", f"Written: {', '.join(written)}"]
    elif not (chosen.output or chosen.json):
        lines += ["", "Nothing was written: --output, --rollback and --certificate name the files."]
    if chosen.kafka_version and made.changed.any():
        lines += ["", f"To carry it out with Kafka {chosen.kafka_version}:"]
        for command in commands(
            chosen.kafka_version,
            plan_file=chosen.output or "plan.json",
            rollback_file=chosen.rollback or "rollback.json",
        ):
            lines += [f"  # {command.title}: {command.why}", f"  {command.text}"]
    return lines
