"""From replica lists back to the draws that made them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reseat.errors import PlacementRefused
from reseat.model import Broker, ClusterLayout, Gaps
from reseat.placement import FingerprintKind, Placement, RackMode, TopicFingerprint, infer, place_added, place_striped
from reseat.placement.admin_order import admin_order
from tests.cases import cases


@st.composite
def placements(draw: st.DrawFn) -> tuple[list[Broker], Placement]:
    """A striped topic on any small cluster: gaps in ids, unequal racks or none, any size, any first id."""
    ids = sorted(draw(st.sets(st.integers(0, 40), min_size=1, max_size=10)))
    racks = draw(st.integers(0, 4))
    brokers = [Broker(i, f"r{draw(st.integers(1, racks))}" if racks else None) for i in ids]
    draws = st.integers(0, len(ids) - 1)
    placed = place_striped(
        brokers,
        draw(st.integers(1, 35)),
        draw(st.integers(1, min(5, len(ids)))),
        start=draw(draws),
        shift=draw(draws),
        first_partition=draw(st.sampled_from([0, 0, 0, 1, 4, 17])),
        rack_mode=draw(st.sampled_from([RackMode.ENFORCED, RackMode.DISABLED])),
    )
    return brokers, placed


def layout_of(brokers: list[Broker], lists: dict[int, list[int]]) -> ClusterLayout:
    """One topic, t."""
    return ClusterLayout.from_assignments({("t", p): row for p, row in lists.items()}, brokers=brokers)


@given(placements())
@settings(max_examples=cases(150))
def test_every_striped_topic_leads_back_to_its_draws(made: tuple[list[Broker], Placement]) -> None:
    """The pair that made it is among those found, and each pair found makes it."""
    brokers, placed = made
    found = infer(layout_of(brokers, placed.assignment()), ["t"])[0]

    assert found.kind is FingerprintKind.STRIPED
    assert any((placed.start, placed.shift) in fit.pairs and fit.rack_aware == placed.rack_aware for fit in found.fits)
    for fit in found.fits:
        mode = RackMode.ENFORCED if fit.rack_aware else RackMode.DISABLED
        makes = [
            (start, shift)
            for start in {pair[0] for pair in fit.pairs}
            for shift in range(len(brokers))
            if place_striped(
                brokers,
                len(placed.replicas),
                placed.replicas.shape[1],
                start=start,
                shift=shift,
                first_partition=placed.first_id,
                rack_mode=mode,
            ).assignment()
            == placed.assignment()
        ]
        assert list(fit.pairs) == makes


def differing(one: dict[int, list[int]], other: dict[int, list[int]]) -> int:
    """Replicas that differ by place, of the same partitions with as many replicas."""
    return sum(a != b for at in one for a, b in zip(one[at], other[at], strict=True))


def remade(found: TopicFingerprint, partitions: int, factor: int) -> dict[int, list[int]]:
    """The lists that what is found makes, of a topic that grew."""
    ends = [*(fit.first_id for fit in found.added), partitions]
    lists: dict[int, list[int]] = {}
    for fit, end in zip([found.fits[0], *found.added], ends, strict=True):
        ids = range(fit.first_id, end)
        lists |= zip(ids, fit.lists(ids, factor), strict=True)
    return lists


@given(st.integers(4, 12), st.integers(2, 4), st.integers(8, 40), st.integers(0, 10**6))
@example(7, 2, 18, 22211)
@example(4, 2, 8, 41)
@settings(max_examples=cases(100))
def test_moved_partitions_are_named(brokers: int, factor: int, partitions: int, seed: int) -> None:
    """After random moves of up to a quarter of the partitions, those are named and no others."""
    rng = random.Random(seed)
    racks = rng.choice([0, 2, 3])
    cluster = [Broker(i, f"r{i % racks}" if racks else None) for i in range(brokers)]
    placed = place_striped(
        cluster, partitions, factor, start=rng.randrange(brokers), shift=rng.randrange(brokers)
    ).assignment()
    # Partition 0 stays: with another one the rest may be what Kafka adds to such a topic, which is as true.
    moved = sorted(rng.sample(range(1, partitions), rng.randint(1, partitions // 4)))
    lists = dict(placed)
    for partition in moved:
        while lists[partition] == placed[partition]:
            lists[partition] = rng.sample(range(brokers), factor)
    found = infer(layout_of(cluster, lists), ["t"])[0]

    if found.kind is FingerprintKind.GREW:  # other draws, and those of partitions added later, make the same: as true
        assert remade(found, partitions, factor) == lists
        return
    assert found.striped is False
    assert found.kind is FingerprintKind.MOVED
    assert set(found.moved) <= set(moved)
    if not found.added:
        assert list(found.moved) == moved
        assert found.nearest is not None
        nearest = dict(enumerate(found.nearest.lists(range(partitions), factor)))
        assert {at for at in lists if nearest[at] != lists[at]} == set(moved)
        assert found.replicas_off == differing(nearest, lists)
        # Several pairs may make the lists that stayed; the one named differs least from those that moved.
        mode = RackMode.ENFORCED if found.nearest.rack_aware else RackMode.DISABLED
        start = found.nearest.start  # partition 0 stayed, so that there is no other
        every = [
            place_striped(cluster, partitions, factor, start=start, shift=shift, rack_mode=mode).assignment()
            for shift in range(brokers)
        ]
        stayed = set(lists) - set(moved)
        others = [differing(one, lists) for one in every if all(one[at] == lists[at] for at in stayed)]
        assert set(found.nearest.brokers) != set(range(brokers)) or found.replicas_off == min(others)


@pytest.mark.parametrize("near", [1, 3])
def test_of_pairs_that_make_the_same_lists_the_nearer_is_named(near: int) -> None:
    """Shifts 1 and 3 differ in partition 12 alone; moved, it has all but its last replica of one of them."""
    cluster = [Broker(i, f"r{i % 2}") for i in range(6)]
    made = {shift: place_striped(cluster, 13, 4, start=4, shift=shift).assignment() for shift in (1, 3)}
    lists = dict(made[near])
    lists[12] = [*lists[12][:3], next(i for i in range(6) if i not in lists[12])]
    found = infer(layout_of(cluster, lists), ["t"])[0]

    assert {at for at in range(13) if made[1][at] != made[3][at]} == {12}
    assert differing(made[4 - near], lists) > 1
    assert found.nearest is not None
    assert (found.moved, found.replicas_off, found.nearest.shifts) == ((12,), 1, (near,))


def test_one_list_that_differs_is_one_partition_moved() -> None:
    """The sentence names it, and how many replicas differ."""
    lists = place_striped([Broker(i) for i in range(5)], 12, 3, start=1, shift=2).assignment()
    lists[7] = [lists[7][0], *reversed(lists[7][1:])]
    found = infer(layout_of([], lists), ["t"])[0]

    assert found.moved == (7,)
    assert found.replicas_off == 2
    assert found.pairs == ((1, 2),)
    assert found.sentence.startswith("1 partition of 12 of t (7) was moved: 2 replicas differ from striped over")


def test_replication_factor_1_hides_the_shift() -> None:
    """All shifts fit, and it is said so."""
    lists = place_striped([Broker(i) for i in range(6)], 8, 1, start=4, shift=0).assignment()
    found = infer(layout_of([], lists), ["t"])[0]

    assert found.pairs == tuple((4, shift) for shift in range(6))
    assert "All 6 pairs match: with one replica the shift has no effect." in found.sentence


def test_a_broker_that_joined_later_is_named() -> None:
    """Striped over 2, 5, 8 before broker 11 joined."""
    lists = place_striped([Broker(i) for i in (2, 5, 8)], 6, 3, start=0, shift=1).assignment()
    found = infer(layout_of([Broker(11)], lists), ["t"])[0]

    assert found.striped
    assert found.fits[0].circumstance == "before broker 11 joined"
    assert "striped over [2, 5, 8] before broker 11 joined, rack-unaware, start 0, shift 1" in found.sentence


def test_a_broker_that_left_is_named() -> None:
    """Broker 2's replicas were moved off it; the others still sit as striped over all four."""
    lists = place_striped([Broker(i) for i in range(5)], 30, 2, start=0, shift=0).assignment()
    moved = [p for p, row in lists.items() if 2 in row]
    for partition in moved:
        lists[partition] = [next(i for i in (0, 1, 3, 4) if i not in lists[partition]) if b == 2 else b for b in lists[partition]]  # fmt: skip  # noqa: E501
    found = infer(layout_of([], lists), ["t"])[0]

    assert found.kind is FingerprintKind.MOVED
    assert set(found.moved) == set(moved)
    assert "while broker 2 was there" in found.sentence


