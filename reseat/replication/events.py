"""What can happen to a partition: one small value an event, each with a line of text that stands for it in a link.

The text is one word and its arguments, such as ``produce m1 all`` or ``crash 2 lose``; ``read`` takes it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from reseat.errors import ScenarioInvalid
from reseat.replication.state import Acks

__all__ = [
    "Checkpoint",
    "Consume",
    "Crash",
    "DropResponse",
    "Elect",
    "Event",
    "Fetch",
    "FetchResponse",
    "Flush",
    "Produce",
    "Restart",
    "Return",
    "Tick",
    "read",
    "written",
]

#: The longest text of one value: what a page shows in a cell.
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Produce:
    """A producer sends one record to the leader."""

    value: str
    acks: Acks = Acks.ALL


@dataclass(frozen=True, slots=True)
class Fetch:
    """A follower's fetch arrives at the leader: it carries the follower's LEO; the answer is on its way."""

    follower: int


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """The answer arrives: the follower appends the records and takes over the high watermark."""

    follower: int


@dataclass(frozen=True, slots=True)
class DropResponse:
    """The answer on its way to a follower is lost."""

    follower: int


@dataclass(frozen=True, slots=True)
class Crash:
    """A broker goes down.

    Without ``lose`` it shuts down cleanly: all is flushed, the high watermark too. With it the page cache is gone, the
    high watermark is the checkpoint's, and the shutdown is unclean (KIP-966).
    """

    broker: int
    lose: bool = False


@dataclass(frozen=True, slots=True)
class Return:
    """A broker that was down comes back; where somebody leads, it follows."""

    broker: int


@dataclass(frozen=True, slots=True)
class Restart:
    """A broker goes down and is back before the controller notices: the ISR stays as it was."""

    broker: int
    lose: bool = False


@dataclass(frozen=True, slots=True)
class Elect:
    """The controller elects a leader; ``broker`` is asked for, or the first in assignment order that can lead.

    With ``unclean`` a replica that is not in sync may lead, whatever the rules say (an operator's election).
    """

    broker: int | None = None
    unclean: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes; then the leader looks at its followers, shrinks or expands the ISR, and raises what it can."""

    ms: int = 0


@dataclass(frozen=True, slots=True)
class Flush:
    """A broker writes its page cache to disk."""

    broker: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A broker writes its high watermark to disk (every 5 s)."""

    broker: int


@dataclass(frozen=True, slots=True)
class Consume:
    """A consumer reads everything below the leader's high watermark that it has not read."""


_OnBroker: TypeAlias = Fetch | FetchResponse | DropResponse | Return | Flush | Checkpoint
#: Whatever can happen to a partition.
Event: TypeAlias = Produce | Crash | Restart | Elect | Tick | Consume | _OnBroker

#: Events of one broker and nothing else, by their verb in a line of text. Links hold the verbs.
_ON_BROKER: dict[str, type[_OnBroker]] = {
    "fetch": Fetch,
    "catch": FetchResponse,
    "lose": DropResponse,
    "return": Return,
    "flush": Flush,
    "checkpoint": Checkpoint,
}
_VERBS = {kind: verb for verb, kind in _ON_BROKER.items()}


def written(event: Event) -> str:
    """The event as its line of text."""
    match event:
        case Produce(value, acks):
            return f"produce {value} {acks.value}"
        case Crash(broker, lose) | Restart(broker, lose):
            return f"{type(event).__name__.lower()} {broker}{' lose' if lose else ''}"
        case Elect(broker, unclean):
            return f"elect{'' if broker is None else f' {broker}'}{' unclean' if unclean else ''}"
        case Tick(ms):
            return f"tick {ms}"
        case Consume():
            return "consume"
        case (
            Fetch(broker)
            | FetchResponse(broker)
            | DropResponse(broker)
            | Return(broker)
            | Flush(broker)
            | Checkpoint(broker)
        ):
            return f"{_VERBS[type(event)]} {broker}"


def read(line: str) -> Event:
    """The event that a line of text stands for.

    Raises:
        ScenarioInvalid: the line is none; says what was expected.
    """
    words = line.split()
    if not words:
        raise ScenarioInvalid("An empty line is not an event.")
    verb, rest = words[0].lower(), words[1:]
    try:
        if verb in _ON_BROKER and len(rest) == 1:
            return _ON_BROKER[verb](_broker(rest[0]))
        if verb == "produce" and 1 <= len(rest) <= 2 and len(rest[0]) <= _LONGEST:
            return Produce(rest[0], Acks(rest[1]) if len(rest) == 2 else Acks.ALL)
        if verb in ("crash", "restart") and rest and rest[1:] in ([], ["lose"]):
            return (Crash if verb == "crash" else Restart)(_broker(rest[0]), rest[1:] == ["lose"])
        if verb == "elect":
            unclean = rest[-1:] == ["unclean"]
            named = rest[: len(rest) - unclean]
            if len(named) <= 1:
                return Elect(_broker(named[0]) if named else None, unclean)
        if verb == "tick" and len(rest) == 1 and rest[0].isdecimal() and len(rest[0]) <= 9:
            return Tick(int(rest[0]))
        if verb == "consume" and not rest:
            return Consume()
    except ValueError as error:
        raise ScenarioInvalid(f"The event {line.strip()[:60]!r} was not understood: {error}.") from error
    raise ScenarioInvalid(
        f"The event {line.strip()[:60]!r} was not understood. Events are: produce VALUE [0|1|all], fetch N, catch N, "
        "lose N, crash N [lose], restart N [lose], return N, elect [N] [unclean], tick MS, flush N, checkpoint N, "
        "consume."
    )


def _broker(word: str) -> int:
    if not word.isdecimal() or len(word) > 9:
        raise ValueError(f"a broker id was expected, not {word[:20]!r}")
    return int(word)
