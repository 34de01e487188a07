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
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import orjson
from kazoo.exceptions import NodeExistsError

from reseat.errors import ClusterUnreachable, WishRefused
from reseat.operate.targets.directories import read_directories
from reseat.operate.targets.holdings import copied_bytes, held
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.rights import Rights
from reseat.operate.targets.stored import DirectoriesSeen, Replica
from reseat.operate.targets.target import Assignment, Election, Partition, Throttles
from reseat.operate.targets.zookeeper_assignments import (
    REASSIGN,
    lists_of,
    read_assignments,
    read_pending,
    read_topics,
    registered,
)
from reseat.operate.targets.zookeeper_brokers import BrokersBeside
from reseat.operate.targets.zookeeper_elections import hold_election, outcome
from reseat.operate.targets.zookeeper_session import NODE_BYTES, Lost, ZooKeeperSession, open_question
from reseat.operate.targets.zookeeper_settings import read_throttles, write_throttles
from reseat.operate.targets.zookeeper_topics import create_topic
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.nodes import document_of
from reseat.sources.zookeeper.permissions import MIGRATION

if TYPE_CHECKING:
    from reseat.operate.targets.cordon_settings import Cordon
    from reseat.sources.kafka_admin.log_ends import LogEnd

__all__ = ["ZooKeeperTarget"]