def test_the_unsorted_order_of_28_is_tried() -> None:
    """The order measured on a 2.8 ZooKeeper controller asked through the Admin protocol."""
    assert admin_order([0, 1, 2]) == (0, 2, 1)
    assert admin_order(range(4)) == (0, 2, 3, 1)
    assert admin_order([1, 2, 3]) == (2, 3, 1)

    lists = place_striped([Broker(i) for i in (0, 2, 3, 1)], 8, 3, start=1, shift=2).assignment()
    found = infer(layout_of([], lists), ["t"])[0]

    assert found.striped
    assert found.fits[0].brokers == (0, 2, 3, 1)
    assert "in the order of the Admin protocol of 2.8" in found.sentence


@pytest.mark.parametrize("racks", [0, 3])
def test_partitions_added_later_are_told_from_moved_ones(racks: int) -> None:
    """The same first column without racks, another shift: where Kafka puts added partitions."""
    cluster = [Broker(i, f"r{i % racks}" if racks else None) for i in range(7)]
    first = place_striped(cluster, 9, 3, start=2, shift=4).assignment()
    lists = first | place_added(cluster, first, 16).assignment()
    found = infer(layout_of(cluster, lists), ["t"])[0]

    assert found.kind is FingerprintKind.GREW
    assert found.striped
    assert (2, 4) in found.pairs
    assert found.added[0].start == 2
    assert found.moved == ()
    assert "added later" in found.sentence


