"""Reads a cluster's nodes: which to ask for, in which order, and which to ask for again.

What it promises, in this order: nothing is written; a node that is missing, half-written or closed to this account
is a finding and not a crash, and everything else is read all the same; whether it was all true at one moment is
shown or not claimed (``consistency``).

How it works: a first pass asks for the few nodes, then what they name: brokers, topics, configurations, and then every
partition's state, thousands in flight. Rounds of looking again follow where something changed meanwhile. A node that
came or went in a round is asked for or dropped by the same ``complete`` that the first pass uses.

Complexity: one request a node: with B brokers, T topics, C configurations and P partitions B + T + C + P + 10 in the
first pass, at most as many in each further round. Memory: a few numbers a partition.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np
from kazoo.exceptions import NoAuthError

from reseat.errors import ClusterUnreachable
from reseat.formats.reading import LIMITS
from reseat.model import Consistency, Snapshot
from reseat.sources.connection import Connection
from reseat.sources.live import Progress, Report
from reseat.sources.zookeeper.brokers import complemented
from reseat.sources.zookeeper.client import close_client, open_reading_client
from reseat.sources.zookeeper.consistency import ROUNDS
from reseat.sources.zookeeper.gathered import Access, Gathered, Node, shown
from reseat.sources.zookeeper.nodes import (
    TopicNode,
    broker_node,
    config_node,
    document_of,
    fault_of,
    partition_state,
    reassignment_node,
    topic_node,
    whole_number,
)
from reseat.sources.zookeeper.permissions import MIGRATION, PERMISSIONS_NEEDED
from reseat.sources.zookeeper.pipelined import Pipeline, Told
from reseat.sources.zookeeper.read_only import ReadOnlyZooKeeper
from reseat.sources.zookeeper.snapshot import snapshot_of
from reseat.sources.zookeeper.topics import Seen, Topic

__all__ = ["BROKER_CONFIGS", "DEFAULT_ENTITY", "TOPIC_CONFIGS", "read"]

#: Broker configurations that matter; nothing else leaves a broker's node, which may hold passwords.
BROKER_CONFIGS = frozenset(
    {
        "auto.leader.rebalance.enable",
        "follower.replication.throttled.rate",
        "leader.replication.throttled.rate",
        "min.insync.replicas",
        "unclean.leader.election.enable",
    }
)
#: Overrides of topics that matter.
TOPIC_CONFIGS = frozenset(
    {
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
        "min.insync.replicas",
        "unclean.leader.election.enable",
    }
)
#: The entity below /config/brokers whose values hold for every broker without its own.
DEFAULT_ENTITY = "<default>"
_T = TypeVar("_T")

#: Answers between two reports of progress.
_REPORT_EVERY = 500


def read(connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None) -> Snapshot:
    """Read a cluster from ZooKeeper; see ``reseat.sources.zookeeper.read_zookeeper_cluster``."""
    taken_at = datetime.now(UTC)
    say = report or (lambda _: None)
    say(Progress("connecting to ZooKeeper"))
    client = open_reading_client(connection, cancelled=cancelled)
    try:
        pipeline = Pipeline(
            ReadOnlyZooKeeper(client),
            server=connection.address,
            patience=connection.timeout_seconds,
            cancelled=cancelled,
        )
        reader = _Reader(pipeline, connection, say)
        consistency, unsettled = reader.read()
    finally:
        close_client(client)
    told = reader.told
    snapshot = snapshot_of(told, connection, taken_at, consistency, unsettled)
    return complemented(snapshot, connection, told.registrations, report=report, cancelled=cancelled)


class _Reader:
    """The passes over the nodes."""

    def __init__(self, pipeline: Pipeline, connection: Connection, say: Report) -> None:
        self.told = Gathered()
        self._pipeline = pipeline
        self._connection = connection
        self._say = say
        self._broker_ids: list[str] = []
        self._topic_names: list[str] = []
        self._configured_topics: list[str] = []
        self._configured_brokers: list[str] = []

    def read(self) -> tuple[Consistency, tuple[str, ...]]:
        """Read everything; whether it is consistent, and the topics that changed where it is not."""
        self._pipeline.sync()
        self._ask(self._few(), "brokers and topics")
        self._refuse_unless_kafka()
        self._complete()
        for round_ in range(ROUNDS + 1):
            span = self.told.span()
            if span.holds:
                return Consistency.CONSISTENT, ()
            if round_ < ROUNDS:
                self._pipeline.sync()
                self._look_again(span.newest)
                self._complete()
        return Consistency.UNSETTLED, self._changed_after(span.floor)

    # ---- which nodes -----------------------------------------------------------------------------------------

    def _few(self) -> list[Node]:
        return [
            Node("/brokers/ids", True, self._take_broker_ids),
            Node("/brokers/topics", True, self._take_topic_names),
            Node("/controller", False, self._take_controller),
            Node("/controller_epoch", False, self._take_controller_epoch),
            Node("/cluster/id", False, self._take_cluster_id),
            Node("/admin/reassign_partitions", False, self._take_reassignment),
            Node("/admin/preferred_replica_election", False, self._take_preferred),
            Node("/admin/delete_topics", True, self._take_deleting),
            Node(MIGRATION, False, self._take_migration),
            Node("/config/topics", True, self._take_configured_topics),
            Node("/config/brokers", True, self._take_configured_brokers),
        ]

    def _complete(self) -> None:
        """Ask for whatever the nodes read so far name and that was not asked for; drop what they no longer name."""
        told = self.told
        ids = {f"/brokers/ids/{name}": int(name) for name in self._broker_ids}
        topics = {f"/brokers/topics/{name}": name for name in self._topic_names}
        listed = set(self._topic_names)
        topic_configs = {f"/config/topics/{name}": name for name in self._configured_topics if name in listed}
        broker_configs = {f"/config/brokers/{name}": name for name in self._configured_brokers}
        wanted = ids.keys() | topics.keys() | topic_configs.keys() | broker_configs.keys()
        for path in [p for p in told.nodes if _is_named(p) and p not in wanted]:
            self._drop(path)
        new: list[Node] = []
        for path, broker in ids.items():
            if path not in told.nodes:
                new.append(Node(path, False, self._taking_broker(broker, path)))
        for path, name in broker_configs.items():
            if path not in told.nodes:
                new.append(Node(path, False, self._taking_broker_config(name, path)))
        self._ask(new, "brokers")
        self._ask(
            [Node(path, False, self._taking_topic(name)) for path, name in topics.items() if path not in told.nodes],
            "topics",
        )
        self._ask(
            [
                Node(path, False, self._taking_topic_config(name, path))
                for path, name in topic_configs.items()
                if path not in told.nodes
            ],
            "topic configurations",
        )
        self._leave_out_beyond_the_limit()
        self._ask_states()

    def _leave_out_beyond_the_limit(self) -> None:
        """Leave out the partitions of topics, in order, once there are more than Reseat reads at once."""
        room = LIMITS.partitions
        for topic in self.told.topics.values():
            room -= len(topic.known)
            if room < 0:
                self.told.faults[topic.path] = (f"is beyond the {LIMITS.partitions:,} partitions that are read",)
                topic.begin(TopicNode())
                room = 0

    def _drop(self, path: str) -> None:
        told = self.told
        del told.nodes[path]
        told.faults.pop(path, None)
        kind, _, name = path.rpartition("/")
        if kind == "/brokers/ids":
            told.registrations.pop(int(name), None)
        elif kind == "/brokers/topics":
            told.topics.pop(name, None)
        elif kind == "/config/topics":
            told.topic_configs.pop(name, None)
        else:
            told.broker_configs.pop(None if name == DEFAULT_ENTITY else int(name), None)

    def _refuse_unless_kafka(self) -> None:
        """Refuse a ZooKeeper without a Kafka cluster below the chroot, or one that is closed to this account.

        Raises:
            ClusterUnreachable: as said.
        """
        ids, topics = self.told.nodes["/brokers/ids"], self.told.nodes["/brokers/topics"]
        closed = [node.path for node in (ids, topics) if node.access is Access.DENIED]
        if closed:
            raise ClusterUnreachable(
                f"This account may not read {' and '.join(closed)} in ZooKeeper. {PERMISSIONS_NEEDED}",
                "authorization",
                self._connection.address,
            )
        if ids.access is Access.MISSING and topics.access is Access.MISSING:
            raise ClusterUnreachable(
                f"ZooKeeper holds no Kafka cluster below {self._connection.chroot or '/'}: there is neither "
                "/brokers/ids nor /brokers/topics.{} The chroot is the path after the hosts in the brokers' "
                "zookeeper.connect.".format(self._elsewhere()),
                "chroot",
                self._connection.address,
            )

    def _elsewhere(self) -> str:
        """Which children of the chroot hold a Kafka cluster, as a sentence."""
        names: list[str] = []
        for _, _, _, told in self._pipeline.children([("/", None)]):
            if isinstance(told, tuple):
                names = sorted(told[0])[:100]
        found = [
            name
            for _, name, _, stat in self._pipeline.exists((f"/{name}/brokers/ids", name) for name in names)
            if stat is not None and not isinstance(stat, BaseException)
        ]
        chroot = self._connection.chroot.rstrip("/")
        return f" There is one below {' and one below '.join(f'{chroot}/{name}' for name in found)}." if found else ""

    # ---- asking ----------------------------------------------------------------------------------------------

    def _ask(self, nodes: list[Node], step: str) -> None:
        """Ask for nodes, remember when they were seen, and let them take what was told."""
        missing: list[Node] = []
        for lists in (False, True):
            asked = [(node.path, node) for node in nodes if node.lists is lists]
            if not asked:
                continue
            answers = (self._pipeline.children if lists else self._pipeline.get)(asked)
            for _, node, floor, told in self._counted(answers, step, len(asked)):
                self.told.nodes[node.path] = node
                self.told.faults.pop(node.path, None)
                node.floor = floor
                if isinstance(told, tuple):
                    value, stat = told
                    node.access, node.newest = Access.TOLD, stat.pzxid if lists else stat.mzxid
                    node.take(value)
                    continue
                node.access = _access(told)
                if node.access is Access.MISSING:
                    missing.append(node)
                elif node.access is Access.UNUSABLE:
                    self.told.faults[node.path] = ("could not be read as ZooKeeper sent it",)
                node.take(None)
        for node, newest in self._explained((node.path, node) for node in missing):
            node.newest = newest

    def _ask_states(self) -> None:
        """Ask for the states of all partitions of which they are not known."""
        topics = [topic for topic in self.told.topics.values() if not all(topic.known)]
        total = sum(topic.known.count(Seen.ASKED) for topic in topics)
        # Made as they are sent: a hundred thousand paths at once would be most of the memory of this reading.
        asked = ((topic.state_path(position), (topic, position)) for topic in topics for position in topic.unasked())
        missing = []
        for _, (topic, position), floor, told in self._counted(self._pipeline.get(asked), "partition states", total):
            topic.floor[position] = floor
            if isinstance(told, tuple):
                data, stat = told
                topic.newest[position] = stat.mzxid
                topic.take(position, partition_state(data))
            elif told is None:
                topic.known[position] = Seen.MISSING
                missing.append((topic, position))
            else:
                denied = _access(told) is Access.DENIED
                topic.known[position] = Seen.DENIED if denied else Seen.UNUSABLE
        self._explain_states(missing)

    def _explain_states(self, missing: list[tuple[Topic, int]]) -> None:
        explained = self._explained((topic.state_path(position), (topic, position)) for topic, position in missing)
        for (topic, position), newest in explained:
            topic.newest[position] = newest

    def _explained(self, missing: Iterable[tuple[str, _T]]) -> Iterator[tuple[_T, int]]:
        """Since when nodes are missing at the latest: the pzxid of the nearest ancestor that is there.

        Yields:
            (item, zxid) of each.
        """
        waiting = [(_parent(path), item) for path, item in missing]
        while waiting:
            higher = []
            for path, item, _, stat in self._pipeline.exists(waiting):
                if stat is None and path != "/":
                    higher.append((_parent(path), item))
                else:
                    # Where even this cannot be told, the absence is newer than anything: never part of a claim.
                    yield item, getattr(stat, "pzxid", np.iinfo(np.int64).max)
            waiting = higher

    def _counted(self, answers: Iterator[_T], step: str, total: int) -> Iterator[_T]:
        self._say(Progress(step, 0, total))
        for done, answer in enumerate(answers, 1):
            yield answer
            if done % _REPORT_EVERY == 0 or done == total:
                self._say(Progress(step, done, total))

    # ---- looking again ---------------------------------------------------------------------------------------

    def _look_again(self, moment: int) -> None:
        """Look at every node that was seen before ``moment`` again, and read again those that changed."""
        told = self.told
        nodes = [n for n in told.nodes.values() if n.floor < moment and n.access in (Access.TOLD, Access.MISSING)]
        changed: list[Node] = []
        asked = [(node.path, node) for node in nodes]
        for _, node, floor, stat in self._counted(self._pipeline.exists(asked), "looking again", len(asked)):
            newest = None if stat is None else getattr(stat, "pzxid" if node.lists else "mzxid", None)
            if node.access is Access.TOLD and newest == node.newest:
                node.floor = floor
            else:
                changed.append(node)
        self._ask(changed, "nodes that changed")
        seen_before = {
            name: np.flatnonzero(shown(topic) & (np.frombuffer(topic.floor, np.int64) < moment))
            for name, topic in told.topics.items()
        }
        total = sum(map(len, seen_before.values()))
        states = (
            (topic.state_path(position), (topic, position))
            for topic in told.topics.values()
            for position in seen_before[topic.name].tolist()
        )
        again: list[tuple[str, tuple[Topic, int]]] = []
        for path, (topic, position), floor, stat in self._counted(
            self._pipeline.exists(states), "looking again at partition states", total
        ):
            missing = topic.known[position] == Seen.MISSING
            if stat is not None and not missing and getattr(stat, "mzxid", None) == topic.newest[position]:
                topic.floor[position] = floor
            else:
                again.append((path, (topic, position)))
        self._read_states_again(again)

    def _read_states_again(self, again: list[tuple[str, tuple[Topic, int]]]) -> None:
        missing = []
        for _, (topic, position), floor, answer in self._pipeline.get(again):
            topic.floor[position] = floor
            if isinstance(answer, tuple):
                data, stat = answer
                topic.newest[position] = stat.mzxid
                topic.take_again(position, partition_state(data), Seen.TOLD)
            elif answer is None:
                topic.take_again(position, None, Seen.MISSING)
                missing.append((topic, position))
            else:
                topic.take_again(position, None, Seen.DENIED if _access(answer) is Access.DENIED else Seen.UNUSABLE)
        self._explain_states(missing)

    def _changed_after(self, zxid: int) -> tuple[str, ...]:
        """Topics with a node that changed after a zxid."""
        told = self.told
        names = set()
        for topic in told.topics.values():
            nodes = [told.nodes.get(topic.path), told.nodes.get(f"/config/topics/{topic.name}")]
            states = np.frombuffer(topic.newest, np.int64)[shown(topic)]
            if any(node is not None and node.newest > zxid for node in nodes) or (states > zxid).any():
                names.add(topic.name)
        return tuple(sorted(names))

    # ---- what nodes tell -------------------------------------------------------------------------------------

    def _take_broker_ids(self, names: object) -> None:
        self._broker_ids = self._ids_among("/brokers/ids", names)

    def _take_configured_brokers(self, names: object) -> None:
        given = names if isinstance(names, list) else []
        ids = self._ids_among("/config/brokers", [name for name in given if name != DEFAULT_ENTITY])
        self._configured_brokers = [*ids, *([DEFAULT_ENTITY] if DEFAULT_ENTITY in given else [])]

    def _ids_among(self, path: str, names: object) -> list[str]:
        given = sorted(names) if isinstance(names, list) else []
        self.told.odd[path] = tuple(name for name in given if whole_number(name) is None)
        return [name for name in given if whole_number(name) is not None]

    def _take_topic_names(self, names: object) -> None:
        self._topic_names = sorted(names) if isinstance(names, list) else []

    def _take_configured_topics(self, names: object) -> None:
        self._configured_topics = sorted(names) if isinstance(names, list) else []

    def _take_deleting(self, names: object) -> None:
        self.told.deleting = tuple(sorted(names)) if isinstance(names, list) else ()

    def _take_controller(self, data: object) -> None:
        self.told.controller = None
        if isinstance(data, bytes):
            document = document_of(data)
            self.told.controller = None if document is None else whole_number(document.get("brokerid"))
            if self.told.controller is None:
                self.told.faults["/controller"] = (
                    fault_of(data) if document is None else "does not tell 'brokerid' as a number",
                )

    def _take_controller_epoch(self, data: object) -> None:
        text = data.decode("ascii", "replace") if isinstance(data, bytes) else ""
        self.told.controller_epoch = whole_number(text) if text else None

    def _take_cluster_id(self, data: object) -> None:
        document = document_of(data) if isinstance(data, bytes) else None
        told = None if document is None else document.get("id")
        self.told.cluster_id = told if isinstance(told, str) and told else None
        if isinstance(data, bytes) and self.told.cluster_id is None:
            self.told.faults["/cluster/id"] = (fault_of(data) if document is None else "does not tell 'id' as a text",)

    def _take_reassignment(self, data: object) -> None:
        self.told.pending = {}
        if isinstance(data, bytes):
            self.told.pending, fault = reassignment_node(data)
            if fault is not None:
                self.told.faults["/admin/reassign_partitions"] = (fault,)

    def _take_preferred(self, data: object) -> None:
        self.told.preferred = data is not None

    def _take_migration(self, data: object) -> None:
        self.told.migrating = data is not None

    def _taking_broker(self, broker: int, path: str) -> Callable[[object], None]:
        def take(data: object) -> None:
            told = broker_node(broker, data if isinstance(data, bytes) else None)
            self.told.registrations[broker] = told
            if told.faults and self.told.nodes[path].access is Access.TOLD:
                self.told.faults[path] = told.faults

        return take

    def _taking_topic(self, name: str) -> Callable[[object], None]:
        def take(data: object) -> None:
            topic = self.told.topics.setdefault(name, Topic(name))
            node = topic_node(data if isinstance(data, bytes) else None)
            topic.begin(node)
            if node.faults and self.told.nodes[topic.path].access is Access.TOLD:
                self.told.faults[topic.path] = node.faults

        return take

    def _taking_topic_config(self, name: str, path: str) -> Callable[[object], None]:
        def take(data: object) -> None:
            if isinstance(data, bytes):
                self.told.topic_configs[name], fault = config_node(data, TOPIC_CONFIGS)
                if fault is not None:
                    self.told.faults[path] = (fault,)

        return take

    def _taking_broker_config(self, name: str, path: str) -> Callable[[object], None]:
        def take(data: object) -> None:
            if isinstance(data, bytes):
                entity = None if name == DEFAULT_ENTITY else int(name)
                self.told.broker_configs[entity], fault = config_node(data, BROKER_CONFIGS)
                if fault is not None:
                    self.told.faults[path] = (fault,)

        return take


def _access(told: Told) -> Access:
    if told is None:
        return Access.MISSING
    return Access.DENIED if isinstance(told, NoAuthError) else Access.UNUSABLE


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _is_named(path: str) -> bool:
    """Whether a node was asked for because another names it."""
    return path.startswith(("/brokers/ids/", "/brokers/topics/", "/config/topics/", "/config/brokers/"))
