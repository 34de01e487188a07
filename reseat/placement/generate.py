"""What ``kafka-reassign-partitions --generate`` proposes, by the older tools (striped) and the newer (KRaft).

What it promises, in this order: each topic's lists are those of the placement that the tool uses, with the draws of the
source passed in; every trap of the tool is kept, and said in a note; what it would move is counted.

How it works: topic by topic, the tool forgets the present lists but for their number and one partition's replication
factor, and places all partitions anew: striped with two fresh draws (tools to 4.0), or with KRaft's placer (from 4.1).
So nearly everything moves, whatever is asked for.

The traps (none of Reseat's plans has them): partitions are numbered 0 to n - 1 whatever their ids; the replication
factor of one partition is taken for the whole topic; ids in the list of brokers that are unknown or down are dropped
in silence, before KAFKA-20023 and after it. The tool goes through topics, and picks that one partition, in the order of
a hash map; here topics go by name and the partition with the lowest id is taken, so a seed gives the tool's lists for a
single topic, and equally likely ones for several.

Complexity: O(P R); striped placement walks all topics at once, KRaft's placer goes topic by topic.

Source: ``ReassignPartitionsCommand.generateAssignment`` (2.8.2, 3.9.1, 4.1.0, 4.3.1), KAFKA-18798.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import NONE, Broker, BrokerState, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.arrays import newcomers, row_counts
from reseat.model.wording import counted, listed, verb
from reseat.placement.draw_source import DrawSource
from reseat.placement.kraft import place_kraft
from reseat.placement.ring import ring_of, walk
from reseat.placement.striped import RackMode, by_rack_mode, place_striped, shift_growth

__all__ = ["Proposal", "ProposalSpread", "Tool", "asked_of", "proposal_spread", "propose"]


class Tool(Enum):
    """Which tools propose."""

    STRIPED = "striped"
    """Those up to 4.0: striped, two draws a topic."""
    KRAFT = "kraft"
    """Those from 4.1: KRaft's placer."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """What ``--generate`` proposes for some topics.

    Attributes:
        before: the layout of those topics alone.
        after: the proposal; partition ids are 0 to n - 1 in every topic.
        newcomers: (P',) int32 for each row of ``after``, how many of its brokers did not hold the partition (all, where
            there is no such partition).
        moves: replicas that would be copied.
        bytes_to_move: bytes that would be copied, None where sizes are not told.
        notes: the traps that this proposal falls into, a sentence each.
    """

    before: ClusterLayout
    after: ClusterLayout
    newcomers: IntArray
    moves: int
    bytes_to_move: float | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ProposalSpread:
    """Proposals over many draws, an entry a draw.

    Attributes:
        moves: (n,) int64 replicas that would be copied.
        replica_spread: (n,) int64 fullest minus emptiest of the brokers, with what other topics hold there.
        leader_spread: (n,) int64 the same in preferred leaders.
        rack_violations: (n,) int64 partitions of these topics on fewer racks than they could be, also where racks are
            disabled; 0 where no broker has one.
        bytes_to_move: (n,) float64, or None where sizes are not told.
    """

    moves: Longs
    replica_spread: Longs
    leader_spread: Longs
    rack_violations: Longs
    bytes_to_move: FloatArray | None


def propose(
    layout: ClusterLayout,
    broker_ids: Sequence[int],
    *,
    draws: DrawSource,
    tool: Tool = Tool.STRIPED,
    topics: Iterable[str] | None = None,
    rack_mode: RackMode = RackMode.ENFORCED,
    keep_order: bool = False,
    knows_cordons: bool = False,
) -> Proposal:
    """Propose as ``--generate --broker-list`` does; the layout is not changed.

    Args:
        layout: the layout now.
        broker_ids: the brokers to place on. Unknown ones and those that are down are dropped, as the tool does, with a
            note; cordons it does not know.
        draws: where random draws come from.
        tool: which tools.
        topics: the topics to move; None: all.
        rack_mode: enforced, or disabled (``--disable-rack-aware``).
        keep_order: place over the brokers in the order given, as the tool does with the order that the cluster tells;
            else sorted by id. It matters to the older tools without racks alone.
        knows_cordons: whether it is a tool from 4.3 on, whose refusals name cordons.

    Raises:
        PlacementRefused: in Kafka's words, as the placements; a broker or topic named twice; an unknown topic.
    """
    before, brokers, notes = asked_of(layout, broker_ids, topics, rack_mode)
    if keep_order:
        by_id = {broker.id: broker for broker in brokers}
        brokers = tuple(by_id[broker_id] for broker_id in broker_ids if broker_id in by_id)
    sizes, factors, more = _what_the_tool_sees(before)
    lists = _place(brokers, sizes, factors, tool, draws, knows_cordons=knows_cordons)
    old, cost = _held_before(before, sizes)
    fresh = row_counts(newcomers(old, lists))
    topic, ids = _rows(sizes)
    after = ClusterLayout.from_columns(
        topics=before.topics, topic_of=topic, partition=ids, replicas=lists, brokers=before.brokers
    )
    moved = None if cost is None else float((fresh * cost).sum())
    return Proposal(before, after, fresh, int(fresh.sum()), moved, (*notes, *more))


def proposal_spread(
    layout: ClusterLayout,
    broker_ids: Sequence[int],
    *,
    draws_of: Callable[[int], DrawSource],
    rounds: int = 20,
    tool: Tool = Tool.STRIPED,
    topics: Iterable[str] | None = None,
    rack_mode: RackMode = RackMode.ENFORCED,
    enough: Callable[[int], bool] | None = None,
) -> ProposalSpread:
    """What ``--generate`` would propose over many random draws.

    Args:
        layout: the layout now.
        broker_ids: as ``propose``.
        draws_of: a source of draws for each round, such as ``JavaRandom``.
        rounds: how many.
        tool: as ``propose``.
        topics: as ``propose``.
        rack_mode: as ``propose``.
        enough: asked with the number of rounds done after each; True ends early (a limit of time, for instance).

    Raises:
        PlacementRefused: as ``propose``.
    """
    before, brokers, _ = asked_of(layout, broker_ids, topics, rack_mode)
    sizes, factors, _ = _what_the_tool_sees(before)
    old, cost = _held_before(before, sizes)
    ids = np.array([broker.id for broker in brokers], np.int32)
    holding = set(ids.tolist())
    housed = [broker for broker in before.brokers if broker.id in holding]  # with racks, also where disabled
    base, base_leaders = _held_by_others(layout.target(), before, ids)
    done: list[tuple[int, int, int, int, float]] = []
    for number in range(rounds):
        lists = _place(brokers, sizes, factors, tool, draws_of(number))
        fresh = row_counts(newcomers(old, lists))
        done.append(
            (
                int(fresh.sum()),
                _spread(lists, ids, base),
                _spread(lists[:, :1], ids, base_leaders),
                _on_too_few_racks(lists, housed),
                0.0 if cost is None else float((fresh * cost).sum()),
            )
        )
        if enough is not None and enough(number + 1):
            break
    out = np.array(done, np.float64).reshape(len(done), 5).T
    whole = out[:4].astype(np.int64)
    return ProposalSpread(whole[0], whole[1], whole[2], whole[3], None if cost is None else out[4])


def asked_of(
    layout: ClusterLayout, broker_ids: Sequence[int], topics: Iterable[str] | None, rack_mode: RackMode
) -> tuple[ClusterLayout, tuple[Broker, ...], tuple[str, ...]]:
    """The topics' layout, the brokers to place on, and what was dropped."""
    twice = sorted({broker_id for broker_id in broker_ids if list(broker_ids).count(broker_id) > 1})
    if twice:
        raise PlacementRefused(
            f"Broker list contains duplicate entries: {twice}",
            kafka_error="AdminCommandFailedException",
            brokers=tuple(twice),
        )
    chosen = list(layout.topics) if topics is None else list(topics)
    repeated = sorted(name for name, count in Counter(chosen).items() if count > 1) if topics is not None else []
    if repeated:
        raise PlacementRefused(
            f"List of topics to reassign contains duplicate entries: [{', '.join(repeated)}]",
            kafka_error="AdminCommandFailedException",
            topics=tuple(repeated),
        )
    unknown = sorted(set(chosen) - set(layout.topics))
    if unknown:
        raise PlacementRefused(
            f"Topic {unknown[0]} not found.", kafka_error="UnknownTopicOrPartitionException", topics=tuple(unknown)
        )
    before = layout.target()
    if topics is not None:
        before = before.select(before.is_topic(chosen)[before.topic_of])
    known = [broker for broker in layout.brokers if broker.id in set(broker_ids)]
    # It asks the cluster for its brokers, which names those that are up and says nothing of cordons.
    up = [replace(broker, state=BrokerState.ALIVE) for broker in known if not broker.state.away]
    notes = tuple(
        f"{verb(len(ids), 'Broker', 'Brokers')} {listed(sorted(ids))} {verb(len(ids), 'is', 'are')} {why}; the tool "
        "drops such ids silently."
        for ids, why in (
            ({*broker_ids} - {broker.id for broker in known}, "unknown here"),
            ({broker.id for broker in known} - {broker.id for broker in up}, "down"),
        )
        if ids
    )
    return before, by_rack_mode(up, rack_mode), notes


