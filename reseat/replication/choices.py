"""What can happen next in a state: the buttons of a page, and the moves of a search through all stories."""

from __future__ import annotations

from reseat.replication.events import (
    Checkpoint,
    Consume,
    Crash,
    DropResponse,
    Elect,
    Event,
    Fetch,
    FetchResponse,
    Flush,
    Produce,
    Restart,
    Return,
    Tick,
)
from reseat.replication.state import Partition

__all__ = ["possible"]


def possible(partition: Partition) -> list[Event]:
    """Events that change something now, the ordinary ones first; a new record gets the next free name m1, m2 and so on.

    Args:
        partition: the state.
    """
    alive = [broker for broker, replica in partition.replicas.items() if replica.alive]
    down = [broker for broker, replica in partition.replicas.items() if not replica.alive]
    followers = [broker for broker in alive if broker != partition.leader]
    out: list[Event] = []
    if partition.leader is None:
        out += [Elect()] if alive else []
    else:
        out.append(Produce(f"m{_taken(partition) + 1}"))
        out += [Fetch(broker) for broker in followers if broker not in partition.answers]
        out += [FetchResponse(broker) for broker in partition.answers]
        out += [DropResponse(broker) for broker in partition.answers]
        out += [Tick(), Tick(partition.rules.lag_max_ms + 1)]
        out += [Consume()] if len(partition.consumed) < partition.led.hw else []
    out += [Return(broker) for broker in down]
    out += [Crash(broker) for broker in alive]
    out += [Crash(broker, lose=True) for broker in alive]
    if partition.leader is not None:
        out += [Restart(broker) for broker in followers]
    out += [Flush(broker) for broker in alive if partition.replicas[broker].flushed < partition.replicas[broker].leo]
    out += [Checkpoint(b) for b in alive if partition.replicas[b].checkpoint < partition.replicas[b].hw]
    return out


def _taken(partition: Partition) -> int:
    """The largest number of a name m1, m2 ... that a story has used."""
    names = {record.value for replica in partition.replicas.values() for record in replica.log}
    names |= {acked.value for acked in partition.acknowledged} | {value for value, _ in partition.refused}
    numbers = [int(name[1:]) for name in names if name[:1] == "m" and name[1:].isdecimal() and len(name) < 8]
    return max(numbers, default=0)
