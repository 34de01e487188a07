"""Findings a line each; and what is refused: why, what it is about, and what can be done instead."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.look import text
from components.look.theme import severity_icon
from reseat.errors import InputRefused, ReseatError, WishRefused
from reseat.model import Finding, Severity, Snapshot

__all__ = ["findings", "not_read", "of_quorum", "refused"]

#: Topics and details named before the rest is counted.
_MOST = 12


def findings(found: Sequence[Finding]) -> None:
    """What a person should know before carrying something out, a line each, worst first."""
    for finding in found:
        colour = {Severity.BROKEN: "red", Severity.ATTENTION: "orange", Severity.NOTE: "gray"}[finding.severity]
        st.markdown(f":{colour}[{severity_icon(finding.severity)}] {text.plain(finding.sentence)}")


def not_read(snapshot: Snapshot) -> None:
    """What a reading could not read and why, a line each: a right that is missing, a broker that is silent."""
    for sentence in snapshot.not_read:
        st.markdown(f":orange[:material/visibility_off:] {text.plain(sentence)}")


def of_quorum(told: tuple[bool, str]) -> str:
    """Whether the controllers go on without some brokers, and how (``quorum_without``), as Markdown."""
    mark = ":green[:material/check:]" if told[0] else ":red[:material/error:]"
    return f"{mark} {text.plain(told[1])}"


def refused(error: ReseatError, *, said: bool = False) -> None:
    """Say why something cannot be, what it is about, and what can be done instead.

    Args:
        error: the refusal.
        said: whether the page has said its sentence already; where that is all there is, nothing is drawn.
    """
    wish = error if isinstance(error, WishRefused) else None
    named = set() if wish is None else {word.strip(".,:()") for word in wish.sentence.split()}
    topics = () if wish is None or named.issuperset(wish.topics) else wish.topics
    if said and wish is not None and not (wish.choices or topics):
        return
    with st.container(border=True, key="refused"):
        sentence = str(error) if wish is None else wish.sentence
        st.markdown("**What can be done**" if said else f":red[:material/block:] **{text.plain(sentence)}**")
        if isinstance(error, InputRefused) and error.details:
            st.markdown("\n".join(f"- {text.plain(detail)}" for detail in error.details[:_MOST]))
        if wish is not None and wish.choices:
            st.markdown("\n".join(f"- {text.plain(choice)}" for choice in wish.choices))
        if topics:
            shown = ", ".join(text.code(topic) for topic in topics[:_MOST])
            more = len(topics) - _MOST
            st.markdown(f"{text.counted(len(topics), 'topic')}: {shown}{f' and {more:,} more' if more > 0 else ''}")
