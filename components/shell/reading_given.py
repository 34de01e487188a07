"""Texts or a sample -> the layout to look at."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.look.notices import refused
from components.shell import recognised
from components.state import caching, session
from reseat.demo import Sample, load_sample
from reseat.errors import InputRefused, ReseatError

__all__ = ["given", "load", "read_given", "show_sample"]


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
            reading = caching.kept(load_sample, caching.LAYOUTS)(offered)
    except ReseatError as error:
        refused(error)
        return False
    session.open_reading(reading, offered.title)
    return True
