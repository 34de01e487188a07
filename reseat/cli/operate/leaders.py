"""``operate elect | create``: elections held and topics made, behind the guard and in the journal."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TypeVar

from reseat.cli.inputs import expecting, named_partitions, text_of
from reseat.cli.operate.session import Session, connected, guarded, notes_of, sending
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import complain, more, say, table, write_json
from reseat.election import mode_of
from reseat.errors import InputRefused, WriteRefused
from reseat.formats.input.json_fault import each_once
from reseat.model import Snapshot
from reseat.model.selection import topics_like
from reseat.operate.checks.check import Check
from reseat.operate.checks.election import Ends
from reseat.operate.checks.guard import check_election, check_topic, refuse_unless
from reseat.operate.elections import ElectionOutcome, hold
from reseat.operate.losses import losses
from reseat.operate.request import ElectionRequest, TopicRequest
from reseat.operate.short_writes import write
from reseat.operate.targets.opening import open_target
from reseat.operate.targets.target import Election, Partition
from reseat.operate.topics import TopicCreated
from reseat.operate.topics import create as make
from reseat.placement.topic_spec import TopicSpec, parse_replica_assignment
from reseat.sources.live import read_cluster

__all__ = ["create", "elect"]

#: Partitions listed for a person; --json lists all.
LISTED_ROWS = 50

_Done = TypeVar("_Done")


@guarded
def elect(chosen: argparse.Namespace) -> int:
    """Hold an election; see the command's ``--help``."""
    election = Election.UNCLEAN if chosen.unclean else Election.PREFERRED
    if election is Election.UNCLEAN and (chosen.topic is not None or not (chosen.partition or chosen.partitions)):
        raise InputRefused(
            "An unclean election may lose acknowledged records: name its partitions one by one, with --partition "
            "TOPIC-ID (again for more) or --partitions FILE. Topics and patterns are not accepted."
        )
    with connected(chosen) as session:
        now = read_cluster(session.connection)
        partitions = _partitions(chosen, now)
        mode = mode_of(now.layout, now.metadata, now.version)
        ends: Ends = {}
        if election is Election.UNCLEAN:
            ends = session.target.log_ends(partitions or ())
            complain(*(loss.sentence for loss in losses(now.layout, partitions or (), mode, ends)))
        request = ElectionRequest(
            election=election,
            partitions=partitions,
            shown=now.layout,
            accepts_loss=chosen.accept_loss,
            **session.requested_by,
        )
        checks = check_election(request, now, ends, migrating=session.target.migrating())

        def work() -> tuple[ElectionOutcome, dict[str, object]]:
            held = hold(session.target, now.layout, election, partitions, mode=mode)
            return held, {"answers": held.answers, "differed": len(held.differing)}

        content = {
            "election": election.name.lower(),
            "partitions": None if partitions is None else [list(one) for one in partitions],
        }
        outcome = _written(session, "election", content, checks, work)
    if chosen.json:
        write_json([asdict(one) for one in outcome.partitions])
    else:
        _say(outcome)
    return ExitCode.UNFINISHED if outcome.differing else 0


def _written(
    session: Session,
    kind: str,
    content: Mapping[str, object],
    checks: tuple[Check, ...],
    work: Callable[[], tuple[_Done, Mapping[str, object]]],
) -> _Done:
    """Send what the guard lets pass; what it noted is said first."""
    refuse_unless(checks, who=session.operator, cluster_id=session.cluster_id)
    complain(*notes_of(checks))
    with sending():
        return write(
            session.journal, kind, content, checks, work, cluster_id=session.cluster_id, operator=session.operator
        )


def _partitions(chosen: argparse.Namespace, now: Snapshot) -> tuple[Partition, ...] | None:
    """The partitions that the options name; None: all that the election could change."""
    layout = now.layout
    if chosen.topic is not None:
        return tuple(
            (topic, int(layout.partition[row]))
            for topic in topics_like(layout, chosen.topic)
            for row in layout.rows_of_topic(topic)
        )
    if chosen.partition is not None:
        return tuple(chosen.partition)
    if chosen.partitions is None:
        return None
    return named_partitions(chosen.partitions)


