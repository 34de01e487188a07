"""Who may write: nobody unless writing was enabled at start, then those who are listed, or local use alone.

The rules, first to last:
    1. Writing is off unless ``RESEAT_OPERATE=1`` stood in the environment when Reseat was started.
    2. A command's person is the user of the operating system: who can start it can set that variable too.
    3. Where sign-in (OIDC) is configured, a person must be signed in and listed, by e-mail address or by a claim, under
       ``[operate] allowed`` of the secrets. With nobody listed nobody may write. An address that the provider calls
       unverified does not count.
    4. Where it is not, local use alone may: the server listens on a loopback address, the browser's connection comes
       from one, names one in its Host header (else any page open in that browser could rebind its own name to
       127.0.0.1 and write), and came through no proxy.

Everything comes in as plain values; who knows Streamlit passes them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field

from reseat.model.wording import listed
from reseat.operate.checks import Check, Verdict

__all__ = ["OPERATE_VARIABLE", "Access", "Person", "allowed", "command_line_person", "local_use", "writing_enabled"]

#: The environment variable that enables writing, where it is "1" and nothing else.
OPERATE_VARIABLE = "RESEAT_OPERATE"

#: Headers that a proxy adds: with one of them the connection's address is the proxy's.
_PROXY_HEADERS = frozenset(("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"))


@dataclass(frozen=True)
class Person:
    """Who asks.

    Attributes:
        name: as the journal keeps it: the name or e-mail address signed in with, the system's user, or "local use".
        email: e-mail address signed in with, or None.
        email_verified: what the provider says of the address; None: nothing.
        signed_in: whether through the configured sign-in.
        loopback: whether this is local use (``local_use``).
        command_line: whether a command asks; the person is then the user of the operating system.
        claims: further claims of the sign-in by name, each with its values.
    """

    name: str = "local use"
    email: str | None = None
    email_verified: bool | None = None
    signed_in: bool = False
    loopback: bool = False
    command_line: bool = False
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may write, as configured.

    Attributes:
        sign_in: whether sign-in (OIDC) is configured.
        allowed: e-mail addresses, or claims as ``groups=kafka-operators``.
    """

    sign_in: bool = False
    allowed: tuple[str, ...] = ()


def writing_enabled(environment: Mapping[str, str]) -> bool:
    """Whether Reseat was started with writing enabled: ``RESEAT_OPERATE`` is exactly "1"."""
    return environment.get(OPERATE_VARIABLE) == "1"


def command_line_person(user: str) -> Person:
    """The person behind a command.

    Args:
        user: the operating system's name of the user.
    """
    return Person(name=user, command_line=True, loopback=True)


def local_use(server_address: str | None, client_address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a browser on this very machine asks a server that listens on this machine alone.

    Args:
        server_address: the address that the server listens on; None or "" is every interface.
        client_address: where the connection comes from; None where the server says that it is a loopback address
            (Streamlit does).
        headers: of the connection, names in any case.
    """
    named = {name.lower(): value for name, value in headers.items()}
    if _PROXY_HEADERS & named.keys():
        return False
    if not server_address or not _is_loopback(server_address):
        return False
    if client_address is not None and not _is_loopback(client_address):
        return False
    return "host" in named and _is_loopback(_host_of(named["host"]))


def allowed(person: Person, access: Access) -> Check:
    """Whether this person may write: the check ``person_allowed``, never overridable.

    Args:
        person: who asks.
        access: who may, as configured.
    """
    may, sentence = _judged(person, access)
    return Check("person_allowed", Verdict.PASSED if may else Verdict.FAILED, sentence)


def _judged(person: Person, access: Access) -> tuple[bool, str]:
    if person.command_line:
        return True, f"Asked from the command line by {person.name}."
    if access.sign_in:
        if not person.signed_in:
            return False, "Nobody is signed in: sign in first."
        if not access.allowed:
            return False, "Nobody is allowed to write: list e-mail addresses under [operate] allowed in the secrets."
        means = _listed_as(person, access)
        if means is None:
            unverified = person.email_verified is False and _same_address(person.email, access)
            why = "has an e-mail address that the provider calls unverified" if unverified else "is not listed"
            return False, f"{person.name} {why}: [operate] allowed in the secrets lists who may write."
        return True, f"{person.name} is signed in and listed by {means}."
    if person.loopback:
        return True, "Local use: server and browser are on this machine."
    return False, (
        "No sign-in is configured, so only local use may write: a server that listens on 127.0.0.1 and a browser on "
        "the same machine. Configure sign-in (OIDC) and list who may write under [operate] allowed."
    )


def _listed_as(person: Person, access: Access) -> str | None:
    """By what the person is listed, in words; None where they are not."""
    if person.email_verified is not False and _same_address(person.email, access):
        return "e-mail address"
    held = {f"{name}={value}" for name, values in person.claims.items() for value in values}
    by_claim = sorted(held & {entry.strip() for entry in access.allowed})
    return f"claim {listed(by_claim)}" if by_claim else None


def _same_address(email: str | None, access: Access) -> bool:
    return email is not None and email.casefold() in {
        entry.strip().casefold() for entry in access.allowed if "=" not in entry
    }


def _host_of(header: str) -> str:
    """The host of a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if header.count(":") == 1 else header


def _is_loopback(address: str) -> bool:
    if address.casefold() == "localhost":
        return True
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback
