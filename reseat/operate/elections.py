"""Holds an election, and puts what happened beside what was previewed, partition by partition.

How it works: the preview is that of ``reseat.election`` on the layout given. Kafka is asked for the partitions alone,
and leaders are read until they show what Kafka's answers say, for a bounded time: brokers tell of a new leader a moment
after the controller has chosen it.

Example: ``orders-0`` is [1, 2], led by 2, and broker 1 has left the ISR since the layout was read: previewed is leader
1; Kafka answers PREFERRED_LEADER_NOT_AVAILABLE, leader 2 stays, and a sentence says so.

Source: KIP-183, KIP-460.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reseat.election import ElectionPreview, Reason, preferred, unclean
from reseat.election.rules import Mode
from reseat.model import NONE as NOBODY
from reseat.model import ClusterLayout
from reseat.model.wording import counted, verb
from reseat.operate.targets.error_names import NONE, ErrorName
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Assignment, Election, Partition, Target

__all__ = ["ElectionOutcome", "PartitionElection", "asked_for", "hold", "preview"]

#: How long leaders may take to show what was answered.
_SETTLING_SECONDS = 10.0
#: Reasons for which nobody asks Kafka when no partitions are named: nothing could change.
_NOTHING_TO_ELECT = (Reason.ALREADY_LED, Reason.KEEPS_LEADING, Reason.NO_REPLICAS)
#: Reasons for which the preview cannot tell what Kafka will do.
_NOT_PREVIEWED = (Reason.LEADER_NOT_TOLD, Reason.ORDER_NOT_TOLD)


@dataclass(frozen=True, slots=True)
class PartitionElection:
    """One partition of an election.

    Attributes:
        topic: its topic.
        partition: its id.
        leader_before: broker id as the layout tells it, -1 none, -2 not told.
        expected_leader: broker id as previewed, -1 none; None where it could not be previewed.
        answer: Kafka's name of the result (``NONE``, ``ELECTION_NOT_NEEDED``, ...).
        leader_after: broker id seen afterwards, -1 none; None where the partition is gone.
        sentence: where Kafka differed from the preview, how; else "".
    """

    topic: str
    partition: int
    leader_before: int
    expected_leader: int | None
    answer: str
    leader_after: int | None
    sentence: str = ""

    @property
    def differed(self) -> bool:
        """Whether what happened is not what was previewed."""
        return bool(self.sentence)


@dataclass(frozen=True, slots=True)
class ElectionOutcome:
    """What came of an election.

    Attributes:
        election: which one.
        partitions: one a partition asked for, by topic and id.
        sentences: what happened in all, for a person.
    """

    election: Election
    partitions: tuple[PartitionElection, ...]
    sentences: tuple[str, ...]

    @property
    def answers(self) -> dict[str, int]:
        """How many partitions got each of Kafka's answers, by name."""
        counts: dict[str, int] = {}
        for one in self.partitions:
            counts[one.answer] = counts.get(one.answer, 0) + 1
        return dict(sorted(counts.items()))

    @property
    def differing(self) -> tuple[PartitionElection, ...]:
        """The partitions where Kafka differed from the preview."""
        return tuple(one for one in self.partitions if one.differed)


def preview(layout: ClusterLayout, election: Election, mode: Mode = "zookeeper") -> ElectionPreview:
    """Who would lead after this election; ``mode`` is which controller decides."""
    return preferred(layout, mode) if election is Election.PREFERRED else unclean(layout, mode)


def asked_for(layout: ClusterLayout, election: Election, mode: Mode = "zookeeper") -> tuple[Partition, ...]:
    """The partitions that an election could change, which is what "all" means here; the others only cost time."""
    reasons = preview(layout, election, mode).reason
    rows = np.flatnonzero(~np.isin(reasons, [int(reason) for reason in _NOTHING_TO_ELECT]))
    return tuple(layout.partitions_at(rows))


