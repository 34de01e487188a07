"""Who looks at the page, and who may what: plain facts for ``reseat.access``, which ``components.state.session`` asks.

Streamlit signs people in by OIDC where the secrets have a section ``[auth]``. What the secrets say of who may what is
read anew each time, so that somebody who is taken off a list is off it at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit import config

from components.server import settings
from reseat import audit
from reseat.access import Access, Person, local_use, same_origin
from reseat.errors import InputRefused

__all__ = ["access", "note_sign_in", "person"]

#: Sign-ins that stand in the audit log, by who and when; the oldest are forgotten, and written once more.
_MET: dict[tuple[str, float | None], bool] = {}
_MOST_MET = 10_000

#: Values of the sign-in that are no claims of the person.
_NO_CLAIMS = frozenset({"is_logged_in", "tokens", "email", "email_verified", "name", "iat", "exp"})


def access() -> Access:
    """Who may what, as configured now; what cannot be read lets nobody do anything."""
    try:
        return settings.configured()
    except InputRefused as refusal:
        return Access(sign_in=True, error=str(refusal))


def person(shown: str = "") -> Person:
    """Who looks at the page.

    Args:
        shown: the token of the server that they typed, if any.
    """
    headers = st.context.headers.to_dict()
    local = local_use(config.get_option("server.address"), st.context.ip_address, headers)
    told: Mapping[str, object] = st.user.to_dict()
    if told.get("is_logged_in") is not True:
        unlocked = _unlocked(shown, headers)
        return Person(name="holder of the token" if unlocked else "local use", loopback=local, unlocked=unlocked)
    email = told.get("email") if isinstance(told.get("email"), str) else None
    verified = told.get("email_verified")
    name = told.get("name")
    return Person(
        name=str(email or name or told.get("sub") or "signed in"),
        email=str(email) if email is not None else None,
        email_verified=verified if isinstance(verified, bool) else None,
        signed_in=True,
        issued_at=_moment(told.get("iat")),
        expires_at=_moment(told.get("exp")),
        loopback=local,
        claims={key: _values(value) for key, value in told.items() if key not in _NO_CLAIMS and _values(value)},
    )


def note_sign_in(person: Person) -> None:
    """Write a sign-in into the audit log, the first time that this server meets it.

    Raises:
        WriteRefused: the log cannot be written.
    """
    met = (person.name, person.issued_at)
    if person.signed_in and met not in _MET:
        audit.record("sign-in", who=person.name, issued_at=person.issued_at)
        while len(_MET) >= _MOST_MET:
            _MET.pop(next(iter(_MET)), None)
        _MET[met] = True


def _unlocked(shown: str, headers: Mapping[str, str]) -> bool:
    """Whether this session was shown the server's token: typed, or by the cookie that the printed address left.

    The cookie counts for pages of this server alone: another server on the same machine shares its cookies.
    """
    token = settings.token()
    if token is None:
        return False
    if token.matches(shown):
        return True
    return same_origin(headers) and token.matches_cookie(st.context.cookies.to_dict().get(settings.COOKIE, ""))


def _moment(value: object) -> float | None:
    """Seconds since 1970, where the claim is a number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _values(value: object) -> tuple[str, ...]:
    """A claim's values as texts; of a claim that is no text, number or list of these there is none."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return (str(value),)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(str(entry) for entry in value if isinstance(entry, str | int))
    return ()
