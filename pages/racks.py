"""Racks: who sits where; drag a broker out (or in) and see what must move, proven."""

from dataclasses import replace

import numpy as np
import streamlit as st

from components import caching, charts, frame, session, text
from components.changes import draw_finding_changes, draw_racks
from components.outcome import outcome, present
from components.rack_board import rack_board
from components.session import Seat
from components.text import wish_in_words
from reseat.errors import WishRefused
from reseat.model import Plan, Wish


def cannot(seat: Seat, error: WishRefused) -> None:
    """Why the wish cannot be and the choices as buttons, about as high as the figures that stand here otherwise."""
    frame.answer(f"This cannot be: {wish_in_words(seat.wish)}.")
    st.markdown(f":red[:material/block:] {text.plain(error.sentence)}")
    with st.container(horizontal=True, key="refused-choices"):
        if error.topics:
            words = (
                "Leave this topic out" if len(error.topics) == 1 else f"Leave these {len(error.topics):,} topics out"
            )
            without = tuple(dict.fromkeys((*seat.edits.without, *error.topics)))
            edits = replace(seat.edits, without=without)
            st.button(words, key="leave-out", icon=":material/filter_alt:", on_click=session.set_edits, args=(edits,))
        if not seat.layout.order_told.all():
            edits = replace(seat.edits, order_vouched=True)
            words = "The order shown is the assignment order"
            st.button(words, key="vouch", icon=":material/check:", on_click=session.set_edits, args=(edits,))
        st.button("Put all back", key="put-back", icon=":material/undo:", on_click=session.set_wish, args=(Wish(),))


@st.fragment
def detail(plan: Plan) -> None:
    """What is below the board: the proof in words, the way to the moves, before and after, racks and findings."""
    # The first sentence is the page's answer; these are the rest of the certificate and what to know before.
    proven, notes = plan.certificate.sentences[1:], [finding.sentence for finding in plan.findings]
    st.markdown("\n".join(f"- {text.plain(sentence)}" for sentence in (*proven, *notes)))
    moves = plan.certificate.moves
    st.page_link(
        "pages/plan.py", label=f"See the {text.plural(moves, 'move')}, and take the files", icon=":material/swap_horiz:"
    )
    choices = ["Replicas", "Preferred leaders"]
    what = st.segmented_control("What", choices, default=choices[0], key="racks-bars", label_visibility="collapsed")
    one, two = caching.balance_of(plan.current).by_broker, caching.balance_of(plan.proposed).by_broker
    leaders = what == choices[1]
    before, after = (one.preferred_leaders, two.preferred_leaders) if leaders else (one.replicas, two.replicas)
    if before is None or after is None:
        st.caption("Preferred leaders are not told by this layout.")
    else:
        order = charts.broker_order(plan.current)
        leaving = np.isin(plan.current.broker_ids, plan.wish.remove)[order]
        names = [f"broker {broker}" for broker in plan.current.broker_ids[order].tolist()]
        mean = float(after[order][~leaving].mean()) if (~leaving).any() else 0.0
        unit = choices[leaders].lower()
        figure = charts.before_after(names, before[order], after[order], unit, leaving=leaving, mean=mean)
        charts.rack_strip(figure, plan.current, order)
        charts.draw(figure, "racks-chart", f"{choices[leaders]} by broker, before and after")
    racks, findings = st.columns(2)
    with racks:
        st.subheader("Racks", anchor=False)
        draw_racks(plan)
    with findings:
        st.subheader("Findings that change", anchor=False)
        draw_finding_changes(plan)


seat = frame.page("Racks")
head, board, below = st.container(key="racks-head"), st.container(key="racks-board"), st.container(key="racks-below")
plan: Plan | None = None
refusal: WishRefused | None = None
with head:
    if seat.wish.is_empty:
        present(seat)
    else:
        try:
            with st.spinner(f"Planning: {wish_in_words(seat.wish)} …"):
                plan = caching.plan_for(seat.layout, seat.wish)
            outcome(plan)
        except WishRefused as error:
            refusal = error
            cannot(seat, error)
with board:
    heard = rack_board(seat.layout, seat.wish, plan)
if heard is not None:
    for sentence in heard.ignored:
        st.toast(text.plain(sentence), icon=":material/info:")
    if heard.wish != seat.wish:
        session.set_wish(heard.wish)
        st.rerun()
with below:
    if plan is not None:
        detail(plan)
    elif refusal is not None:
        frame.refused(refusal)
