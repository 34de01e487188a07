"""What the what-if leads to: one plan for all pages, derived from the layout looked at and from the whole wish.

Whoever draws "after" asks here, so that no page shows another plan than Operate sends.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.look import text
from components.look.text import wish_in_words
from components.shell import frame
from components.state import caching
from components.state.open_layout import OpenLayout
from reseat.election import layout_after
from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Plan

__all__ = ["Shown", "plan_of", "shown"]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a page that shows one layout shows.

    Attributes:
        present: the layout looked at.
        plan: the what-if's plan; None where it is not asked for, or cannot be.
        after: whether the page shows what the plan leads to.
    """

    present: ClusterLayout
    plan: Plan | None = None
    after: bool = False

    @property
    def layout(self) -> ClusterLayout:
        """The layout looked at, or the one once the plan is done, without the brokers that left."""
        if not self.after or self.plan is None:
            return self.present
        return caching.kept(layout_after, caching.AFTER)(self.plan)


def plan_of(open_layout: OpenLayout) -> Plan:
    """The plan of the what-if, at the point of the curve that was chosen.

    Raises:
        WishRefused: what is wished cannot be planned.
    """
    with st.spinner(f"Planning: {text.plain(wish_in_words(open_layout.wish))} …", show_time=True):
        return caching.plan_for(open_layout.layout, open_layout.wish)


def shown(open_layout: OpenLayout, *, beside: bool = False) -> Shown:
    """The layout that the strip's switch chooses; where the what-if cannot be, that is said and the present shown.

    Args:
        open_layout: the layout and the what-if.
        beside: whether the plan is wanted beside the present too, for what differs.
    """
    if open_layout.wish.is_empty or not (open_layout.after or beside):
        return Shown(open_layout.layout)
    try:
        plan = plan_of(open_layout)
    except WishRefused as refusal:
        frame.refused(refusal)
        if open_layout.after:
            st.caption("Until this is resolved, the page shows the current state.")
        return Shown(open_layout.layout)
    return Shown(open_layout.layout, plan, open_layout.after)
