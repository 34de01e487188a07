"""``generate``: in the place of ``kafka-reassign-partitions --generate``, with its words, and the fewest moves."""

from __future__ import annotations

import argparse
import json

from reseat.cli.inputs import connection_of, expecting, layout_of, note_reading, read_layout, reading_notes, text_of
from reseat.cli.output.writer import complain, say
from reseat.errors import InputRefused
from reseat.formats import Reading
from reseat.formats.documents.json_rows import document, entries
from reseat.formats.documents.snapshot import reading_of
from reseat.formats.input.shown import shown
from reseat.placement.striped import RackMode
from reseat.planning.cautions import with_room
from reseat.planning.kinds.onto import onto_brokers

__all__ = ["generate"]

_TOPICS_EXPECTED = 'A file such as {"version":1,"topics":[{"topic":"orders"}]} was expected.'


def generate(chosen: argparse.Namespace) -> int:
    """Print what Kafka's tool prints: the current assignment of the topics and the proposed one; see ``--help``."""
    topics = _topics(chosen.topics_to_move_json_file)
    mode = RackMode.DISABLED if chosen.disable_rack_aware else RackMode.ENFORCED
    reading = _reading(chosen)
    layout = layout_of(reading.layout, chosen)
    plan, notes = onto_brokers(layout, topics, chosen.broker_list, rack_mode=mode)
    plan = with_room(plan, reading.log_dirs)
    say("Current partition replica assignment", document(entries(plan.current.bare(), log_dirs=True)), "")
    say("Proposed partition reassignment configuration", document(entries(plan.proposed.bare(), log_dirs=True)))
    found = (*plan.certificate.cautions, *plan.findings)
    said = (*(finding.sentence for finding in found), *plan.certificate.sentences)
    complain(*notes, *reading_notes(reading, layout), *said)
    return 0


def _topics(name: str) -> tuple[str, ...]:
    data, source = text_of(name)
    with expecting(_TOPICS_EXPECTED, source):
        told = json.loads(data)
        topics = tuple(entry["topic"] for entry in told["topics"])
        version = told.get("version", 1)
    if version != 1:
        raise InputRefused(f"Not supported version field value {shown(version)}", source=source)
    if not topics or not all(isinstance(topic, str) for topic in topics):
        raise InputRefused(_TOPICS_EXPECTED, source=source)
    return topics


def _reading(chosen: argparse.Namespace) -> Reading:
    if chosen.layout and (chosen.bootstrap or chosen.zookeeper or chosen.config):
        raise InputRefused("--layout stands in the place of a cluster: leave it out, or the options of the cluster.")
    if chosen.layout:
        return read_layout(chosen)
    if chosen.bootstrap is None and chosen.zookeeper is None:
        raise InputRefused("No cluster given: use --bootstrap-server HOSTS, --zookeeper HOSTS, or --layout FILE.")
    from reseat.sources.live import read_cluster

    connection = connection_of(chosen)
    note_reading(connection)
    return reading_of(read_cluster(connection))
