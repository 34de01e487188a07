"""Signing in for real: a provider, Streamlit's own sign-in, and what the doors make of what the provider says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from streamlit import config

from components.server import shared_reports
from reseat.access import SharedReports
from reseat.atomic_write import atomic_write
from tests.servers.provider import Provider
from tests.servers.visitor import Visitor
from tests.serving.conftest import Server, Start, Visit, line

ADA = {"sub": "a1", "email": "ada@example.org", "email_verified": True, "name": "Ada"}
LISTED = '[operate]\nallowed = ["ada@example.org", "groups=operators"]'


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    """The provider of all tests here."""
    with Provider() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    """A provider that says of everybody that they are Ada, for an hour."""
    running.claims, running.lifetime, running.signed = ADA, 3600.0, 0
    return running


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the server's read-only links."""
    return tmp_path_factory.mktemp("links")


@pytest.fixture(scope="module")
def server(start: Start, running: Provider, links: Path) -> Server:
    """A server that may write, where people sign in with the provider."""
    return start(secrets=lambda at: running.secrets(at, LISTED), RESEAT_OPERATE="1", RESEAT_LINKS=str(links))


@pytest.fixture
def signed_in(server: Server, visit: Visit, provider: Provider) -> Callable[..., tuple[Visitor, list[str]]]:
    """Somebody who has signed in, and what the page says then; tables of the secrets in place of the usual ones."""

    def sign_in(*tables: str) -> tuple[Visitor, list[str]]:
        secrets = provider.secrets(server.address, *(tables or (LISTED,)))
        if server.secrets.read_text() != secrets:
            # At once: a server that looks while a file is written knows of no sign-in until it looks again.
            atomic_write(server.secrets, secrets.encode())
        visitor = visit(server.address)
        before = visitor.open()
        assert not [text for text in before if " open:" in text]
        visitor.sign_in()
        return visitor, visitor.open()

    return sign_in


def test_who_is_listed_by_a_verified_address_may_all(signed_in, provider):
    """Nothing before, everything after but approving, which has its own list; the cookie is kept for half a day."""
    visitor, said = signed_in()

    assert provider.signed == 1
    assert line(said, "WRITE") == "WRITE open: ada@example.org is signed in and listed by e-mail address."
    assert [text.partition(" ")[0] for text in said if " closed:" in text] == ["APPROVE"]
    cookies = {one.name: one for one in visitor.cookies if one.name.startswith("_streamlit_user")}
    assert cookies
    assert all((one.expires or 0) <= time.time() + 12 * 3600 for one in cookies.values())
    assert {str(one._rest["SameSite"]).lower() for one in cookies.values()} == {"strict"}


@pytest.mark.parametrize(
    ("claims", "door", "why"),
    [
        ({"email_verified": None}, "WRITE", "has not verified"),
        ({"email_verified": False}, "WRITE", "has not verified"),
        ({"email_verified": "true"}, "WRITE", "has not verified"),
        ({"email": "eve@example.org"}, "WRITE", "eve@example.org is not listed"),
    ],
)
def test_an_address_that_proves_nothing_does_not_count(signed_in, provider, claims, door, why):
    """Unverified, not said (nOAuth), said as a text, or another's: all may look, none may change anything."""
    provider.claims = {name: value for name, value in {**ADA, **claims}.items() if value is not None}
    _, said = signed_in()

    assert why in line(said, door)
    assert line(said, "READ_CLUSTERS").startswith("READ_CLUSTERS open")
    assert line(said, "RUN_PIPELINE").startswith("RUN_PIPELINE closed")


def test_a_claim_counts_as_listed(signed_in, provider):
    """A provider that says nothing of addresses tells groups."""
    provider.claims = {"sub": "b2", "groups": ["people", "operators"]}
    _, said = signed_in()

    assert line(said, "WRITE") == "WRITE open: b2 is signed in and listed by claim groups=operators."


def test_a_right_ends_with_the_sign_in_in_a_page_that_stays_open(signed_in, provider):
    """Once what the provider vouched for is over the same page may not write any more; looking lasts longer."""
    provider.lifetime = 4
    visitor, said = signed_in()

    until, pause = time.monotonic() + 30, threading.Event()
    while line(said, "WRITE").startswith("WRITE open") and time.monotonic() < until:
        pause.wait(0.2)
        said = visitor.again()
    assert line(said, "WRITE") == "WRITE closed: The last sign-in was too long ago. Sign in again to write to clusters."
    assert line(said, "READ_CLUSTERS").startswith("READ_CLUSTERS open")
    provider.lifetime = 3600
    visitor.sign_in("Sign in again")
    assert line(visitor.open(), "WRITE").startswith("WRITE open")


