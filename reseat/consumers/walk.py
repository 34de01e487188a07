"""A group's story as a walk: one view a rebalance, with who read what before and who reads it then. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reseat.consumers import Partition
from reseat.consumers.range import surplus
from reseat.consumers.rebalancing import Call, Message, Round, Transition

__all__ = ["Event", "View", "events_of", "views"]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What one sees at one place of a walk.

    Attributes:
        transition: the step of the story.
        number: which step, from 0.
        round: its rebalance, or None where it has none.
        which: which of its rebalances, from 0.
        before: who read what before this rebalance.
        after: who reads what after it.
        paused: what stopped being read meanwhile.
        calls: listener calls, in order; those outside a rebalance stand before its first.
        members: all that are there before or after, in the order in which they joined.
        gone: of these, those that are not in the group afterwards.
    """

    transition: Transition
    number: int
    round: Round | None
    which: int
    before: Mapping[Partition, str]
    after: Mapping[Partition, str]
    paused: frozenset[Partition]
    calls: tuple[Call, ...]
    members: tuple[str, ...]
    gone: frozenset[str]

    @property
    def partitions(self) -> dict[str, int]:
        """Partitions by topic that somebody of the group subscribes to, or read."""
        state = self.transition.after
        read = {topic for member in state.members.values() for topic in member.topics}
        read |= {topic for topic, _ in (*self.before, *self.after)}
        return {topic: count for topic, count in state.partitions.items() if topic in read and count}

    @property
    def surplus(self) -> dict[str, float]:
        """What each member has beyond its even share of each topic, after this rebalance."""
        given: dict[str, list[Partition]] = {}
        for partition, member in self.after.items():
            given.setdefault(member, []).append(partition)
        return surplus(self.transition.after.group, given)


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the sequence diagram: a message between two, or a listener call of one."""

    kind: Literal["message", "call"]
    sender: str
    receiver: str
    name: str
    content: str


def views(transitions: Sequence[Transition]) -> list[View]:
    """One view a rebalance; a step without one has a view too.

    Args:
        transitions: the story.
    """
    found: list[View] = []
    for number, transition in enumerate(transitions):
        before: Mapping[Partition, str] = transition.before.readers
        there = [
            *transition.before.members,
            *(m for m in transition.after.members if m not in transition.before.members),
        ]
        gone = frozenset(there) - frozenset(transition.after.members)
        if not transition.rounds:
            none = frozenset[Partition]()
            after = transition.after.readers
            found.append(View(transition, number, None, 0, before, after, none, transition.calls, tuple(there), gone))
        for which, one in enumerate(transition.rounds):
            after = {partition: member for member, partitions in one.assignment.items() for partition in partitions}
            calls = (*transition.calls, *one.calls) if which == 0 else one.calls
            here = tuple(there) if which == 0 else tuple(transition.after.members)
            found.append(
                View(
                    transition,
                    number,
                    one,
                    which,
                    before,
                    after,
                    one.paused,
                    calls,
                    here,
                    gone if which == 0 else frozenset(),
                )
            )
            before = after
    return found


def events_of(view: View, *, cooperative: bool, most_members: int) -> tuple[list[Event], int]:
    """Messages and listener calls in the order in which they happen.

    Args:
        view: the place of the walk.
        cooperative: whether members keep what they own while they join.
        most_members: members after the first so many are left out.

    Returns:
        The events, and how many members were left out.
    """
    shown = set(view.members[:most_members])
    outside = [_call(call) for call in (view.transition.calls if view.which == 0 else ())]
    early: list[Event] = []
    late: list[Event] = []
    messages: list[Message] = []
    if view.round is not None and view.round.order:
        late = [_call(one) if isinstance(one, Call) else _message(one) for one in view.round.order]
    elif view.round is not None:
        messages = list(view.round.messages)
        joined = {member.id: set(member.owned) for member in view.round.group.members}
        for call in view.round.calls:
            # What a cooperative member gives up before it joins it does not name as owned any more.
            first = call.method == "revoked" and (
                not cooperative or (bool(call.partitions) and joined[call.member].isdisjoint(call.partitions))
            )
            (early if first else late).append(_call(call))
    bye = [_message(m) for m in messages if m.name == "LeaveGroup"]
    rest = [_message(m) for m in messages if m.name != "LeaveGroup"]
    events = [*outside, *bye, *early, *rest, *late]
    kept = [event for event in events if {event.sender, event.receiver} <= shown | {"coordinator"}]
    return kept, max(0, len(view.members) - most_members)


def _call(call: Call) -> Event:
    names = ", ".join(f"{topic}-{partition}" for topic, partition in call.partitions) or "nothing"
    return Event("call", call.member, call.member, f"onPartitions{call.method.capitalize()}", names)


def _message(message: Message) -> Event:
    return Event("message", message.sender, message.receiver, message.name, message.content)
