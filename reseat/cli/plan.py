"""``plan``: a change planned, with its rollback and its proof."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from reseat.cli.files import refuse_one_file_for_two, write_texts
from reseat.cli.inputs import STANDARD_INPUT, layout_of, read_layout, reading_notes
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, note_lines, say, table, write_json
from reseat.cli.show import caution_lines, finding_json, finding_lines
from reseat.cli.wishes import wish_of
from reseat.errors import InputRefused, WishRefused
from reseat.formats.documents.certificate import write_certificate
from reseat.formats.documents.writers import (
    write_pieces,
    write_preferred_election,
    write_reassignment,
    write_rollback,
    write_topics_to_move,
)
from reseat.formats.text.commands import commands
from reseat.model import ClusterLayout, Plan, Wish
from reseat.model.naming import version_of
from reseat.model.tiering import Tiering
from reseat.model.units import size
from reseat.model.wording import listed
from reseat.planning.cautions import with_room
from reseat.planning.conflict import conflict, conflict_in_words
from reseat.planning.directories import choose_directories
from reseat.planning.kinds.curve import whole_curve
from reseat.planning.plan import plan as plan_wish
from reseat.report.copying import copying_of
from reseat.report.tiered import copies_as_dict, tiered_sentences

__all__ = ["plan", "refuse_options_that_do_nothing"]

#: Options that each name a file to write to.
_OPTIONS = ("output", "rollback", "election", "topics-to-move", "certificate")
#: The heading of each further part of the commands.
_PARTS = {"meanwhile": "While it runs:", "rollback": "To roll it back:"}


def plan(chosen: argparse.Namespace) -> int:
    """Plan a change and write what was asked for; see the command's ``--help``."""
    streams = [name for name in _files(chosen) if name == STANDARD_INPUT]
    if len(streams) + chosen.json > 1:
        raise InputRefused("Only one file can be written to standard output.")
    refuse_options_that_do_nothing(chosen)
    if chosen.choose_directories and not (chosen.output or chosen.pieces):
        raise WishRefused(
            "--choose-directories only goes with --output or --pieces: the plan's text names the directories."
        )
    _refuse_one_file_for_two(chosen)
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    wish = wish_of(chosen, layout)
    with working("Planning"):
        made = with_room(_planned(layout, wish, as_json=chosen.json), reading.log_dirs)
        chosen_dirs = choose_directories(made, reading.log_dirs) if chosen.choose_directories else None
        curve = _points(layout, wish) if chosen.points else []
    # All texts first, then all files: where one cannot be made, none is written.
    texts = [
        (chosen.output, write_reassignment(made, chosen=chosen_dirs) if chosen.output else ""),
        (chosen.rollback, write_rollback(made) if chosen.rollback else ""),
        (chosen.election, write_preferred_election(made.proposed, made.changed) if chosen.election else ""),
        (chosen.topics_to_move, write_topics_to_move(made.changed_topics) if chosen.topics_to_move else ""),
        (chosen.certificate, write_certificate(made.certificate) if chosen.certificate else ""),
    ]
    pieces, numbered = write_pieces(made, chosen=chosen_dirs) if chosen.pieces else None, list[str]()
    if pieces is not None:
        numbered = _numbered(chosen.pieces, len(pieces.texts))
        _refuse_one_file_for_two(chosen, numbered)
        texts += zip(numbered, pieces.texts, strict=True)
    write_texts(texts)
    notes = [
        *([pieces.sentence, *_older(numbered, chosen.pieces)] if pieces is not None else []),
        *reading_notes(reading, layout, wish.remove),
    ]
    if chosen.json:
        found = {"findings": [finding_json(finding, made.current) for finding in made.findings]}
        write_json(made.certificate.as_dict() | copies_as_dict(made, reading.tiering) | found)
        complain(*notes, *curve, *_racks(made, chosen.price_per_gb, reading.tiering), *_commands(made, chosen))
    else:
        written = [name for name in (*_files(chosen), *numbered) if name and name != STANDARD_INPUT]
        tell = complain if streams else say
        tell(*_summary(made, chosen, notes, curve, tiering=reading.tiering, written=written))
    return 0


def _planned(layout: ClusterLayout, wish: Wish, *, as_json: bool) -> Plan:
    """The plan; a refusal says which demands cannot hold together, where some cannot, and JSON names each."""
    try:
        return plan_wish(layout, wish)
    except WishRefused as refusal:
        found = conflict(layout, wish)
        if as_json:
            every = [demand.words for demand in found.demands]
            write_json(
                {"refused": str(refusal), "demands": every, "demands_all_needed": found.least if every else None}
            )
        if not (said := conflict_in_words(found)):
            raise
        raise replace(refusal, choices=(*refusal.choices, said)) from refusal


def _points(layout: ClusterLayout, wish: Wish) -> list[str]:
    """What ``--point`` can choose: the moves of each point and the spread that they bring."""
    offered = whole_curve(layout, wish.at(None))
    lines = list(offered.sentences)
    if offered.points:
        rows = [(f"{at.number:,}", at.spread, at.amount) for at in offered.points]
        what = f"{offered.points[0].unit}s"
        choose = "--point N or --max-moves N" if what == "moves" else "--point N"
        heads = (what, offered.points[0].measure, "data to copy")
        lines += [f"{what.capitalize()} vs. balance (choose one with {choose}):", *table(heads, rows, left=0)]
    return lines


