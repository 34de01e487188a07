"""Brokers stopped or restarted, drawn: who takes over, what goes offline, and which broker may be restarted next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components import caching, elections, frame, text
from reseat.election import Reason
from reseat.model import ClusterLayout

if TYPE_CHECKING:
    from reseat.election import Mode

__all__ = ["APART", "apart", "draw_next_restart", "draw_stopped", "legend"]

APART = "Most minus fewest leaders of a broker, before and after"


def draw_stopped(layout: ClusterLayout, mode: Mode) -> None:
    """Who takes over and what goes offline while brokers are merely stopped."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    brokers = left.multiselect(
        "Brokers stopped",
        layout.broker_ids.tolist(),
        key="stopped",
        placeholder="Choose a broker",
        persist_state="session",
    )
    unclean = right.checkbox("Unclean election allowed", key="unclean", help="unclean.leader.election.enable")
    chosen = tuple(sorted(set(brokers) & set(layout.broker_ids.tolist())))
    preview = caching.stop_of(layout, chosen, mode, unclean=unclean)
    if not chosen:
        frame.answer("Choose the brokers to stop: nothing moves, but others must lead.")
        return
    frame.answer(preview.sentences[0] if preview.sentences else "Nothing changes.")
    taken = elections.reason_counts(preview.election).get(Reason.TAKES_OVER, 0)
    frame.figures(
        [
            ("Taken over", text.count(taken), None, Reason.TAKES_OVER.sentence),
            ("Go offline", text.count(len(preview.offline)), None, Reason.NO_CANDIDATE.sentence),
            ("Led by one out of sync", text.count(len(preview.unclean)), None, Reason.UNCLEAN.sentence),
            ("Fall below min ISR", text.count(len(preview.below_min_isr)), None, "Writes with acks=all are refused"),
            ("Under-replicated", text.count(len(preview.under_replicated)), None, "One replica fewer in sync"),
        ]
    )
    for sentence in preview.sentences[1:]:
        st.markdown(text.plain(sentence))
    election = preview.election
    elections.draw_leaders(layout, election.leaders_before, election.leaders_after, "leaders-stopped", stopped=chosen)
    legend()
    elections.draw_reasons(layout, election, "election-stopped")


def draw_next_restart(layout: ClusterLayout) -> None:
    """The next broker that is safe to restart, and why the others are not."""
    verdicts = caching.restarts_of(layout)
    safe = [verdict for verdict in verdicts if verdict.safe]
    frame.answer(
        f"Broker {safe[0].broker_id} is the next to restart. {safe[0].sentence}"
        if safe
        else f"No broker is safe to restart now. {verdicts[0].sentence if verdicts else ''}"
    )
    frame.figures(
        [
            ("Safe", text.count(len(safe)), None, "Nothing goes offline, below min ISR, or loses a second replica"),
            ("Must wait", text.count(len(verdicts) - len(safe)), None, "The table says why"),
        ]
    )
    elections.draw_restarts(verdicts, "restarts")


def apart(
    layout: ClusterLayout,
    before: elections.Counts | None,
    after: elections.Counts | None,
    *,
    away_before: tuple[int, ...] = (),
    away_after: tuple[int, ...] = (),
) -> str:
    """Most minus fewest leaders of a broker, before and after; brokers that are away then do not count."""
    ids = layout.broker_ids
    return f"{elections.spread_words(before, ids, away_before)} → {elections.spread_words(after, ids, away_after)}"


def legend() -> None:
    """What the bars mean."""
    frame.how_to_read(
        "Grey: leaders that a broker keeps. Sky blue: leaders it gains. Purple with hatches: leaders it loses. The "
        "dashed line is the mean afterwards. No data moves in an election."
    )
