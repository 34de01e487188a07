"""The guard of elections and of new topics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from reseat.access import Person, command_line_person
from reseat.errors import WriteRefused
from reseat.model import BrokerState, LogDirectory
from reseat.model.snapshot import with_offline_dirs
from reseat.operate.checks.check import CheckResult
from reseat.operate.checks.guard import access_checks, check_election, check_topic, refuse_unless
from reseat.operate.losses import losses
from reseat.operate.request import ElectionRequest, TopicRequest
from reseat.operate.targets.target import Election
from reseat.sources.kafka_admin.log_ends import LogEnd
from tests.operate.guarding import CLUSTER, LISTS, layout, snapshot

WHO = {"confirmed": CLUSTER, "person": command_line_person("ada"), "enabled": True}
DEAD = BrokerState.DEAD
FAILED = CheckResult.FAILED


def election(**more):
    """A preferred election of everything, its preview shown on the layout as it is."""
    return ElectionRequest(**(WHO | {"election": Election.PREFERRED, "shown": layout()} | more))


def topic(**more):
    """A topic of two partitions on racks a and b."""
    return TopicRequest(**(WHO | {"topic": "fresh", "assignments": {0: (1, 2), 1: (2, 1)}} | more))


def results(checks):
    """Those that did not pass."""
    return {found.name: found.result for found in checks if found.result is not CheckResult.PASSED}


def test_an_election_of_everything_passes():
    """Nothing to say."""
    assert results(check_election(election(), snapshot())) == {}


def test_access_is_asked_of_everything():
    """Off, nobody and nowhere: the three fail for an election, a topic and a stop alike."""
    nobody = {"enabled": False, "person": Person(), "confirmed": ""}
    failed = {"writing_enabled", "person_allowed", "cluster_confirmed"}

    assert results(check_election(election(**nobody), snapshot())).keys() == failed
    assert results(check_topic(topic(**nobody), snapshot())).keys() == failed
    assert results(access_checks(topic(**nobody), snapshot())).keys() == failed
    with pytest.raises(WriteRefused, match="3 checks"):
        refuse_unless(check_topic(topic(**nobody), snapshot()), who="eve", cluster_id="C1")


def test_partitions_of_an_election_must_be_there():
    """A missing one is named, and so is an empty wish."""
    asked = election(partitions=(("orders", 0), ("orders", 9)))
    found = next(c for c in check_election(asked, snapshot()) if c.name == "partitions_exist")

    assert found.result is CheckResult.FAILED
    assert found.partitions == ("orders-9",)
    assert results(check_election(election(partitions=()), snapshot())) == {"partitions_exist": CheckResult.FAILED}


def test_lists_must_be_those_of_the_preview():
    """Another order is another preferred leader; partitions not asked for do not matter; no preview is not told."""
    changed = snapshot(layout(LISTS | {("pay", 7): [3, 2]}))

    assert results(check_election(election(), changed)) == {"layout_unchanged": CheckResult.FAILED}
    assert results(check_election(election(partitions=(("orders", 0),)), changed)) == {}
    assert results(check_election(election(shown=None), snapshot())) == {"layout_unchanged": CheckResult.NOT_TOLD}


def test_a_partition_that_the_preview_did_not_have_is_no_known_list():
    """orders-0 was made since."""
    before = layout({key: ids for key, ids in LISTS.items() if key != ("orders", 0)})
    found = next(c for c in check_election(election(shown=before), snapshot()) if c.name == "layout_unchanged")

    assert found.result is FAILED
    assert found.partitions == ("orders-0",)


#: pay-7 has its only in-sync copy on broker 3, which is dead: broker 2 would lead.
LOSING = layout(states={3: DEAD}, in_sync={("pay", 7): [3]}, leaders={("pay", 7): None})


def unclean(*partitions, **more):
    """An unclean election of these partitions, previewed on what is lost."""
    more = {"shown": LOSING, "accepts_loss": True} | more
    return election(election=Election.UNCLEAN, partitions=partitions or None, **more)


def test_an_unclean_election_is_held_for_named_partitions_alone():
    """For all of them: refused, also where nothing would be lost. Preferred: nothing to name."""
    assert results(check_election(unclean(), snapshot(LOSING))) == {"loss_named": CheckResult.FAILED}
    assert results(check_election(unclean(shown=layout()), snapshot())) == {"loss_named": CheckResult.FAILED}
    assert results(check_election(election(shown=LOSING), snapshot(LOSING))) == {}


def test_an_unclean_election_waits_until_its_loss_is_accepted():
    """What is lost is said partition by partition: who had the last in-sync copy, and who would lead."""
    asked = unclean(("pay", 7), ("orders", 0), accepts_loss=False)
    found = next(c for c in check_election(asked, snapshot(LOSING)) if c.name == "loss_accepted")

    assert results(check_election(asked, snapshot(LOSING))) == {"loss_accepted": CheckResult.FAILED}
    assert found.partitions == ("pay-7",)
    assert not found.overridable
    assert "pay-7: broker 2 would lead, which is not in sync; the last in-sync copy is on broker 3" in found.sentence
    assert results(check_election(unclean(("pay", 7)), snapshot(LOSING))) == {}


def test_a_loss_that_was_not_shown_is_not_accepted():
    """pay-7 had an in-sync copy alive when the preview was shown, or another broker would have led it."""
    healthy = layout(leaders={("pay", 7): None})
    other = layout(states={2: DEAD}, in_sync={("pay", 7): [2]}, leaders={("pay", 7): None})

    for shown in (healthy, other, None):
        asked = unclean(("pay", 7), shown=shown)
        failed = {name for name, came in results(check_election(asked, snapshot(LOSING))).items() if came is FAILED}
        assert failed == {"loss_accepted"}


def test_six_losses_are_told_and_the_rest_counted():
    """Each is a sentence or two."""
    keys = [("pay", number) for number in range(8)]
    now = layout(
        {key: [2, 3] for key in keys},
        states={3: DEAD},
        in_sync={key: [3] for key in keys},
        leaders=dict.fromkeys(keys),
    )
    for number, end in ((8, "And 2 more. This loss was accepted."), (6, "is unknown. This loss was accepted.")):
        found = check_election(unclean(*keys[:number], shown=now), snapshot(now))
        said = next(c for c in found if c.name == "loss_accepted").sentence

        assert said.startswith(f"{number} partitions may lose acknowledged records. pay-0: ")
        assert said.count("would lead") == 6
        assert said.endswith(end)


def test_an_eligible_replica_is_elected_without_loss_on_kraft_alone():
    """Broker 2 is in the ELR of pay-7 (KIP-966), which a controller of the ZooKeeper era does not keep."""
    eligible = np.zeros(LOSING.replicas.shape, np.bool_)
    eligible[LOSING.row("pay", 7), 0] = True
    now = dataclasses.replace(LOSING, eligible=eligible)

    for metadata, failed in (("kraft", {}), ("zookeeper", {"loss_accepted": FAILED})):
        asked = unclean(("pay", 7), shown=None)
        assert results(check_election(asked, snapshot(now, metadata=metadata))).items() >= failed.items()
        found = check_election(asked, snapshot(now, metadata=metadata))
        assert {c.name for c in found if c.result is FAILED} == set(failed)


def test_what_logs_tell_of_a_loss_is_said():
    """Broker 2's log ends at 480; broker 4 knows of 500 acknowledged: at least 20 are lost. Else it is not known."""
    lists = {("pay", 7): [2, 4, 3]}
    now = layout(lists, states={3: DEAD}, in_sync={("pay", 7): [3]}, leaders={("pay", 7): None})
    ends = {(("pay", 7), 2): LogEnd(480, 470), (("pay", 7), 4): LogEnd(510, 500)}

    (told,) = losses(now, [("pay", 7)], "kraft", ends)
    (silent,) = losses(now, [("pay", 7)], "kraft")
    (ahead,) = losses(now, [("pay", 7)], "kraft", {(("pay", 7), 2): LogEnd(480, 470)})

    assert (told.leader, told.last_in_sync, told.may_lose) == (2, (3,), True)
    assert (
        "The log of broker 2 ends at offset 480, and broker 4 knows a high watermark of 500: at least 20 ack"
        in told.sentence
    )
    assert "How much is lost is unknown" in silent.sentence
    assert "no living replica knows a high watermark above 470" in ahead.sentence


