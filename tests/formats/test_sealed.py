"""Plans that say what they were made for: hashes that notice every edit, layout hashes that see what matters."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused, LimitMet
from reseat.formats import Limits
from reseat.formats.documents.sealed import SealedPlan, inverse, layout_hash, read_sealed
from reseat.formats.documents.writers import write_reassignment, write_rollback
from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, Plan, Wish

RACKS = [Broker(1, "a"), Broker(2, "b"), Broker(3), Broker(4, "a")]
BEFORE = {("a", 10): [1, 2], ("a", 9): [2, 3], ("b", 0): [3, 1]}
AFTER = {("a", 10): [1, 4], ("a", 9): [4, 3], ("b", 0): [3, 1]}


def plan() -> Plan:
    """Broker 2 leaves: two of three partitions change."""
    return Plan(
        ClusterLayout.from_assignments(BEFORE, brokers=RACKS),
        ClusterLayout.from_assignments(AFTER, brokers=RACKS),
        Certificate(wish=Wish(remove=(2,)), moves=2, rack_violations_before=0, rack_violations_after=1),
    )


def changed(edit: Any, text: str = "") -> str:
    """The plan's text after an edit of its JSON."""
    document = json.loads(text or write_reassignment(plan()))
    edit(document)
    return json.dumps(document)


def test_a_plan_tells_what_it_was_made_for() -> None:
    """The lists from before, racks, who leaves, what was shown, and the layout's hash."""
    sealed = read_sealed(write_reassignment(plan()))

    assert sealed.proposed.assignments() == {("a", 9): [4, 3], ("a", 10): [1, 4]}
    assert sealed.before is not None
    assert sealed.before.assignments() == {("a", 9): [2, 3], ("a", 10): [1, 2]}
    assert sealed.before.brokers == sealed.proposed.brokers == tuple(RACKS)
    assert sealed.racks == {1: "a", 2: "b", 3: None, 4: "a"}
    assert sealed.leaving == (2,)
    assert sealed.layout_hash == layout_hash(plan().current)
    assert sealed.shown == {"moves": 2, "rack_violations_before": 0, "rack_violations_after": 1}
    assert sealed.told_hash == sealed.hash
    assert sealed.intact


def test_a_plan_without_the_key_has_a_hash_of_its_own() -> None:
    """Made by hand or by another tool: nothing is told of what it was made for."""
    sealed = read_sealed(write_reassignment(plan(), sealed=False))

    assert (sealed.before, sealed.racks, sealed.layout_hash, sealed.told_hash) == (None, None, None, None)
    assert sealed.intact
    assert sealed.hash != read_sealed(write_reassignment(plan())).hash


def test_white_space_and_order_are_no_part_of_the_hash() -> None:
    """Pretty printed, keys turned round, the same."""
    text = write_reassignment(plan())
    document = json.loads(text)
    turned = {
        "reseat": dict(reversed(document["reseat"].items())),
        "partitions": [dict(reversed(entry.items())) for entry in document["partitions"]],
        "version": 1,
    }

    assert read_sealed(json.dumps(turned, indent=3)).hash == read_sealed(text).hash
    assert read_sealed(json.dumps(turned, indent=3)).intact


def test_entries_and_their_lists_from_before_may_be_reordered_together() -> None:
    """They mean the same; turned round alone they belong to the wrong partitions, which the hash notices."""

    def both(document: Any) -> None:
        document["partitions"].reverse()
        document["reseat"]["before"].reverse()

    turned = read_sealed(changed(both))

    assert turned.intact
    assert turned.before is not None
    assert turned.before.assignments()[("a", 10)] == [1, 2]
    assert not read_sealed(changed(lambda document: document["partitions"].reverse())).intact


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document["partitions"][0].update(replicas=[3, 4]),
        lambda document: document["partitions"][0].update(topic="c"),
        lambda document: document["partitions"][0].update(partition=8),
        lambda document: document["partitions"][0].update(log_dirs=["any", "/data"]),
        lambda document: document["reseat"]["before"][0].append(1),
        lambda document: document["reseat"]["racks"].update({"1": "b"}),
        lambda document: document["reseat"]["racks"].update({"9": None}),
        lambda document: document["reseat"].update(leaving=[]),
        lambda document: document["reseat"].update(layout=None),
        lambda document: document["reseat"]["shown"].update(moves=1),
        lambda document: document["reseat"].update(comment="mine"),
    ],
)
def test_every_edit_is_noticed(edit: Any) -> None:
    """The hash stated is no longer that of the text."""
    sealed = read_sealed(changed(edit))

    assert not sealed.intact
    assert sealed.told_hash == read_sealed(write_reassignment(plan())).hash


