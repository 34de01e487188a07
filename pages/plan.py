"""Plan: what moves for the what-if, proven; the table, the flows, the files and the commands; other plans validated."""

import numpy as np
import streamlit as st

from components import caching, charts, frame
from components.against_generate import draw_against_generate
from components.cautions import draw_input_cautions
from components.execution import draw_downloads, draw_execution
from components.judging import draw_judging
from components.moves import draw_flows, draw_moves
from components.outcome import outcome
from components.points import draw_next, draw_points
from components.proof import draw_proof
from components.refusal import draw_refusal
from components.session import Seat
from components.what_if import plan_of
from components.wish_form import wish_form
from reseat.errors import WishRefused
from reseat.model import Plan


def chart(plan: Plan, what: str) -> None:
    """Before and after, broker by broker."""
    one, two = caching.balance_of(plan.current).by_broker, caching.balance_of(plan.proposed).by_broker
    before, after = (
        (one.replicas, two.replicas) if what == "Replicas" else (one.preferred_leaders, two.preferred_leaders)
    )
    if before is None or after is None:
        st.caption("Preferred leaders are unknown: the input does not keep the order of replicas.")
        return
    order = charts.broker_order(plan.current)
    leaving = np.isin(plan.current.broker_ids, plan.wish.remove)[order]
    names = charts.broker_names(plan.current, order)
    mean = float(after[order][~leaving].mean()) if (~leaving).any() else 0.0
    figure = charts.before_after(names, before[order], after[order], what.lower(), leaving=leaving, mean=mean)
    charts.rack_strip(figure, plan.current, order)
    charts.draw(figure, "plan-chart", f"{what} by broker before and after the plan")
    frame.how_to_read(
        "Grey: unchanged. Sky blue: moved in. Hatched purple: moved out. The dashed line is the mean of the remaining "
        "brokers after the plan. Brokers are ordered by rack, then by ID."
    )


def draw(seat: Seat) -> None:
    """The page for a what-if."""
    plan = plan_of(seat)
    below_spread = outcome(seat, plan, "plan")
    frame.findings(plan.findings)
    draw_points(seat, plan)
    draw_next(seat, plan, below_spread)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="plan-choices"):
        what = st.segmented_control(
            "What",
            ["Replicas", "Preferred leaders"],
            default="Replicas",
            required=True,
            key="plan-bars",
            label_visibility="collapsed",
            persist_state="session",
        )
        wish_form(seat)
    chart(plan, what)
    draw_downloads(plan)
    views = {
        "Moves": lambda: draw_moves(plan, "moves"),
        "Replica flow (from → to)": lambda: draw_flows(plan, "flows"),
        "Execute": lambda: draw_execution(plan, seat.connection_name, seat.snapshot and seat.snapshot.version),
        "Proof": lambda: draw_proof(plan.certificate),
        "Validate a plan": lambda: draw_judging(seat, plan),
        "Kafka's --generate": lambda: draw_against_generate(plan),
    }
    chosen = st.segmented_control(
        "Detail",
        list(views),
        default="Moves",
        required=True,
        key="plan-view",
        label_visibility="collapsed",
        persist_state="session",
    )
    views[chosen]()


seat = frame.page("Plan", shows="change")
if seat.wish.is_empty:
    frame.answer(
        "No change selected"
        + (", and racks are unknown." if seat.layout.unknown_racks else ".")
        + " Remove or add a broker, or change a replication factor."
    )
    draw_input_cautions(seat, "plan")
    wish_form(seat)
    st.header("Validate an existing plan", anchor=False)
    draw_judging(seat, None)
else:
    try:
        draw(seat)
    except WishRefused as error:
        draw_refusal(seat, error)
        frame.refused(error, said=True)
        wish_form(seat)
