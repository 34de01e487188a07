"""Topics as KRaft places them: told as that, with what was moved since, and nothing else taken for it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.model import Broker, ClusterLayout
from reseat.placement import FingerprintKind, JavaRandom, infer, place_kraft, place_striped
from reseat.placement.fingerprint.krafted import Cluster, Krafted, krafted
from tests.cases import cases

_VECTORS = Path(__file__).parents[1] / "conformance" / "vectors" / "kraft_placement.jsonl"
_Lists = Mapping[int, Sequence[int]]


def cluster(count: int, racks: int) -> list[Broker]:
    """Brokers 0, 2, 4, ... over so many racks; 0: none has one."""
    return [Broker(2 * i, f"r{i % racks}" if racks else None) for i in range(count)]


def placed(brokers: Sequence[Broker], sizes: Sequence[int], factor: int, seed: int) -> dict[int, list[int]]:
    """A topic, and partitions added to it again and again."""
    lists: dict[int, list[int]] = {}
    for number, more in enumerate(sizes):
        draws = JavaRandom(1_000 * seed + number)
        lists |= place_kraft(brokers, more, factor, draws=draws, first_partition=len(lists)).assignment()
    return lists


def explained(brokers: Sequence[Broker], lists: _Lists, factor: int) -> Krafted | None:
    """How KRaft may have placed them."""
    return krafted(Cluster(brokers), list(lists), [tuple(one) for one in lists.values()], factor)


def layout(brokers: Sequence[Broker], topics: Mapping[str, _Lists]) -> ClusterLayout:
    """Topics over a cluster."""
    lists = {(topic, p): list(ids) for topic, of in topics.items() for p, ids in of.items()}
    return ClusterLayout.from_assignments(lists, brokers=brokers)


@given(st.integers(2, 12), st.sampled_from([0, 2, 3, 4]), st.integers(1, 4), st.integers(1, 60), st.integers(0, 10**6))
@settings(max_examples=cases(300))
def test_all_that_kraft_places_is_explained(count: int, racks: int, factor: int, partitions: int, seed: int) -> None:
    """Over any brokers, in the first round and in those that are shuffled."""
    brokers, factor = cluster(count, racks), min(factor, count)
    found = explained(brokers, placed(brokers, [partitions], factor, seed), factor)

    assert (found is None) == (not Cluster(brokers).takes(factor))
    assert found is None or (found.left, found.added) == (0, ())


def test_what_kafka_itself_answered_is_explained() -> None:
    """Of all recorded answers of its placer without fenced and cordoned brokers."""
    tried = 0
    for line in _VECTORS.read_text().splitlines():
        case = json.loads(line)
        if "placements" not in case or any(broker["fenced"] or broker.get("cordoned") for broker in case["brokers"]):
            continue
        brokers = [Broker(broker["id"], broker["rack"]) for broker in case["brokers"]]
        if Cluster(brokers).takes(case["replication_factor"]):
            found = explained(brokers, dict(enumerate(case["placements"])), case["replication_factor"])
            assert found is not None, case["case_id"]
            assert found.left == 0, case["case_id"]
            tried += 1

    assert tried > 20


@pytest.mark.parametrize("racks", [0, 3])
@pytest.mark.parametrize("sizes", [(12, 9), (20, 5, 14), (4, 30)])
@pytest.mark.parametrize("seed", range(4))
def test_added_partitions_begin_with_a_round_of_their_own(racks: int, sizes: tuple[int, ...], seed: int) -> None:
    """Where they begin is told; what seems to go on by chance may take the list before along."""
    brokers = cluster(9, racks)
    lists = placed(brokers, sizes, 3, seed)
    found = explained(brokers, lists, 3)
    begins = [sum(sizes[:number]) for number in range(1, len(sizes))]

    assert found is not None
    assert found.left == 0
    assert len(found.added) == len(begins)
    assert all(abs(said - begin) <= 1 for said, begin in zip(found.added, begins, strict=True))


@pytest.mark.parametrize("racks", [0, 3])
def test_moved_partitions_are_named_with_where_they_were(racks: int) -> None:
    """In the first round and in a later one; the last might have been added, too."""
    brokers = cluster(9, racks)
    was = placed(brokers, [25], 3, 7)
    lists = was | {4: [was[4][1], was[4][0], was[4][2]], 15: was[16]}
    found = infer(layout(brokers, {"t": lists}))[0]

    assert (found.kind, found.moved) == (FingerprintKind.MOVED, (4, 15))
    assert found.replicas_off == 2 + 3
    assert found.placed(list(lists), 3) == list(was.values())
    assert found.sentence.startswith("2 partitions of 25 of t (4 and 15) were moved: 5 replicas differ from what KRaft")
    last = infer(layout(brokers, {"t": was | {24: was[23]}}))[0]
    assert "(24) was moved, or added later: " in last.sentence


def test_a_topic_of_several_rounds_was_not_moved() -> None:
    """Without racks the first round is that of draws; those of the second were "moved", on every KRaft cluster."""
    brokers = cluster(9, 0)
    found = infer(layout(brokers, {"t": placed(brokers, [12], 3, 1), "one": placed(brokers, [1], 3, 2)}))

    assert {one.topic: one.kind for one in found} == {"one": FingerprintKind.KRAFT, "t": FingerprintKind.KRAFT}
    assert all(one.striped and one.moved == () and one.fits == () for one in found)
    assert [one.sentence for one in found] == [
        "one is placed as KRaft does, over [0, 2, 4, 6, 8, 10, 12, 14, 16]. One partition proves little: any list of "
        "this shape matches.",
        "t is placed as KRaft does, over [0, 2, 4, 6, 8, 10, 12, 14, 16].",
    ]


def test_brokers_that_joined_later_took_no_part() -> None:
    """The brokers that the topic mentions."""
    brokers = cluster(12, 3)
    found = infer(layout(brokers, {"t": placed(brokers[:9], [24, 10], 3, 3)}))[0]

    assert found.kind is FingerprintKind.KRAFT
    assert "before brokers 18, 20 and 22 joined, rack by rack; partitions from 24 on (of 34) were added later" in (
        found.sentence
    )


def test_draws_go_before_kraft_where_topics_speak_for_them() -> None:
    """Of three brokers and as many replicas every other topic's laps are KRaft's rounds as well."""
    brokers = cluster(3, 0)
    striped = {
        f"t{start}{shift}": place_striped(brokers, 9, 3, start=start, shift=shift).assignment()
        for start in range(3)
        for shift in range(2)
    }
    by_hand = {p: [0, 2, 4][p % 3 :] + [0, 2, 4][: p % 3] for p in range(9)}
    kinds = {one.topic: one.kind for one in infer(layout(brokers, striped | {"by hand": by_hand}))}

    assert kinds.pop("by hand") is FingerprintKind.KRAFT
    assert set(kinds.values()) == {FingerprintKind.STRIPED}


def test_lists_at_random_are_not_of_kraft() -> None:
    """Also few and short ones."""
    rng = random.Random(3)
    brokers = cluster(12, 3)
    by_rack = [[broker.id for broker in brokers if broker.rack == f"r{rack}"] for rack in range(3)]
    topics = {
        f"t{n:03}": {p: [rng.choice(rack) for rack in rng.sample(by_rack, 3)] for p in range(1 + n % 9)}
        for n in range(200)
    }
    found = infer(layout(brokers, topics))

    assert sum(one.krafted is not None for one in found) <= 4
