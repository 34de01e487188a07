"""One event applied: the new state, what changed, and one sentence that says why. Deterministic, and nothing else.

What it promises: the same state and event give the same step; an event that cannot happen is refused with a sentence
and changes nothing; a step never changes the state that it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from reseat.errors import ScenarioInvalid
from reseat.replication import events as ev
from reseat.replication.control import crash, elect, restart, returned
from reseat.replication.leading import expanded, fetched, raised, shrunk
from reseat.replication.state import Acked, Acks, Partition, Pending, Record, Replica, ResponseInFlight
from reseat.replication.truncation import cut, cut_to

__all__ = ["Step", "apply", "play"]


@dataclass(frozen=True, slots=True)
class Step:
    """One event and what came of it.

    Attributes:
        event: what happened.
        before: the state before.
        after: the state after.
        sentence: what happened and why, for a person.
    """

    event: ev.Event
    before: Partition
    after: Partition
    sentence: str

    @property
    def changed(self) -> tuple[str, ...]:
        """What differs, in words of the state ("leader", "replica 2 hw"), in a fixed order."""
        return tuple(_changed(self.before, self.after))


def play(partition: Partition, story: Iterable[ev.Event]) -> list[Step]:
    """Apply events one after the other.

    Raises:
        ScenarioInvalid: one cannot happen; says which and why.
    """
    steps: list[Step] = []
    for number, event in enumerate(story, 1):
        try:
            steps.append(apply(partition, event))
        except ScenarioInvalid as error:
            raise ScenarioInvalid(f"Event {number}, {ev.written(event)}: {error}") from error
        partition = steps[-1].after
    return steps


def apply(partition: Partition, event: ev.Event) -> Step:
    """Apply one event.

    Raises:
        ScenarioInvalid: it cannot happen in this state.
    """
    after, sentence = _apply(partition, event)
    return Step(event, partition, after, sentence)


def _apply(partition: Partition, event: ev.Event) -> tuple[Partition, str]:
    match event:
        case ev.Produce(value, acks):
            return _produce(partition, value, acks)
        case ev.Fetch(follower):
            return _fetch(partition, follower)
        case ev.FetchResponse(follower):
            return _catch(partition, follower)
        case ev.DropResponse(follower):
            _answer(partition, follower)
            lost = {broker: answer for broker, answer in partition.answers.items() if broker != follower}
            return replace(partition, answers=MappingProxyType(lost)), (
                f"The response to broker {follower} is lost: the leader knows what the follower has, the follower does "
                "not know that it is committed."
            )
        case ev.Crash(broker, lose):
            return crash(partition, broker, lose=lose)
        case ev.Restart(broker, lose):
            return restart(partition, broker, lose=lose)
        case ev.Return(broker):
            return returned(partition, broker)
        case ev.Elect(broker, unclean):
            return elect(partition, broker, unclean=unclean)
        case ev.Tick(ms):
            return _tick(partition, ms)
        case ev.Flush(broker):
            replica = _up(partition, broker)
            return partition.put(broker, replace(replica, flushed=replica.leo)), (
                f"Broker {broker} writes its page cache to disk: everything below offset {replica.leo} survives a "
                "power loss."
            )
        case ev.Checkpoint(broker):
            replica = _up(partition, broker)
            return partition.put(broker, replace(replica, checkpoint=replica.hw)), (
                f"Broker {broker} writes its high watermark {replica.hw} to disk."
            )
        case ev.Consume():
            return _consume(partition)


def _up(partition: Partition, broker: int) -> Replica:
    if broker not in partition.replicas:
        raise ScenarioInvalid(f"Broker {broker} has no replica; they are on {list(partition.replicas)}.")
    if not partition.replicas[broker].alive:
        raise ScenarioInvalid(f"Broker {broker} is down.")
    return partition.replicas[broker]


def _leading(partition: Partition) -> tuple[int, Replica]:
    if partition.leader is None:
        raise ScenarioInvalid("The partition has no leader.")
    return partition.leader, partition.led


def _answer(partition: Partition, follower: int) -> ResponseInFlight:
    if follower not in partition.answers:
        raise ScenarioInvalid(f"No response is on its way to broker {follower}.")
    return partition.answers[follower]


def _produce(partition: Partition, value: str, acks: Acks) -> tuple[Partition, str]:
    broker, leader = _leading(partition)
    at = leader.leo
    if acks is Acks.ALL and len(partition.isr) < partition.needed:
        return replace(partition, refused=(*partition.refused, (value, "NOT_ENOUGH_REPLICAS"))), (
            f"{value} is rejected before it is appended (NOT_ENOUGH_REPLICAS): {len(partition.isr)} in sync, "
            f"min.insync.replicas is {partition.needed}."
        )
    written = replace(leader, log=(*leader.log, Record(value, partition.epoch)))
    after = partition.put(broker, written)
    if acks is Acks.ALL:
        after = replace(after, pending=(*after.pending, Pending(at, value, partition.epoch)))
        how = "Its producer waits until every in-sync replica has it."
    else:
        after = replace(after, acknowledged=(*after.acknowledged, Acked(value, at, partition.epoch, acks)))
        how = "Its producer is answered at once." if acks is Acks.LEADER else "Its producer does not wait at all."
    after = raised(after)
    if acks is Acks.ALL and len(after.acknowledged) > len(partition.acknowledged):
        how = f"Broker {broker} is the only in-sync replica: the record is committed and acknowledged at once."
    elif after.led.hw > leader.hw:
        how += f" Broker {broker} is the only in-sync replica: the high watermark rises to {after.led.hw}."
    return after, f"Broker {broker} writes {value} at offset {at}, in epoch {partition.epoch}. {how}"


def _fetch(partition: Partition, follower: int) -> tuple[Partition, str]:
    replica = _up(partition, follower)
    _, leader = _leading(partition)
    if follower == partition.leader:
        raise ScenarioInvalid(f"Broker {follower} leads: it does not fetch.")
    if replica.must_cut:
        done = cut(replica, leader, partition.rules.truncation)
        return partition.put(follower, done.replica), f"Broker {follower} follows a new leader: {done.words}."
    offset = replica.leo
    if offset > leader.leo:
        return partition.put(follower, cut_to(replica, leader.leo)), (
            f"Broker {follower} asks from offset {offset}, beyond the leader's end {leader.leo}: it truncates there."
        )
    before = partition
    partition = raised(expanded(fetched(partition, follower, offset), follower))
    answer = ResponseInFlight(partition.epoch, offset, leader.log[offset:], partition.led.hw)
    after = replace(partition, answers=MappingProxyType({**partition.answers, follower: answer}))
    learned = "it has everything below that" if offset else "it has nothing yet"
    said = f"Broker {follower} fetches from offset {offset}: so the leader learns that {learned}."
    if follower in partition.isr and follower not in before.isr:
        said += " It has caught up and joins the ISR."
    if partition.led.hw > leader.hw:
        said += (
            f" All in-sync replicas have offset {partition.led.hw - 1}: the high watermark rises to {partition.led.hw}."
        )
    answered = [acked.value for acked in partition.acknowledged[len(before.acknowledged) :]]
    if answered:
        said += f" {' and '.join(answered)} {'is' if len(answered) == 1 else 'are'} acknowledged."
    return (
        after,
        f"{said} The response is on its way with {_count(len(answer.records))} and high watermark {answer.hw}.",
    )


def _catch(partition: Partition, follower: int) -> tuple[Partition, str]:
    replica, answer = _up(partition, follower), _answer(partition, follower)
    rest = {broker: other for broker, other in partition.answers.items() if broker != follower}
    after = replace(partition, answers=MappingProxyType(rest))
    if replica.leo != answer.offset:
        return after, f"The response to broker {follower} is for an earlier fetch: it is dropped."
    log = replica.log + answer.records
    hw = min(len(log), answer.hw)
    words = f"appends {_count(len(answer.records))}" if answer.records else "has nothing to append"
    return after.put(follower, replace(replica, log=log, hw=hw)), (
        f"Broker {follower} {words}; its high watermark is the smaller of its own end {len(log)} and the leader's "
        f"{answer.hw}: {hw}."
    )


def _tick(partition: Partition, ms: int) -> tuple[Partition, str]:
    later = replace(partition, now_ms=partition.now_ms + ms)
    smaller = shrunk(later)
    after = raised(smaller)
    said = [f"{ms:,} ms pass."] if ms else []
    gone = [broker for broker in partition.isr if broker not in after.isr]
    if gone:
        names = " and ".join(str(broker) for broker in gone)
        who, has, leave = ("Broker", "has", "it leaves") if len(gone) == 1 else ("Brokers", "have", "they leave")
        said.append(
            f"{who} {names} {has} not caught up for more than {partition.rules.lag_max_ms:,} ms "
            f"(replica.lag.time.max.ms): {leave} the ISR."
        )
    if after.leader is not None and after.led.hw > partition.led.hw:
        said.append(f"All in-sync replicas have everything below {after.led.hw}: the high watermark rises to it.")
    if not said:
        said.append("No leader." if after.leader is None else "The leader checks the ISR: nothing changes.")
    return after, " ".join(said)


def _consume(partition: Partition) -> tuple[Partition, str]:
    _, leader = _leading(partition)
    first = len(partition.consumed)
    values = tuple(record.value for record in leader.log[first : leader.hw])
    after = replace(partition, consumed=partition.consumed + values)
    if not values:
        return after, f"The consumer gets nothing: it reads only below the high watermark {leader.hw}."
    return after, f"The consumer reads {', '.join(values)}: everything below the high watermark {leader.hw}."


def _count(records: int) -> str:
    return f"{records} record" if records == 1 else f"{records} records" if records else "no records"


def _changed(before: Partition, after: Partition) -> Iterator[str]:
    for item in fields(Partition):
        if item.name != "replicas" and getattr(before, item.name) != getattr(after, item.name):
            yield item.name.replace("_", " ")
    for broker, was in before.replicas.items():
        now = after.replicas[broker]
        for name in ("log", "hw", "flushed", "checkpoint", "alive", "unclean", "must_cut"):
            if getattr(was, name) != getattr(now, name):
                yield f"replica {broker} {name.replace('_', ' ')}"
