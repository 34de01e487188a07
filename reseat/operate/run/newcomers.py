"""New replicas in the log directories that a plan names for them.

How it works: a broker that is asked to keep a replica in a directory, and has no such replica yet, remembers the
directory and answers REPLICA_NOT_AVAILABLE; it makes the replica there once the controller gives it one. It remembers
until it restarts. So each batch's directories are asked for just before its lists, as Kafka's own tool does the other
way about.

Source: KIP-113; ``ReplicaManager.alterReplicaLogDirs`` as of 4.4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from reseat.errors import InputRefused
from reseat.operate.journal.records import MoveProgress, Run
from reseat.operate.targets.stored import Replica
from reseat.operate.targets.target import Partition, Target

__all__ = ["into_directories"]

#: The broker's word for a replica that it does not have: the directory is remembered.
_REMEMBERED = "REPLICA_NOT_AVAILABLE"


def into_directories(target: Target, run: Run, moves: Collection[MoveProgress]) -> Target:
    """The cluster, each reassignment of which asks first for the directories that the run's plan names.

    Where the person went on in spite of the check of these directories, the brokers choose for what they refuse.
    """
    if '"log_dirs"' not in run.plan or run.protocol == "zookeeper":
        return target
    from reseat.formats.documents.directory_moves import named_directories
    from reseat.formats.documents.sealed import read_sealed

    try:
        told = named_directories(read_sealed(run.plan).proposed)
    except InputRefused:  # of a journal that somebody else wrote; the executor says what it finds
        return target
    named = {
        (move.key, broker): path
        for move in moves
        for broker, path in told.get(move.key, {}).items()
        if broker not in move.before
    }
    lenient = "log_dirs_chosen" in run.overridden
    return cast("Target", _Newcomers(target, named, lenient)) if named else target


class _Newcomers:
    """The cluster; all but ``reassign`` is its own."""

    def __init__(self, target: Target, named: Mapping[Replica, str], lenient: bool) -> None:
        self._target = target
        self._named = named
        self._lenient = lenient

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def reassign(
        self, targets: Mapping[Partition, Sequence[int]], *, keeps_factor: bool
    ) -> dict[Partition, str | None]:
        """Ask for the directories, then for the lists of those partitions of which no broker refused its own."""
        asked = {
            (key, broker): self._named[key, broker]
            for key, ids in targets.items()
            for broker in ids
            if (key, broker) in self._named
        }
        answers = self._target.move(asked) if asked else {}
        refused: dict[Partition, str | None] = {
            key: error for (key, _), error in answers.items() if error not in (None, _REMEMBERED) and not self._lenient
        }
        rest = {key: ids for key, ids in targets.items() if key not in refused}
        return refused | (self._target.reassign(rest, keeps_factor=keeps_factor) if rest else {})
