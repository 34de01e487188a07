"""A plan says when it sends replicas to a broker that is probably down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.model import Broker, BrokerState, ClusterLayout, Plan, Severity
from reseat.planning import add_brokers, change_replication_factor, remove_brokers

LISTS = {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("orders", 2): [1, 3], ("orders", 3): [1, 2]}


def layout(state: BrokerState = BrokerState.NOT_TOLD, *, in_sync: bool = True) -> ClusterLayout:
    """Brokers 1 to 4; broker 3 is in the given state and, unless ``in_sync``, in no ISR."""
    return ClusterLayout.from_assignments(
        LISTS,
        brokers=[Broker(1), Broker(2), Broker(3, state=state)],
        leaders={key: replicas[0] for key, replicas in LISTS.items()},
        in_sync={key: replicas if in_sync else [i for i in replicas if i != 3] for key, replicas in LISTS.items()},
    )


def doubts(plan: Plan) -> list[str]:
    """The sentences about doubtful receivers."""
    return [finding.sentence for finding in plan.findings if finding.kind == "doubtful_receiver"]


def test_a_receiver_that_is_in_no_isr_is_named_first() -> None:
    """Broker 3 holds replicas and is in sync for none: a plan that gives it more says so, as broken."""
    plan = remove_brokers(layout(in_sync=False), [2])

    assert plan.findings[0].kind == "doubtful_receiver"
    assert plan.findings[0].severity is Severity.BROKEN
    assert plan.findings[0].brokers == (3,)
    assert doubts(plan)[0].startswith("Broker 3 receives 2 replicas but is probably down")


@pytest.mark.parametrize("state", [BrokerState.FENCED, BrokerState.SHUTTING_DOWN])
def test_a_receiver_that_is_fenced_or_shutting_down_is_named(state: BrokerState) -> None:
    """KRaft takes new replicas on a fenced broker and waits; the person should know."""
    assert len(doubts(remove_brokers(layout(state), [2]))) == 1


def test_no_doubt_where_receivers_are_well_or_receive_nothing() -> None:
    """In sync brokers are not doubted, nor is a broker that receives nothing, nor one that leaves."""
    assert doubts(remove_brokers(layout(), [2])) == []
    assert doubts(remove_brokers(layout(in_sync=False), [3])) == []


def test_the_other_wishes_say_it_too() -> None:
    """Adding a fenced broker and raising the replication factor onto a lost one are said alike."""
    added = add_brokers(layout(), [Broker(9, state=BrokerState.FENCED)])
    raised = change_replication_factor(layout(in_sync=False), ["orders"], 3)

    assert len(doubts(added)) == 1
    assert len(doubts(raised)) == 1


def test_a_newcomer_of_a_reassignment_under_way_is_not_doubted() -> None:
    """Broker 4 is being added to orders-0 and not in sync yet: it is new, not down; broker 3 is in no ISR at all."""
    lists = {("orders", 0): [1, 2, 4], ("orders", 1): [2, 3], ("orders", 2): [1, 2]}
    under_way = replace(
        ClusterLayout.from_assignments(
            lists,
            leaders={key: replicas[0] for key, replicas in lists.items()},
            in_sync={key: [i for i in replicas if i < 3] for key, replicas in lists.items()},
        ),
        adding=np.array([[False, False, True], [False] * 3, [False] * 3]),
    )
    doubtful = [f for f in remove_brokers(under_way, [1]).findings if f.kind == "doubtful_receiver"]

    assert all(finding.brokers == (3,) for finding in doubtful)
    assert remove_brokers(under_way, [1]).moves.target.tolist().count(4) > 0
