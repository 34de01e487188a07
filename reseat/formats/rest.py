"""Reads what HTTP proxies answer about topics: Kafka REST Proxy v2, Strimzi's HTTP bridge, Redpanda Console.

``{"name": "t", "partitions": [{"partition": 0, "leader": 1, "replicas": [{"broker": 1, "in_sync": true}]}]}``, or
the list of partitions alone (then without the topic's name), or Redpanda Console's ``topicName``,
``inSyncReplicas`` and ``partitionLogDirs``. Replicas stand in the order that the broker answers.
"""

from __future__ import annotations

from reseat.formats.detect import Document, id_of, ids_of
from reseat.formats.gather import Gathered, Part
from reseat.formats.reading import Limits
from reseat.model import NONE, NOT_TOLD, Finding, Severity
from reseat.model.naming import id_in

__all__ = ["read_rest"]

KIND = "a REST proxy's answer"


def read_rest(document: Document, source: str, limits: Limits, placeholder: str) -> Part:
    """Read one answer.

    Raises:
        InputRefused: it is damaged.
        LimitMet: too many partitions or replicas.
    """
    told = Gathered(source, limits)
    name = document.value("name" if "name" in document.keys else "topicName")
    if not isinstance(name, str) or not name:
        name = placeholder
        told.findings.append(
            Finding(
                "topic_name_not_told",
                Severity.ATTENTION,
                f"The answer does not name its topic: it is called {name} here.",
                topics=(name,),
                places=(f"line {document.line}",),
            )
        )
    configs = document.value("configs")
    lowest = configs.get("min.insync.replicas") if isinstance(configs, dict) else None
    least = id_in(lowest) if isinstance(lowest, str) else None
    if least is not None:
        told.min_in_sync[name] = least
    for entry in document.items("partitions") if document.keys else document.items_of(document.data):
        _partition(told, name, entry, document.line)
    return told.part(KIND, line=document.line)


def _partition(told: Gathered, topic: str, entry: object, line: int) -> None:
    row = entry if isinstance(entry, dict) else {}
    partition = id_of(row.get("partition", row.get("id")))
    listed = row.get("replicas")
    replicas = [r.get("broker") if isinstance(r, dict) else r for r in listed] if isinstance(listed, list) else None
    ids = ids_of(replicas)
    if partition is None or ids is None or not isinstance(listed, list):
        told.misread(line, str(entry)[:200], "Not a partition: its id or its replicas are missing.")
        return
    isr = ids_of(row.get("inSyncReplicas"))
    if isr is None and all(isinstance(r, dict) and isinstance(r.get("in_sync"), bool) for r in listed):
        isr = [i for i, r in zip(ids, listed, strict=True) if r["in_sync"]]
    leader, epoch = row.get("leader"), id_of(row.get("leaderEpoch"))
    known = id_of(leader)
    told.dead.update(ids_of(row.get("offlineReplicas")) or ())
    told.add(
        topic,
        partition,
        ids,
        line=line,
        leader=known if known is not None else NONE if leader == NONE else NOT_TOLD,
        leader_epoch=NOT_TOLD if epoch is None else epoch,
        lists={"in_sync": isr},
    )
