"""Changing the replication factor: fewest copies, racks, load; who may be dropped; and what is refused."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Plan
from reseat.planning.kinds.replication_factor import change_replication_factor
from reseat.planning.solve import picking
from tests.cases import cases
from tests.planning.brute_force import newcomers_of, rack_names, rack_squares, random_layout, targets_of
from tests.planning.checking import check_replication_factor

#: Planned although nothing can be copied: what must not be dropped is kept there too.
KEPT = Options(keep_unmovable=True)
Key = tuple[str, int]


def lists_of(plan: Plan, topic: str = "t") -> list[list[int]]:
    """The proposed replica lists of a topic, by partition."""
    return [members for (name, _), members in plan.proposed.assignments().items() if name == topic]


# ---- up ------------------------------------------------------------------------------------------------------


def test_the_documented_topic_keeps_its_first_replicas() -> None:
    """tp_re_02 from one replica to two on brokers 0 and 1: each partition takes the other broker, appended."""
    layout = ClusterLayout.from_assignments({("tp_re_02", 0): [0], ("tp_re_02", 1): [0], ("tp_re_02", 2): [1]})

    plan = change_replication_factor(layout, ["tp_re_02"], 2)
    certificate = plan.certificate

    assert lists_of(plan, "tp_re_02") == [[0, 1], [0, 1], [1, 0]]
    assert (certificate.moves, certificate.least_moves, certificate.moves_proven) == (3, 3, True)
    assert certificate.changed_preferred_leaders == 0
    assert certificate.replica_balance_proven
    assert certificate.sentences[0] == "3 replicas are copied, the proven minimum (racks unknown)."


def test_a_hand_written_plan_that_changes_a_leader_without_need_is_told_apart() -> None:
    """The documented plan {0: [1, 0], ...} is valid, and its first partition's preferred leader changes."""
    layout = ClusterLayout.from_assignments({("tp_re_02", 0): [0], ("tp_re_02", 1): [0], ("tp_re_02", 2): [1]})
    by_hand = ClusterLayout.from_assignments(
        {("tp_re_02", 0): [1, 0], ("tp_re_02", 1): [0, 1], ("tp_re_02", 2): [1, 0]}
    )

    verdict = check_replication_factor(layout, by_hand, ["tp_re_02"], 2)

    assert verdict.valid
    assert verdict.changed_preferred_leaders == 1
    assert not verdict.changed_leaders_proven


def test_copies_go_to_free_racks_before_empty_brokers() -> None:
    """Broker 2 is empty but shares the rack; the fuller broker 3 in the other rack takes the copy."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1], ("u", 0): [3], ("u", 1): [3]},
        brokers=[Broker(1, rack="a"), Broker(2, rack="a"), Broker(3, rack="b")],
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert lists_of(plan) == [[1, 3]]
    assert plan.certificate.rack_balance_proven
    assert plan.certificate.rack_violations_after == 0


def test_other_topics_stay_and_count() -> None:
    """Copies go where the other topics left room; the other topics are untouched."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1], ("t", 1): [1], ("u", 0): [2, 1], ("u", 1): [2, 1]}, brokers=[Broker(i) for i in (1, 2, 3)]
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert lists_of(plan) == [[1, 3], [1, 3]]
    assert lists_of(plan, "u") == [[2, 1], [2, 1]]


def test_dead_brokers_receive_nothing() -> None:
    """The empty broker 2 is known to be dead; broker 3 takes the copies."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1], ("t", 1): [1]}, brokers=[Broker(2, state=BrokerState.DEAD), Broker(3)]
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert lists_of(plan) == [[1, 3], [1, 3]]


def test_a_cap_that_cannot_be_kept_is_refused() -> None:
    """Two copies must be made and only broker 2 is open: one is too few."""
    layout = ClusterLayout.from_assignments({("t", 0): [1], ("t", 1): [1]}, brokers=[Broker(2)])

    with pytest.raises(WishRefused, match="With at most 1 replica per broker"):
        change_replication_factor(layout, ["t"], 2, options=Options(receive_cap=1))


# ---- down ----------------------------------------------------------------------------------------------------


def test_what_goes_evens_the_load_and_moves_no_data() -> None:
    """Each partition drops one of its followers; the fuller brokers lose theirs."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("t", 1): [1, 2, 3], ("u", 0): [2, 4], ("u", 1): [2, 4]}
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert lists_of(plan) == [[1, 3], [1, 3]]
    assert plan.certificate.moves == 0
    assert plan.certificate.replica_balance_proven
    assert plan.certificate.sentences[0] == "2 replicas are dropped; no data moves for that."
    assert len(plan.moves) == 2
    assert plan.moves.target.tolist() == [-1, -1]


