"""A plan broker by broker: replicas, preferred leaders or bytes, before and after."""

from __future__ import annotations

import numpy as np
import streamlit as st

from components.charts import before_after
from components.shell import frame
from components.state import caching, fields
from reseat.model import Plan

__all__ = ["choose_bars", "draw_bars"]

#: What can be counted, the first by itself, and what the address calls each.
_SAYS = {"Replicas": "replicas", "Preferred leaders": "leaders", "Size": "size"}
_UNKNOWN = {
    "Preferred leaders": "Preferred leaders are unknown: the input does not preserve replica order.",
    "Size": "Sizes are unknown: read the output of kafka-log-dirs --describe too.",
}


def choose_bars(plan: Plan, key: str) -> str:
    """Let a person choose what is counted; what the plan balances comes up by itself."""
    by_size = plan.wish.rebalance and plan.wish.options.by_bytes
    usual = "Size" if by_size else "Preferred leaders" if plan.wish.leaders_only else "Replicas"
    return fields.segments(
        "What",
        tuple(_SAYS),
        name="bars",
        key=key if usual == "Replicas" else f"{key}-{_SAYS[usual]}",
        says=_SAYS,
        default=usual,
        label_visibility="collapsed",
    )


def draw_bars(plan: Plan, counted: str, key: str) -> None:
    """Draw what was chosen and how it is read, or say why it is unknown."""
    loads = [caching.balance_of(layout).by_broker for layout in (plan.current, plan.proposed)]
    before, after = (
        load.size_bytes if counted == "Size" else load.replicas if counted == "Replicas" else load.preferred_leaders
        for load in loads
    )
    if before is None or after is None:
        st.caption(_UNKNOWN[counted])
        return
    leaving = plan.current.is_broker(plan.wish.remove)
    unit, says = "bytes" if counted == "Size" else counted.lower(), f"{counted} by broker before and after the plan"
    if counted == "Size":  # of a broker that is down no size may be known
        before, after = (np.nan_to_num(load).astype(np.float64) for load in (before, after))
    before_after.draw(plan.current, before, after, unit, key=key, says=says, leaving=leaving)
    frame.how_to_read(
        "Grey: unchanged. Sky blue: moved in. Hatched purple: moved out. The dashed line is the mean of the remaining "
        "brokers after the plan. Brokers are ordered by rack, then by ID.",
        [counted],
    )
