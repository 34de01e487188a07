"""A door that is closed, drawn: why, and the buttons to sign in where that would open it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.look import text
from components.server import visitor
from components.state import session
from reseat.access import Decision

__all__ = ["draw_buttons", "draw_closed"]


def draw_closed(answer: Decision, key: str) -> None:
    """Why a door is closed, and how it opens.

    Args:
        answer: what ``session.may`` said.
        key: tells this place of the page from others.
    """
    with st.container(key=f"closed-{key}"):
        st.markdown(f":orange[:material/lock:] {text.plain(answer.sentence)}")
        draw_buttons(key)


def draw_buttons(key: str) -> None:
    """A button to sign in, one a provider, and one to sign out; nothing where no sign-in is configured.

    Args:
        key: tells this place of the page from others.
    """
    who, now = visitor.access(), session.person()
    if not who.sign_in or who.error:
        return
    with st.container(horizontal=True, key=f"sign-in-{key}"):
        for provider in _providers():
            label = "Sign in again" if now.signed_in else "Sign in"
            if provider is not None:
                label += f" with {text.plain(provider, 40)}"
            st.button(
                label, key=f"sign-in-{key}-{provider}", icon=":material/login:", on_click=st.login, args=(provider,)
            )
        if now.signed_in:
            label = f"Sign out {text.plain(now.name, 60)}"
            st.button(label, key=f"sign-out-{key}", icon=":material/logout:", on_click=st.logout)


def _providers() -> list[str | None]:
    """The providers named under ``[auth]``; None stands for the one that has no name."""
    section = st.secrets.get("auth", {}) if st.secrets.load_if_toml_exists() else {}
    named: list[str | None] = [name for name, value in section.items() if isinstance(value, Mapping)]
    return [None, *named] if "client_id" in section or not named else named
