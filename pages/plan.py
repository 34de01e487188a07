"""Plan: what moves for the what-if, proven; the table, the flows, the files and the commands; other plans validated."""

import streamlit as st

from components.look import text
from components.plan.across_racks import draw_across_racks, draw_within_racks
from components.plan.against_generate import draw_against_generate
from components.plan.commands import draw_downloads, draw_execution
from components.plan.judge_form import draw_judging
from components.plan.proof import draw_proof
from components.shell import frame, navigation
from components.state import addresses, fields
from components.state.open_layout import OpenLayout
from components.what_if.bars import choose_bars, draw_bars
from components.what_if.cautions import draw_input_cautions
from components.what_if.directories import directories_named
from components.what_if.moves import draw_flows, draw_moves
from components.what_if.outcome import outcome
from components.what_if.points import draw_figure, draw_next, draw_points
from components.what_if.refusal import draw_refusal
from components.what_if.what_if import plan_of
from components.what_if.wish_form import wish_form
from reseat.errors import WishRefused
from reseat.model import Plan
from reseat.report.tiered import tiered_sentences


def draw_flow(open_layout: OpenLayout, plan: Plan) -> None:
    """Who gives to whom: brokers, and racks with what crosses them; and what of it is tiered."""
    for sentence in tiered_sentences(plan, open_layout.reading.tiering):
        st.markdown(text.plain(sentence))
    draw_within_racks(plan)
    draw_flows(plan, "flows")
    draw_across_racks(plan, open_layout.reading.tiering)


def draw(open_layout: OpenLayout) -> None:
    """The page for a what-if."""
    plan = plan_of(open_layout)
    below_spread = outcome(open_layout, plan, "plan")
    frame.findings(plan.findings)
    wish_form(open_layout)
    draw_points(open_layout, plan)
    draw_next(open_layout, plan, below_spread)
    draw_bars(plan, choose_bars(plan, "plan-bars"), "plan-chart")
    named = directories_named(open_layout, plan)
    draw_downloads(open_layout, plan, named)
    views = {
        "Moves": lambda: draw_moves(plan, "moves"),
        "Replica flow (from → to)": lambda: draw_flow(open_layout, plan),
        "Moves vs. balance": lambda: draw_figure(open_layout, plan),
        "Commands": lambda: draw_execution(open_layout, plan, named),
        "Proof": lambda: draw_proof(plan.certificate),
        "Validate a plan": lambda: draw_judging(open_layout, plan),
        "Kafka's --generate": lambda: draw_against_generate(plan),
    }
    says = dict(zip(views, ("moves", "flow", "balance", "execute", "proof", "validate", "generate"), strict=True))
    chosen = fields.segments(
        "Detail", list(views), name="detail", key="plan-view", says=says, label_visibility="collapsed"
    )
    addresses.title("" if chosen == "Moves" else chosen)
    views[chosen]()


open_layout = frame.page("Plan", shows="change")
if open_layout.wish.is_empty:
    frame.answer(
        "No change selected"
        + (", and racks are unknown." if open_layout.layout.unknown_racks else ".")
        + " Remove or add a broker, change a replication factor, or rebalance."
    )
    draw_input_cautions(open_layout, "plan")
    wish_form(open_layout)
    navigation.link(navigation.MIGRATE, "Migrate topics to another cluster")
    st.header("Validate an existing plan", anchor=False)
    draw_judging(open_layout, None)
else:
    try:
        draw(open_layout)
    except WishRefused as error:
        draw_refusal(open_layout, error)
        frame.refused(error, said=True)
        wish_form(open_layout)
addresses.publish()
