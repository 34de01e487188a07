"""Reads ZooKeeper nodes: broker registrations (versions 1 to 5), topics (1 to 3), partition states, and sessions.

What it promises, in this order: an answer is taken for the node that was asked for, never for another; what a
session does not tell (leaders of partitions whose state was not read) stays not told.

How it works: commands and answers are walked through in the order of the text. A command waits for its answer;
where several commands stand together and the answers follow together, they are paired in order, and an answer only
with a command whose path fits it. A topic's name and a broker's id stand in the path alone, below any chroot; a
topic node without a path gets a name made from the source, and a finding says so.

Complexity: O(nodes). Source: Kafka's ``ZkData`` (``BrokerIdZNode``, ``TopicZNode``, ``TopicPartitionStateZNode``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from reseat.errors import InputRefused
from reseat.formats.input.document import Document, id_of, ids_of, leader_of
from reseat.formats.rows.gather import RowBuilder
from reseat.formats.rows.row_findings import PLACES_NAMED
from reseat.formats.text.form import Form, Paste
from reseat.model import NOT_TOLD, Broker, BrokerState, Finding, Severity
from reseat.model.naming import id_in
from reseat.model.wording import counted

__all__ = ["ZooKeeper", "first_endpoint"]

_KIND = "ZooKeeper nodes"

_TOPIC = "ZooKeeper node of a topic"
_STATE_NODE = "ZooKeeper node of a partition's state"
_CONTROLLER = "ZooKeeper node of the controller"
_CONFIG = "ZooKeeper node of a configuration"
_BROKER = "ZooKeeper node of a broker"
#: Keys by which nodes without partitions are told: all of one set.
_KEYS = (
    (_STATE_NODE, ({"isr", "leader"},)),
    (_CONTROLLER, ({"brokerid"},)),
    (_CONFIG, ({"config"},)),
    (_BROKER, ({"endpoints"}, {"host", "port"})),
)
#: Keys that no node has: a snapshot of Reseat, say, tells partitions by name too.
_NO_NODE = ("reseat_snapshot", "topics", "brokers", "KafkaPartitionState", "KafkaBrokerState")

_COMMAND = re.compile(
    r"""(?:^|[\s"'\])>$#])(get|ls2?|stat|rmr|deleteall|delete|set|create|getAcl)\s+(?:-[swRe]\s+)*["']?(/[^\s"';]*)"""
)
#: Characters of a line in which a command is looked for.
_LOOKED_AT = 2_000
_LIST = re.compile(r"^\s*\[([^\[\]{}]*)\]\s*$")
_STAT = re.compile(
    r"^\s*(?:cZxid|ctime|mZxid|mtime|pZxid|cversion|dataVersion|aclVersion|ephemeralOwner|dataLength|numChildren)\s*="
)
_BANNER = re.compile(
    r"^\s*(?:Connecting to \S+|Welcome to ZooKeeper!|JLine support is (?:dis|en)abled|WATCHER::|WatchedEvent .*|"
    r"\[zk: [^\]]*\]\s*(?:quit|exit)?)\s*$"
)
_MISSING = re.compile(r"^\s*(?:Node does not exist|Path must start|Unable to read|org\.apache\.zookeeper)")
_TOPIC_PATH = re.compile(r"/brokers/topics/([^/]+)$")
_STATE_PATH = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d{1,10})/state$")
_BROKER_PATH = re.compile(r"/brokers/ids/(\d{1,10})$")
_ENDPOINT = re.compile(r"^[A-Za-z0-9_.-]*://(\[[^\]]*\]|[^:/]*):(\d{1,5})$")


#: What a partition's state tells, and as what.
_STATE = {"leader": "a broker id, or -1 for none,", "isr": "a list of broker ids"}


class ZooKeeper(Form):
    """ZooKeeper's nodes, and the commands that read them."""

    def claims(self, found: Document) -> bool:
        """Whether it is a node."""
        return _node_of(found) is not None

    def read(self, paste: Paste) -> None:
        """Take nodes, commands and what the shell says out of the paste; refused where a topic's node is malformed."""
        reader = _Reader(paste)
        answers = [(found.line, found) for found, _ in paste.documents]
        events: list[tuple[int, str | Document]] = [*paste.lines, *answers]
        for number, event in sorted(events, key=lambda event: event[0]):
            if isinstance(event, Document):
                reader.answer(event)
            else:
                reader.line(number, event)
        paste.lines = reader.left
        reader.finish()


def _node_of(found: Document) -> str | None:
    """What kind of node a document is, None for another document."""
    names = found.keys.keys()
    if not names.isdisjoint(_NO_NODE):
        return None
    if "partitions" in names:
        return _TOPIC if found.head("partitions").startswith(b"{") else None
    return next((node for node, keys in _KEYS if any(names >= some for some in keys)), None)