def _say(outcome: ElectionOutcome) -> None:
    say(*outcome.sentences)
    if not outcome.partitions:
        return
    rows = [
        (
            f"{one.topic}-{one.partition}",
            _broker(one.leader_before),
            _broker(one.expected_leader),
            _broker(one.leader_after),
            one.answer,
        )
        for one in sorted(outcome.partitions, key=lambda one: not one.differed)[:LISTED_ROWS]
    ]
    say("", *table(("Partition", "leader before", "previewed", "leader now", "Kafka's answer"), rows, left=5))
    say(*more(len(outcome.partitions), LISTED_ROWS))
    say(*(one.sentence for one in outcome.differing[:LISTED_ROWS]))


def _broker(leader: int | None) -> str:
    return "unknown" if leader is None or leader == -2 else "none" if leader == -1 else str(leader)


@guarded
def create(chosen: argparse.Namespace) -> int:
    """Make a topic; see the command's ``--help``."""
    assignments = _assignments(chosen)
    configs = dict(chosen.topic_config)
    with connected(chosen) as session:
        now = read_cluster(session.connection)
        request = TopicRequest(
            topic=chosen.topic,
            assignments=assignments,
            configs=configs,
            as_nodes=chosen.as_nodes,
            **session.requested_by,
        )
        migrating = request.as_nodes and session.target.migrating()
        return _made(chosen, session, request, check_topic(request, now, migrating=migrating))


def _made(chosen: argparse.Namespace, session: Session, request: TopicRequest, checks: tuple[Check, ...]) -> int:
    refuse_unless(checks, who=session.operator, cluster_id=session.cluster_id)
    protocol = "zookeeper" if request.as_nodes else None
    if protocol is None and session.target.protocol == "zookeeper":
        if not session.connection.bootstrap:
            raise WriteRefused(
                "This connection is only to ZooKeeper: name brokers with --bootstrap, or use --as-nodes to write nodes."
            )
        protocol = "admin"
    target = (
        session.target if protocol in (None, session.target.protocol) else open_target(session.connection, protocol)
    )
    try:
        spec = TopicSpec.placed(request.topic, request.assignments, configs=tuple(request.configs.items()))

        def work() -> tuple[TopicCreated, dict[str, object]]:
            made = make(target, spec, nodes=request.as_nodes)
            return made, {"refusal": made.refusal, "differences": list(made.differences)}

        came = _written(session, "topic", request.content, checks, work)
    finally:
        if target is not session.target:
            target.close()
    if chosen.json:
        write_json(
            {
                "topic": came.topic,
                "way": came.protocol,
                "refusal": came.refusal,
                "differences": list(came.differences),
                "seen": {str(partition): list(told.replicas) for partition, told in came.seen.items()},
            }
        )
    elif came.refusal is None:
        say(f"Topic {came.topic} was created with {len(came.seen):,} partitions.", *came.differences)
    if came.refusal is not None:
        complain(f"reseat operate create: {came.refusal}")
    return 0 if came.made and not came.differences else ExitCode.UNFINISHED


def _assignments(chosen: argparse.Namespace) -> dict[int, tuple[int, ...]]:
    if chosen.replica_assignment is not None:
        return parse_replica_assignment(chosen.replica_assignment)
    data, source = text_of(chosen.placed)
    expected = 'This does not place a topic: {"0":[1,2],"1":[2,3]} was expected, or what reseat place --json prints.'
    with expecting(expected, source):
        told = json.loads(data, object_pairs_hook=each_once)
        lists = told.get("assignment", told)
        placed = {int(partition): tuple(ids) for partition, ids in lists.items()}
        if len(placed) < len(lists) or any(type(broker) is not int for ids in placed.values() for broker in ids):
            raise ValueError(expected)
        return placed
