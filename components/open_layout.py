"""Texts or a sample -> the layout to look at; and the narrow way of asking for them, beside a page."""

from __future__ import annotations

import streamlit as st

from components import caching, navigation, recognised, session, text
from components.notices import refused
from reseat.errors import InputRefused, ReseatError
from reseat.sources import Sample, samples

__all__ = ["KINDS", "draw_narrow", "given", "load", "read_given", "show_sample"]

#: What a file may be, as the help of every place that takes one says it.
KINDS = "kafka-topics --describe, reassignment JSON, kafka-log-dirs, ZooKeeper nodes, kcat, rpk, CSV, Parquet"


def draw_narrow(where: str) -> None:
    """Files, pasted text or a sample, one below the other in tabs.

    Args:
        where: part of the keys, where more than one is drawn.
    """
    navigation.link(
        navigation.CLUSTERS,
        "Read a live cluster",
        also=navigation.View.LIVE.query,
        help="From ZooKeeper or its brokers",
    )
    files, paste, sample = st.tabs(["File", "Paste", "Sample"], key=f"open-ways-{where}")
    with files, st.form(f"open-files-{where}", border=False, clear_on_submit=True):
        uploaded = st.file_uploader(
            "One or more files from the same cluster", accept_multiple_files=True, key=f"files-{where}", help=KINDS
        )
        if st.form_submit_button("Read", icon=":material/upload_file:"):
            read_given([(file.name, file.getvalue()) for file in uploaded])
    with paste, st.form(f"open-paste-{where}", border=False):
        pasted = st.text_area(
            "Paste what a tool printed, prompts and log lines included", height=160, key=f"paste-{where}"
        )
        if st.form_submit_button("Read", icon=":material/content_paste:"):
            read_given(given([], pasted))
    with sample:
        for offered in samples():
            if st.button(
                offered.title, key=f"sample-{where}-{offered.title}", width="stretch", help=text.plain(offered.what)
            ):
                show_sample(offered)


def given(files: list[tuple[str, bytes]], pasted: str) -> list[tuple[str, bytes]]:
    """Files and what was pasted beside them, as texts of one cluster."""
    return [*files, ("pasted text", pasted.encode())] if pasted.strip() else files


def read_given(files: list[tuple[str, bytes]]) -> None:
    """Read texts of one cluster and look at it; what is refused is said where this is called."""
    try:
        with st.spinner(f"Reading {text.size(sum(len(data) for _, data in files))} …", show_time=True):
            reading = caching.reading_of(files)
    except InputRefused as error:
        refused(error)
        return
    session.open_reading(reading, " + ".join(name for name, _ in files))
    session.remember_texts(reading, files)
    recognised.remember()
    st.rerun()


def show_sample(offered: Sample) -> None:
    """Open a sample and look at it."""
    if load(offered):
        st.rerun()


def load(offered: Sample) -> bool:
    """Open a sample; says whether it could be, and on the page why not."""
    try:
        with st.spinner(f"Opening {offered.title} …", show_time=True):
            reading = caching.sample_of(offered)
    except ReseatError as error:
        refused(error)
        return False
    session.open_reading(reading, offered.title)
    return True
