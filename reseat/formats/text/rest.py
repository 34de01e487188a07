"""Reads what HTTP proxies answer about topics: Kafka REST Proxy v2, Strimzi's HTTP bridge, Redpanda Console.

``{"name": "t", "partitions": [{"partition": 0, "leader": 1, "replicas": [{"broker": 1, "in_sync": true}]}]}``, or
the list of partitions alone (then without the topic's name), or Redpanda Console's ``topicName``,
``inSyncReplicas`` and ``partitionLogDirs``. Replicas stand in the order that the broker answers.
"""

from __future__ import annotations

import re

from reseat.formats.input.document import Document, id_of, ids_of, leader_of
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.text.form import DocumentForm, Paste
from reseat.model import NOT_TOLD, Finding, Severity
from reseat.model.naming import id_in
from reseat.model.tiering import TIERED

__all__ = ["Rest", "has_partitions"]

_KIND = "a REST proxy's answer"

_OBJECTS = re.compile(rb"\[\s*\{")


class Rest(DocumentForm):
    """A proxy's answer about one topic, or the list of its partitions alone."""

    def claims(self, found: Document) -> bool:
        """Whether it names a topic, or tells of replicas which are in sync, as no other form does."""
        if not found.keys:
            head = found.head()
            return _OBJECTS.match(found.data) is not None and b'"replicas"' in head and b'"partition"' in head
        return "partitions" in found.keys and has_partitions(found)

    def part(self, found: Document, paste: Paste) -> Part:
        """Read one answer."""
        told = RowBuilder(paste.source, paste.limits)
        name = found.value("name" if "name" in found.keys else "topicName")
        if not isinstance(name, str) or not name:
            name = paste.placeholder
            told.findings.append(
                Finding(
                    "topic_name_not_told",
                    Severity.ATTENTION,
                    f"The answer does not name its topic: it is called {name} here.",
                    topics=(name,),
                    places=(f"line {found.line}",),
                )
            )
        configs = found.value("configs")
        configs = configs if isinstance(configs, dict) else {}
        lowest = configs.get("min.insync.replicas")
        least = id_in(lowest) if isinstance(lowest, str) else None
        if least is not None:
            told.min_in_sync[name] = least
        if configs.get(TIERED) == "true":
            told.tiered.add(name)
        for entry in found.items("partitions") if found.keys else found.items_of(found.data):
            _partition(told, name, entry, found.line)
        return told.part(_KIND)


def has_partitions(found: Document) -> bool:
    """Whether the partitions of a document are told as a proxy tells them, by topic and with replicas in sync."""
    head = found.head("partitions")
    signs = (
        b'"inSyncReplicas"' in head or b'"in_sync"' in head or not found.keys.keys().isdisjoint(("name", "topicName"))
    )
    return signs and not head.startswith(b"{")


def _partition(told: RowBuilder, topic: str, entry: object, line: int) -> None:
    row = entry if isinstance(entry, dict) else {}
    partition = id_of(row.get("partition", row.get("id")))
    listed = row.get("replicas")
    replicas = [r.get("broker") if isinstance(r, dict) else r for r in listed] if isinstance(listed, list) else None
    ids = ids_of(replicas)
    if partition is None or ids is None or not isinstance(listed, list):
        told.misread(line, str(entry), "Not a partition: its id or its replicas are missing.")
        return
    isr = ids_of(row.get("inSyncReplicas"))
    if isr is None and all(isinstance(r, dict) and isinstance(r.get("in_sync"), bool) for r in listed):
        isr = [i for i, r in zip(ids, listed, strict=True) if r["in_sync"]]
    epoch = id_of(row.get("leaderEpoch"))
    told.dead.update(ids_of(row.get("offlineReplicas")) or ())
    told.add(
        topic,
        partition,
        ids,
        line=line,
        leader=leader_of(row.get("leader")),
        leader_epoch=NOT_TOLD if epoch is None else epoch,
        lists={"in_sync": isr},
    )
