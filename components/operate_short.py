"""Short writes, held within the page's own run: an election, a new topic. Journaled and locked as a run is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import streamlit as st

from components import operate_states, session
from components.operate_desk import Desk
from reseat.errors import ClusterUnreachable, ReseatError, WriteRefused
from reseat.operate.checks import Check
from reseat.operate.guard import refuse_unless

__all__ = ["Outcomes", "attempt", "outcomes", "write"]

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
    kept = session.kept("operate-outcomes", Outcomes())
    session.keep("operate-outcomes", kept)
    return kept


def write(
    desk: Desk,
    kind: str,
    content: Mapping[str, object],
    checks: Sequence[Check],
    work: Callable[[], tuple[_Done, Mapping[str, object]]],
) -> _Done:
    """Do a short write: the intention is journaled first, the outcome after, and nobody else works on the cluster.

    Args:
        desk: the cluster and the person.
        kind: ``election`` or ``topic``.
        content: what is about to be sent, as JSON can say it.
        checks: what the guard said just now.
        work: does it; returns what came of it, and the same as JSON can say it.

    Raises:
        WriteRefused: a check says no, somebody else is at work, or the journal cannot be written; nothing was sent.
        ClusterUnreachable: the cluster does not answer; what came of it is then not known to the journal.
    """
    if not desk.may_write or desk.journal is None:
        raise WriteRefused("Nothing was sent: writing is not enabled here, or the person is not allowed.")
    refuse_unless(checks)
    who = desk.person.name
    with desk.journal.hold(desk.cluster_id, operator=who) as hold:
        step = desk.journal.begin(desk.cluster_id, kind, content, operator=who, hold=hold)
        done, told = work()
        desk.journal.end(step, told, hold=hold)
    return done


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
        operate_states.draw_lost(str(error))
    except WriteRefused as error:
        operate_states.draw_write_refused(error)
    except ReseatError as error:
        operate_states.draw_blocked(str(error))
    else:
        return True
    return False
