"""Reads Cruise Control's ``kafka_cluster_state?json=true``, best with ``verbose=true``.

Without ``verbose`` the answer names only the partitions that have a trouble; with it, the list ``other`` holds the
healthy ones. A partition may stand in several lists (offline, with-offline-replicas, urp, under-min-isr): it is
read once. ``replicas`` keeps the assignment order. A replica listed as offline sits on a dead broker, unless that
broker leads something: then a disk of it is.

Written from the documentation and the source of ``KafkaClusterState``, ``ClusterPartitionState`` and
``PartitionState`` (servlet.response), without a sample of a real answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from reseat.errors import InputRefused
from reseat.formats.input.document import Document, id_of, ids_of, leader_of
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.text.form import DocumentForm, Paste
from reseat.model import Broker, BrokerState, Finding, Severity
from reseat.model.naming import id_in

__all__ = ["CruiseControl"]

_KIND = "Cruise Control's kafka_cluster_state"

_LISTS = ("other", "urp", "offline", "with-offline-replicas", "under-min-isr")
_COUNTS = (
    "ReplicaCountByBrokerId",
    "LeaderCountByBrokerId",
    "OutOfSyncCountByBrokerId",
    "OfflineReplicaCountByBrokerId",
)


class CruiseControl(DocumentForm):
    """``kafka_cluster_state`` as JSON."""

    def claims(self, found: Document) -> bool:
        """Whether it tells partitions or brokers as Cruise Control does."""
        return not found.keys.keys().isdisjoint(("KafkaPartitionState", "KafkaBrokerState"))

    def part(self, found: Document, paste: Paste) -> Part:
        """Read one answer; refused where it names neither a partition nor a broker."""
        told = RowBuilder(paste.source, paste.limits)
        line = found.line
        brokers, partitions = found.value("KafkaBrokerState"), found.inner("KafkaPartitionState")
        brokers = brokers if isinstance(brokers, dict) else {}
        _brokers(told, brokers, line)
        seen: dict[tuple[str, int], str] = {}
        for name in _LISTS:
            for entry in found.items_of(partitions[name]) if name in partitions else ():
                _partition(told, entry, name, line, seen)
        if not told.row_count and not told.brokers:
            raise InputRefused(
                "This is Cruise Control's cluster state, but it names neither a broker nor a partition. Request it "
                "with verbose=true.",
                source=paste.source,
                line=line,
            )
        replicas = brokers.get("ReplicaCountByBrokerId")
        counts = replicas.values() if isinstance(replicas, dict) else ()
        counted = sum(count for count in counts if isinstance(count, int))
        if "other" not in partitions:
            told.findings.append(
                Finding(
                    "partitions_missing",
                    Severity.ATTENTION,
                    f"This Cruise Control output was requested without verbose=true: it has only the "
                    f"{told.row_count:,} partitions with a problem, of {counted:,} replicas in the cluster. Request it "
                    "with verbose=true for the complete layout.",
                    places=(f"line {line}",),
                )
            )
        return told.part(_KIND)


def _brokers(told: RowBuilder, state: Mapping[str, object], line: int) -> None:
    leaders = state.get("LeaderCountByBrokerId")
    for name in _COUNTS:
        counts = state.get(name)
        for key in counts if isinstance(counts, dict) else ():
            broker = id_in(key) if isinstance(key, str) else None
            if broker is None:
                told.skipped.add(line, str(key), f"Not a broker id in {name}.")
            elif broker not in told.brokers:
                leads = leaders.get(key) if isinstance(leaders, dict) else None
                alive = isinstance(leads, int) and leads > 0
                told.broker(Broker(broker, state=BrokerState.ALIVE if alive else BrokerState.NOT_TOLD), f"line {line}")
    controllers = state.get("IsController")
    for key, is_controller in controllers.items() if isinstance(controllers, dict) else ():
        controller = id_in(key) if is_controller is True and isinstance(key, str) else None
        if controller is not None:
            told.facts["controller"] = controller


def _partition(told: RowBuilder, entry: object, name: str, line: int, seen: dict[tuple[str, int], str]) -> None:
    row = entry if isinstance(entry, dict) else {}
    topic, partition, replicas = row.get("topic"), id_of(row.get("partition")), ids_of(row.get("replicas"))
    if not isinstance(topic, str) or partition is None or replicas is None:
        told.misread(line, str(entry), f"Not a partition in the list {name}: topic, partition or replicas are missing.")
        return
    content = repr(sorted(row.items(), key=str))
    if seen.get((topic, partition)) == content:
        return  # the same partition, in another of the lists
    seen.setdefault((topic, partition), content)
    told.dead.update(ids_of(row.get("offline")) or ())
    min_in_sync = id_of(row.get("min-isr"))
    if min_in_sync is not None:
        told.min_in_sync[topic] = min_in_sync
    told.add(
        topic,
        partition,
        replicas,
        line=line,
        leader=leader_of(row.get("leader")),
        lists={"in_sync": ids_of(row.get("in-sync"))},
    )