def test_nothing_is_lost_where_an_in_sync_copy_is_alive_or_somebody_leads():
    """One partition has a leader, another an in-sync replica that takes over, and one nobody alive at all."""
    now = layout(
        {("orders", 0): [1, 2], ("orders", 1): [3, 2], ("orders", 2): [3]},
        states={3: DEAD},
        leaders={("orders", 1): None, ("orders", 2): None},
        in_sync={("orders", 1): [2, 3]},
    )
    led, clean, dead = losses(now, [("orders", 0), ("orders", 1), ("orders", 2)], "kraft")

    assert [one.may_lose for one in (led, clean, dead)] == [False, False, False]
    assert "it has a leader" in led.sentence
    assert "broker 2, which is in sync, would lead" in clean.sentence
    assert "stays offline" in dead.sentence


def test_a_topic_on_live_brokers_in_different_racks_passes():
    """Nothing to say; nor where as many replicas must be in sync as there are."""
    assert results(check_topic(topic(), snapshot())) == {}
    assert results(check_topic(topic(configs={"min.insync.replicas": "2"}), snapshot())) == {}


def test_racks_and_min_isr_of_a_topic_are_the_persons_own_to_choose():
    """Both can be overridden."""
    poor = {"assignments": {0: (2, 3)}, "configs": {"min.insync.replicas": "3"}}
    over = frozenset({"racks_not_shared", "min_in_sync"})

    assert results(check_topic(topic(**poor, overrides=over), snapshot())) == dict.fromkeys(
        over, CheckResult.OVERRIDDEN
    )


