"""The worked example of an assignor of one's own: by weight, registered by an entry point as any package would."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.consumers import Group, Member, assignor_named
from reseat.consumers.assignors import installed
from reseat.consumers.events import Join
from reseat.consumers.rebalancing import empty_group, play
from reseat.consumers.weighted import WeightedAssignor
from reseat.errors import GroupInvalid


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """A package's metadata as pip would leave it, on the path."""
    metadata = tmp_path / "my_assignors-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-assignors\nVersion: 1.0\n")
    sys.path.insert(0, str(tmp_path))
    installed.cache_clear()
    yield metadata / "entry_points.txt"
    sys.path.remove(str(tmp_path))
    installed.cache_clear()


def test_it_is_found_by_its_entry_point(package: Path) -> None:
    """What the documents show, as text of an installed package; without it there is no such assignor."""
    with pytest.raises(GroupInvalid, match="There is no assignor called weighted"):
        assignor_named("weighted")

    installed.cache_clear()
    package.write_text("[reseat.assignors]\nweighted = reseat.consumers.weighted:WeightedAssignor\n")

    assert assignor_named("weighted").name == "weighted"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("reseat.consumers.weighted:Missing", "cannot be loaded from reseat.consumers.weighted:Missing"),
        ("no.such.module:Assignor", "cannot be loaded from no.such.module:Assignor"),
    ],
)
def test_what_is_registered_and_not_there_is_said(package: Path, value: str, words: str) -> None:
    """A broken package ends in a sentence, not in a fault."""
    package.write_text(f"[reseat.assignors]\nbroken = {value}\n")

    with pytest.raises(GroupInvalid, match=words):
        assignor_named("broken")


def test_partitions_go_by_weight() -> None:
    """A weighs 3 and B 1: of four partitions A gets three."""
    group = Group((Member("A", ("T",), user_data=b"3"), Member("B", ("T",))), {"T": 4})

    assert WeightedAssignor().assign(group) == {"A": [("T", 0), ("T", 1), ("T", 2)], "B": [("T", 3)]}


def test_a_member_tells_its_weight_and_learns_what_it_has() -> None:
    """The story sends the user data along and tells each member: two partitions at weight 2 are a load of one."""
    assignor = WeightedAssignor()
    heavy, light = Member("A", ("T",), user_data=b"2"), Member("B", ("T",))
    transition = play(empty_group({"T": 3}), [Join(heavy), Join(light)], assignor)[-1]

    assert transition.rounds[0].group.members[1].user_data == b"1"
    assert assignor.load == {"A": 1.0, "B": 1.0}


@pytest.mark.parametrize("said", [b"0", b"-1", b"3.5", b"1001", b"12345", b"three", "²".encode(), b"\xff"])
def test_user_data_that_is_no_weight_is_refused(said: bytes) -> None:
    """Bytes of a stranger: named with its member."""
    with pytest.raises(GroupInvalid, match=r"Member A sends .* as its weight; a whole number from 1 to 1,000"):
        WeightedAssignor().assign(Group((Member("A", ("T",), user_data=said),), {"T": 1}))


@given(weights=st.lists(st.integers(1, 20), min_size=1, max_size=6), partitions=st.integers(0, 60))
def test_no_single_move_lowers_the_highest_load(weights: list[int], partitions: int) -> None:
    """With equal subscriptions: whoever would take one more is then at least as loaded as the fullest is now."""
    members = tuple(Member(f"m{i}", ("T",), user_data=b"%d" % weight) for i, weight in enumerate(weights))
    given_to = WeightedAssignor().assign(Group(members, {"T": partitions}))
    counts = [len(given_to[member.id]) for member in members]
    highest = max(count / weight for count, weight in zip(counts, weights, strict=True))

    assert sum(counts) == partitions
    assert all((count + 1) / weight >= highest for count, weight in zip(counts, weights, strict=True))
