"""Writing to a cluster through ZooKeeper's nodes, for clusters whose brokers' Admin protocol cannot do it (before 2.4).

What it promises, in this order: no node of somebody else's is overwritten or removed; every change is a compare-and-set
or a creation that fails where there is one already; a node is never more open than its neighbours; after a lost
connection it is found out by reading whether the write was carried out.

How it works: the controller watches a few paths and acts on what appears there.

1. ``/admin/reassign_partitions``: the replica lists wanted. It is created and never changed here: where there is one
   it is another reassignment, ours or not. The controller takes each partition out when it is done, then the node away.
2. ``/admin/preferred_replica_election``: partitions for a preferred election; removed when it was held.
3. ``/config/brokers/ID`` and ``/config/topics/T`` with all dynamic settings of an entity: read, changed in the keys
   meant, written with the version read, together with a numbered node below ``/config/changes`` that tells every
   broker to look.
4. ``/config/topics/T`` and ``/brokers/topics/T``, in one transaction: a new topic.

What the nodes cannot do, by their nature: answer by partition (what can be checked beforehand is checked, and refused
with the name that Kafka gives it elsewhere); be taken back (the controller looks at the reassignment node when it
appears, not when it goes: removing it stops nothing, measured on 2.8.2); hold an unclean election.

Example: ``{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,3]}]}``.

Complexity: ``reassigning`` reads every topic's node, since any of them may tell of replicas being added (KIP-455).

Source: Kafka's ``ZkData``, ``KafkaController``, ``AdminZkClient``, ``DynamicConfigManager`` (2.8.2); KIP-455, KIP-73.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import orjson
from kazoo.exceptions import NodeExistsError

from reseat.errors import ClusterUnreachable, PlacementRefused, WishRefused
from reseat.operate.error_names import NONE
from reseat.operate.holdings import copied_bytes, held
from reseat.operate.patience import Patience
from reseat.operate.target import Assignment, Election, Partition, Throttles
from reseat.operate.throttle_names import BROKER_SETTINGS, TOPIC_SETTINGS, Settings, by_entity, from_entities
from reseat.operate.zookeeper_session import Change, Lost, Node, ZooKeeperSession
from reseat.placement.topic_names import colliding, name_error
from reseat.placement.topic_spec import TopicSpec, zookeeper_nodes
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.nodes import (
    TopicNode,
    broker_node,
    document_of,
    partition_state,
    reassignment_node,
    topic_node,
    whole_number,
)
from reseat.sources.zookeeper.permissions import MIGRATION

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient
    from reseat.sources.kafka_admin.log_ends import LogEnd

__all__ = ["BATCH_BYTES", "ZooKeeperTarget"]

#: A node and its path must stay below jute.maxbuffer (1,048,575 bytes by default), on brokers and servers alike.
BATCH_BYTES = 900_000

_REASSIGN = "/admin/reassign_partitions"
_ELECT = "/admin/preferred_replica_election"
_CHANGES = "/config/changes/config_change_"
#: How long the controller may take to hold an election: as for ``AdminTarget``, one that died must be replaced first.
_CONTROLLER_SECONDS = 60.0
#: How often a node that somebody else changes at the same time is read and written again.
_TRIES = 10
#: Brokers that could not be asked for sizes are left alone this long.
_ASIDE_SECONDS = 60.0
#: Partitions in one election's node: names of 249 characters still fit.
_ELECTED_AT_ONCE = 2_500

_Told = TypeVar("_Told")


class ZooKeeperTarget:
    """A cluster that is written to through ZooKeeper's nodes.

    Args:
        connection: servers, chroot and security; ``bootstrap`` beside them serves for sizes alone.
        session: an open session to use instead of opening one.
        patience: how long an election is waited for.
        clock: seconds that only grow.

    Raises:
        ClusterUnreachable: ZooKeeper does not answer, or does not let this user in.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        session: ZooKeeperSession | None = None,
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._zookeeper = session or ZooKeeperSession(connection)
        self._patience = patience or Patience(max(_CONTROLLER_SECONDS, connection.timeout_seconds))
        self._clock = clock
        self._admin: AdminClient | None = None
        self._aside_until = clock()

    @property
    def way(self) -> str:
        """``zookeeper``."""
        return "zookeeper"

    @property
    def one_at_a_time(self) -> bool:
        """True: while the node is there, ``reassign`` answers REASSIGNMENT_IN_PROGRESS."""
        return True

    @property
    def batch_bytes(self) -> int | None:
        """``BATCH_BYTES``; a larger batch is answered with MESSAGE_TOO_LARGE and not sent."""
        return BATCH_BYTES

    @property
    def can_cancel(self) -> bool:
        """False: removing the node stops nothing. On 2.4 and later the Admin protocol can (``AdminTarget``)."""
        return False

    # ---- reading -----------------------------------------------------------------------------------------------

    def cluster_id(self) -> str:
        """The id in ``/cluster/id``; see ``Target``."""
        node = self._zookeeper.read(["/cluster/id"])[0]
        found = (document_of(node.data) or {}).get("id") if node is not None else None
        if not isinstance(found, str):
            raise ClusterUnreachable("ZooKeeper has no /cluster/id that tells an id. Is the chroot right?", "chroot")
        return found

    def migrating(self) -> bool:
        """Whether ``/migration`` is there; see ``Target``.

        A KRaft controller does not look at what is written into the nodes below ``/admin``, and a controller of the
        ZooKeeper era acts on it when it is back: hours later, if the migration is taken back.
        """
        return self._zookeeper.read([MIGRATION])[0] is not None

    def alive(self) -> frozenset[int]:
        """Brokers registered in ``/brokers/ids``; see ``Target``."""
        names = self._zookeeper.children("/brokers/ids")
        if names is None:
            raise ClusterUnreachable("ZooKeeper has no /brokers/ids. Is the chroot right?", "chroot")
        return frozenset(broker for broker in map(whole_number, names) if broker is not None)

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        """These partitions as topic and state nodes tell them; see ``Target``.

        Before 2.4 only the reassignment node tells what is under way: its partitions are shown as adding and removing
        what still differs. One whose order alone changes is ``under_way`` in neither; ``reassigning`` has it.
        """
        wanted = list(dict.fromkeys(partitions))
        pending = self._pending()
        return self._told(wanted, self._topics({topic for topic, _ in wanted}), pending)

    def reassigning(self) -> dict[Partition, Assignment]:
        """Every reassignment under way, also in the node and not begun; whoever started it. See ``Target``."""
        pending = self._pending()  # read first: one that ends in between is still told
        topics = self._topics(self._zookeeper.children("/brokers/topics") or ())
        moving = {(name, one) for name, node in topics.items() for one in (*node.adding, *node.removing)}
        wanted = sorted(moving | pending.keys())
        told = self._told(wanted, topics, pending)
        # A partition that the node names and that is gone is under way all the same until the controller drops it.
        return {one: told.get(one, Assignment((), adding=pending.get(one, ()))) for one in wanted}

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        """The throttles in the settings of these brokers and topics; a topic that is gone is absent. See ``Target``."""
        ids, names = list(dict.fromkeys(brokers)), list(dict.fromkeys(topics))
        there = self._zookeeper.read([_topic_path(name) for name in names])
        names = [name for name, node in zip(names, there, strict=True) if node is not None]
        paths = [*(f"/config/brokers/{broker}" for broker in ids), *(f"/config/topics/{name}" for name in names)]
        told = [_settings_of(node) for node in self._zookeeper.read(paths)]
        return from_entities(
            {broker: _only(BROKER_SETTINGS, settings) for broker, settings in zip(ids, told[: len(ids)], strict=True)},
            {name: _only(TOPIC_SETTINGS, settings) for name, settings in zip(names, told[len(ids) :], strict=True)},
        )

    def holdings(self, brokers: Sequence[int]) -> dict[int, frozenset[Partition]] | None:
        """What log directories hold, through the brokers' Admin protocol where it can be reached; see ``Target``."""
        alive = self.alive().intersection(brokers)
        return self._ask_brokers(lambda admin: held(admin, alive)) or None

    def copied(
        self, partitions: Sequence[Partition], brokers: Sequence[int]
    ) -> dict[tuple[Partition, int], int] | None:
        """Bytes that brokers hold, through their Admin protocol where it can be reached; see ``Target``."""
        alive = self.alive().intersection(brokers)
        return self._ask_brokers(lambda admin: copied_bytes(admin, partitions, alive))

    def log_ends(self, partitions: Sequence[Partition]) -> dict[tuple[Partition, int], LogEnd]:
        """Where logs end, through the brokers' Admin protocol where it can be reached; see ``Target``."""
        from reseat.sources.kafka_admin.log_ends import log_ends

        alive = self.alive()
        return self._ask_brokers(lambda admin: log_ends(admin, partitions, alive)) or {}

    # ---- writing -----------------------------------------------------------------------------------------------

    def reassign(
        self, targets: Mapping[Partition, Sequence[int]], *, keeps_factor: bool = False
    ) -> dict[Partition, str | None]:
        """Create the reassignment node; see ``Target``.

        What Kafka would drop in silence is left out and told: a partition that is not there, a list that is empty or
        names a broker twice, a broker that is not alive. Where a node is there already nothing is sent.
        """
        asked = {one: tuple(replicas) for one, replicas in targets.items()}
        self._refuse_in_migration()
        answers = self._refused(asked, keeps_factor=keeps_factor)
        sent = {one: replicas for one, replicas in asked.items() if one not in answers}
        if sent:
            answers |= dict.fromkeys(sent, self._create_reassignment(sent))
        return {one: answers[one] for one in asked}

    def cancel(self, partitions: Sequence[Partition]) -> dict[Partition, str | None]:
        """UNSUPPORTED_VERSION for each: the node cannot take anything back, and is left alone."""
        return dict.fromkeys(partitions, "UNSUPPORTED_VERSION")

    def elect(self, election: Election, partitions: Sequence[Partition]) -> dict[Partition, str]:
        """Hold a preferred election: create the node, wait until the controller has removed it, read the leaders.

        The node answers nothing, so the names are what the leaders before and after mean.

        Raises:
            WishRefused: an unclean election, which cannot be asked for through a node.
            ClusterUnreachable: no controller takes the node away within bounds; it then stays, and is held later.
        """
        if election is not Election.PREFERRED:
            raise WishRefused(
                "An unclean election cannot be asked for through ZooKeeper's nodes.",
                choices=("Use the Admin protocol (2.4 and later), or unclean.leader.election.enable on the topic.",),
            )
        self._refuse_in_migration()
        wanted = list(dict.fromkeys(partitions))
        before = self.assignments(wanted)
        there = [one for one in wanted if one in before]
        for start in range(0, len(there), _ELECTED_AT_ONCE):
            self._hold_election(_election_json(there[start : start + _ELECTED_AT_ONCE]))
        after = self.assignments(there)
        return {one: _answer(before.get(one), after.get(one)) for one in wanted}

    def create_topic(
        self, topic: str, assignments: Mapping[int, Sequence[int]], configs: Mapping[str, str]
    ) -> str | None:
        """Make a topic by its two nodes; ids may have gaps, lists may differ in length. See ``Target``.

        The node has the version that the cluster's other topics have, but for the topic id, which a 2.8 controller
        adds. Settings are not checked by Kafka on this way.
        """
        self._refuse_in_migration()
        existing = self._zookeeper.children("/brokers/topics") or []
        refusal = self._topic_refused(topic, assignments, existing)
        if refusal is not None:
            return refusal
        spec = TopicSpec.placed(topic, assignments, configs=tuple(sorted(configs.items())))
        try:
            nodes = zookeeper_nodes(spec, version=self._topic_version(existing))
        except PlacementRefused as error:
            return str(error)
        config, main = ((node.path, node.data.encode()) for node in nodes)
        if max(len(config[1]), len(main[1])) > BATCH_BYTES:
            return f"The topic's node would have {len(main[1]):,} bytes; {BATCH_BYTES:,} are written at most."
        lost = False
        for _ in self._patience.attempts():
            try:
                left = self._zookeeper.read([config[0]])[0]  # settings of a topic of this name that was deleted
                refusals = self._zookeeper.together(
                    [Change(*config, None if left is None else left.version), Change(*main)]
                )
            except Lost:
                lost = True
                continue
            except ClusterUnreachable:
                if lost:
                    break
                raise
            if not any(refusals):
                return None
            if isinstance(refusals[1], NodeExistsError) or self._zookeeper.read([main[0]])[0] is not None:
                now = self._topics([topic]).get(topic)
                same = now is not None and _lists(now) == {one: tuple(ids) for one, ids in assignments.items()}
                return None if lost and same else f"Topic '{topic}' already exists."
        raise _open_question(f"topic {topic}")

    def set_throttles(self, throttles: Throttles) -> None:
        """Write these settings and tell the brokers; None unsets; see ``Target``.

        Other settings of a broker or topic stay as they are. A topic that is gone is passed over. A dead broker's
        settings are written too; it reads them when it starts.

        Raises:
            ClusterUnreachable: ZooKeeper is away or does not allow it, or a node does not hold what Kafka writes.
        """
        self._refuse_in_migration()
        brokers, topics = by_entity(throttles)
        names = list(topics)
        there = self._zookeeper.read([_topic_path(name) for name in names])
        for broker in sorted(brokers):
            self._configure(f"brokers/{broker}", brokers[broker])
        for name, node in zip(names, there, strict=True):
            if node is not None:
                self._configure(f"topics/{name}", topics[name])

    def close(self) -> None:
        """End the session and close every connection."""
        self._zookeeper.close()
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    def _refuse_in_migration(self) -> None:
        if self.migrating():
            raise ClusterUnreachable(
                f"The cluster is between ZooKeeper and KRaft ({MIGRATION} is there): nothing is written into "
                "ZooKeeper's nodes. Go through the brokers; where the migration was rolled back, remove that node as "
                "Kafka's manual says.",
                "configuration",
            )

    # ---- reassignment ------------------------------------------------------------------------------------------

    def _refused(
        self, asked: Mapping[Partition, tuple[int, ...]], *, keeps_factor: bool
    ) -> dict[Partition, str | None]:
        """What cannot be asked for, by the name of Kafka's error."""
        alive = self.alive()
        nodes = self._topics({topic for topic, _ in asked})
        lists = {name: _lists(node) for name, node in nodes.items()}
        refused: dict[Partition, str | None] = {}
        for (topic, one), replicas in asked.items():
            now = lists.get(topic, {}).get(one)
            if now is None:
                refused[topic, one] = "UNKNOWN_TOPIC_OR_PARTITION"
            elif not replicas or len(set(replicas)) < len(replicas) or not alive.union(now).issuperset(replicas):
                refused[topic, one] = "INVALID_REPLICA_ASSIGNMENT"
            elif keeps_factor and len(replicas) != len(set(now).difference(nodes[topic].removing.get(one, ()))):
                refused[topic, one] = "INVALID_REPLICATION_FACTOR"
        return refused

    def _create_reassignment(self, sent: Mapping[Partition, tuple[int, ...]]) -> str | None:
        """Create the node; the answer is that of every partition in it."""
        data = orjson.dumps(
            {
                "version": 1,
                "partitions": [
                    {"topic": topic, "partition": one, "replicas": list(replicas)}
                    for (topic, one), replicas in sent.items()
                ],
            }
        )
        if len(data) > BATCH_BYTES:
            return "MESSAGE_TOO_LARGE"
        lost = False
        for _ in self._patience.attempts():
            try:
                if lost and self._taken(sent):
                    return None
                self._zookeeper.create(_REASSIGN, data)
            except NodeExistsError:
                return None if lost and self._taken(sent) else "REASSIGNMENT_IN_PROGRESS"
            except Lost:
                lost = True
            except ClusterUnreachable:
                if lost:
                    break
                raise
            else:
                return None
        raise _open_question("the reassignment")

    def _taken(self, sent: Mapping[Partition, tuple[int, ...]]) -> bool:
        """Whether all of this is what the node asks for, or is done or begun already: then the lost write was ours."""
        pending = self._pending()
        told = self.assignments(list(sent))
        return all(
            pending.get(one) == replicas or (one in told and _heading(told[one]) == replicas)
            for one, replicas in sent.items()
        )

    def _pending(self) -> dict[Partition, tuple[int, ...]]:
        node = self._zookeeper.read([_REASSIGN])[0]
        if node is None:
            return {}
        pending, fault = reassignment_node(node.data)
        if fault is not None and not pending:
            raise ClusterUnreachable(
                f"The node {_REASSIGN} {fault}: what is under way is unknown. The controller removes such a node "
                "when it next reads it; else look who wrote it.",
                "configuration",
            )
        return pending

    # ---- topics ------------------------------------------------------------------------------------------------

    def _topics(self, names: Iterable[str]) -> dict[str, TopicNode]:
        wanted = sorted(names)
        nodes = self._zookeeper.read([_topic_path(name) for name in wanted])
        return {name: topic_node(node.data) for name, node in zip(wanted, nodes, strict=True) if node is not None}

    def _told(
        self,
        wanted: Sequence[Partition],
        topics: Mapping[str, TopicNode],
        pending: Mapping[Partition, tuple[int, ...]],
    ) -> dict[Partition, Assignment]:
        lists = {name: _lists(node) for name, node in topics.items()}
        there = [(topic, one) for topic, one in wanted if one in lists.get(topic, {})]
        states = self._zookeeper.read([f"{_topic_path(topic)}/partitions/{one}/state" for topic, one in there])
        told: dict[Partition, Assignment] = {}
        for (topic, one), node in zip(there, states, strict=True):
            state = partition_state(node.data) if node is not None else None
            replicas = lists[topic][one]
            in_sync = tuple(state.isr or ()) if state is not None else ()
            adding = tuple(topics[topic].adding.get(one, ()))
            removing = tuple(topics[topic].removing.get(one, ()))
            target = pending.get((topic, one))
            if target is not None and not adding and not removing:
                adding = tuple(broker for broker in target if broker not in replicas or broker not in in_sync)
                removing = tuple(broker for broker in replicas if broker not in target)
            leader = max(-1, state.leader) if state is not None else -1
            told[topic, one] = Assignment(replicas, adding, removing, leader, in_sync, topics[topic].topic_id)
        return told

    def _topic_refused(self, topic: str, assignments: Mapping[int, Sequence[int]], existing: list[str]) -> str | None:
        wrong = name_error(topic)
        if wrong is not None:
            return wrong
        if topic in existing:
            return f"Topic '{topic}' already exists."
        others = colliding(topic, existing)
        if others:
            return f"Topic '{topic}' collides with existing topic: {', '.join(others)}"
        if self._zookeeper.read([f"/admin/delete_topics/{topic}"])[0] is not None:
            return f"Topic '{topic}' is marked for deletion."
        below = [one for one in assignments if not 0 <= one < 1 << 31]
        if below:
            return f"{below[0]} is no partition id: a whole number from 0 was expected."
        return None

    def _topic_version(self, existing: Sequence[str]) -> int:
        """1 or 2, as the cluster's topics have it; 3 is 2 with a topic id, which the controller adds by itself."""
        if not existing:
            return self._version_by_brokers()
        sample = self._topics(existing[:: max(1, len(existing) // 20)])
        return max(1, min(2, max((node.version for node in sample.values()), default=1)))

    def _version_by_brokers(self) -> int:
        ids = sorted(self.alive())
        nodes = self._zookeeper.read([f"/brokers/ids/{broker}" for broker in ids])
        told = [broker_node(broker, node.data).version for broker, node in zip(ids, nodes, strict=True) if node]
        # Registrations have version 5 from 2.7 on; before, the oldest form is read by every version.
        return 2 if told and min(told) >= 5 else 1

    # ---- elections ---------------------------------------------------------------------------------------------

    def _hold_election(self, data: bytes) -> None:
        made = False
        for _ in self._patience.attempts():
            if not made:
                try:
                    self._zookeeper.create(_ELECT, data)
                except (NodeExistsError, Lost):
                    # Another one's is held in a moment; and after a lost answer our own, twice at worst.
                    continue
                made = True
            elif self._zookeeper.read([_ELECT])[0] is None:
                return
        raise ClusterUnreachable(
            f"The controller has not taken {_ELECT} away within {self._patience.seconds:.0f} s"
            + (". It holds the election when there is a controller." if made else ": another election waits there."),
            "timeout",
        )

    # ---- settings ----------------------------------------------------------------------------------------------

    def _configure(self, entity: str, settings: Settings) -> None:
        """Change some settings of a broker or topic and tell the brokers, both at once.

        A setting that is written and not told is not in force, and looks as if it were: nobody would tell it later.
        """
        path = f"/config/{entity}"
        for _ in range(_TRIES):
            node = self._zookeeper.read([path])[0]
            document = {"version": 1, "config": {}} if node is None else document_of(node.data)
            now = document.get("config") if document is not None else None
            if document is None or not isinstance(now, dict):
                raise ClusterUnreachable(
                    f"The node {path} does not hold what Kafka writes there; it was not changed.", "configuration"
                )
            wanted = {key: value for key, value in now.items() if key not in settings}
            wanted |= {key: value for key, value in settings.items() if value is not None}
            if wanted == now:
                return
            data = orjson.dumps({**document, "config": wanted})
            if len(data) > BATCH_BYTES:
                raise ClusterUnreachable(
                    f"The settings of {entity} would take {len(data):,} bytes, and {BATCH_BYTES:,} are written into a "
                    "node of ZooKeeper at most: other settings there are too long. It was not changed.",
                    "configuration",
                )
            written = Change(path, data, None if node is None else node.version)
            word = Change(_CHANGES, orjson.dumps({"version": 2, "entity_path": entity}), numbered=True)
            try:
                refusals = self._zookeeper.together([written, word])
            except Lost:
                continue  # what is there then tells whether it was done
            if not any(refusals):
                return
        raise ClusterUnreachable(
            f"Somebody else changes {path} at the same time; it was not changed after {_TRIES} tries.", "lost"
        )

    # ---- log directories ---------------------------------------------------------------------------------------

    def _ask_brokers(self, question: Callable[[AdminClient], _Told | None]) -> _Told | None:
        """Ask the brokers through their Admin protocol; where it cannot be reached, not again for a while."""
        if self._clock() < self._aside_until:
            return None
        from reseat.sources.kafka_admin.client import open_admin

        try:
            if self._admin is None:
                servers = self._connection.bootstrap or self._endpoints()
                if not servers:
                    return None
                self._admin = open_admin(self._connection, servers=servers)
            return question(self._admin)
        except ClusterUnreachable:
            if self._admin is not None:
                self._admin.close()
                self._admin = None
            self._aside_until = self._clock() + _ASIDE_SECONDS
            return None

    def _endpoints(self) -> tuple[str, ...]:
        """``host:port`` that the brokers registered for the connection's security protocol."""
        ids = sorted(self.alive())
        servers: list[str] = []
        for broker, node in zip(ids, self._zookeeper.read([f"/brokers/ids/{one}" for one in ids]), strict=True):
            told = broker_node(broker, node.data if node is not None else None)
            for endpoint in told.endpoints:
                listener, _, server = endpoint.partition("://")
                if told.protocols.get(listener, listener) == self._connection.security_protocol and server:
                    servers.append(server)
        return tuple(servers)


def _open_question(what: str) -> ClusterUnreachable:
    return ClusterUnreachable(
        f"The connection to ZooKeeper broke while {what} was being written, and it does not come back. Whether it was "
        "written is seen when ZooKeeper answers again.",
        "lost",
    )


def _topic_path(topic: str) -> str:
    return f"/brokers/topics/{topic}"


def _lists(node: TopicNode) -> dict[int, tuple[int, ...]]:
    """Replica ids by partition."""
    lists: dict[int, tuple[int, ...]] = {}
    start = 0
    for partition, length in zip(node.partition, node.lengths, strict=True):
        lists[partition] = tuple(node.replicas[start : start + length])
        start += length
    return lists


def _heading(told: Assignment) -> tuple[int, ...]:
    """The replica list that a partition has once what is under way is done."""
    return tuple(broker for broker in told.replicas if broker not in told.removing)


def _settings_of(node: Node | None) -> Mapping[str, object]:
    found = (document_of(node.data) or {}).get("config") if node is not None else None
    return found if isinstance(found, dict) else {}


def _only(keys: Sequence[str], told: Mapping[str, object]) -> Settings:
    return {key: str(told[key]) if key in told else None for key in keys}


def _election_json(partitions: Sequence[Partition]) -> bytes:
    return orjson.dumps({"version": 1, "partitions": [{"topic": topic, "partition": one} for topic, one in partitions]})


def _answer(before: Assignment | None, after: Assignment | None) -> str:
    """Kafka's name for what a preferred election did, by the leaders before and after."""
    if before is None or after is None or not before.replicas:
        return "UNKNOWN_TOPIC_OR_PARTITION"
    preferred = before.replicas[0]
    if before.leader == preferred:
        return "ELECTION_NOT_NEEDED"
    return NONE if after.leader == preferred else "PREFERRED_LEADER_NOT_AVAILABLE"
