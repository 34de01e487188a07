"""Reads ``kcat -L -J``; what of it can be trusted, ``kcat`` says.

Source: kcat's ``json.c``; librdkafka's metadata structures.
"""

from __future__ import annotations

from reseat.formats.input.document import Document, id_of, ids_of
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.text.form import DocumentForm, Paste
from reseat.formats.text.kcat import finish
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState
from reseat.model.naming import id_in

__all__ = ["KcatJson"]

_KIND = "kcat -L -J"


class KcatJson(DocumentForm):
    """The JSON of ``kcat -L -J``; some topics at a time are turned into objects."""

    def claims(self, found: Document) -> bool:
        """Whether it lists topics with their partitions, or says whom it asked."""
        asked = ("originating_broker", "brokers", "controllerid", "query")
        return "topics" in found.keys and (
            b'"partitions"' in found.head("topics") or not found.keys.keys().isdisjoint(asked)
        )

    def part(self, found: Document, paste: Paste) -> Part:
        """Read one document; refused where it holds topics without partitions."""
        told = RowBuilder(paste.source, paste.limits)
        line = found.line
        controller = id_of(found.value("controllerid"))
        if controller is not None:
            told.facts["controller"] = controller
        for item in found.items("brokers"):
            _json_broker(told, item, line)
        for item in found.items("topics"):
            _json_topic(told, item, line)
        finish(told, None, line)
        return told.part(_KIND)


def _json_broker(told: RowBuilder, item: object, line: int) -> None:
    row = item if isinstance(item, dict) else {}
    broker = id_of(row.get("id"))
    if broker is None:
        told.skipped.add(line, str(item), "Not a broker: an id is missing.")
        return
    name = row.get("name") or f"{row.get('host', '')}:{row.get('port', '')}"
    host, _, port = str(name).rpartition(":")
    told.broker(
        Broker(
            broker,
            host=host.strip("[]") or None,
            port=id_in(port),
            state=BrokerState.ALIVE,
        ),
        f"line {line}",
    )


def _json_topic(told: RowBuilder, item: object, line: int) -> None:
    name = (item.get("topic") or item.get("name")) if isinstance(item, dict) else None
    partitions = item.get("partitions") if isinstance(item, dict) else None
    if not isinstance(name, str) or not isinstance(partitions, list):
        told.misread(line, str(item), "Not a topic with partitions.")
        return
    told.topic(name)
    told.declared[name] = len(partitions)
    for entry in partitions:
        row = entry if isinstance(entry, dict) else {}
        partition = id_of(row.get("partition", row.get("id")))
        replicas, isr = ids_of(row.get("replicas")), ids_of(row.get("isrs"))
        if partition is None or replicas is None:
            told.misread(line, str(entry), f"Not a partition of topic {name}: its id or its replicas are missing.")
            continue
        leader = row.get("leader")
        told.add(
            name,
            partition,
            replicas,
            line=line,
            leader=NOT_TOLD if leader is None else NONE if (known := id_of(leader)) is None else known,
            lists={"in_sync": isr},
        )
