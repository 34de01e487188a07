"""A consumer group over time: who joins and leaves, what each rebalance gives whom, and what every member is told.

What it promises: the same events and assignor give the same story; what members own is always what they were last
given; listener calls and messages stand in the order in which a client of Kafka 4.1 makes them.

How a rebalance goes (the classic protocol): each member sends its subscription to the coordinator (JoinGroup); the
coordinator names one member leader (the one that joined first) and sends it all subscriptions; the leader runs the
assignor and sends the result back (SyncGroup); the coordinator hands each member its part.

Eager: before it joins, a member gives up all it owns (revoked), and reads nothing until it is given something
(assigned). Cooperative (KIP-429): a member keeps what it owns, gives up what it is not given any more (revoked), is
told what is new (assigned), and where anything was given up so everybody joins once more; what it does not subscribe to
any more it gives up before it joins. A member whose generation was reset (it was thrown out) has lost its partitions
instead (lost). A first join is told what is assigned alone.

Where brokers assign (KIP-848) there is no rebalance of that kind: ``broker_side.reconcile``.

Source: ``ConsumerCoordinator`` and ``GroupCoordinator`` as of 4.1, KIP-62, KIP-345 (static members), KIP-429.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from reseat.consumers.assignors import Assignor
from reseat.consumers.broker_side.reconcile import reconciled, unsettled
from reseat.consumers.events import (
    GroupEvent,
    Join,
    Leave,
    Partitions,
    Rebalance,
    Restart,
    Return,
    Subscribe,
    Timeout,
    Together,
    title,
)
from reseat.consumers.group import NO_GENERATION, Member, Partition
from reseat.consumers.rounds import Call, GroupState, Message, Round
from reseat.errors import GroupInvalid
from reseat.model.wording import counted, verb

__all__ = ["Call", "GroupState", "Message", "Round", "Transition", "apply", "by_brokers", "empty_group", "play"]


#: After so many an assignor of one's own is not waited for any longer, which Kafka would do for ever.
_MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Transition:
    """One event and what came of it.

    Attributes:
        event: what happened.
        before: the group before.
        after: the group after.
        rounds: its rebalances: none, one, or with a cooperative assignor as many as it takes, two as a rule.
        calls: listener calls outside a round (a member that leaves, or finds out that it was thrown out), in order.
        moved: partitions that have another reader afterwards, or one for the first time.
        needless: how many of these are exchanges: a member gave up a partition that it still subscribes to and got
            another instead. With equal subscriptions these are the moves beyond what the new counts need.
        sentence: for a person.
    """

    event: GroupEvent
    before: GroupState
    after: GroupState
    rounds: tuple[Round, ...]
    calls: tuple[Call, ...]
    moved: tuple[Partition, ...]
    needless: int
    sentence: str


def empty_group(partitions: Mapping[str, int], racks: Mapping[Partition, frozenset[str]] | None = None) -> GroupState:
    """A group without members."""
    return GroupState({}, dict(partitions), racks=racks or {})


def play(state: GroupState, events: Iterable[GroupEvent], assignor: Assignor) -> list[Transition]:
    """A whole story.

    Raises:
        GroupInvalid: something cannot happen; says what.
    """
    transitions: list[Transition] = []
    for event in events:
        transitions.append(apply(state, event, assignor))
        state = transitions[-1].after
    return transitions


def apply(state: GroupState, event: GroupEvent, assignor: Assignor) -> Transition:
    """One event.

    Raises:
        GroupInvalid: it cannot happen: a member that is not there leaves, one that is there joins.
    """
    changed, calls, farewell, rebalance = _happens(state, event)
    rounds: list[Round] = []
    now = changed
    resumes = isinstance(event, Return) and not rebalance and by_brokers(assignor)
    if rebalance and changed.members and not changed.present:
        now = replace(changed, waits=True)
    elif by_brokers(assignor) and (rebalance or (resumes and unsettled(changed))):
        calls = () if resumes else calls
        now, rounds = reconciled(changed, assignor, farewell, former=state.read, first=_whose(event), resumes=resumes)
    elif rebalance:
        now, one = _round(now, assignor, farewell, former=state.read)
        rounds.append(one)
        while assignor.cooperative and _revoked_after(one) and len(rounds) < _MOST_ROUNDS:
            now, one = _round(now, assignor, (), former=now.read)
            rounds.append(one)
    was, is_now = state.readers, now.readers
    moved = tuple(sorted(partition for partition, member in is_now.items() if was.get(partition) != member))
    needless = _exchanged(was, is_now, now.members)
    words = _sentence(event, rounds, moved, needless, was, heartbeats=by_brokers(assignor)) + _unasked(
        now.members.values()
    )
    return Transition(event, state, now, tuple(rounds), calls, moved, needless, words)


def by_brokers(assignor: Assignor) -> bool:
    """Whether brokers run it (KIP-848), and no member does."""
    return bool(getattr(assignor, "by_brokers", False))


def _whose(event: GroupEvent) -> tuple[str, ...]:
    """Whose heartbeat brings the change to the coordinator, where a member's does."""
    match event:
        case Join(member):
            return (member.id,)
        case Together(some):
            return tuple(member.id for member in some)
        case Return(name) | Restart(name) | Subscribe(name, _):
            return (name,)
        case _:
            return ()


