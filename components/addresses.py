"""The address of a page that has choices of its own and works without a layout."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components import session
from components.session import Seat

__all__ = ["publish"]


def publish(seat: Seat | None, own: Mapping[str, str]) -> None:
    """Put a page's own choices into the address, beside the layout and what-if where one is open.

    The page needs only its own part; the rest is there so that loading the page anew keeps the layout open.

    Args:
        seat: what the person looks at, or None.
        own: the page's choices; none is named as one of ``links``.
    """
    query = dict(own)
    if seat is not None:
        query = session.shelve(seat) | query
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
