"""Who may write: the variable, sign-in and its list, local use and what only looks like it."""

from __future__ import annotations

import pytest

from reseat.operate.checks import Verdict
from reseat.operate.people import Access, Person, allowed, command_line_person, local_use, writing_enabled

HOST = {"Host": "127.0.0.1:8501"}
SIGN_IN = Access(sign_in=True, allowed=("ada@example.org", "groups=kafka-operators"))


@pytest.mark.parametrize(("value", "enabled"), [("1", True), ("0", False), ("true", False), ("", False), (" 1", False)])
def test_writing_is_enabled_by_exactly_one(value, enabled):
    """Anything but 1 leaves it off, and so does nothing at all."""
    assert writing_enabled({"RESEAT_OPERATE": value}) is enabled
    assert writing_enabled({}) is False


@pytest.mark.parametrize(
    ("server", "client", "headers", "local"),
    [
        ("127.0.0.1", None, HOST, True),  # Streamlit says None where the client is this machine
        ("127.0.0.1", "127.0.0.1", HOST, True),
        ("localhost", "::1", {"host": "localhost:8501"}, True),
        ("::1", "::ffff:127.0.0.1", {"host": "[::1]:8501"}, True),
        ("127.0.0.1", None, {"host": "127.0.0.1"}, True),
        (None, None, HOST, False),  # every interface
        ("", None, HOST, False),
        ("0.0.0.0", None, HOST, False),
        ("127.0.0.1", "192.0.2.7", HOST, False),
        ("127.0.0.1", "not an address", HOST, False),
        ("127.0.0.1", None, {}, False),
        ("127.0.0.1", None, {"host": "evil.example:8501"}, False),  # a name rebound to 127.0.0.1
        ("127.0.0.1", None, {"host": "127.0.0.1.evil.example"}, False),
        ("127.0.0.1", None, HOST | {"X-Forwarded-For": "192.0.2.7"}, False),
        ("127.0.0.1", None, HOST | {"forwarded": "for=192.0.2.7"}, False),
    ],
)
def test_local_use_is_this_machine_on_both_ends(server, client, headers, local):
    """Server, client and the name asked for are loopback, and no proxy stands between."""
    assert local_use(server, client, headers) is local


@pytest.mark.parametrize(
    ("person", "access", "may", "word"),
    [
        (command_line_person("ada"), Access(), True, "command line by ada"),
        (command_line_person("ada"), SIGN_IN, True, "command line"),
        (Person(loopback=True), Access(), True, "Local use"),
        (Person(), Access(), False, "No sign-in is configured"),
        (Person(loopback=True), SIGN_IN, False, "Nobody is signed in"),
        (Person("ada", "Ada@Example.org", signed_in=True), SIGN_IN, True, "e-mail address"),
        (Person("ada", "ada@example.org", False, signed_in=True), SIGN_IN, False, "unverified"),
        (Person("ben", "ben@example.org", signed_in=True), SIGN_IN, False, "ben is not listed"),
        (Person("ben", "ada@example.org"), SIGN_IN, False, "Nobody is signed in"),
        (Person("ada", "ada@example.org", signed_in=True), Access(sign_in=True), False, "Nobody is allowed"),
        (Person("ada", None, signed_in=True), SIGN_IN, False, "not listed"),
        (Person("cy", None, signed_in=True, claims={"groups": ("kafka-operators",)}), SIGN_IN, True, "groups="),
        (Person("cy", None, signed_in=True, claims={"groups": ("others",)}), SIGN_IN, False, "not listed"),
        (Person("dee", "groups=kafka-operators", signed_in=True), SIGN_IN, False, "not listed"),
    ],
)
def test_who_may_write(person, access, may, word):
    """A sentence says why, or by what; no claim passes for an address, nor an address for a claim."""
    found = allowed(person, access)

    assert found.verdict is (Verdict.PASSED if may else Verdict.FAILED)
    assert not found.overridable
    assert word in found.sentence
