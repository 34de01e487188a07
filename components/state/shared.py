"""What all sessions of a server share: links' layouts and texts, live clusters, the pipeline's job, the journal.

There is one of each for as long as the server runs. May import: Streamlit, ``reseat``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from components.state.caching import plan_runs_of, rates_of
from components.state.linked import LinkedLayouts, LinkedTexts
from reseat.errors import ReseatError
from reseat.existing import may_exist
from reseat.jobs.process import PipelineProcess
from reseat.observe import events
from reseat.sources.followed import LiveClusters

if TYPE_CHECKING:
    from collections.abc import Callable

    from reseat.history.events import PlanRun
    from reseat.operate.journal.journal import Journal
    from reseat.schedule.estimate import ObservedRate

__all__ = [
    "executed_plans",
    "forecasts",
    "journal",
    "linked_layouts",
    "linked_texts",
    "live_clusters",
    "observed_rates",
    "pipeline",
]

_Told = TypeVar("_Told")


@st.cache_resource(show_spinner=False)
def linked_layouts() -> LinkedLayouts:
    """Those of this server."""
    return LinkedLayouts()


@st.cache_resource(show_spinner=False)
def linked_texts() -> LinkedTexts:
    """Those of this server."""
    return LinkedTexts()


@st.cache_resource(show_spinner=False)
def live_clusters() -> LiveClusters:
    """The named live clusters of this server, shared by everybody who looks at them."""
    return LiveClusters(events.reading_ended)


@st.cache_resource(show_spinner=False)
def pipeline() -> PipelineProcess:
    """The one pipeline of this server: whoever starts it, everybody sees how far it is."""
    return PipelineProcess(ended=events.pipeline_ended)


@st.cache_resource(show_spinner=False)
def forecasts() -> PipelineProcess:
    """What foretells the limits of the fleet beside this server, one at a time."""
    return PipelineProcess()


def journal(*, make: bool) -> Journal | None:
    """The journal that this server shares with every other Reseat of the same user.

    Args:
        make: whether it is made where it is not there yet; else None is returned then.

    Raises:
        InputRefused: it cannot be opened.
    """
    from reseat.operate.journal.schema import default_path

    path = default_path()
    return _journal(str(path)) if make or may_exist(path) else None


@st.cache_resource(show_spinner=False, max_entries=4)
def _journal(path: str) -> Journal:
    from reseat.operate.journal.journal import Journal

    return Journal(path)


def executed_plans(cluster_id: str) -> tuple[PlanRun, ...]:
    """The newest runs of a cluster in the journal, oldest first; none where there is no journal yet.

    Raises:
        InputRefused: it cannot be opened.
        WriteRefused: it cannot be read.
    """
    return _of_runs(cluster_id, plan_runs_of)


def observed_rates(cluster_id: str) -> tuple[ObservedRate, ...]:
    """What the runs of a cluster showed of how fast it copies; nothing where no journal is there or can be read."""
    try:
        return _of_runs(cluster_id, rates_of) if cluster_id else ()
    except ReseatError:  # Execute and History say why; an estimate is from the throttle then
        return ()


def _of_runs(cluster_id: str, ask: Callable[[str, str, int, str, Journal], tuple[_Told, ...]]) -> tuple[_Told, ...]:
    opened = journal(make=False)
    newest = () if opened is None else opened.runs(cluster_id, most=1)
    if opened is None or not newest:
        return ()
    return ask(str(opened.path), cluster_id, newest[0].id, newest[0].state.value, opened)
