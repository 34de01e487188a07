"""Writing to a cluster through the Admin protocol (Kafka 2.4 to 4.x, ZooKeeper or KRaft behind it).

What it promises, in this order: nothing is sent but what was asked for; every answer is Kafka's own, by partition; a
controller that dies or moves while it is asked is waited for, within bounds; no dead broker makes a call hang.

How it works: what changes assignments goes to the controller in requests of at most ``AT_ONCE`` partitions. A request
whose answer is lost is sent again: asking twice for the same replica list, the same cancellation or the same election
changes nothing the second time. Only the answer may differ then (``NO_REASSIGNMENT_IN_PROGRESS``,
``ELECTION_NOT_NEEDED``), and it is given as it comes. Replica lists are read after the list of reassignments, never
before: a reassignment that ends in between is still told as under way, and is not taken for one that ended wrongly.

What Kafka does, measured on 2.8.2 and 4.1.0:

- A ZooKeeper controller takes about 16 ms a partition, and answers nothing else meanwhile: 3,000 partitions in one
  request kept ``ListPartitionReassignments`` waiting for more than a minute. KRaft takes 0.1 ms.
- A ZooKeeper controller that is killed is followed by another one only when its session ends (18 s by default).
- A broker's settings are told and changed by that broker alone (``Unexpected broker id``); on KRaft a controller
  changes those of a dead one, too, where its own listener can be reached (``kafka-configs --bootstrap-controller``).
- A setting is accepted before it is in force (tens of milliseconds); ``set_throttles`` waits until it is told back.

Source: KIP-455 (reassignments), KIP-460 (elections), KIP-339 (incremental settings), KIP-113 (log directories).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reseat.errors import ClusterUnreachable
from reseat.model.naming import by_topic
from reseat.operate.targets.admin_cordons import AdminCordons
from reseat.operate.targets.admin_requests import (
    GONE,
    NOT_ALLOWED,
    PASSING,
    PASSING_REASONS,
    PASSING_WHOLE,
    AdminRequests,
    not_allowed,
)
from reseat.operate.targets.admin_rights import read_rights
from reseat.operate.targets.admin_settings import TOPICS_AT_ONCE
from reseat.operate.targets.admin_throttles import AdminThrottles
from reseat.operate.targets.cordon_settings import Cordon
from reseat.operate.targets.directories import move_replicas, read_directories
from reseat.operate.targets.error_names import NONE, NOT_CONTROLLER, error_name
from reseat.operate.targets.holdings import copied_bytes, held
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.rights import Rights
from reseat.operate.targets.stored import DirectoriesSeen, Replica
from reseat.operate.targets.target import Assignment, Election, Partition, Throttles
from reseat.sources.connection import Connection
from reseat.sources.in_parts import in_parts
from reseat.sources.kafka_admin.requests import metadata_of

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient
    from reseat.sources.kafka_admin.log_ends import LogEnd

__all__ = ["AdminTarget"]

#: How long a controller is waited for: a ZooKeeper session of 18 s must end, another broker be elected and read all.
_CONTROLLER_SECONDS = 60.0
#: How long one answer of a controller may take: asking a busy one again only gives it more to do.
_ANSWER_SECONDS = 30.0
#: A question to any broker is asked again for this many times the connection's timeout: the first one may hit a
#: broker that stands still, the next goes to another.
_READING_TIMES = 2.0
#: How long a setting may take until the broker tells it back.
_IN_FORCE_SECONDS = 10.0


class AdminTarget:
    """A cluster that is written to through the Admin protocol.

    Two things the protocol cannot do, for every caller to know. A reassignment that was put into ZooKeeper's node
    while there was no controller is not told by ``reassigning`` until a controller has read it. And KRaft tells that a
    reassignment has ended up to 0.6 s before ``assignments`` tells the replicas it left: a partition that is
    not ``under_way`` and not as planned is looked at again before it is judged.

    Args:
        connection: how the brokers are reached.
        admin: an open client to use instead of opening one.
        patience: how long a controller is waited for.
        reading: how long one question to any broker is asked again.
        in_force: how long a setting may take until it is told back.

    Raises:
        ClusterUnreachable: no broker answers, or it does not let this user in.
    """

    protocol = "admin"
    one_at_a_time = False  # reassignments are added to those under way (KIP-455)
    batch_bytes = None  # requests are split here
    can_cancel = True  # KIP-455

    def __init__(
        self,
        connection: Connection,
        *,
        admin: AdminClient | None = None,
        patience: Patience | None = None,
        reading: Patience | None = None,
        in_force: Patience | None = None,
    ) -> None:
        self._patience = patience or Patience(max(_CONTROLLER_SECONDS, connection.timeout_seconds))
        self._timeout_ms = int(connection.timeout_seconds * 1000)
        if admin is None:
            from reseat.sources.kafka_admin.client import open_admin

            admin = open_admin(connection)
        self._admin: AdminClient = admin
        self._requests = AdminRequests(
            admin,
            self._patience,
            reading or Patience(_READING_TIMES * connection.timeout_seconds),
            max(_ANSWER_SECONDS, connection.timeout_seconds),
        )
        in_force = in_force or Patience(_IN_FORCE_SECONDS)
        self._throttles = AdminThrottles(self._requests, in_force)
        self._cordons = AdminCordons(self._requests, in_force)
        #: Asked once: a cluster that is upgraded meanwhile is not cordoned that very hour.
        self._knows_cordons: bool | None = None

    # ---- reading -----------------------------------------------------------------------------------------------

    def cluster_id(self) -> str:
        """The id that the cluster gives itself; see ``Target``."""
        return str(self._metadata([]).cluster_id or "")

    def migrating(self) -> bool:
        """False: brokers hand each request to whichever controller the cluster has; see ``Target``."""
        return False

    def alive(self) -> frozenset[int]:
        """Brokers alive now: registered with ZooKeeper, or registered and not fenced; see ``Target``."""
        return frozenset(int(broker.node_id) for broker in self._metadata([]).brokers)

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        """These partitions as they are now; see ``Target``."""
        wanted = dict.fromkeys(partitions)
        under_way = self._listed(wanted)
        described = self._described({topic for topic, _ in wanted})
        return {one: _merged(described[one], under_way.get(one)) for one in wanted if one in described}

    def reassigning(self) -> dict[Partition, Assignment]:
        """Every reassignment under way, in the order of topics and partitions; see ``Target``."""
        under_way = self._listed()
        described = self._described({topic for topic, _ in under_way})
        return {one: _merged(described.get(one), under_way[one]) for one in sorted(under_way)}

    def holdings(self, brokers: Sequence[int]) -> dict[int, frozenset[Partition]] | None:
        """What the log directories of these brokers hold, future logs included; a dead broker is absent."""
        return held(self._admin, self.alive().intersection(brokers)) or None

    def copied(
        self, partitions: Sequence[Partition], brokers: Sequence[int]
    ) -> dict[tuple[Partition, int], int] | None:
        """Bytes that these brokers hold of these partitions; a replica that is not there yet is absent."""
        return copied_bytes(self._admin, partitions, self.alive().intersection(brokers))

    def log_ends(self, partitions: Sequence[Partition]) -> dict[tuple[Partition, int], LogEnd]:
        """Where the logs of these partitions end on the living brokers; see ``Target``."""
        from reseat.sources.kafka_admin.log_ends import log_ends

        return log_ends(self._admin, partitions, self.alive())

    def directories(self, partitions: Sequence[Partition], brokers: Sequence[int]) -> DirectoriesSeen:
        """Where these partitions lie on the living of these brokers; see ``Target``."""
        return read_directories(self._admin, partitions, self.alive().intersection(brokers))

    def directory_rates(self, brokers: Sequence[int]) -> dict[int, str | None]:
        """The throttle of moves between directories; see ``Target``."""
        return self._throttles.directory_rates(brokers)

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        """The replication throttles set on these very brokers and topics; see ``Target``.

        A broker that does not answer and a topic that is gone are absent: "not told" and "not set" (None) differ.
        """
        return self._throttles.read(brokers, topics)

    def cordons(self, brokers: Sequence[int]) -> dict[int, Cordon] | None:
        """How these brokers are cordoned; see ``Target``."""
        return self._cordons.read(sorted(self.alive().intersection(brokers))) if self._cordons.known() else None

    def cordoned(self, brokers: Sequence[int]) -> frozenset[int]:
        """Those of these brokers that are cordoned as a whole; see ``Target``."""
        if self._knows_cordons is None:
            self._knows_cordons = self._cordons.known()
        return self._cordons.closed(sorted(self.alive().intersection(brokers))) if self._knows_cordons else frozenset()

    # ---- writing -----------------------------------------------------------------------------------------------

    def reassign(
        self, targets: Mapping[Partition, Sequence[int]], *, keeps_factor: bool = False
    ) -> dict[Partition, str | None]:
        """Ask for these replica lists, at most ``AT_ONCE`` a request; see ``Target``.

        Brokers of 4.1 and later heed ``keeps_factor`` (KIP-860).

        Raises:
            ClusterUnreachable: no controller took a request within bounds; what was sent before it stays accepted.
        """
        lists = {one: list(replicas) for one, replicas in targets.items()}
        return _none_for_no_error(self._altered(lists, keeps_factor=keeps_factor))

    def move(self, replicas: Mapping[Replica, str]) -> dict[Replica, str | None]:
        """Ask brokers to keep replicas in these log directories; see ``Target``."""
        return move_replicas(self._requests, replicas)

    def cancel(self, partitions: Sequence[Partition]) -> dict[Partition, str | None]:
        """Take back what is under way; ``NO_REASSIGNMENT_IN_PROGRESS`` where nothing is; see ``Target``."""
        return _none_for_no_error(self._altered(dict.fromkeys(partitions)))

    def elect(self, election: Election, partitions: Sequence[Partition]) -> dict[Partition, str]:
        """Hold an election, at most ``AT_ONCE`` partitions a request; see ``Target``."""
        from kafka.protocol.admin import ElectLeadersRequest

        def ask(chunk: Sequence[Partition]) -> dict[Partition, str]:
            asked = [
                ElectLeadersRequest.TopicPartitions(topic=topic, partitions=ids)
                for topic, ids in by_topic(chunk).items()
            ]
            request = ElectLeadersRequest(
                election_type=election.value, topic_partitions=asked, timeout_ms=self._timeout_ms
            )
            response = self._requests.to_controller(request)
            answers = {
                (result.topic, one.partition_id): error_name(one.error_code, one.error_message)
                for result in response.replica_election_results
                for one in result.partition_result
            }
            return _with_whole(error_name(response.error_code), chunk, answers)

        return self._requests.by_partition(partitions, ask)

    def create_topic(
        self, topic: str, assignments: Mapping[int, Sequence[int]], configs: Mapping[str, str]
    ) -> str | None:
        """Make a topic with these replica lists, ids 0 to n - 1; see ``Target``.

        Where an answer was lost and the topic is then there with these very lists, it was made.
        """
        from kafka.protocol.admin import CreateTopicsRequest

        kinds = CreateTopicsRequest.CreatableTopic
        new = kinds(
            name=topic,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                kinds.CreatableReplicaAssignment(partition_index=one, broker_ids=list(assignments[one]))
                for one in sorted(assignments)
            ],
            configs=[kinds.CreatableTopicConfig(name=key, value=value) for key, value in configs.items()],
        )
        request = CreateTopicsRequest(topics=[new], timeout_ms=self._timeout_ms, validate_only=False)
        lost = False
        failure: ClusterUnreachable | None = None
        for _ in self._patience.attempts():
            try:
                told = self._requests.to_controller(request).topics[0]
            except ClusterUnreachable as error:
                if error.reason not in PASSING_REASONS:
                    raise
                lost, failure = True, error
                continue
            name, failure = error_name(told.error_code), None
            if name == "REQUEST_TIMED_OUT":
                # The controller made it, or is at it: only the wait for its leaders was too long.
                lost = True
            if name in NOT_ALLOWED:
                raise not_allowed(f"Create on the cluster, or on topic {topic},")
            if name not in PASSING and name != "REQUEST_TIMED_OUT":
                if name == "TOPIC_ALREADY_EXISTS" and lost and self._is_as_asked(topic, assignments):
                    return None
                return None if name == NONE else str(told.error_message or name)
        if failure is not None:
            raise failure
        raise self._requests.no_controller()

    def rights(self, topics: Sequence[str]) -> Rights | None:
        """What this user may do with the cluster and these topics; see ``Target``."""
        return read_rights(self._admin, self._requests, topics)

    def set_throttles(self, throttles: Throttles) -> None:
        """Set these throttles and wait until they are told back; None unsets; see ``Target``.

        A topic that is gone meanwhile has nothing to set and is passed over.

        Raises:
            ClusterUnreachable: a broker does not answer (all others are set by then; the sentence names it), the
                cluster refuses a value, or a value is longer than Kafka's strings (nothing is set then).
        """
        self._throttles.write(throttles)

    def set_cordons(self, settings: Mapping[int, str | None]) -> frozenset[int]:
        """Set these cordons, None unsets, and wait until log directories tell them; see ``Target``."""
        return self._cordons.write(settings)

    def close(self) -> None:
        """Close every connection."""
        self._admin.close()

    # ---- requests ----------------------------------------------------------------------------------------------

    def _altered(
        self, lists: Mapping[Partition, list[int] | None], *, keeps_factor: bool = False
    ) -> dict[Partition, str]:
        from kafka.protocol.admin import AlterPartitionReassignmentsRequest

        kinds = AlterPartitionReassignmentsRequest.ReassignableTopic

        def ask(chunk: Sequence[Partition]) -> dict[Partition, str]:
            topics = [
                kinds(
                    name=topic,
                    partitions=[
                        kinds.ReassignablePartition(partition_index=one, replicas=lists[topic, one]) for one in ids
                    ],
                )
                for topic, ids in by_topic(chunk).items()
            ]
            request = AlterPartitionReassignmentsRequest(
                timeout_ms=self._timeout_ms, allow_replication_factor_change=not keeps_factor, topics=topics
            )
            response = self._requests.to_controller(request)
            answers = {
                (topic.name, one.partition_index): error_name(one.error_code, one.error_message)
                for topic in response.responses
                for one in topic.partitions
            }
            return _with_whole(error_name(response.error_code, response.error_message), chunk, answers)

        return self._requests.by_partition(list(lists), ask)

    def _listed(self, wanted: Iterable[Partition] | None = None) -> dict[Partition, Assignment]:
        """What the controller tells of reassignments: replicas, adding, removing; neither leader nor ISR.

        Args:
            wanted: of these partitions, asked in parts; None: of all, in parts where one answer is too large to come.
        """
        from reseat.sources.kafka_admin.reassignments import listing, listings

        if wanted is None:
            whole = self._asked(listing(self._timeout_ms))
            if not whole.error_code:
                return _assignments_in(whole)
            wanted = (
                (topic.name, one.partition_index) for topic in self._metadata(None).topics for one in topic.partitions
            )
        told: dict[Partition, Assignment] = {}
        for request in listings(wanted, self._timeout_ms):
            part = self._asked(request)
            if part.error_code:
                raise ClusterUnreachable(f"The controller answered {error_name(part.error_code)}.", "lost")
            told |= _assignments_in(part)
        return told

    def _asked(self, request: Any) -> Any:
        return self._requests.settled(request, lambda told: error_name(told.error_code), "controller")

    def _described(self, topics: Iterable[str]) -> dict[Partition, Assignment]:
        from reseat.sources.kafka_admin.partitions import printed_id

        described: dict[Partition, Assignment] = {}
        for chunk in in_parts(sorted(topics), TOPICS_AT_ONCE):
            for topic in self._metadata(chunk).topics:
                name = error_name(topic.error_code)
                if name in NOT_ALLOWED:
                    raise not_allowed(f"Describe on topic {topic.name}")
                topic_id = printed_id(topic.topic_id)
                for one in topic.partitions if name not in GONE else ():
                    described[topic.name, one.partition_index] = Assignment(
                        replicas=tuple(one.replica_nodes),
                        leader=one.leader_id,
                        in_sync=tuple(one.isr_nodes),
                        topic_id=topic_id,
                    )
        return described

    def _metadata(self, topics: Sequence[str] | None) -> Any:
        return self._requests.settled(metadata_of(topics), lambda _: NONE, None)

    def _is_as_asked(self, topic: str, assignments: Mapping[int, Sequence[int]]) -> bool:
        described = {one: told.replicas for (_, one), told in self._described([topic]).items()}
        return described == {one: tuple(replicas) for one, replicas in assignments.items()}


def _assignments_in(answer: Any) -> dict[Partition, Assignment]:
    return {
        (topic.name, one.partition_index): Assignment(
            replicas=tuple(one.replicas), adding=tuple(one.adding_replicas), removing=tuple(one.removing_replicas)
        )
        for topic in answer.topics
        for one in topic.partitions
    }


def _merged(described: Assignment | None, listed_as: Assignment | None) -> Assignment:
    if described is None:
        return listed_as or Assignment(())
    if listed_as is None:
        return described
    return replace(described, replicas=listed_as.replicas, adding=listed_as.adding, removing=listed_as.removing)


def _none_for_no_error(answers: Mapping[Partition, str]) -> dict[Partition, str | None]:
    return {one: None if name == NONE else name for one, name in answers.items()}


def _with_whole(name: str, chunk: Sequence[Partition], answers: Mapping[Partition, str]) -> dict[Partition, str]:
    """The answers by partition; an error of the whole request is that of every partition, and passes if it may."""
    if name == NONE:
        return dict(answers)
    return dict.fromkeys(chunk, NOT_CONTROLLER if name in PASSING_WHOLE else name)