def _what_the_tool_sees(
    before: ClusterLayout,
) -> tuple[Longs, Longs, tuple[str, ...]]:
    """Partitions a topic, the replication factor it takes for each, and the traps."""
    first = np.searchsorted(before.topic_of, np.arange(len(before.topics)))
    sizes = np.bincount(before.topic_of, minlength=len(before.topics)).astype(np.int64)
    factors = before.replication_factor[first].astype(np.int64)
    notes = []
    mixed = np.zeros(len(before.topics), np.bool_)
    np.logical_or.at(mixed, before.topic_of, before.replication_factor != factors[before.topic_of])
    if mixed.any():
        names = [before.topics[i] for i in np.flatnonzero(mixed).tolist()]
        notes.append(
            f"{counted(len(names), 'topic')} with mixed replication factors ({listed(names)}) would get the factor of "
            "one partition for all."
        )
    gaps = before.partition[first + sizes - 1] != sizes - 1
    if gaps.any():
        names = [before.topics[i] for i in np.flatnonzero(gaps).tolist()]
        notes.append(
            f"The partition ids of {counted(len(names), 'topic')} ({listed(names)}) are not 0 to n - 1, but the "
            "proposal's are: Kafka would refuse partitions that do not exist."
        )
    return sizes, factors, tuple(notes)


