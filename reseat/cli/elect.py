"""``elect``: who leads after a preferred leader election, or while brokers are stopped."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np

from reseat.balance.quorum import quorum_without
from reseat.cli.inputs import layout_of, named_partitions, read_layout, reading_notes
from reseat.cli.output.writer import complain, more, say, table, write_json, write_text
from reseat.election import (
    ElectionPreview,
    LeaderOutcome,
    Reason,
    against_majority,
    elect_leaders,
    mode_of,
    preferred,
    stop,
)
from reseat.errors import WishRefused
from reseat.model import NONE, NOT_TOLD, ClusterLayout
from reseat.model.selection import in_racks
from reseat.model.wording import counted

__all__ = ["elect"]

#: Partitions listed for a person; --json lists all.
LISTED_ROWS = 50
#: Partitions turned into text at once: bounds memory, however large the layout.
_SLICE = 20_000


def elect(chosen: argparse.Namespace) -> int:
    """Preview an election; see the command's ``--help``."""
    stops = bool(chosen.stopped or chosen.stopped_racks)
    if chosen.unclean and not stops:
        raise WishRefused("--unclean needs --stopped: a preferred leader election is never unclean.")
    if chosen.preferred and stops:
        raise WishRefused("--preferred and --stopped exclude each other.")
    if chosen.partitions and stops:
        raise WishRefused("--partitions is for a preferred leader election and cannot be combined with --stopped.")
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    mode = chosen.controller or mode_of(layout, reading.facts.get("metadata"), reading.facts.get("version"))
    notes = reading_notes(reading, layout)
    if chosen.partitions:
        _say_outcomes(elect_leaders(layout, "preferred", named_partitions(chosen.partitions), mode), chosen)
        (complain if chosen.json else say)(*notes)
        return 0
    if stops:
        stopped = [*chosen.stopped, *in_racks(layout, chosen.stopped_racks)]
        after = stop(layout, stopped, unclean=chosen.unclean, mode=mode)
        majority = against_majority(layout, stopped, mode, unclean=chosen.unclean)
        preview, sentences = after.election, (*after.sentences, *majority.sentences)
        if reading.quorum is not None and (told := quorum_without(reading.quorum, layout.brokers, stopped)) is not None:
            notes.insert(0, told[1])
    else:
        preview = preferred(layout, mode)
        sentences = preview.sentences
    if chosen.json:
        _write_list(layout, preview)
        complain(*(sentences if stops else ()), *notes)
    else:
        _say(layout, preview, (*sentences, *notes))
    return 0


def _say_outcomes(outcomes: Sequence[LeaderOutcome], chosen: argparse.Namespace) -> None:
    """What the cluster would answer for each partition that was named, in the order named."""
    if chosen.json:
        write_json(
            [
                {
                    "topic": one.topic,
                    "partition": one.partition,
                    "leader_before": None if one.leader_before == NOT_TOLD else one.leader_before,
                    "leader_after": None if one.leader_after == NOT_TOLD else one.leader_after,
                    "reason": None if one.reason is None else one.reason.value_in_json,
                    "error": one.error,
                }
                for one in outcomes
            ]
        )
        return
    changed = sum(one.new_leader is not None for one in outcomes)
    say(f"{counted(changed, 'partition')} of {len(outcomes):,} would get another leader.", "")
    shown = [
        (f"{one.topic}-{one.partition}", _cell(one.leader_before), _cell(one.leader_after), one.error)
        for one in outcomes[:LISTED_ROWS]
    ]
    say(*table(("Partition", "leader now", "leader after", "Kafka's answer"), shown, left=4))
    say(*more(len(outcomes), LISTED_ROWS))


def _write_list(layout: ClusterLayout, preview: ElectionPreview) -> None:
    """A JSON list, one object a line; a leader is -1 where there is none and null where it is not told.

    ``error`` is what the Admin protocol answers for the partition, NONE where it is no error.
    """
    labels = [reason.value_in_json for reason in Reason]
    topics = [json.dumps(name, ensure_ascii=False) for name in layout.topics]
    told = [json.dumps(label) for label in labels]
    errors = [json.dumps(reason.error) for reason in Reason]
    write_text("[")
    for start in range(0, layout.partition_count, _SLICE):
        rows = slice(start, start + _SLICE)
        columns = zip(
            layout.topic_of[rows].tolist(),
            layout.partition[rows].tolist(),
            preview.leader_before[rows].tolist(),
            preview.leader_after[rows].tolist(),
            preview.reason[rows].tolist(),
            strict=True,
        )
        lines = (
            f'{{"topic": {topics[topic]}, "partition": {partition}, "leader_before": {_json(before)}, '
            f'"leader_after": {_json(after)}, "reason": {told[reason]}, '
            f'"error": {errors[reason]}}}'
            for topic, partition, before, after, reason in columns
        )
        write_text((",\n " if start else "\n ") + ",\n ".join(lines))
    write_text("\n]\n" if layout.partition_count else "]\n")


def _json(leader: int) -> str:
    return "null" if leader == NOT_TOLD else str(leader)


def _say(layout: ClusterLayout, preview: ElectionPreview, sentences: tuple[str, ...]) -> None:
    say(*sentences, "")
    before = preview.leaders_before
    brokers = zip(
        preview.broker_ids.tolist(),
        ["-"] * len(layout.brokers) if before is None else [f"{number:,}" for number in before.tolist()],
        preview.leaders_after.tolist(),
        strict=True,
    )
    say(
        *table(
            ("Broker", "leaders now", "leaders after"),
            [(str(broker), now, f"{then:,}") for broker, now, then in brokers],
        ),
        "",
    )
    quiet = [Reason.ALREADY_LED, Reason.KEEPS_LEADING, Reason.WAS_OFFLINE]
    rows = np.flatnonzero(~np.isin(preview.reason, quiet))
    if not rows.size:
        return
    shown = [
        (
            layout.name_of(row),
            _cell(int(preview.leader_before[row])),
            _cell(int(preview.leader_after[row])),
            preview.reason_of(row).label,
        )
        for row in rows[:LISTED_ROWS].tolist()
    ]
    say(*table(("Partition", "leader now", "leader after", "why"), shown, left=4), *more(len(rows), LISTED_ROWS))


def _cell(leader: int) -> str:
    return "none" if leader == NONE else "unknown" if leader == NOT_TOLD else str(leader)
