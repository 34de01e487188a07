"""Topics on their way to another cluster: both sides, the target afterwards, limits, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import PlacementRefused, WishRefused
from reseat.formats import read
from reseat.migration import MigrationRequest, Placing, TargetLimits, migrate
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory
from reseat.placement import JavaRandom, place_added, place_kraft

GB = 10**9
SOURCE = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("orders", 2): [3, 1], ("audit", 0): [1],
     ("__consumer_offsets", 0): [1], ("_schemas", 0): [2], ("connect-offsets.internal", 0): [3]},
    brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, "c")],
    size_bytes={("orders", 0): 3 * GB, ("orders", 1): 2 * GB, ("orders", 2): GB, ("audit", 0): GB},
)  # fmt: skip
#: Broker 13 is fuller than the others.
TARGET = ClusterLayout.from_assignments(
    {("old", partition): [13, 11 + partition % 2] for partition in range(4)},
    brokers=[Broker(11, "x"), Broker(12, "y"), Broker(13, "x"), Broker(14, "y", state=BrokerState.DEAD)],
)


def lists(made, topic):
    """The lists of a topic that is made."""
    return made.after.made[topic]


def test_what_mirror_maker_leaves_out_stays_and_is_said():
    """Kafka's own and Connect's are silent; what a platform may need is named."""
    made = migrate(SOURCE, TARGET, MigrationRequest())

    assert [move.name for move in made.topics] == ["audit", "orders"]
    assert "Not moved unless they are named: _schemas." in made.notes[-1]
    assert made.sentence == "2 topics with 4 partitions and 7.0 GB can move to the target, in 2 waves."


def test_tiered_topics_that_move_are_named_and_no_others():
    """What lies in remote storage of audit is copied too; orders is not tiered, and gone is not in the source."""
    said = [one for one in migrate(SOURCE, TARGET, MigrationRequest(), ("audit", "gone")).caveats if "tiered" in one]

    assert said == ["1 topic is tiered (audit): what is in remote storage is copied, too, and not counted here."]
    assert not any("tiered" in one for one in migrate(SOURCE, TARGET, MigrationRequest()).caveats)


@pytest.mark.parametrize(("left", "said"), [(6, False), (5, True)])
def test_disks_of_the_target_without_room_are_said(left, said):
    """One of three brokers may get replicas, and orders brings it 6 GB; what its directories have left was read."""
    told = tuple(LogDirectory(broker, "/a", 100 * GB, left * GB) for broker in (11, 12))
    target = ClusterLayout.from_assignments({}, brokers=[Broker(11), Broker(12, state=BrokerState.DEAD)])
    made = migrate(SOURCE, target, MigrationRequest(topics=("orders",)), directories=told)

    lack = f"The target lacks disk space: broker 11 has {left}.0 GB left and would get 6.0 GB."
    assert (lack in made.notes) is said
    assert made.sentence.startswith("1 topic with 3 partitions and 6.0 GB ")
    assert made.sentence.endswith("needs more disk space than the target has." if said else "in 1 wave.")


def test_a_side_tells_whether_the_racks_of_all_its_brokers_are_known():
    """Of the target's brokers one has none."""
    target = ClusterLayout.from_assignments({}, brokers=[Broker(11, "x"), Broker(12), Broker(13, "x")])
    made = migrate(SOURCE, target, MigrationRequest())

    assert (made.source.racks_told, made.target.racks_told) == (True, False)


def test_balanced_fills_the_emptier_brokers_and_nothing_else_moves():
    """Broker 13 holds four replicas already and gets one, the dead broker gets none; what is there stays."""
    made = migrate(SOURCE, TARGET, MigrationRequest())

    assert [(load.broker, load.before, load.after) for load in made.after.loads] == [
        (11, 2, 5), (12, 2, 5), (13, 4, 5), (14, 0, 0),
    ]  # fmt: skip
    assert made.after.layout.without_topics(("orders", "audit")).assignments() == TARGET.assignments()
    assert made.after.racks == {"audit": 1, "old": 1, "orders": 2}
    assert [proof.partition(":")[0] for proof in made.after.proofs] == ["Rack diversity", "Replica spread 0"]
    assert [move.lacking for move in made.topics] == [0, 0]


