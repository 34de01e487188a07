"""Three rights, the doors that ask for them, and the one function that decides.

``look`` reads what the server can reach: named clusters, typed addresses, the history. ``operate`` changes something:
it saves snapshots, runs the pipeline, makes read-only links, writes to clusters. ``approve`` gives the second person's
word that plans need on some clusters, and nothing else. Whoever may operate or approve may look. What a person uploads
is their own, and no door.

The rules, first to last:
    1. A command's person is the user of the operating system, and may do whatever that user may; but approve nothing,
       as that name proves nobody.
    2. Where the configuration of access cannot be read, nobody may do anything.
    3. Nothing is written to a cluster while a setting of the server lets others speak in a person's name.
    4. Where sign-in (OIDC) is configured, a person must be signed in, not too long ago, and listed: under
       ``[operate] allowed`` of the secrets for ``operate``, under ``[approve] allowed`` for ``approve``, and under
       ``[look] allowed`` for ``look`` where that is there. An e-mail address counts only where the provider says that
       it is verified; a provider that does not say lets people take any address (nOAuth).
    5. Where it is not, nobody may approve, since nobody knows whether two people are the same. Every other door is open
       but one: writing to a cluster needs the token that the server printed at start, or ``RESEAT_OPERATE_LOCAL=1`` and
       a browser on the server's own machine. Where a browser is cannot be told from outside: a reverse proxy on the
       same machine looks like one, so local use must be declared.
    6. An address that somebody types is reached only where the server's settings allow it (``Addresses``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from reseat.access.addresses import Addresses
from reseat.model.wording import listed

__all__ = ["ALL_CLUSTERS", "Access", "Decision", "Door", "Person", "Right", "ask", "command_line_person"]

#: Seconds that the provider's clock may be ahead of ours.
_CLOCKS_APART = 300.0
#: Claims of which a provider gives each person a value of their own (OpenID Connect Core 5.1; ``oid``: Entra ID).
_IDENTIFYING = ("sub", "oid", "preferred_username")
#: What stands for every cluster where cluster ids are listed.
ALL_CLUSTERS = "all"


class Right(Enum):
    """What a person is allowed."""

    LOOK = "look"
    OPERATE = "operate"
    APPROVE = "approve"


class Door(Enum):
    """What is asked for; each door needs one right."""

    READ_CLUSTERS = "read the clusters that the server knows"
    TYPE_ADDRESS = "connect to an address of your own"
    READ_HISTORY = "see the history"
    SAVE_SNAPSHOT = "save snapshots"
    RUN_PIPELINE = "start or cancel the pipeline"
    SHARE = "make and revoke read-only links"
    WRITE = "write to clusters"
    APPROVE = "approve plans"

    @property
    def right(self) -> Right:
        """The right that it needs."""
        if self is Door.APPROVE:
            return Right.APPROVE
        return Right.LOOK if self in (Door.READ_CLUSTERS, Door.TYPE_ADDRESS, Door.READ_HISTORY) else Right.OPERATE


@dataclass(frozen=True)
class Person:
    """Who asks.

    Attributes:
        name: as the journal keeps it: the name or e-mail address signed in with, the system's user, or "local use".
        email: e-mail address signed in with, or None.
        email_verified: what the provider says of the address; None: nothing.
        signed_in: whether through the configured sign-in.
        issued_at: when the provider signed the sign-in (``iat``), seconds since 1970; None where it does not say.
        expires_at: until when it vouches for it (``exp``), likewise.
        loopback: whether this looks like local use (``local_use``).
        unlocked: whether the server's token was shown.
        command_line: whether a command asks; the person is then the user of the operating system.
        claims: further claims of the sign-in by name, each with its values.
    """

    name: str = "local use"
    email: str | None = None
    email_verified: bool | None = None
    signed_in: bool = False
    issued_at: float | None = None
    expires_at: float | None = None
    loopback: bool = False
    unlocked: bool = False
    command_line: bool = False
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def marks(self) -> frozenset[str]:
        """What tells this person from others in the provider's own words; empty where nobody vouches for them.

        Two sign-ins that share one mark are the same person, whatever they are called.
        """
        if not self.signed_in:
            return frozenset()
        told = {f"{name}={value}" for name in _IDENTIFYING for value in self.claims.get(name, ())}
        return frozenset(mark.casefold() for mark in (told | ({f"email={self.email}"} if self.email else set())))


@dataclass(frozen=True, slots=True)
class Access:
    """Who may what, as configured.

    Attributes:
        sign_in: whether sign-in (OIDC) is configured.
        allowed: who may operate: e-mail addresses, or claims as ``groups=kafka-operators``.
        viewers: who may look, likewise; None: whoever signs in.
        operate_seconds: how long after a sign-in one may operate; never longer than its ``exp``.
        look_seconds: how long after a sign-in one may look.
        local: whether local use was declared to be enough for writing (``RESEAT_OPERATE_LOCAL=1``).
        addresses: which addresses may be typed.
        approvers: who may approve, listed as ``allowed``.
        approval: ids of the clusters on which a plan needs a second person's word; ``all`` stands for every one.
        approval_seconds: how long a proposal waits for that word, and how long it counts once given.
        unsafe: why nothing may be written with the server's settings, as a sentence; empty where nothing speaks
            against it.
        error: why the configuration cannot be read, as a sentence; empty where it can.
    """

    sign_in: bool = False
    allowed: tuple[str, ...] = ()
    viewers: tuple[str, ...] | None = None
    operate_seconds: float = 3600.0
    look_seconds: float = 12 * 3600.0
    local: bool = False
    addresses: Addresses = field(default_factory=Addresses)
    approvers: tuple[str, ...] = ()
    approval: tuple[str, ...] = ()
    approval_seconds: float = 24 * 3600.0
    unsafe: str = ""
    error: str = ""

    def needs_approval(self, cluster_id: str | None) -> bool:
        """Whether a plan needs a second person's word on this cluster.

        It goes by the id that the cluster gives itself: names differ from person to person.
        """
        return ALL_CLUSTERS in self.approval or cluster_id in self.approval


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a door opens, and why: a sentence either way."""

    may: bool
    sentence: str