@pytest.mark.parametrize(
    ("more", "name", "word"),
    [
        ({"topic": "a/b"}, "topic_new", "a/b"),
        ({"topic": "orders"}, "topic_new", "already exists"),
        ({"assignments": {}}, "partition_ids", "no partition"),
        ({"assignments": {-1: (1, 2)}}, "partition_ids", "below 0"),
        ({"assignments": {10: (1, 2), 21: (2, 1)}}, "partition_ids", "from 0 without gaps"),
        ({"assignments": {0: ()}}, "replicas_valid", "no replica: fresh-0"),
        ({"assignments": {0: (1, 1)}}, "replicas_valid", "a broker twice: fresh-0"),
        ({"assignments": {0: (1, 99)}}, "replicas_valid", "Broker 99 is not in the cluster"),
        ({"assignments": {0: (1, 2), 1: (1,)}}, "replicas_valid", "the same number of replicas"),
        ({"assignments": {0: (2, 3)}}, "racks_not_shared", "fresh-0"),
        ({"configs": {"min.insync.replicas": "3"}}, "min_in_sync", "is 3, and partitions have 2 replicas: before"),
    ],
)
def test_what_is_wrong_with_a_topic_is_named(more, name, word):
    """One check fails, with the words that matter."""
    found = [c for c in check_topic(topic(**more), snapshot()) if c.result is CheckResult.FAILED]

    assert [c.name for c in found] == [name]
    assert word in found[0].sentence


@pytest.mark.parametrize(
    ("own", "defaults", "result", "word"),
    [
        ({}, ["3", "3"], FAILED, "is 3 (the brokers' default), and partitions have 2 replicas: before"),
        ({}, ["2", "3"], FAILED, "is 3 (the brokers' default)"),  # of whoever leads
        ({}, ["2"], CheckResult.PASSED, "2 (the brokers' default) is met by 2 replicas"),
        ({"min.insync.replicas": "1"}, ["3"], CheckResult.PASSED, "min.insync.replicas 1 is met"),
        ({}, [], CheckResult.PASSED, "is the brokers' default"),
    ],
)
def test_a_topic_without_a_min_isr_has_that_of_the_brokers(own, defaults, result, word):
    """It was read with the cluster, and taken for one that is met."""
    told = {broker: {"min.insync.replicas": value} for broker, value in enumerate(defaults, 1)}
    found = next(c for c in check_topic(topic(configs=own), snapshot(broker_configs=told)) if c.name == "min_in_sync")

    assert (found.result, word in found.sentence) == (result, True), found.sentence


def test_names_that_collide_are_refused():
    """a.b and a_b would share their metrics."""
    now = snapshot(layout(LISTS | {("a_b", 0): [1, 2]}))

    assert results(check_topic(topic(topic="a.b"), now)) == {"topic_new": CheckResult.FAILED}


def test_ids_with_gaps_are_written_as_nodes_where_that_is_chosen():
    """ZooKeeper's nodes take them; a KRaft cluster has no such nodes."""
    asked = topic(assignments={10: (1, 2), 21: (2, 1)}, as_nodes=True)

    assert results(check_topic(asked, snapshot())) == {}
    assert results(check_topic(asked, snapshot(metadata="kraft"))) == {"partition_ids": CheckResult.FAILED}


def test_dead_brokers_of_a_topic_are_named():
    """One of two down can be overridden; a partition without any live broker cannot."""
    down = snapshot(layout(states={2: DEAD}))
    over = topic(overrides=frozenset({"targets_alive"}))
    dark = topic(assignments={0: (2, 1), 1: (2,)}, overrides=frozenset({"targets_alive", "replicas_valid"}))
    only = topic(assignments={0: (2,)}, overrides=frozenset({"targets_alive", "racks_not_shared"}))

    assert results(check_topic(topic(), down)) == {"targets_alive": CheckResult.FAILED}
    assert results(check_topic(over, down)) == {"targets_alive": CheckResult.OVERRIDDEN}
    assert results(check_topic(dark, down)) == {"replicas_valid": CheckResult.FAILED}
    assert results(check_topic(only, down)) == {"targets_alive": CheckResult.FAILED}


def test_a_topic_on_a_cordoned_broker_is_refused():
    """It is alive, and Kafka takes no list that names it; that cannot be overridden."""
    cordoned = snapshot(layout(states={2: BrokerState.CORDONED}))
    (found,) = [one for one in check_topic(topic(overrides=frozenset({"replicas_valid"})), cordoned) if one.stops]

    assert found.name == "replicas_valid"
    assert found.sentence == "Broker 2 is cordoned: Kafka refuses lists that name it."
    assert found.brokers == (2,)


def test_a_topic_on_a_broker_with_an_offline_log_directory_needs_an_override():
    """The broker is alive and Kafka would take the list; a disk of it has failed."""
    now = snapshot(with_offline_dirs(layout(), [LogDirectory(2, "/b", error="KAFKA_STORAGE_ERROR")]))
    (found,) = [one for one in check_topic(topic(), now) if one.stops]
    over = topic(overrides=frozenset({"targets_alive"}))

    assert found.sentence == "The topic would get replicas on broker 2. Offline: log directory /b of broker 2."
    assert found.brokers == (2,)
    assert results(check_topic(over, now)) == {"targets_alive": CheckResult.OVERRIDDEN}
