"""The points between least moves and perfect balance: what more moves would buy, and the plan for the one chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components import caching, text
from components.session import Seat
from reseat.errors import WishRefused
from reseat.model import CurvePoint, Plan

if TYPE_CHECKING:
    from reseat.planning import Curve

__all__ = ["chosen_plan"]


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
    moves = st.segmented_control(
        "What more moves buy",
        list(words),
        default=start,
        required=True,
        format_func=words.__getitem__,
        key=f"point-{seat.digest}-{text.wish_in_words(seat.wish)}-{seat.wish.options}",
        help="The first is the plan with the least moves; each further one buys more balance. No evener plan with so "
        "many moves was found.",
    )
    _say(offered)
    if moves == least.certificate.moves:
        return least
    return caching.plan_with_moves(seat.layout, seat.wish, moves)


def _offered(seat: Seat, least: Plan) -> Curve | None:
    if not least.certificate.moves or least.certificate.faults:
        return None
    try:
        with st.spinner("Looking at what more moves would buy …"):
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