def _place(
    brokers: Sequence[Broker],
    sizes: Longs,
    factors: Longs,
    tool: Tool,
    draws: DrawSource,
    *,
    knows_cordons: bool = False,
) -> IntArray:
    """(P', R) int32 broker ids, -1 padded, topic after topic."""
    out = np.full((int(sizes.sum()), int(factors.max(initial=0))), NONE, np.int32)
    if tool is Tool.STRIPED:
        _place_striped(brokers, sizes, factors, draws, out)
        return out
    begin = 0
    for size, factor in zip(sizes.tolist(), factors.tolist(), strict=True):
        placed = place_kraft(brokers, size, factor, draws=draws, knows_cordons=knows_cordons)
        out[begin : begin + size, :factor] = placed.replicas
        begin += size
    return out


def _place_striped(
    brokers: Sequence[Broker],
    sizes: Longs,
    factors: Longs,
    draws: DrawSource,
    out: IntArray,
) -> None:
    """All topics at once: each has its own start and shift on the same ring."""
    for factor in dict.fromkeys(factors.tolist()):
        place_striped(brokers, 1, factor, start=0, shift=0)  # for its checks
    ring = ring_of(brokers)
    drawn = np.array([(draws.next_int(ring.size), draws.next_int(ring.size)) for _ in sizes], np.int64).reshape(-1, 2)
    topic, ids = _rows(sizes)
    for factor in np.unique(factors).tolist():
        rows = np.flatnonzero(factors[topic] == factor)
        first = (ids[rows] + drawn[topic[rows], 0]) % ring.size
        shift = drawn[topic[rows], 1] + shift_growth(ids[rows], 0, ring.size)
        at = (first + 1 + ring.offset_of(shift)) % ring.size
        out[rows, :factor] = ring.id_column[walk(ring, first, at, factor)]


def _rows(sizes: Longs) -> tuple[Longs, Longs]:
    """The topic of each row of a proposal, and its partition id."""
    topic = np.repeat(np.arange(len(sizes)), sizes)
    return topic, np.arange(len(topic)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _held_before(before: ClusterLayout, sizes: Longs) -> tuple[IntArray, FloatArray | None]:
    """For each row of a proposal: who holds that partition id now, and the bytes of one replica of it."""
    topic, ids = _rows(sizes)
    at = before.rows_at(topic, ids)
    there = at >= 0
    old = np.where(there[:, None], before.replica_ids[at], np.int32(NONE))
    if before.replica_bytes is None:
        return old, None
    sized = before.replica_bytes
    largest = np.where(np.isnan(sized), 0.0, sized).max(axis=1, initial=0.0)
    return old, np.where(there, largest[at], 0.0)


def _held_by_others(layout: ClusterLayout, before: ClusterLayout, ids: IntArray) -> tuple[Longs, Longs]:
    """(n,) replicas and preferred leaders on these brokers of the topics that are not asked for."""
    places = np.searchsorted(layout.broker_ids, ids)
    return (
        (layout.replicas_by_broker - before.replicas_by_broker)[places],
        (layout.preferred_by_broker - before.preferred_by_broker)[places],
    )


def _spread(lists: IntArray, ids: IntArray, base: Longs) -> int:
    held = base + np.bincount(np.searchsorted(ids, lists[lists != NONE]), minlength=len(ids))
    return int(held.max(initial=0) - held.min(initial=int(held.max(initial=0))))


def _on_too_few_racks(lists: IntArray, brokers: Sequence[Broker]) -> int:
    """Partitions on fewer racks than they could be; a broker without rack beside others is a rack of its own."""
    if all(broker.rack is None for broker in brokers):
        return 0
    ordered = sorted(brokers, key=lambda broker: broker.id)
    names = [broker.rack if broker.rack is not None else broker.id for broker in ordered]
    code = {name: number for number, name in enumerate(dict.fromkeys(names))}
    ids = np.array([broker.id for broker in ordered], np.int32)
    racks = np.array([code[name] for name in names], np.int32)
    held = np.where(lists != NONE, racks[np.minimum(np.searchsorted(ids, lists), len(ids) - 1)], NONE)
    held.sort(axis=1)
    distinct = ((held[:, 1:] != held[:, :-1]) & (held[:, 1:] != NONE)).sum(axis=1) + (held[:, :1] != NONE).sum(axis=1)
    return int((distinct < np.minimum((lists != NONE).sum(axis=1), len(code))).sum())
