"""Assignors side by side on one story: what each gives in the end, and what it cost on the way.

Complexity: one run of the story an assignor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from reseat.consumers.assignors import Assignor
from reseat.consumers.events import GroupEvent, Join, Rebalance, Timeout
from reseat.consumers.group import Member
from reseat.consumers.range import surplus
from reseat.consumers.rebalancing import GroupState, Transition, play

__all__ = ["AssignorResult", "compare", "result_of", "surplus_of", "what_if"]


@dataclass(frozen=True, slots=True, eq=False)
class AssignorResult:
    """What one assignor makes of a story.

    Attributes:
        assignor: its name.
        counts: partitions by member in the end, members in the order in which they joined.
        spread: the most less the fewest partitions that a member has in the end; 0 without members.
        rebalances: rounds over the whole story.
        moves: how often a partition that somebody read got another reader.
        needless: how often a member gave up a partition that it subscribes to and got another instead.
        paused: how often a partition that was read stopped being read, if only for the time of a rebalance.
        surplus: what the member with the most has in the end beyond its even share of each topic, summed over topics:
            what Range gathers.
        transitions: what came of each event.
    """

    assignor: str
    counts: dict[str, int]
    spread: int
    rebalances: int
    moves: int
    needless: int
    paused: int
    surplus: float
    transitions: tuple[Transition, ...]


def compare(
    state: GroupState, events: Sequence[GroupEvent], assignors: Iterable[Assignor]
) -> tuple[AssignorResult, ...]:
    """Run one story by each assignor.

    Args:
        state: the group before the story.
        events: the story.
        assignors: the strategies.

    Raises:
        GroupInvalid: something cannot happen, or a strategy refuses the group.
    """
    return tuple(result_of(state, play(state, events, assignor), assignor.name) for assignor in assignors)


def result_of(state: GroupState, transitions: Sequence[Transition], assignor: str) -> AssignorResult:
    """What came of a story that was run.

    Args:
        state: the group before the story.
        transitions: the story.
        assignor: the strategy's name.
    """
    end = transitions[-1].after if transitions else state
    counts = {member.id: len(member.owned) for member in end.members.values()}
    rounds = [one for transition in transitions for one in transition.rounds]
    return AssignorResult(
        assignor=assignor,
        counts=counts,
        spread=max(counts.values()) - min(counts.values()) if counts else 0,
        rebalances=len(rounds),
        moves=sum(len(transition.before.readers.keys() & set(transition.moved)) for transition in transitions),
        needless=sum(transition.needless for transition in transitions),
        paused=sum(len(frozenset().union(*(one.paused for one in transition.rounds))) for transition in transitions),
        surplus=max(surplus_of(end).values(), default=0.0),
        transitions=tuple(transitions),
    )


def surplus_of(state: GroupState) -> dict[str, float]:
    """What each member has beyond its even share of each topic, summed over topics (``range.surplus``).

    Args:
        state: the group.
    """
    return surplus(state.group, {member.id: list(member.owned) for member in state.members.values()})


def what_if(state: GroupState, assignors: Sequence[Assignor]) -> tuple[tuple[str, tuple[AssignorResult, ...]], ...]:
    """What each strategy would give this group: as it is, with one member more, and with one less.

    The member more subscribes to what the last member does; the last member is the one less.

    Args:
        state: the group.
        assignors: the strategies.

    Raises:
        GroupInvalid: a strategy refuses the group.
    """
    changes: list[tuple[str, GroupEvent]] = [("as it is", Rebalance())]
    if state.members:
        last = list(state.members.values())[-1]
        name = next(free for free in _free_names() if free not in state.members and free not in state.out)
        more = Member(name, last.topics, rack=last.rack, user_data=last.user_data)
        # Thrown out, so that a static member's partitions do not wait for it.
        changes += [("one member more", Join(more)), ("one member less", Timeout(last.id))]
    return tuple((words, compare(state, (change,), assignors)) for words, change in changes)


def _free_names() -> Iterator[str]:
    yield "one more"
    yield from (f"one more ({number})" for number in count(2))
