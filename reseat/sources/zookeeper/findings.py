"""A finding for everything in ZooKeeper that is not as it should be.

What it promises: each finding names the paths of its nodes; no text of a node stands in a sentence but names of topics,
cut where they are long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reseat.formats.rows.row_findings import PLACES_NAMED, Rows, place_finding
from reseat.model import BoolArray, ClusterLayout, Finding, Longs, Severity
from reseat.model.wording import counted, listed, verb
from reseat.placement.topic_names import LONGEST_NAME, name_error
from reseat.sources.zookeeper.gathered import Gathered, NodeAccess
from reseat.sources.zookeeper.permissions import MIGRATION
from reseat.sources.zookeeper.topics import StateNode, Topic

__all__ = ["cluster_findings", "cut", "finding", "name_of", "node_findings", "outside_findings", "state_findings"]


def finding(
    kind: str,
    severity: Severity,
    sentence: str,
    places: Iterable[str] = (),
    *,
    topics: Iterable[str] = (),
    brokers: Iterable[int] = (),
    rows: Longs | None = None,
) -> Finding:
    """A finding that names its nodes, as many as are named and no longer than they are shown.

    Args:
        kind: what it is about, as a word.
        severity: how bad it is.
        sentence: what a person reads.
        places: paths of nodes.
        topics: names of topics concerned.
        brokers: ids of brokers concerned.
        rows: partitions concerned.
    """
    return Finding(
        kind,
        severity,
        sentence,
        rows=np.empty(0, np.int64) if rows is None else rows,
        brokers=tuple(brokers),
        topics=tuple(topics),
        places=tuple(place[:300] for place in list(places)[:PLACES_NAMED]),
    )


def outside_findings(layout: ClusterLayout, rows: Rows, outside_of: Mapping[str, BoolArray]) -> list[Finding]:
    """Findings of partitions that name a broker which is none of their replicas.

    Args:
        layout: the layout.
        rows: what it was made of.
        outside_of: (P,) whether a partition names one, by column.
    """
    words = {"in_sync": "the ISR", "adding": "adding_replicas", "removing": "removing_replicas"}
    found = [
        place_finding(
            layout,
            rows,
            np.flatnonzero(outside),
            kind=f"{name}_outside_replicas",
            severity=Severity.ATTENTION,
            sentence=f"{{what}} a broker in {words[name]} that is not among the replicas: {{examples}}. It is ignored.",
            one="partition names",
            many="partitions name",
        )
        for name, outside in outside_of.items()
        if outside.any()
    ]
    leader = np.asarray(rows.by_row["leader"])
    stray = (leader >= 0) & ~(rows.replicas == leader[:, None]).any(axis=1)
    if stray.any():
        found.append(
            place_finding(
                layout,
                rows,
                np.flatnonzero(stray),
                kind="leader_outside_replicas",
                severity=Severity.ATTENTION,
                sentence="{what} led by a broker that is not among the replicas: {examples}.",
                one="partition is",
                many="partitions are",
            )
        )
    return found


def node_findings(told: Gathered) -> list[Finding]:
    """One finding a kind of node that was not understood, each with its paths and what was wrong."""
    kinds: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for path, faults in sorted(told.faults.items()):
        kinds.setdefault(_kind_of(path), []).append((path, faults))
    words = {
        "broker": ("broker registration", Severity.ATTENTION),
        "topic": ("topic node", Severity.BROKEN),
        "config": ("configuration node", Severity.ATTENTION),
        "other": ("node", Severity.ATTENTION),
    }
    out = []
    for kind, nodes in kinds.items():
        noun, severity = words[kind]
        paths = [path for path, _ in nodes]
        examples = [f"{cut(path)} {' and '.join(faults)}" for path, faults in nodes[:3]]
        more = f"; {len(nodes) - 3:,} more" if len(nodes) > 3 else ""
        out.append(
            finding(
                f"{kind}_node_not_understood",
                severity,
                f"{counted(len(nodes), noun)} {verb(len(nodes), 'was', 'were')} not understood in full: "
                f"{'; '.join(examples)}{more}. What was understood is shown.",
                paths,
                topics=[path.rpartition("/")[2] for path in paths] if kind == "topic" else (),
                brokers=[int(path.rpartition("/")[2]) for path in paths] if kind == "broker" else (),
            )
        )
    return out


def _kind_of(path: str) -> str:
    if path.startswith("/brokers/ids/"):
        return "broker"
    if path.startswith("/brokers/topics/"):
        return "topic"
    return "config" if path.startswith("/config/") else "other"


def state_findings(layout: ClusterLayout, topics: Sequence[Topic]) -> list[Finding]:
    """Findings of partitions whose state node is missing, closed or not understood."""
    out = []
    for seen, kind, severity, sentence in (
        (
            StateNode.MISSING,
            "state_missing",
            Severity.ATTENTION,
            "{what} no state in ZooKeeper: {examples}. {It} being created or deleted, or had no live replica since "
            "then. Leader and ISR are unknown.",
        ),
        (
            StateNode.DENIED,
            "state_denied",
            Severity.ATTENTION,
            "{what} a state that this account may not read: {examples}. Leader and ISR are unknown; give it READ.",
        ),
        (
            StateNode.UNUSABLE,
            "state_not_understood",
            Severity.BROKEN,
            "{what} a state that was not understood: {examples}. Leader and ISR stay unknown there.",
        ),
    ):
        named = [
            (topic, position)
            for topic in topics
            if seen in topic.known
            for position in np.flatnonzero(np.frombuffer(topic.known, np.uint8) == seen).tolist()
        ]
        if not named:
            continue
        examples = [
            name_of(topic.name, topic.node.partition[position] if topic.node else 0)
            + (f" ({topic.faults[position]})" if position in topic.faults else "")
            for topic, position in named[:3]
        ]
        more = f" and {len(named) - 3:,} more" if len(named) > 3 else ""
        found = [
            layout.row(topic.name, topic.node.partition[position])
            for topic, position in named
            if topic.node is not None
        ]
        out.append(
            finding(
                kind,
                severity,
                sentence.format(
                    what=f"{counted(len(named), 'partition')} {verb(len(named), 'has', 'have')}",
                    examples=", ".join(examples) + more,
                    It=verb(len(named), "It is", "They are"),
                ),
                (topic.state_path(position) for topic, position in named[:PLACES_NAMED]),
                rows=np.array(sorted(row for row in found if row is not None), np.int64),
            )
        )
    return out


def cluster_findings(told: Gathered, layout: ClusterLayout) -> list[Finding]:
    """Findings that are about no node's content: topics that go, names that Kafka refuses, what is asked for."""
    out = []
    gone = sorted(
        name
        for name, topic in told.topics.items()
        if (node := told.nodes.get(topic.path)) is not None and node.access is NodeAccess.MISSING
    )
    if gone:
        out.append(
            finding(
                "topic_gone",
                Severity.NOTE,
                f"{counted(len(gone), 'topic')} {verb(len(gone), 'was', 'were')} deleted while the cluster was read: "
                f"{listed(map(cut, gone))}.",
                (f"/brokers/topics/{name}" for name in gone),
                topics=gone,
            )
        )
    refused = [name for name in layout.topics if name_error(name) is not None]
    if refused:
        out.append(
            finding(
                "topic_name_refused",
                Severity.ATTENTION,
                f"{counted(len(refused), 'topic')} {verb(len(refused), 'has', 'have')} a name that Kafka refuses: "
                f"{listed(map(cut, refused))}. Kafka's have at most {LONGEST_NAME} letters, digits, '.', '_' and '-'.",
                (f"/brokers/topics/{name}" for name in refused),
                topics=refused,
            )
        )
    if told.deleting:
        out.append(
            finding(
                "topic_being_deleted",
                Severity.NOTE,
                f"{counted(len(told.deleting), 'topic')} {verb(len(told.deleting), 'is', 'are')} to be deleted: "
                f"{listed(map(cut, told.deleting))}. Kafka does so once their replicas' brokers are alive.",
                (f"/admin/delete_topics/{name}" for name in told.deleting),
                topics=told.deleting,
            )
        )
    for path, names in told.odd.items():
        if names:
            out.append(
                finding(
                    "odd_node",
                    Severity.ATTENTION,
                    f"{path} has {counted(len(names), 'child', 'children')} whose name is not a broker id; "
                    f"{verb(len(names), 'it is', 'they are')} left out.",
                    (f"{path}/{name}" for name in names),
                )
            )
    unknown = sorted({topic for topic, partition in told.pending if layout.row(topic, partition) is None})
    if unknown:
        out.append(
            finding(
                "reassignment_of_unknown_partition",
                Severity.ATTENTION,
                f"/admin/reassign_partitions names partitions that do not exist, of {listed(map(cut, unknown))}.",
                ("/admin/reassign_partitions",),
                topics=unknown,
            )
        )
    if told.preferred:
        out.append(
            finding(
                "preferred_election_under_way",
                Severity.NOTE,
                "A preferred election is pending: leaders are about to change.",
                ("/admin/preferred_replica_election",),
            )
        )
    if told.migrating:
        out.append(
            finding(
                "migrating_to_kraft",
                Severity.ATTENTION,
                f"A migration from ZooKeeper to KRaft is in progress ({MIGRATION} exists): nothing must be written to "
                "ZooKeeper's nodes.",
                (MIGRATION,),
            )
        )
    return out


def name_of(topic: str, partition: int) -> str:
    """A partition as sentences name it."""
    return f"{cut(topic)}-{partition}"


def cut(text: str) -> str:
    """A name or path as sentences show it, cut where it is longer than Kafka's own would be."""
    return text if len(text) <= LONGEST_NAME + 60 else f"{text[:LONGEST_NAME]}…"
