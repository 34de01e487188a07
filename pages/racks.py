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
