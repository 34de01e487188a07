"""The address of a page: whole, or with choices of its own where the page works without a layout."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from components import links, session, text
from components.session import Seat

__all__ = ["carried", "full", "publish", "tab"]

#: Characters of a layout's name in the title of a tab.
_NAME = 60


def publish(seat: Seat | None, own: Mapping[str, str]) -> None:
    """Put a page's own choices into the address, beside the layout and what-if where one is open.

    The page needs only its own part; the rest is there so that loading the page anew keeps the layout open.

    Args:
        seat: what the person looks at, or None.
        own: the page's choices; none is named as one of ``links``.
    """
    # Told each time: a link from the page to itself is followed, but Streamlit leaves the browser's address as it was,
    # and there nothing happens where it says the same.
    st.query_params.from_dict(_opens(seat) | dict(own))


def carried() -> dict[str, str]:
    """What a link inside the dashboard carries, so that a new tab opens the same layout and what-if."""
    return _opens(session.seat())


def _opens(seat: Seat | None) -> dict[str, str]:
    if seat is not None:
        return session.shelve(seat)
    if session.pending_link() is None:
        return session.about_session()
    # It waits for its file, or its cluster: loading the page anew must not lose it.
    waits = {name: value for name, value in st.query_params.to_dict().items() if name in links.NAMES}
    return waits | session.about_session()


def full(seat: Seat) -> str:
    """The whole address of what one looks at, on the page where one is; without the server where it is not known."""
    return f"{st.context.url or ''}?{urlencode(session.shelve(seat))}"


def tab(title: str) -> str:
    """The title of the browser's tab: the page, and the layout or cluster that one looks at.

    It is told before the page is drawn, so the address is followed here where the browser went back.
    """
    session.follow_address()
    seat = session.seat()
    return " · ".join([title, *([] if seat is None else [text.visible(seat.name, _NAME)]), "Reseat"])
