"""Plans beside a broker with an offline log directory: it gets no replica, counts in no balance, and leads on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.balance import measure
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory, Options, Plan, Wish
from reseat.model.rules import Onto
from reseat.model.snapshot import with_offline_dirs
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.planning.brute_force import random_layout
from tests.planning.test_cordoned import KINDS, of_kind


def failing(layout: ClusterLayout, *brokers: int) -> ClusterLayout:
    """The layout with all brokers alive, and a disk of these failed."""
    alive = layout.with_brokers(replace(b, state=BrokerState.ALIVE) for b in layout.brokers)
    return with_offline_dirs(alive, [LogDirectory(broker, "/b", error="KAFKA_STORAGE_ERROR") for broker in brokers])


def small(*lists: list[int], failed: tuple[int, ...]) -> ClusterLayout:
    """Topic ``t`` with these lists over brokers 1 to 4."""
    return failing(
        ClusterLayout.from_assignments(
            {("t", p): ids for p, ids in enumerate(lists)}, brokers=[Broker(i, f"r{i}") for i in (1, 2, 3, 4)]
        ),
        *failed,
    )


def planned(layout: ClusterLayout, wish: Wish) -> Plan | None:
    """The plan; None where there is no room for it."""
    try:
        return plan(layout, wish)
    except WishRefused:
        return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_a_plan_is_that_of_brokers_that_never_receive(kind: str, seed: int) -> None:
    """Of each kind: nothing comes to the broker, and lists and proofs are those where the rule closes it."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=6, partitions=int(rng.integers(3, 9)), dead=False)
    ids = layout.broker_ids.tolist()
    wish = of_kind(kind, layout)
    by_rule = replace(wish, options=replace(wish.options, never_onto=(ids[-1],)))
    made, ruled = planned(failing(layout, ids[-1]), wish), planned(failing(layout), by_rule)

    assert (made is None) == (ruled is None)
    if made is None or ruled is None:
        return
    assert made.proposed.assignments() == ruled.proposed.assignments()
    assert made.certificate.faults == ()
    assert made.certificate.replica_balance_proven == ruled.certificate.replica_balance_proven
    assert made.wish == wish
    assert ids[-1] not in made.moves.target.tolist()
    assert ("disk_failed" in {one.kind for one in made.certificate.cautions}) == bool(made.certificate.moves)


def test_it_is_said_which_directory_is_offline_and_when_the_way_back_waits() -> None:
    """In the cautions; a broker that is drained is not said to be left out, but takes nothing back either."""
    left_out = plan(small([1, 2], [1, 3], failed=(4,)), Wish(remove=(1,))).certificate.cautions
    drained = plan(small([4, 2], [1, 3], failed=(4,)), Wish(remove=(4,))).certificate.cautions

    assert [one.sentence for one in left_out] == [
        "Offline: log directory /b of broker 4. The broker receives nothing and is not counted in the balance."
    ]
    assert [one.sentence for one in drained] == [
        "The rollback moves 1 replica back to broker 4, which is without one of its log directories: it is refused "
        "until this broker is complete."
    ]


def test_a_change_that_has_such_brokers_alone_to_go_to_is_refused() -> None:
    """A drain, one that lacks brokers, a replacement and an addition name the disk."""
    layout = small([1, 2], failed=(3,))

    with pytest.raises(
        WishRefused, match=r"receives nothing \(3 and 4\): brokers 3 and 4 have an offline log directory"
    ):
        plan(small([1], failed=(3, 4)), Wish(remove=(1, 2)))
    with pytest.raises(WishRefused, match="Replace the failed disks of brokers 3 and 4 first"):
        plan(small([1, 2], failed=(3, 4)), Wish(remove=(1,)))
    with pytest.raises(WishRefused, match="a log directory of broker 3 is offline"):
        plan(layout, Wish(remove=(1,), replace=((1, 3),)))
    with pytest.raises(WishRefused, match="A log directory of broker 3 is offline: it receives no replica"):
        plan(layout, Wish(add=((3, None),)))


def test_a_plan_from_elsewhere_that_copies_there_has_a_fault() -> None:
    """A newcomer is one; a list that keeps the broker, and one that leaves it, are none."""
    layout = small([1, 4], [1, 2], failed=(4,))

    def faults(partition: int, ids: list[int]) -> tuple[str, ...]:
        return judge(layout, ClusterLayout.from_assignments({("t", partition): ids})).faults

    assert faults(1, [1, 4]) == ("t-1 would be copied to broker 4, of which a log directory is offline.",)
    assert faults(0, [4, 1]) == faults(0, [1, 3]) == ()


def test_replicas_elsewhere_than_a_rule_allows_leave_it_all_the_same() -> None:
    """It receives nothing, but gives: what ``only_onto`` wants elsewhere is moved off it."""
    made = plan(
        small([4, 1], [2, 3], failed=(4,)),
        Wish(rebalance=True, options=Options(only_onto=(Onto(("t",), (1, 2, 3), ()),))),
    )

    assert not any(4 in ids for ids in made.proposed.assignments().values())


def test_it_counts_in_no_spread_and_is_another_layout() -> None:
    """Figures are over who may receive; the digest tells the two apart and stays what it was without a failed disk."""
    whole, short = small([1, 2], [2, 3], [3, 1], failed=()), small([1, 2], [2, 3], [3, 1], failed=(4,))

    assert (measure(whole).by_broker.replica_spread.spread, measure(short).by_broker.replica_spread.spread) == (2, 0)
    assert whole.digest != short.digest
