"""The token of a server that may write without a sign-in: printed at start, shown once by whoever reads it there."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from reseat.errors import InputRefused

__all__ = ["TOKEN_VARIABLE", "OperateToken", "operate_token"]

#: The environment variable that gives the token, for servers whose start nobody watches.
TOKEN_VARIABLE = "RESEAT_OPERATE_TOKEN"  # noqa: S105 -- a name, not a secret
#: Fewer characters than these could be guessed.
_SHORTEST = 20


@dataclass(frozen=True, slots=True)
class OperateToken:
    """A secret that opens writing.

    Attributes:
        value: what is printed.
        given: whether it was chosen by who started the server, who then knows it: it is not printed.
    """

    value: str = field(repr=False)
    given: bool = False

    def matches(self, shown: str) -> bool:
        """Whether this is the token; takes equally long whatever is shown."""
        return hmac.compare_digest(shown.strip().encode(), self.value.encode())

    @property
    def cookie(self) -> str:
        """What a browser keeps in its place: proves that the token was shown, and does not tell it."""
        return hmac.new(self.value.encode(), b"reseat operate cookie", hashlib.sha256).hexdigest()

    def matches_cookie(self, shown: str) -> bool:
        """Whether this is the token's cookie."""
        return hmac.compare_digest(shown.encode(), self.cookie.encode())


def operate_token(environment: Mapping[str, str]) -> OperateToken:
    """The token that the environment gives, else a new one of 256 random bits.

    Raises:
        InputRefused: the one given is so short that it could be guessed.
    """
    chosen = environment.get(TOKEN_VARIABLE, "").strip()
    if not chosen:
        return OperateToken(secrets.token_urlsafe(32))
    if len(chosen) < _SHORTEST:
        raise InputRefused(f"{TOKEN_VARIABLE} has {len(chosen)} characters; at least {_SHORTEST} were expected.")
    return OperateToken(chosen, given=True)