def test_a_topic_of_which_no_partition_is_told_is_left_out_and_refused_where_it_is_named():
    """Its heading alone was read; whether the target has it already or not."""
    source = read(
        "Topic: torn PartitionCount: 2 ReplicationFactor: 1 Configs: \n"
        "Topic: whole Partition: 0 Leader: 1 Replicas: 1 Isr: 1\n"
    ).layout
    known = ClusterLayout.from_assignments({("torn", 0): [11]}, brokers=TARGET.brokers)

    for target in (TARGET, known):
        made = migrate(source, target, MigrationRequest())
        assert [move.name for move in made.topics] == ["whole"]
        assert made.notes[0].startswith("The source is incomplete: 2 partitions are missing (torn 0 and 1).")
        assert not any("unless they are named" in note for note in made.notes)
        assert [move.name for move in migrate(source, target, MigrationRequest(topics=("*",))).topics] == ["whole"]
        with pytest.raises(WishRefused, match="No partition of topic torn is known"):
            migrate(source, target, MigrationRequest(topics=("torn", "whole")))


def test_without_racks_the_balance_is_the_least_possible():
    """Of eight replicas and seven new ones each broker that is up has five."""
    bare = TARGET.with_racks(dict.fromkeys((11, 12, 13, 14)))

    made = migrate(SOURCE, bare, MigrationRequest())

    assert [load.after for load in made.after.loads] == [5, 5, 5, 0]


def test_kafkas_rules_give_what_the_controller_gives_for_the_same_draws():
    """One source of draws for all topics, in the order of their names."""
    made = migrate(SOURCE, TARGET, MigrationRequest(placing=Placing.KAFKA, seed=7))
    draws = JavaRandom(7)
    up = [broker for broker in TARGET.brokers if broker.id != 14]
    audit = place_kraft(up, 1, 1, draws=draws)
    orders = place_kraft(up, 3, 2, draws=draws)

    assert lists(made, "audit") == audit.assignment()
    assert lists(made, "orders") == orders.assignment()
    assert "one of many draws" in made.notes[-1]


@pytest.mark.parametrize(("version", "kraft"), [("2.8", True), ("3.6", False), ("3.6", True), ("4.1", False)])
def test_partitions_that_a_topic_lacks_are_placed_as_its_controller_would(version, kraft):
    """With as many replicas as partition 0 has, whatever the others; ZooKeeper's goes on from its list, KRaft draws."""
    there = {0: [12, 11], 1: [11]}
    target = ClusterLayout.from_assignments(
        {("orders", at): ids for at, ids in there.items()}, brokers=[Broker(one) for one in (11, 12, 13)]
    )
    asked = MigrationRequest(topics=("orders",), placing=Placing.KAFKA, version=version, kraft=kraft, seed=7)
    if version == "2.8" or (version == "3.6" and not kraft):
        (added,) = place_added(target.brokers, there, 3).replicas.tolist()
    else:
        added = place_kraft(target.brokers, 1, 2, draws=JavaRandom(7)).assignment()[0]

    assert lists(migrate(SOURCE, target, asked), "orders") == there | {2: added}