def _happens(state: GroupState, event: GroupEvent) -> tuple[GroupState, tuple[Call, ...], tuple[Message, ...], bool]:
    """The group with the change alone, calls outside a round, messages before it, and whether a rebalance follows."""
    members, out = dict(state.members), dict(state.out)
    match event:
        case Join(member):
            if member.id in members or member.id in out:
                raise GroupInvalid(f"Member {member.id} is in the group already.")
            members[member.id] = replace(member, owned=(), generation=NO_GENERATION)
            return replace(state, members=members), (), (), True
        case Together(some):
            for member in some:
                if member.id in members or member.id in out:
                    raise GroupInvalid(f"Member {member.id} is in the group already.")
                members[member.id] = replace(member, owned=(), generation=NO_GENERATION)
            return replace(state, members=members), (), (), bool(some)
        case Rebalance():
            return state, (), (), bool(members)
        case Leave(name):
            member = _present(state, name)
            gone = (Call(name, "revoked", member.owned),) if member.owned else ()
            if member.instance_id is not None:
                # A static member sends no LeaveGroup: its partitions wait for it until its session times out.
                out[name] = replace(member, owned=())
                return replace(state, members=members, out=out), gone, (), False
            del members[name]
            bye = (Message(name, "coordinator", "LeaveGroup", "is closing"),)
            return replace(state, members=members), gone, bye, True
        case Timeout(name):
            member = _there(members, name)
            out.setdefault(name, member)  # one that is closed owns nothing that it could lose
            del members[name]
            return replace(state, members=members, out=out), (), (), True
        case Return(name):
            member = _there(out, name)
            del out[name]
            known = name in members
            lost = () if known or not member.owned else (Call(name, "lost", member.owned),)
            if not known or state.waits:
                members[name] = replace(members.get(name, member), owned=(), generation=NO_GENERATION)
                return replace(state, members=members, out=out), lost, (), True
            again = Call(name, "assigned", members[name].owned)
            return replace(state, out=out, told=_anew(state, name)), (again,), (), False
        case Restart(name):
            member = _present(state, name)
            gone = (Call(name, "revoked", member.owned),) if member.owned else ()
            if member.instance_id is not None:
                again = Call(name, "assigned", member.owned)
                return replace(state, told=_anew(state, name)), (*gone, again), (), False
            del members[name]
            members[name] = replace(member, owned=(), generation=NO_GENERATION)
            bye = (Message(name, "coordinator", "LeaveGroup", "is closing"),)
            return replace(state, members=members), gone, bye, True
        case Subscribe(name, topics):
            members[name] = replace(_present(state, name), topics=topics)
            return replace(state, members=members), (), (), True
        case Partitions(topic, count):
            if count < state.partitions.get(topic, 0):
                raise GroupInvalid(f"Topic {topic} has {state.partitions[topic]} partitions; it cannot have fewer.")
            read = any(topic in member.topics for member in members.values())
            return replace(state, partitions={**state.partitions, topic: count}), (), (), read


def _anew(state: GroupState, name: str) -> dict[str, Member]:
    """What members last sent, once this one joined anew: a process that owns nothing yet."""
    return {**state.told, name: replace(state.members[name], owned=(), generation=NO_GENERATION)}


def _there(members: Mapping[str, Member], name: str) -> Member:
    if name not in members:
        raise GroupInvalid(f"Member {name} is not there.")
    return members[name]


def _present(state: GroupState, name: str) -> Member:
    if name in state.members and name in state.out:
        raise GroupInvalid(f"Member {name} is closed.")
    return _there(state.members, name)


