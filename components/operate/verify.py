"""Whether a run did what was approved: Kafka asked anew, and what it told."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components.look import text
from components.operate import reading
from components.operate.checks import draw_check
from components.operate.operated_cluster import OperatedCluster
from components.state.slots import Slot
from reseat.errors import ReseatError
from reseat.operate.journal.records import Run, RunState
from reseat.operate.verify import Verification

__all__ = ["draw_verification"]

_KEPT: Slot[tuple[int, Verification | None, datetime]] = Slot("operate-verified")


def draw_verification(operated: OperatedCluster, run: Run) -> None:
    """Ask Kafka whether the cluster is as planned, once by itself where a run is done, and say what it tells."""
    of, found, when = _KEPT.get((run.id, None, datetime.now(UTC)))
    if of != run.id:
        found = None
    with st.container(border=True, key="verification"):
        slot = st.container()
        asked = found is not None or run.state is RunState.DONE
        again = st.button(
            "Verify again" if asked else "Verify with Kafka",
            key="verify",
            icon=":material/fact_check:",
            type="tertiary",
        )
        with slot:
            if again or (found is None and run.state is RunState.DONE):
                found = _ask(operated, run)
                when = datetime.now(UTC)
            if found is not None:
                _draw(found, when)


def _ask(operated: OperatedCluster, run: Run) -> Verification | None:
    from reseat.formats.documents.sealed import read_sealed
    from reseat.operate.verify import verify

    try:
        with st.spinner("Verifying with Kafka …", show_time=True):
            sealed = read_sealed(run.plan, source=f"the plan of run {run.id}")
            now = reading.read_cluster(operated.connection) if sealed.leaving else None
            with reading.target_of(operated) as target:
                found = verify(target, sealed, now)
    except ReseatError as error:
        st.markdown(f":red[:material/link_off:] Unknown right now: {text.plain(str(error))}")
        return None
    _KEPT.set((run.id, found, datetime.now(UTC)))
    operated.live.refresh(operated.person.name)  # what every page shows shall be what was just verified
    return found


def _draw(found: Verification, when: datetime) -> None:
    icon, colour, word = (
        (":material/verified:", "green", "Verified") if found.holds else (":material/error:", "red", "Not as planned")
    )
    drained = found.drained.sentence if found.drained is not None else None
    said = " ".join(sentence for sentence in found.sentences if sentence != drained)
    st.markdown(f":{colour}[{icon} **{word}.**] {text.plain(said)} Verified {text.ago(when)}.")
    if found.drained is not None:
        draw_check(found.drained)
