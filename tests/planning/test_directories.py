"""Plans between the log directories of a broker: evened out by bytes, one emptied, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import WishRefused
from reseat.formats.documents.directory_moves import directory_moves, named_directories
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.writers import write_reassignment
from reseat.model import ClusterLayout, LogDirectory, Wish
from reseat.planning import plan
from reseat.planning.directories import balance_directories, choose_directories, drain_directory
from tests.cases import cases

GB = 1_000_000_000


def disks(held, *, broker=1, **told):
    """A layout of one broker whose directories hold replicas of these gigabytes, and what it tells of them."""
    flat = [(path, size) for path, sizes in held.items() for size in sizes]
    lists = {("t", number): [broker] for number in range(len(flat))}
    paths = sorted(held)
    layout = replace(
        ClusterLayout.from_assignments(lists, size_bytes={("t", n): size * GB for n, (_, size) in enumerate(flat)}),
        log_dir=np.array([[paths.index(path)] for path, _ in flat], np.int32).reshape(len(flat), 1),
        log_dirs=tuple(paths),
    )
    return layout, tuple(LogDirectory(broker, path, **told.get(path, {})) for path in paths)


def after(layout, plan):
    """Gigabytes by directory once the plan is carried out."""
    lies = {key: of[1] for key, of in named_directories(layout).items()}
    lies |= {(move.topic, move.partition): move.target for move in plan.moves}
    held = dict.fromkeys(layout.log_dirs, 0.0)
    for (topic, partition), path in lies.items():
        held[path] += float(layout.replica_bytes[layout.row(topic, partition), 0]) / GB
    return held


def test_the_largest_that_fits_goes_and_no_more():
    """5 of 10 go: both hold 5, and no fewer bytes would do."""
    layout, told = disks({"/a": [5, 4, 1], "/b": []})
    plan = balance_directories(layout, told)

    assert after(layout, plan) == {"/a": 5, "/b": 5}
    assert [(move.bytes, move.before, move.target) for move in plan.moves] == [(5 * GB, "/a", "/b")]
    assert plan.sentences == (
        "1 replica moves, 5.0 GB.",
        "No fewer bytes reach this (proven).",
        "Broker 1: the fullest directory holds 5.0 GB, before 10.0 GB; the least possible.",
    )


def test_what_is_missing_to_the_best_is_stated():
    """3, 3 and 3 in two directories: one holds 6 in any case; 4.5 is what bytes alone would allow."""
    layout, told = disks({"/a": [3, 3, 3], "/b": []})
    plan = balance_directories(layout, told)

    assert sorted(after(layout, plan).values()) == [3, 6]
    assert plan.brokers[0].least_fullest == 4.5 * GB
    assert "at most 1.5 GB above the least possible" in plan.sentences[-1]


@pytest.mark.parametrize(
    "told",
    [{"error": "KAFKA_STORAGE_ERROR"}, {"cordoned": True}, {"total_bytes": 9 * GB, "usable_bytes": GB}],
    ids=["offline", "cordoned", "full"],
)
def test_nothing_moves_to_a_directory_that_takes_nothing(told):
    """Offline, cordoned or too full: the third one gets it all."""
    layout, dirs = disks({"/a": [5, 4], "/b": [], "/c": []}, **{"/b": told})
    plan = balance_directories(layout, dirs)

    assert {move.target for move in plan.moves} == {"/c"}


def test_a_directory_is_emptied():
    """Largest first, each to where least is held; exactly its own bytes move."""
    layout, told = disks({"/a": [4, 3, 2], "/b": [1], "/c": []})
    plan = drain_directory(layout, told, 1, "/a")

    assert after(layout, plan) == {"/a": 0, "/b": 4, "/c": 6} or after(layout, plan) == {"/a": 0, "/b": 6, "/c": 4}
    assert plan.bytes == 9 * GB
    assert "No fewer bytes reach this (proven)." in plan.sentences


@pytest.mark.parametrize("broker", [1, 2])
def test_an_empty_directory_is_said_to_be_empty(broker):
    """Also on a broker that holds nothing at all, which ended with an internal error."""
    layout, _ = disks({"/a": [], "/b": [1]})
    plan = drain_directory(layout, [LogDirectory(broker, path) for path in ("/a", "/b")], broker, "/a")

    assert (plan.moves, plan.sentences) == ((), (f"No replica moves: none is known to be in /a of broker {broker}.",))


def test_directories_that_are_nearly_even_are_not_said_to_be_the_best():
    """2 GB of 502 could go: less than is worth copying, and that is what is said."""
    layout, told = disks({"/a": [500, 2, 2], "/b": [500]})

    assert balance_directories(layout, told).sentences == (
        "No replica moves: directories of a broker differ by less than 2% of their mean, or no move that fits helps.",
    )


def test_directories_on_one_volume_share_its_room_when_balanced():
    """6 GB are left on the volume of /b and /c: one of the two goes there, not one to each."""
    layout, told = disks(
        {"/a": [5, 5, 5], "/b": [], "/c": []},
        **told_room(b=6, c=6),
    )

    assert len(balance_directories(layout, told).moves) == 1


@pytest.mark.parametrize(
    ("held", "told", "ask", "words"),
    [
        ({"/a": [1]}, {}, None, "No broker has two log directories"),
        ({"/a": [1], "/b": []}, {"/b": {"cordoned": True}}, "/a", "no other log directory that is online"),
        ({"/a": [1], "/b": []}, {}, "/x", "Broker 1 has no log directory /x."),
        ({"/a": [3], "/b": []}, {"/b": {"total_bytes": 9, "usable_bytes": 5}}, "/a", "have no room for t-0 (3.0 GB)"),
        (
            {"/a": [5, 5], "/b": [], "/c": []},
            {key: {"total_bytes": 9 * GB, "usable_bytes": 6 * GB} for key in ("/b", "/c")},
            "/a",
            "have no room for t-1 (5.0 GB)",
        ),
    ],
)
def test_what_cannot_be_is_refused(held, told, ask, words):
    """With the directory, the broker or the replica that is in the way."""
    layout, dirs = disks(held, **told)

    with pytest.raises(WishRefused) as refusal:
        balance_directories(layout, dirs) if ask is None else drain_directory(layout, dirs, 1, ask)
    assert words in str(refusal.value)


def test_the_plan_is_a_text_that_moves_just_that_and_goes_back():
    """Lists as they are, any for what stays; the rollback names where it was."""
    layout, told = disks({"/a": [5, 4, 1], "/b": []})
    plan = balance_directories(layout, told)
    there, back = read_sealed(plan.text()), read_sealed(plan.text(back=True))

    assert there.intact
    assert [(m.partition, m.before, m.target) for m in directory_moves(there.proposed, layout)] == [(0, "/a", "/b")]
    assert directory_moves(back.proposed, layout) == ()
    assert json.loads(plan.text())["partitions"] == [
        {"topic": "t", "partition": 0, "replicas": [1], "log_dirs": ["/b"]}
    ]


@settings(max_examples=cases(200), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 9)), min_size=1, max_size=7))
def test_no_bound_is_beaten_by_any_other_way(replicas):
    """Of all ways to lay a few replicas: none has a fuller least, and none that is as even moves fewer than stated."""
    layout, told = disks({f"/{d}": [size for at, size in replicas if at == d] for d in "abc"})
    plan = balance_directories(layout, told)
    if not plan.moves:
        return
    (broker,) = plan.brokers
    sizes = [(f"/{at}", size) for d in "abc" for at, size in replicas if at == d]
    best, least_moved = [], []
    for ways in product(["/a", "/b", "/c"], repeat=len(sizes)):
        held = dict.fromkeys(["/a", "/b", "/c"], 0)
        for to, (_, size) in zip(ways, sizes, strict=True):
            held[to] += size
        best.append(max(held.values()))
        if max(held.values()) * GB <= max(broker.after.values()):
            least_moved.append(sum(size for to, (at, size) in zip(ways, sizes, strict=True) if to != at))

    assert broker.least_fullest <= min(best) * GB + 1
    assert max(broker.after.values()) <= max(broker.before.values())
    assert broker.least_moved <= min(least_moved) * GB <= plan.bytes


def drained(sizes, told):
    """A plan that drains broker 1 of these gigabytes onto broker 2, and what broker 2 tells of its directories."""
    layout = replace(
        ClusterLayout.from_assignments(
            {("t", n): [1] for n in range(len(sizes))} | {("u", 0): [2]},
            size_bytes={("t", n): size * GB for n, size in enumerate(sizes)} | {("u", 0): GB},
        ),
        log_dir=np.zeros((len(sizes) + 1, 1), np.int32),
        log_dirs=("/a",),
    )
    return plan(layout, Wish(remove=(1,))), tuple(LogDirectory(2, path, **of) for path, of in told.items())


def told_room(**gigabytes):
    """Directories of 100 GB with these gigabytes left."""
    return {f"/{name}": {"total_bytes": 100 * GB, "usable_bytes": left * GB} for name, left in gigabytes.items()}


def test_new_replicas_go_where_most_is_left_the_largest_first():
    """8 into /b of 20, 7 into /b of 12, 5 into /a of 10; the plan's text names them, and says so in its seal."""
    made, told = drained([5, 8, 7], told_room(a=10, b=20))
    chosen = choose_directories(made, told)
    sealed = read_sealed(write_reassignment(made, chosen=chosen))

    assert {key[1]: of for key, of in chosen.items()} == {0: {2: "/a"}, 1: {2: "/b"}, 2: {2: "/b"}}
    assert named_directories(sealed.proposed) == chosen
    assert sealed.intact


