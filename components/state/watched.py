"""The server watched from outside: what metrics look up, and in which session a line of the log was written."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.state import caching, shared, store
from reseat.errors import InputRefused
from reseat.model import ClusterLayout
from reseat.observe import events, logs

if TYPE_CHECKING:
    from reseat.operate.journal.journal import Journal

__all__ = ["begin", "drawing"]

#: A page that is drawn is counted.
drawing = events.drawing


def begin() -> None:
    """The server begins: its log has the form that was asked for, and metrics are served where they were asked for.

    Raises:
        SystemExit: what was asked for cannot be; says why.
    """
    try:
        logs.set_up(os.environ, _session)
        asked = os.environ.get("RESEAT_METRICS", "").strip()
        if asked:
            from reseat.observe.metrics import Held, serve

            held = Held(
                lambda: len(store.sessions()),
                _layouts,
                lambda: shared.live_clusters().all(),
                _journal,
                caching.findings_of,
            )
            serve(asked, held)
    except InputRefused as refusal:
        sys.stderr.write(f"\n  Reseat does not start. {refusal}\n")
        sys.exit(2)


def _session() -> str | None:
    """The session at work in this thread, as Streamlit names it; the beginning is enough to tell them apart."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id[:8]


def _layouts() -> list[ClusterLayout]:
    opened = (one.reading.layout for state in store.sessions() for one in list(state.opened.values()))
    return list({id(layout): layout for layout in opened}.values())


def _journal() -> Journal | None:
    return shared.journal(make=False)