def test_log_directories_left_to_the_broker_are_as_good_as_none() -> None:
    """``any`` throughout says nothing; a named one is part of the hash."""
    text = write_reassignment(plan())
    plain, anywhere = (
        read_sealed(text),
        read_sealed(text.replace('"replicas":', '"log_dirs":["any","any"],"replicas":')),
    )

    assert plain.hash == anywhere.hash
    assert anywhere.intact


def test_a_plan_of_a_layout_that_tells_log_directories_is_intact() -> None:
    """Its text names none, so its hash knows of none."""
    made = plan()
    told = np.zeros(made.proposed.replicas.shape, np.int32)
    sealed = read_sealed(
        write_reassignment(replace(made, proposed=replace(made.proposed, log_dir=told, log_dirs=("/data",))))
    )

    assert sealed.intact
    assert sealed.hash == read_sealed(write_reassignment(made)).hash


def test_the_rollback_is_made_for_the_layout_after_the_plan() -> None:
    """Its lists from before are what the plan proposes; directories that the present layout tells are in its hash."""
    told = replace(
        plan().current, log_dir=np.array([[0, 1], [1, -1], [0, 0]], np.int32), log_dirs=("/data/1", "/data/2")
    )
    for made in (plan(), replace(plan(), current=told)):
        back = read_sealed(write_rollback(made))

        assert back.intact
        assert back.before is not None
        assert back.before.assignments() == read_sealed(write_reassignment(made)).proposed.assignments()
        assert back.layout_hash == layout_hash(made.proposed)
        assert back.leaving == ()
        assert back.shown == {"moves": 2, "rack_violations_before": 1, "rack_violations_after": 0}


def test_the_inverse_of_a_plan_takes_it_back() -> None:
    """From what the plan tells; the inverse of the inverse proposes the plan again."""
    sealed = read_sealed(write_reassignment(plan()))
    back = read_sealed(inverse(sealed))
    again = read_sealed(inverse(back))

    assert back.intact
    assert back.proposed.assignments() == {("a", 9): [2, 3], ("a", 10): [1, 2]}
    assert back.shown == {"moves": 2, "rack_violations_before": 1, "rack_violations_after": 0}
    assert back.racks == sealed.racks
    assert again.proposed.assignments() == sealed.proposed.assignments()
    assert again.before is not None
    assert again.before.assignments() == back.proposed.assignments()


def test_the_inverse_from_a_reading_needs_no_key() -> None:
    """The lists of that reading, whole layout hash told; a partition that is gone is named."""
    by_hand = read_sealed(write_reassignment(plan(), sealed=False))
    back = read_sealed(inverse(by_hand, plan().current))

    assert back.intact
    assert back.proposed.assignments() == {("a", 9): [2, 3], ("a", 10): [1, 2]}
    assert back.layout_hash == layout_hash(plan().proposed)
    with pytest.raises(InputRefused, match="no key 'reseat'"):
        inverse(by_hand)
    with pytest.raises(InputRefused, match="2 partitions of the plan are not in the cluster: a-9 and a-10"):
        inverse(by_hand, plan().current.without_topics(["a"]))


def test_a_replication_factor_that_changes_is_taken_back_too() -> None:
    """Lists of other length, also beside a reading with a reassignment under way."""
    before = ClusterLayout.from_columns(
        topics=["a"], topic_of=[0, 0], partition=[0, 1], replicas=[[1, 2, 3], [2, 1, -1]], brokers=RACKS,
        adding=[[False, False, True], [False] * 3], removing=[[True, False, False], [False] * 3],
    )  # fmt: skip
    raised = read_sealed('{"version":1,"partitions":[{"topic":"a","partition":1,"replicas":[2,1,3,4]}]}')
    back = read_sealed(inverse(raised, before))

    assert back.proposed.assignments() == {("a", 1): [2, 1]}
    assert back.before is not None
    assert back.before.assignments() == {("a", 1): [2, 1, 3, 4]}
    assert back.shown == {"moves": 0}
    assert back.layout_hash == layout_hash(
        ClusterLayout.from_assignments({("a", 0): [2, 3], ("a", 1): [2, 1, 3, 4]}, brokers=RACKS)
    )


