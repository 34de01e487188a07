"""Groups whose brokers assign (KIP-848): epochs, heartbeats, and how members come to their target."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.consumers import BROKER_ASSIGNORS, Member, Partition, assignor_named
from reseat.consumers.events import (
    GroupEvent,
    Join,
    Leave,
    Partitions,
    Rebalance,
    Restart,
    Subscribe,
    Timeout,
    Together,
)
from reseat.consumers.rebalancing import Transition, empty_group, play
from reseat.consumers.rounds import Call
from reseat.consumers.walk import events_of, views
from tests.cases import cases

UNIFORM = assignor_named("broker-uniform")


def joined(*names: str, topics: tuple[str, ...] = ("T",)) -> Together:
    """Members that join at once."""
    return Together(tuple(Member(name, topics) for name in names))


def told(transition: Transition) -> list[str]:
    """Messages and calls in order, as lines."""
    lines = []
    for view in views([transition]):
        events, _ = events_of(view, cooperative=True, most_members=9)
        lines += [f"{event.sender}>{event.receiver} {event.name}: {event.content}" for event in events]
    return lines


def test_a_member_that_joins_waits_for_what_others_give_up() -> None:
    """It has the new epoch at once and nothing to read; A keeps its epoch until it gave up what is not its any more."""
    transition = play(empty_group({"T": 4}), (joined("A"), Join(Member("B", ("T",)))), UNIFORM)[1]

    assert [one.generation for one in transition.rounds] == [2, 2]
    assert told(transition) == [
        "B>coordinator ConsumerGroupHeartbeat: epoch 0, subscribes to T",
        "coordinator>B ConsumerGroupHeartbeat response: epoch 2; nothing",
        "B>B onPartitionsAssigned: nothing",
        "A>coordinator ConsumerGroupHeartbeat: epoch 1, owns T-0, T-1, T-2, T-3",
        "coordinator>A ConsumerGroupHeartbeat response: epoch 1; T-0, T-1",
        "A>A onPartitionsRevoked: T-2, T-3",
        "A>A onPartitionsAssigned: nothing",
        "A>coordinator ConsumerGroupHeartbeat: epoch 1, owns T-0, T-1",
        "coordinator>A ConsumerGroupHeartbeat response: epoch 2; T-0, T-1",
        "B>coordinator ConsumerGroupHeartbeat: epoch 2",
        "coordinator>B ConsumerGroupHeartbeat response: epoch 2; T-2, T-3",
        "B>B onPartitionsAssigned: T-2, T-3",
        "A>coordinator ConsumerGroupHeartbeat: epoch 2, owns T-0, T-1",
        "coordinator>A ConsumerGroupHeartbeat response: epoch 2; T-0, T-1",
    ]
    assert [sorted(one.paused) for one in transition.rounds] == [[("T", 2), ("T", 3)], []]
    assert transition.sentence == (
        "B joins: 2 rounds of heartbeats; 2 partitions are reassigned; 2 paused until they are handed over."
    )


def test_what_a_member_leaves_behind_is_free_at_once() -> None:
    """One round: nobody has to give anything up; nothing else stops."""
    story = (joined("A", "B", "C"), Leave("C"))
    transition = play(empty_group({"T": 6}), story, UNIFORM)[1]

    assert len(transition.rounds) == 1
    assert told(transition)[:2] == [
        "C>C onPartitionsRevoked: T-4, T-5",
        "C>coordinator ConsumerGroupHeartbeat: epoch -1: leaves",
    ]
    assert transition.rounds[0].paused == {("T", 4), ("T", 5)}
    assert {name: len(member.owned) for name, member in transition.after.members.items()} == {"A": 3, "B": 3}


def test_no_heartbeat_changes_anything_where_nothing_changed() -> None:
    """A static member that restarts gets what it had; an assignment computed anew is the same."""
    static = Member("S", ("T",), instance_id="S")
    story = (Together((static, Member("A", ("T",)))), Restart("S"), Rebalance())
    first, restarts, anew = play(empty_group({"T": 4}), story, UNIFORM)

    assert restarts.rounds == ()
    assert anew.moved == ()
    assert anew.after.generation == first.after.generation + 1
    assert all(not one.paused and not one.calls for one in anew.rounds)


def test_range_of_brokers_cuts_every_topic_anew() -> None:
    """Without regard to what members had: the one that joins first in the order pushes all others on."""
    story = (joined("B", "C"), Join(Member("A", ("T",))))
    _, joins = play(empty_group({"T": 6}), story, assignor_named("broker-range"))

    assert {name: [p for _, p in member.owned] for name, member in joins.after.members.items()} == {
        "B": [2, 3],
        "C": [4, 5],
        "A": [0, 1],
    }


def events(there: set[str]) -> list[GroupEvent]:
    """What may happen to a group with these members."""
    joins: list[GroupEvent] = [Join(Member(one, ("T", "U"))) for one in "ABCD" if one not in there]
    changes = [Subscribe(one, ("T",)) for one in sorted(there)]
    return [*joins, *(Leave(one) for one in sorted(there)), *changes, Partitions("U", 6)]


@settings(max_examples=cases(80))
@given(picks=st.lists(st.integers(0, 99), max_size=12), name=st.sampled_from(sorted(BROKER_ASSIGNORS)))
def test_no_partition_ever_has_two_readers(picks: list[int], name: str) -> None:
    """Call by call: what is assigned to a member nobody else has; two rounds are enough; all reach the epoch."""
    state, reads, assignor = empty_group({"T": 5, "U": 3}), dict[Partition, str](), assignor_named(name)
    for pick in picks:
        choices = events(set(state.members))
        transition = play(state, [choices[pick % len(choices)]], assignor)[0]
        for call in (*transition.calls, *_calls(transition)):
            for partition in call.partitions:
                if call.method == "assigned":
                    assert partition not in reads
                    reads[partition] = call.member
                else:
                    assert reads.pop(partition) == call.member
        state = transition.after

        assert len(transition.rounds) <= 2
        assert reads == state.readers
        assert {member.generation for member in state.members.values()} <= {state.generation}


def _calls(transition: Transition) -> list[Call]:
    return [call for one in transition.rounds for call in one.calls]


def test_a_member_that_was_thrown_out_loses_what_it_had() -> None:
    """Its partitions go to the others in the same round."""
    _, out = play(empty_group({"T": 4}), (joined("A", "B"), Timeout("B")), UNIFORM)

    assert len(out.rounds) == 1
    assert len(out.after.members["A"].owned) == 4
