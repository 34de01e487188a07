"""Checks before a topic is made: its name, its partition ids, its replica lists, and the way it is written."""

from __future__ import annotations

import numpy as np

from reseat.balance.racks import rack_violating
from reseat.model import BrokerState, ClusterLayout, Snapshot
from reseat.model.wording import counted, listed, named, verb
from reseat.operate.checks.check import Check, failed, passed
from reseat.operate.request import TopicRequest
from reseat.placement.topic_names import colliding, name_error

__all__ = ["topic_checks"]


def topic_checks(request: TopicRequest, snapshot: Snapshot) -> tuple[Check, ...]:
    """The checks of a new topic alone, those of access aside."""
    ids, lists = _ids_allowed(request, snapshot), _lists_valid(request, snapshot.layout)
    checks = (_topic_new(request, snapshot.layout), ids, lists)
    if ids.stops or lists.stops:
        return checks  # what follows needs partitions and lists that can be
    return (
        *checks,
        _targets_alive(request, snapshot),
        _racks(request, snapshot.layout),
        _min_in_sync(request, snapshot),
    )


def _topic_new(request: TopicRequest, layout: ClusterLayout) -> Check:
    name, wrong = "topic_new", name_error(request.topic)
    if wrong is not None:
        return failed(name, f"{wrong}.")
    if request.topic in layout.topics:
        return failed(name, f"Topic {request.topic} already exists.")
    others = colliding(request.topic, layout.topics)
    if others:
        return failed(
            name,
            f"Topic {request.topic} would share its metric names with {listed(others)}, because '.' and '_' are the "
            "same there: Kafka rejects it.",
        )
    return passed(name, f"Topic {request.topic} does not exist yet, and its name is legal.")


def _ids_allowed(request: TopicRequest, snapshot: Snapshot) -> Check:
    name, ids = "partition_ids", sorted(request.assignments)
    if not ids:
        return failed(name, f"Topic {request.topic} would have no partition.")
    if ids[0] < 0:
        return failed(name, f"Partition id {ids[0]} is below 0.")
    if request.as_nodes and snapshot.metadata == "kraft":
        return failed(name, "This cluster keeps its metadata in KRaft: there are no ZooKeeper nodes.")
    if request.as_nodes:
        return passed(name, f"Written as ZooKeeper nodes, which accept any ids, as requested: {listed(ids)}.")
    if ids != list(range(len(ids))):
        return failed(
            name,
            f"Kafka accepts partition ids from 0 without gaps only; these are {listed(ids)}. Others are possible only "
            "by writing ZooKeeper nodes directly.",
        )
    return passed(name, f"{counted(len(ids), 'partition')}, from 0 without gaps.")


def _named(request: TopicRequest) -> set[int]:
    return {broker for ids in request.assignments.values() for broker in ids}


def _lists_valid(request: TopicRequest, layout: ClusterLayout) -> Check:
    name, topic = "replicas_valid", request.topic
    empty = [f"{topic}-{i}" for i, ids in sorted(request.assignments.items()) if not ids]
    twice = [f"{topic}-{i}" for i, ids in sorted(request.assignments.items()) if len(set(ids)) < len(ids)]
    unknown = sorted(broker for broker in _named(request) if layout.position(broker) is None)
    factors = sorted({len(ids) for ids in request.assignments.values()})
    faults = []
    if empty:
        faults.append(f"{counted(len(empty), 'partition')} would have no replica: {listed(empty)}.")
    if twice:
        faults.append(f"{counted(len(twice), 'partition')} would have a broker twice: {listed(twice)}.")
    if unknown:
        faults.append(f"{named('Broker', unknown, 'is', 'are')} not in the cluster.")
    closed = sorted(set(layout.broker_ids[layout.cordoned].tolist()).intersection(_named(request)))
    if closed:
        faults.append(
            f"{named('Broker', closed, 'is', 'are')} cordoned: "
            f"Kafka refuses lists that name {verb(len(closed), 'it', 'them')}."
        )
    if len(factors) > 1:
        faults.append(f"All partitions must have the same number of replicas; these have {listed(factors)}.")
    if faults:
        return failed(name, " ".join(faults), partitions=(*empty, *twice), brokers=(*unknown, *closed))
    return passed(name, "Every replica list is valid.")


def _targets_alive(request: TopicRequest, snapshot: Snapshot) -> Check:
    """A topic may be made with brokers that are down; nobody can then write to partitions that have no other."""
    name, state = "targets_alive", {b.id: b.state for b in snapshot.layout.brokers}
    up = {i for i, told in state.items() if told.up or told is BrokerState.NOT_TOLD}
    down = tuple(sorted(_named(request) - up))
    short = [b for b in snapshot.layout.brokers if b.offline_dirs and b.id in _named(request)]
    if short and not down:
        where = listed(f"{path} of broker {b.id}" for b in short for path in b.offline_dirs)
        said = (
            f"The topic would get replicas on {named('broker', [b.id for b in short])}. Offline: log directory {where}."
        )
        return failed(name, said, overridable=True, brokers=tuple(b.id for b in short))
    if not down:
        return passed(name, "Every broker of the topic is alive.")
    dark = tuple(f"{request.topic}-{i}" for i, ids in sorted(request.assignments.items()) if not set(ids) & up)
    said = f"{named('Broker', down, 'is', 'are')} not alive"
    if dark:
        return failed(
            name,
            f"{said}, and {counted(len(dark), 'partition')} would have no leader: {listed(dark)}.",
            partitions=dark,
            brokers=down,
        )
    return failed(name, f"{said}: replicas there would not be in sync.", overridable=True, brokers=down)


def _racks(request: TopicRequest, layout: ClusterLayout) -> Check:
    name = "racks_not_shared"
    if not layout.racks:
        return passed(name, "No broker has a rack.")
    made = ClusterLayout.from_assignments(
        {(request.topic, i): ids for i, ids in request.assignments.items()}, brokers=layout.brokers
    )
    rows = np.flatnonzero(rack_violating(made, made.receiving))
    if not rows.size:
        return passed(name, "Every partition has rack diversity.")
    names = made.names_at(rows)
    return failed(
        name,
        f"{counted(len(names), 'partition')} would lack rack diversity: {listed(names)}.",
        overridable=True,
        partitions=names,
    )


def _min_in_sync(request: TopicRequest, snapshot: Snapshot) -> Check:
    name, key = "min_in_sync", "min.insync.replicas"
    own = request.configs.get(key)
    defaults = [values.get(key, "") for values in snapshot.broker_configs.values()] if own is None else [own]
    told = max((int(value) for value in defaults if value.isdecimal()), default=None)
    if told is None:
        return passed(name, f"{key} is the brokers' default.")
    factor = min(len(ids) for ids in request.assignments.values())
    said = f"{told} (the brokers' default)" if own is None else f"{told}"
    if told <= factor:
        return passed(name, f"{key} {said} is met by {counted(factor, 'replica')}.")
    return failed(
        name,
        f"{key} is {said}, and partitions have {counted(factor, 'replica')}: before Kafka 3.7 nobody "
        "could write to them with acks=all.",
        overridable=True,
    )
