"""Read-only links: the report as it is now, opened by whoever has the link, without a sign-in."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from urllib.parse import urlsplit

import streamlit as st

from components.look import text
from components.report.made import Made
from components.server.shared_reports import path_of
from components.state import session
from components.state.slots import Slot
from reseat.access import Door, SharedReport, SharedReports
from reseat.errors import ReseatError

__all__ = ["draw_share"]

_DAY = 86_400
_DAYS = {1: "1 day", 7: "7 days", 30: "30 days", 90: "90 days"}
#: Kept: the link made last with its secret, which is shown until the page is left; and why something was refused.
_MADE: Slot[tuple[str, str]] = Slot("report-link")
_REFUSED: Slot[str] = Slot("report-link-refused")


def draw_share(made: Made) -> None:
    """A button behind which links are made and revoked; nothing where the server has them off.

    Args:
        made: the report that a link opens from then on, as it is now.
    """
    links = SharedReports.configured(os.environ)
    if links is None:
        return
    with st.popover("Read-only link", icon=":material/share:", key="report-share"):
        answer = session.may(Door.SHARE)
        if not answer.may:
            st.caption(text.plain(answer.sentence))
            return
        st.caption("Whoever has the link sees this report as it is now, without a sign-in, and nothing else.")
        days = st.segmented_control(
            "Valid for", list(_DAYS), default=7, required=True, key="report-link-days", format_func=_DAYS.__getitem__
        )
        st.button(
            "Create link", key="report-link-make", icon=":material/add_link:", on_click=_make, args=(links, made, days)
        )
        token, link_id = _MADE.get(("", ""))
        try:
            listed = links.listed(time.time())
        except ReseatError as error:
            st.markdown(f":red[:material/block: {text.plain(str(error))}]")
            return
        if token and link_id in {one.id for one in listed}:
            st.code(_address(token), language=None, wrap_lines=True)
            st.caption("Copy it now: the server does not keep it and cannot show it again.")
        refused = _REFUSED.get("")
        if refused:
            st.markdown(f":red[:material/block: {text.plain(refused)}]")
        for link in listed:
            _draw(links, link)


def _draw(links: SharedReports, link: SharedReport) -> None:
    until = datetime.fromtimestamp(link.expires_at, UTC)
    with st.container(horizontal=True, vertical_alignment="center", key=f"report-link-{link.id}"):
        st.markdown(
            f"{text.plain(link.title, 60)}  \n:gray[{text.plain(link.made_by, 60)}, until {until:%Y-%m-%d %H:%M} UTC]"
        )
        st.button("Revoke", key=f"report-revoke-{link.id}", type="tertiary", on_click=_revoke, args=(links, link))


def _make(links: SharedReports, made: Made, days: int) -> None:
    """A callback: the person may still, now that they press it."""
    answer = session.may(Door.SHARE)
    _REFUSED.set("" if answer.may else answer.sentence)
    if not answer.may:
        return
    try:
        token, link = links.make(
            made.page, title=made.report.title, who=session.person().name, now=time.time(), seconds=days * _DAY
        )
        _MADE.set((token, link.id))
    except ReseatError as error:
        _REFUSED.set(str(error))


def _revoke(links: SharedReports, link: SharedReport) -> None:
    answer = session.may(Door.SHARE)
    _REFUSED.set("" if answer.may else answer.sentence)
    if not answer.may:
        return
    try:
        links.revoke(link, who=session.person().name)
    except ReseatError as error:
        _REFUSED.set(str(error))


def _address(token: str) -> str:
    """The link as it is sent: with the host by which this browser reaches the server."""
    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{path_of(token)}" if here.netloc else path_of(token)
