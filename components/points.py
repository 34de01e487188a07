"""The points between least moves and perfect balance: what more moves would buy, and the plan for the one chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from components import caching, session, text
from components.session import Seat
from reseat.errors import WishRefused
from reseat.model import CurvePoint, Plan

if TYPE_CHECKING:
    from reseat.planning import Curve

__all__ = ["bargain", "chosen_plan", "plan_last_chosen"]

#: Under which the point chosen is kept, for the pages that carry the plan out.
_KEPT = "point"


def chosen_plan(seat: Seat, least: Plan) -> Plan:
    """The plan at the point that the person chose, by default the one with the least moves."""
    offered = _offered(seat, least)
    if offered is None:
        return least
    points = offered.points
    if len(points) < 2:
        _say(offered)
        return least
    words = {point.moves: _words(point) for point in points}
    start = _nearest(points, least.certificate.moves)
    key = f"point-{seat.digest}-{text.wish_in_words(seat.wish)}-{seat.wish.options}"
    row = st.container(horizontal=True, vertical_alignment="bottom", key="points")
    if seat.wish.add and not seat.wish.remove:
        # Onto new brokers fewer moves are worth having too, so one slides along the curve.
        moves = row.select_slider(
            "Moves, and how far apart the fullest and the emptiest broker are then",
            list(words),
            value=start,
            format_func=words.__getitem__,
            key=key,
            width=620,
            persist_state="session",
        )
    else:
        moves = row.segmented_control(
            "What more moves buy",
            list(words),
            default=start,
            required=True,
            format_func=words.__getitem__,
            key=key,
            width="content",
            persist_state="session",
            help="The first is the plan with the least moves; each further one buys more balance. No evener plan with "
            "so many moves was found.",
        )
    row.caption(bargain(points, moves, start), width="content")
    _say(offered)
    session.keep(_KEPT, (seat.digest, seat.wish, moves))
    if moves == least.certificate.moves:
        return least
    return caching.plan_with_moves(seat.layout, seat.wish, moves)


def plan_last_chosen(seat: Seat) -> Plan:
    """The plan that the Plan page shows for this what-if: at the point chosen there, by default with the least moves.

    Raises:
        WishRefused: what is wished cannot be planned.
    """
    least = caching.plan_for(seat.layout, seat.wish)
    digest, wish, moves = (*session.kept(_KEPT, ()), None, None, None)[:3]
    if (digest, wish) != (seat.digest, seat.wish) or not isinstance(moves, int) or moves == least.certificate.moves:
        return least
    return caching.plan_with_moves(seat.layout, seat.wish, moves)


def bargain(points: Sequence[CurvePoint], moves: int, own: int) -> str:
    """What the chosen point costs and buys beside Reseat's own plan; beside that one, what the next would buy.

    Args:
        points: of the curve, ascending by moves.
        moves: of the chosen point.
        own: of Reseat's own plan.
    """
    spread = {point.moves: point.replica_spread for point in points}
    if moves > own:
        more = text.plural(moves - own, "more move")
        brings = "brings" if moves - own == 1 else "bring"
        return f"{more} {brings} the spread from {spread[own]:,} to {spread[moves]:,}."
    if moves < own:
        less = text.plural(own - moves, "move fewer", "moves fewer")
        return f"{less}: the spread is {spread[moves]:,} instead of {spread[own]:,}."
    further = [point for point in points if point.moves > own and point.replica_spread < spread[own]]
    if further:
        more = text.plural(further[0].moves - own, "more move")
        return f"{more} would bring the spread from {spread[own]:,} to {further[0].replica_spread:,}."
    fewer = [point for point in points if point.moves < own]
    if fewer:
        less = text.plural(own - fewer[-1].moves, "move fewer", "moves fewer")
        return f"{less}: the spread would be {fewer[-1].replica_spread:,} instead of {spread[own]:,}."
    return "No further point is evener."


def _offered(seat: Seat, least: Plan) -> Curve | None:
    if not least.certificate.moves or least.certificate.faults:
        return None
    try:
        with st.spinner("Looking at what more moves would buy …", show_time=True):
            return caching.curve_of(seat.layout, seat.wish)
    except WishRefused:
        # The curve is an offer beside the plan: where there is none, the plan stands alone.
        return None


def _say(offered: Curve) -> None:
    """Which points are left out, and why."""
    for sentence in offered.sentences:
        st.caption(sentence)


def _words(point: CurvePoint) -> str:
    return f"{text.plural(point.moves, 'move')}: {point.replica_spread:,} apart"


def _nearest(points: tuple[CurvePoint, ...], moves: int) -> int:
    return min((point.moves for point in points), key=lambda at: abs(at - moves))
