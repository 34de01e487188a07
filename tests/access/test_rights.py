"""Who may do what: every door, with and without sign-in, and what only looks like a right."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reseat.access import Access, Addresses, Door, Person, Right, ask, command_line_person, writing_enabled
from reseat.operate.checks.access import person_allowed
from reseat.operate.checks.check import CheckResult

NOW = 1_800_000_000.0
HOUR = 3600.0
SIGN_IN = Access(sign_in=True, allowed=("ada@example.org", "groups=kafka-operators"))
APPROVING = Access(sign_in=True, allowed=("ada@example.org",), approvers=("groups=leads",), viewers=())
LISTED = Access(sign_in=True, allowed=("ada@example.org",), viewers=("hd=example.org", "eve@example.org"))


def signed_in(
    name: str = "ada", email: str | None = "ada@example.org", verified: bool | None = True, ago: float = 60, **more
) -> Person:
    """A person who signed in so many seconds ago, with a sign-in of an hour."""
    at = NOW - ago
    return Person(
        name, email, verified, signed_in=True, issued_at=at, expires_at=at + HOUR, claims=more.pop("claims", {}), **more
    )


@pytest.mark.parametrize(("value", "enabled"), [("1", True), ("0", False), ("true", False), ("", False), (" 1", False)])
def test_writing_is_enabled_by_exactly_one(value, enabled):
    """Anything but 1 leaves it off, and so does nothing at all."""
    assert writing_enabled({"RESEAT_OPERATE": value}) is enabled
    assert writing_enabled({}) is False


@pytest.mark.parametrize(
    ("person", "access", "may", "word"),
    [
        (command_line_person("ada"), Access(), True, "command line by ada"),
        (command_line_person("ada"), SIGN_IN, True, "command line"),
        (command_line_person("ada"), Access(unsafe="x"), True, "command line"),
        # without a sign-in
        (Person(), Access(), False, "token that the server printed at start"),
        (Person(loopback=True), Access(), False, "token that the server printed at start"),  # a proxy looks so too
        (Person(unlocked=True), Access(), True, "token"),
        (Person(loopback=True), Access(local=True), True, "Local use"),
        (Person(), Access(local=True), False, "no proxy between"),
        (Person(unlocked=True), Access(unsafe="server.enableAgentApi is set."), False, "enableAgentApi"),
        (Person(unlocked=True), Access(error="The file is not TOML."), False, "not TOML"),
        # with one
        (Person(loopback=True, unlocked=True), SIGN_IN, False, "Sign in to write"),
        (signed_in(email="Ada@Example.org"), SIGN_IN, True, "e-mail address"),
        (signed_in(verified=False), SIGN_IN, False, "has not verified"),
        (signed_in(verified=None), SIGN_IN, False, "has not verified"),  # nOAuth: Entra ID says nothing
        (signed_in("ben", "ben@example.org"), SIGN_IN, False, "ben is not listed"),
        (signed_in("ben", "ben@example.org", None), SIGN_IN, False, "ben is not listed"),
        (Person("ben", "ada@example.org", True), SIGN_IN, False, "Sign in to write"),
        (signed_in(), Access(sign_in=True), False, "Nobody may write to clusters"),
        (signed_in(email=None), SIGN_IN, False, "not listed"),
        (signed_in("cy", None, claims={"groups": ("kafka-operators",)}), SIGN_IN, True, "groups="),
        (signed_in("cy", None, claims={"groups": ("others",)}), SIGN_IN, False, "not listed"),
        (signed_in("dee", "groups=kafka-operators"), SIGN_IN, False, "not listed"),
        (signed_in(claims={"groups": ("kafka-operators",)}), Access(sign_in=True, unsafe="No."), False, "No."),
        # and how old it is
        (signed_in(ago=HOUR - 1), SIGN_IN, True, "signed in"),
        (signed_in(ago=HOUR), SIGN_IN, False, "too long ago"),
        (signed_in(ago=-600), SIGN_IN, False, "from the future"),
        (signed_in(ago=HOUR / 2), Access(sign_in=True, allowed=SIGN_IN.allowed, operate_seconds=60), False, "too long"),
        (signed_in(ago=HOUR), Access(sign_in=True, allowed=SIGN_IN.allowed, operate_seconds=1e6), False, "too long"),
        (Person("ada", "ada@example.org", True, signed_in=True), SIGN_IN, False, "lacks its time of issue"),
        (replace(signed_in(), expires_at=None), SIGN_IN, False, "lacks its time of issue and expiry"),
        (replace(signed_in(), issued_at=None), SIGN_IN, False, "lacks its time of issue and expiry"),
    ],
)
def test_who_may_write(person, access, may, word):
    """The rules of the module, one line each, and the guard's check says the same."""
    answer = ask(Door.WRITE, person, access, NOW)
    check = person_allowed(person, access, now=datetime.fromtimestamp(NOW, UTC))

    assert answer.may is may
    assert word in answer.sentence
    assert (check.name, check.result, check.sentence) == (
        "person_allowed",
        CheckResult.PASSED if may else CheckResult.FAILED,
        answer.sentence,
    )
    assert not check.overridable


