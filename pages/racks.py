"""Racks: who sits where; drag a broker out (or in) and see what must move, proven."""

import numpy as np
import streamlit as st

from components import caching, charts, frame, navigation, session, text
from components.changes import draw_finding_changes, draw_racks
from components.outcome import outcome, present
from components.points import draw_next
from components.rack_board import rack_board
from components.refusal import draw_refusal
from components.what_if import plan_of
from reseat.errors import WishRefused
from reseat.model import Plan

#: Layouts up to here are looked at for what more moves buy at each drop; with a million partitions it takes seconds.
MOST_PARTITIONS = 200_000


@st.fragment
def detail(plan: Plan) -> None:
    """What is below the board: the proof in words, the way to the moves, before and after, racks and findings."""
    # What to know before, then the rest of the certificate: its first sentence is the page's answer.
    frame.findings(plan.findings)
    st.markdown("\n".join(f"- {text.plain(sentence)}" for sentence in plan.certificate.sentences[1:]))
    moves = plan.certificate.moves
    navigation.link(navigation.PLAN, f"See the {text.plural(moves, 'move')}, and take the files")
    choices = ["Replicas", "Preferred leaders"]
    what = st.segmented_control("What", choices, default=choices[0], key="racks-bars", label_visibility="collapsed")
    one, two = caching.balance_of(plan.current).by_broker, caching.balance_of(plan.proposed).by_broker
    leaders = what == choices[1]
    before, after = (one.preferred_leaders, two.preferred_leaders) if leaders else (one.replicas, two.replicas)
    if before is None or after is None:
        st.caption("Preferred leaders are unknown: the input does not keep the order of replicas.")
    else:
        order = charts.broker_order(plan.current)
        leaving = np.isin(plan.current.broker_ids, plan.wish.remove)[order]
        names = [f"broker {broker}" for broker in plan.current.broker_ids[order].tolist()]
        mean = float(after[order][~leaving].mean()) if (~leaving).any() else 0.0
        unit = choices[leaders].lower()
        figure = charts.before_after(names, before[order], after[order], unit, leaving=leaving, mean=mean)
        charts.rack_strip(figure, plan.current, order)
        charts.draw(figure, "racks-chart", f"{choices[leaders]} by broker, before and after")
    racks, findings = st.columns([3, 2])
    with racks:
        st.header("Racks", anchor=False)
        draw_racks(plan)
    with findings:
        st.header("Findings that change", anchor=False)
        draw_finding_changes(plan)


seat = frame.page("Board", shows="either")
head, board, below = st.container(key="racks-head"), st.container(key="racks-board"), st.container(key="racks-below")
plan: Plan | None = None
refusal: WishRefused | None = None
with head:
    if not seat.after:
        present(seat)
    else:
        try:
            plan = plan_of(seat)
            below_spread = outcome(seat, plan, "racks")
        except WishRefused as error:
            refusal = error
            draw_refusal(seat, error)
with board:
    heard = rack_board(seat.layout, seat.wish, plan, present=not seat.after)
if heard is not None:
    for sentence in heard.ignored:
        st.toast(text.plain(sentence), icon=":material/info:")
    if heard.wish != seat.wish or (heard.understood and not seat.after):
        session.set_wish(heard.wish)
        st.rerun()
with below:
    if plan is not None:
        detail(plan)
        draw_next(seat, plan, below_spread, most=MOST_PARTITIONS)
    elif refusal is not None:
        frame.refused(refusal, said=True)