def command_line_person(user: str) -> Person:
    """The person behind a command.

    Args:
        user: the operating system's name of the user.
    """
    return Person(name=user, command_line=True)


def ask(door: Door, person: Person, access: Access, now: float) -> Decision:
    """Whether a door opens for a person.

    Args:
        door: what is asked for.
        person: who asks.
        access: who may what, as configured now.
        now: seconds since 1970.
    """
    if person.command_line and door is Door.APPROVE:
        return Decision(
            False, "A plan is approved on the Execute page by somebody who signed in: a command's user proves nobody."
        )
    if person.command_line:
        return Decision(True, f"Asked from the command line by {person.name}.")
    if access.error:
        return Decision(False, f"Nobody may {door.value}: {access.error}")
    if door in (Door.WRITE, Door.APPROVE) and access.unsafe:
        return Decision(False, f"Nobody may {door.value}: {access.unsafe}")
    answer = _signed_in(door, person, access, now) if access.sign_in else _without_sign_in(door, person, access)
    if answer.may and door is Door.TYPE_ADDRESS and not access.addresses.any_allowed:
        return Decision(False, "This server connects only to the clusters in its configuration.")
    return answer


def _signed_in(door: Door, person: Person, access: Access, now: float) -> Decision:
    if not person.signed_in:
        return Decision(False, f"Sign in to {door.value}.")
    stale = _stale(door.right, person, access, now)
    if stale:
        return Decision(False, f"{stale} Sign in again to {door.value}.")
    entries = _entries(door.right, access)
    means = _listed_as(person, entries)
    if means is None and door.right is Right.LOOK and access.viewers is None:
        return Decision(True, f"{person.name} is signed in.")
    if means is not None:
        return Decision(True, f"{person.name} is signed in and listed by {means}.")
    place = f"[{door.right.value}] allowed in the secrets"
    if not entries:
        return Decision(False, f"Nobody may {door.value}: list e-mail addresses or claims under {place}.")
    if person.email_verified is not True and _same_address(person.email, entries):
        return Decision(
            False,
            f"{person.name} has an e-mail address that the provider has not verified, so it proves nothing: list a "
            f"claim such as sub or groups under {place} instead.",
        )
    return Decision(False, f"{person.name} is not listed: {place} lists who may {door.value}.")


def _entries(right: Right, access: Access) -> tuple[str, ...]:
    """Who is listed for a right, by itself or since a greater one includes it."""
    if right is Right.APPROVE:
        return access.approvers
    if right is Right.OPERATE:
        return access.allowed
    return (*access.allowed, *access.approvers, *(access.viewers or ()))


def _without_sign_in(door: Door, person: Person, access: Access) -> Decision:
    if door is Door.APPROVE:
        return Decision(
            False, "Nobody may approve plans: without a sign-in (OIDC), nobody knows whether two people are the same."
        )
    if door is not Door.WRITE:
        return Decision(True, f"No sign-in is configured: whoever opens the dashboard may {door.value}.")
    if person.unlocked:
        return Decision(True, "The token that the server printed at start was entered.")
    if access.local and person.loopback:
        return Decision(
            True, "Local use: server and browser are on this machine, and RESEAT_OPERATE_LOCAL=1 allows it."
        )
    if access.local:
        return Decision(
            False,
            "RESEAT_OPERATE_LOCAL=1 lets local use write: a server that listens on 127.0.0.1 and a browser on the same "
            "machine, with no proxy between. Others need the token that the server printed at start, or a sign-in.",
        )
    return Decision(
        False,
        "No sign-in is configured, so writing needs the token that the server printed at start. Or configure sign-in "
        "(OIDC) and list who may write under [operate] allowed.",
    )


def _stale(right: Right, person: Person, access: Access, now: float) -> str:
    """Why a sign-in does not count any more, or the empty string."""
    if person.issued_at is None or person.expires_at is None:
        return "The sign-in lacks its time of issue and expiry (iat, exp)."
    if person.issued_at > now + _CLOCKS_APART:
        return "The sign-in is from the future: the provider's clock and this server's differ."
    longest = access.look_seconds if right is Right.LOOK else access.operate_seconds
    until = person.issued_at + longest
    if right is not Right.LOOK:
        until = min(until, person.expires_at)
    return "" if now < until else "The last sign-in was too long ago."


def _listed_as(person: Person, entries: tuple[str, ...]) -> str | None:
    """By what the person is listed, in words; None where they are not."""
    if person.email_verified is True and _same_address(person.email, entries):
        return "e-mail address"
    held = {f"{name}={value}" for name, values in person.claims.items() for value in values}
    by_claim = sorted(held & {entry.strip() for entry in entries})
    return f"claim {listed(by_claim)}" if by_claim else None


def _same_address(email: str | None, entries: tuple[str, ...]) -> bool:
    return email is not None and email.casefold() in {entry.strip().casefold() for entry in entries if "=" not in entry}