@pytest.mark.parametrize("door", [door for door in Door if door not in (Door.WRITE, Door.APPROVE)])
def test_without_a_sign_in_all_other_doors_are_open(door):
    """A server that has no sign-in serves whoever reaches it, whatever stands against writing."""
    assert ask(door, Person(), Access(unsafe="server.enableAgentApi is set."), NOW).may


@pytest.mark.parametrize("door", list(Door))
def test_with_a_sign_in_every_door_asks(door):
    """Nobody who has not signed in gets through any door, a browser on the same machine included."""
    answer = ask(door, Person(loopback=True), SIGN_IN, NOW)

    assert not answer.may
    assert answer.sentence == f"Sign in to {door.value}."


@pytest.mark.parametrize(
    ("person", "access", "looks", "operates"),
    [
        (signed_in("bo", None, claims={"groups": ("leads",)}), APPROVING, True, False),  # who may approve may look
        (signed_in(), SIGN_IN, True, True),
        (signed_in("ben", "ben@example.org"), SIGN_IN, True, False),  # no list of viewers: whoever signs in
        (signed_in("ben", "ben@example.org", None), SIGN_IN, True, False),
        (signed_in("ben", "ben@else.org"), LISTED, False, False),
        (signed_in("eve", "eve@example.org"), LISTED, True, False),
        (signed_in("eve", "eve@example.org", None), LISTED, False, False),
        (signed_in("cy", None, claims={"hd": ("example.org",)}), LISTED, True, False),
        (signed_in(), LISTED, True, True),  # who may operate may look
        (signed_in(ago=2 * HOUR), LISTED, True, False),  # looking outlasts operating
        (signed_in(ago=12 * HOUR), LISTED, False, False),
        (signed_in("ben", "ben@example.org"), Access(sign_in=True, viewers=()), False, False),
    ],
)
def test_two_rights(person, access, looks, operates):
    """Each door asks for its right and for nothing else."""
    doors = [door for door in Door if door.right is not Right.APPROVE]
    may = {door: ask(door, person, access, NOW).may for door in doors}

    assert may == {door: looks if door.right is Right.LOOK else operates for door in doors}


@pytest.mark.parametrize(
    ("person", "access", "may", "word"),
    [
        (signed_in("bo", claims={"groups": ("leads",)}), APPROVING, True, "claim groups=leads"),
        (signed_in(), APPROVING, False, "[approve] allowed"),  # who may operate does not approve by that
        (signed_in(), Access(sign_in=True, allowed=("ada@example.org",)), False, "[approve] allowed"),
        (signed_in("bo", ago=2 * HOUR, claims={"groups": ("leads",)}), APPROVING, False, "too long ago"),
        (signed_in("bo", claims={"groups": ("leads",)}), replace(APPROVING, unsafe="x is set."), False, "x is set"),
        (Person(unlocked=True), Access(local=True), False, "whether two people are the same"),
        (Person(loopback=True), Access(local=True), False, "whether two people are the same"),
        (command_line_person("bo"), APPROVING, False, "proves nobody"),
    ],
)
def test_approving_takes_a_sign_in_and_a_place_on_its_own_list(person, access, may, word):
    """Neither the token nor local use nor a command's user approves, and no right to operate includes it."""
    answer = ask(Door.APPROVE, person, access, NOW)

    assert answer.may is may
    assert word in answer.sentence


def test_a_person_is_told_by_what_the_provider_says_and_not_by_a_name():
    """Two addresses with one sub share a mark; who did not sign in has none."""
    one = signed_in("ada", "ada@example.org", claims={"sub": ("u1",), "groups": ("leads",)})
    other = signed_in("Ada L.", "Ada.L@example.org", claims={"sub": ("U1",), "groups": ("leads",)})
    third = signed_in("ada", "ada@else.org", claims={"sub": ("u2",), "groups": ("leads",)})

    assert one.marks & other.marks == {"sub=u1"}
    assert not one.marks & third.marks
    assert Person(unlocked=True).marks == command_line_person("ada").marks == frozenset()


def test_looking_reads_and_operating_changes():
    """Which door needs which right."""
    assert {door for door in Door if door.right is Right.LOOK} == {
        Door.READ_CLUSTERS,
        Door.TYPE_ADDRESS,
        Door.READ_HISTORY,
    }


@pytest.mark.parametrize("access", [Access(), SIGN_IN], ids=["open", "sign-in"])
def test_no_address_may_be_typed_where_the_setting_says_so(access):
    """Off is off for everybody, and takes nothing else away."""
    closed = Access(access.sign_in, access.allowed, addresses=Addresses(()))

    assert ask(Door.TYPE_ADDRESS, signed_in(), access, NOW).may
    assert not ask(Door.TYPE_ADDRESS, signed_in(), closed, NOW).may
    assert ask(Door.READ_CLUSTERS, signed_in(), closed, NOW).may