# ---- layout hashes ------------------------------------------------------------------------------------------


def test_a_layout_hash_sees_lists_brokers_and_racks() -> None:
    """Any of them changed is another hash."""
    layout = plan().current
    others = [
        plan().proposed,
        layout.with_racks({3: "c"}),
        layout.with_brokers([Broker(5)]),
        layout.without_topics(["b"]),
        ClusterLayout.from_assignments(BEFORE | {("a", 10): [2, 1]}, brokers=RACKS),
    ]

    assert len({layout_hash(layout), *map(layout_hash, others)}) == 6


def test_a_layout_hash_sees_nothing_else() -> None:
    """An ISR that shrinks, a leader that moves, a broker that is fenced, sizes and hosts: the plan holds."""
    layout = plan().current
    noisy = ClusterLayout.from_assignments(
        BEFORE,
        brokers=[replace(b, host="h", port=1, state=BrokerState.DEAD) for b in RACKS],
        leaders={("a", 9): 3, ("a", 10): None},
        in_sync={("a", 9): [3]},
        size_bytes={("a", 9): 5.0},
    )

    assert layout_hash(noisy) == layout_hash(layout)


def test_a_layout_hash_is_of_the_layout_once_all_is_done() -> None:
    """What a reassignment under way adds and removes counts as done; the width of the matrix does not count."""
    under_way = ClusterLayout.from_columns(
        topics=["a"], topic_of=[0], partition=[0], replicas=[[3, 1, 2]], adding=[[True, False, False]],
        removing=[[False, False, True]],
    )  # fmt: skip
    done = ClusterLayout.from_assignments({("a", 0): [3, 1]}, brokers=[Broker(2)])
    wide = ClusterLayout.from_assignments({("a", 0): [3, 1], ("b", 0): [1, 2, 3]}).without_topics(["b"])

    assert layout_hash(under_way) == layout_hash(done)
    assert layout_hash(wide) == layout_hash(done)


# ---- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        ("[1]", "not an object"),
        ('{"version":1,"partitions":[]}', "empty"),
        ('{"version":2,"partitions":[{"topic":"a","partition":0,"replicas":[1]}]}', "version 2"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[]}]}', "no replica"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[1,1]}]}', "one broker twice"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[-1]}]}', "The only entry of 'partitions'"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[1],"log_dirs":[]}]}', "a different length"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[1]},{"topic":"a","partition":0,"replicas":[1]}]}',
         "twice, equal"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[1]},{"topic":"a","partition":0,"replicas":[2]}]}',
         "twice, with differences"),
        ('{"partitions":[{"topic":"a","partition":0,"replicas":[1]},{"topic":"a","partition":1}]}', "not understood"),
        ("orders {0:[0,2],1:[1,0]}", "JSON"),
        ("\ud800", "UTF-8"),
    ],
)  # fmt: skip
def test_what_kafkas_tool_refuses_is_refused(text: str, words: str) -> None:
    """And a broker twice in one list, which its KRaft controller refuses later."""
    with pytest.raises(InputRefused, match=words):
        read_sealed(text)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda key: key.update(version=2), "its version is 2, and this Reseat understands 1"),
        (lambda key: key.pop("version"), "its version is none"),
        (lambda key: key.pop("before"), "lacks 'before'"),
        (lambda key: key.pop("hash"), "lacks 'hash'"),
        (lambda key: key.update(hash="x"), "hash"),
        (lambda key: key.update(layout="../../etc"), "layout"),
        (lambda key: key["before"].pop(), "'before' has 1 lists, and there are 2 partitions"),
        (lambda key: key["before"].append([1]), "'before' has more lists, and there are 2 partitions"),
        (lambda key: key.update(before=[1, 2]), "array"),
        (lambda key: key.update(before=[[1], ["2"]]), "int"),
        (lambda key: key.update(before=[[1], [-2]]), ">= 0"),
        (lambda key: key.update(before=[[1], []]), "empty or names a broker twice"),
        (lambda key: key.update(before=[[1], [2, 2]]), "empty or names a broker twice"),
        (lambda key: key.update(before={}), "not a list of lists"),
        (lambda key: key.update(before=[[[1]], [[2]]]), "int"),
        (lambda key: key["racks"].update({"01": "a"}), "not an id"),
        (lambda key: key["racks"].update({"9999999999": "a"}), "not an id"),
        (lambda key: key["racks"].update({"1": 3}), "str"),
        (lambda key: key.update(leaving=[-1]), ">= 0"),
        (lambda key: key.update(shown={str(i): i for i in range(200)}), "too many"),
        (lambda key: key.update(shown={"moves": [1]}), "shown"),
    ],
)
def test_a_key_that_does_not_fit_is_refused(edit: Any, words: str) -> None:
    """In one sentence that says what and what to do."""
    with pytest.raises(InputRefused, match=words) as refused:
        read_sealed(changed(lambda document: edit(document["reseat"])))
    assert "delete the key" in str(refused.value)