def test_a_broker_with_the_id_0_gets_replicas_as_others_do():
    """Of three on three."""
    target = ClusterLayout.from_assignments({}, brokers=[Broker(one) for one in (0, 1, 2)])
    made = migrate(SOURCE, target, MigrationRequest(topics=("audit",), replication_factor=3))

    assert sorted(lists(made, "audit")[0]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (TargetLimits(replicas=4), "7 new replicas are too many: brokers that may hold 4 each have room for 4 more."),
        (TargetLimits(partitions=5), "The target would have 8 partitions; its limit is 5."),
        (TargetLimits(bytes=2 * GB), "The limit on bytes cannot be kept: the size of a partition is unknown."),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_created(limits, said):
    """The commands would make what may not be."""
    made = migrate(SOURCE, TARGET, MigrationRequest(limits=limits))

    assert made.after.faults[0] == said
    assert said in made.sentence
    assert made.commands == ()


def test_limits_are_kept_where_they_can_be():
    """Five on each at most: Kafka's draws put seven on one broker, the balance does not."""
    bare = TARGET.with_racks(dict.fromkeys((11, 12, 13, 14)))
    limits = TargetLimits(replicas=5)

    balanced = migrate(SOURCE, bare, MigrationRequest(limits=limits))
    kafka = [
        migrate(SOURCE, bare, MigrationRequest(limits=limits, placing=Placing.KAFKA, seed=seed)) for seed in range(20)
    ]

    assert max(load.after for load in balanced.after.loads) <= 5
    assert not balanced.after.faults
    assert any("would be over a limit" in made.sentence for made in kafka)
    assert all(bool(made.commands) == (not any(load.over for load in made.after.loads)) for made in kafka)


def test_bytes_are_kept_under_a_limit_where_sizes_are_known():
    """7 GB in 13 GB of replicas on three empty brokers: 5 GB each are enough."""
    empty = ClusterLayout.from_assignments({}, brokers=[Broker(one) for one in (11, 12, 13)])

    made = migrate(SOURCE, empty, MigrationRequest(limits=TargetLimits(bytes=5 * GB)))
    tight = migrate(SOURCE, empty, MigrationRequest(limits=TargetLimits(bytes=4 * GB)))

    assert sum(load.bytes for load in made.after.loads) == 13 * GB
    assert max(load.bytes for load in made.after.loads) <= 5 * GB
    assert "13.0 GB is too much: brokers that may hold 4.0 GB each have room for 12.0 GB more." in tight.sentence


@pytest.mark.parametrize(
    ("held", "most", "faults"),
    [
        ({}, 3, ()),
        ({("old", 0): [11]}, 4, ()),
        (
            {("old", 0): [11]},
            3.5,
            ("3.0 GB is too much: brokers that may hold 3.5 GB each have room for 2.5 GB more.",),
        ),
    ],
)
def test_bytes_fit_to_the_last_one(held, most, faults):
    """A topic of 3 GB on the one broker, beside what it holds."""
    source = ClusterLayout.from_assignments({("a", 0): [1]}, size_bytes={("a", 0): 3 * GB})
    target = ClusterLayout.from_assignments(held, brokers=[Broker(11)], size_bytes=dict.fromkeys(held, GB) or None)

    made = migrate(source, target, MigrationRequest(limits=TargetLimits(bytes=int(most * GB))))

    assert made.after.faults == faults
    assert [load.newly_over for load in made.after.loads] == [bool(faults)]


def test_a_broker_over_its_limit_of_bytes_has_no_room_and_is_no_fault():
    """Broker 11 holds 5 GB already, 12 takes 3 GB and not a byte more."""
    target = ClusterLayout.from_assignments(
        {("old", 0): [11]}, brokers=[Broker(11), Broker(12)], size_bytes={("old", 0): 5 * GB}
    )
    made, more = (
        migrate(
            ClusterLayout.from_assignments({("a", 0): [1]}, size_bytes={("a", 0): bytes_}),
            target,
            MigrationRequest(limits=TargetLimits(bytes=3 * GB)),
        )
        for bytes_ in (3 * GB, 3 * GB + 1)
    )

    assert made.after.faults == ()
    assert [(load.broker, load.bytes, load.over, load.newly_over) for load in made.after.loads] == [
        (11, 5 * GB, ("bytes",), False), (12, 3 * GB, (), False),
    ]  # fmt: skip
    assert "is too much: brokers that may hold 3.0 GB each have room for 3.0 GB more." in more.after.faults[0]


def test_the_balance_keeps_a_limit_on_bytes_that_even_counts_would_not():
    """Two of 3 GB and two of 1 GB in turn: two replicas on each of two brokers, and never 6 GB on one."""
    sizes = {("a", at): size * GB for at, size in enumerate((3, 1, 3, 1))}
    source = ClusterLayout.from_assignments({key: [1] for key in sizes}, size_bytes=sizes)
    target = ClusterLayout.from_assignments({}, brokers=[Broker(11), Broker(12)])

    for seed in range(8):
        after = migrate(source, target, MigrationRequest(limits=TargetLimits(bytes=4 * GB), seed=seed)).after
        assert after.faults == ()
        assert [load.bytes for load in after.loads] == [4 * GB, 4 * GB]


def test_what_a_topic_holds_in_the_target_counts_as_what_is_copied_into_it_at_least():
    """audit-0 is to be 1 GB there, audit-1 is not in the source; a size on the first broker is not told."""
    sizes = {("audit", 0): GB // 2, ("audit", 1): 3 * GB}
    target = ClusterLayout.from_assignments(
        {("audit", 0): [11], ("audit", 1): [12]}, brokers=[Broker(11), Broker(12)], size_bytes=sizes
    )
    untold = ClusterLayout.from_assignments(
        {("old", 0): [11], ("old", 1): [12]}, brokers=[Broker(11), Broker(12)], size_bytes={("old", 1): GB}
    )
    asked = MigrationRequest(topics=("audit",), limits=TargetLimits(bytes=9 * GB))

    tight = replace(asked, limits=TargetLimits(bytes=int(0.6 * GB)))
    bare = ClusterLayout.from_assignments({("audit", 0): [11]}, brokers=[Broker(11), Broker(12)])

    assert [load.bytes for load in migrate(SOURCE, target, asked).after.loads] == [GB, 3 * GB]
    assert migrate(SOURCE, bare, tight).after.faults == ("1 broker would be over a limit: 11.",)
    assert migrate(SOURCE, untold, asked).after.faults == (
        "The limit on bytes cannot be kept: the size of a partition is unknown.",
    )


def test_a_second_fault_is_a_note():
    """The first one is in the sentence."""
    made = migrate(SOURCE, TARGET, MigrationRequest(limits=TargetLimits(partitions=5, replicas=4)))

    assert made.after.faults[0] in made.sentence
    assert made.notes[0] == made.after.faults[1]


def test_a_broker_over_its_limit_that_gets_nothing_is_no_fault():
    """It is said."""
    wide = ClusterLayout.from_assignments(
        {("old", partition): [11] for partition in range(9)}, brokers=[Broker(one) for one in (11, 12, 13)]
    )

    made = migrate(SOURCE, wide, MigrationRequest(limits=TargetLimits(replicas=6)))

    assert not made.after.faults
    assert "Broker 11 holds more than a limit allows already" in " ".join(made.notes)


def test_a_target_over_its_limit_of_partitions_that_gets_none_is_no_fault():
    """All are there already; one that is lacking is too many."""
    there = ClusterLayout.from_assignments({("orders", at): [11] for at in range(3)}, brokers=TARGET.brokers)
    limits = TargetLimits(partitions=2)

    whole = migrate(SOURCE, there, MigrationRequest(topics=("orders",), limits=limits))
    assert not any("partitions in the target" in note for note in whole.notes)
    more = migrate(SOURCE, there, MigrationRequest(limits=limits))

    assert not whole.after.faults
    assert more.after.faults == ("The target would have 4 partitions; its limit is 2.",)


def test_topics_on_both_sides_are_compared():
    """Fewer partitions are added, more are said; replicas that get fewer, too."""
    target = ClusterLayout.from_assignments(
        {("orders", 0): [11], ("audit", 0): [11], ("audit", 1): [12]}, brokers=[Broker(11), Broker(12)]
    )

    made = migrate(SOURCE, target, MigrationRequest())
    said = " ".join(made.notes)

    assert {move.name: (move.there, move.lacking) for move in made.topics} == {"audit": (2, 0), "orders": (1, 2)}
    assert sorted(lists(made, "orders")) == [0, 1, 2]
    assert lists(made, "orders")[0] == [11]
    assert "audit" not in made.after.made
    assert "fewer partitions in the target: orders (1 instead of 3)" in said
    assert "more partitions in the target: audit (2 instead of 1)" in said
    assert "fewer replicas than in the source: orders (1 instead of 2)" in said
    assert "The source has 3 racks, the target tells none" in said
    assert any("What a topic holds in the target already stays" in caveat for caveat in made.caveats)


def test_fewer_racks_lists_that_are_too_short_and_a_side_that_is_not_whole_are_said():
    """Each with what it leads to: racks that are shared, writes that fail, topics that nobody told of."""
    strict = replace(SOURCE, min_in_sync=np.where(np.array(SOURCE.topics) == "orders", 2, -1).astype(np.int32))
    small = ClusterLayout.from_assignments({("orders", 0): [11]}, brokers=[Broker(11, "x"), Broker(12, "x")])
    small = replace(small, gaps=replace(small.gaps, missing_topics=("hidden",)))

    said = " ".join(migrate(strict, small, MigrationRequest()).notes)
    one_rack = ClusterLayout.from_assignments({("old", 0): [11, 12]}, brokers=[Broker(11, "x"), Broker(12, "x")])
    shared = " ".join(migrate(SOURCE, one_rack, MigrationRequest()).notes)
    calm = " ".join(migrate(SOURCE, TARGET, MigrationRequest()).notes)

    assert "The target has 1 rack, the source 3: replicas of a partition share a rack in 1 topic: orders." in shared
    assert "share a rack" not in said
    assert "orders would have fewer replicas than min.insync.replicas: writes with acks=all fail." in said
    assert "The target is incomplete: " in said
    both = " ".join(migrate(strict, TARGET, MigrationRequest(topics=("orders",))).notes)  # 2 replicas, of which 2
    assert not any(
        words in calm + both for words in ("min.insync.replicas", "is incomplete", "share a rack", "more partitions")
    )
    assert "unless they are named" not in both


def test_what_a_group_names_in_vain_is_said():
    """A slip splits a group: its topics would be cut over at different times."""
    groups = (("audit", "ordres", "pay-*"), ("orders", "pay-*"))
    said = migrate(SOURCE, TARGET, MigrationRequest(together=groups)).notes

    assert "No topic that moves matches ordres and pay-*, which were to move together with others." in said


def test_a_prefix_stands_before_every_name():
    """So that a topic of the same name in the target is another one."""
    made = migrate(SOURCE, TARGET, MigrationRequest(topics=("orders",), prefix="old"))

    assert made.topics[0].remote == "old.orders"
    assert "old.orders" in made.after.made
    assert "IdentityReplicationPolicy" not in made.properties(0)
    assert any("called old.TOPIC" in caveat for caveat in made.caveats)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (MigrationRequest(topics=("nope",)), WishRefused, "No topic matches nope."),
        (MigrationRequest(topics=("__consumer_offsets",)), WishRefused, "does not copy __consumer_offsets"),
        (MigrationRequest(topics=("connect*",)), WishRefused, "no topic that MirrorMaker 2 would copy"),
        (MigrationRequest(prefix="a b"), WishRefused, "cannot name the source"),
        (MigrationRequest(prefix="target"), WishRefused, "cannot name the source"),
        (MigrationRequest(prefix="x" * 100, topics=("orders",), version="nine"), PlacementRefused, "nine"),
        (MigrationRequest(together=(("nope", "orders"), ("zero",))), WishRefused, "matches zero"),
    ],
)
def test_what_cannot_be_is_refused(asked, error, said):
    """In a sentence that names it."""
    with pytest.raises(error, match=said):
        migrate(SOURCE, TARGET, asked)


