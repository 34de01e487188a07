"""Which addresses a person may type on Connect: any, none, or those of a list.

Whoever may type an address learns from the connection's test what listens in the server's network. The setting
``RESEAT_ADDRESSES`` is ``any`` (the default), ``off``, or entries with commas between: ``host``, ``host:port``, and
``*.domain`` for all names below it.

A name is compared as it is written, and not resolved: who controls a listed name controls where it leads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reseat.errors import InputRefused

__all__ = ["ADDRESSES_VARIABLE", "Addresses"]

#: The environment variable that says which addresses may be typed.
ADDRESSES_VARIABLE = "RESEAT_ADDRESSES"
_ENTRY = re.compile(r"(?:\*\.)?[A-Za-z0-9_.-]+(?::\d{1,5})?|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?")


@dataclass(frozen=True, slots=True)
class Addresses:
    """What may be typed.

    Attributes:
        entries: hosts, with or without port; None: any address.
    """

    entries: tuple[str, ...] | None = None

    @classmethod
    def read(cls, setting: str) -> Addresses:
        """From the setting's text.

        Raises:
            InputRefused: an entry is no host and no host:port.
        """
        words = [word.strip() for word in setting.split(",") if word.strip()]
        if not words or words == ["any"]:
            return cls()
        if words == ["off"]:
            return cls(())
        for word in words:
            if word in ("any", "off") or not _ENTRY.fullmatch(word):
                raise InputRefused(
                    f"{ADDRESSES_VARIABLE}: '{word[:60]}' cannot be combined: a list has host, host:port and *.domain; "
                    "'any' and 'off' are given alone."
                )
        return cls(tuple(word.casefold() for word in words))

    @property
    def any_allowed(self) -> bool:
        """Whether anything may be typed at all."""
        return self.entries is None or bool(self.entries)

    def refused(self, servers: Iterable[str]) -> str | None:
        """The first of these servers (``host:port``) that may not be reached, or None."""
        if self.entries is None:
            return None
        return next((server for server in servers if not any(_fits(server, entry) for entry in self.entries)), None)


def _fits(server: str, entry: str) -> bool:
    host, port = _split(server)
    wanted, wanted_port = _split(entry)
    if wanted_port and port != wanted_port:
        return False
    return host.endswith(wanted[1:]) if wanted.startswith("*.") else host == wanted


def _split(address: str) -> tuple[str, str]:
    """Host without brackets or the root's dot, and port; an empty port where there is none."""
    bracketed, closing, rest = address.casefold().partition("]")
    if closing:
        return bracketed.removeprefix("["), rest.removeprefix(":")
    host, colon, port = bracketed.rpartition(":")
    return (host, port) if colon and host.count(":") == 0 else (bracketed, "")