def test_a_right_is_bounded_whatever_the_provider_vouches_for(signed_in, provider):
    """A provider whose sign-ins last for ever does not make operators of that time."""
    provider.lifetime = 1e9
    visitor, said = signed_in(LISTED + "\nhours = 0.001", "[look]\nhours = 0.002")

    until, pause = time.monotonic() + 30, threading.Event()
    while " open:" in line(said, "READ_CLUSTERS") and time.monotonic() < until:
        pause.wait(0.2)
        said = visitor.again()
    assert not [text for text in said if " open:" in text]


def test_who_is_taken_off_the_list_is_off_it_at_once(signed_in, server, provider):
    """No restart, no new sign-in: the next look at the list decides. A list that cannot be read is nobody's."""
    visitor, said = signed_in()

    assert line(said, "WRITE").startswith("WRITE open")

    server.secrets.write_text(provider.secrets(server.address, '[operate]\nallowed = ["ben@example.org"]'))
    assert "ada@example.org is not listed" in line(visitor.again(), "WRITE")

    server.secrets.write_text("[operate\nallowed")
    doors = [text for text in visitor.again() if ": " in text]
    assert doors
    assert all(" closed: Nobody may" in text for text in doors)


def test_a_sign_in_is_a_line_of_the_audit_log_and_without_it_no_door_opens(start, visit, provider, tmp_path):
    """One line a sign-in, however many pages follow; where it cannot be written, every door says so."""
    log = tmp_path / "audit.jsonl"
    server = start(secrets=lambda address: provider.secrets(address, LISTED), RESEAT_OPERATE="1", RESEAT_AUDIT=str(log))
    ada = visit(server.address)
    ada.open()
    ada.sign_in()
    said = [*ada.open(), *ada.open()]
    lines = [json.loads(text) for text in log.read_text().splitlines()]

    assert line(said, "WRITE").startswith("WRITE open:")
    assert [(one["event"], one["who"]) for one in lines] == [("sign-in", "ada@example.org")]

    log.unlink()
    log.mkdir()
    provider.claims = {**ADA, "email": "bob@example.org"}
    bob = visit(server.address)
    bob.open()
    bob.sign_in()
    refused = bob.open()

    assert not [text for text in refused if " open:" in text]
    assert "cannot be written" in line(refused, "READ_HISTORY")


def test_a_provider_that_is_away_takes_nothing_from_who_is_signed_in(server, visit):
    """Their rights last as long as they would have; who comes is told in words, with a way back, and may try again."""
    with Provider(ADA) as gone:
        server.secrets.write_text(gone.secrets(server.address, LISTED))
        ada = visit(server.address)
        ada.open()
        ada.sign_in()
        ada.open()
    ben = visit(server.address)
    ben.open()
    answer = ben.sign_in()

    assert line(ada.again(), "WRITE").startswith("WRITE open")
    assert answer.status_code == 503
    assert "Nobody can sign in now" in answer.text
    assert '<a href="../">' in answer.text
    assert "frame-ancestors" in answer.headers["content-security-policy"]
    assert line(ben.open(), "WRITE") == "WRITE closed: Sign in to write to clusters."


def test_a_read_only_link_opens_its_report_for_anybody_and_nothing_else(server, links):
    """No sign-in and no cookie on the way; a wrong link and a revoked one answer alike, and nothing is printed."""
    kept = SharedReports(links)
    token, link = kept.make("<!doctype html><p>lab", title="lab", who="ada", now=time.time(), seconds=3600)
    address = f"{server.address}/shared/{token}"
    there = httpx2.get(address)
    wrong = httpx2.get(address[:-1] + ("A" if token[-1] != "A" else "B"))
    posted = httpx2.post(address)
    kept.revoke(link, who="ada")
    revoked = httpx2.get(address)

    assert (there.status_code, there.text) == (200, "<!doctype html><p>lab")
    assert there.headers["cache-control"] == "no-store"
    assert "noindex" in there.headers["x-robots-tag"]
    assert there.headers["referrer-policy"] == "same-origin"
    assert "frame-ancestors 'self'" in there.headers["content-security-policy"]
    assert "set-cookie" not in there.headers
    assert posted.status_code == 405
    assert (revoked.status_code, revoked.text) == (wrong.status_code, wrong.text) == (404, wrong.text)
    assert token not in server.log.read_text()


def test_a_link_stands_below_the_servers_path(monkeypatch):
    """A proxy passes on only what is below it."""
    monkeypatch.setattr(config, "get_option", {"server.baseUrlPath": "/tools/kafka"}.get)

    assert shared_reports.path_of("x") == "/tools/kafka/shared/x"
    assert [route.path for route in shared_reports.routes()] == ["/tools/kafka/shared/{token}"]
