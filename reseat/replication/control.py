"""Brokers that go and come, and the controller that takes note and elects.

The controller hears of a broker that goes at once, takes it out of the ISR (never the last one, unless eligible leader
replicas are kept), and leaves the partition without a leader until it elects one. An election is Kafka's: the first in
assignment order that is alive and in the ISR; with KIP-966 else an eligible leader replica, and where both are empty
the last known leader; unclean, else the first that is alive. A broker that is asked for goes no other way: while
somebody leads it must be in sync, and nobody leads uncleanly as long as a better one is alive.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from reseat.errors import ScenarioInvalid
from reseat.replication.leading import UNKNOWN, with_isr
from reseat.replication.state import Partition, Replica, Truncation
from reseat.replication.truncation import Cut, cut, cut_to

__all__ = ["crash", "elect", "restart", "returned"]


def crash(partition: Partition, broker: int, *, lose: bool) -> tuple[Partition, str]:
    """A broker goes down."""
    down = _down(_replica(partition, broker, alive=True), lose=lose)
    after = _without_answers(partition.put(broker, down), broker)
    isr = tuple(b for b in partition.isr if b != broker)
    if isr or partition.rules.elr:
        after = with_isr(after, isr)
    said = f"Broker {broker} goes down{' and loses unflushed records' if lose else ''}."
    if broker in after.isr:
        said += " It was the last in-sync replica: it stays in the ISR, because only it is known to have everything."
    elif broker in partition.isr:
        said += f" It leaves the ISR{' and stays eligible (ELR)' if broker in after.elr else ''}."
    if partition.leader == broker:
        after = replace(after, leader=None, last_known_leader=broker, answers=MappingProxyType({}))
        said += " The partition has no leader until the controller elects one."
    return after, said


def restart(partition: Partition, broker: int, *, lose: bool) -> tuple[Partition, str]:
    """A broker is back before the controller notices.

    Raises:
        ScenarioInvalid: it leads; a leader that restarts is noticed.
    """
    if broker == partition.leader:
        raise ScenarioInvalid(f"Broker {broker} leads, so the controller notices its restart. Let it crash and return.")
    down = _down(_replica(partition, broker, alive=True), lose=lose)
    after, said = _back(_without_answers(partition.put(broker, down), broker), broker)
    lost = " and loses unflushed records" if lose else ""
    return after, f"Broker {broker} restarts before the controller notices{lost}. {said}"


def returned(partition: Partition, broker: int) -> tuple[Partition, str]:
    """A broker that was down comes back."""
    _replica(partition, broker, alive=False)
    after, said = _back(partition, broker)
    return after, f"Broker {broker} is back. {said}"


def elect(partition: Partition, broker: int | None, *, unclean: bool) -> tuple[Partition, str]:
    """Elect a leader, the one asked for or the first that can."""
    if broker is not None and broker not in partition.replicas:
        raise ScenarioInvalid(f"Broker {broker} has no replica; they are on {list(partition.replicas)}.")
    if broker is None and partition.leader is not None:
        return partition, f"Broker {partition.leader} leads: there is nothing to elect (ELECTION_NOT_NEEDED)."
    if broker is not None and broker == partition.leader:
        return partition, f"Broker {broker} leads already (ELECTION_NOT_NEEDED)."
    # Of each way all candidates count, so that one who is asked for does not pass by a better one.
    ways = _ways(partition, unclean=unclean or partition.rules.unclean)
    why, names = next((way for way in ways if way[1]), ("", []))
    if broker is not None:
        names = [b for b in names if b == broker]
    if not names:
        return partition, (
            "No replica can lead: none is alive and in sync (ELIGIBLE_LEADERS_NOT_AVAILABLE)."
            if broker is None
            else f"Broker {broker} cannot lead: it is not alive and in sync (PREFERRED_LEADER_NOT_AVAILABLE)."
        )
    leader = names[0]
    if broker is not None and leader in partition.isr:
        why = "it was requested, and is alive and in sync"
    after = _led_by(partition, leader, clean=leader in (*partition.isr, *partition.elr))
    said = [f"Broker {leader} leads, in epoch {after.epoch}: {why}."]
    for other, was in partition.replicas.items():
        done = Cut(after.replicas[other], was.leo - after.replicas[other].leo, "")
        if done.lost:
            said.append(f"Broker {other} truncates to its high watermark {was.hw}: {done.gone}.")
    if partition.pending:
        values = " and ".join(pending.value for pending in partition.pending)
        said.append(
            f"The producer of {values} gets NOT_LEADER_OR_FOLLOWER, which does not say whether the record is kept."
        )
    return after, " ".join(said)


def _ways(partition: Partition, *, unclean: bool) -> list[tuple[str, list[int]]]:
    """(why, who) of each way to lead, the best first; while somebody leads, being in sync is the only one."""
    alive = [broker for broker, replica in partition.replicas.items() if replica.alive]
    ways = [("it is the first in assignment order that is alive and in sync", [b for b in alive if b in partition.isr])]
    if partition.leader is not None:
        return ways
    ways.append(
        ("no in-sync replica is alive, and it is an eligible leader replica", [b for b in alive if b in partition.elr])
    )
    if partition.rules.elr and not partition.isr and not partition.elr:
        ways.append(
            (
                "ISR and ELR are empty, and it is the last known leader",
                [b for b in alive if b == partition.last_known_leader],
            )
        )
    if unclean:
        ways.append(("no in-sync replica is alive: an unclean election, and records it has not copied are lost", alive))
    return ways


def _led_by(partition: Partition, leader: int, *, clean: bool) -> Partition:
    in_sync = leader in partition.isr
    isr = tuple(b for b in partition.isr if partition.replicas[b].alive) if in_sync else (leader,)
    after = with_isr(partition, isr)
    replicas: dict[int, Replica] = {}
    for broker, replica in after.replicas.items():
        now = replica
        if broker == leader:
            now = replace(replica, must_cut=False, unclean=False)
        elif replica.alive and partition.rules.truncation is Truncation.HIGH_WATERMARK:
            now = cut_to(replica, replica.hw)
        elif replica.alive:
            now = replace(replica, must_cut=True)
        replicas[broker] = now
    followers = [broker for broker in replicas if broker != leader]
    return replace(
        after,
        replicas=MappingProxyType(replicas),
        leader=leader,
        last_known_leader=leader,
        epoch=partition.epoch + 1,
        epoch_start=replicas[leader].leo,
        elr=after.elr if clean else (),
        follower_leo=MappingProxyType(dict.fromkeys(followers, UNKNOWN)),
        caught_up_ms=MappingProxyType(dict.fromkeys(followers, partition.now_ms)),
        fetched=MappingProxyType({}),
        answers=MappingProxyType({}),
        pending=(),
        refused=partition.refused + tuple((p.value, "NOT_LEADER_OR_FOLLOWER") for p in partition.pending),
    )


def _replica(partition: Partition, broker: int, *, alive: bool) -> Replica:
    if broker not in partition.replicas:
        raise ScenarioInvalid(f"Broker {broker} has no replica; they are on {list(partition.replicas)}.")
    if partition.replicas[broker].alive is not alive:
        raise ScenarioInvalid(f"Broker {broker} is {'down' if alive else 'up'} already.")
    return partition.replicas[broker]


def _down(replica: Replica, *, lose: bool) -> Replica:
    if not lose:
        return replace(replica, alive=False, flushed=replica.leo, checkpoint=replica.hw)
    cut_back = cut_to(replica, replica.flushed)
    return replace(cut_back, alive=False, unclean=True, hw=min(replica.checkpoint, cut_back.leo))


def _back(partition: Partition, broker: int) -> tuple[Partition, str]:
    after = partition.put(broker, replace(partition.replicas[broker], alive=True))
    said = []
    if partition.rules.elr and partition.replicas[broker].unclean and broker in (*partition.isr, *partition.elr):
        after = with_isr(after, tuple(b for b in partition.isr if b != broker))
        after = replace(after, elr=tuple(b for b in after.elr if b != broker))
        said.append("It shut down uncleanly and may lack records, so it leaves the ISR and the ELR.")
    if after.leader is None:
        said.append("There is no leader: it waits.")
        return after.put(broker, replace(after.replicas[broker], must_cut=True)), " ".join(said)
    done = cut(after.replicas[broker], after.led, partition.rules.truncation)
    said.append(f"It follows broker {after.leader}: {done.words}.")
    return after.put(broker, done.replica), " ".join(said)


def _without_answers(partition: Partition, broker: int) -> Partition:
    rest = {other: answer for other, answer in partition.answers.items() if other != broker}
    return replace(partition, answers=MappingProxyType(rest))
