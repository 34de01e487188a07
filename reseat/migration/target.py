"""The target once the topics are there: who holds which replica, chosen by Kafka's rules or as evenly as can be.

What it promises, ranked: (1) what the target has stays where it is; (2) new lists are on brokers that may receive; (3)
placed by Kafka's rules they are what a cluster of that version gives for the same draws, topic after topic; balanced,
they are on as many racks as can be and the replica counts of all brokers are as close as they can be with what stays
(the planner's own proof), under the limits; (4) limits that are not kept are told, broker by broker.

What it needs: the target as it will be when reassignments under way are done.

How it works: each topic is placed as the controller would (``place_topic``), one source of draws for all. Balanced,
this is a rebalance in which all that is there is pinned, so that as few lists as can be differ from Kafka's; where a
broker is then over its limit of bytes, bytes are evened, too. Partitions
that a topic lacks are placed by Kafka's rules too: KRaft's placer looks at no partition that is there.

Example: a target with brokers 1, 2, 3 of 10, 10 and 40 replicas gets 10 partitions of 2 replicas: balanced, brokers 1
and 2 get 10 each.

Complexity: that of the placement, and of one rebalance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reseat.errors import PlacementRefused, WishRefused
from reseat.migration.request import MigrationRequest, Placing, TargetLimits
from reseat.migration.sides import TopicMove, copied_bytes, fewest_racks
from reseat.model import Broker, Certificate, ClusterLayout, FloatArray, IntArray, Options, Wish
from reseat.model.arrays import widened
from reseat.model.rules import Capacity
from reseat.model.units import size
from reseat.model.wording import counted, listed
from reseat.placement import JavaRandom, place_added
from reseat.placement.creation import CreationMethod, creation_method, place_topic
from reseat.placement.topic_names import colliding, name_error
from reseat.placement.topic_spec import TopicSpec
from reseat.planning import plan

__all__ = ["BrokerLoad", "Target", "target_of"]


@dataclass(frozen=True, slots=True)
class BrokerLoad:
    """A broker of the target, before and after.

    Attributes:
        broker: its id.
        rack: its rack, or None.
        before: replicas that it has.
        after: replicas that it has then.
        bytes: bytes that it has then, all that is copied included; None where a size is unknown.
        over: which limits it then exceeds: "replicas", "bytes".
        newly_over: whether it gets more of what it then has too much of.
    """

    broker: int
    rack: str | None
    before: int
    after: int
    bytes: float | None
    over: tuple[str, ...] = ()
    newly_over: bool = False


@dataclass(frozen=True, eq=False)
class Target:
    """The target once the topics are there.

    Attributes:
        layout: all of it, with the topics created and lacking partitions added.
        loads: its brokers by id.
        made: names in the target, of topics that are created or get partitions, to their replica lists by partition id.
        factors: name in the target of each topic that is created to its replicas.
        racks: the racks that each topic's partitions are then on, by its name, the fewest that one is; None: no racks.
        proofs: what is proven of the balance; empty for Kafka's rules.
        faults: why it cannot be as asked; then the lists are those of Kafka's rules, and not to be used.
    """

    layout: ClusterLayout
    loads: tuple[BrokerLoad, ...]
    made: dict[str, dict[int, list[int]]]
    factors: dict[str, int]
    racks: dict[str, int] | None
    proofs: tuple[str, ...]
    faults: tuple[str, ...]


def target_of(
    source: ClusterLayout, target: ClusterLayout, moves: Sequence[TopicMove], asked: MigrationRequest
) -> Target:
    """Place the topics.

    Args:
        source: the source, for the bytes of partitions.
        target: the target as it is.
        moves: the topics.
        asked: how they are placed, and what limits there are.

    Raises:
        WishRefused: no broker of the target may receive.
        PlacementRefused: a name that Kafka refuses, or a version that is none.
    """
    now = target.target()
    brokers = [broker for broker, may in zip(now.brokers, now.receiving, strict=True) if may]
    if not brokers:
        raise WishRefused("No broker of the target may receive replicas: all are down, fenced or cordoned.")
    lists, factors = _placed(now, brokers, moves, asked)
    after = _with(now, lists, _sizes_of(source, moves))
    faults = list(_too_much(now, after, moves, asked.limits))
    proofs: tuple[str, ...] = ()
    if asked.placing is Placing.BALANCED and lists and not faults:
        try:
            wish = _balancing(now, after, lists, asked.limits)
            made = plan(after, wish)
            if any(load.newly_over and "bytes" in load.over for load in _loads(now, made.proposed, asked.limits)):
                # The drawn lists are what it starts from, and a broker keeps what it has there, whatever its capacity.
                made = plan(after, replace(wish, options=replace(wish.options, by_bytes=True)))
            after, proofs = made.proposed, _proofs(made.certificate)
        except WishRefused as refusal:
            faults.append(str(refusal))
    loads = _loads(now, after, asked.limits)
    over = [load.broker for load in loads if load.newly_over]
    if over and not faults:
        faults.append(f"{counted(len(over), 'broker')} would be over a limit: {listed(over)}.")
    return Target(after, loads, _made(now, after, lists), factors, fewest_racks(after), proofs, tuple(faults))


def _placed(
    now: ClusterLayout, brokers: Sequence[Broker], moves: Sequence[TopicMove], asked: MigrationRequest
) -> tuple[dict[str, tuple[int, IntArray]], dict[str, int]]:
    """By name in the target (first partition id, lists), of what is created; and the factor of each new topic."""
    draws, method = JavaRandom(asked.seed), creation_method(asked.version, kraft=asked.kraft)
    lists: dict[str, tuple[int, IntArray]] = {}
    factors = {}
    for move in moves:
        _refuse_name(move, now)
        if move.there:
            if not move.lacking:
                continue
            if method is not CreationMethod.ADMIN_KRAFT:
                there = {int(now.partition[row]): _ids(now, row) for row in now.rows_of_topic(move.remote)}
                lists[move.remote] = (move.there, place_added(brokers, there, move.partitions).replicas)
                continue
            count, factor = move.lacking, len(_ids(now, now.rows_of_topic(move.remote).start))  # partition 0's
        else:
            factor = min(asked.replication_factor or move.factor, len(brokers))
            count, factors[move.remote] = move.partitions, factor
        spec = TopicSpec(move.remote, count, min(factor, len(brokers)))
        lists[move.remote] = (move.there, place_topic(spec, brokers, method, draws=draws).replicas)
    return lists, factors


def _refuse_name(move: TopicMove, now: ClusterLayout) -> None:
    wrong = name_error(move.remote)
    if wrong is not None:
        raise PlacementRefused(wrong, topics=(move.remote,))
    others = () if move.there else colliding(move.remote, now.topics)
    if others:
        said = f"Topic '{move.remote}' collides with existing topic: {', '.join(others[:3])}"
        raise PlacementRefused(said, topics=(move.remote,), kafka_error="InvalidTopicException")


def _ids(layout: ClusterLayout, row: int) -> list[int]:
    return [broker for broker in layout.replica_ids[row].tolist() if broker >= 0]


def _sizes_of(source: ClusterLayout, moves: Sequence[TopicMove]) -> dict[str, FloatArray]:
    """By name in the target, bytes of a replica of each partition, by partition id; NaN: unknown."""
    each, out = copied_bytes(source), {}
    for move in moves:
        rows = source.rows_of_topic(move.name)
        ids = source.partition[rows.start : rows.stop]
        out[move.remote] = np.full(move.partitions, np.nan)
        out[move.remote][ids] = each[rows.start : rows.stop]
    return out


def _with(now: ClusterLayout, lists: dict[str, tuple[int, IntArray]], sizes: dict[str, FloatArray]) -> ClusterLayout:
    """The target with these lists too. What a topic holds there counts as at least what is copied into it."""
    topics = [*now.topics, *(name for name in lists if not now.rows_of_topic(name))]
    code = {name: at for at, name in enumerate(topics)}
    width = max([now.replicas.shape[1], *(new.shape[1] for _, new in lists.values())])
    there = np.full(now.partition_count, np.nan) if now.copy_bytes is None else now.copy_bytes.copy()
    for name, each in sizes.items():
        rows = now.rows_of_topic(name)
        coming = _of_partitions(each, now.partition[rows.start : rows.stop])
        there[rows.start : rows.stop] = np.fmax(there[rows.start : rows.stop], coming)
    parts = [(np.array(now.topic_of), np.array(now.partition), widened(now.replica_ids, width), there)]
    for name, (first, new) in lists.items():
        ids = np.arange(first, first + len(new), dtype=np.int32)
        known = _of_partitions(sizes[name], ids)
        parts.append((np.full(len(new), code[name], np.int32), ids, widened(new, width), known))
    topic_of, partition, replicas, bytes_ = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return ClusterLayout.from_columns(
        topics=topics,
        topic_of=topic_of,
        partition=partition,
        replicas=replicas,
        brokers=now.brokers,
        size_bytes=bytes_,
    )


def _of_partitions(each: FloatArray, ids: IntArray) -> FloatArray:
    """The values of these partitions; NaN beyond those that have one."""
    return np.asarray(np.append(each, np.nan)[np.minimum(ids, len(each))], np.float64)


def _balancing(
    now: ClusterLayout, after: ClusterLayout, lists: dict[str, tuple[int, IntArray]], limits: TargetLimits
) -> Wish:
    """A rebalance of what is new: everything else is pinned."""
    pinned: list[tuple[str, int | None]] = [(name, None) for name in now.topics if name not in lists]
    for name in lists:
        pinned += [(name, int(now.partition[row])) for row in now.rows_of_topic(name)]
    capacity = tuple(
        Capacity(broker.id, **{kind: most})
        for kind, most in (("replicas", limits.replicas), ("bytes", limits.bytes))
        if most is not None
        for broker in after.brokers
    )
    return Wish(rebalance=True, options=Options(pin=tuple(pinned), capacity=capacity))


def _proofs(told: Certificate) -> tuple[str, ...]:
    """What is proven of the balance; of the moves nothing, as nothing of it is there yet."""
    said = [f"Replica spread {told.replica_spread}: {_least(told.replica_balance_proven)} with what stays."]
    if told.rack_sum_of_squares:
        said.insert(0, f"Rack diversity: {_least(told.rack_balance_proven)} for every new partition.")
    return tuple(said)


def _least(is_proven: bool) -> str:
    return "the best possible (proven)" if is_proven else "no better was found"


def _too_much(
    now: ClusterLayout, after: ClusterLayout, moves: Sequence[TopicMove], limits: TargetLimits
) -> tuple[str, ...]:
    """Limits that no placement can keep, a sentence each."""
    said = []
    if limits.partitions is not None and after.partition_count > max(limits.partitions, now.partition_count):
        said.append(f"The target would have {after.partition_count:,} partitions; its limit is {limits.partitions:,}.")
    if limits.replicas is not None:
        room = int(np.maximum(limits.replicas - now.replicas_by_broker, 0)[now.receiving].sum())
        new = after.replica_count - now.replica_count
        if new > room:
            said.append(
                f"{counted(new, 'new replica')} are too many: brokers that may hold {limits.replicas:,} each have room "
                f"for {room:,} more."
            )
    if limits.bytes is not None:
        held, coming = _bytes_by_broker(now), _bytes_by_broker(after)
        if coming is None:
            unknown = next((move.name for move in moves if move.bytes is None), "")
            said.append(f"The limit on bytes cannot be kept: the size of {unknown or 'a partition'} is unknown.")
        else:
            before = np.zeros(len(now.brokers)) if held is None else held
            room_bytes = float(np.maximum(limits.bytes - before, 0)[now.receiving].sum())
            new_bytes = float(coming.sum() - before.sum())
            if new_bytes > room_bytes:
                said.append(
                    f"{size(new_bytes)} is too much: brokers that may hold {size(limits.bytes)} each have room for "
                    f"{size(room_bytes)} more."
                )
    return tuple(said)


def _bytes_by_broker(layout: ClusterLayout) -> FloatArray | None:
    """(B,) bytes; None where a size is unknown."""
    if not layout.partition_count:
        return np.zeros(len(layout.brokers))
    sizes = layout.replica_bytes
    if sizes is None or np.isnan(sizes[layout.replicas >= 0]).any():
        return None
    return layout.bytes_by_broker


def _loads(now: ClusterLayout, after: ClusterLayout, limits: TargetLimits) -> tuple[BrokerLoad, ...]:
    held, carried = _bytes_by_broker(now), _bytes_by_broker(after)
    out = []
    for at, broker in enumerate(after.brokers):
        before, then = int(now.replicas_by_broker[at]), int(after.replicas_by_broker[at])
        size_then = None if carried is None else float(carried[at])
        over, grown = [], then > before
        if limits.replicas is not None and then > limits.replicas:
            over.append("replicas")
        if limits.bytes is not None and size_then is not None and size_then > limits.bytes:
            over.append("bytes")
            grown |= held is None or size_then > held[at]
        out.append(BrokerLoad(broker.id, broker.rack, before, then, size_then, tuple(over), bool(over) and bool(grown)))
    return tuple(out)


def _made(
    now: ClusterLayout, after: ClusterLayout, lists: dict[str, tuple[int, IntArray]]
) -> dict[str, dict[int, list[int]]]:
    """The lists of the topics that are created or get partitions, those that they have included."""
    return {name: {int(after.partition[row]): _ids(after, row) for row in after.rows_of_topic(name)} for name in lists}
