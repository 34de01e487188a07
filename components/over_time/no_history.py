"""What History, Fleet and Resilience show before anything was taken in: how to land a snapshot, and a demo week."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.over_time.pipeline_bar import draw_bar
from components.shell import frame
from components.state import session, shared
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.places import Places
from reseat.installed import missing
from reseat.jobs.stages import demo_job, run_job, typed

__all__ = ["draw_empty"]


def draw_empty(places: Places, *, shows: str) -> None:
    """Say that nothing is there yet, and what to do first.

    Args:
        places: where snapshots land, and where the tables are.
        shows: what the page will show, as the start of a sentence ("Which loss hurts most").
    """
    busy = shared.pipeline().state.phase.busy
    if busy:
        frame.answer("The pipeline is running; this page shows the result when it is done.")
    elif _landed(places):
        frame.answer("Snapshots are saved but not ingested yet: run the pipeline.")
    else:
        frame.answer("No history yet: save a first snapshot, or try the demo week.")
    st.markdown(
        f"{text.plain(shows)} comes from tables that the pipeline builds from snapshots: one saved file is one "
        "cluster at one time."
    )
    draw_bar(places)
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, key="empty-demo", height="stretch"):
        _demo(places, busy=busy)
        _folders(places)
    with right.container(border=True, key="empty-land", height="stretch"):
        _land(places)


def _landed(places: Places) -> bool:
    """Whether a cluster's folder is in the landing zone; one that cannot be read says so when the pipeline runs."""
    try:
        return any(name.startswith("cluster=") for name in Folder.open(places.landing).folders())
    except InputRefused:
        return False


def _demo(places: Places, *, busy: bool) -> None:
    st.markdown("## A demo week, through the real pipeline")
    st.markdown(
        "A week of three synthetic clusters, hourly snapshots: in one a broker is drained and another fails, one grows "
        "and loses a whole rack for two hours, one looks healthy but would not survive much. Each hour is saved as a "
        "snapshot, exactly like a live cluster's; Spark ingests all 504, then analyses the failure of every broker, "
        "rack and pair of brokers on the latest ones."
    )
    st.button(
        "Generate a demo week and run the pipeline",
        key="pipeline-demo",
        type="primary",
        icon=":material/auto_awesome:",
        disabled=busy or not session.may(Door.RUN_PIPELINE).may or missing("spark") is not None,
        on_click=session.start_pipeline,
        args=(demo_job(places.landing, places.tables),),
    )
    st.caption(
        "It takes about a minute, longer on a busy machine, next to the dashboard, and can be cancelled at any time. "
        "It writes only to the two folders below; the clusters' names begin with demo."
    )


def _land(places: Places) -> None:
    where = ("--landing", places.landing, "--cluster", "orders-prod")
    st.markdown("## A snapshot of your own")
    st.markdown("From a live cluster, now or from a timer every ten minutes:")
    st.code(typed("snapshot", "--bootstrap", "kafka-1:9092", *where), language=None, wrap_lines=True)
    st.markdown("From a saved text, with its snapshot time; *Save snapshot* does the same on a page:")
    st.code(typed("land", "describe.txt", *where, "--taken-at", "2026-05-01T03:10:00Z"), language=None, wrap_lines=True)
    st.markdown("Then press *Run the pipeline*, or run the same commands:")
    st.code(
        "\n".join(typed(*_for_people(stage.command)) for stage in run_job(places.landing, places.tables)),
        language=None,
        wrap_lines=True,
    )


def _for_people(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what only a program says: which interpreter, and how progress is told."""
    return words[words.index("reseat") + 1 : words.index("--progress")]


def _folders(places: Places) -> None:
    st.markdown("## Where it is stored")
    st.markdown(f"Snapshots are saved in {text.code(places.landing)}, tables are in {text.code(places.tables)}.")
    st.caption(
        "`RESEAT_LANDING` and `RESEAT_TABLES` set other folders, on this machine, S3, HDFS or ABFS. Spark needs Java, "
        "which comes with Reseat's packages: there is nothing to install."
    )
