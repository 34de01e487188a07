"""What comes of stopped brokers, in lists: who leads, what suffers, what unclean election brings back, a majority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from components import elections, tables, text
from reseat.model import ClusterLayout

if TYPE_CHECKING:
    from reseat.election import ElectionPreview, Majority

__all__ = ["MAJORITY", "bring_back_words", "draw_lists"]

#: The list that compares with a majority system.
MAJORITY = "Compared with majority quorum"
_LEADS = "Who leads"


def draw_lists(
    layout: ClusterLayout,
    election: ElectionPreview,
    lists: Mapping[str, npt.NDArray[np.int64]],
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
    chosen = st.segmented_control(
        "List",
        choices,
        default=_LEADS,
        required=True,
        key=f"{key}-list-{'-'.join(str(list(lists).index(name)) for name in choices[1:-1])}",
        label_visibility="collapsed",
        format_func=lambda name: f"{name} · {len(lists[name]):,}" if name in lists else name,
    )
    if chosen == _LEADS:
        elections.draw_reasons(layout, election, f"election-{key}")
    elif chosen == MAJORITY:
        _draw_majority(layout, majority)
    else:
        tables.partitions_table(layout, lists[chosen], f"{key}-{choices.index(chosen)}")
    for sentence in notes:
        st.caption(text.plain(sentence))


def bring_back_words(layout: ClusterLayout, rows: npt.NDArray[np.int64], offline: int) -> str:
    """What unclean election would bring back, and what is at stake."""
    if not len(rows):
        return "Unclean election would bring nothing back: no other replica of these partitions is alive."
    at_stake = ""
    if layout.replica_bytes is not None:
        largest = np.nan_to_num(layout.replica_bytes[rows], nan=0.0).max(axis=1, initial=0.0)
        at_stake = f" They hold {text.size(float(largest.sum()))}; how much of it was not copied is unknown."
    return (
        f"Unclean election would bring back {len(rows):,} of {text.plural(offline, 'partition')} offline, and lose for "
        f"good what the new leaders had not copied.{at_stake}"
    )


def _draw_majority(layout: ClusterLayout, majority: Majority) -> None:
    """An ISR, a majority of the same replicas, and a majority that survives as much, side by side."""
    import pandas as pd

    further = majority.replicas_needed - majority.replicas
    frame = pd.DataFrame(
        {
            "system": [
                "Kafka: an ISR of the replicas there are",
                "A majority of the same replicas",
                "A majority that survives as many failures",
            ],
            "survives f failures with": ["f + 1 replicas", "2 f + 1 replicas", "2 f + 1 replicas"],
            "replicas": [majority.replicas, majority.replicas, majority.replicas_needed],
            "goes on in partitions": [
                f"{majority.led:,} of {layout.partition_count:,}",
                f"{majority.would_decide:,} of {layout.partition_count:,}",
                "as Kafka or more",
            ],
            "bytes more": ["0 B", "0 B", text.size(majority.bytes_needed)],
        }
    )
    right = dict.fromkeys(("goes on in partitions", "bytes more"), tables.RIGHT)
    columns = {**right, "system": st.column_config.TextColumn(width=320)}
    tables.table(frame, "majority-table", height=140, **columns)
    for sentence in majority.sentences:
        st.markdown(text.plain(sentence))
    st.caption(
        f"{further:,} replicas more buy a majority system what an ISR has with these. The price of the ISR: a write "
        "waits for its slowest member, up to replica.lag.time.max.ms, before that one is left behind."
    )
