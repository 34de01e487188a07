"""What changed on a live cluster between readings: a sentence for each reading, and a table that can be searched."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.look import tables, text
from components.state import fields
from reseat.balance.changes import KINDS, Changes
from reseat.model import NONE, NOT_TOLD, Longs
from reseat.model.search import Search
from reseat.sources.followed import LiveState, ReadingDifference

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["WORDS", "draw_changes", "draw_table", "word_of"]

#: The words of each kind for a person; the broker's column says which.
WORDS = {
    "broker_gone": "✖ broker down",
    "leader_moved": "→ leader moved",
    "isr_shrunk": "▼ left the ISR",
    "broker_came": "✔ broker up",
    "broker_left": "− broker left",
    "isr_grown": "▲ joined the ISR",
    "replica_added": "+ replica added",
    "replica_removed": "− replica removed",
    "order_changed": "⇅ order changed",
}
#: Of replicas that came or went with their whole partition.
_WHOLE = {"replica_added": "+ partition created", "replica_removed": "− partition deleted"}
_HEIGHT = 300


def word_of(kind: str, whole: bool | None) -> str:
    """The word of one change: of its kind, and of whether the replica came or went with its whole partition."""
    return _WHOLE[kind] if whole else WORDS.get(kind, kind)


def draw_changes(state: LiveState, key: str) -> None:
    """The section: what the last reading brought, the choice of an earlier one, and the table."""
    st.header("What changed", anchor=False)
    if state.last is None:
        st.caption("One reading so far: changes show from the second on.")
        return
    since = f"{_clock(state.last.before)} to {_clock(state.last.at)} UTC"
    st.markdown(f"Since the previous reading ({since}): **{text.plain(state.last.changes.summary)}**")
    noted = list(reversed(state.noted))
    if not noted:
        return
    chosen = fields.select(
        "Changes between readings",
        range(len(noted)),
        name="reading",
        key=f"{key}-{len(noted)}-{noted[0].at.timestamp()}",
        says=lambda number: f"{noted[number].at:%Y%m%dT%H%M%S.%f}",
        format_func=lambda number: f"{_clock(noted[number].at)} UTC: {noted[number].changes.summary}",
        label_visibility="collapsed",
    )
    draw_table(noted[chosen], key)


def draw_table(noted: ReadingDifference, key: str, what: str = "change") -> None:
    """What is different between two readings, searched; the time of it where it is a ``change`` that was seen."""
    found = _matching(noted.changes, fields.find(key, "a topic, topic-partition, broker id, or a kind of change"))
    first, hidden = found[: tables.MOST_ROWS], [] if what == "change" else ["time"]
    tables.table(
        _frame(noted, first).drop(columns=hidden),
        f"{key}-table",
        {
            "time": st.column_config.TextColumn(width=90),
            "change": st.column_config.TextColumn(width=165),
            "partition": tables.RIGHT,
            "broker": tables.RIGHT,
            "before": tables.RIGHT,
        },
        height=_HEIGHT,
        of=len(noted.changes),
    )
    said, file = tables.shown_of(len(first), len(found), what), "difference.csv" if hidden else "changes.csv"
    tables.foot(key, said, file, lambda: _csv(noted, found, hidden))


def _matching(changed: Changes, typed: str) -> Longs:
    """The rows of changes that a search is about.

    A number finds a broker or a partition id; ``topic-7`` one partition; other words a part of a topic's name or of the
    words of a kind, without regard to case.
    """
    search = Search.of(typed)
    if not search.words:
        return np.arange(len(changed))
    hit = search.partitions(changed.topics, changed.topic_of, changed.partition)
    words, of_whole = (search.within(one.get(kind, "") for kind in KINDS)[changed.kind] for one in (WORDS, _WHOLE))
    hit |= np.where(changed.whole, of_whole, words)
    if search.number is not None:
        hit |= (changed.broker == search.number) | (changed.was == search.number) | (changed.partition == search.number)
    return np.flatnonzero(hit)


def _frame(noted: ReadingDifference, rows: Longs) -> pd.DataFrame:
    """Some changes as a table for a person."""
    import pandas as pd

    changed = noted.changes
    none = {NONE: "none", NOT_TOLD: ""}
    return pd.DataFrame(
        {
            "time": [_clock(noted.at)] * len(rows),
            "change": [
                word_of(KINDS[kind], whole)
                for kind, whole in zip(changed.kind[rows].tolist(), changed.whole[rows].tolist(), strict=True)
            ],
            "topic": [
                text.visible(changed.topics[topic], 249) if topic >= 0 else ""
                for topic in changed.topic_of[rows].tolist()
            ],
            "partition": [
                "" if partition == NONE else str(partition) for partition in changed.partition[rows].tolist()
            ],
            "broker": [none.get(broker, str(broker)) for broker in changed.broker[rows].tolist()],
            "before": [none.get(broker, str(broker)) for broker in changed.was[rows].tolist()],
        }
    )


def _csv(noted: ReadingDifference, rows: Longs, hidden: list[str]) -> str:
    frame = _frame(noted, rows).drop(columns=hidden)
    if not hidden:
        frame["change"] = [KINDS[kind] for kind in noted.changes.kind[rows].tolist()]
    return tables.as_csv(frame)


def _clock(when: datetime) -> str:
    return when.strftime("%H:%M:%S")