def test_a_name_that_collides_in_the_target_is_refused():
    """In Kafka's words: metric names would be the same."""
    source = ClusterLayout.from_assignments({("a.b", 0): [1]})
    target = ClusterLayout.from_assignments({("a_b", 0): [1]})

    with pytest.raises(PlacementRefused, match=r"Topic 'a\.b' collides with existing topic: a_b"):
        migrate(source, target, MigrationRequest())


def test_a_target_where_nobody_may_receive_is_refused():
    """All are down or cordoned."""
    down = ClusterLayout.from_assignments(
        {}, brokers=[Broker(1, state=BrokerState.FENCED), Broker(2, state=BrokerState.CORDONED)]
    )

    with pytest.raises(WishRefused, match="No broker of the target may receive"):
        migrate(SOURCE, down, MigrationRequest())


def test_sizes_that_are_unknown_stay_unknown():
    """Of a topic with one such partition nothing is added up."""
    source = ClusterLayout.from_assignments(
        {("a", 0): [1], ("a", 1): [1], ("b", 0): [1]}, size_bytes={("a", 0): GB, ("b", 0): GB}
    )

    made = migrate(source, TARGET, MigrationRequest())

    assert [move.bytes for move in made.topics] == [None, GB]
    assert made.bytes is None
    assert "The size of 1 topic is unknown: a." in made.notes
    assert [(wave.topics, wave.bytes, wave.unknown) for wave in made.waves] == [(("b",), GB, 0), (("a",), 0.0, 1)]
    assert made.waves[1].seconds(1e6) is None
    assert made.waves[0].seconds(1e6) == GB / 1e6