@given(
    st.integers(3, 12),
    st.sampled_from([0, 2, 3]),
    st.integers(1, 3),
    st.lists(st.integers(1, 30), min_size=2, max_size=5),
    st.tuples(st.integers(0, 11), st.integers(0, 11)),
)
@example(8, 2, 3, [40, 23], (0, 0))  # as good as placed without racks for most of its lists
@example(11, 2, 2, [22, 18], (1, 1))  # most lists agree on draws that no shift gives
@settings(max_examples=cases(150))
def test_a_topic_that_grew_several_times_was_not_moved(
    count: int, racks: int, factor: int, sizes: list[int], draws: tuple[int, int]
) -> None:
    """What Kafka placed piece by piece is told as that: of two and more additions, partitions "were moved"."""
    cluster = [Broker(i, f"r{i % racks}" if racks else None) for i in range(count)]
    lists = place_striped(cluster, sizes[0], factor, start=draws[0] % count, shift=draws[1] % count).assignment()
    for more in sizes[1:]:
        lists = lists | place_added(cluster, lists, len(lists) + more).assignment()
    found = infer(layout_of(cluster, lists), ["t"])[0]

    assert found.striped
    assert (found.kind is FingerprintKind.GREW) == bool(found.added)
    assert remade(found, len(lists), factor) == lists


@pytest.mark.parametrize("racks", [0, 3])
@pytest.mark.parametrize("sizes", [(30, 12), (12, 40), (14, 20, 30)])
def test_partitions_added_after_brokers_joined_were_not_moved(racks: int, sizes: tuple[int, ...]) -> None:
    """Kafka adds them over the brokers that are there then: most partitions may be the first, or the added ones."""
    cluster = [Broker(i, f"r{i % racks}" if racks else None) for i in range(9)]
    lists = place_striped(cluster[:6], sizes[0], 3, start=2, shift=4).assignment()
    for more, there in zip(sizes[1:], (6, 9) if len(sizes) > 2 else (9,), strict=True):
        lists = lists | place_added(cluster[:there], lists, len(lists) + more).assignment()
    found = infer(layout_of(cluster, lists), ["t"])[0]

    assert found.kind is FingerprintKind.GREW
    assert len(found.fits[0].brokers) == 6
    assert len(found.added[-1].brokers) == 9
    assert remade(found, len(lists), 3) == lists
    assert "before brokers 6, 7 and 8 joined" in found.sentence
    last = found.added[-1].first_id
    over = "over [0, 1, 2, 3, 4, 5, 6, 7, 8]" if not racks else "over [0, 3, 6"
    assert (f"; from {last} on {over}" if len(sizes) > 2 else f", {over}") in found.sentence or racks


def test_what_was_moved_of_a_topic_that_grew_is_told() -> None:
    """Those partitions and no others, whatever piece they are of; the additions are found all the same."""
    cluster = [Broker(i) for i in range(9)]
    lists = place_striped(cluster, 20, 3, start=2, shift=5).assignment()
    for total in (41, 70):
        lists = lists | place_added(cluster, lists, total).assignment()
    moved = {7: [8, 0, 4], 33: [1, 5, 0], 64: [3, 2, 7]}
    found = infer(layout_of(cluster, lists | moved), ["t"])[0]

    assert found.kind is FingerprintKind.MOVED
    assert found.moved == (7, 33, 64)
    assert [fit.first_id for fit in found.added] == [20, 41]


def test_gaps_in_ids_do_not_matter() -> None:
    """Partitions 10, 21, 33, 40 of a striped topic tell the same draws."""
    whole = place_striped([Broker(i) for i in range(6)], 50, 3, start=1, shift=2).assignment()
    found = infer(layout_of([], {p: whole[p] for p in (10, 21, 33, 40)}), ["t"])[0]

    assert found.striped
    assert found.fits[0].first_id == 10


