"""Reseat's plan against what Kafka's own ``kafka-reassign-partitions --generate`` would propose for the same wish.

Promises: the tool's proposals are those of ``placement.propose``, draw by draw, on the brokers that Reseat may use too;
each number is measured as the certificate measures Reseat's plan. The comparison favours the tool: it is given only the
topics that have a replica on a leaving broker, as a careful operator would; without a leaving broker all.

Needs: a plan whose wish keeps replication factors, since ``--generate`` does too.

How: ``--generate`` forgets where replicas are and places each topic anew, with random draws. Draw number i has the seed
i; draws go on until there are enough of them or the time is up.

Example: on 60 brokers with 20,000 partitions, where 1,013 moves are enough, every draw moves about 50,700.

Complexity: O(draws P R); KRaft's placer also takes O(B) a topic.
Source: ``ReassignPartitionsCommand.generateAssignment`` (2.8.2, 3.9.1, 4.1.0), KAFKA-18798.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from reseat.balance.racks import rack_violating
from reseat.errors import WishRefused
from reseat.model import NONE, BrokerState, ClusterLayout, IntArray, Longs, Plan
from reseat.model.arrays import newcomers, of_one_width, row_any, row_counts, widened
from reseat.placement import JavaRandom, Proposal, ProposalSpread, RackMode, Tool, proposal_spread, propose

__all__ = ["AgainstGenerate", "Beside", "against_generate", "beside_one_draw", "expected_seconds"]

#: Seconds that one draw takes: a replica placed by the older tools, a partition and a (topic, broker) by the newer.
_STRIPED_REPLICA, _KRAFT_PARTITION, _KRAFT_TOPIC_BROKER = 3e-7, 4e-6, 1.1e-6


@dataclass(frozen=True, eq=False)
class AgainstGenerate:
    """What one tool would propose, over its random draws.

    Attributes:
        tool: which tools.
        brokers: ids of the brokers that it may use (``--broker-list``).
        topics: the topics that it is given, sorted.
        spread: an entry a draw; draw i has the seed i. Its spreads and rack violations are of the whole cluster, as
            the certificate's are.
    """

    tool: Tool
    brokers: tuple[int, ...]
    topics: tuple[str, ...]
    spread: ProposalSpread

    @property
    def draws(self) -> int:
        """How many draws these numbers are over."""
        return len(self.spread.moves)


@dataclass(frozen=True, eq=False)
class Beside:
    """One draw of a tool beside Reseat's plan, partition by partition.

    Attributes:
        rows: (n,) int64 rows of the plan's layout that the plan or the tool changes, ascending.
        generated: (n, R) int32 broker ids that the tool proposes, -1 padded; the present ones where it is not given
            the topic, and nothing where it has no such partition.
        copies: (n,) int32 replicas that Reseat's plan copies.
        generated_copies: (n,) int32 replicas that the tool's proposal copies.
        proposal: the whole proposal, with its notes.
    """

    rows: Longs
    generated: IntArray
    copies: IntArray
    generated_copies: IntArray
    proposal: Proposal


def against_generate(
    plan: Plan,
    tool: Tool,
    *,
    draws: int = 100,
    seconds: float = 1.0,
    rack_mode: RackMode = RackMode.ENFORCED,
    clock: Callable[[], float] = time.perf_counter,
) -> AgainstGenerate:
    """What the tool would propose on the brokers that remain, over many draws.

    Args:
        plan: Reseat's plan.
        tool: which tools.
        draws: at most so many.
        seconds: no further draw begins after this; one is always made (``expected_seconds`` says how long it takes).
        rack_mode: enforced, or disabled (``--disable-rack-aware``).
        clock: tells seconds.

    Raises:
        WishRefused: the wish changes replication factors; in Kafka's words (``PlacementRefused``), the tool itself
            would refuse.
    """
    brokers, topics = _asked(plan)
    begin = clock()
    found = proposal_spread(
        plan.current,
        brokers,
        draws_of=JavaRandom,
        rounds=draws,
        tool=tool,
        topics=topics,
        rack_mode=rack_mode,
        enough=lambda _: clock() - begin > seconds,
    )
    remaining = plan.current.is_broker(brokers)
    others = np.count_nonzero(rack_violating(plan.current.without_topics(topics), remaining))
    return AgainstGenerate(tool, brokers, topics, replace(found, rack_violations=found.rack_violations + others))


def beside_one_draw(plan: Plan, tool: Tool, seed: int, *, rack_mode: RackMode = RackMode.ENFORCED) -> Beside:
    """One draw of the tool, of the one with this seed, partition by partition; ``rack_mode`` as ``against_generate``.

    Raises:
        WishRefused: as ``against_generate``.
    """
    brokers, topics = _asked(plan)
    proposal = propose(plan.current, brokers, draws=JavaRandom(seed), tool=tool, topics=topics, rack_mode=rack_mode)
    now, own = plan.current.replica_ids, plan.proposed.replica_ids
    lists, copies = _by_row(plan.current, proposal)
    width = max(now.shape[1], own.shape[1], lists.shape[1])
    now, own, lists = (widened(column, width) for column in (now, own, lists))
    rows = np.flatnonzero(plan.changed | (lists != now).any(axis=1))
    comes = row_counts(newcomers(now[rows], own[rows]))
    return Beside(rows, lists[rows], comes, copies[rows], proposal)


def expected_seconds(plan: Plan, tool: Tool) -> float:
    """About how long one draw takes, so that nobody is left waiting unasked."""
    layout = plan.current
    if tool is Tool.STRIPED:
        return layout.replica_count * _STRIPED_REPLICA
    by_topic = len(layout.topics) * len(layout.brokers) * _KRAFT_TOPIC_BROKER
    return by_topic + layout.partition_count * _KRAFT_PARTITION


def _asked(plan: Plan) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The brokers and the topics that the tool is given."""
    wish, layout = plan.wish, plan.current
    if wish.topics:
        raise WishRefused(
            "Kafka's --generate keeps each topic's replication factor, so it has no proposal for this what-if.",
            topics=wish.topics,
        )
    if wish.leaders_only:
        raise WishRefused("Kafka's --generate places replicas anew, so it has no proposal for leaders alone.")
    gone = frozenset(wish.remove)
    # It would place replicas on cordoned brokers, too, were it given them.
    idle = BrokerState.CORDONED
    brokers = tuple(
        b.id for b in layout.brokers if not (b.id in gone or b.state is idle or b.state.away or b.offline_dirs)
    )
    if not wish.remove:
        return brokers, layout.topics
    touched = row_any(np.isin(layout.replica_ids, wish.remove))
    return brokers, layout.topics_at(touched)


def _by_row(layout: ClusterLayout, proposal: Proposal) -> tuple[IntArray, IntArray]:
    """The proposal's lists by row of the layout, (P, R), and the replicas copied, (P,)."""
    after = proposal.after
    at = layout.rows_of(after)
    there = at >= 0
    lists, new = of_one_width(layout.replica_ids, after.replica_ids)
    lists = lists.copy()
    lists[layout.is_topic(after.topics)[layout.topic_of]] = NONE
    lists[at[there]] = new[there]
    copies = np.zeros(layout.partition_count, np.int32)
    copies[at[there]] = proposal.newcomers[there]
    return lists, copies
