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
from collections.abc import Sequence
from dataclasses import dataclass, field

from reseat.errors import InputRefused
from reseat.formats.assemble import counted
from reseat.formats.detect import Document, DocumentKind, id_of, ids_of
from reseat.formats.gather import Gathered, Part
from reseat.formats.reading import Limits
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, Finding, Severity
from reseat.model.naming import id_in

__all__ = ["KINDS", "ZooKeeper", "first_endpoint", "read_zookeeper"]

KIND = "ZooKeeper nodes"

#: Documents that this reader takes.
KINDS = frozenset(
    {
        DocumentKind.TOPIC_NODE,
        DocumentKind.STATE_NODE,
        DocumentKind.BROKER_NODE,
        DocumentKind.CONTROLLER_NODE,
        DocumentKind.CONFIG_NODE,
    }
)

_COMMAND = re.compile(
    r"""(?:^|[\s"'\])>$#])(get|ls2?|stat|rmr|deleteall|delete|set|create|getAcl)\s+(?:-[swRe]\s+)*["']?(/[^\s"';]*)"""
)
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


@dataclass
class ZooKeeper:
    """What a paste tells as ZooKeeper nodes.

    Attributes:
        part: the part, None where there is none.
        left: lines that were not used.
        targets: reassignment documents that are the node /admin/reassign_partitions, by identity.
        nameless: documents that cannot be used alone, with why.
    """

    part: Part | None
    left: list[tuple[int, str]]
    targets: set[int] = field(default_factory=set)
    nameless: list[tuple[Document, str]] = field(default_factory=list)


def read_zookeeper(
    lines: Sequence[tuple[int, str]], documents: Sequence[Document], source: str, limits: Limits, placeholder: str
) -> ZooKeeper:
    """Read the nodes in a paste.

    Args:
        lines: numbered lines of text, in order.
        documents: all JSON documents of the paste, in order.
        source: the text's name.
        limits: what is accepted.
        placeholder: the name for a topic whose name is not told.

    Raises:
        InputRefused: a topic node is malformed.
        LimitMet: too many partitions or replicas.
    """
    reader = _Reader(source, limits, placeholder)
    events: list[tuple[int, str | Document]] = sorted([*lines, *((d.line, d) for d in documents)], key=lambda e: e[0])
    for number, event in events:
        if isinstance(event, Document):
            reader.answer(event)
        else:
            reader.line(number, event)
    return reader.finish()


@dataclass
class _Command:
    verb: str
    path: str
    line: int


