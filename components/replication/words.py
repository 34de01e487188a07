"""A story in words: what it comes to, what its rules are called, and what an event is to a person. Pure."""

from __future__ import annotations

from components.look import text
from reseat.replication import (
    Checkpoint,
    Consume,
    Crash,
    DropResponse,
    Elect,
    Event,
    Fault,
    Fetch,
    FetchResponse,
    Flush,
    Produce,
    Restart,
    Return,
    Rules,
    Tick,
    Truncation,
    faults,
)
from reseat.replication.request import Beside, Lane

__all__ = ["BESIDE_WORDS", "event_group", "event_words", "lane_name", "outcome"]

#: What can stand beside a story, as choices.
BESIDE_WORDS: dict[Beside, str] = {
    "": "nothing",
    "truncation": "the other truncation rule",
    "elr": "ELR on or off",
    "unclean": "unclean election on or off",
}


def lane_name(rules: Rules, beside: Beside) -> str:
    """What tells a lane from the one beside it."""
    if beside == "elr":
        return "With ELR" if rules.elr else "Without ELR"
    if beside == "unclean":
        return "With unclean election" if rules.unclean else "Without unclean election"
    return "With the high watermark" if rules.truncation is Truncation.HIGH_WATERMARK else "With leader epochs"


def outcome(lane: Lane, *, short: bool = False) -> str:
    """What went wrong anywhere in a story, as the rest of a sentence: ``m2 was acknowledged and is lost``.

    Args:
        lane: the story.
        short: in few words, since another one stands beside it.
    """
    wrong: list[Fault] = []
    for step in lane.steps:
        wrong += [fault for fault in faults(step.after) if fault not in wrong]
    lost = list(dict.fromkeys(fault.value or "" for fault in wrong if fault.kind == "lost"))
    offsets = sorted({fault.offset for fault in wrong if fault.kind == "diverged"})
    unread = list(dict.fromkeys(fault.value or "" for fault in wrong if fault.kind == "unread"))
    said = []
    if lost:
        one = len(lost) == 1
        acknowledged = "" if short else f"{'was' if one else 'were'} acknowledged and "
        said.append(f"{_names(lost)} {acknowledged}{'is' if one else 'are'} lost")
    if offsets and short:
        said.append(f"offset {text.ids(offsets)} differs")
    elif offsets:
        said.append(f"committed records differ between replicas at offset {text.ids(offsets)}")
    if unread and short:
        said.append(f"{_names(unread)} was read but is lost")
    elif unread:
        said.append(f"a consumer has read {_names(unread)}, which the leader does not have")
    if not said:
        return "nothing is lost" if short else "no acknowledged record is lost"
    return " and ".join(said) if short else ", and ".join(said)


def event_words(event: Event) -> str:
    """An event as a choice for a person."""
    match event:
        case Produce(value, acks):
            return f"Produce {value}, acks={acks.value}"
        case Fetch(broker):
            return f"Broker {broker} fetches"
        case FetchResponse(broker):
            return f"Broker {broker} gets the response"
        case DropResponse(broker):
            return f"The response to broker {broker} is lost"
        case Crash(broker, lose):
            return f"Broker {broker} loses power" if lose else f"Broker {broker} goes down"
        case Restart(broker, lose):
            return f"Broker {broker} restarts{', cache lost' if lose else ''}"
        case Return(broker):
            return f"Broker {broker} returns"
        case Elect(broker, unclean):
            who = "a leader" if broker is None else f"broker {broker}"
            return f"Elect {who}{', unclean' if unclean else ''}"
        case Tick(ms):
            return f"{ms:,} ms pass" if ms else "Leader checks the ISR"
        case Flush(broker):
            return f"Broker {broker} flushes"
        case Checkpoint(broker):
            return f"Broker {broker} writes its HW"
        case Consume():
            return "Consume"


def event_group(event: Event) -> str:
    """Under which heading an event stands among the choices."""
    match event:
        case Produce() | Consume():
            return "Clients"
        case Fetch() | FetchResponse() | DropResponse():
            return "Replication"
        case Crash() | Restart() | Return() | Elect():
            return "Brokers"
        case _:
            return "Time and disk"


def _names(values: list[str]) -> str:
    return " and ".join(values) if len(values) < 4 else f"{', '.join(values[:3])} and {len(values) - 3} more"
