"""Throttles as ZooKeeper has them: in the settings of brokers and topics, each change with a word to the brokers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.target import Throttles
from reseat.operate.targets.throttle_names import BROKER_SETTINGS, TOPIC_SETTINGS, Settings, by_entity, from_entities
from reseat.operate.targets.zookeeper_assignments import topic_path
from reseat.operate.targets.zookeeper_session import NODE_BYTES, Change, Lost, Node, ZooKeeperSession
from reseat.sources.zookeeper.nodes import document_of

__all__ = ["read_throttles", "write_throttles"]

_CHANGES = "/config/changes/config_change_"
#: How often a node that somebody else changes at the same time is read and written again.
_TRIES = 10


def read_throttles(session: ZooKeeperSession, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
    """The throttles of these brokers and topics; see ``Target.throttles``."""
    ids, names = list(dict.fromkeys(brokers)), list(dict.fromkeys(topics))
    there = session.read([topic_path(name) for name in names])
    names = [name for name, node in zip(names, there, strict=True) if node is not None]
    paths = [*(f"/config/brokers/{broker}" for broker in ids), *(f"/config/topics/{name}" for name in names)]
    told = [_settings_of(node) for node in session.read(paths)]
    return from_entities(
        {broker: _only(BROKER_SETTINGS, settings) for broker, settings in zip(ids, told[: len(ids)], strict=True)},
        {name: _only(TOPIC_SETTINGS, settings) for name, settings in zip(names, told[len(ids) :], strict=True)},
    )


def write_throttles(session: ZooKeeperSession, throttles: Throttles) -> None:
    """Write these settings and tell the brokers; see ``Target.set_throttles``."""
    brokers, topics = by_entity(throttles)
    names = list(topics)
    there = session.read([topic_path(name) for name in names])
    for broker in sorted(brokers):
        _configure(session, f"brokers/{broker}", brokers[broker])
    for name, node in zip(names, there, strict=True):
        if node is not None:
            _configure(session, f"topics/{name}", topics[name])


def _configure(session: ZooKeeperSession, entity: str, settings: Settings) -> None:
    """Change some settings of a broker or topic and tell the brokers, both at once.

    A setting that is written and not told is not in force, and looks as if it were: nobody would tell it later.
    """
    path = f"/config/{entity}"
    for _ in range(_TRIES):
        node = session.read([path])[0]
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
        if len(data) > NODE_BYTES:
            raise ClusterUnreachable(
                f"The settings of {entity} would take {len(data):,} bytes, and {NODE_BYTES:,} is the limit of a "
                "ZooKeeper node: other settings there are too long. It was not changed.",
                "configuration",
            )
        written = Change(path, data, None if node is None else node.version)
        word = Change(_CHANGES, orjson.dumps({"version": 2, "entity_path": entity}), numbered=True)
        try:
            refusals = session.together([written, word])
        except Lost:
            continue  # what is there then tells whether it was done
        if not any(refusals):
            return
    raise ClusterUnreachable(
        f"Somebody else is changing {path} at the same time; it was not changed after {_TRIES} tries.", "lost"
    )


def _settings_of(node: Node | None) -> Mapping[str, object]:
    found = (document_of(node.data) or {}).get("config") if node is not None else None
    return found if isinstance(found, dict) else {}


def _only(keys: Sequence[str], told: Mapping[str, object]) -> Settings:
    return {key: str(told[key]) if key in told else None for key in keys}
