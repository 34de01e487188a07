"""Racks: who sits where; drag a broker out (or in) and see what must move, proven."""

from collections.abc import Mapping

import streamlit as st

from components.canvas.rack_board import apply_event, rack_board
from components.canvas.rack_board.data import board_data
from components.look import text
from components.shell import frame, navigation
from components.state import addresses, caching, fields, session
from components.what_if.bars import choose_bars, draw_bars
from components.what_if.changes import draw_finding_changes, draw_racks
from components.what_if.outcome import outcome, present
from components.what_if.points import draw_next
from components.what_if.refusal import draw_refusal
from components.what_if.what_if import plan_of
from reseat.errors import WishRefused
from reseat.model import Plan, Wish

#: Layouts up to here are looked at for what more moves buy at each drop; with a million partitions it takes seconds.
MOST_PARTITIONS = 200_000


@st.fragment
def detail(plan: Plan) -> None:
    """What is below the board: the proof in words, the way to the moves, before and after, racks and findings."""
    # What to know before, then the rest of the certificate: its first sentence is the page's answer.
    frame.findings(plan.findings)
    st.markdown("\n".join(f"- {text.plain(sentence)}" for sentence in plan.certificate.sentences[1:]))
    moves = plan.certificate.moves
    navigation.link(navigation.PLAN, f"See the {text.counted(moves, 'move')} and download the files")
    counted = choose_bars(plan, "racks-bars")
    draw_bars(plan, counted, "racks-chart")
    with st.container(key="racks-and-findings"):
        racks, findings = st.columns([3, 2])
    with racks:
        st.header("Racks", anchor=False)
        draw_racks(plan)
    with findings:
        st.header("Findings that change", anchor=False)
        draw_finding_changes(plan)
    addresses.publish()


def hear(event: Mapping[str, object]) -> None:
    """Drop a broker, several or a rack, or take one back: the what-if afterwards, and what was not carried out."""
    seat = session.open_layout()
    if seat is None:
        return
    heard = apply_event(seat.wish, event, seat.layout)
    for sentence in heard.ignored:
        st.toast(text.plain(sentence), icon=":material/info:")
    if heard.wish != seat.wish or (heard.understood and not seat.after):
        session.set_wish(heard.wish)


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
    wish = seat.wish if seat.after else Wish()
    voters = () if seat.reading.quorum is None else seat.reading.quorum.voter_ids
    drawn = caching.kept(board_data, 4)(seat.layout, wish, plan, seat.reading.log_dirs, voters)
    rack_board(seat.layout, drawn, fields.figure("board", hear, find="find_broker", ids="ids"))
with below:
    if plan is not None:
        detail(plan)
        draw_next(seat, plan, below_spread, most=MOST_PARTITIONS)
    elif refusal is not None:
        frame.refused(refusal, said=True)
addresses.publish()
