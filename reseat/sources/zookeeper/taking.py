"""What becomes of what each node of ZooKeeper tells: understood into ``Gathered``, or a fault of that node.

What it promises: a node that is missing, half-written or closed to this account is no crash; of configurations only
the values that matter are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from reseat.sources.config_keys import BROKER_KEYS, TOPIC_KEYS
from reseat.sources.zookeeper.gathered import Gathered, Node, NodeAccess
from reseat.sources.zookeeper.nodes import (
    broker_node,
    config_node,
    document_of,
    fault_of,
    reassignment_node,
    topic_node,
    whole_number,
)
from reseat.sources.zookeeper.permissions import MIGRATION
from reseat.sources.zookeeper.topics import Topic

__all__ = ["Taking"]

_Entity = TypeVar("_Entity")
#: The entity below /config/brokers whose values hold for every broker without its own.
_DEFAULT_ENTITY = "<default>"


class Taking:
    """Takes what nodes tell.

    Attributes:
        told: all that was understood.
        broker_ids: names below /brokers/ids.
        topic_names: names below /brokers/topics.
        configured_topics: names below /config/topics.
        configured_brokers: names below /config/brokers, the default entity among them.
    """

    def __init__(self) -> None:
        self.told = Gathered()
        self.broker_ids: list[str] = []
        self.topic_names: list[str] = []
        self.configured_topics: list[str] = []
        self.configured_brokers: list[str] = []

    def few(self) -> list[Node]:
        """The nodes that every cluster has, and that name the others."""
        return [
            Node("/brokers/ids", True, self._take_broker_ids),
            Node("/brokers/topics", True, self._take_topic_names),
            Node("/controller", False, self._take_controller),
            Node("/controller_epoch", False, self._take_controller_epoch),
            Node("/cluster/id", False, self._take_cluster_id),
            Node("/admin/reassign_partitions", False, self._take_reassignment),
            Node("/admin/preferred_replica_election", False, self._take_preferred),
            Node("/admin/delete_topics", True, self._take_deleting),
            Node(MIGRATION, False, self._take_migration),
            Node("/config/topics", True, self._take_configured_topics),
            Node("/config/brokers", True, self._take_configured_brokers),
        ]

    def drop(self, path: str) -> None:
        """Forget a node that is no longer named, and what it told."""
        told = self.told
        del told.nodes[path]
        told.faults.pop(path, None)
        kind, _, name = path.rpartition("/")
        if kind == "/brokers/ids":
            told.registrations.pop(int(name), None)
        elif kind == "/brokers/topics":
            told.topics.pop(name, None)
        elif kind == "/config/topics":
            told.topic_configs.pop(name, None)
        else:
            told.broker_configs.pop(None if name == _DEFAULT_ENTITY else int(name), None)

    def _take_broker_ids(self, names: object) -> None:
        self.broker_ids = self._ids_among("/brokers/ids", names)

    def _take_configured_brokers(self, names: object) -> None:
        given = names if isinstance(names, list) else []
        ids = self._ids_among("/config/brokers", [name for name in given if name != _DEFAULT_ENTITY])
        self.configured_brokers = [*ids, *([_DEFAULT_ENTITY] if _DEFAULT_ENTITY in given else [])]

    def _ids_among(self, path: str, names: object) -> list[str]:
        given = sorted(names) if isinstance(names, list) else []
        self.told.odd[path] = tuple(name for name in given if whole_number(name) is None)
        return [name for name in given if whole_number(name) is not None]

    def _take_topic_names(self, names: object) -> None:
        self.topic_names = sorted(names) if isinstance(names, list) else []

    def _take_configured_topics(self, names: object) -> None:
        self.configured_topics = sorted(names) if isinstance(names, list) else []

    def _take_deleting(self, names: object) -> None:
        self.told.deleting = tuple(sorted(names)) if isinstance(names, list) else ()

    def _take_controller(self, data: object) -> None:
        self.told.controller = None
        if isinstance(data, bytes):
            document = document_of(data)
            self.told.controller = None if document is None else whole_number(document.get("brokerid"))
            if self.told.controller is None:
                self.told.faults["/controller"] = (
                    fault_of(data) if document is None else "does not have 'brokerid' as a number",
                )

    def _take_controller_epoch(self, data: object) -> None:
        text = data.decode("ascii", "replace") if isinstance(data, bytes) else ""
        self.told.controller_epoch = whole_number(text) if text else None

    def _take_cluster_id(self, data: object) -> None:
        document = document_of(data) if isinstance(data, bytes) else None
        told = None if document is None else document.get("id")
        self.told.cluster_id = told if isinstance(told, str) and told else None
        if isinstance(data, bytes) and self.told.cluster_id is None:
            self.told.faults["/cluster/id"] = (fault_of(data) if document is None else "does not have 'id' as a text",)

    def _take_reassignment(self, data: object) -> None:
        self.told.pending = {}
        if isinstance(data, bytes):
            self.told.pending, fault = reassignment_node(data)
            if fault is not None:
                self.told.faults["/admin/reassign_partitions"] = (fault,)

    def _take_preferred(self, data: object) -> None:
        self.told.preferred = data is not None

    def _take_migration(self, data: object) -> None:
        self.told.migrating = data is not None

    def broker(self, broker: int, path: str) -> Callable[[object], None]:
        """What a node of /brokers/ids is handed to."""

        def take(data: object) -> None:
            told = broker_node(broker, data if isinstance(data, bytes) else None)
            self.told.registrations[broker] = told
            if told.faults and self.told.nodes[path].access is NodeAccess.TOLD:
                self.told.faults[path] = told.faults

        return take

    def topic(self, name: str, path: str) -> Callable[[object], None]:
        """What a node of /brokers/topics is handed to."""

        def take(data: object) -> None:
            topic = self.told.topics.setdefault(name, Topic(name))
            node = topic_node(data if isinstance(data, bytes) else None)
            topic.begin(node)
            if node.faults and self.told.nodes[path].access is NodeAccess.TOLD:
                self.told.faults[path] = node.faults

        return take

    def topic_config(self, name: str, path: str) -> Callable[[object], None]:
        """What a node of /config/topics is handed to."""
        return self._config(self.told.topic_configs, name, TOPIC_KEYS, path)

    def broker_config(self, name: str, path: str) -> Callable[[object], None]:
        """What a node of /config/brokers is handed to."""
        entity = None if name == _DEFAULT_ENTITY else int(name)
        return self._config(self.told.broker_configs, entity, BROKER_KEYS, path)

    def _config(
        self, configs: dict[_Entity, dict[str, str]], entity: _Entity, keys: Collection[str], path: str
    ) -> Callable[[object], None]:
        def take(data: object) -> None:
            if isinstance(data, bytes):
                configs[entity], fault = config_node(data, keys)
                if fault is not None:
                    self.told.faults[path] = (fault,)

        return take
