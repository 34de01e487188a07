"""How members of a group whose brokers assign get from what they read to what they are to read (KIP-848).

What it promises: no partition has two readers at any time; a member that keeps what it has goes on reading; what each
heartbeat is answered is what the coordinator of Kafka 4.4 answers.

How it works: each change raises the group's epoch, and the coordinator computes a target at once. Members come to it
one by one, with their heartbeats: one that has what is not its any more is told to give that up, keeps its epoch, and
says with its next heartbeat, at once, that it has; then it gets the new epoch and of its target what nobody holds any
more. What others still hold it gets with a later heartbeat. So all members are there after two rounds, and only what
changes hands stops being read.

Members are taken to send their heartbeats in turn: first whoever brought the change, then in the order in which they
joined. A listener is told what is revoked where anything is, and what is assigned whenever its assignment changed.

Source: ``CurrentAssignmentBuilder`` and ``ConsumerMembershipManager`` as of 4.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from reseat.consumers.group import NO_GENERATION, Assignment, Group, Partition
from reseat.consumers.rounds import Call, GroupState, Message, Round

__all__ = ["reconciled", "unsettled"]

_HEARTBEAT, _ANSWER = "ConsumerGroupHeartbeat", "ConsumerGroupHeartbeat response"


class _Assigns(Protocol):
    """What is asked of an assignor here."""

    def assign(self, group: Group) -> Assignment:
        """Who is to read what."""


def reconciled(
    state: GroupState,
    assignor: _Assigns,
    farewell: tuple[Message, ...],
    *,
    former: Mapping[Partition, str],
    first: tuple[str, ...],
    resumes: bool = False,
) -> tuple[GroupState, list[Round]]:
    """The group once everybody has its target, and the rounds of heartbeats that it took.

    A static member that is closed sends none: what it holds waits for it.

    Args:
        state: the group with the change.
        assignor: the brokers'.
        farewell: what a member that is gone sent as it left.
        former: who read what before the change.
        first: whose heartbeats bring the change.
        resumes: a closed one is back, which changes nothing but that: the group goes on to the target that it had.
    """
    target = state.target
    if not resumes:
        given = assignor.assign(state.group) if state.members else {}
        target = {name: frozenset(partitions) for name, partitions in given.items()}
    order = [*first, *(name for name in state.present if name not in first)]
    work = _Work(state, target, order, state.generation + (not resumes), set(first) if resumes else set())
    orphaned = frozenset(former.keys() - state.read.keys())
    rounds: list[Round] = []
    bye = [replace(message, name=_HEARTBEAT, content="epoch -1: leaves") for message in farewell]
    while not rounds or not work.done:
        work.begin(bye if not rounds else [])
        for name in work.order:
            work.heartbeat(name)
        rounds.append(work.end(former, orphaned if not rounds else frozenset()))
    return work.state(), rounds


def unsettled(state: GroupState) -> bool:
    """Whether a member does not have its target."""
    return any(frozenset(state.members[name].owned) != target for name, target in state.target.items())


@dataclass
class _Work:
    """Who holds what while members come to their target."""

    before: GroupState
    target: Mapping[str, frozenset[Partition]]
    order: list[str]
    epoch: int
    anew: set[str]
    holds: dict[str, frozenset[Partition]] = field(init=False)
    epochs: dict[str, int] = field(init=False)
    happened: list[Message | Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.holds = {name: frozenset(member.owned) for name, member in self.before.members.items()}
        self.epochs = {name: max(0, member.generation) for name, member in self.before.members.items()}

    @property
    def done(self) -> bool:
        """Whether everybody has its target, but for what a closed one holds."""
        held = frozenset[Partition]().union(*(self.holds[name] for name in self.holds if name not in self.order))
        return all(self.holds[name] == self.target[name] - held for name in self.order)

    def begin(self, said: Iterable[Message]) -> None:
        """A round begins, with what was said before it."""
        self.happened = list(said)

    def heartbeat(self, name: str) -> None:
        """One member's turn: it gives up what is not its any more, and gets what is free of what is to be its."""
        had, target = self.holds[name], self.target[name]
        member = self.before.members[name]
        back = name in self.anew
        self.anew.discard(name)
        joins = back or (member.generation == NO_GENERATION and self.epochs[name] == 0)
        about = f", subscribes to {', '.join(member.topics) or 'nothing'}" if joins else ""
        # One that was closed owns nothing, and has nothing to give up of what was kept for it.
        self._says(name, f"epoch {0 if back else self.epochs[name]}{about}{'' if back else _owns(had)}")
        kept = had & target
        if kept != had and not back:
            self._hears(name, self.epochs[name], kept)
            self.happened.append(Call(name, "revoked", _sorted(had - kept)))
            self.happened.append(Call(name, "assigned", ()))
            self.holds[name] = kept
            self._says(name, f"epoch {self.epochs[name]}{_owns(kept) or ', owns nothing'}")
        held = frozenset[Partition]().union(*(have for other, have in self.holds.items() if other != name))
        gets = target - kept - held
        self.epochs[name] = self.epoch
        self.holds[name] = kept | gets
        self._hears(name, self.epoch, self.holds[name])
        if gets or joins:
            self.happened.append(Call(name, "assigned", _sorted(self.holds[name] if back else gets)))

    def end(self, former: Mapping[Partition, str], orphaned: frozenset[Partition]) -> Round:
        """The round that has passed."""
        calls = tuple(one for one in self.happened if isinstance(one, Call))
        stopped = {partition for call in calls if call.method == "revoked" for partition in call.partitions}
        return Round(
            generation=self.epoch,
            leader=None,
            group=self.before.group,
            assignment={name: list(_sorted(self.holds[name])) for name in self.before.members},
            calls=calls,
            messages=tuple(one for one in self.happened if isinstance(one, Message)),
            paused=frozenset((stopped | orphaned) & former.keys()),
            order=tuple(self.happened),
        )

    def state(self) -> GroupState:
        """The group as it is now."""
        members = {
            name: replace(member, owned=_sorted(self.holds[name]), generation=self.epochs[name])
            for name, member in self.before.members.items()
        }
        return replace(self.before, members=members, generation=self.epoch, target=self.target, waits=False)

    def _says(self, name: str, content: str) -> None:
        self.happened.append(Message(name, "coordinator", _HEARTBEAT, content))

    def _hears(self, name: str, epoch: int, assigned: frozenset[Partition]) -> None:
        names = ", ".join(f"{topic}-{partition}" for topic, partition in _sorted(assigned))
        self.happened.append(Message("coordinator", name, _ANSWER, f"epoch {epoch}; {names or 'nothing'}"))


def _owns(partitions: frozenset[Partition]) -> str:
    names = ", ".join(f"{topic}-{partition}" for topic, partition in _sorted(partitions))
    return f", owns {names}" if names else ""


def _sorted(partitions: Iterable[Partition]) -> tuple[Partition, ...]:
    return tuple(sorted(partitions))
