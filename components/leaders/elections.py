"""Elections drawn: leaders by broker before and after, and the table partition by partition with the reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import before_after
from components.look import tables, text
from components.state import fields
from reseat.model import NOT_TOLD, ClusterLayout, Longs

if TYPE_CHECKING:
    import pandas as pd

    from reseat.election import AutoRebalance, ElectionPreview, Reason, RestartSafety

__all__ = [
    "as_csv",
    "draw_auto_rebalance",
    "draw_leaders",
    "draw_reasons",
    "draw_restarts",
    "figures_of",
    "is_told",
    "reason_counts",
]


def reason_counts(preview: ElectionPreview) -> dict[Reason, int]:
    """How many partitions have each reason, the most frequent first."""
    from reseat.election import Reason

    counts = np.bincount(preview.reason, minlength=len(Reason))
    return {Reason(code): int(counts[code]) for code in np.argsort(-counts, kind="stable").tolist() if counts[code]}


def is_told(preview: ElectionPreview) -> bool:
    """Whether anything is known of any partition's leader and order; if not, counts are not told instead of 0."""
    from reseat.election import Reason

    return bool((~np.isin(preview.reason, [Reason.LEADER_NOT_TOLD, Reason.ORDER_NOT_TOLD])).any())


def figures_of(preview: ElectionPreview) -> list[tuple[str, str, None, str]]:
    """How many partitions are elected, led already, and cannot be: figures for ``frame.figures``."""
    from reseat.election import Reason

    told = is_told(preview) or not len(preview.reason)
    counts = reason_counts(preview) | {Reason.ELECTED: preview.elected}
    return [
        (label, text.count(counts.get(reason, 0) if told else None), None, reason.sentence)
        for label, reason in (
            ("Elected", Reason.ELECTED),
            ("Already led", Reason.ALREADY_LED),
            ("Preferred not alive", Reason.PREFERRED_NOT_ALIVE),
            ("Preferred not in ISR", Reason.PREFERRED_NOT_IN_SYNC),
        )
    ]


def draw_leaders(
    layout: ClusterLayout,
    before: Longs | None,
    after: Longs,
    key: str,
    *,
    stopped: tuple[int, ...] = (),
    on_click: Callable[[], None] | None = None,
) -> None:
    """Leaders by broker before and after.

    Args:
        layout: whose brokers they are.
        before: (B,) leaders now, or None where no leader is told: then only the bars afterwards are drawn.
        after: (B,) leaders afterwards.
        key: the chart's name on the page.
        stopped: brokers that lead nothing afterwards because they are down.
        on_click: called when a broker's bar is clicked.
    """
    before_after.draw(
        layout,
        after if before is None else before,
        after,
        "leaders",
        key=key,
        says="Leaders by broker before and after",
        leaving=layout.is_broker(stopped),
        down=True,
        height=220,
        on_click=on_click,
    )


def draw_reasons(layout: ClusterLayout, preview: ElectionPreview, key: str) -> None:
    """The table partition by partition, chosen by reason and by search."""
    counts = reason_counts(preview)
    chosen = fields.pills(
        "Reasons",
        list(counts),
        name="reasons",
        says=lambda reason: reason.name.lower(),
        default=_telling(counts),
        format_func=lambda reason: f"{reason.label} · {counts[reason]:,}",
        # What comes up by itself depends on the reasons there are: other ones begin anew.
        key=f"{key}-reasons-{'-'.join(reason.name for reason in counts)}",
        label_visibility="collapsed",
    )
    typed = fields.find(key)
    wanted = [reason.value for reason in (chosen or counts)]
    rows = np.flatnonzero(np.isin(preview.reason, wanted))
    found = rows[tables.matching(layout, rows, typed, preview.leader_before[rows], preview.leader_after[rows])]
    first = found[: tables.MOST_ROWS]
    frame = _frame(layout, preview, first)
    right = {name: tables.RIGHT for name in frame.columns if name.startswith(("leader", "preferred"))}
    tables.table(frame, f"{key}-table", right, height=270, of=len(rows))
    said = tables.shown_of(len(first), len(found), "partition")
    tables.foot(key, said, "leaders.csv", lambda: as_csv(layout, preview, found))


def as_csv(layout: ClusterLayout, preview: ElectionPreview, rows: Longs) -> str:
    """The preview of some partitions as CSV, names made harmless for spreadsheets."""
    return tables.as_csv(_frame(layout, preview, rows))


