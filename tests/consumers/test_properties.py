"""What every assignor keeps to, over random groups; balance is judged by a flow that knows no assignor."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.consumers import ASSIGNORS, BROKER_ASSIGNORS, Assignment, Group, Member, Partition, assignor_named
from reseat.consumers.events import GroupEvent, Join, Leave, Partitions, Return, Timeout, Together
from reseat.consumers.rebalancing import empty_group, play
from tests.cases import cases

STICKY = ("sticky", "cooperative-sticky")
TOPICS = ("t0", "t1", "t2", "t3")


@st.composite
def groups(draw: st.DrawFn, *, equal: bool = False) -> Group:
    """Groups of up to six members on up to four topics."""
    partitions = {topic: draw(st.integers(0, 5)) for topic in TOPICS}
    shared = tuple(draw(st.lists(st.sampled_from(TOPICS), unique=True, min_size=1)))
    names = draw(st.lists(st.sampled_from("abcdef"), unique=True, min_size=1))
    topics = {name: shared if equal else tuple(draw(st.lists(st.sampled_from(TOPICS), unique=True))) for name in names}
    return Group(tuple(Member(name, topics[name]) for name in names), partitions)


def wanted(group: Group) -> set[Partition]:
    """Partitions of subscribed topics."""
    return {(topic, p) for topic in group.known_topics for p in range(group.partitions[topic])}


def after(group: Group, assignment: Assignment, names: list[str]) -> Group:
    """The next rebalance, with these members; who was there owns what it got."""
    known = {member.id: member for member in group.members}
    topics = group.members[0].topics
    return Group(
        tuple(
            Member(
                name,
                known[name].topics if name in known else topics,
                owned=tuple(assignment.get(name, ())),
                generation=1 if name in assignment else -1,
            )
            for name in names
        ),
        group.partitions,
    )


def least_sum_of_squares(group: Group) -> int:
    """The evenest counts that subscriptions allow: augmenting paths from the fullest to the emptiest (exact)."""
    readers = {t: [m.id for m in group.members if t in m.topics] for t in group.known_topics}
    load = {member.id: 0 for member in group.members}
    held: dict[str, list[Partition]] = {member.id: [] for member in group.members}
    for partition in sorted(wanted(group)):
        first = readers[partition[0]][0]
        held[first].append(partition)
        load[first] += 1
    while (path := _better(held, readers, load)) is not None:
        for partition, source, target in path:
            held[source].remove(partition)
            held[target].append(partition)
        load = {member: len(partitions) for member, partitions in held.items()}
    return sum(count * count for count in load.values())


def _better(
    held: dict[str, list[Partition]], readers: dict[str, list[str]], load: dict[str, int]
) -> list[tuple[Partition, str, str]] | None:
    for start in sorted(load, key=lambda member: -load[member]):
        paths: dict[str, list[tuple[Partition, str, str]]] = {start: []}
        queue = [start]
        for member in queue:
            if load[member] <= load[start] - 2:
                return paths[member]
            for partition in held[member]:
                for other in readers[partition[0]]:
                    if other not in paths:
                        paths[other] = [*paths[member], (partition, member, other)]
                        queue.append(other)
    return None


def as_counted(name: str, group: Group, given_to: Assignment) -> Group:
    """The group as the assignor counted it: where one without topics was given some, all those have what all others do.

    That is a quirk of Kafka's sticky assignors, and of nobody else; there all who ask for something ask for the same.
    """
    topics = {member.id: member.topics for member in group.members}
    strangers = {m for m, partitions in given_to.items() if any(t not in topics[m] for t, _ in partitions)}
    if not strangers:
        return group
    (shared,) = {tuple(sorted(asked)) for asked in topics.values() if asked}

    assert name in STICKY
    assert not any(topics[member] for member in strangers)
    return Group(tuple(Member(member.id, member.topics or shared) for member in group.members), group.partitions)


@pytest.mark.parametrize("name", [*ASSIGNORS, *BROKER_ASSIGNORS])
@given(group=groups())
def test_everything_is_read_once_and_only_by_subscribers(name: str, group: Group) -> None:
    """Each partition that anybody asks for has exactly one reader, who subscribes to its topic, a quirk aside."""
    given_to = assignor_named(name).assign(group)
    topics = {member.id: member.topics for member in as_counted(name, group, given_to).members}
    flat = [partition for partitions in given_to.values() for partition in partitions]

    assert sorted(flat) == sorted(wanted(group))
    assert all(t in topics[member] for member, partitions in given_to.items() for t, _ in partitions)
    assert set(given_to) == set(topics)


@given(group=groups(equal=True), names=st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1))
def test_sticky_moves_only_what_it_must(group: Group, names: list[str]) -> None:
    """With equal subscriptions a member keeps everything up to its quota, and counts differ by one at most."""
    before = assignor_named("sticky").assign(group)
    then = assignor_named("sticky").assign(after(group, before, names))
    small, larger = divmod(len(wanted(group)), len(names))
    sizes = sorted(len(partitions) for partitions in then.values())
    most_kept = sorted((len(before.get(name, ())) for name in names), reverse=True)
    could_stay = sum(min(has, small + (1 if place < larger else 0)) for place, has in enumerate(most_kept))
    stayed = sum(len(set(then[name]) & set(before.get(name, ()))) for name in names)

    assert sizes == [small] * (len(names) - larger) + [small + 1] * larger
    assert stayed == could_stay


@pytest.mark.parametrize("name", ["roundrobin", "sticky", "cooperative-sticky"])
@given(group=groups(equal=True))
def test_with_equal_subscriptions_no_counts_are_evener(name: str, group: Group) -> None:
    """The flow, which knows no assignor, finds nothing better."""
    given_to = assignor_named(name).assign(group)

    assert sum(len(partitions) ** 2 for partitions in given_to.values()) == least_sum_of_squares(group)


@given(group=groups())
def test_range_is_as_even_as_can_be_topic_by_topic(group: Group) -> None:
    """The flow over one topic alone finds nothing better, with differing subscriptions too."""
    given_to = assignor_named("range").assign(group)
    for topic in group.known_topics:
        alone = Group(group.members, {topic: group.partitions[topic]})
        counts = [sum(1 for t, _ in partitions if t == topic) for partitions in given_to.values()]

        assert sum(count * count for count in counts) == least_sum_of_squares(alone)


@settings(max_examples=cases(60))
@given(group=groups(equal=True), picks=st.lists(st.integers(0, 99), max_size=8), name=st.sampled_from(STICKY))
def test_sticky_moves_nothing_for_nothing(group: Group, picks: list[int], name: str) -> None:
    """Whoever joins, leaves, or is thrown out, and whatever topic grows: no member gives up one for another."""
    topics = group.members[0].topics
    state, assignor = empty_group(group.partitions), assignor_named(name)
    events: list[GroupEvent] = [Together(group.members)]
    for pick in picks:
        state = play(state, events, assignor)[-1].after
        there = sorted(state.members)
        choices: list[GroupEvent] = [Join(Member(free, topics)) for free in "ghi" if free not in there]
        choices += [kind(member) for member in there[1:] for kind in (Leave, Timeout)]
        choices += [Partitions(topic, state.partitions[topic] + 2) for topic in topics]
        events = [choices[pick % len(choices)]]
        if any(isinstance(one, Join) and one.member.id in state.out for one in events):
            events = [Return(next(iter(state.out)))]
        transition = play(state, events, assignor)[0]

        assert transition.needless == 0


@settings(max_examples=cases(200))
@given(group=groups())
def test_sticky_is_as_balanced_as_subscriptions_allow_or_no_single_move_helps(group: Group) -> None:
    """Kafka's search ends where no single move helps; on these groups the flow finds at most a little more."""
    given_to = assignor_named("sticky").assign(group)
    counted = as_counted("sticky", group, given_to)
    reached = sum(len(partitions) ** 2 for partitions in given_to.values())
    best = least_sum_of_squares(counted)
    topics = {member.id: member.topics for member in counted.members}
    helps = [
        (partition, other)
        for member, partitions in given_to.items()
        for partition in partitions
        for other in given_to
        if partition[0] in topics[other] and len(partitions) > len(given_to[other]) + 1
    ]

    assert reached >= best
    assert not helps


@given(group=groups(), names=st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1))
def test_cooperative_never_has_two_readers(group: Group, names: list[str]) -> None:
    """What somebody owns is given to nobody else in the same rebalance, and the second round ends it."""
    assignor = assignor_named("cooperative-sticky")
    before = assignor.assign(group)
    first = after(group, before, names)
    middle = assignor.assign(first)
    owners = {partition: member.id for member in first.members for partition in member.owned}
    taken = {p: m for m, partitions in middle.items() for p in partitions}
    generation = {member.id: member for member in first.members}
    second = Group(
        tuple(Member(name, generation[name].topics, owned=tuple(middle[name]), generation=2) for name in names),
        group.partitions,
    )
    done = assignor.assign(second)

    assert all(owners.get(partition, member) == member for partition, member in taken.items())
    assert sorted(p for partitions in done.values() for p in partitions) == sorted(wanted(second))


@given(group=groups(equal=True))
def test_range_within_a_topic_differs_by_one(group: Group) -> None:
    """Range is even topic by topic, whatever it gathers over topics."""
    given_to = assignor_named("range").assign(group)
    for topic in group.known_topics:
        counts = [sum(1 for t, _ in partitions if t == topic) for partitions in given_to.values()]

        assert max(counts) - min(counts) <= 1
