"""What is refused, drawn: why, what it is about, and what can be done instead."""

from __future__ import annotations

import streamlit as st

from components import text
from reseat.errors import InputRefused, ReseatError, WishRefused

__all__ = ["refused"]

#: Topics and details named before the rest is counted.
_MOST = 12


def refused(error: ReseatError) -> None:
    """Say why something cannot be, what it is about, and what can be done instead."""
    with st.container(border=True, key="refused"):
        sentence = error.sentence if isinstance(error, WishRefused) else str(error)
        st.markdown(f":red[:material/block:] **{text.plain(sentence)}**")
        if isinstance(error, InputRefused):
            for detail in error.details[:12]:
                st.markdown(f"- {text.plain(detail)}")
        if isinstance(error, WishRefused):
            for choice in error.choices:
                st.markdown(f"- {text.plain(choice)}")
            if error.topics:
                shown = ", ".join(text.code(topic) for topic in error.topics[:12])
                more = len(error.topics) - 12
                st.markdown(
                    f"{text.plural(len(error.topics), 'topic')}: {shown}{f' and {more:,} more' if more > 0 else ''}"
                )
