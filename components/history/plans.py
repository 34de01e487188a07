"""The plans executed on a cluster of the history, from the server's journal: marks, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import streamlit as st

from components.look import text
from components.state import caching, shared
from reseat.errors import InputRefused, WriteRefused
from reseat.forecast.since import balance_since
from reseat.history.events import Event, PlanRun
from reseat.history.read import History
from reseat.history.stretch import cluster_id_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_since", "names_of_marks", "plans_of", "with_plans"]

#: Plans whose balance is told, the newest.
_TOLD = 5


def plans_of(history: History, cluster: str) -> tuple[PlanRun, ...]:
    """The newest plans of a cluster, oldest first; where the journal cannot be read, a line says so.

    Raises:
        InputRefused: the tables cannot be read.
    """
    identity = caching.from_tables(history, f"cluster id {cluster}", lambda: cluster_id_of(history, cluster))
    try:
        return shared.executed_plans(identity) if identity else ()
    except (InputRefused, WriteRefused) as refusal:
        st.markdown(f":orange[:material/visibility_off:] Executed plans are not shown. {text.plain(str(refusal))}")
        return ()


def with_plans(marks: Sequence[Event], plans: Sequence[PlanRun], since: datetime, until: datetime) -> list[Event]:
    """Marks with those of the plans that ended in a stretch of time, oldest first."""
    ended = [plan.mark for plan in plans if plan.mark is not None and since <= plan.mark.at <= until]
    return sorted([*marks, *ended], key=lambda mark: mark.at)


def names_of_marks(marks: Sequence[Event], snapshots: pd.DataFrame) -> dict[datetime, str]:
    """Which snapshot a click on each mark opens: the one of that moment, or the first after it; by moment."""
    places = snapshots["taken_at"].searchsorted([mark.at for mark in marks])
    names = snapshots["snapshot_id"].tolist()
    return {mark.at: names[place] for mark, place in zip(marks, places, strict=True) if place < len(names)}


def draw_since(history: History, cluster: str, plans: Sequence[PlanRun]) -> None:
    """A line for each of the newest plans that are done: whether the balance that it left has held.

    Raises:
        InputRefused: the tables cannot be read.
    """
    told = caching.from_tables(history, f"since {cluster} {plans}", lambda: balance_since(history, cluster, plans))
    if told:
        st.markdown("  \n".join(f"★ {text.plain(one.sentence)}" for one in told[:_TOLD]))