def hold(
    target: Target,
    layout: ClusterLayout,
    election: Election,
    partitions: Sequence[Partition] | None = None,
    *,
    mode: Mode = "zookeeper",
    patience: Patience | None = None,
) -> ElectionOutcome:
    """Hold an election. Whether it is allowed is for the guard to say, before.

    Args:
        target: the cluster.
        layout: as it was read; what the preview rests on.
        election: which election.
        partitions: the partitions; None: all that it could change.
        mode: which controller decides: ``kraft`` or ``zookeeper``, as the reading told.
        patience: how long leaders may take to show what was answered.

    Raises:
        ClusterUnreachable: the cluster does not answer.
        WishRefused: an unclean election through ZooKeeper's nodes.
    """
    foreseen = preview(layout, election, mode)
    wanted = sorted(dict.fromkeys(asked_for(layout, election, mode) if partitions is None else partitions))
    if not wanted:
        return ElectionOutcome(election, (), ("There is nothing to elect: nothing was sent.",))
    expected = {one: _expected(layout, foreseen, one) for one in wanted}
    answers = target.elect(election, wanted)
    seen = _settled(target, wanted, expected, answers, patience or Patience(_SETTLING_SECONDS))
    held = tuple(_put_side_by_side(one, expected[one], answers[one], seen.get(one)) for one in wanted)
    return ElectionOutcome(election, held, _sentences(held))


@dataclass(frozen=True, slots=True)
class _Expected:
    before: int
    leader: int | None
    answer: str | None
    why: str


def _expected(layout: ClusterLayout, foreseen: ElectionPreview, partition: Partition) -> _Expected:
    row = layout.row(*partition)
    if row is None:
        return _Expected(-2, None, None, "The layout does not have this partition.")
    reason = foreseen.reason_of(row)
    before = int(foreseen.leader_before[row])
    if reason in _NOT_PREVIEWED:
        return _Expected(before, None, None, reason.sentence)
    return _Expected(before, int(foreseen.leader_after[row]), reason.error, reason.sentence)


def _settled(
    target: Target,
    wanted: Sequence[Partition],
    expected: dict[Partition, _Expected],
    answers: dict[Partition, str],
    patience: Patience,
) -> dict[Partition, Assignment]:
    """The partitions as they are seen once the leaders elected show, or the time is over."""
    seen: dict[Partition, Assignment] = {}
    waiting = list(wanted)
    for _ in patience.attempts():
        now = target.assignments(waiting)
        seen |= now
        waiting = [
            one
            for one in waiting
            if answers[one] == NONE and not (one in now and now[one].leader == _meant(expected[one], now[one]))
        ]
        if not waiting:
            break
    return seen


def _meant(expected: _Expected, now: Assignment) -> int:
    """The leader that "elected" should show: the one previewed, else the preferred replica."""
    if expected.leader is not None and expected.leader != NOBODY:
        return expected.leader
    return now.replicas[0] if now.replicas else NOBODY


def _put_side_by_side(
    partition: Partition, expected: _Expected, answer: str, seen: Assignment | None
) -> PartitionElection:
    after = None if seen is None else seen.leader
    return PartitionElection(
        topic=partition[0],
        partition=partition[1],
        leader_before=expected.before,
        expected_leader=expected.leader,
        answer=answer,
        leader_after=after,
        sentence=_with_words(_difference(f"{partition[0]}-{partition[1]}", expected, answer, after), answer),
    )


def _difference(name: str, expected: _Expected, answer: str, after: int | None) -> str:
    if after is None:
        return f"{name} no longer exists: Kafka answered {answer}."
    led = "it has no leader" if after == NOBODY else f"broker {after} leads it"
    if expected.leader is None:
        return f"{name} was not previewed ({expected.why}): Kafka answered {answer}, and {led}."
    if after == expected.leader:
        if answer == expected.answer:
            return ""
        return f"{name}: Kafka answered {answer} where {expected.answer} was previewed; {led}, as previewed."
    meant = "nobody" if expected.leader == NOBODY else f"broker {expected.leader}"
    return (
        f"{name}: {meant} was previewed as leader ({expected.why}); Kafka answered {answer}, and {led}. "
        "The cluster has changed since it was read."
    )


def _with_words(sentence: str, answer: str) -> str:
    """A sentence about Kafka's answer, with what Kafka said beside its name."""
    said = answer.message if isinstance(answer, ErrorName) else ""
    return f"{sentence} Kafka says: {said}" if sentence and said else sentence


def _sentences(held: tuple[PartitionElection, ...]) -> tuple[str, ...]:
    moved = sum(one.leader_after not in (None, one.leader_before) for one in held)
    differing = sum(one.differed for one in held)
    said = [
        f"{counted(len(held), 'partition')} requested: {counted(moved, 'partition')} {verb(moved, 'has', 'have')} "
        "another leader now."
    ]
    said.append(
        f"Kafka differed from the preview in {counted(differing, 'partition')}."
        if differing
        else "The result matches the preview."
    )
    return tuple(said)
