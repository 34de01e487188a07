"""What comes of stopped brokers, in lists: who leads, what suffers, what unclean election brings back, a majority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.leaders import elections
from components.look import tables, text
from components.state import fields
from components.state.partitions_table import partitions_table
from reseat.model import ClusterLayout, Longs

if TYPE_CHECKING:
    from reseat.election import ElectionPreview, Majority

__all__ = ["MAJORITY", "bring_back_words", "draw_lists"]

#: The list that compares with a majority system.
MAJORITY = "Compared with majority quorum"
_LEADS = "Who leads"
#: What the address calls a list; what the step and the outage have in common has one word.
_SAYS = {
    _LEADS: "leads",
    "Offline": "offline",
    "Go offline": "offline",
    "Reject acks=all": "below",
    "Fall below min ISR": "below",
    "Records may be lost": "lost",
    "Led by out-of-sync replica": "unclean",
    "Unclean recovers": "back",
    "Under-replicated": "under",
    MAJORITY: "majority",
}


def draw_lists(
    layout: ClusterLayout,
    election: ElectionPreview,
    lists: Mapping[str, Longs],
    majority: Majority,
    key: str,
    *,
    notes: Sequence[str] = (),
) -> None:
    """Who leads and why, the lists of what suffers, and what a majority system would need.

    Args:
        layout: the layout of the rows.
        election: leaders before and after.
        lists: rows by the list's name; empty ones are left out.
        majority: the comparison.
        key: its name on the page.
        notes: sentences under the lists.
    """
    choices = [_LEADS, *(name for name, rows in lists.items() if len(rows)), MAJORITY]
    chosen = fields.segments(
        "List",
        choices,
        name="list",
        says=_SAYS,
        key=f"{key}-list-{'-'.join(str(list(lists).index(name)) for name in choices[1:-1])}",
        label_visibility="collapsed",
        format_func=lambda name: f"{name} · {len(lists[name]):,}" if name in lists else name,
    )
    if chosen == _LEADS:
        elections.draw_reasons(layout, election, f"election-{key}")
    elif chosen == MAJORITY:
        _draw_majority(layout, majority)
    else:
        partitions_table(layout, lists[chosen], f"{key}-{choices.index(chosen)}")
    for sentence in notes:
        st.caption(text.plain(sentence))


def bring_back_words(layout: ClusterLayout, rows: Longs, offline: int) -> str:
    """What unclean election would bring back, and what is at stake."""
    if not len(rows):
        return "Unclean election would recover nothing: no other replica of these partitions is alive."
    at_stake = ""
    if layout.replica_bytes is not None:
        largest = np.nan_to_num(layout.replica_bytes[rows], nan=0.0).max(axis=1, initial=0.0)
        at_stake = f" They hold {text.size(float(largest.sum()))}; how much of it had not been copied is unknown."
    return (
        f"Unclean election would recover {len(rows):,} of {text.counted(offline, 'offline partition')} and permanently "
        f"lose the records that the new leaders had not copied.{at_stake}"
    )


def _draw_majority(layout: ClusterLayout, majority: Majority) -> None:
    """An ISR, a majority of the same replicas, and a majority that survives as much, side by side."""
    import pandas as pd

    further = majority.replicas_needed - majority.replicas
    frame = pd.DataFrame(
        {
            "system": [
                "Kafka: ISR of the existing replicas",
                "Majority of the same replicas",
                "Majority that survives as many failures",
            ],
            "survives f failures with": ["f + 1 replicas", "2 f + 1 replicas", "2 f + 1 replicas"],
            "replicas": [majority.replicas, majority.replicas, majority.replicas_needed],
            "available partitions": [
                f"{majority.led:,} of {layout.partition_count:,}",
                f"{majority.would_decide:,} of {layout.partition_count:,}",
                "as Kafka or more",
            ],
            "more data": ["0 B", "0 B", text.size(majority.bytes_needed)],
        }
    )
    right = dict.fromkeys(("available partitions", "more data"), tables.RIGHT)
    columns = {**right, "system": st.column_config.TextColumn(width=320)}
    tables.table(frame, "majority-table", columns, height=140)
    for sentence in majority.sentences:
        st.markdown(text.plain(sentence))
    st.caption(
        f"A majority system needs {text.counted(further, 'more replica')} for the same tolerance. The price of the "
        "ISR: a write waits for the slowest in-sync replica, up to replica.lag.time.max.ms, until it drops out of "
        "the ISR."
    )