def _frame(layout: ClusterLayout, preview: ElectionPreview, first: Longs) -> pd.DataFrame:
    """The preview partition by partition, as words."""
    import pandas as pd

    from reseat.election import Reason

    preferred = layout.replica_ids[first, 0] if layout.replicas.shape[1] else np.full(len(first), NOT_TOLD)
    preferred = np.where(layout.order_told[layout.topic_of[first]], preferred, NOT_TOLD)
    columns: dict[str, object] = {
        "topic": [layout.topics[i] for i in layout.topic_of[first].tolist()],
        "partition": layout.partition[first],
        "replicas": tables.lists(layout.replica_ids[first]),
        "leader now": tables.leader_names(preview.leader_before[first]),
    }
    if preview.leader_done is not None:
        columns["leader after data move"] = tables.leader_names(preview.leader_done[first])
    columns |= {
        "preferred": tables.leader_names(preferred),
        "leader after election": tables.leader_names(preview.leader_after[first]),
        "reason": [_marked(Reason(code), assumed) for code, assumed in _reasons(preview, first)],
    }
    return pd.DataFrame(columns)


def _reasons(preview: ElectionPreview, rows: Longs) -> list[tuple[int, bool]]:
    return list(zip(preview.reason[rows].tolist(), preview.assumed[rows].tolist(), strict=True))


def _marked(reason: Reason, assumed: bool) -> str:
    error = "" if reason.error in ("NONE", "ELECTION_NOT_NEEDED") else f" ({reason.error})"
    return f"{reason.label}{error}{', ISR unknown' if assumed else ''}"


def _telling(counts: dict[Reason, int]) -> list[Reason]:
    """The reasons that say something happens or cannot; all, where nothing does."""
    from reseat.election import Reason

    quiet = {Reason.ALREADY_LED, Reason.KEEPS_LEADING}
    return [reason for reason in counts if reason not in quiet] or list(counts)


def draw_auto_rebalance(auto: AutoRebalance, key: str) -> None:
    """What the automatic rebalance would do, broker by broker."""
    import pandas as pd

    for sentence in auto.sentences:
        st.markdown(text.plain(sentence))
    frame = pd.DataFrame(
        {
            "broker": auto.broker_ids,
            "preferred by": auto.preferring,
            "of these not led by it": auto.led_elsewhere,
            "share": auto.share,
            "acts": np.where(auto.acts, "● acts", ""),
        }
    ).sort_values(["share", "broker"], ascending=[False, True])
    share = {
        "share": st.column_config.ProgressColumn("share, percent", format="%.1f", min_value=0, max_value=100),
    }
    tables.table(frame.head(tables.MOST_ROWS), key, share, height=270)


def draw_restarts(restarts: tuple[RestartSafety, ...], key: str) -> None:
    """Every broker with its verdict, the next one to restart first."""
    import pandas as pd

    frame = pd.DataFrame(
        {
            "broker": [restart.broker_id for restart in restarts],
            "verdict": ["✔ safe" if restart.safe else "✖ wait" for restart in restarts],
            "why": [_why(restart) for restart in restarts],
            "leaders": pd.array([restart.leaders for restart in restarts], dtype="Int64"),
            "goes offline": [restart.goes_offline for restart in restarts],
            "below min ISR": [restart.falls_below_min_isr for restart in restarts],
            "under-replicated": [restart.already_short for restart in restarts],
        }
    )
    columns = {
        "broker": tables.PLAIN | {"width": 60},
        "verdict": st.column_config.TextColumn(width=75),
        # A column without a width takes what the others leave.
        "leaders": st.column_config.NumberColumn(format="localized", width=70),
        "goes offline": st.column_config.NumberColumn(format="localized", width=95),
        "below min ISR": st.column_config.NumberColumn(format="localized", width=105),
        "under-replicated": st.column_config.NumberColumn(
            width=125, help="Other partitions of this broker that are under-replicated already"
        ),
    }
    tables.table(frame, key, columns, height=430)


def _why(restart: RestartSafety) -> str:
    """The reason alone: broker and verdict have columns of their own."""
    reason = restart.sentence.partition(": ")[2] or restart.sentence
    return text.visible(reason[:1].upper() + reason[1:], 300)
