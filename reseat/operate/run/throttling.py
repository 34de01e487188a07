"""Replication throttles of a run: what is set, what was there before, and that it is put back exactly.

What it promises: the values before are in the journal before anything is set; they come back as they were, an unset
one unset, wherever the value of now is still the run's own; what somebody else has set since is left alone and told;
what cannot be put back now (a dead broker) is named and stays in the journal, so that the next start or
``operate status`` puts it back.

How it works: as KIP-73 means it. Each broker that sends or receives gets both rates; a topic's leader list holds the
replicas that are copied from, its follower list the newcomers. Lists that were set before are kept and added to. A list
that would be longer than ``LONGEST_LIST`` is ``*``, all replicas of the topic: a string of Kafka's protocol ends at
32,767 bytes, and brokers close the connection on a longer one. Replicas in sync are not slowed down by it, but what
they copy counts towards the rate.

Example: ``orders-0`` from [1, 2] to [1, 3] at 1,000 bytes a second sets both rates of brokers 1, 2 and 3 to 1000, the
leader list of ``orders`` to ``0:1,0:2`` and its follower list to ``0:3``.

Complexity: linear in the plan. Source: KIP-73; Kafka's ``ReassignPartitionsCommand``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import MoveProgress
from reseat.operate.journal.steps import ALL_STEPS
from reseat.operate.targets.target import Target, Throttles
from reseat.operate.targets.throttle_names import LONGEST_LIST

__all__ = [
    "NOT_KNOWN",
    "OutstandingThrottles",
    "PutBack",
    "before_the_run",
    "earlier_values",
    "from_json",
    "lifted",
    "merged",
    "names_of",
    "of_brokers",
    "of_topics",
    "outstanding_throttles",
    "put_back",
    "to_json",
    "wanted",
]

_EVERY_REPLICA = "*"
#: What is left of throttles that were being put back when the process ended; no topic is called so.
NOT_KNOWN = "not known"
_LISTS = ("leader_replicas", "follower_replicas")
_RATES = ("leader_rate", "follower_rate", "directory_rate")
#: Brokers take a moment to show what they were told; read again so often before a value counts as not put back.
_READS = 20
_READ_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class OutstandingThrottles:
    """Throttles that a run has set, or was about to set, and not put back yet.

    Attributes:
        step: the journal's step that set them.
        earlier: the values before.
        ours: all the values that the run has set or meant to set, the newest first.
        partitions: one partition of each topic concerned, to ask whether the topic is still there.
    """

    step: int
    earlier: Throttles
    ours: tuple[Throttles, ...]
    partitions: Mapping[str, int]

    @property
    def now(self) -> Throttles:
        """The values set."""
        return self.ours[0]


@dataclass(frozen=True, slots=True)
class PutBack:
    """What came of putting throttles back.

    Attributes:
        left: what could not be put back, with the values that it should have.
        theirs: what somebody else has set since and was left alone, with the values of now.
    """

    left: Throttles = field(default_factory=Throttles)
    theirs: Throttles = field(default_factory=Throttles)


def earlier_values(target: Target, moves: Iterable[MoveProgress], alive: frozenset[int]) -> Throttles:
    """What is set now on the living brokers and the topics that these moves concern."""
    copied = [move for move in moves if move.newcomers]
    brokers = {broker for move in copied for broker in (*move.before, *move.target)} & alive
    return target.throttles(sorted(brokers), sorted({move.topic for move in copied}))


def merged(some: Throttles, others: Throttles) -> Throttles:
    """Both; where both tell a value, that of ``others``."""
    return Throttles(**{item.name: {**getattr(some, item.name), **getattr(others, item.name)} for item in fields(some)})


def of_brokers(throttles: Throttles, brokers: Collection[int]) -> Throttles:
    """Without the rates of other brokers."""
    return _where(throttles, lambda kind, name, _: kind in _LISTS or name in brokers)


def of_topics(throttles: Throttles, topics: Collection[str]) -> Throttles:
    """Without the lists of other topics."""
    return _where(throttles, lambda kind, name, _: kind in _RATES or name in topics)


def _where(throttles: Throttles, holds: Callable[[str, Any, str | None], bool]) -> Throttles:
    """The values of which this holds, asked with the kind, the broker or topic, and the value."""
    return Throttles(
        **{
            kind: {name: value for name, value in getattr(throttles, kind).items() if holds(kind, name, value)}
            for kind in (item.name for item in fields(throttles))
        }
    )


def wanted(moves: Iterable[MoveProgress], rate: int, earlier: Throttles) -> Throttles:
    """What a run sets: this rate on each broker of ``earlier``, and the replicas that copy or are copied from."""
    lists: dict[str, dict[str, list[str]]] = {name: {} for name in _LISTS}
    for move in moves:
        for name, brokers in zip(_LISTS, (move.before, move.newcomers), strict=True):
            if move.newcomers:
                lists[name].setdefault(move.topic, []).extend(f"{move.partition}:{broker}" for broker in brokers)
    return Throttles(
        leader_rate=dict.fromkeys(earlier.leader_rate, str(rate)),
        follower_rate=dict.fromkeys(earlier.follower_rate, str(rate)),
        leader_replicas=_added(earlier.leader_replicas, lists["leader_replicas"]),
        follower_replicas=_added(earlier.follower_replicas, lists["follower_replicas"]),
        directory_rate=dict.fromkeys(earlier.directory_rate, str(rate)),
    )


def _added(earlier: Mapping[str, str | None], more: Mapping[str, Sequence[str]]) -> dict[str, str | None]:
    out: dict[str, str | None] = {}
    for topic, replicas in more.items():
        if topic not in earlier or earlier[topic] == _EVERY_REPLICA:
            continue  # gone by now, or every replica of it is throttled already
        told = earlier[topic] or ""
        whole = ",".join(dict.fromkeys([*filter(None, told.split(",")), *replicas]))
        out[topic] = whole if len(whole) <= LONGEST_LIST else _EVERY_REPLICA
    return out


def lifted(set_by_run: Throttles, now: Throttles) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Where what a run has set does not hold any more.

    Args:
        set_by_run: what it set.
        now: what is set on the same brokers and topics; what is not told there counts as unchanged.

    Returns:
        Brokers with another rate or none, and topics of which replicas that it listed are listed no more; ascending.
    """
    brokers = {
        broker
        for name in _RATES
        for broker, rate in getattr(set_by_run, name).items()
        if getattr(now, name).get(broker, rate) != rate
    }
    topics = {
        topic
        for name in _LISTS
        for topic, listed in getattr(set_by_run, name).items()
        if (told := getattr(now, name).get(topic, listed)) != _EVERY_REPLICA
        and not _replicas(listed) <= _replicas(told)
    }
    return tuple(sorted(brokers)), tuple(sorted(topics))


