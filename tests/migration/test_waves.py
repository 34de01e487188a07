"""Waves: the smallest first, groups together, no wave above its limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reseat.migration.sides import TopicMove
from reseat.migration.waves import waves_of


def move(name, size, there=0):
    """A topic of one partition and three replicas."""
    return TopicMove(name, name, 1, 3, None, size, None, there, 3 if there else None)


SIZES = st.dictionaries(st.sampled_from([f"t{n}" for n in range(12)]), st.none() | st.integers(0, 100), min_size=1)


def test_the_smallest_come_first_and_a_large_one_goes_alone():
    """A quarter of 100 is a wave."""
    moves = [move("a", 60), move("b", 5), move("c", 15), move("d", 20)]

    waves = waves_of(moves, dict.fromkeys("abcd", 3), None)

    assert [wave.topics for wave in waves] == [("b", "c"), ("d",), ("a",)]
    assert [wave.written for wave in waves] == [60, 60, 180]


def test_a_wave_has_a_quarter_of_all_at_most_where_nobody_says_how_much():
    """Eight topics of 10 bytes each are four waves of two."""
    assert [len(wave.topics) for wave in waves_of([move(name, 10) for name in "abcdefgh"], {}, None)] == [2, 2, 2, 2]


def test_topics_that_go_together_are_in_one_wave_through_others_too():
    """Group a with b, and b with c are three."""
    moves = [move("a", 1), move("b", 50), move("c", 2), move("d", 3)]

    waves = waves_of(moves, {}, 10, (("a", "b"), ("b", "c")))

    assert [wave.topics for wave in waves] == [("d",), ("a", "c", "b")]


@given(
    SIZES,
    st.integers(1, 150),
    st.lists(st.lists(st.sampled_from([f"t{n}" for n in range(12)]), min_size=1), max_size=3),
)
def test_every_topic_is_in_one_wave_and_no_wave_of_several_is_too_large(sizes, most, groups):
    """Whatever the sizes; what is of unknown size is not mixed with what is known."""
    moves = [move(name, size) for name, size in sorted(sizes.items())]
    groups = [tuple(name for name in group if name in sizes) for group in groups]
    groups = [group for group in groups if group]

    waves = waves_of(moves, {}, most, groups)
    wave_of = {name: number for number, wave in enumerate(waves) for name in wave.topics}

    assert sorted(name for wave in waves for name in wave.topics) == sorted(sizes)
    assert all(len({wave_of[name] for name in group}) == 1 for group in groups)
    assert groups or all(wave.bytes <= most or len(wave.topics) == 1 for wave in waves)
    assert groups or all(wave.unknown in (0, len(wave.topics)) for wave in waves)
