"""What History, Fleet and Resilience show before anything was taken in: how to land a snapshot, and a demo week."""

from __future__ import annotations

import streamlit as st

from components import caching, frame, session, text
from components.pipeline_bar import draw_bar
from components.pipeline_places import Places
from components.pipeline_stages import demo_job, run_job, typed
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.folder import Folder

__all__ = ["draw_empty"]


def draw_empty(places: Places, *, shows: str, landed: bool | None = None) -> None:
    """Say that nothing is there yet, and what to do first.

    Args:
        places: where snapshots land, and where the tables are.
        shows: what the page will show, as the start of a sentence ("Which loss hurts most").
        landed: whether snapshots lie in the landing zone that nobody has taken in; looked for where not told.
    """
    busy = caching.pipeline().state.phase.busy
    landed = landed or _landed(places)
    if busy:
        frame.answer("The pipeline is at work; this page fills as soon as it is done.")
    elif landed:
        frame.answer("Snapshots have landed, and none was taken in yet: run the pipeline.")
    else:
        frame.answer("No history yet: land a first snapshot, or look at a demo week.")
    st.markdown(
        f"{text.plain(shows)} is read from tables that the pipeline makes of snapshots: one landed file is one cluster "
        "at one moment."
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
        "A week of three clusters that never were, told by the hour: one has a broker drained and another lost, one "
        "grows and loses a whole rack for two hours, one looks healthy and would not survive much. Each hour lands as "
        "a snapshot, exactly as a live cluster's would; Spark takes all 504 in, then tries the loss of every broker, "
        "rack and pair of brokers on the last ones."
    )
    st.button(
        "Generate a demo week and run the pipeline",
        key="pipeline-demo",
        type="primary",
        icon=":material/auto_awesome:",
        disabled=busy or not session.may(Door.RUN_PIPELINE).may,
        on_click=session.start_pipeline,
        args=(demo_job(places.landing, places.tables),),
    )
    st.caption(
        "It takes a minute or two, beside the dashboard, and can be cancelled at any time. It writes to the "
        "two folders below and nowhere else; the clusters' names begin with demo."
    )


def _land(places: Places) -> None:
    where = ("--landing", places.landing, "--cluster", "orders-prod")
    st.markdown("## A snapshot of your own")
    st.markdown("Of a live cluster, now or from a timer every ten minutes:")
    st.code(typed("snapshot", "--bootstrap", "kafka-1:9092", *where), language=None, wrap_lines=True)
    st.markdown(
        "Of a text that you kept, with the moment that it is of; *Keep this layout* in the sidebar does the same:"
    )
    st.code(typed("land", "describe.txt", *where, "--taken-at", "2026-05-01T03:10:00Z"), language=None, wrap_lines=True)
    st.markdown("Then press *Run the pipeline*, or type what it runs:")
    st.code(
        "\n".join(typed(*_for_people(stage.command[3:])) for stage in run_job(places.landing, places.tables)),
        language=None,
        wrap_lines=True,
    )


def _for_people(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without the choice that only a program wants."""
    return words[: words.index("--progress")]


def _folders(places: Places) -> None:
    st.markdown("## Where it is kept")
    st.markdown(f"Snapshots land in {text.code(places.landing)}, tables are in {text.code(places.tables)}.")
    st.caption(
        "`RESEAT_LANDING` and `RESEAT_TABLES` name other folders, on this machine, S3, HDFS or ABFS. Spark needs Java: "
        "it came with Reseat's own packages, so there is nothing to install."
    )