def _round(
    state: GroupState, assignor: Assignor, farewell: tuple[Message, ...], *, former: Mapping[Partition, str]
) -> tuple[GroupState, Round]:
    """One rebalance of the members that are there."""
    generation = state.generation + 1
    calls: list[Call] = []
    messages = list(farewell)
    # Of a static member that is closed the group has what it sent last; it says nothing, and hears nothing.
    joining = {name: state.told.get(name, member) for name, member in state.members.items()}
    here = state.present
    for member in here.values():
        gives_up = member.owned
        if assignor.cooperative:
            gives_up = tuple(p for p in member.owned if p[0] not in member.topics)
        if member.generation != NO_GENERATION and (gives_up or not assignor.cooperative):
            calls.append(Call(member.id, "revoked", gives_up))
        kept = tuple(p for p in member.owned if p[0] in member.topics) if assignor.cooperative else member.owned
        joining[member.id] = replace(member, owned=kept, user_data=member.user_data or assignor.user_data(member))
        said = f"subscribes to {', '.join(member.topics) or 'nothing'}"
        # An eager member has given up all it had; Sticky alone tells of it all the same, in its user data.
        tells = "owns" if assignor.cooperative else "had" if assignor.name.startswith("sticky") else ""
        owns = f", {tells} {_names(kept)}" if kept and tells else ""
        known_as = assignor.name.removesuffix("-2.8")  # a release's own code, the same name in the protocol
        messages.append(Message(member.id, "coordinator", "JoinGroup", f"{said}{owns}; supports {known_as}"))
    leader = next(iter(here), None)
    group = replace(state, members=joining).group
    given = assignor.assign(group) if joining else {}
    for name in here:
        what = "you are the group leader: all subscriptions" if name == leader else f"{leader} is the group leader"
        messages.append(Message("coordinator", name, "JoinGroup response", f"generation {generation}; {what}"))
    for name in here:
        what = "the assignment of all members" if name == leader else "nothing; waits"
        messages.append(Message(name, "coordinator", "SyncGroup", what))
    members: dict[str, Member] = {}
    for name, member in joining.items():
        given_here = frozenset(given.get(name, ()))  # thousands are looked up in it
        mine = tuple(sorted(given.get(name, ())))
        members[name] = replace(member, owned=mine, generation=generation)
        if name not in here:
            continue
        messages.append(Message("coordinator", name, "SyncGroup response", _names(mine)))
        held = dict.fromkeys(member.owned if assignor.cooperative else ())
        gone = tuple(p for p in held if p not in given_here)
        if gone:
            calls.append(Call(name, "revoked", gone))
        calls.append(Call(name, "assigned", tuple(p for p in mine if p not in held)))
        assignor.on_assignment(members[name], mine, generation)
    after = replace(state, members=members, generation=generation, told=joining, waits=False)
    return after, Round(
        generation, leader, group, given, tuple(calls), tuple(messages), _paused(former, calls, state, assignor)
    )


def _revoked_after(one: Round) -> bool:
    """Whether a member that joined with a partition was told to give it up: then it joins once more, and so do all.

    What it gave up before it joined, as it does not subscribe to it any more, others got in this very round.
    """
    joined = {member.id: frozenset(member.owned) for member in one.group.members}
    return any(call.method == "revoked" and not joined[call.member].isdisjoint(call.partitions) for call in one.calls)


def _paused(
    former: Mapping[Partition, str], calls: Iterable[Call], state: GroupState, assignor: Assignor
) -> frozenset[Partition]:
    """Partitions with a reader before that stopped being read, if only for the time of the round."""
    if not assignor.cooperative:
        return frozenset(former)
    stopped = {p for call in calls if call.method == "revoked" for p in call.partitions}
    return frozenset((stopped | (former.keys() - state.read.keys())) & former.keys())


def _exchanged(was: Mapping[Partition, str], is_now: Mapping[Partition, str], members: Mapping[str, Member]) -> int:
    """How many partitions members gave up though they got others instead."""
    gave = Counter(
        member
        for partition, member in was.items()
        if is_now.get(partition, member) != member and member in members and partition[0] in members[member].topics
    )
    got = Counter(member for partition, member in is_now.items() if was.get(partition) != member)
    return (gave & got).total()


def _names(partitions: Iterable[Partition]) -> str:
    return ", ".join(f"{topic}-{partition}" for topic, partition in partitions) or "nothing"


def _unasked(members: Iterable[Member]) -> str:
    """Who is assigned what it does not subscribe to, as Kafka's sticky assignors do: the group does not settle."""
    parts = []
    for member in members:
        foreign = [partition for partition in member.owned if partition[0] not in member.topics]
        if foreign:
            parts.append(
                f" {member.id} is assigned {_names(foreign)} without a subscription, as Kafka's own class would: a "
                "consumer rejects that and joins again at once."
            )
    return "".join(parts)


def _sentence(
    event: GroupEvent,
    rounds: list[Round],
    moved: tuple[Partition, ...],
    needless: int,
    was: Mapping[Partition, str],
    *,
    heartbeats: bool,
) -> str:
    if not rounds:
        return f"{title(event)}: no rebalance."
    paused = len(frozenset[Partition]().union(*(r.paused for r in rounds)))
    first = sum(partition not in was for partition in moved)
    again = len(moved) - first
    how = ("one rebalance", "two rebalances" if len(rounds) == 2 else f"{len(rounds)} rebalances")
    if heartbeats:
        how = ("one round of heartbeats", f"{len(rounds)} rounds of heartbeats")
    parts = [how[len(rounds) > 1]]
    if first:
        parts.append(f"{counted(first, 'partition')} {verb(first, 'is newly assigned', 'are newly assigned')}")
    if again or not first:
        forced = f", {needless:,} of them unnecessarily" if needless else ""
        parts.append(f"{counted(again, 'partition')} {verb(again, 'is reassigned', 'are reassigned')}{forced}")
    meanwhile = "until they are handed over" if heartbeats else "during the rebalance"
    parts.append(f"{paused:,} paused {meanwhile}" if paused else "nothing paused")
    return f"{title(event)}: {'; '.join(parts)}."