def refuse_options_that_do_nothing(chosen: argparse.Namespace) -> None:
    """Refuse an option that the wish has no use for, and a version that is none."""
    moving = ("remove", "remove_rack", "add", "replace", "topics", "rebalance", "mend_racks", "mend", "aims")
    still = chosen.leaders_only or not any(getattr(chosen, name) for name in moving)
    if chosen.max_moves is not None and still:
        raise WishRefused("--max-moves goes with changes that move replicas; of leaders only choose a --point.")
    by_size = chosen.by_bytes and (chosen.rebalance or chosen.remove)
    if chosen.max_bytes is not None and (still or by_size):
        raise WishRefused("--max-bytes goes with changes that move replicas and balance their counts, not their size.")
    if chosen.kafka_version is not None and version_of(chosen.kafka_version) is None:
        raise WishRefused(f"{chosen.kafka_version} is not a Kafka version; one such as 2.8 or 4.1.0 was expected.")


def _numbered(name: str, count: int) -> list[str]:
    """``plan.json`` as ``plan-1.json`` and so on."""
    if name == STANDARD_INPUT:
        raise InputRefused("--pieces writes several files; name one, and each gets a number before its ending.")
    path = Path(name)
    return [str(path.with_name(f"{path.stem}-{number}{path.suffix}")) for number in range(1, count + 1)]


def _older(written: Sequence[str], name: str) -> list[str]:
    """What to say where an earlier plan had more pieces: who executes all that are there would execute them."""
    further = _numbered(name, len(written) + 99)[len(written) :]
    there = list(takewhile(os.path.lexists, further))
    said = "from an earlier plan, no part of this one. Delete before you execute."
    return [f"{', '.join(there)}: {said}"] if there else []


def _refuse_one_file_for_two(chosen: argparse.Namespace, pieces: Sequence[str] = ()) -> None:
    """A rollback written over the plan, or a plan over the layout, would be lost unseen."""
    named = [(option, getattr(chosen, option.replace("-", "_"))) for option in _OPTIONS]
    refuse_one_file_for_two(
        (*chosen.layout, chosen.racks, chosen.wish), (*named, *(("pieces", name) for name in pieces))
    )


def _summary(
    made: Plan, chosen: argparse.Namespace, notes: list[str], curve: list[str], *, tiering: Tiering, written: list[str]
) -> list[str]:
    lines = [*caution_lines(made.certificate), *made.certificate.sentences, *tiered_sentences(made, tiering)]
    if curve:
        lines += ["", *curve]
    lines += _racks(made, chosen.price_per_gb, tiering)
    lines += note_lines(notes)
    if made.findings:
        lines += ["", *finding_lines(made.findings)]
    if written:
        lines += ["", f"Written: {', '.join(written)}"]
    elif not (chosen.output or chosen.json):
        lines += [
            "",
            f"Nothing was written. Options that name files: {listed([f'--{option}' for option in _OPTIONS])}.",
        ]
    return [*lines, *_commands(made, chosen)]


def _commands(made: Plan, chosen: argparse.Namespace) -> list[str]:
    """What carries the plan out with the version that is named, where one is."""
    if not (chosen.kafka_version and made.changed.any()):
        return []
    lines = ["", f"To execute it with Kafka {chosen.kafka_version}:"]
    part = "steps"
    for command in commands(
        chosen.kafka_version,
        plan_file=_file_of(chosen.output, "plan.json"),
        rollback_file=_file_of(chosen.rollback, "rollback.json"),
        election_file=_file_of(chosen.election, "election.json"),
    ):
        if command.part != part:
            part = command.part
            lines += ["", _PARTS[part]]
        lines += [f"  # {command.title}: {command.why}", f"  {command.text}"]
    return lines


def _file_of(name: str | None, usual: str) -> str:
    """The file that a tool is given: the usual name where none was written."""
    return usual if name is None or name == STANDARD_INPUT else name


def _racks(made: Plan, price: float | None, tiering: Tiering) -> list[str]:
    """Bytes from rack to rack, and their price, where one is given."""
    if price is None:
        return []
    copying, racks = copying_of(made, tiering), made.current.racks
    send, receive, cells = copying.between_racks(len(racks))
    names = [str(racks[rack]) for rack in receive.tolist()]
    rows = [(racks[rack], *map(size, row)) for rack, row in zip(send.tolist(), cells, strict=True)]
    said = copying.rack_sentences(price) or ("Racks are unknown, or nothing is copied: no traffic between racks.",)
    return ["", *said, *(table(("from \\ to", *names), rows, left=1) if cells.size else [])]


def _files(chosen: argparse.Namespace) -> tuple[str | None, ...]:
    """The files that were named to write to, in the order of the options."""
    return tuple(getattr(chosen, option.replace("-", "_")) for option in _OPTIONS)
