"""Signing in with a provider that others wrote: Keycloak, its form, its tokens; `make soak` runs it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.keycloak import SECRET, keycloak
from tests.serving.conftest import Start, Visit, line

pytestmark = pytest.mark.slow

PEOPLE = {
    "ada": {"firstName": "Ada", "lastName": "L", "email": "ada@example.org", "groups": ["/kafka-operators"]},
    "bob": {"firstName": "Bob", "lastName": "M", "email": "bob@example.org", "emailVerified": True},
    "eve": {"firstName": "Eve", "lastName": "N", "email": "eve@example.org", "emailVerified": False},
}


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running Keycloak's realm, with everybody in it."""
    with keycloak(tmp_path_factory.mktemp("keycloak"), PEOPLE) as address:
        yield address


def test_people_of_a_keycloak_may_what_their_group_or_verified_address_may(
    metadata: str, start: Start, visit: Visit, tmp_path: Path
) -> None:
    """Ada by her group, Bob by his address, Eve not by hers, which nobody verified; the audit log has each sign-in."""

    def secrets(at: str) -> str:
        return (
            f'[auth]\nredirect_uri = "{at}/oauth2callback"\ncookie_secret = "a secret of the tests, long enough"\n'
            f'client_id = "reseat"\nclient_secret = "{SECRET}"\nserver_metadata_url = "{metadata}"\n'
            '[operate]\nallowed = ["groups=kafka-operators", "bob@example.org", "eve@example.org"]\n'
        )

    log = tmp_path / "audit.jsonl"
    server = start(secrets=secrets, RESEAT_OPERATE="1", RESEAT_AUDIT=str(log))
    said: dict[str, list[str]] = {}
    for name in PEOPLE:
        visitor = visit(server.address)
        visitor.open()
        form = visitor.sign_in().text
        for cookie in visitor.cookies:
            cookie.secure = False  # to a browser 127.0.0.1 is as safe as https
        action = re.search(r'<form[^>]* action="([^"]+)"', form)
        assert action is not None, form[:2000]
        visitor.http.post(html.unescape(action[1]), data={"username": name, "password": name, "credentialId": ""})
        said[name] = visitor.open()

    assert (
        line(said["ada"], "WRITE")
        == "WRITE open: ada@example.org is signed in and listed by claim groups=kafka-operators."
    )
    assert line(said["bob"], "WRITE") == "WRITE open: bob@example.org is signed in and listed by e-mail address."
    assert "has not verified" in line(said["eve"], "WRITE")
    assert line(said["eve"], "READ_CLUSTERS").startswith("READ_CLUSTERS open")
    assert log.read_text().count('"event":"sign-in"') == len(PEOPLE)
