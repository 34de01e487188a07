"""A group over time: what moves, what pauses, and what each member's listener is told."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.consumers import ASSIGNORS, BROKER_ASSIGNORS, Member, Partition, assignor_named
from reseat.consumers.events import GroupEvent, Join, Leave, Partitions, Restart, Return, Subscribe, Timeout, Together
from reseat.consumers.rebalancing import Call, Round, empty_group, play
from reseat.errors import GroupInvalid
from tests.cases import cases


def parts(text: str) -> tuple[Partition, ...]:
    """``"T:0 T:1"`` as partitions."""
    return tuple((name.partition(":")[0], int(name.partition(":")[2])) for name in text.split())


A, B = Member("A", ("T",)), Member("B", ("T",))
TWO = [Join(A), Join(B)]


def test_eager_gives_up_everything_before_it_joins() -> None:
    """B joins: A gives up all four, reads nothing meanwhile, and gets two back."""
    transition = play(empty_group({"T": 4}), TWO, assignor_named("range"))[-1]

    assert transition.rounds[0].calls == (
        Call("A", "revoked", parts("T:0 T:1 T:2 T:3")),
        Call("A", "assigned", parts("T:0 T:1")),
        Call("B", "assigned", parts("T:2 T:3")),
    )
    assert transition.rounds[0].paused == frozenset(parts("T:0 T:1 T:2 T:3"))
    assert transition.moved == parts("T:2 T:3")


def test_cooperative_pauses_only_what_moves_and_takes_two_rebalances() -> None:
    """A keeps reading two; the other two are given up in the first round and given to B in the second."""
    transition = play(empty_group({"T": 4}), TWO, assignor_named("cooperative-sticky"))[-1]
    first, second = transition.rounds

    assert first.calls == (
        Call("A", "revoked", parts("T:2 T:3")),
        Call("A", "assigned", ()),
        Call("B", "assigned", ()),
    )
    assert second.calls == (Call("A", "assigned", ()), Call("B", "assigned", parts("T:2 T:3")))
    assert first.paused | second.paused == frozenset(parts("T:2 T:3"))


def test_a_first_join_is_told_what_is_assigned_alone() -> None:
    """Nothing was owned, so nothing is revoked."""
    transition = play(empty_group({"T": 2}), [Join(A)], assignor_named("range"))[0]

    assert transition.rounds[0].calls == (Call("A", "assigned", parts("T:0 T:1")),)


def test_who_was_thrown_out_has_lost_its_partitions() -> None:
    """Its listener hears lost, not revoked, when it finds out: somebody else reads them by then."""
    *_, timeout, back = play(empty_group({"T": 2}), [*TWO, Timeout("A"), Return("A")], assignor_named("range"))

    assert timeout.after.readers == dict.fromkeys(parts("T:0 T:1"), "B")
    assert back.calls == (Call("A", "lost", parts("T:0")),)
    assert back.after.readers == {("T", 0): "A", ("T", 1): "B"}


def test_a_static_member_that_restarts_costs_no_rebalance() -> None:
    """KIP-345: it gets back what it had. One that is not static costs one."""
    static = Member("A", ("T",), instance_id="one")
    still = play(empty_group({"T": 2}), [Join(static), Join(B), Restart("A")], assignor_named("range"))[-1]
    moved = play(empty_group({"T": 2}), [*TWO, Restart("A")], assignor_named("range"))[-1]

    assert still.rounds == ()
    assert still.calls == (Call("A", "revoked", parts("T:0")), Call("A", "assigned", parts("T:0")))
    assert len(moved.rounds) == 1


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky", "broker-uniform"])
def test_a_member_that_restarts_leaves_first(assignor: str) -> None:
    """It gives up what it has and says so; until it is given that again nobody reads it."""
    stops = play(empty_group({"T": 2}), [*TWO, Restart("B")], assignor_named(assignor))[-1]
    (had,) = stops.before.members["B"].owned
    first = stops.rounds[0].messages[0]

    assert stops.calls == (Call("B", "revoked", (had,)),)
    assert (first.sender, first.content in ("is closing", "epoch -1: leaves")) == ("B", True)
    assert had in stops.rounds[0].paused


STATIC = tuple(Member(name, ("T",), instance_id=name.lower()) for name in "AB")


@pytest.mark.parametrize("assignor", ["range", "sticky", "cooperative-sticky", "broker-uniform", "broker-range"])
def test_a_static_member_that_is_closed_says_nothing_and_hears_nothing(assignor: str) -> None:
    """It joined each rebalance of its absence, led the group, and was told what was revoked."""
    events = [Together(STATIC), Join(Member("C", ("T",))), Leave("A"), Join(Member("D", ("T",)))]
    *_, joined = play(empty_group({"T": 6}), events, assignor_named(assignor))

    assert joined.rounds
    for one in joined.rounds:
        assert one.leader in (None, "B")
        assert not any("A" in (message.sender, message.receiver) for message in one.messages)
        assert not any(call.member == "A" for call in one.calls)
        assert one.paused.isdisjoint(joined.before.members["A"].owned)
    assert sorted(joined.after.readers) == [("T", number) for number in range(6)]


def test_of_a_static_member_that_is_closed_the_group_knows_what_it_sent_last() -> None:
    """When it joined it owned nothing, so nobody claims what waits for it: D gets some of it at once."""
    three = [Together((*STATIC, Member("C", ("T",)))), Leave("A"), Join(Member("D", ("T",))), Return("A")]
    *_, joined, back = play(empty_group({"T": 6}), three, assignor_named("cooperative-sticky"))

    assert len(joined.rounds) == 1
    assert [joined.before.readers[one] for one in joined.after.members["D"].owned] == ["A"]
    assert back.calls == (Call("A", "assigned", joined.after.members["A"].owned),)


@pytest.mark.parametrize("event", [Leave("A"), Restart("A"), Subscribe("A", ("U",))])
def test_a_member_that_is_closed_can_only_come_back_or_time_out(event: GroupEvent) -> None:
    """It gave up what it had a second time."""
    with pytest.raises(GroupInvalid, match="Member A is closed"):
        play(empty_group({"T": 4, "U": 1}), [Together(STATIC), Leave("A"), event], assignor_named("range"))


def test_a_static_member_that_was_closed_when_it_timed_out_loses_nothing() -> None:
    """It had given up all when it closed, and nobody read that since."""
    events = [Together(STATIC), Leave("A"), Timeout("A"), Return("A")]
    *_, timeout, back = play(empty_group({"T": 4}), events, assignor_named("range"))

    assert timeout.rounds[0].paused == set(parts("T:2 T:3"))
    assert back.calls == ()
    assert len(back.after.members["A"].owned) == 2


@pytest.mark.parametrize("assignor", ["range", "broker-uniform"])
def test_with_nobody_there_a_rebalance_waits(assignor: str) -> None:
    """Both are closed, and one times out: what it had goes to the other once that is back."""
    events = [Together(STATIC), Leave("A"), Leave("B"), Timeout("A"), Return("B")]
    *_, timeout, back = play(empty_group({"T": 4}), events, assignor_named(assignor))

    assert (timeout.rounds, len(back.rounds), back.calls) == ((), 1, ())
    assert back.rounds[0].calls == (Call("B", "assigned", parts("T:0 T:1 T:2 T:3")),)


def test_a_closed_member_that_is_back_is_given_what_waited_though_another_is_still_closed() -> None:
    """It has its target, and the group has not: A holds what C is to get."""
    events = [Together(STATIC), Leave("A"), Join(Member("C", ("T",))), Leave("B"), Return("B")]
    *_, joined, _, back = play(empty_group({"T": 6}), events, assignor_named("broker-uniform"))

    assert [call for one in back.rounds for call in one.calls] == [
        Call("B", "assigned", joined.after.members["B"].owned)
    ]


def test_what_a_closed_member_holds_is_handed_over_once_it_is_back() -> None:
    """Where brokers assign (KIP-848) nobody else gets it before; a process that starts has nothing to give up."""
    events = [Together(STATIC), Leave("A"), Join(Member("C", ("T",))), Return("A")]
    *_, joined, back = play(empty_group({"T": 6}), events, assignor_named("broker-uniform"))
    waits = set(joined.after.members["A"].owned) - set(back.after.members["A"].owned)

    assert len(joined.after.members["A"].owned) == 3
    assert (len(waits), set(back.after.members["C"].owned) >= waits) == (1, True)
    assert back.after.generation == joined.after.generation
    assert [call for one in back.rounds for call in one.calls if call.member == "A"] == [
        Call("A", "assigned", back.after.members["A"].owned)
    ]
    assert all(call.method != "revoked" for one in back.rounds for call in one.calls)


def test_cooperative_gives_up_what_it_no_longer_subscribes_to_before_it_joins() -> None:
    """Revoked before the join: somebody else gets it in that very rebalance."""
    reader = Member("A", ("T", "U"))
    events = [Join(reader), Join(Member("B", ("T", "U"))), Subscribe("A", ("T",))]
    transition = play(empty_group({"T": 2, "U": 2}), events, assignor_named("cooperative-sticky"))[-1]
    before = transition.before.members["A"].owned

    assert transition.rounds[0].calls[0] == Call("A", "revoked", tuple(p for p in before if p[0] == "U"))
    assert {p for p, member in transition.after.readers.items() if p[0] == "U"} == set(parts("U:0 U:1"))
    assert all(transition.after.readers[p] == "B" for p in parts("U:0 U:1"))


def test_what_was_given_up_before_the_join_is_no_reason_to_join_again() -> None:
    """Only who is told to give up what it joined with asks for another rebalance (``onJoinComplete``)."""
    readers = [Member(name, ("T", "U")) for name in "AB"]
    events = [Together(tuple(readers)), Subscribe("A", ("T",))]
    transition = play(empty_group({"T": 1, "U": 2}), events, assignor_named("cooperative-sticky"))[-1]

    assert transition.before.members["A"].owned == parts("T:0 U:1")
    assert [one.calls for one in transition.rounds] == [
        (Call("A", "revoked", parts("U:1")), Call("A", "assigned", ()), Call("B", "assigned", parts("U:1")))
    ]
    assert transition.sentence.startswith("A subscribes to T: one rebalance; 1 partition is reassigned; 1 paused")


def test_whoever_gives_something_up_joins_again_as_often_as_it_takes() -> None:
    """With unequal subscriptions the second round takes one more from A: nobody ever read it."""
    readers = (Member("A", ("U", "V")), Member("B", ("T", "U")))
    transition = play(
        empty_group({"T": 7, "U": 3, "V": 5}),
        [*map(Join, readers), Join(Member("C", ("T", "V")))],
        assignor_named("cooperative-sticky"),
    )[-1]

    assert len(transition.rounds) == 3
    assert transition.sentence.startswith("C joins: 3 rebalances;")
    assert len(transition.after.readers) == 15


def test_messages_go_through_the_coordinator_and_one_member_leads() -> None:
    """The first that joined runs the assignor; the others send an empty SyncGroup."""
    transition = play(empty_group({"T": 2}), TWO, assignor_named("range"))[-1]
    messages = [(m.sender, m.receiver, m.name) for m in transition.rounds[0].messages]

    assert transition.rounds[0].leader == "A"
    assert messages == [
        ("A", "coordinator", "JoinGroup"),
        ("B", "coordinator", "JoinGroup"),
        ("coordinator", "A", "JoinGroup response"),
        ("coordinator", "B", "JoinGroup response"),
        ("A", "coordinator", "SyncGroup"),
        ("B", "coordinator", "SyncGroup"),
        ("coordinator", "A", "SyncGroup response"),
        ("coordinator", "B", "SyncGroup response"),
    ]


def test_sticky_moves_what_it_must_and_roundrobin_more() -> None:
    """C1 of three leaves: three partitions have to move; RoundRobin moves two more though nothing forced it."""
    everybody = [Join(Member(name, ("T0", "T1", "T2", "T3"))) for name in ("C0", "C1", "C2")]
    topics = dict.fromkeys(("T0", "T1", "T2", "T3"), 2)
    sticky, dealt = (
        play(empty_group(topics), [*everybody, Leave("C1")], assignor_named(name))[-1]
        for name in ("sticky", "roundrobin")
    )

    assert (len(sticky.moved), sticky.needless) == (3, 0)
    assert (len(dealt.moved), dealt.needless) == (5, 2)


def test_more_partitions_rebalance_who_reads_the_topic() -> None:
    """T gains two; nobody reads U, so that U costs nothing."""
    more, nobody = play(
        empty_group({"T": 2}), [*TWO, Partitions("T", 4), Partitions("U", 3)], assignor_named("sticky")
    )[-2:]

    assert len(more.after.readers) == 4
    assert nobody.rounds == ()
    assert nobody.sentence == "U has 3 partitions now: no rebalance."


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([Leave("A")], "Member A is not there"),
        ([Join(A), Join(A)], "Member A is in the group already"),
        ([Partitions("T", 1)], "Topic T has 2 partitions; it cannot have fewer"),
    ],
)
def test_what_cannot_happen_is_refused(events: list[GroupEvent], words: str) -> None:
    """With a sentence."""
    with pytest.raises(GroupInvalid, match=words):
        play(empty_group({"T": 2}), events, assignor_named("range"))


@settings(max_examples=cases(300))
@given(picks=st.lists(st.integers(0, 999), max_size=14), name=st.sampled_from(sorted(ASSIGNORS | BROKER_ASSIGNORS)))
def test_members_hear_of_exactly_what_they_own(picks: list[int], name: str) -> None:
    """What is assigned less what is revoked or lost is what each that is there owns, and nobody else does then.

    Static members (A and B) are closed and come back; who was thrown out does not know, and reads on.
    """
    state, owned, assignor = empty_group({"T": 5, "U": 3}), dict[str, set[Partition]](), assignor_named(name)
    for pick in picks:
        there = sorted(state.present)
        free = [n for n in "ABCD" if n not in state.members and n not in state.out]
        choices: list[GroupEvent] = [Join(Member(n, ("T", "U"), n if n in "AB" else None)) for n in free]
        choices += [kind(n) for n in there for kind in (Leave, Restart)] + [Subscribe(n, ("T",)) for n in there]
        choices += [Timeout(n) for n in sorted(state.members)] + [Return(n) for n in sorted(state.out)]
        transition = play(state, [choices[pick % len(choices)]], assignor)[0]
        state = transition.after
        unaware = state.out.keys() - state.members.keys()
        for call in (*transition.calls, *(call for one in transition.rounds for call in _in_order(one))):
            mine = owned.setdefault(call.member, set())
            if call.method == "assigned":
                others = [have for other, have in owned.items() if other not in (call.member, *unaware)]
                assert mine.union(*others).isdisjoint(call.partitions)
                mine |= set(call.partitions)
            else:
                assert set(call.partitions) <= mine
                mine -= set(call.partitions)

        owned = {n: have for n, have in owned.items() if n in state.members or n in unaware}
        closed = state.out.keys() & state.members.keys()
        assert all(owned.get(n, set()) == (set() if n in closed else {*m.owned}) for n, m in state.members.items())


def _in_order(one: Round) -> list[Call]:
    """The listener calls of a round; where one does not tell their order, what is given up is so before the rest."""
    calls = [call for call in one.order if isinstance(call, Call)] or list(one.calls)
    return calls if one.order else sorted(calls, key=lambda call: call.method == "assigned")


def test_a_large_group_takes_as_long_as_it_is_large() -> None:
    """Who keeps what was looked up in lists: 30,000 partitions took 20 seconds on the page, 100,000 minutes."""
    begun = time.process_time()
    last = play(empty_group({"T": 20_000}), [*TWO, Join(Member("C", ("T",)))], assignor_named("cooperative-sticky"))[-1]

    assert len(last.moved) == 6_666
    assert time.process_time() - begun < 2.5