@dataclass
class _Command:
    verb: str
    path: str


class _Reader:
    def __init__(self, paste: Paste) -> None:
        self.paste = paste
        self.told = RowBuilder(paste.source, paste.limits)
        self.left: list[tuple[int, str]] = []
        self.waiting: list[_Command] = []
        self.commands_open = False  # whether the last event was a command, so that a further one waits beside it
        self.topics: dict[str, tuple[int, dict[str, object]]] = {}
        self.states: dict[tuple[str, int], tuple[int, Document]] = {}
        self.unnamed = 0

    # ---- the walk ------------------------------------------------------------------------------------------

    def line(self, number: int, text: str) -> None:
        if (found := _COMMAND.search(text[:_LOOKED_AT])) is not None:
            command = _Command(found[1], found[2].rstrip("/") or "/")
            self.waiting = [*self.waiting, command] if self.commands_open else [command]
            self.commands_open = True
            return
        if text.strip(" `\t") == "":
            return  # a code fence between commands and answers does not part them
        if _STAT.match(text):
            self.told.skipped.add(number, text, "Metadata of the ZooKeeper node, not of the layout.")
            return
        if (found := _LIST.match(text)) is not None and self.waiting and self._listed(number, found[1]):
            self.commands_open = False
            return
        self.commands_open = False
        if _BANNER.match(text):
            self.told.skipped.add(number, text, "Message of the ZooKeeper shell.")
        elif _MISSING.match(text):
            self.waiting = self.waiting[1:]
            self.told.skipped.add(number, text, "The ZooKeeper shell reports no such node.")
        else:
            self.left.append((number, text))

    def _listed(self, number: int, inside: str) -> bool:
        command = self._asked(lambda c: c.verb.startswith("ls"))
        if command is None:
            return False
        names = [name.strip() for name in inside.split(",") if name.strip()]
        if command.path.endswith("/brokers/ids"):
            self.told.alive = (self.told.alive or set()) | {i for i in map(id_in, names) if i is not None}
            for broker in self.told.alive:
                self.told.broker(Broker(broker, state=BrokerState.ALIVE), f"line {number}")
        elif command.path.endswith("/brokers/topics"):
            self.told.facts["topics_listed"] = len(names)
            self.told.topics_listed.update(names)
        else:
            self.told.skipped.add(number, f"[{inside}]", f"The children of {command.path}: not part of the layout.")
        return True

    def _asked(self, fits: Callable[[_Command], object]) -> _Command | None:
        """The first waiting command that fits, taken out of the queue."""
        place = next((place for place, command in enumerate(self.waiting) if fits(command)), None)
        return None if place is None else self.waiting.pop(place)

    def _path(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the first waiting command for such a path says of it; that command is taken out of the queue."""
        command = self._asked(lambda c: pattern.search(c.path))
        return pattern.search(command.path) if command else None

    # ---- answers -------------------------------------------------------------------------------------------

    def answer(self, document: Document) -> None:
        self.commands_open = False
        node = _node_of(document)
        if node == _TOPIC:
            self._topic(document)
        elif node == _STATE_NODE:
            self._state(document)
        elif node == _BROKER:
            self._broker(document)
        elif node == _CONTROLLER:
            self._asked(lambda c: c.path.endswith("/controller"))
            controller = id_of(document.value("brokerid"))
            if controller is not None:
                self.told.facts["controller"] = controller
        elif node == _CONFIG:
            self._asked(lambda c: "/config/" in c.path)
            self._nameless(document, "a configuration, which has no replica lists")
        elif "partitions" in document.keys and self._asked(lambda c: c.path.endswith("/admin/reassign_partitions")):
            self.paste.targets.append(document)

    def _nameless(self, document: Document, what: str) -> None:
        """Skip a node that tells nothing by itself; a text of nothing but such nodes is told to be that."""
        self.paste.instead = self.paste.instead or InputRefused(
            f"This is {what}. Give it together with the command that read it (get /brokers/...) and the topics' nodes.",
            source=self.paste.source,
            line=document.line,
        )
        text = document.head().decode("utf-8", "replace")
        self.paste.skipped.add(document.line, text, f"This is {what}.", document.data.count(b"\n") + 1)

    def _topic(self, document: Document) -> None:
        found = self._path(_TOPIC_PATH)
        if found:
            name = found[1]
        else:
            self.unnamed += 1
            name = self.paste.placeholder if self.unnamed == 1 else f"{self.paste.placeholder}-{self.unnamed}"
            self.told.findings.append(
                Finding(
                    "topic_name_not_told",
                    Severity.ATTENTION,
                    f"A topic node does not hold its topic's name, and no command names it: it is called {name} here. "
                    "Include the get command to get its real name.",
                    topics=(name,),
                    places=(f"line {document.line}",),
                )
            )
        value = {key: document.value(key) for key in ("partitions", "adding_replicas", "removing_replicas")}
        partitions = value["partitions"]
        if not isinstance(partitions, dict):
            return
        if name in self.topics and self.topics[name][1] != value:
            first = self.topics[name][0]
            self.told.findings.append(
                Finding(
                    "contradicting_rows",
                    Severity.ATTENTION,
                    f"Topic {name} is in the text twice, with differences, in lines {first} and {document.line}. The "
                    "first one is used.",
                    topics=(name,),
                    places=(f"line {first}", f"line {document.line}"),
                )
            )
        self.topics.setdefault(name, (document.line, value))

    def _state(self, document: Document) -> None:
        found = self._path(_STATE_PATH)
        if found is None:
            self._nameless(
                document, "the state of one partition (its leader and ISR), without the partition's name or replicas"
            )
            return
        self.states.setdefault((found[1], int(found[2])), (document.line, document))

    def _broker(self, document: Document) -> None:
        found = self._path(_BROKER_PATH)
        broker = id_in(found[1]) if found else None
        if broker is None:
            self._nameless(document, "the registration of one broker, whose id is only in the node's path")
            return
        rack = document.value("rack")
        host, port = document.value("host"), document.value("port")
        if not isinstance(host, str) or not host:
            host, port = first_endpoint(document.value("endpoints"))
        self.told.racks_told.add(broker)
        self.told.broker(
            Broker(
                broker,
                rack=rack if isinstance(rack, str) and rack else None,
                host=host,
                port=port if isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65_536 else None,
                state=BrokerState.ALIVE,
            ),
            f"line {document.line}",
        )

    # ---- the end -------------------------------------------------------------------------------------------

    def finish(self) -> None:
        told = self.told
        for name, (line, value) in self.topics.items():
            self._rows(name, line, value)
        orphans = {name for name, _ in self.states}
        if self.states:
            told.findings.append(
                Finding(
                    "state_without_assignment",
                    Severity.NOTE,
                    f"{counted(len(self.states), 'partition state is', 'partition states are')} given without the "
                    f"replicas of the partition, such as {next(iter(self.states))[0]}-{next(iter(self.states))[1]}; "
                    "not used. Add the node /brokers/topics/<topic>.",
                    topics=tuple(sorted(orphans)),
                    places=tuple(f"line {line}" for line, _ in list(self.states.values())[:PLACES_NAMED]),
                )
            )
        if told.row_count or told.brokers or self.topics:
            self.paste.add(told.part(_KIND))

    def _rows(self, name: str, line: int, value: dict[str, object]) -> None:
        partitions, adding, removing = (value[key] for key in ("partitions", "adding_replicas", "removing_replicas"))
        told = self.told
        told.topic(name)
        for key, replicas in partitions.items() if isinstance(partitions, dict) else ():
            partition = id_in(key) if isinstance(key, str) else None
            ids = ids_of(replicas)
            if partition is None or ids is None:
                told.misread(
                    line,
                    f"{key}: {replicas}",
                    f"Not a partition of topic {name}: a number and a list of ids were expected.",
                )
                continue
            leader, epoch, isr = NOT_TOLD, NOT_TOLD, None
            state = self.states.pop((name, partition), None)
            if state is not None:
                leader, epoch_told = leader_of(state[1].value("leader")), id_of(state[1].value("leader_epoch"))
                epoch = NOT_TOLD if epoch_told is None else epoch_told
                isr = ids_of(state[1].value("isr"))
                for what, read_as in (("leader", leader), ("isr", isr)):
                    if read_as is None or read_as == NOT_TOLD:
                        told.misread(
                            state[0],
                            f"{what}: {state[1].value(what)}",
                            f"The state of {name}-{partition}: {_STATE[what]} was expected; it was treated as unknown.",
                        )
            told.add(
                name,
                partition,
                ids,
                line=line,
                leader=leader,
                leader_epoch=epoch,
                lists={
                    "in_sync": isr,
                    "adding": ids_of(adding.get(key)) if isinstance(adding, dict) else None,
                    "removing": ids_of(removing.get(key)) if isinstance(removing, dict) else None,
                },
            )


def first_endpoint(endpoints: object) -> tuple[str | None, int | None]:
    """Host and port of the first of a registration's endpoints, (None, None) where there is none that is one.

    They stand in for ``host`` and ``port``, which are null and -1 where no listener is PLAINTEXT.
    """
    for endpoint in endpoints if isinstance(endpoints, list) else ():
        if isinstance(endpoint, str) and (found := _ENDPOINT.match(endpoint)) is not None:
            return found[1].strip("[]") or None, int(found[2])
    return None, None
