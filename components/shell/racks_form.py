"""Telling racks in place: pasted, from a file, or broker by broker; or that there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from components.look.notices import refused
from components.state import session
from components.state.open_layout import OpenLayout
from reseat.errors import InputRefused
from reseat.model import ClusterLayout
from reseat.model.naming import LARGEST_ID
from reseat.sources import read_racks_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_racks_form", "edited_racks"]


def draw_racks_form(open_layout: OpenLayout, where: str) -> None:
    """The ways to tell racks.

    Args:
        open_layout: what is looked at.
        where: names the widgets of this place; the form stands under *Data quality* and beside a plan.
    """
    paste, file, edit = st.tabs(["Paste", "File", "Edit"], key=f"racks-ways-{where}", on_change="rerun")
    with paste, st.form(f"racks-paste-{where}", border=False):
        pasted = st.text_area(
            "Racks by broker: one `broker,rack` per line, or JSON",
            height=140,
            key=f"racks-text-{where}",
            placeholder="1,rack-a\n2,rack-b",
        )
        if st.form_submit_button("Use these racks"):
            _take(open_layout, pasted.encode("utf-8", "replace"), "pasted racks")
    with file:
        given = st.file_uploader("Racks file: CSV `broker,rack` or JSON", key=f"racks-file-{where}")
        if given is not None and st.button("Use this file", key=f"racks-use-{where}"):
            _take(open_layout, given.getvalue(), given.name)
    # The editor of a thousand brokers took a twentieth of what drawing all pages does, and hardly anybody opens it.
    if edit.open:
        with edit:
            _table(open_layout, where)
    if open_layout.reading.layout.unknown_racks or open_layout.edits.no_racks:
        none = st.toggle(
            "Brokers without a rack here have no rack",
            value=open_layout.edits.no_racks,
            key=f"racks-none-{where}-{open_layout.name}-{open_layout.edits.no_racks}",
            help="Select this if the cluster does not set broker.rack. Otherwise those racks stay unknown.",
        )
        if none != open_layout.edits.no_racks:
            session.set_edits(replace(open_layout.edits, no_racks=none))
            st.rerun()


def _table(open_layout: OpenLayout, where: str) -> None:
    import pandas as pd

    table = pd.DataFrame(
        {"broker": [b.id for b in open_layout.layout.brokers], "rack": [b.rack for b in open_layout.layout.brokers]}
    ).astype({"rack": "string"})
    edited = st.data_editor(
        table,
        key=f"racks-table-{where}-{open_layout.digest}",
        hide_index=True,
        num_rows="dynamic",
        height=240,
        placeholder="no rack" if open_layout.layout.gaps.racks_told else "unknown",
        column_config={
            "broker": st.column_config.NumberColumn("Broker", min_value=0, max_value=LARGEST_ID, step=1, required=True),
            "rack": st.column_config.TextColumn("Rack", max_chars=200),
        },
    )
    if st.button("Apply racks", key=f"racks-apply-{where}", disabled=edited.equals(table)):
        _set(open_layout, edited_racks(open_layout.layout, edited))


def edited_racks(layout: ClusterLayout, table: pd.DataFrame) -> dict[int, str | None]:
    """What an edited table of brokers and racks tells anew; a row taken out of the table tells nothing.

    Args:
        layout: the layout that the table was made of.
        table: columns ``broker`` and ``rack``, either possibly empty in a row.
    """
    before = {b.id: b.rack for b in layout.brokers}
    racks: dict[int, str | None] = {}
    filled = table.dropna(subset=["broker"])
    for broker, rack in zip(filled["broker"].tolist(), filled["rack"].tolist(), strict=True):
        told = rack.strip() if isinstance(rack, str) and rack.strip() else None
        if int(broker) not in before or before[int(broker)] != told:
            racks[int(broker)] = told
    return racks


def _take(open_layout: OpenLayout, data: bytes, source: str) -> None:
    try:
        racks = read_racks_file(data, source=source)
    except InputRefused as error:
        refused(error)
        return
    _set(open_layout, racks)


def _set(open_layout: OpenLayout, racks: dict[int, str | None]) -> None:
    if racks.items() <= {broker.id: broker.rack for broker in open_layout.layout.brokers if broker.rack}.items():
        st.caption("Nothing changes: these racks are known.")
        return
    together = dict(open_layout.edits.racks) | racks
    session.set_edits(replace(open_layout.edits, racks=tuple(sorted(together.items()))))
    st.rerun()