def test_a_target_of_which_some_sizes_are_unknown_is_measured_without_a_warning():
    """Of old-1 nothing is known, and nothing of it is printed beside the answer."""
    target = ClusterLayout.from_assignments(
        {("old", 0): [11], ("old", 1): [12]}, brokers=[Broker(11), Broker(12)], size_bytes={("old", 0): GB}
    )

    assert migrate(SOURCE, target, MigrationRequest(topics=("audit",))).bytes == GB


def test_a_topic_that_holds_nothing_has_a_known_size():
    """0 bytes are told."""
    source = ClusterLayout.from_assignments({("a", 0): [1]}, size_bytes={("a", 0): 0})

    assert migrate(source, TARGET, MigrationRequest()).bytes == 0


def test_a_broker_of_the_target_that_is_in_no_isr_may_be_down_and_others_are_not_named():
    """Broker 12 is out of sync of all that it holds."""
    target = ClusterLayout.from_assignments(
        {("old", 0): [11, 12]}, brokers=[Broker(11), Broker(12)], in_sync={("old", 0): [11]}, leaders={("old", 0): 11}
    )
    (said,) = (note for note in migrate(SOURCE, target, MigrationRequest()).notes if "in no ISR" in note)

    assert said.startswith("Broker 12 is in no ISR")


def test_what_is_copied_is_the_largest_replica():
    """One that lags holds less."""
    source = ClusterLayout.from_columns(
        topics=("a",), topic_of=[0], partition=[0], replicas=[[1, 2]], size_bytes=np.array([[GB, math.nan]])
    )

    assert migrate(source, TARGET, MigrationRequest()).bytes == GB


def test_nothing_is_changed_of_what_was_given():
    """Both layouts are as they were."""
    before = SOURCE.digest, TARGET.digest

    migrate(SOURCE, TARGET, MigrationRequest())

    assert (SOURCE.digest, TARGET.digest) == before