#: How long the controller may take to hold an election: as for ``AdminTarget``, one that died must be replaced first.
_CONTROLLER_SECONDS = 60.0


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

    protocol = "zookeeper"
    one_at_a_time = True  # while the node is there, ``reassign`` answers REASSIGNMENT_IN_PROGRESS
    batch_bytes = NODE_BYTES  # a larger batch is answered with MESSAGE_TOO_LARGE and not sent
    can_cancel = False  # removing the node stops nothing; on 2.4 and later the Admin protocol can (``AdminTarget``)

    def __init__(
        self,
        connection: Connection,
        *,
        session: ZooKeeperSession | None = None,
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._zookeeper = session or ZooKeeperSession(connection)
        self._patience = patience or Patience(max(_CONTROLLER_SECONDS, connection.timeout_seconds))
        self._brokers = BrokersBeside(connection, self._zookeeper, self.alive, clock)

    # ---- reading -----------------------------------------------------------------------------------------------

    def cluster_id(self) -> str:
        """The id in ``/cluster/id``; see ``Target``."""
        node = self._zookeeper.read(["/cluster/id"])[0]
        found = (document_of(node.data) or {}).get("id") if node is not None else None
        if not isinstance(found, str):
            raise ClusterUnreachable("ZooKeeper has no cluster id in /cluster/id. Is the chroot right?", "chroot")
        return found

    def migrating(self) -> bool:
        """Whether ``/migration`` is there; see ``Target``.

        A KRaft controller does not look at what is written into the nodes below ``/admin``, and a controller of the
        ZooKeeper era acts on it when it is back: hours later, if the migration is taken back.
        """
        return self._zookeeper.read([MIGRATION])[0] is not None

    def alive(self) -> frozenset[int]:
        """Brokers registered in ``/brokers/ids``; see ``Target``."""
        return registered(self._zookeeper)

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        """These partitions as topic and state nodes tell them; see ``Target``.

        Before 2.4 only the reassignment node tells what is under way: its partitions are shown as adding and removing
        what still differs. One whose order alone changes is ``under_way`` in neither; ``reassigning`` has it.
        """
        wanted = list(dict.fromkeys(partitions))
        pending = read_pending(self._zookeeper)
        return read_assignments(
            self._zookeeper, wanted, read_topics(self._zookeeper, {topic for topic, _ in wanted}), pending
        )

    def reassigning(self) -> dict[Partition, Assignment]:
        """Every reassignment under way, also in the node and not begun; whoever started it. See ``Target``."""
        pending = read_pending(self._zookeeper)  # read first: one that ends in between is still told
        topics = read_topics(self._zookeeper, self._zookeeper.children("/brokers/topics") or ())
        moving = {(name, one) for name, node in topics.items() for one in (*node.adding, *node.removing)}
        wanted = sorted(moving | pending.keys())
        told = read_assignments(self._zookeeper, wanted, topics, pending)
        # A partition that the node names and that is gone is under way all the same until the controller drops it.
        return {one: told.get(one, Assignment((), adding=pending.get(one, ()))) for one in wanted}

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        """The throttles in the settings of these brokers and topics; a topic that is gone is absent. See ``Target``."""
        return read_throttles(self._zookeeper, brokers, topics)

    def rights(self, topics: Sequence[str]) -> Rights | None:
        """None: ZooKeeper's nodes have lists of their own, and each write is answered by them."""
        return None

    def cordons(self, brokers: Sequence[int]) -> dict[int, Cordon] | None:
        """None: a cluster with ZooKeeper knows no cordons (KIP-1066 came with 4.3)."""
        return None

    def cordoned(self, brokers: Sequence[int]) -> frozenset[int]:
        """None of them: as ``cordons``."""
        return frozenset()

    def set_cordons(self, settings: Mapping[int, str | None]) -> frozenset[int]:
        """Refused: as ``cordons``."""
        raise WishRefused("A cluster with ZooKeeper knows no cordons.", choices=("Execute without --cordon.",))

    def holdings(self, brokers: Sequence[int]) -> dict[int, frozenset[Partition]] | None:
        """What log directories hold, through the brokers' Admin protocol where it can be reached; see ``Target``."""
        alive = self.alive().intersection(brokers)
        return self._brokers.ask(lambda admin: held(admin, alive)) or None

    def directories(self, partitions: Sequence[Partition], brokers: Sequence[int]) -> DirectoriesSeen:
        """Where these partitions lie, as the brokers tell it; nothing without brokers to ask; see ``Target``."""
        alive = self.alive().intersection(brokers)
        return self._brokers.ask(lambda admin: read_directories(admin, partitions, alive)) or DirectoriesSeen()

    def move(self, replicas: Mapping[Replica, str]) -> dict[Replica, str | None]:
        """Refused: no node says in which directory a replica lies."""
        raise WishRefused("Replicas move between log directories through brokers alone (bootstrap servers).")

    def directory_rates(self, brokers: Sequence[int]) -> dict[int, str | None]:
        """Nothing: nobody moves between directories this way; see ``Target``."""
        return {}

    def copied(
        self, partitions: Sequence[Partition], brokers: Sequence[int]
    ) -> dict[tuple[Partition, int], int] | None:
        """Bytes that brokers hold, through their Admin protocol where it can be reached; see ``Target``."""
        alive = self.alive().intersection(brokers)
        return self._brokers.ask(lambda admin: copied_bytes(admin, partitions, alive))

    def log_ends(self, partitions: Sequence[Partition]) -> dict[tuple[Partition, int], LogEnd]:
        """Where logs end, through the brokers' Admin protocol where it can be reached; see ``Target``."""
        from reseat.sources.kafka_admin.log_ends import log_ends

        alive = self.alive()
        return self._brokers.ask(lambda admin: log_ends(admin, partitions, alive)) or {}

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
                "An unclean election cannot be requested through ZooKeeper's nodes.",
                choices=("Use the Admin protocol (2.4 and later), or unclean.leader.election.enable on the topic.",),
            )
        self._refuse_in_migration()
        wanted = list(dict.fromkeys(partitions))
        before = self.assignments(wanted)
        there = [one for one in wanted if one in before]
        hold_election(self._zookeeper, self._patience, there)
        after = self.assignments(there)
        return {one: outcome(before.get(one), after.get(one)) for one in wanted}

    def create_topic(
        self, topic: str, assignments: Mapping[int, Sequence[int]], configs: Mapping[str, str]
    ) -> str | None:
        """Make a topic by its two nodes; ids may have gaps, lists may differ in length. See ``Target``.

        The node has the version that the cluster's other topics have, but for the topic id, which a 2.8 controller
        adds. Settings are not checked by Kafka on this way.
        """
        self._refuse_in_migration()
        return create_topic(self._zookeeper, self._patience, topic, assignments, configs)

    def set_throttles(self, throttles: Throttles) -> None:
        """Write these settings and tell the brokers; None unsets; see ``Target``.

        Other settings of a broker or topic stay as they are. A topic that is gone is passed over. A dead broker's
        settings are written too; it reads them when it starts.

        Raises:
            ClusterUnreachable: ZooKeeper is away or does not allow it, or a node does not hold what Kafka writes.
        """
        self._refuse_in_migration()
        write_throttles(self._zookeeper, throttles)

    def close(self) -> None:
        """End the session and close every connection."""
        self._zookeeper.close()
        self._brokers.close()

    def _refuse_in_migration(self) -> None:
        if self.migrating():
            raise ClusterUnreachable(
                f"A migration from ZooKeeper to KRaft is in progress ({MIGRATION} exists): nothing is written to "
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
        nodes = read_topics(self._zookeeper, {topic for topic, _ in asked})
        lists = {name: lists_of(node) for name, node in nodes.items()}
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
        lists = [{"topic": topic, "partition": one, "replicas": told} for (topic, one), told in sent.items()]
        data = orjson.dumps({"version": 1, "partitions": lists})
        if len(data) > NODE_BYTES:
            return "MESSAGE_TOO_LARGE"
        lost = False
        for _ in self._patience.attempts():
            try:
                if lost and self._taken(sent):
                    return None
                self._zookeeper.create(REASSIGN, data)
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
        raise open_question("the reassignment")

    def _taken(self, sent: Mapping[Partition, tuple[int, ...]]) -> bool:
        """Whether all of this is what the node asks for, or is done or begun already: then the lost write was ours."""
        pending = read_pending(self._zookeeper)
        told = self.assignments(list(sent))
        return all(
            pending.get(one) == replicas or (one in told and _heading(told[one]) == replicas)
            for one, replicas in sent.items()
        )


def _heading(told: Assignment) -> tuple[int, ...]:
    """The replica list that a partition has once what is under way is done."""
    return tuple(broker for broker in told.replicas if broker not in told.removing)
