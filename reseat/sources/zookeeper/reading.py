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
from reseat.formats.input.reading import LIMITS
from reseat.model import Consistency, Snapshot
from reseat.sources.connection import Connection
from reseat.sources.progress import ReadingProgress, Report
from reseat.sources.zookeeper.brokers import complemented
from reseat.sources.zookeeper.client import close_client, open_reading_client
from reseat.sources.zookeeper.consistency import ROUNDS
from reseat.sources.zookeeper.gathered import Node, NodeAccess, shown
from reseat.sources.zookeeper.nodes import TopicNode, partition_state
from reseat.sources.zookeeper.permissions import PERMISSIONS_NEEDED
from reseat.sources.zookeeper.pipelined import NodeResult, Pipeline
from reseat.sources.zookeeper.read_only import ReadOnlyZooKeeper
from reseat.sources.zookeeper.snapshot import snapshot_of
from reseat.sources.zookeeper.taking import Taking
from reseat.sources.zookeeper.topics import StateNode, Topic

__all__ = ["read"]

_T = TypeVar("_T")

#: Answers between two reports of progress.
REPORT_EVERY = 500


def read(connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None) -> Snapshot:
    """Read a cluster from ZooKeeper; see ``reseat.sources.zookeeper.read_zookeeper_cluster``."""
    taken_at = datetime.now(UTC)
    say = report or (lambda _: None)
    say(ReadingProgress("ZooKeeper"))
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
        self._taking = Taking()
        self.told = self._taking.told
        self._pipeline = pipeline
        self._connection = connection
        self._say = say

    def read(self) -> tuple[Consistency, tuple[str, ...]]:
        """Read everything; whether it is consistent, and the topics that changed where it is not."""
        self._pipeline.sync()
        self._ask(self._taking.few(), "brokers and topics")
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

    def _complete(self) -> None:
        """Ask for whatever the nodes read so far name and that was not asked for; drop what they no longer name."""
        told = self.told
        ids = {f"/brokers/ids/{name}": int(name) for name in self._taking.broker_ids}
        topics = {f"/brokers/topics/{name}": name for name in self._taking.topic_names}
        listed = set(self._taking.topic_names)
        topic_configs = {f"/config/topics/{name}": name for name in self._taking.configured_topics if name in listed}
        broker_configs = {f"/config/brokers/{name}": name for name in self._taking.configured_brokers}
        wanted = ids.keys() | topics.keys() | topic_configs.keys() | broker_configs.keys()
        for path in [p for p in told.nodes if _is_named(p) and p not in wanted]:
            self._taking.drop(path)

        def lacking(named: dict[str, _T], taker: Callable[[_T, str], Callable[[object], None]]) -> list[Node]:
            return [Node(path, False, taker(name, path)) for path, name in named.items() if path not in told.nodes]

        taking = self._taking
        self._ask([*lacking(ids, taking.broker), *lacking(broker_configs, taking.broker_config)], "brokers")
        self._ask(lacking(topics, taking.topic), "topics")
        self._ask(lacking(topic_configs, taking.topic_config), "topic configurations")
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

    def _refuse_unless_kafka(self) -> None:
        """Refuse a ZooKeeper without a Kafka cluster below the chroot, or one that is closed to this account.

        Raises:
            ClusterUnreachable: as said.
        """
        ids, topics = self.told.nodes["/brokers/ids"], self.told.nodes["/brokers/topics"]
        closed = [node.path for node in (ids, topics) if node.access is NodeAccess.DENIED]
        if closed:
            raise ClusterUnreachable(
                f"This account may not read {' and '.join(closed)} in ZooKeeper. {PERMISSIONS_NEEDED}",
                "authorization",
                self._connection.address,
            )
        if ids.access is NodeAccess.MISSING and topics.access is NodeAccess.MISSING:
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
                    node.access, node.newest = NodeAccess.TOLD, stat.pzxid if lists else stat.mzxid
                    node.take(value)
                    continue
                node.access = _access(told)
                if node.access is NodeAccess.MISSING:
                    missing.append(node)
                elif node.access is NodeAccess.UNUSABLE:
                    self.told.faults[node.path] = ("could not be read as ZooKeeper sent it",)
                node.take(None)
        for node, newest in self._explained((node.path, node) for node in missing):
            node.newest = newest

    def _ask_states(self) -> None:
        """Ask for the states of all partitions of which they are not known."""
        topics = [topic for topic in self.told.topics.values() if not all(topic.known)]
        total = sum(topic.known.count(StateNode.ASKED) for topic in topics)
        # Made as they are sent: a hundred thousand paths at once would be most of the memory of this reading.
        asked = ((topic.state_path(position), (topic, position)) for topic in topics for position in topic.unasked())
        self._take_states(self._counted(self._pipeline.get(asked), "partition states", total), again=False)

    def _take_states(self, answers: Iterable[tuple[str, tuple[Topic, int], int, NodeResult]], *, again: bool) -> None:
        missing = []
        for _, (topic, position), floor, told in answers:
            topic.floor[position] = floor
            if isinstance(told, tuple):
                data, stat = told
                topic.newest[position] = stat.mzxid
                topic.take(position, partition_state(data), StateNode.TOLD, again=again)
            elif told is None:
                topic.take(position, None, StateNode.MISSING, again=again)
                missing.append((topic, position))
            else:
                denied = _access(told) is NodeAccess.DENIED
                topic.take(position, None, StateNode.DENIED if denied else StateNode.UNUSABLE, again=again)
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
        self._say(ReadingProgress(step, 0, total))
        for done, answer in enumerate(answers, 1):
            yield answer
            if done % REPORT_EVERY == 0 or done == total:
                self._say(ReadingProgress(step, done, total))

    # ---- looking again ---------------------------------------------------------------------------------------

    def _look_again(self, moment: int) -> None:
        """Look at every node that was seen before ``moment`` again, and read again those that changed."""
        told = self.told
        nodes = [
            n for n in told.nodes.values() if n.floor < moment and n.access in (NodeAccess.TOLD, NodeAccess.MISSING)
        ]
        changed: list[Node] = []
        asked = [(node.path, node) for node in nodes]
        for _, node, floor, stat in self._counted(self._pipeline.exists(asked), "nodes, a second time", len(asked)):
            newest = None if stat is None else getattr(stat, "pzxid" if node.lists else "mzxid", None)
            if node.access is NodeAccess.TOLD and newest == node.newest:
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
            self._pipeline.exists(states), "partition states, a second time", total
        ):
            missing = topic.known[position] == StateNode.MISSING
            if stat is not None and not missing and getattr(stat, "mzxid", None) == topic.newest[position]:
                topic.floor[position] = floor
            else:
                again.append((path, (topic, position)))
        self._take_states(self._pipeline.get(again), again=True)

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


def _access(told: NodeResult) -> NodeAccess:
    if told is None:
        return NodeAccess.MISSING
    return NodeAccess.DENIED if isinstance(told, NoAuthError) else NodeAccess.UNUSABLE


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _is_named(path: str) -> bool:
    """Whether a node was asked for because another names it."""
    return path.startswith(("/brokers/ids/", "/brokers/topics/", "/config/topics/", "/config/brokers/"))
