"""A migration looked at: both sides, the topics, the target afterwards, waves, and what to run. Nothing is executed.

Example: ``migrate(source, target, MigrationRequest(topics=("orders",)))``
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reseat.errors import WishRefused
from reseat.migration.mirror_maker import caveats, create_commands, follow_commands, mirror_properties
from reseat.migration.notes import notes, without_disk_space
from reseat.migration.request import MigrationRequest
from reseat.migration.sides import Side, TopicMove, side_of, topic_moves
from reseat.migration.target import Target, target_of
from reseat.migration.waves import Wave, waves_of
from reseat.model import ClusterLayout, LogDirectory
from reseat.model.units import size
from reseat.model.wording import counted, verb

__all__ = ["Migration", "migrate"]

#: What MirrorMaker 2's property names take as a cluster's alias.
_ALIAS = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)


@dataclass(frozen=True, eq=False)
class Migration:
    """All that is told of it.

    Attributes:
        asked: what was asked.
        source: the source in numbers.
        target: the target in numbers, before.
        topics: the topics to move, by name.
        after: the target once they are there.
        waves: in which order.
        notes: what a person should look at, a sentence each.
        caveats: what MirrorMaker 2 does not do, a sentence each.
        lacking: by broker of the target that has too little disk space for what comes, why.
    """

    asked: MigrationRequest
    source: Side
    target: Side
    topics: tuple[TopicMove, ...]
    after: Target
    waves: tuple[Wave, ...]
    notes: tuple[str, ...]
    caveats: tuple[str, ...]
    lacking: tuple[str, ...] = ()

    @property
    def bytes(self) -> float | None:
        """What is copied from the source; None where a size is unknown."""
        known = [move.bytes for move in self.topics if move.bytes is not None]
        return sum(known) if len(known) == len(self.topics) else None

    @property
    def sentence(self) -> str:
        """What an operator should know first."""
        partitions = sum(move.partitions for move in self.topics)
        copied = "of unknown size" if self.bytes is None else f"and {size(self.bytes)}"
        what = f"{counted(len(self.topics), 'topic')} with {counted(partitions, 'partition')} {copied}"
        there = sum(bool(move.there) for move in self.topics)
        if self.after.faults:
            return f"{what} {verb(len(self.topics), 'does', 'do')} not fit as asked: {self.after.faults[0]}"
        if self.lacking:
            return f"{what} {verb(len(self.topics), 'needs', 'need')} more disk space than the target has."
        are = f", {there:,} of them there already" if there else ""
        return f"{what} can move to the target{are}, in {counted(len(self.waves), 'wave')}."

    @property
    def commands(self) -> tuple[str, ...]:
        """What makes the topics in the target; none where they do not fit."""
        if self.after.faults:
            return ()
        return create_commands(self.topics, self.after.made, self.asked.version)

    @property
    def follow(self) -> tuple[str, ...]:
        """What runs MirrorMaker 2, and shows how far it is."""
        return follow_commands(self.asked)

    def properties(self, wave: int) -> str:
        """MirrorMaker 2's property file for the waves up to this one, from 0."""
        return mirror_properties(self.asked, self.waves, wave, self.target.receiving)


def migrate(
    source: ClusterLayout,
    target: ClusterLayout,
    asked: MigrationRequest,
    tiered: Sequence[str] = (),
    directories: Sequence[LogDirectory] = (),
) -> Migration:
    """Look at a migration.

    Args:
        source: the cluster that topics move from.
        target: the cluster that they move to.
        asked: which, and how.
        tiered: topics of the source whose older segments are in remote storage, as far as that is known.
        directories: what brokers of the target tell of their log directories.

    Raises:
        WishRefused: a name fits no topic, MirrorMaker 2 does not copy one that is named, nothing is left to move, or no
            broker of the target may receive.
        PlacementRefused: a name or version that Kafka refuses.
    """
    if asked.prefix and (not _ALIAS.fullmatch(asked.prefix) or asked.prefix == "target"):
        raise WishRefused(
            f"'{asked.prefix[:40]}' cannot name the source: letters, digits, _ and - were expected, and not 'target'."
        )
    moves = topic_moves(source, target, asked)
    after = target_of(source, target, moves, asked)
    lacking = without_disk_space(after, directories)
    return Migration(
        asked=asked,
        source=side_of(source),
        target=side_of(target),
        topics=moves,
        after=after,
        waves=waves_of(moves, after.factors, asked.wave_bytes, asked.together),
        notes=notes(source, target, moves, after, asked, lacking=lacking),
        caveats=caveats(asked, moves, tiered),
        lacking=lacking,
    )
