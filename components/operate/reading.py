"""The cluster read just now, for the guard: its snapshot, what is under way, and what leaving brokers still hold.

The one door through which the pages reach a cluster to operate on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import streamlit as st

from components.look import text
from components.operate import states
from components.operate.operated_cluster import OperatedCluster
from components.state.slots import Slot
from reseat import audit
from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.formats.documents.sealed import SealedPlan
from reseat.model import Snapshot
from reseat.operate.admitting import facts_of
from reseat.operate.checks.election import Ends
from reseat.operate.checks.guard import Facts
from reseat.operate.targets.target import Partition, Target
from reseat.sources.live import read_cluster

__all__ = ["Fresh", "draw_age", "last_reading", "log_ends", "read", "read_cluster", "read_now", "target_of"]

_KEPT: Slot[tuple[Fresh, ...]] = Slot("operate-fresh")
_ENDS: Slot[tuple[object, Ends]] = Slot("operate-log-ends")
#: What everybody follows is checked against where it is not older.
_FRESH = timedelta(minutes=1)


@dataclass(frozen=True, eq=False)
class Fresh:
    """What the guard checks by.

    Attributes:
        cluster: by what the person knows it.
        plan: the plan that was asked for, None for an election or a topic.
        facts: the reading, and what was asked beside it.
    """

    cluster: str
    plan: SealedPlan | None
    facts: Facts

    @property
    def snapshot(self) -> Snapshot:
        """The reading."""
        return self.facts.snapshot


@contextmanager
def target_of(operated: OperatedCluster, protocol: str | None = None) -> Iterator[Target]:
    """The cluster open for operating on it.

    Args:
        operated: which cluster.
        protocol: ``admin`` or ``zookeeper``; None: the one chosen.

    Raises:
        ClusterUnreachable: it does not answer.
    """
    from reseat.operate.targets.opening import open_target

    target = (
        open_target(operated.writing(operated.protocol))
        if protocol is None
        else open_target(operated.connection, protocol)
    )
    try:
        yield target
    finally:
        target.close()


def read(operated: OperatedCluster) -> Snapshot:
    """The cluster as it is now; that the person reads it is a line of the audit log.

    Raises:
        ClusterUnreachable: it does not answer.
        WriteRefused: the line cannot be written; nothing is read then.
    """
    audit.record("reading", who=operated.person.name, cluster=operated.name)
    return read_cluster(operated.connection)


def read_now(operated: OperatedCluster, plan: SealedPlan | None = None) -> Fresh:
    """Read the cluster, and keep the reading for this session.

    Args:
        operated: which cluster.
        plan: what is to be executed, if it is a plan.

    Raises:
        ClusterUnreachable: it does not answer.
        WriteRefused: as ``read``.
    """
    with st.spinner(f"Reading {text.plain(operated.name, 60)} for the checks …", show_time=True):
        return _asked(operated, plan, read(operated))


def last_reading(operated: OperatedCluster, plan: SealedPlan | None = None) -> Fresh:
    """The last reading of this session that can still be checked against, or a new one.

    What everybody follows is taken where it is newer; a reading from before the end of the last run is never taken.

    Raises:
        ClusterUnreachable: it does not answer.
        WriteRefused: as ``read``.
    """
    runs = () if operated.journal is None else operated.journal.runs(operated.cluster_id, most=1)
    since = runs[0].ended_at if runs and runs[0].ended_at is not None else datetime.min.replace(tzinfo=UTC)
    held: tuple[Fresh, ...] = _KEPT.get(())
    kept = next((one for one in held if one.cluster == operated.name), None)
    followed = operated.snapshot
    if kept is not None and kept.snapshot.taken_at > since and kept.snapshot.taken_at >= followed.taken_at:
        return kept if _hash(kept.plan) == _hash(plan) else _asked(operated, plan, kept.snapshot)
    if followed.taken_at > since and datetime.now(UTC) - followed.taken_at < _FRESH:
        return _asked(operated, plan, followed)
    return read_now(operated, plan)


def _hash(plan: SealedPlan | None) -> str | None:
    return None if plan is None else plan.hash


def _asked(operated: OperatedCluster, plan: SealedPlan | None, snapshot: Snapshot) -> Fresh:
    """Ask for what no reading tells, and keep all of it."""
    with target_of(operated) as target:
        cordon = plan is not None and bool(plan.leaving)
        fresh = Fresh(operated.name, plan, facts_of(target, snapshot, plan, cordon=cordon))
    _KEPT.set((fresh,))
    return fresh


def log_ends(operated: OperatedCluster, fresh: Fresh, partitions: tuple[Partition, ...]) -> Ends:
    """Where the logs of these partitions end on living brokers, asked once for each reading and choice.

    Raises:
        ClusterUnreachable: the cluster does not answer.
    """
    which = (operated.name, fresh.snapshot.taken_at, partitions)
    kept: tuple[object, Ends] = _ENDS.get((None, {}))
    if kept[0] != which:
        with target_of(operated) as target:
            kept = (which, target.log_ends(partitions))
        _ENDS.set(kept)
    return kept[1]


def draw_age(operated: OperatedCluster, fresh: Fresh) -> None:
    """Say how old the reading is, and read the cluster anew where the person asks for it."""
    with st.container(horizontal=True, vertical_alignment="center", key="reading-age", gap="small"):
        taken = fresh.snapshot.taken_at
        st.caption(
            f"By the reading of {taken:%H:%M:%S} UTC, {text.ago(taken)}; it is read once more before anything is sent.",
            width="content",
        )
        again = st.button("Read again", key="read-again", icon=":material/refresh:", type="tertiary")
    if again:
        try:
            read_now(operated, fresh.plan)
        except (ClusterUnreachable, WriteRefused) as error:
            states.draw_unread(error)
            return
        st.rerun()