def test_directories_on_one_volume_share_its_room_and_closed_ones_take_nothing():
    """/a and /b tell the same; /c is cordoned, /d offline. A replica that fits nowhere is named."""
    closed = {"/c": {"usable_bytes": 99 * GB, "cordoned": True}}
    made, told = drained([6, 3], told_room(a=9, b=9) | closed)

    assert {path for of in choose_directories(made, told).values() for path in of.values()} <= {"/a", "/b"}
    with pytest.raises(WishRefused, match=r"No log directory of broker 2 .* has room for t-0 \(5.0 GB\)"):
        choose_directories(*drained([5, 6], told_room(a=9, b=9) | closed))


def test_without_room_told_each_goes_where_least_is_held():
    """/a holds 1 GB already."""
    chosen = choose_directories(*drained([5, 2, 2], {"/a": {}, "/b": {}}))

    assert {key[1]: of[2] for key, of in chosen.items()} == {0: "/b", 1: "/a", 2: "/a"}


def test_a_broker_that_tells_no_directory_is_named():
    """Nothing is chosen half-informed."""
    made, _ = drained([5], {})
    bare = replace(made, current=replace(made.current, log_dir=None, log_dirs=()))

    with pytest.raises(WishRefused, match="log directories of broker 2 are unknown"):
        choose_directories(bare, ())
    with pytest.raises(WishRefused, match="log directories of brokers 7 and 8 are unknown"):
        balance_directories(*disks({"/a": [1]}), brokers=(7, 8))
    layout, told = disks({"/a": [1]})
    with pytest.raises(WishRefused, match="replicas on broker 1 are unknown"):
        balance_directories(replace(layout, size_bytes=None), told)
