"""The last step before anything is sent: the cluster's id is typed, a button says what will happen, and it is tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.look import text
from components.operate import states
from components.operate.checks import stopping
from components.operate.operated_cluster import OperatedCluster
from components.state.told import redraw, told
from reseat.errors import ReseatError
from reseat.operate.checks.check import Check

__all__ = ["JUDGED_ELSEWHERE", "attempt", "draw_confirm", "why_not"]

#: Checks of who asks and of what was typed: the page says them where they belong, not in the list.
JUDGED_ELSEWHERE = frozenset({"writing_enabled", "person_allowed", "cluster_confirmed", "approved_by_another"})


def why_not(checks: Sequence[Check], overrides: frozenset[str], typed: str, cluster_id: str) -> str:
    """Why the button cannot be pressed, in a sentence; empty where it can."""
    against = stopping(checks, overrides)
    against = [found for found in against if found.name != "cluster_confirmed"]
    if against:
        names = ", ".join(found.name.replace("_", " ") for found in against)
        return f"{text.counted(len(against), 'check')} failed: {names}."
    if not typed.strip():
        return "Type the cluster's id to confirm."
    if typed.strip() != cluster_id:
        return f"That is not this cluster's id, which is {cluster_id}."
    return ""


def draw_confirm(
    operated: OperatedCluster, checks: Sequence[Check], overrides: frozenset[str], label: str, key: str
) -> str | None:
    """Draw the field and the button.

    Args:
        operated: the cluster and the person.
        checks: as the guard answered.
        overrides: those that the person overrides.
        label: what the button does, in full; not yet Markdown.
        key: its name on the page.

    Returns:
        What was typed, where the button was pressed; else None.
    """
    typed = st.text_input(
        f"Type the cluster's id to confirm: {text.code(operated.cluster_id, 80)}",
        key=f"confirm-{key}",
        max_chars=200,
        autocomplete="off",
    )
    reason = why_not(checks, overrides, typed, operated.cluster_id)
    pressed = st.button(
        text.plain(label),
        key=f"go-{key}",
        type="primary",
        icon=":material/play_arrow:",
        disabled=bool(reason),
        width="stretch",
    )
    st.caption(text.plain(reason) if reason else "Ready. All checks run once more before anything is sent.")
    return typed if pressed and not reason else None


def attempt(name: str, act: Callable[[], object] | None) -> bool:
    """Do what a button asks for; why it did not come off is drawn here until the person acts again.

    Args:
        name: what is done, and to what.
        act: does it; None: the button was not pressed in this run.

    Returns:
        Whether it was done.
    """
    outcome = told(f"operate-failed {name}")
    if act is not None:
        outcome.tell(None)
        try:
            act()
        except ReseatError as error:
            outcome.tell(error)
            redraw()  # the cluster was read for it: what stands above is of a reading before
        return True
    failed = outcome.read()
    if isinstance(failed, ReseatError):
        states.draw_failed(failed)
    return False
