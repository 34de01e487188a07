"""What changed between two layouts: each kind by a literal; additions and removals are the whole difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reseat.balance.changes import KINDS, Changes, changes
from reseat.model import Broker, BrokerState, ClusterLayout, Gaps

ALIVE = [Broker(i, state=BrokerState.ALIVE) for i in (1, 2, 3, 4)]


def layout(
    assignments: Mapping[tuple[str, int], Sequence[int]],
    leaders: Mapping[tuple[str, int], int | None] | None = None,
    in_sync: Mapping[tuple[str, int], Sequence[int]] | None = None,
    brokers: Sequence[Broker] = tuple(ALIVE),
) -> ClusterLayout:
    """A layout of four live brokers."""
    return ClusterLayout.from_assignments(assignments, leaders=leaders, in_sync=in_sync, brokers=brokers)


def told(changed: Changes) -> list[tuple[str, str, int, int, int]]:
    """Every change as (kind, topic, partition, broker, broker before)."""
    return [
        (KINDS[kind], changed.topics[topic] if topic >= 0 else "", partition, broker, was)
        for kind, topic, partition, broker, was in zip(
            changed.kind.tolist(),
            changed.topic_of.tolist(),
            changed.partition.tolist(),
            changed.broker.tolist(),
            changed.was.tolist(),
            strict=True,
        )
    ]


def test_a_broker_dies() -> None:
    """It is gone, its followers leave the ISR, what it led moves or has no leader; its replicas stay where they are."""
    lists = {("a", 0): [1, 2], ("a", 1): [2, 1], ("b", 0): [1]}
    before = layout(lists, {("a", 0): 1, ("a", 1): 2, ("b", 0): 1}, {("a", 0): [1, 2], ("a", 1): [2, 1], ("b", 0): [1]})
    after = layout(
        lists,
        {("a", 0): 2, ("a", 1): 2, ("b", 0): None},
        {("a", 0): [2], ("a", 1): [2], ("b", 0): [1]},
        brokers=[Broker(1, state=BrokerState.DEAD), *ALIVE[1:]],
    )
    changed = changes(before, after)

    assert told(changed) == [
        ("broker_gone", "", -1, 1, -2),
        ("leader_moved", "a", 0, 2, 1),
        ("leader_moved", "b", 0, -1, 1),
        ("isr_shrunk", "a", 0, 1, -2),
        ("isr_shrunk", "a", 1, 1, -2),
    ]
    assert changed.summary == "Broker 1 went down, 1 partition lost its leader, 1 leader moved, 2 ISRs shrank."


def test_a_broker_that_was_drained_and_shut_down_left() -> None:
    """It holds nothing, so that the cluster does not name it any more: nothing went down. One that is new came."""
    before = layout({("a", 0): [1, 2]}, brokers=ALIVE[:3])
    after = layout({("a", 0): [1, 2]}, brokers=[ALIVE[0], ALIVE[1], ALIVE[3]])

    assert told(changes(before, after)) == [("broker_came", "", -1, 4, -2), ("broker_left", "", -1, 3, -2)]
    assert changes(before, after).summary == "Broker 4 came up, broker 3 left."


def test_a_broker_returns() -> None:
    """The other way round: it is here, ISRs grow, a partition has a leader again."""
    lists = {("a", 0): [1, 2], ("b", 0): [1]}
    before = layout(
        lists,
        {("a", 0): 2, ("b", 0): None},
        {("a", 0): [2], ("b", 0): [1]},
        brokers=[Broker(1, state=BrokerState.FENCED), *ALIVE[1:]],
    )
    after = layout(lists, {("a", 0): 2, ("b", 0): 1}, {("a", 0): [1, 2], ("b", 0): [1]})

    assert told(changes(before, after)) == [
        ("leader_moved", "b", 0, 1, -1),
        ("broker_came", "", -1, 1, -2),
        ("isr_grown", "a", 0, 1, -2),
    ]
    assert changes(before, after).summary == "1 partition has a leader again, 1 ISR grew, broker 1 came up."


def test_a_replica_that_moved_is_told_once() -> None:
    """Replica 2 made way for 3: it was in the ISR, and still no ISR shrank or grew."""
    before = layout({("a", 0): [1, 2]}, in_sync={("a", 0): [1, 2]})
    after = layout({("a", 0): [1, 3]}, in_sync={("a", 0): [1, 3]})

    assert told(changes(before, after)) == [("replica_added", "a", 0, 3, -2), ("replica_removed", "a", 0, 2, -2)]


def test_an_order_that_changed_names_the_preferred_leaders() -> None:
    """The same brokers in another order: now 2 is preferred, before 1 was."""
    changed = changes(layout({("a", 0): [1, 2], ("a", 1): [1, 2]}), layout({("a", 0): [2, 1], ("a", 1): [1, 2]}))

    assert told(changed) == [("order_changed", "a", 0, 2, 1)]
    assert changed.summary == "1 replica list changed its order."


def test_partitions_that_came_and_went_are_counted_as_partitions() -> None:
    """Topic b went with its replicas and c came; the rows say replicas, the sentence partitions."""
    changed = changes(layout({("a", 0): [1], ("b", 7): [1, 2]}), layout({("a", 0): [1], ("c", 3): [3]}))

    assert told(changed) == [
        ("replica_added", "c", 3, 3, -2),
        ("replica_removed", "b", 7, 1, -2),
        ("replica_removed", "b", 7, 2, -2),
    ]
    assert changed.whole.all()
    assert changed.summary == "1 partition was created, 1 partition was deleted."


def test_what_is_missing_from_a_text_that_was_cut_off_was_neither_deleted_nor_created() -> None:
    """What it tells is compared all the same."""
    whole = layout({("a", 0): [1, 2], ("a", 1): [2, 1], ("b", 0): [1]})
    torn = replace(layout({("a", 0): [1, 3], ("a", 1): [2, 1]}), gaps=Gaps(unread_rows=1))

    assert changes(whole, torn).summary == "1 replica was added, 1 replica was removed."
    assert changes(torn, whole).summary == "1 replica was added, 1 replica was removed."
    assert changes(whole, replace(torn, gaps=Gaps())).summary.endswith("1 partition was deleted.")


def test_a_topic_that_was_created_again_under_its_name_is_another() -> None:
    """Nothing of it moved, however its lists differ; where either tells no id, it is taken for the same topic."""
    first, second = "first-----------------", "second----------------"
    lists = {("a", 0): [1, 2], ("b", 0): [1]}
    before = replace(layout(lists, {("a", 0): 1}, {("a", 0): [1, 2]}), topic_ids=(first, first))
    after = replace(layout({**lists, ("a", 0): [2, 3]}, {("a", 0): 2}, {("a", 0): [2, 3]}), topic_ids=(second, first))
    changed = changes(before, after)

    assert told(changed) == [
        ("replica_added", "a", 0, 2, -2),
        ("replica_added", "a", 0, 3, -2),
        ("replica_removed", "a", 0, 1, -2),
        ("replica_removed", "a", 0, 2, -2),
    ]
    assert changed.whole.all()
    assert changed.summary == "1 partition was deleted and created again."
    unknown = changes(replace(before, topic_ids=("", first)), after)
    assert unknown.summary == "1 leader moved, 1 replica was added, 1 replica was removed."


def test_what_is_not_told_is_no_change() -> None:
    """A reading without leaders and ISRs after one with them: nothing is known to have changed."""
    before = layout({("a", 0): [1, 2]}, {("a", 0): 1}, {("a", 0): [1, 2]})

    assert changes(before, layout({("a", 0): [1, 2]})).summary == "Nothing changed."


def test_an_isr_that_is_told_of_some_partitions_shrank_in_none_of_the_others() -> None:
    """As where some of a text was cut off."""
    both = {("a", 0): [1, 2], ("a", 1): [1, 2]}
    before = layout(both, in_sync={("a", 0): [1, 2], ("a", 1): [1, 2]})

    assert told(changes(before, layout(both, in_sync={("a", 1): [1]}))) == [("isr_shrunk", "a", 1, 2, -2)]


def test_a_text_without_states_tells_of_no_broker_that_it_is_down_or_up() -> None:
    """It names those that hold replicas: a drained one is left out, and one that died stays. All were told of."""
    text = layout({("a", 0): [1, 2]}, brokers=())
    live = layout({("a", 0): [1, 3]}, brokers=[Broker(2, state=BrokerState.DEAD), *(Broker(i) for i in (1, 3))])
    kinds = {change[0] for pair in ((text, live), (live, text)) for change in told(changes(*pair))}

    assert kinds == {"replica_added", "replica_removed"}
    assert "went down" not in changes(text, layout({("a", 0): [1, 3]}, brokers=())).summary
    assert "Broker 4 left." in changes(layout({("a", 0): [1]}), layout({("a", 0): [1]}, brokers=ALIVE[:3])).summary


def test_lists_longer_than_a_few_are_compared_too() -> None:
    """Twenty replicas: one replaced, one out of the ISR."""
    many = list(range(1, 21))
    before = layout({("a", 0): many}, in_sync={("a", 0): many})
    after = layout({("a", 0): [*many[:-1], 99]}, in_sync={("a", 0): many[1:-1]})

    assert {change[0]: change[3] for change in told(changes(before, after)) if change[1]} == {
        "replica_added": 99,
        "replica_removed": 20,
        "isr_shrunk": 1,
    }


_LISTS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.integers(0, 3)),
    st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True),
    max_size=8,
)


@given(_LISTS)
def test_compared_with_itself_nothing_changed(lists: dict[tuple[str, int], list[int]]) -> None:
    """Whatever the layout."""
    one = layout(lists, {key: ids[0] for key, ids in lists.items()}, lists)

    assert len(changes(one, one)) == 0


@given(_LISTS, _LISTS)
def test_added_and_removed_are_the_whole_difference(
    first: dict[tuple[str, int], list[int]], second: dict[tuple[str, int], list[int]]
) -> None:
    """Before, without the removed, with the added, is after; and backwards the two change places."""
    changed = changes(layout(first), layout(second))
    back = changes(layout(second), layout(first))

    def pairs(lists: dict[tuple[str, int], list[int]]) -> set[tuple[str, int, int]]:
        return {(topic, partition, broker) for (topic, partition), ids in lists.items() for broker in ids}

    def of(one: Changes, kind: str) -> set[tuple[str, int, int]]:
        return {change[1:4] for change in told(one) if change[0] == kind}

    assert (pairs(first) - of(changed, "replica_removed")) | of(changed, "replica_added") == pairs(second)
    assert of(changed, "replica_removed") == of(back, "replica_added")
