"""A plan that moves replicas between log directories of their brokers, before it is carried out: words and figures."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.look import tables, text
from components.operate.plan import Proposal
from components.shell.frame import Figure
from reseat.formats.documents.directory_moves import DirectoryMove, directory_moves
from reseat.model import Plan, Snapshot

__all__ = ["draw_between", "figures_between", "moves_between", "what_moves"]


def moves_between(proposal: Proposal, plan: Plan, now: Snapshot) -> tuple[DirectoryMove, ...]:
    """What a plan moves between directories; nothing where it changes lists, which goes first."""
    return () if plan.certificate.changed_partitions else directory_moves(proposal.sealed.proposed, now.layout)


def what_moves(between: Sequence[DirectoryMove]) -> str:
    """As a part of a sentence: "3 replicas move to another log directory, 6.0 MB"."""
    copied = sum(move.bytes or 0 for move in between)
    replicas = text.counted(len(between), "replica moves", "replicas move")
    return f"{replicas} to another log directory, {text.size(copied)}"


def figures_between(between: Sequence[DirectoryMove], proposal: Proposal, rate: float) -> list[Figure]:
    """How many replicas, on how many brokers, how much, and how long the busiest broker takes at least."""
    by_broker: dict[int, int] = {}
    for move in between:
        by_broker[move.broker] = by_broker.get(move.broker, 0) + (move.bytes or 0)
    made = proposal.sealed.told_hash is not None
    return [
        Figure("Replicas move", text.count(len(between))),
        Figure("Partitions", text.count(len({(move.topic, move.partition) for move in between}))),
        Figure("Brokers", text.count(len(by_broker))),
        Figure("Data to copy", text.size(sum(by_broker.values())), None, "Counted from the sizes just read."),
        Figure("Minimum duration", text.duration(max(by_broker.values()) / rate) if rate else "no throttle"),
        Figure("Plan's hash", proposal.sealed.hash[:12], "made by Reseat" if made else "from another tool"),
    ]


def draw_between(between: Sequence[DirectoryMove]) -> None:
    """Each replica with the directory that it leaves and the one that it goes to."""
    import pandas as pd

    shown = between[: tables.MOST_ROWS]
    frame = pd.DataFrame(
        {
            "topic": [text.visible(move.topic, 260) for move in shown],
            "partition": [move.partition for move in shown],
            "broker": [move.broker for move in shown],
            "from": [text.visible(move.before, 160) for move in shown],
            "to": [text.visible(move.target, 160) for move in shown],
            "size": [text.size(move.bytes) for move in shown],
        }
    )
    tables.table(frame, "operate-between", {"size": tables.RIGHT}, height=260)
    if len(between) > len(shown):
        st.caption(f"The first {len(shown):,} of {len(between):,} replicas.")
