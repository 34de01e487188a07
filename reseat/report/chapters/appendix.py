"""Appendix: every move."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, IntArray
from reseat.model.units import count
from reseat.model.wording import counted, verb
from reseat.report.content import Chapter, ChapterKind, Column, Table
from reseat.report.matter import Matter, ReportChoices

__all__ = ["chapter"]


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None where no plan changes anything."""
    plan = matter.plan
    if plan is None or not plan.changed.any():
        return None
    moves, layout = plan.moves, plan.current
    topics = np.array(layout.topics, object)
    tables = []
    if len(moves):
        columns = [
            Column("Topic", topics[layout.topic_of[moves.row]]),
            Column("Partition", layout.partition[moves.row]),
            Column("From broker", _ids(moves.source)),
            Column("To broker", _ids(moves.target)),
        ]
        if moves.bytes is not None:
            columns.append(Column("Data to copy", moves.bytes, "bytes"))
        tables.append(Table("moves", "Every replica moved, added or removed", tuple(columns)))
    ordered = np.setdiff1d(np.flatnonzero(plan.changed), moves.row)
    if ordered.size:
        before = layout.replica_ids[ordered, 0]
        after = plan.proposed.replica_ids[ordered, 0]
        tables.append(
            Table(
                "reordered",
                "Partitions whose replica list is only reordered",
                (
                    Column("Topic", topics[layout.topic_of[ordered]]),
                    Column("Partition", layout.partition[ordered]),
                    Column("Preferred leader before", before),
                    Column("Preferred leader after", after),
                ),
            )
        )
    copied = int(np.count_nonzero(moves.target != NONE))
    also = f", and {counted(int(ordered.size), 'list is', 'lists are')} reordered" if ordered.size else ""
    return Chapter(
        kind=ChapterKind.APPENDIX,
        name="Every move",
        heading=f"{counted(len(moves), 'replica')} in {counted(int(plan.changed.sum()), 'partition')}, one by one"
        f"{also}.",
        text=(
            f"Of these {count(copied)} {verb(copied, 'is', 'are')} copied over the network. Data is copied from "
            "each partition's leader, not from the broker that gives up the replica."
            if copied
            else "None of these is copied over the network: replicas are removed, or lists reordered.",
        ),
        tables=tuple(tables),
    )


def _ids(brokers: IntArray) -> npt.NDArray[np.generic]:
    """Broker ids; an empty cell where a replica only comes or only goes."""
    nobody = brokers == NONE
    if not nobody.any():
        return brokers
    shown = brokers.astype(object)
    shown[nobody] = None
    return shown
