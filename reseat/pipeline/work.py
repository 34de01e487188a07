"""A job at work on tables, whichever store they are in: the right to publish, and batches to publish.

On a disk of this machine one job works at a time, under a lock, and takes its turn (``reseat.pipeline.lock``,
``reseat.pipeline.turns``). Elsewhere, where tables are Delta tables, any number do, and two that touch the same
clusters are told apart by Delta's own entries (``reseat.pipeline.delta_commit``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reseat.history.delta import delta_of
from reseat.history.folder import Folder
from reseat.pipeline.commit import Batch
from reseat.pipeline.delta_commit import DeltaBatch, DeltaTurn, take_delta_turn
from reseat.pipeline.lock import hold
from reseat.pipeline.progress import Report, silent
from reseat.pipeline.staging import Staging
from reseat.pipeline.turns import Turn, take_turn

__all__ = ["AnyTurn", "at_work", "begin"]

#: A job's right to publish, of either store.
AnyTurn = Turn | DeltaTurn


@contextmanager
def at_work(tables: Folder, what: str, report: Report = silent) -> Iterator[AnyTurn]:
    """Hold the right to publish in tables, after what earlier jobs left was completed or cleared away.

    Args:
        tables: their folder, made where it does not exist.
        what: what the job does, for others who ask.
        report: is told what was completed or cleared away.

    Raises:
        PipelineBusy: another job works on these tables.
        InputRefused: they cannot be read or written.
    """
    delta = delta_of(tables)
    if delta is not None:
        yield take_delta_turn(tables, delta, report)
        return
    with hold(tables, what):
        yield take_turn(tables, report)


def begin(turn: AnyTurn, *, mark: str = "", whole_clusters: bool = True) -> Staging:
    """A new batch, with nothing in it; what it is made of is to be read after this.

    Args:
        turn: the job's right to publish it.
        mark: ends its name, and so tells later who wrote a file.
        whole_clusters: whether it depends on more of a cluster than the days that it touches.
    """
    if isinstance(turn, DeltaTurn):
        return DeltaBatch.begin(turn, mark=mark, whole_clusters=whole_clusters)
    return Batch.begin(turn, mark=mark)
