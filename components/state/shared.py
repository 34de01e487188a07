"""What all sessions of a server share: links' layouts and texts, live clusters, the pipeline's job, the journal.

There is one of each for as long as the server runs. May import: Streamlit, ``reseat``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components.state.linked import LinkedLayouts, LinkedTexts
from reseat.jobs.process import PipelineProcess
from reseat.observe import events
from reseat.sources.followed import LiveClusters

if TYPE_CHECKING:
    from reseat.operate.journal.journal import Journal

__all__ = ["journal", "linked_layouts", "linked_texts", "live_clusters", "pipeline"]


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


def journal(*, make: bool) -> Journal | None:
    """The journal that this server shares with every other Reseat of the same user.

    Args:
        make: whether it is made where it is not there yet; else None is returned then.

    Raises:
        InputRefused: it cannot be opened.
    """
    from reseat.operate.journal.schema import default_path

    path = default_path()
    return _journal(str(path)) if make or path.exists() else None


@st.cache_resource(show_spinner=False, max_entries=4)
def _journal(path: str) -> Journal:
    from reseat.operate.journal.journal import Journal

    return Journal(path)
