"""What a person should look at in a migration, a sentence each: what differs between the sides, and what is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reseat.balance.health import out_of_every_isr
from reseat.balance.room import without_room
from reseat.balance.told import incomplete
from reseat.migration.request import MigrationRequest, Placing
from reseat.migration.sides import TopicMove, left_out_by_mirror_maker
from reseat.migration.target import Target
from reseat.model import NONE, ClusterLayout, LogDirectory
from reseat.model.naming import named_by
from reseat.model.wording import counted, listed, named, verb

__all__ = ["notes", "without_disk_space"]

#: Topics that a sentence names.
_NAMED = 4


def notes(
    source: ClusterLayout,
    target: ClusterLayout,
    moves: Sequence[TopicMove],
    after: Target,
    asked: MigrationRequest,
    *,
    lacking: Sequence[str],
) -> tuple[str, ...]:
    """The sentences, what does not fit first.

    Args:
        source: the source.
        target: the target as it is.
        moves: the topics.
        after: the target once they are there.
        asked: what was asked.
        lacking: by broker of the target that has too little disk space, why.
    """
    said = [*after.faults[1:]]
    if lacking:
        said.append(f"The target lacks disk space: {listed(lacking)}.")
    for name, layout in (("source", source), ("target", target)):
        if (finding := incomplete(layout)) is not None:
            said.append(finding.sentence.replace("The input", f"The {name}", 1))
    factor = {move.remote: after.factors.get(move.remote, move.there_factor or 0) for move in moves}
    said += [*_of_topics(moves, factor), *_of_racks(source, target, factor), *_of_brokers(target, after)]
    chosen = {move.name for move in moves}
    stay = [name for name in source.topics if name not in chosen and source.rows_of_topic(name)]
    stay = [name for name in stay if not left_out_by_mirror_maker(name)]
    if stay and not asked.topics:
        said.append(
            f"Not moved unless they are named: {listed(stay, _NAMED)}. What begins with _ is mostly a platform's own, "
            "such as a schema registry's."
        )
    vain = sorted({one for group in asked.together for one in group if not named_by(chosen, (one,))})
    if vain:
        said.append(
            f"No topic that moves matches {listed(vain, _NAMED)}, which {verb(len(vain), 'was', 'were')} to move "
            "together with others."
        )
    if after.made and asked.placing is Placing.KAFKA and not after.faults:
        said.append("Lists are one of many draws of Kafka's; the commands pin them.")
    return tuple(said)


def without_disk_space(after: Target, directories: Sequence[LogDirectory]) -> tuple[str, ...]:
    """By broker on which new replicas do not fit, why; what topics that are there already get is not counted."""
    layout = after.layout
    rows = [row for name in after.made for row in layout.rows_of_topic(name)]
    new = np.array([r for r in rows if int(layout.partition[r]) in after.made[layout.topics[layout.topic_of[r]]]], int)
    if layout.replica_bytes is None or not new.size:
        return ()
    there = layout.replicas[new] != NONE
    short, _ = without_room(layout.replica_ids[new][there], layout.replica_bytes[new][there], directories)
    return tuple(short.values())


def _of_topics(moves: Sequence[TopicMove], factor: Mapping[str, int]) -> Iterator[str]:
    """What is said of topics; ``factor`` is that of each in the target, by its name there."""
    fewer = [f"{move.remote} ({move.there:,} instead of {move.partitions:,})" for move in moves if move.lacking]
    if fewer:
        yield (
            f"{counted(len(fewer), 'topic')} {verb(len(fewer), 'has', 'have')} fewer partitions in the target: "
            f"{listed(fewer, _NAMED)}. They are added; keys that are there already do not move with them."
        )
    more = [f"{m.remote} ({m.there:,} instead of {m.partitions:,})" for m in moves if m.there > m.partitions]
    if more:
        yield (
            f"{counted(len(more), 'topic')} {verb(len(more), 'has', 'have')} more partitions in the target: "
            f"{listed(more, _NAMED)}. Order by key breaks at the cut-over."
        )
    lower = [f"{m.remote} ({factor[m.remote]} instead of {m.factor})" for m in moves if factor[m.remote] < m.factor]
    if lower:
        yield f"{counted(len(lower), 'topic')} would have fewer replicas than in the source: {listed(lower, _NAMED)}."
    tight = [move.remote for move in moves if move.min_in_sync and move.min_in_sync > factor[move.remote]]
    if tight:
        yield (
            f"{listed(tight, _NAMED)} would have fewer replicas than min.insync.replicas: writes with acks=all fail."
        )
    unknown = [move.name for move in moves if move.bytes is None]
    if unknown:
        yield f"The size of {counted(len(unknown), 'topic')} is unknown: {listed(unknown, _NAMED)}."


def _of_racks(source: ClusterLayout, target: ClusterLayout, factor: Mapping[str, int]) -> Iterator[str]:
    here, there = len(source.racks), len(target.racks)
    if here and not there:
        said = "has none" if not target.unknown_racks else "tells none"
        yield f"The source has {counted(here, 'rack')}, the target {said}: rack diversity is lost or unknown."
    elif sharing := [name for name, replicas in factor.items() if there < min(here, replicas)]:
        yield (
            f"The target has {counted(there, 'rack')}, the source {here}: replicas of a partition share a rack in "
            f"{counted(len(sharing), 'topic')}: {listed(sharing, _NAMED)}."
        )


def _of_brokers(target: ClusterLayout, after: Target) -> Iterator[str]:
    doubtful = target.broker_ids[out_of_every_isr(target) & target.receiving].tolist()
    if doubtful:
        yield (
            f"{named('Broker', doubtful, 'is', 'are')} in no ISR and may be down: topics are placed there all "
            "the same, unless the target is read live."
        )
    held = [load.broker for load in after.loads if load.over and not load.newly_over]
    if held:
        yield f"{named('Broker', held, 'holds', 'hold')} more than a limit allows already, and nothing is added there."
