"""``infer``: from replica lists back to the draws that made them."""

from __future__ import annotations

import argparse

from reseat.cli.inputs import layout_of, read_layout, reading_notes
from reseat.cli.output.writer import complain, say, write_json
from reseat.model.selection import topics_like
from reseat.model.wording import counted, verb
from reseat.placement import FingerprintKind, Fit, TopicFingerprint
from reseat.placement import infer as infer_placements
from reseat.placement.fingerprint.krafted import Krafted

__all__ = ["infer"]

#: Topics listed for a person; --json lists all.
LISTED_TOPICS = 200


def infer(chosen: argparse.Namespace) -> int:
    """Infer how topics were placed; see the command's ``--help``."""
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    found = infer_placements(layout, topics_like(layout, chosen.topic) if chosen.topic else None)
    notes = reading_notes(reading, layout)
    if chosen.json:
        write_json([_as_json(one) for one in found])
        complain(*notes)
        return 0
    counts = [(kind, sum(one.kind is kind for one in found)) for kind in FingerprintKind]
    say(*(f"{counted(number, 'topic')} {verb(number, 'is', 'are')} {kind.value}." for kind, number in counts if number))
    say("", *(one.sentence for one in found[:LISTED_TOPICS]))
    if len(found) > LISTED_TOPICS:
        say(f"and {counted(len(found) - LISTED_TOPICS, 'more topic')}; --json lists all")
    if notes:
        say("", *notes)
    return 0


def _as_json(found: TopicFingerprint) -> dict[str, object]:
    return {
        "topic": found.topic,
        "striped": found.striped,
        "verdict": found.kind.value,
        "rack_aware": found.rack_aware,
        "pairs": [list(pair) for pair in found.pairs],
        "moved": list(found.moved),
        "replicas_off": found.replicas_off,
        "partitions": found.partitions,
        "fits": [_fit(fit) for fit in found.fits],
        "added": [_fit(fit) for fit in found.added],
        "nearest": None if found.nearest is None else _fit(found.nearest),
        "kraft": None if found.krafted is None else _kraft(found.krafted),
        "sentence": found.sentence,
    }


def _kraft(near: Krafted) -> dict[str, object]:
    return {
        "brokers": list(near.cluster.ids),
        "added": list(near.added),
        "lists": [list(replicas) for replicas in near.lists],
    }


def _fit(fit: Fit) -> dict[str, object]:
    return {
        "rack_aware": fit.rack_aware,
        "brokers": list(fit.brokers),
        "first_partition": fit.first_id,
        "pairs": [list(pair) for pair in fit.pairs],
        "circumstance": fit.circumstance or None,
    }
