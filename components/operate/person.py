"""How one comes to write: whether writing is enabled, how that is done, and the token or the sign-in that it takes."""

from __future__ import annotations

import os

import streamlit as st

from components.look import text
from components.server import settings
from components.shell import sign_in
from components.state import session
from components.state.slots import Slot
from reseat.access import OPERATE_VARIABLE, Access, Person, writing_enabled

__all__ = ["draw_way_in", "enabled", "how_to_enable"]

#: Kept: whether a token was given that is not the server's.
_WRONG: Slot[bool] = Slot("operate-token-wrong")


def enabled() -> bool:
    """Whether Reseat was started with writing enabled."""
    return writing_enabled(os.environ)


def how_to_enable(who: Access) -> str:
    """How writing is enabled, and who would be allowed then; one sentence."""
    if who.sign_in:
        entries = text.counted(len(who.allowed), "entry", "entries")
        may = f"{entries} under [operate] allowed in the secrets may then write"
        if not who.allowed:
            may = "nobody may write until somebody is listed under [operate] allowed in the secrets"
    else:
        may = "then whoever has the printed token, or is allowed by a configured sign-in, may write"
    return f"Writing is enabled by starting Reseat with {OPERATE_VARIABLE}=1; {may}."


def draw_way_in(who: Access, now: Person) -> None:
    """What it takes to write here: signing in, or the server's token; nothing where that was done."""
    sign_in.draw_buttons("operate")
    if who.sign_in or who.error or now.unlocked or settings.token() is None or not enabled():
        return
    with st.form("operate-unlock", border=False, clear_on_submit=True):
        shown = st.text_input(
            "Token",
            type="password",
            key="operate-token",
            autocomplete="off",
            help="The server printed it at startup. It is valid as long as this page is open.",
        )
        pressed = st.form_submit_button("Unlock writing", icon=":material/lock_open:")
    if pressed:
        _WRONG.set(not session.show_token(shown))
        st.rerun()
    if _WRONG.get(False):
        st.markdown(":red[:material/block: This is not the token that the server printed.]")
