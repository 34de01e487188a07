"""Bytes that a plan copies from rack to rack, and what they cost at a price."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.look import tables, text
from components.state import caching, session, slots
from reseat.model import Plan
from reseat.model.wording import verb
from reseat.report.copying import Copying, copying_of, leave_their_rack

__all__ = ["draw_across_racks"]


def draw_within_racks(plan: Plan) -> None:
    """How many replicas of a drain leave their rack, and the same drain in which none does, a click away."""
    wish = plan.wish
    if not (wish.drains and plan.current.racks and plan.certificate.moves):
        return
    leave = leave_their_rack(plan)
    if not leave:
        st.caption("Every replica stays in its rack.")
        return
    st.caption(f"{text.counted(leave, 'replica')} {verb(leave, 'leaves its rack', 'leave their rack')}.")
    st.button(
        "Keep replicas in their rack",
        key="plan-same-rack",
        icon=":material/dns:",
        help="Each replica goes to another broker in its rack. The proof states what that costs in balance.",
        on_click=session.set_wish,
        args=(replace(wish.at(None), options=replace(wish.options, same_rack=True)),),
    )


def draw_across_racks(plan: Plan) -> None:
    """A row a rack that sends, a column a rack that receives; nothing where nothing is known to cross racks."""
    import pandas as pd

    copying: Copying = caching.kept(copying_of)(plan)
    racks = plan.current.racks
    if not copying.across.copies or not copying.sized:
        return
    st.header("From rack to rack", anchor=False)
    price = st.number_input(
        "Price of traffic between racks, per GB",
        min_value=0.0,
        value=None,
        step=0.01,
        format="%.3f",
        key=slots.field("plan-price"),
        placeholder="no price set",
        width=280,
    )
    for sentence in copying.rack_sentences(price):
        st.markdown(text.plain(sentence))
    send, receive, cells = copying.between_racks(len(racks))
    names = {rack: f"to {text.visible(racks[rack], 60)}" for rack in receive.tolist()}
    columns = {
        name: [text.size(cell) if cell else "" for cell in cells[:, at]] for at, name in enumerate(names.values())
    }
    values = pd.DataFrame({"from": [text.visible(racks[rack], 60) for rack in send.tolist()], **columns})
    tables.table(values, "plan-racks", dict.fromkeys(names.values(), tables.RIGHT))
