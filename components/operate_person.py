"""Who looks at the page, as plain facts for ``reseat.operate.people``: the sign-in where there is one, else where from.

Streamlit signs people in by OIDC where the secrets have a section ``[auth]``; ``[operate] allowed`` says who may write.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit import config

from components import text
from reseat.operate.people import OPERATE_VARIABLE, Access, Person, local_use, writing_enabled

__all__ = ["access", "draw_sign_in", "enabled", "how_to_enable", "person"]

#: Values of the sign-in that are no claims of the person.
_NO_CLAIMS = frozenset({"is_logged_in", "tokens", "email", "email_verified", "name"})


def enabled() -> bool:
    """Whether Reseat was started with writing enabled."""
    return writing_enabled(os.environ)


def access() -> Access:
    """Who may write, as the secrets say."""
    return Access(sign_in="is_logged_in" in st.user.to_dict(), allowed=_allowed())


def person() -> Person:
    """Who looks at the page."""
    told: Mapping[str, object] = st.user.to_dict()
    local = local_use(config.get_option("server.address"), st.context.ip_address, st.context.headers.to_dict())
    if not told.get("is_logged_in"):
        return Person(loopback=local)
    email = told.get("email") if isinstance(told.get("email"), str) else None
    verified = told.get("email_verified")
    name = told.get("name")
    return Person(
        name=str(email or name or told.get("sub") or "signed in"),
        email=str(email) if email is not None else None,
        email_verified=verified if isinstance(verified, bool) else None,
        signed_in=True,
        loopback=local,
        claims={key: _values(value) for key, value in told.items() if key not in _NO_CLAIMS and _values(value)},
    )


def how_to_enable(who: Access) -> str:
    """How writing is enabled, and who would be allowed then; one sentence."""
    if who.sign_in:
        may = (
            f"{text.plural(len(who.allowed), 'entry', 'entries')} under [operate] allowed in the secrets may then write"
        )
        if not who.allowed:
            may = "nobody may write before somebody is listed under [operate] allowed in the secrets"
    else:
        may = "a browser on the server's own machine may then write, for others a sign-in must be configured"
    return f"Writing is enabled by starting Reseat with {OPERATE_VARIABLE}=1; {may}."


def draw_sign_in(who: Access, now: Person) -> None:
    """A button to sign in, one a provider, or out; nothing where no sign-in is configured."""
    if not who.sign_in:
        return
    if now.signed_in:
        st.button(f"Sign out {text.plain(now.name, 60)}", key="sign-out", icon=":material/logout:", on_click=st.logout)
        return
    with st.container(horizontal=True, key="sign-in"):
        for provider in _providers():
            label = "Sign in" if provider is None else f"Sign in with {text.plain(provider, 40)}"
            st.button(label, key=f"sign-in-{provider}", icon=":material/login:", on_click=st.login, args=(provider,))


def _providers() -> list[str | None]:
    """The providers named under ``[auth]``; None stands for the one that has no name."""
    section = st.secrets.get("auth", {})
    named: list[str | None] = [name for name, value in section.items() if isinstance(value, Mapping)]
    return [None, *named] if "client_id" in section or not named else named


def _allowed() -> tuple[str, ...]:
    if not st.secrets.load_if_toml_exists():
        return ()
    listed = st.secrets.get("operate", {}).get("allowed", ())
    return (listed,) if isinstance(listed, str) else tuple(str(entry) for entry in listed)


def _values(value: object) -> tuple[str, ...]:
    """A claim's values as texts; of a claim that is no text, number or list of these there is none."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return (str(value),)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(str(entry) for entry in value if isinstance(entry, str | int))
    return ()
