"""Whether a cluster is as planned: what Kafka's ``--verify`` says, without changing anything.

Done is said only where the list of reassignments has none of the plan's partitions *and* every description agrees:
after KRaft has taken a partition off the list, brokers describe the old replicas a moment longer. What is different
is therefore looked at again before it is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from reseat.formats.documents.directory_moves import named_directories
from reseat.model import NONE, Snapshot
from reseat.model.wording import counted, listed, some_of
from reseat.operate.checks.check import Check, CheckResult
from reseat.operate.run.same_topics import same_topics
from reseat.operate.run.sentences import list_text
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Partition, Target

if TYPE_CHECKING:
    from reseat.formats.documents.sealed import SealedPlan

__all__ = ["Difference", "Verification", "verify"]

_WORDS = {
    "leader_rate": "leader throttle of broker {}",
    "follower_rate": "follower throttle of broker {}",
    "directory_rate": "throttle between directories of broker {}",
    "leader_replicas": "leader throttle of topic {}",
    "follower_replicas": "follower throttle of topic {}",
}


#: How long a broker may take to be told of what the controller did.
_LAG_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Difference:
    """One partition that is not as planned.

    Attributes:
        topic: its topic.
        partition: its id.
        planned: replica ids planned.
        now: replica ids now; None: it is gone.
        under_way: whether a reassignment of it is under way.
    """

    topic: str
    partition: int
    planned: tuple[int, ...]
    now: tuple[int, ...] | None
    under_way: bool

    def __str__(self) -> str:
        is_now = "is gone" if self.now is None else f"has {list_text(self.now)}"
        return f"{self.topic}-{self.partition} {is_now}, planned {list_text(self.planned)}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What a cluster is beside a plan.

    Attributes:
        partitions: how many the plan names.
        differences: those that are not as planned, or still under way.
        throttles: replication throttles set on its brokers and topics, each with its value, in words.
        drained: whether leaving brokers hold nothing any more; None: none was to leave, or there is no reading.
        elsewhere: replicas in another log directory than the plan names, each in words.
        copied: those that are on their way there.
    """

    partitions: int
    differences: tuple[Difference, ...]
    throttles: tuple[str, ...]
    drained: Check | None = None
    elsewhere: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()

    @property
    def under_way(self) -> tuple[Difference, ...]:
        """Partitions on the list of reassignments."""
        return tuple(one for one in self.differences if one.under_way)

    @property
    def different(self) -> tuple[Difference, ...]:
        """Partitions that are not as planned, and nothing of them is under way."""
        return tuple(one for one in self.differences if not one.under_way)

    @property
    def done(self) -> bool:
        """Whether every partition is as planned and none is under way."""
        return not (self.differences or self.elsewhere or self.copied)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What came of it, for a person."""
        planned = self.partitions - len(self.differences)
        out = [f"{some_of(planned, self.partitions, 'partition', 'is', 'are')} as planned."]
        for some, what in ((self.under_way, "in progress"), (self.different, "different")):
            if some:
                out.append(f"{counted(len(some), 'partition is', 'partitions are')} {what}: {listed(some)}.")
        for there, what in (
            (self.copied, "on the way to another log directory"),
            (self.elsewhere, "in another log directory"),
        ):
            if there:
                out.append(f"{counted(len(there), 'replica is', 'replicas are')} {what}: {listed(there)}.")
        if self.throttles:
            out.append(f"Replication throttles are set: {listed(self.throttles)}.")
        if self.drained is not None:
            out.append(self.drained.sentence)
        return tuple(out)

    @property
    def holds(self) -> bool:
        """Whether it is done, and leaving brokers are empty as far as they could be asked."""
        return self.done and (self.drained is None or self.drained.result is not CheckResult.FAILED)


def verify(
    target: Target, plan: SealedPlan, now: Snapshot | None = None, *, patience: Patience | None = None
) -> Verification:
    """Compare a cluster with a plan.

    Args:
        target: the cluster.
        plan: the plan as read.
        now: a reading of the cluster, for what only a whole reading can say: that leaving brokers are drained.
        patience: how long a partition must stay different, as some broker may lag behind the controller.

    Raises:
        ClusterUnreachable: the cluster does not answer.
    """
    layout = plan.proposed
    names = [layout.topics[topic] for topic in layout.topic_of.tolist()]
    lists = [tuple(broker for broker in ids if broker != NONE) for ids in layout.replica_ids.tolist()]
    planned: dict[Partition, tuple[int, ...]] = dict(
        zip(zip(names, layout.partition.tolist(), strict=True), lists, strict=True)
    )
    target = same_topics(target, plan.topic_ids, planned)
    differences: tuple[Difference, ...] = ()
    for _ in (patience or Patience(_LAG_SECONDS)).attempts():
        differences = _differences(target, planned)
        if all(one.under_way for one in differences):
            break
    drained = None
    if plan.leaving and now is not None:
        from reseat.operate.checks.drained import drained as drained_check

        drained = drained_check(plan.leaving, now, target.holdings(plan.leaving))
    return Verification(len(planned), differences, _throttles(target, plan), drained, *_directories(target, plan))


def _differences(target: Target, planned: Mapping[Partition, tuple[int, ...]]) -> tuple[Difference, ...]:
    # The list first: a partition that is off the list and then described as planned is done.
    under_way = target.reassigning()
    told = target.assignments(list(planned))
    return tuple(
        Difference(topic, partition, ids, None if one is None else one.replicas, moving)
        for (topic, partition), ids in planned.items()
        for one in (told.get((topic, partition)),)
        for moving in ((topic, partition) in under_way or (one is not None and one.under_way),)
        if moving or one is None or one.replicas != ids
    )


def _directories(target: Target, plan: SealedPlan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Replicas that are not in the log directory that the plan names, and those that are on their way there."""
    named = named_directories(plan.proposed)
    if not named:
        return (), ()
    brokers = sorted({broker for of in named.values() for broker in of})
    seen = target.directories(list(named), brokers)
    elsewhere, copied = [], []
    for (topic, partition), of in named.items():
        for broker, path in of.items():
            one = seen.stored.get(((topic, partition), broker))
            words = f"{topic}-{partition} on broker {broker}"
            if one is not None and one.future == path:
                copied.append(f"{words} to {path}")
            elif one is not None and one.path != path:
                elsewhere.append(f"{words} in {one.path}, planned {path}")
    return tuple(elsewhere), tuple(copied)


def _throttles(target: Target, plan: SealedPlan) -> tuple[str, ...]:
    layout = plan.proposed
    known = layout if plan.before is None else plan.before
    brokers = {int(broker) for ids in (layout.replica_ids, known.replica_ids) for broker in ids.ravel().tolist()}
    told = target.throttles(sorted((brokers - {NONE}) & target.alive()), list(layout.topics))
    return tuple(
        f"{_WORDS[item.name].format(name)} ({value if len(value) <= 40 else value[:37] + '...'})"
        for item in fields(told)
        for name, value in getattr(told, item.name).items()
        if value is not None
    )