def test_what_goes_keeps_racks() -> None:
    """Of two replicas in rack a one goes, though broker 3 in rack b is fuller."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("u", 0): [3]},
        brokers=[Broker(1, rack="a"), Broker(2, rack="a"), Broker(3, rack="b")],
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert lists_of(plan) == [[1, 3]]
    assert plan.certificate.rack_balance_proven


def test_the_leader_stays_also_where_it_is_not_first() -> None:
    """Broker 3 leads: down to one replica, it is the one that stays; the preferred leader changes with that."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2, 3]}, leaders={("t", 0): 3})

    plan = change_replication_factor(layout, ["t"], 1)

    assert lists_of(plan) == [[3]]
    assert plan.proposed.leader_ids.tolist() == [3]
    assert plan.certificate.changed_preferred_leaders == 1


@pytest.mark.parametrize("leader", [None, "not told"])
def test_without_a_leader_the_first_replica_stays(leader: str | None) -> None:
    """Where none is told, or there is none, the first replica is kept."""
    leaders = {("t", 0): None} if leader is None else None
    layout = ClusterLayout.from_assignments({("t", 0): [2, 1, 3], ("u", 0): [2]}, leaders=leaders)

    plan = change_replication_factor(layout, ["t"], 1, options=KEPT)

    assert lists_of(plan) == [[2]]


def test_the_last_in_sync_copy_stays() -> None:
    """Nobody leads, and broker 3 alone is in sync: it stays beside the first replica."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("u", 0): [3]}, leaders={("t", 0): None}, in_sync={("t", 0): [3]}
    )

    plan = change_replication_factor(layout, ["t"], 2, options=KEPT)

    assert lists_of(plan) == [[1, 3]]
    with pytest.raises(WishRefused, match="t-0 cannot go down to 1 replica") as refused:
        change_replication_factor(layout, ["t"], 1, options=KEPT)
    assert refused.value.brokers == (1, 3)
    assert refused.value.choices


def test_one_of_several_in_sync_copies_stays() -> None:
    """Brokers 2 and 4 are in sync and load alone would drop both: the first of them stays, and it is said."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3, 4], ("u", 0): [2, 4], ("u", 1): [2, 4]},
        leaders={("t", 0): None},
        in_sync={("t", 0): [2, 4]},
    )

    plan = change_replication_factor(layout, ["t"], 2, options=KEPT)

    assert lists_of(plan) == [[1, 2]]
    assert [finding.kind for finding in plan.findings] == ["kept_in_sync"]
    assert not plan.certificate.replica_balance_proven


@pytest.mark.parametrize("partitions", [3, 9, 60])
def test_each_of_many_partitions_keeps_an_in_sync_copy(partitions: int) -> None:
    """What is out of sync would even out the load on broker 4: if not one partition keeps it, then another."""
    keys = [("t", one) for one in range(partitions)]
    layout = ClusterLayout.from_assignments(
        {key: [1, 2, 3, 4] for key in keys}, leaders=dict.fromkeys(keys), in_sync={key: [2, 3] for key in keys}
    )

    plan = change_replication_factor(layout, ["t"], 2, options=KEPT)

    assert not plan.certificate.faults
    assert {tuple(one) for one in lists_of(plan)} <= {(1, 2), (1, 3)}


def test_replicas_on_dead_brokers_go_first() -> None:
    """Keeping the one on broker 3, known to be dead, would look more even; it goes all the same."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("u", 0): [2], ("u", 1): [2]}, brokers=[Broker(3, state=BrokerState.DEAD)]
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert lists_of(plan) == [[1, 2]]
    assert [finding.kind for finding in plan.findings] == ["dead_first"]


def test_what_is_told_follows_the_replicas_that_stay() -> None:
    """ISR and sizes stand at the new places of the replicas that stay."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("u", 0): [2], ("u", 1): [2]},
        leaders={("t", 0): 1},
        in_sync={("t", 0): [1, 3]},
    )

    plan = change_replication_factor(layout, ["t"], 2)
    row = plan.proposed.row("t", 0)

    assert row is not None
    assert plan.proposed.replica_ids[row].tolist()[:2] == [1, 3]
    assert plan.proposed.in_sync is not None
    assert plan.proposed.in_sync[row].tolist()[:2] == [True, True]


