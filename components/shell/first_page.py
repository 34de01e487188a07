"""The first page, before a cluster is loaded: one sentence, and three doors beside each other."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.shell import navigation, reading_given, sign_in, tour
from components.state import connections
from reseat.demo import samples
from reseat.formats.forms import FORMS_TOLD

__all__ = ["doors", "draw"]

#: Configured clusters that are offered here by name; Connect lists all.
_MOST_NAMED = 4


def draw(title: str) -> None:
    """What Reseat is for, and how to begin.

    Args:
        title: the page that one came to.
    """
    with st.container(key="answer"):
        st.title("See where replicas live, drain a broker, and preview the reassignment.", anchor=False)
    st.markdown(
        f"No cluster is loaded, so {text.plain(title)} has nothing to show yet. What you open stays in this server's "
        "memory and is sent nowhere."
    )
    doors()
    tour.begin_button("first")


def doors() -> None:
    """Paste, live and sample; what is refused is said below them."""
    with st.container(key="doors"):
        paste, live, sample = (column.container(border=True, height="stretch") for column in st.columns([5, 4, 5]))
    with paste, st.container(key="door-paste"):
        pressed, texts = _paste()
    with live, st.container(key="door-live"):
        _live()
    with sample, st.container(key="door-sample"):
        _samples()
    if pressed:
        reading_given.read_given(texts)


def _paste() -> tuple[bool, list[tuple[str, bytes]]]:
    """Whether to read, and what: a text, files dropped beside it, or both."""
    st.header("Paste what a tool printed", anchor=False)
    with st.form("open-paste-main", border=False):
        pasted = st.text_area(
            "Paste what a tool printed, prompts and log lines included",
            height=120,
            key="paste-main",
            placeholder="kafka-topics.sh --bootstrap-server HOST:9092 --describe",
        )
        files = st.file_uploader(
            "Or drop one or more files from the same cluster",
            accept_multiple_files=True,
            key="files-main",
            help=FORMS_TOLD,
        )
        pressed = st.form_submit_button("Read", icon=":material/content_paste:", type="primary")
    return pressed, reading_given.given([(file.name, file.getvalue()) for file in files], pasted)


def _live() -> None:
    """Configured clusters, a click each, and the page that reads any other."""
    st.header("Read a live cluster", anchor=False)
    offered = connections.choices()
    if not offered.reading.may:
        st.markdown(text.plain(offered.reading.sentence))
        sign_in.draw_buttons("door-live")
        return
    st.markdown("From its brokers or from ZooKeeper. Reading changes nothing on it.")
    for name, live in list(offered.named.items())[:_MOST_NAMED]:
        if st.button(f"Read {text.plain(name, 40)}", key=f"door-live-{name}", width="stretch"):
            connections.choose(name)
            connections.read_to_open(live)
            navigation.go(navigation.CLUSTERS, navigation.ClustersView.LIVE.query)
    navigation.link(navigation.CLUSTERS, "Connect to a cluster", also=navigation.ClustersView.LIVE.query)


def _samples() -> None:
    """The samples, with what can be seen in each."""
    st.header("Open a sample", anchor=False)
    with st.container(key="door-samples"):
        for offered in samples():
            if st.button(offered.title, key=f"sample-main-{offered.title}", width="stretch"):
                reading_given.show_sample(offered)
            st.caption(text.plain(offered.what))
