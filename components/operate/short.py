"""Short writes, held within the page's own run: an election, a new topic. Journaled and locked as a run is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import streamlit as st

from components.operate import states
from components.operate.operated_cluster import OperatedCluster
from components.state.slots import Slot
from reseat.errors import ClusterUnreachable, ReseatError, WriteRefused
from reseat.operate import short_writes
from reseat.operate.checks.check import Check

__all__ = ["Outcomes", "attempt", "outcomes", "write"]

_OUTCOMES: Slot[Outcomes] = Slot("operate-outcomes")

_Done = TypeVar("_Done")


class Outcomes:
    """What short writes came to in this session, by name; filled by the write itself.

    A page may be drawn anew while the write waits for the cluster: what came of it is put here without asking
    Streamlit, which would end the page's run at that moment.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, object] = {}


def outcomes() -> Outcomes:
    """What short writes came to in this session."""
    kept = _OUTCOMES.get(Outcomes())
    _OUTCOMES.set(kept)
    return kept


def write(
    operated: OperatedCluster,
    kind: str,
    content: Mapping[str, object],
    checks: Sequence[Check],
    work: Callable[[], tuple[_Done, Mapping[str, object]]],
) -> _Done:
    """Do a short write (``reseat.operate.short_writes``) on the cluster, by the person before it.

    Raises:
        WriteRefused: writing is not enabled, a check says no, or somebody else is at work; nothing was sent.
        ClusterUnreachable: the cluster does not answer; what came of it is then not known to the journal.
    """
    if not operated.may_write or operated.journal is None:
        raise WriteRefused("Nothing was sent: writing is not enabled here, or the person is not allowed.")
    who = {"cluster_id": operated.cluster_id, "operator": operated.person.name}
    return short_writes.write(operated.journal, kind, content, checks, work, **who)


def attempt(name: str, doing: str, work: Callable[[], object]) -> bool:
    """Try a short write with a spinner, keep what came of it, and draw why nothing was sent; says whether it came off.

    Args:
        name: under which ``outcomes`` keeps it.
        doing: what the spinner says.
        work: the write.
    """
    kept = outcomes()
    kept.by_name.pop(name, None)
    try:
        with st.spinner(doing, show_time=True):
            kept.by_name[name] = work()
    except ClusterUnreachable as error:
        states.draw_lost(str(error))
    except WriteRefused as error:
        states.draw_write_refused(error)
    except ReseatError as error:
        states.draw_blocked(str(error))
    else:
        return True
    return False