def _replicas(told: str | None) -> set[str]:
    return set(filter(None, (told or "").split(",")))


def to_json(throttles: Throttles) -> dict[str, list[list[object]]]:
    """As the journal keeps them: pairs, since JSON's keys are texts and broker ids are not."""
    return {
        item.name: [[key, value] for key, value in getattr(throttles, item.name).items()] for item in fields(throttles)
    }


def from_json(value: Mapping[str, Any]) -> Throttles:
    """What ``to_json`` made."""
    return Throttles(**{item.name: dict(value.get(item.name, ())) for item in fields(Throttles)})


def before_the_run(there: OutstandingThrottles, now: Throttles) -> Throttles:
    """What was there before a run that has set throttles already and goes on.

    That is what it found first; where it concerns more now, what is set there; and where something else than the run's
    own stands now, that: somebody has set it since, and it is what is to come back.

    Args:
        there: what the run has set.
        now: what is set on the brokers and topics that are still concerned.
    """
    return merged(merged(now, there.earlier), _theirs(there, now))


def _theirs(there: OutstandingThrottles, now: Throttles) -> Throttles:
    """Of what is set now, what is neither the run's own nor what was there before it."""

    def is_theirs(kind: str, name: object, value: str | None) -> bool:
        ours = [values[name] for values in (getattr(one, kind) for one in there.ours) if name in values]
        return value not in (getattr(there.earlier, kind).get(name, value), *ours)

    return _where(now, is_theirs)


