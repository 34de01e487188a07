"""Writing without a sign-in: the server's token, local use that is declared, and what a proxy makes of both."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.servers.dashboard import ROOT
from tests.servers.ports import free_port
from tests.serving.conftest import Server, line

#: nginx as people configure it for Streamlit, and as its manual configures any proxy.
PLAIN = """
    location / {{ proxy_pass {dashboard}; proxy_http_version 1.1;
        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade"; {more} }}
"""
FORWARDED = """
        proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
"""


def token_of(server: Server) -> str:
    """The token that a server printed."""
    found = re.search(r"\?token=(\S+)", server.log.read_text())
    assert found, server.log.read_text()
    return found[1]


@pytest.fixture(scope="module")
def server(start):
    """A dashboard that may write, with a token."""
    return start(RESEAT_OPERATE="1")


@pytest.fixture
def behind(nginx):
    """The address of a real nginx before a dashboard."""

    def begin(server: Server, more: str) -> str:
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        location = PLAIN.format(dashboard=server.address, more=more)
        nginx(f"server {{ listen 127.0.0.1:{port}; {location} }}", address)
        return address

    return begin


def test_a_browser_on_the_same_machine_does_not_write_by_that(server, visit):
    """The token does: by the printed address, which leaves a cookie and no token behind, or typed."""
    before = visit(server.address).open()

    assert "needs the token that the server printed at start" in line(before, "WRITE")
    assert line(before, "RUN_PIPELINE").startswith("RUN_PIPELINE open")

    token, printed = token_of(server), visit(server.address)
    answer = printed.http.get(f"/?token={token}&layout=1", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (303, "/?layout=1")
    cookie = answer.headers["set-cookie"]
    assert token not in cookie
    assert all(word in cookie for word in ("Path=/_stcore/stream", "HttpOnly", "SameSite=Strict"))
    assert line(printed.open(), "WRITE").startswith("WRITE open: The token")

    typed = visit(server.address)
    typed.open()
    assert "This is not the token" in " ".join(typed.again("Unlock writing", {"Token": "not the token"}))
    assert line(typed.again(), "WRITE").startswith("WRITE closed")
    typed.again("Unlock writing", {"Token": token})
    assert line(typed.again(), "WRITE").startswith("WRITE open: The token")


def test_a_wrong_token_opens_nothing(server, visit):
    """The address is cleared of it all the same, and there is no cookie; nor does an invented cookie count."""
    visitor = visit(server.address)
    answer = visitor.http.get("/?token=wrong", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "set-cookie" not in answer.headers
    forger = visit(server.address, headers={"Cookie": f"reseat_operate={token_of(server)}"})
    assert line(forger.open(), "WRITE").startswith("WRITE closed")


def test_another_page_on_the_machine_does_not_write_with_the_cookie(server, visit):
    """Cookies know no ports: a page that another local server sent has the cookie, and gets nothing for it."""
    other = visit(server.address, origin="http://127.0.0.1:1")
    other.http.get(f"/?token={token_of(server)}")

    assert line(other.open(), "WRITE").startswith("WRITE closed")


def test_a_given_token_is_not_printed(start, visit):
    """Who starts a service chooses the token, and no log holds it."""
    server = start(RESEAT_OPERATE="1", RESEAT_OPERATE_TOKEN="correct horse battery staple")
    visitor = visit(server.address)
    visitor.http.get("/?token=correct horse battery staple")

    assert "correct horse" not in server.log.read_text()
    assert line(visitor.open(), "WRITE").startswith("WRITE open")


@pytest.mark.parametrize("more", ["", FORWARDED], ids=["plain", "forwarded"])
def test_nobody_writes_through_a_proxy_by_being_there(server, behind, visit, more):
    """With or without forwarded headers, whoever comes through nginx needs the token, typed here."""
    visitor = visit(behind(server, more))

    assert "needs the token" in line(visitor.open(), "WRITE")
    visitor.again("Unlock writing", {"Token": token_of(server)})
    assert line(visitor.again(), "WRITE").startswith("WRITE open: The token")


def test_local_use_is_declared_or_does_not_count(start, visit, behind):
    """RESEAT_OPERATE_LOCAL=1 lets a browser on the machine write, not one that comes through a proxy that says so."""
    server = start(RESEAT_OPERATE="1", RESEAT_OPERATE_LOCAL="1")
    address = behind(server, FORWARDED)

    assert line(visit(server.address).open(), "WRITE").startswith("WRITE open: Local use")
    assert "with no proxy between" in line(visit(address).open(), "WRITE")
    # A page whose name was rebound to 127.0.0.1 asks for it by that name.
    port = server.address.rpartition(":")[2]
    rebound = visit(server.address, host=f"evil.example:{port}", origin=f"http://evil.example:{port}")
    assert line(rebound.open(), "WRITE").startswith("WRITE closed")


@pytest.mark.parametrize(
    ("option", "value"), [("enableAgentApi", "true"), ("trustedUserHeaders", '{"X-User": "email"}')]
)
def test_a_server_that_may_write_does_not_start_with_what_speaks_for_people(tmp_path, option, value):
    """One sentence names the setting and why, and the server is not there; without writing it starts."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())]
    done = subprocess.run(
        [*command, f"--server.{option}", value],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "RESEAT_OPERATE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode != 0
    assert f"Reseat does not start. RESEAT_OPERATE=1 is refused: server.{option} is set" in done.stderr
    assert "Traceback" not in done.stderr


def test_reading_alone_prints_no_token(start, visit):
    """A server that may not write has none to print, and its page offers no field for one."""
    server = start()
    said = visit(server.address).open()

    assert "token" not in server.log.read_text()
    assert "Unlock writing" not in said
