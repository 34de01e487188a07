"""Short writes, held within the page's own run: an election, a new topic. Journaled and locked as a run is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from components.operate import states
from components.operate.checks import draw_checks, tally
from components.operate.confirm import JUDGED_ELSEWHERE, attempt, draw_confirm
from components.operate.operated_cluster import OperatedCluster
from components.operate.reading import Fresh, draw_age
from components.operate.start import journal_of
from components.state.slots import Slot
from reseat.errors import ClusterUnreachable, ReseatError
from reseat.operate import short_writes
from reseat.operate.checks.check import Check

__all__ = ["Outcomes", "draw_write", "outcomes", "write"]

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
        ReseatError: the cluster does not answer, or the journal could not be written any more; it may have been sent.
    """
    who = {"cluster_id": operated.cluster_id, "operator": operated.person.name}
    try:
        return short_writes.write(journal_of(operated), kind, content, checks, work, **who)
    except ClusterUnreachable as error:
        raise ReseatError(f"{error} It may have been sent all the same: refresh to see.") from error


def draw_write(
    operated: OperatedCluster,
    fresh: Fresh,
    checks: Sequence[Check],
    *,
    name: str,
    key: str,
    label: str,
    doing: str,
    work: Callable[[str, frozenset[str]], object],
) -> None:
    """Draw the checks of a short write and the button that does it; the page is drawn anew once it came off.

    Args:
        operated: the cluster and the person.
        fresh: the reading that it was checked by.
        checks: as the guard answered.
        name: under which ``outcomes`` keeps what came of it.
        key: its name on the page.
        label: what the button does, in full; not yet Markdown.
        doing: what the spinner says.
        work: the write, given what was typed to confirm it and the checks that the person overrides.
    """
    listed = [check for check in checks if check.name not in JUDGED_ELSEWHERE]
    left, right = st.columns([1.7, 1], gap="large")
    with left:
        st.markdown(f"**Checks: {tally(listed)}**")
        overrides = draw_checks(listed, key)
        draw_age(operated, fresh)
    with right:
        if not operated.may_write:
            states.draw_not_enabled(operated.read_only)
            return
        outcome = st.container()  # as in ``prepare``
        typed = draw_confirm(operated, checks, overrides, label, key)
    with outcome:
        act = None if typed is None else partial(_keep, name, doing, partial(work, typed, overrides))
        done = attempt(name, act)
    if done:
        operated.live.refresh(operated.person.name)  # every page shall show what is so now
        st.rerun()


def _keep(name: str, doing: str, work: Callable[[], object]) -> None:
    """Do it with a spinner, and keep what came of it."""
    kept = outcomes()
    kept.by_name.pop(name, None)
    with st.spinner(doing, show_time=True):
        kept.by_name[name] = work()
