"""``judge``: how good any plan is, and whether it may be carried out at all."""

from __future__ import annotations

import argparse

from reseat.cli.inputs import layout_of, read_layout, reading_notes, refuse_reading_twice, text_of
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, note_lines, say, write_json
from reseat.cli.show import caution_lines
from reseat.cli.wishes import wish_of
from reseat.formats import read
from reseat.formats.documents.plan_check import plan_error
from reseat.formats.documents.plan_text import plan_faults
from reseat.model import Certificate
from reseat.model.wording import counted
from reseat.planning.judge import judge as judge_plan
from reseat.planning.kinds import require_whole

__all__ = ["judge"]

#: Bytes of a plan up to which it is looked at as Kafka's tool does, which takes an object a value.
_LOOKED_AT = 20_000_000


def judge(chosen: argparse.Namespace) -> int:
    """Judge a plan; see the command's ``--help``. Returns 2 where the plan is invalid."""
    refuse_reading_twice((chosen.plan, *chosen.layout))
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    text, source = text_of(chosen.plan)
    plan = read(text, source=source)
    proposed = plan.layout if plan.proposed is None else plan.proposed
    wish = wish_of(chosen, layout)
    require_whole(wish)
    with working("Validating"):
        certificate = judge_plan(
            layout,
            proposed,
            wish,
            allow_rf_change=chosen.allow_rf_change,
            text_faults=plan_faults(plan),
            directories=reading.log_dirs,
        )
    notes, of_plan = reading_notes(reading, layout, wish.remove), reading_notes(plan, plan.layout)
    if chosen.json:
        write_json(certificate.as_dict())
        complain(*notes, *(of_plan if certificate.valid else ()))  # what is wrong with it is a fault
    else:
        say(*_lines(certificate), *note_lines([*notes, *of_plan]))
    is_plan = plan.kind == "reassignment JSON" and plan.proposed is None and text.lstrip()[:1] == b"{"
    said = plan_error(text.decode("utf-8", "replace")) if is_plan and len(text) <= _LOOKED_AT else None
    refused = "" if said is None else f"kafka-reassign-partitions --execute would refuse this text: {said}"
    if certificate.valid:
        if refused:
            complain(f"reseat judge: {refused}")
        return 0
    more = f" (and {len(certificate.faults) - 1:,} more)" if len(certificate.faults) > 1 else ""
    complain(f"reseat judge: The plan is invalid: {certificate.faults[0]}{more}{' ' if refused else ''}{refused}")
    return ExitCode.REFUSED


def _lines(certificate: Certificate) -> list[str]:
    lines = [*caution_lines(certificate), *certificate.sentences]
    if certificate.faults:
        lines += ["", f"Invalid, {counted(len(certificate.faults), 'fault')}:"]
        lines += [f"  {fault}" for fault in certificate.faults]
    return lines
