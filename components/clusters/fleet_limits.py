"""The fleet's tomorrow: which limit each cluster meets first, and when; what is not known yet is forecast meanwhile."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import streamlit as st

from components.look import text
from components.shell import frame, navigation
from components.state import caching, shared
from reseat.errors import InputRefused
from reseat.forecast.first_limits import FirstLimit, behind, default_file, kept, unlimited
from reseat.forecast.settings import NAMED_BY, Settings, configured
from reseat.history.read import History
from reseat.jobs.process import Phase
from reseat.jobs.stages import forecast_job

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_limits", "with_limits"]

#: Clusters named above the table; the table has all.
_NAMED = 4
_LOOK_SECONDS = 2.0


def with_limits(clusters: pd.DataFrame, lines: dict[str, FirstLimit] | None) -> pd.DataFrame:
    """The clusters with ``first_limit``, in words, as far as it is known; as they are where no cluster has limits."""
    if lines is None:
        return clusters
    known = {cluster: one.words for cluster, one in lines.items()}
    return clusters.assign(first_limit=[known.get(str(name), "") for name in clusters["cluster"]])


def draw_limits(history: History, clusters: pd.DataFrame) -> dict[str, FirstLimit] | None:
    """Draw who meets a limit first, and have forecast what is not known yet; what is known, by cluster.

    Args:
        history: the tables.
        clusters: of ``reseat.history.fleet``.

    Returns:
        None where no cluster has limits, or the limits file is refused, which is drawn.
    """
    try:
        settings = configured()
    except InputRefused as refusal:
        frame.refused(refusal)
        return None
    if all(unlimited(settings, str(name)) for name in clusters["cluster"]):
        st.caption(f"No limits are set, so none is forecast: `{NAMED_BY}` names a file that sets them.")
        return None
    lines = kept(default_file(history, settings, os.environ), settings)
    there = set(clusters["cluster"])
    lines = {cluster: one for cluster, one in lines.items() if cluster in there}
    left = behind(lines, settings, clusters)
    job = shared.forecasts()
    if left and not job.state.phase.busy:
        # For the same snapshots once: a job that ends without a line for one of them would begin for ever.
        asked = f"first limits {hash((str(settings), left, *clusters['snapshot_id']))}"
        caching.from_tables(history, asked, lambda: job.start(forecast_job(history.where, settings.source or "")))
    _draw(lines)
    state = job.state
    if state.phase.busy:
        st.fragment(_working, run_every=_LOOK_SECONDS)(history, clusters, settings)
    elif left and state.phase in (Phase.REFUSED, Phase.FAILED):
        st.markdown(f":orange[:material/warning:] Limits are not foretold. {text.plain(state.sentence)}")
    return lines


def _draw(lines: dict[str, FirstLimit]) -> None:
    if not lines:
        return
    likely = sorted((one.soonest, name) for name, one in lines.items() if one.likely is not None)
    may = sum(one.likely is None and one.early is not None for one in lines.values())
    blind = sum(bool(one.why) for one in lines.values())
    said = (
        f"{len(likely):,} of {text.counted(len(lines), 'cluster')} likely {text.verb(len(likely), 'meets', 'meet')} one"
    )
    said += f", {may:,} more may" if may else ""
    said += f"; not known of {blind:,}" if blind else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="fleet-limits"):
        st.markdown(f":material/trending_up: **Limits**: {said}.", width="content")
        for _, name in likely[:_NAMED]:
            also = {"cluster": name, "forecast": "yes"}
            with st.container(key=f"fleet-limit-{name}", width="content"):
                navigation.link(navigation.HISTORY, f"{text.plain(name, 40)}, {lines[name].words}", also=also)


def _working(history: History, clusters: pd.DataFrame, settings: Settings) -> None:
    """How far it is; the page is drawn anew once it is over."""
    if not shared.forecasts().state.phase.busy:
        st.rerun()
    left = len(behind(kept(default_file(history, settings, os.environ), settings), settings, clusters))
    st.caption(f":material/hourglass_top: Forecasting: {text.counted(left, 'cluster')} left.")