class _Reader:
    def __init__(self, source: str, limits: Limits, placeholder: str) -> None:
        self.told = Gathered(source, limits)
        self.placeholder = placeholder
        self.waiting: list[_Command] = []
        self.commands_open = False  # whether the last event was a command, so that a further one waits beside it
        self.topics: dict[str, tuple[int, dict[str, object]]] = {}
        self.states: dict[tuple[str, int], tuple[int, Document]] = {}
        self.out = ZooKeeper(None, [])
        self.first_line = 0
        self.unnamed = 0

    # ---- the walk ------------------------------------------------------------------------------------------

    def line(self, number: int, text: str) -> None:
        if (found := _COMMAND.search(text[:2_000])) is not None:
            command = _Command(found[1], found[2].rstrip("/") or "/", number)
            self.waiting = [*self.waiting, command] if self.commands_open else [command]
            self.commands_open = True
            return
        if text.strip(" `\t") == "":
            return  # a code fence between commands and answers does not part them
        if _STAT.match(text):
            self.told.skipped.add(number, text, "Facts of the ZooKeeper node itself, not of the layout.")
            return
        if (found := _LIST.match(text)) is not None and self.waiting and self._listed(number, found[1]):
            self.commands_open = False
            return
        self.commands_open = False
        if _BANNER.match(text):
            self.told.skipped.add(number, text, "What the ZooKeeper shell says of itself.")
        elif _MISSING.match(text):
            self.waiting = self.waiting[1:]
            self.told.skipped.add(number, text, "The ZooKeeper shell says that there is no such node.")
        else:
            self.out.left.append((number, text))

    def _listed(self, number: int, inside: str) -> bool:
        command = self._asked(lambda c: c.verb.startswith("ls"))
        if command is None:
            return False
        names = [name.strip() for name in inside.split(",") if name.strip()]
        if command.path.endswith("/brokers/ids"):
            self.told.alive = (self.told.alive or set()) | {i for i in map(id_in, names) if i is not None}
            for broker in self.told.alive:
                self.told.broker(Broker(broker, state=BrokerState.ALIVE), f"line {number}")
            self._met(command.line)
        elif command.path.endswith("/brokers/topics"):
            self.told.facts["topics_listed"] = len(names)
            self.told.topics_listed.update(names)
            self._met(command.line)
        else:
            self.told.skipped.add(number, f"[{inside}]", f"The children of {command.path}: nothing of the layout.")
        return True

    def _asked(self, fits: object) -> _Command | None:
        """The first waiting command that fits, taken out of the queue."""
        for place, command in enumerate(self.waiting):
            if callable(fits) and fits(command):
                del self.waiting[place]
                return command
        return None

    def _met(self, line: int) -> None:
        self.first_line = min(self.first_line or line, line)

    # ---- answers -------------------------------------------------------------------------------------------

    def answer(self, document: Document) -> None:
        kind = document.kind
        self.commands_open = False
        if kind is DocumentKind.REASSIGNMENT:
            if self._asked(lambda c: c.path.endswith("/admin/reassign_partitions")) is not None:
                self.out.targets.add(id(document))
            return
        if kind not in KINDS:
            return
        if kind is DocumentKind.TOPIC_NODE:
            self._topic(document)
        elif kind is DocumentKind.STATE_NODE:
            self._state(document)
        elif kind is DocumentKind.BROKER_NODE:
            self._broker(document)
        elif kind is DocumentKind.CONTROLLER_NODE:
            self._asked(lambda c: c.path.endswith("/controller"))
            controller = id_of(document.value("brokerid"))
            if controller is not None:
                self.told.facts["controller"] = controller
                self._met(document.line)
        else:
            self._asked(lambda c: "/config/" in c.path)
            self.out.nameless.append((document, "a configuration, which has no replica lists"))

    def _topic(self, document: Document) -> None:
        command = self._asked(lambda c: _TOPIC_PATH.search(c.path))
        found = _TOPIC_PATH.search(command.path) if command else None
        if found:
            name = found[1]
        else:
            self.unnamed += 1
            name = self.placeholder if self.unnamed == 1 else f"{self.placeholder}-{self.unnamed}"
            self.told.findings.append(
                Finding(
                    "topic_name_not_told",
                    Severity.ATTENTION,
                    f"A topic node does not hold its topic's name, and no command names it: it is called {name} here. "
                    "Give the session with its get command to have the real name.",
                    topics=(name,),
                    places=(f"line {document.line}",),
                )
            )
        value = {key: document.value(key) for key in ("partitions", "adding_replicas", "removing_replicas")}
        partitions = value["partitions"]
        if not isinstance(partitions, dict):
            return
        self._met(document.line)
        if name in self.topics and self.topics[name][1] != value:
            first = self.topics[name][0]
            self.told.findings.append(
                Finding(
                    "contradicting_rows",
                    Severity.ATTENTION,
                    f"Topic {name} is told twice and differently, in lines {first} and {document.line}. The first "
                    "counts.",
                    topics=(name,),
                    places=(f"line {first}", f"line {document.line}"),
                )
            )
        self.topics.setdefault(name, (document.line, value))

    def _state(self, document: Document) -> None:
        command = self._asked(lambda c: _STATE_PATH.search(c.path))
        found = _STATE_PATH.search(command.path) if command else None
        if found is None:
            self.out.nameless.append(
                (document, "the state of one partition (its leader and ISR), without the partition's name or replicas")
            )
            return
        self._met(document.line)
        self.states.setdefault((found[1], int(found[2])), (document.line, document))

    def _broker(self, document: Document) -> None:
        command = self._asked(lambda c: _BROKER_PATH.search(c.path))
        found = _BROKER_PATH.search(command.path) if command else None
        broker = id_in(found[1]) if found else None
        if broker is None:
            self.out.nameless.append(
                (document, "the registration of one broker, whose id stands only in the node's path")
            )
            return
        rack = document.value("rack")
        host, port = document.value("host"), document.value("port")
        if not isinstance(host, str) or not host:
            host, port = first_endpoint(document.value("endpoints"))
        self._met(document.line)
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

    def finish(self) -> ZooKeeper:
        told = self.told
        for name, (line, value) in self.topics.items():
            self._rows(name, line, value)
        orphans = {name for name, _ in self.states}
        if self.states:
            told.findings.append(
                Finding(
                    "state_without_assignment",
                    Severity.NOTE,
                    f"{counted(len(self.states), 'partition state is', 'partition states are')} told without the "
                    f"replicas of the partition, such as {next(iter(self.states))[0]}-{next(iter(self.states))[1]}; "
                    "not used. Add the node /brokers/topics/<topic>.",
                    topics=tuple(sorted(orphans)),
                    places=tuple(f"line {line}" for line, _ in list(self.states.values())[:20]),
                )
            )
        if told.row_count or told.brokers or self.topics:
            self.out.part = told.part(KIND, line=self.first_line or 1)
        return self.out

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
                    f"{key}: {replicas}"[:200],
                    f"Not a partition of topic {name}: a number and a list of ids were expected.",
                )
                continue
            leader, epoch, isr = NOT_TOLD, NOT_TOLD, None
            state = self.states.pop((name, partition), None)
            if state is not None:
                leader_told, epoch_told = state[1].value("leader"), id_of(state[1].value("leader_epoch"))
                known = id_of(leader_told)
                leader = known if known is not None else NONE if leader_told == NONE else NOT_TOLD
                epoch = NOT_TOLD if epoch_told is None else epoch_told
                isr = ids_of(state[1].value("isr"))
                for what, read_as in (("leader", leader), ("isr", isr)):
                    if read_as is None or read_as == NOT_TOLD:
                        told.misread(
                            state[0],
                            f"{what}: {state[1].value(what)}"[:200],
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


def refusal(nameless: Sequence[tuple[Document, str]], source: str) -> InputRefused:
    """The refusal where nothing but nodes without a name was given."""
    document, what = nameless[0]
    return InputRefused(
        f"This is {what}. Give it together with the command that read it (get /brokers/...) and the topics' nodes.",
        source=source,
        line=document.line,
        recognised=document.kind.value,
    )