@pytest.mark.parametrize("key", ["null", "[]", '"x"', "1", '{"version":1,"before":' + "[" * 5_000 + "]" * 5_000 + "}"])
def test_a_key_that_is_no_object_is_refused(key: str) -> None:
    """Nor one that is nested without end."""
    with pytest.raises(InputRefused):
        read_sealed('{"partitions":[{"topic":"a","partition":0,"replicas":[1]}],"reseat":' + key + "}")


def test_hostile_lists_from_before_meet_the_limits() -> None:
    """One absurd list cannot eat the memory, a million of them are not even decoded."""
    with pytest.raises(LimitMet, match="In the lists from before: One partition has 1,500 replicas"):
        read_sealed(changed(lambda document: document["reseat"]["before"].__setitem__(0, list(range(1_500)))))
    with pytest.raises(InputRefused, match="more lists"):
        read_sealed(changed(lambda document: document["reseat"].update(before=[[1]] * 100_000)))
    with pytest.raises(LimitMet):
        read_sealed(write_reassignment(plan()), limits=Limits(megabytes=0))


def test_lists_from_before_are_read_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut between two lists, with or without white space."""
    monkeypatch.setattr("reseat.formats.documents.sealed_lists.PIECE", 4)
    text = write_reassignment(plan())

    assert read_sealed(text).intact
    assert read_sealed(json.dumps(json.loads(text), indent=1)).intact


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["a", 'q"', "ü\\", "b.c-1"]), st.integers(0, 2**31 - 1)),
        st.tuples(*[st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=4, unique=True)] * 2),
        min_size=1,
        max_size=8,
    ),
    st.dictionaries(st.integers(0, 2**31 - 1), st.one_of(st.none(), st.text(max_size=3, alphabet='aü"\\')), max_size=4),
)
def test_any_plan_is_sealed_and_read(
    lists: dict[tuple[str, int], tuple[list[int], list[int]]], racks: dict[int, str | None]
) -> None:
    """Intact, with the lists that it had, and taken back by its inverse."""
    brokers = [Broker(i, rack) for i, rack in racks.items()]
    current = ClusterLayout.from_assignments({key: before for key, (before, _) in lists.items()}, brokers=brokers)
    proposed = ClusterLayout.from_assignments({key: after for key, (_, after) in lists.items()}, brokers=brokers)
    everyone = {b.id: b for b in (*current.brokers, *proposed.brokers)}.values()
    made = Plan(current.with_brokers(everyone), proposed.with_brokers(everyone), Certificate(wish=Wish(), moves=0))
    moving = {key: pair for key, pair in lists.items() if pair[0] != pair[1]}
    if not moving:
        return
    sealed: SealedPlan = read_sealed(write_reassignment(made))
    back = read_sealed(inverse(sealed, made.current))

    assert sealed.intact
    assert sealed.before is not None
    assert sealed.before.assignments() == {key: before for key, (before, _) in moving.items()}
    assert sealed.proposed.assignments() == {key: after for key, (_, after) in moving.items()}
    assert back.intact
    assert back.proposed.assignments() == sealed.before.assignments()
    assert back.layout_hash == layout_hash(made.proposed) == read_sealed(write_rollback(made)).layout_hash
