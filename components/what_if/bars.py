"""A plan broker by broker: replicas or preferred leaders, before and after."""

from __future__ import annotations

import numpy as np
import streamlit as st

from components.charts import before_after
from components.shell import frame
from components.state import caching
from reseat.model import Plan

__all__ = ["COUNTED", "SAYS", "draw_bars"]

#: What can be counted, the first by itself.
COUNTED = ("Replicas", "Preferred leaders")
#: What the address calls each.
SAYS = {"Replicas": "replicas", "Preferred leaders": "leaders"}


def draw_bars(plan: Plan, counted: str, key: str) -> None:
    """Draw one of ``COUNTED`` and how it is read, or say why it is unknown."""
    one, two = caching.balance_of(plan.current).by_broker, caching.balance_of(plan.proposed).by_broker
    leaders = counted == COUNTED[1]
    before, after = (one.preferred_leaders, two.preferred_leaders) if leaders else (one.replicas, two.replicas)
    if before is None or after is None:
        st.caption("Preferred leaders are unknown: the input does not preserve replica order.")
        return
    leaving = np.isin(plan.current.broker_ids, plan.wish.remove)
    says = f"{counted} by broker before and after the plan"
    before_after.draw(plan.current, before, after, counted.lower(), key=key, says=says, leaving=leaving)
    frame.how_to_read(
        "Grey: unchanged. Sky blue: moved in. Hatched purple: moved out. The dashed line is the mean of the remaining "
        "brokers after the plan. Brokers are ordered by rack, then by ID.",
        [counted],
    )
