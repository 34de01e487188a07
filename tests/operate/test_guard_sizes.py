"""The guard: what a plan sends fits into throttled lists, requests and ZooKeeper's nodes."""

from __future__ import annotations

from reseat.operate.checks.check import CheckResult
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.checks.size import throttled_as_wholes
from reseat.operate.journal.records import MoveProgress, RunOptions
from reseat.operate.run.throttling import wanted
from reseat.operate.targets.target import Throttles
from tests.operate.guarding import judged, layout, request, sealed, snapshot

PASSED, FAILED = CheckResult.PASSED, CheckResult.FAILED


def wide(count, first=1000):
    """A topic of so many partitions on brokers with ids of four digits, and the racks of those."""
    ids = [first + i for i in range(4)]
    return {("wide", i): ids[:3] for i in range(count)}, dict(zip(ids, "abca", strict=True)), ids


def test_a_topic_that_is_throttled_as_a_whole_is_named():
    """1,200 partitions at RF 3 are 33,000 bytes of replicas; 1,000 are below what a string of Kafka takes."""
    for count, whole in ((1_200, True), (1_000, False)):
        lists, racks, ids = wide(count)
        now = layout(lists, racks=racks)
        plan = sealed({key: [ids[3], *ids[1:3]] for key in lists}, made_for=now, leaving=())
        said = judged("throttle_suits", request(plan, options=RunOptions(throttle=10**6)), snapshot(now)).sentence
        longest = wanted(
            [MoveProgress("wide", i, tuple(ids[:3]), (ids[3], *ids[1:3]), (), "waiting") for i in range(count)],
            1,
            Throttles({}, {}, {"wide": None}, {"wide": None}),
        )

        assert ("For 1 topic all replicas are throttled" in said) is whole
        assert (longest.leader_replicas["wide"] == "*") is whole


def test_a_list_of_throttled_replicas_may_be_as_long_as_kafkas_strings_and_no_longer():
    """30,000 characters, and one more, as ``wanted`` writes them: 20 and a comma of a partition with four digits."""
    before, after = (10_000, 2_000), (10_000, 300)
    for ids, length in (((100, 104), (1_000, 2_425)), 30_000), (((10_000, 10_007), (1_000, 2_421)), 30_001):
        moved = [("wide", i) for first, last in ids for i in range(first, last)]
        text = ",".join(f"{i}:{broker}" for _, i in moved for broker in before)
        assert len(text) == length
        whole = length > 30_000
        now = layout({key: list(before) for key in moved}, racks=dict.fromkeys((300, 2_000, 10_000)))
        plan = sealed({key: list(after) for key in moved}, made_for=now, leaving=())
        moves = [MoveProgress(topic, i, before, after, (), "waiting") for topic, i in moved]
        told = wanted(moves, 1, Throttles({}, {}, {"wide": None}, {"wide": None}))

        assert told.leader_replicas["wide"] == ("*" if whole else text)
        assert bool(throttled_as_wholes(PlanDiff.of(request(plan), snapshot(now)))) is whole


def test_a_topics_node_that_zookeeper_could_not_take_is_refused():
    """25,000 partitions fit as they are, not with all of them under way; on KRaft there is no node."""
    lists, racks, ids = wide(25_000)
    now = layout(lists, racks=racks)
    plan = sealed({key: [ids[3], *ids[1:3]] for key in lists}, made_for=now, leaving=())
    few = sealed({("wide", 0): [ids[3], *ids[1:3]]}, made_for=now, leaving=())

    found = judged("requests_fit", request(plan), snapshot(now))
    assert (found.result, found.overridable) == (FAILED, True)
    entries = [
        f'"{i}":[{",".join(map(str, lists))}],' for i in range(25_000) for lists in ([ids[:3], ids[3:], ids[:1]])
    ]
    most = sum(map(len, entries)) + 25_000 * len(
        f"{ids[3]},"
    )  # old lists with the new replica, and what comes and goes
    assert f"topic wide could have {most:,} while" in found.sentence
    assert "jute.maxbuffer" in found.sentence
    assert judged("requests_fit", request(few), snapshot(now)).result is PASSED
    assert judged("requests_fit", request(plan), snapshot(now, metadata="kraft")).result is PASSED
    larger, racks, ids = wide(70_000)
    now = layout(larger, racks=racks)
    raised = sealed({("wide", 0): [ids[3], *ids[1:3]]}, made_for=now, leaving=())
    assert judged("requests_fit", request(raised), snapshot(now)).result is PASSED  # it was raised already
