"""Racks: who sits where; drag a broker out (or in) and see what must move, proven."""

import streamlit as st

from components.canvas.rack_board import rack_board
from components.shell import frame
from components.state import addresses, caching, fields
from components.what_if.board import detail, hear
from components.what_if.outcome import outcome, present
from components.what_if.points import draw_next
from components.what_if.refusal import draw_refusal
from components.what_if.what_if import plan_of
from reseat.balance.board import board_data
from reseat.errors import WishRefused
from reseat.model import Plan, Wish

#: Layouts up to here are looked at for what more moves buy at each drop; with a million partitions it takes seconds.
MOST_PARTITIONS = 200_000

open_layout = frame.page("Board", shows="either")
head, board, below = st.container(key="racks-head"), st.container(key="racks-board"), st.container(key="racks-below")
plan: Plan | None = None
refusal: WishRefused | None = None
with head:
    if not open_layout.after:
        present(open_layout)
    else:
        try:
            plan = plan_of(open_layout)
            below_spread = outcome(open_layout, plan, "racks")
        except WishRefused as error:
            refusal = error
            draw_refusal(open_layout, error)
with board:
    wish = open_layout.wish if open_layout.after else Wish()
    voters = () if open_layout.reading.quorum is None else open_layout.reading.quorum.voter_ids
    drawn = caching.kept(board_data, 4)(open_layout.layout, wish, plan, open_layout.reading.log_dirs, voters)
    rack_board(open_layout.layout, drawn, fields.figure("board", hear, find="find_broker", ids="ids"))
with below:
    if plan is not None:
        detail(plan)
        draw_next(open_layout, plan, below_spread, most=MOST_PARTITIONS)
    elif refusal is not None:
        frame.refused(refusal, said=True)
addresses.publish()