# ---- both, nothing, refused ------------------------------------------------------------------------------------


def test_partitions_of_one_topic_may_grow_and_shrink() -> None:
    """A mixed topic ends with two replicas everywhere; what is dropped makes room for what is copied."""
    layout = ClusterLayout.from_assignments({("t", 0): [1], ("t", 4): [1, 2, 3], ("t", 9): [3, 2]})

    plan = change_replication_factor(layout, ["t"], 2)

    assert [len(members) for members in lists_of(plan)] == [2, 2, 2]
    assert plan.certificate.moves == plan.certificate.least_moves == 1
    assert plan.certificate.replica_sum_of_squares == 12
    assert plan.certificate.replica_balance_proven


def test_nothing_to_do_is_said() -> None:
    """A topic that has the factor already gives an empty plan."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]})

    plan = change_replication_factor(layout, ["t"], 2)

    assert plan.proposed == plan.current
    assert "nothing to do" in plan.certificate.sentences[0]


@pytest.mark.parametrize(
    ("topics", "factor", "words"),
    [
        (["t"], 0, "below 1"),
        (["t"], 4, "Replication factor 4 needs as many brokers, but only 3 brokers that can hold replicas are left"),
        (["t", "x"], 2, "Topic x is not in this layout"),
        ([], 2, "No topic is given"),
    ],
)
def test_wishes_that_cannot_be_are_refused(topics: list[str], factor: int, words: str) -> None:
    """Each with a sentence and choices."""
    layout = ClusterLayout.from_assignments({("t", 0): [1], ("t", 1): [2], ("u", 0): [3]})

    with pytest.raises(WishRefused, match=words) as refused:
        change_replication_factor(layout, topics, factor)

    assert refused.value.choices


def test_duplicates_and_an_order_that_is_not_told_are_refused() -> None:
    """Both with the topics concerned."""
    twice = ClusterLayout.from_assignments({("t", 0): [1, 1], ("u", 0): [2]})
    unordered = ClusterLayout.from_assignments({("t", 0): [1, 2]}, order_told=False)

    with pytest.raises(WishRefused, match="broker 1 twice"):
        change_replication_factor(twice, ["t"], 1)
    with pytest.raises(WishRefused) as refused:
        change_replication_factor(unordered, ["t"], 1)
    assert refused.value.topics == ("t",)


# ---- against everything that could be done ---------------------------------------------------------------------


def with_roles(layout: ClusterLayout, rng: np.random.Generator) -> ClusterLayout:
    """The layout with leaders and ISRs, told for some partitions."""
    lists = layout.assignments()
    leaders: dict[Key, int | None] = {}
    in_sync: dict[Key, list[int]] = {}
    for key, members in lists.items():
        if rng.random() < 0.6:
            leaders[key] = None if rng.random() < 0.3 else int(rng.choice(members))
        if rng.random() < 0.6:
            in_sync[key] = [m for m in members if rng.random() < 0.6]
    return ClusterLayout.from_assignments(lists, brokers=layout.brokers, leaders=leaders, in_sync=in_sync)


def options_of(layout: ClusterLayout, topics: set[str], factor: int) -> dict[Key, list[list[int]]]:
    """Every list that each partition concerned may end with."""
    leaders = dict(zip(layout.assignments(), layout.leader_ids.tolist(), strict=True))
    out: dict[Key, list[list[int]]] = {}
    for row, (key, members) in enumerate(layout.assignments().items()):
        if key[0] not in topics or len(members) == factor:
            continue
        if len(members) < factor:
            out[key] = [members + new for new in newcomers_of(layout, (), members, factor - len(members))]
            continue
        synced = set()
        if layout.in_sync is not None and layout.in_sync_known[row]:
            synced = {m for m, told in zip(members, layout.in_sync[row].tolist(), strict=False) if told}
        stays = {leaders[key] if leaders[key] in members else members[0]}
        out[key] = [
            list(kept)
            for kept in itertools.combinations(members, factor)
            if stays <= set(kept) and (not synced or synced & set(kept))
        ]
    return out


@pytest.mark.parametrize("at_once", [picking.GROUPS, 0])
@settings(max_examples=cases(150), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factor=st.integers(1, 4))
def test_no_choice_of_a_small_layout_is_better(at_once: int, seed: int, factor: int) -> None:
    """Up, down and both; racks of all kinds, dead brokers, leaders and ISR told or not: the best of all choices.

    Whether one flow holds all partitions or flows between brokers exchange picks.
    """
    rng = np.random.default_rng(seed)
    brokers = int(rng.integers(2, 7))
    layout = random_layout(rng, brokers=brokers, partitions=int(rng.integers(1, 6)), deepest=min(5, brokers))
    if seed % 3 == 0:  # loads that no partition concerned explains: a proof compares them, not how large they are
        everybody = layout.broker_ids.tolist()
        held = {("held", i): everybody for i in range(seed % 20)}
        layout = ClusterLayout.from_assignments({**layout.assignments(), **held}, brokers=layout.brokers)
    layout = with_roles(layout, rng)
    topics = {"a"} & set(layout.topics) or set(layout.topics)
    options = options_of(layout, topics, factor)
    if not all(options.values()):
        with pytest.raises(WishRefused):
            change_replication_factor(layout, topics, factor, options=KEPT)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picking, "GROUPS", at_once)
        plan = change_replication_factor(layout, topics, factor, options=KEPT)
    racks = rack_names(layout)
    live = targets_of(layout, ())
    dead = {b.id for b in layout.brokers} - set(live)
    before, after = layout.assignments(), plan.proposed.assignments()
    # Objectives in their order: racks, replicas on unavailable brokers, load. The first two are sums over partitions.
    outcomes = {(0, 0, *(sum(b in m for k, m in before.items() if k not in options) for b in live))}
    for lists in options.values():
        rows = {(rack_squares(m, racks), len(set(m) & dead), *(b in m for b in live)) for m in lists}
        least = min(row[:2] for row in rows)
        outcomes = {tuple(a + b for a, b in zip(o, r, strict=True)) for o in outcomes for r in rows if r[:2] == least}
    best = min((o[0], o[1], sum(c * c for c in o[2:])) for o in outcomes)
    held = Counter(b for members in after.values() for b in members)
    reached = (
        sum(rack_squares(after[k], racks) for k in options),
        sum(len(set(after[k]) & dead) for k in options),
        sum(held[b] ** 2 for b in live),
    )

    assert not plan.certificate.faults
    for key, members in after.items():
        if key not in options:
            assert members == before[key]
            continue
        assert sorted(members) in [sorted(option) for option in options[key]]
        shared = min(len(members), len(before[key]))
        assert members[:shared] == [m for m in before[key] if m in members][:shared]
    if any(finding.kind == "kept_in_sync" for finding in plan.findings):
        assert reached >= best
        assert reached == best or not plan.certificate.replica_balance_proven
    else:
        assert reached == best
        assert plan.certificate.replica_balance_proven
        assert plan.certificate.moves_proven


@pytest.mark.parametrize("at_once", [picking.GROUPS, 0])
def test_many_partitions_shrink_exactly(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand partitions from three replicas to two: the checker finds nothing better, however it was found."""
    monkeypatch.setattr(picking, "GROUPS", at_once)
    rng = np.random.default_rng(3)
    replicas = np.argsort(rng.random((2000, 24)) * (1 + np.arange(24) / 20), axis=1)[:, :3]
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=np.zeros(2000, np.int32),
        partition=np.arange(2000),
        replicas=replicas,
        brokers=[Broker(i, rack=f"r{i % 4}") for i in range(24)],
    )

    plan = change_replication_factor(layout, ["t"], 2)

    assert plan.certificate.rack_balance_proven
    assert plan.certificate.replica_balance_proven
    assert plan.certificate.moves == 0


def test_what_a_cap_costs_is_told() -> None:
    """Broker 3 is empty; with at most two copies a broker, broker 4, the fullest, takes the third one."""
    lists = {("a", i): [1] for i in range(3)} | {("b", i): [4] for i in range(4)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(3)])
    certificate = change_replication_factor(layout, ["a"], 2, options=Options(receive_cap=2)).certificate

    assert certificate.replica_balance_proven
    assert certificate.sentences[-1] == (
        "No broker receives more than 2 replicas; without this cap the replica spread would be 1 "
        "instead of 3 (the cap adds 4 to the sum of squares)."
    )