def test_random_lists_are_not_striped() -> None:
    """Nothing is claimed of lists drawn at random, however few."""
    rng = random.Random(7)
    lists = {(f"t{n:03}", p): rng.sample(range(30), 3) for n in range(200) for p in range(1 + n % 8)}
    layout = ClusterLayout.from_assignments(lists)
    found = infer(replace(layout, gaps=Gaps(racks_told=True)))

    assert sum(one.kind is FingerprintKind.NOT_STRIPED for one in found) >= 195
    assert all(not one.moved for one in found if one.kind is FingerprintKind.NOT_STRIPED)
    assert "is not striped" in found[1].sentence
    assert not any(one.kind is FingerprintKind.NOT_STRIPED for one in infer(layout))


def test_what_fits_no_draws_without_racks_is_unknown_where_racks_are() -> None:
    """The same lists with their racks are striped; that nobody tells racks is no proof against it."""
    brokers = [Broker(i, rack="abc"[i % 3]) for i in range(9)]
    placed = place_striped(brokers, 40, 3, start=4, shift=1).assignment()
    told = ClusterLayout.from_assignments({("t", p): ids for p, ids in placed.items()}, brokers=brokers)
    bare = told.with_brokers(Broker(i) for i in range(9))

    assert infer(told)[0].kind is FingerprintKind.STRIPED
    assert infer(bare)[0].kind is FingerprintKind.UNKNOWN
    assert infer(replace(bare, gaps=Gaps(racks_told=True)))[0].kind is FingerprintKind.NOT_STRIPED
    assert infer(bare)[0].sentence == (
        "t: unknown: a broker's rack is unknown, and no start and shift without racks match its lists."
    )


def test_mixed_factors_and_duplicates_are_differences() -> None:
    """A list of another length, or with a broker twice, does not fit."""
    lists = place_striped([Broker(i) for i in range(5)], 12, 2, start=1, shift=2).assignment()
    lists[3] = [*lists[3], 4 if 4 not in lists[3] else 0]
    lists[9] = [lists[9][0], lists[9][0]]
    found = infer(layout_of([], lists), ["t"])[0]

    assert found.moved == (3, 9)


def test_what_a_fit_says_is_what_it_places() -> None:
    """A fit gives the lists back, for any partition ids."""
    lists = place_striped([Broker(i, f"r{i % 2}") for i in range(6)], 20, 3, start=3, shift=1).assignment()
    found = infer(layout_of([Broker(i, f"r{i % 2}") for i in range(6)], lists), ["t"])[0]

    assert found.fits[0].rack_aware
    assert found.fits[0].lists([4, 13], 3) == [lists[4], lists[13]]


def test_order_not_told_and_unknown_topics_are_refused() -> None:
    """Lists that are not in assignment order say nothing."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, order_told=False)

    with pytest.raises(PlacementRefused, match="assignment order"):
        infer(layout)
    with pytest.raises(PlacementRefused, match="no topic u"):
        infer(layout, ["u"])


def test_an_empty_layout_has_no_fingerprints() -> None:
    """No topic, nothing to say."""
    assert infer(ClusterLayout.from_assignments({})) == ()
    nothing = np.empty((0, 0), np.int32)
    assert infer(ClusterLayout.from_columns(topics=["t"], topic_of=[], partition=[], replicas=nothing)) == ()


def test_the_layout_is_not_changed() -> None:
    """Inference reads."""
    layout = layout_of([], {0: [1, 2], 1: [2, 1]})
    before = layout.digest
    infer(layout)

    assert layout.digest == before
    assert np.array_equal(layout.partition, [0, 1])


@pytest.mark.parametrize("brokers", [[], [Broker(1), Broker(2)]])
def test_partitions_without_replicas_say_nothing_of_how_they_were_placed(brokers: list[Broker]) -> None:
    """Alone, beside topics with replicas, and within one."""
    bare = infer(layout_of(brokers, {0: [], 1: []}))
    lists = {("a", 0): [], ("b", 0): [1, 2], ("b", 1): [2, 1], ("c", 0): [], ("c", 1): [], ("c", 2): [1, 2]}
    beside = infer(ClusterLayout.from_assignments(lists, brokers=brokers))

    assert [found.sentence for found in bare] == ["t has no replicas, so how it was placed is unknown."]
    assert beside[0].sentence.startswith("a has no replicas")
    assert beside[1].striped
    assert beside[2].partitions == 3
