"""``advise``: what to do about a layout, each with its cost and what it fixes."""

from __future__ import annotations

import argparse
import shlex

from reseat.balance.moved import critical_beside
from reseat.cli.inputs import layout_of, layout_words, read_layout, reading_notes
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, note_lines, say, write_json
from reseat.cli.wishes import options_of
from reseat.election import mode_of
from reseat.planning.advice import Advice, Answer, advice

__all__ = ["advise"]


def advise(chosen: argparse.Namespace) -> int:
    """Say what to do about a layout; see the command's ``--help``."""
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    with working("Planning what helps"):
        mode = chosen.controller or mode_of(layout, reading.facts.get("metadata"), reading.facts.get("version"))
        found = advice(layout, mode=mode, directories=reading.log_dirs, critical=critical_beside(layout, reading))
    throttle = chosen.throttle or None
    notes = reading_notes(reading, layout, ())
    if chosen.json:
        write_json(
            {
                "first": [{"finding": name, "what_helps": mend} for name, mend in found.first],
                "answers": [answer.as_dict(throttle) for answer in found.answers],
                "refused": list(found.refused),
                "unknown": found.unknown,
            }
        )
        complain(*notes)
    else:
        say(*_lines(found, throttle, chosen), *note_lines(notes))
    return 0


def _lines(found: Advice, throttle: int | None, chosen: argparse.Namespace) -> list[str]:
    lines = []
    if found.first:
        lines += ["First, what no plan fixes:", *(f"  {name}: {mend}" for name, mend in found.first), ""]
    if not found.answers:
        return [*lines, found.nothing]
    for number, answer in enumerate(found.answers, 1):
        lines += [f"{number}. {answer.title}", *(f"   {said}" for said in _said(answer, throttle, chosen))]
    lines += ["", found.rule]
    return [*lines, "", "Not planned:", *(f"  {why}" for why in found.refused)] if found.refused else lines


def _said(answer: Answer, throttle: int | None, chosen: argparse.Namespace) -> list[str]:
    said = [f"Cost: {answer.cost(throttle)}", *([answer.no_room] if answer.no_room else [])]
    if answer.fixed:
        said.append(f"Fixes: {', '.join(answer.fixed)}")
    if answer.reduced:
        said.append(f"Reduces: {', '.join(answer.reduced)}")
    if answer.changes:
        said.append("; ".join(answer.changes))
    if answer.wish is not None:
        said.append(f"reseat {shlex.join(['plan', *layout_words(chosen), *options_of(answer.wish)])}")
    elif answer.elections:
        by = [f"--controller={chosen.controller}"] if chosen.controller else []
        said.append(f"reseat {shlex.join(['elect', *layout_words(chosen), *by])}")
    return said
