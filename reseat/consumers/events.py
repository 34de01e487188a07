"""What can happen to a consumer group, and each in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from reseat.consumers.group import Member
from reseat.model.wording import counted, listed, verb

__all__ = [
    "GroupEvent",
    "Join",
    "Leave",
    "Partitions",
    "Rebalance",
    "Restart",
    "Return",
    "Subscribe",
    "Timeout",
    "Together",
    "title",
]


@dataclass(frozen=True, slots=True)
class Join:
    """A new member joins."""

    member: Member


@dataclass(frozen=True, slots=True)
class Together:
    """Several members join a group within ``group.initial.rebalance.delay.ms``: one rebalance for all of them."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Rebalance:
    """The group rebalances with the members that it has: its assignor was changed, say."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A member closes in order (LeaveGroup); a static member is only gone once its session times out."""

    member: str


@dataclass(frozen=True, slots=True)
class Timeout:
    """The coordinator hears nothing of a member for ``session.timeout.ms`` and throws it out; it does not know yet."""

    member: str


@dataclass(frozen=True, slots=True)
class Return:
    """A member that was thrown out finds out and joins again."""

    member: str


@dataclass(frozen=True, slots=True)
class Restart:
    """A member stops and starts again at once; a static one gets back what it had, without a rebalance (KIP-345)."""

    member: str


@dataclass(frozen=True, slots=True)
class Subscribe:
    """A member subscribes to other topics."""

    member: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Partitions:
    """A topic is made, or gains partitions."""

    topic: str
    count: int


#: Whatever can happen to a group.
GroupEvent: TypeAlias = Join | Together | Rebalance | Leave | Timeout | Return | Restart | Subscribe | Partitions


def title(event: GroupEvent) -> str:
    """What happens, in a few words."""
    match event:
        case Join(member):
            return f"{member.id} joins"
        case Together(members):
            return f"{listed(member.id for member in members)} {verb(len(members), 'joins', 'join')}"
        case Rebalance():
            return "The group rebalances without a change"
        case Leave(name):
            return f"{name} closes"
        case Timeout(name):
            return f"{name} times out and is removed from the group"
        case Return(name):
            return f"{name} is back"
        case Restart(name):
            return f"{name} restarts"
        case Subscribe(name, topics):
            return f"{name} subscribes to {listed(topics) if topics else 'nothing'}"
        case Partitions(topic, count):
            return f"{topic} has {counted(count, 'partition')} now"
