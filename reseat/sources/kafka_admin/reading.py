"""Reads a cluster through Kafka's Admin protocol (2.4 to 4.x): brokers, partitions, sizes, configurations.

Promises: (1) nothing is written; (2) a broker that is dead, slow or refuses never fails or hangs the reading: what it
alone could tell is named in ``not_read``; (3) a part that this user may not see is named there too, and everything else
is read; (4) no wait is longer than the connection's timeout, and a stop is heeded within a tenth of a second but while
one large answer is decoded.

Needs: DESCRIBE on topics; and for the rest DESCRIBE on CLUSTER (sizes, reassignments, the quorum) and DESCRIBE_CONFIGS.

How: metadata, brokers, features and reassignments in flight at once; then every broker's log directories and
configurations, and the topics' configurations in batches, in flight at once; at last, where the cluster keeps them and
a partition can have any, eligible leader replicas. Nothing of it is from one moment: the protocol has no transaction,
so ``consistency`` is ``NOT_PROMISED``.

Complexity: O(topics + replicas); requests: 5 + 2 a broker + 1 for 500 topics, + 4 a broker
where topics are tiered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from kafka.protocol.admin import DescribeClusterRequest, DescribeQuorumRequest, DescribeTopicPartitionsRequest
from kafka.protocol.metadata import ApiVersionsRequest

from reseat.balance.directories import directory_findings, directory_loads
from reseat.balance.quorum import quorum_findings
from reseat.errors import ClusterUnreachable
from reseat.model import NONE, BrokerState, ClusterLayout, Consistency, Finding, Quorum, Severity, Snapshot
from reseat.model.snapshot import with_offline_dirs
from reseat.model.tiering import RECORDS, Tiering
from reseat.model.wording import counted, listed, verb
from reseat.sources.connection import Connection
from reseat.sources.in_parts import PARTITIONS_AT_ONCE
from reseat.sources.kafka_admin import overview
from reseat.sources.kafka_admin.assembly import Lists, assembled
from reseat.sources.kafka_admin.client import AdminClient, PendingAnswer, open_admin
from reseat.sources.kafka_admin.configs import ConfigsTold, read_configs
from reseat.sources.kafka_admin.eligible import FEATURE, Eligible, read_eligible, rows_below
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.list_offsets import offset_requests, records_told
from reseat.sources.kafka_admin.log_dirs import LogDirsTold, cordoned_brokers, read_log_dirs
from reseat.sources.kafka_admin.oddities import oddities
from reseat.sources.kafka_admin.partitions import PartitionsTold, take_partitions
from reseat.sources.kafka_admin.placing import place_logs
from reseat.sources.kafka_admin.reassignments import MOST_TOLD, UnderWay, behind, listing, listings, take_reassignments
from reseat.sources.kafka_admin.request_batch import BROKERS_AT_ONCE, RequestBatch
from reseat.sources.kafka_admin.requests import metadata_of
from reseat.sources.progress import Report

__all__ = ["read"]

#: How often partitions are asked for again whose reassignment is listed and not shown.
_ROUNDS = 3
#: How long KRaft's controllers have to answer: what they know they tell within milliseconds, or nobody leads them.
_CONTROLLERS_SECONDS = 10.0
_NO_QUORUM = "The KRaft controllers do not answer: too few of them are up, or brokers cannot reach them."
_WITHOUT_QUORUM = "Until they do, no leader is elected and nothing changes, and brokers report what they knew last."


def read(connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None) -> Snapshot:
    """As ``reseat.sources.kafka_admin.read_admin_cluster`` says."""
    taken_at = datetime.now(UTC)
    batch = RequestBatch(report, cancelled)
    batch.tell("connection")
    with open_admin(connection, cancelled=cancelled) as admin:
        return _Reading(admin, batch).snapshot(taken_at, connection.name or None)


class _Reading:
    """One reading: what was told so far, and what was not."""

    def __init__(self, admin: AdminClient, batch: RequestBatch) -> None:
        self._admin = admin
        self._batch = batch
        self._not_read: list[str] = []
        self._under_way_told = True

    def snapshot(self, taken_at: datetime, name: str | None) -> Snapshot:
        """Ask everything and put it together."""
        first = self._overview()
        metadata = first["metadata"]
        if isinstance(metadata, ClusterUnreachable):
            raise metadata
        versions = first["features"] if _came(first.get("features")) else None
        features = {} if versions is None else overview.features_told(versions)
        kind = overview.metadata_kind(self._admin, features)
        controller, quorum = self._controller(kind, metadata, first.get("quorum"), features)
        under_way = self._under_way(metadata, first["reassignments"])
        registered = overview.brokers_told(metadata, self._cluster(first.get("cluster")))
        told = take_partitions(metadata.topics)
        alive = [broker.id for broker in registered if broker.state is BrokerState.ALIVE]
        configs = self._configs(told.topics, alive)
        logs = self._logs(alive)
        eligible = self._eligible(told, configs, features)
        placed = place_logs(told, told.replicas, logs)
        mentioned = np.unique(told.replicas[told.replicas != NONE]).tolist()
        doubtful = np.unique(told.replicas[told.other_listener]).tolist()
        brokers = overview.with_mentioned(registered, mentioned, doubtful, cordoned_brokers(logs.directories))
        lists = Lists(
            adding={key: move.adding for key, move in under_way.items()},
            removing={key: move.removing for key, move in under_way.items()},
            eligible=None if eligible is None else {key: both[0] for key, both in eligible.items()},
            last_known_eligible=None if eligible is None else {key: both[1] for key, both in eligible.items()},
        )
        layout = with_offline_dirs(assembled(told, brokers, configs.min_in_sync, placed, lists), logs.directories)
        if not told.topics and self._admin.connection.security_protocol != "PLAINTEXT":
            self._not_read.append("No topic is shown: there is none, or DESCRIBE on TOPIC is needed.")
        facts: dict[str, object] = {"features": features} if features else {}
        if records := self._tiered(layout, configs):
            facts[RECORDS] = records
        found = (
            *oddities(layout, told, placed, under_way),
            *quorum_findings(quorum, brokers),
            *directory_findings(directory_loads(layout, logs.directories)),
            *logs.moving(),
        )
        if _is_silent(first.get("quorum")):
            found = (Finding("no_quorum", Severity.BROKEN, f"{_NO_QUORUM} {_WITHOUT_QUORUM}"), *found)
        return Snapshot(
            layout=layout,
            taken_at=taken_at,
            protocol="admin",
            cluster=name,
            cluster_id=self._admin.cluster_id,
            controller=controller,
            metadata=kind,
            version=overview.version_told(versions, self._admin.broker_version),
            findings=found,
            consistency=Consistency.NOT_PROMISED,
            not_read=tuple(self._not_read),
            under_way_told=self._under_way_told,
            broker_configs=dict(sorted(configs.brokers.items())),
            topic_configs=dict(sorted(configs.topics.items())),
            log_dirs=logs.directories,
            facts=facts,
            quorum=quorum,
        )

    # ---- the requests ----------------------------------------------------------------------------------------

    def _overview(self) -> dict[str, Any]:
        admin = self._admin
        # A broker answers one connection's requests in turn: what it passes on to controllers holds up what follows.
        limit = admin.connection.timeout_seconds
        limit = min(_CONTROLLERS_SECONDS, limit) if admin.supports(DescribeQuorumRequest) else limit
        requests: dict[str, Callable[[], PendingAnswer]] = {
            "metadata": lambda: admin.submit(metadata_of(None), again=True),
            "reassignments": lambda: admin.submit(listing(), "controller", timeout=limit),
        }
        if admin.supports(ApiVersionsRequest, 3):
            requests["features"] = lambda: admin.submit(overview.versions_request(), again=True)
        if admin.supports(DescribeClusterRequest, overview.FENCED_VERSION):
            requests["cluster"] = lambda: admin.submit(overview.cluster_request(), again=True)
        if admin.supports(DescribeQuorumRequest):
            requests["quorum"] = lambda: admin.submit(overview.quorum_request(), again=True, timeout=limit)
        told = dict(self._batch.each(admin, "metadata", list(requests.items()), len(requests)))
        if _is_silent(told.get("quorum")):
            silent = ClusterUnreachable(_NO_QUORUM, "timeout")
            told["quorum"] = silent
            told["reassignments"] = told["reassignments"] if _came(told["reassignments"]) else silent
        return told

    def _cluster(self, answer: Any) -> Any | None:
        """DescribeCluster's answer where it tells of fenced brokers."""
        if answer is None:
            return None
        if _came(answer) and not answer.error_code:
            return answer
        why = error_name(answer.error_code) if _came(answer) else answer.sentence
        self._not_read.append(f"Which brokers are fenced is unknown: {_needs(why, 'DESCRIBE on CLUSTER')}")
        return None

    def _controller(
        self, kind: str, metadata: Any, answer: Any, features: Mapping[str, int]
    ) -> tuple[int | None, Quorum | None]:
        """The active controller, and all of KRaft's."""
        if kind == "zookeeper":
            return (int(metadata.controller_id) if metadata.controller_id >= 0 else None), None
        if answer is None:
            self._not_read.append("The quorum's leader is unknown: DescribeQuorum came with 3.3.")
            return None, None
        quorum, error = overview.quorum_told(answer, features) if _came(answer) else (None, answer.sentence)
        if error is not None:
            self._not_read.append(f"The quorum's leader is unknown: {_needs(error, 'DESCRIBE on CLUSTER')}")
        return (None if quorum is None else quorum.leader), quorum

    def _under_way(self, metadata: Any, listed: Any) -> dict[tuple[str, int], UnderWay]:
        """What is listed, and metadata of the topics concerned once more where it lags behind."""
        for _ in range(_ROUNDS):
            listed = self._all_listed(metadata, listed)
            if not _came(listed):
                break
            try:
                under_way = take_reassignments(listed)
            except ClusterUnreachable as failure:
                listed = failure
                break
            late = behind(under_way, metadata.topics)
            if not late:
                return under_way
            again = self._both(sorted(late))
            listed = again["listed"]
            if _came(again["metadata"]):
                fresh = [topic for topic in again["metadata"].topics if topic.name in late]
                metadata.topics = [topic for topic in metadata.topics if topic.name not in late] + fresh
        else:
            return under_way
        self._under_way_told = False
        self._not_read.append(
            f"Reassignments in progress are unknown: {_needs(listed.sentence, 'DESCRIBE on CLUSTER')}"
        )
        return {}

    def _all_listed(self, metadata: Any, listed: Any) -> Any:
        """What is listed; asked for in parts where it may be more than brokers pass on, and no answer came."""
        came = _came(listed)
        why = error_name(listed.error_code) if came else listed.sentence
        told = came and not listed.error_code
        many = [(topic.name, part.partition_index) for topic in metadata.topics for part in topic.partitions]
        if told or len(many) <= MOST_TOLD or "AUTHORIZATION" in why or why == _NO_QUORUM:
            return listed
        requests = [
            (at, lambda part=part: self._admin.submit(part, "controller")) for at, part in enumerate(listings(many))
        ]
        parts = [answer for _, answer in self._batch.each(self._admin, "reassignments in progress", requests, 1)]
        failed = next((part for part in parts if not _came(part) or part.error_code), None)
        if failed is None:
            parts[0].topics = [topic for part in parts for topic in part.topics]
        return parts[0] if failed is None else failed

    def _both(self, topics: list[str]) -> dict[str, Any]:
        """Metadata of these topics, of all where they are too many for a request, and what is listed, once more."""
        admin, asked = self._admin, topics if len(topics) <= PARTITIONS_AT_ONCE else None
        requests: list[tuple[str, Callable[[], PendingAnswer]]] = [
            ("metadata", lambda: admin.submit(metadata_of(asked), again=True)),
            ("listed", lambda: admin.submit(listing(), "controller")),
        ]
        return dict(self._batch.each(admin, "reassignments in progress", requests, len(requests)))

    def _configs(self, topics: tuple[str, ...], alive: list[int]) -> ConfigsTold:
        told = read_configs(self._admin, self._batch, topics, alive)
        if told.silent:
            self._not_read.append(_silent("Configurations", told.silent, "DESCRIBE_CONFIGS on CLUSTER"))
        missing = len(topics) - len(told.min_in_sync)
        if missing:
            why = told.failed[0].sentence if told.failed else next(iter(told.refused.values()), "no broker reported it")
            self._not_read.append(
                f"min.insync.replicas of {counted(missing, 'topic')} is unknown: "
                f"{_needs(why, 'DESCRIBE_CONFIGS on TOPIC')}"
            )
        return told

    def _logs(self, alive: list[int]) -> LogDirsTold:
        told = read_log_dirs(self._admin, self._batch, alive)
        if told.silent:
            why = {broker: failure.sentence for broker, failure in told.silent.items()}
            self._not_read.append(_silent("Sizes and log directories", why, "DESCRIBE on CLUSTER"))
        return told

    def _tiered(self, layout: ClusterLayout, configs: ConfigsTold) -> dict[str, tuple[int, int, int]]:
        """What of tiered topics is where, in records, by topic; nothing of those of which it cannot be told."""
        tiered = layout.is_topic(Tiering.of(configs.topics, {}).topics)[layout.topic_of]
        leaders = {
            (layout.topics[int(layout.topic_of[row])], int(layout.partition[row])): int(layout.leader_ids[row])
            for row in np.flatnonzero(tiered & (layout.leader >= 0)).tolist()
        }
        answers = self._batch.each(self._admin, "tiered topics", offset_requests(self._admin, leaders), BROKERS_AT_ONCE)
        told = records_told(leaders, [(which, answer) for which, answer in answers if _came(answer)])
        led = set(layout.topics_at(tiered & (layout.leader < 0)))
        return {topic: records for topic, records in told.items() if topic not in led}

    def _eligible(self, told: PartitionsTold, configs: ConfigsTold, features: Mapping[str, int]) -> Eligible | None:
        """Eligible leader replicas by partition; None where the cluster does not keep them or they are not told."""
        if features.get(FEATURE, 0) < 1 or not self._admin.supports(DescribeTopicPartitionsRequest):
            return None
        topics = np.unique(told.topic_of[rows_below(told, configs.min_in_sync)])
        if not len(topics):
            return {}
        try:
            return read_eligible(self._admin, self._batch, [told.topics[topic] for topic in topics.tolist()])
        except ClusterUnreachable as failure:
            self._not_read.append(f"Eligible leader replicas are unknown: {failure.sentence}")
            return None


def _is_silent(answer: Any) -> bool:
    """Whether no controller answered what brokers passed on to it."""
    return isinstance(answer, ClusterUnreachable) and answer.reason == "timeout"


def _came(answer: Any) -> bool:
    """Whether there is an answer, and not the reason why there is none."""
    return answer is not None and not isinstance(answer, ClusterUnreachable)


def _needs(why: str, permission: str) -> str:
    """A reason as the end of a sentence: the permission that is missing, or the reason in its own words."""
    if "AUTHORIZATION" in why:
        return f"{permission} is needed."
    return why if why.endswith((".", "?")) else f"{why}."


def _silent(what: str, why: Mapping[int, str], permission: str) -> str:
    """One sentence for the brokers that told nothing, with the first one's reason."""
    ids = sorted(why)
    others = "" if len(ids) == 1 else " The others likewise, or for other reasons."
    if all("AUTHORIZATION" in reason for reason in why.values()):
        others = ""
    return (
        f"{what} of {verb(len(ids), 'broker', 'brokers')} {listed(ids)} are unknown: "
        f"{_needs(why[ids[0]], permission)}{others}"
    )