def outstanding_throttles(journal: Journal, run_id: int) -> OutstandingThrottles | None:
    """The throttles of a run that are not put back; None: none. ``Journal.throttled_runs`` finds the runs that have."""
    steps = journal.steps(run_id=run_id, kind="throttles", most=ALL_STEPS)
    if not steps:
        return None
    latest = steps[0]  # knows all that was there before the run, as each of them does
    # What was put back then is no business of this run any more: somebody may have set it anew.
    left = next(
        (
            back.outcome["left"]
            for back in journal.steps(run_id=run_id, kind="throttles back")
            if back.id > latest.id and back.outcome is not None and back.outcome["left"] != [NOT_KNOWN]
        ),
        None,
    )
    if left == []:
        return None
    ours = tuple(from_json(step.content["set"]) for step in steps)
    stands = OutstandingThrottles(latest.id, from_json(latest.content["earlier"]), ours, latest.content["partitions"])
    return stands if left is None else _only_left(stands, left)


def _only_left(stands: OutstandingThrottles, names: Collection[object]) -> OutstandingThrottles:
    earlier, *ours = (_where(values, lambda _, name, __: name in names) for values in (stands.earlier, *stands.ours))
    partitions = {topic: partition for topic, partition in stands.partitions.items() if topic in names}
    return replace(stands, earlier=earlier, ours=tuple(ours), partitions=partitions)


def put_back(target: Target, throttles: OutstandingThrottles, wait: Callable[[float], object]) -> PutBack:
    """Set the earlier values again, where the run's own are still set, and read them back.

    Args:
        target: the cluster.
        throttles: what a run has set.
        wait: waits some seconds, between two readings.

    Returns:
        What could not be put back, and what somebody else has set since; both empty: all is as it was. Topics that are
        gone took their settings with them.

    Raises:
        ClusterUnreachable: the cluster does not answer.
    """
    earlier = throttles.earlier
    brokers = set(names_of(earlier)[0])
    alive = brokers & target.alive()
    there = {topic for topic, _ in target.assignments(sorted(throttles.partitions.items()))}
    came = _put_back(target, throttles, of_topics(of_brokers(earlier, alive), there), wait)
    # A dead broker is told apart, since it cannot always be asked: it must not keep the others throttled.
    for broker in sorted(brokers - alive):
        alone = of_topics(of_brokers(earlier, {broker}), ())
        try:
            missed = _put_back(target, throttles, alone, wait)
        except ClusterUnreachable:
            missed = PutBack(left=alone)
        came = PutBack(merged(came.left, missed.left), merged(came.theirs, missed.theirs))
    return came


def _put_back(
    target: Target, throttles: OutstandingThrottles, earlier: Throttles, wait: Callable[[float], object]
) -> PutBack:
    """Put these values back, all of which can be asked for at once."""
    theirs = _theirs(throttles, target.throttles(*names_of(earlier)))
    # What is as before already is set all the same: a broker may yet be told of the run's own.
    restored = _where(earlier, lambda kind, name, _: name not in getattr(theirs, kind))
    target.set_throttles(restored)
    return PutBack(_differing(target, restored, wait), theirs)


def names_of(values: Throttles) -> tuple[list[int], list[str]]:
    """The brokers and the topics that throttles are of, ascending."""
    return (
        sorted({broker for name in _RATES for broker in getattr(values, name)}),
        sorted({*values.leader_replicas, *values.follower_replicas}),
    )


def _differing(target: Target, wished: Throttles, wait: Callable[[float], object]) -> Throttles:
    """What is not as wished, once brokers had their moment to show it."""
    brokers, topics = names_of(wished)
    for attempt in range(_READS):
        if attempt:
            wait(_READ_SECONDS)
        now = target.throttles(brokers, topics)
        left = _where(wished, partial(_shows_other, now))
        if not any(getattr(left, item.name) for item in fields(left)):
            break
    return left


def _shows_other(now: Throttles, kind: str, name: Any, value: str | None) -> bool:
    """Whether another value is set; a broker that does not tell its rates may have any, a topic that is gone none."""
    return bool(getattr(now, kind).get(name, "" if kind in _RATES else None) != value)
