"""What stands around every answer, here and behind nginx as the documents configure it; and that nothing is sent."""

from __future__ import annotations

import os
import re
import ssl

import pytest
import trustme
from websockets.exceptions import InvalidStatus

from tests.servers.dashboard import ROOT
from tests.servers.ports import free_port
from tests.servers.provider import Provider
from tests.serving.conftest import line

EXPECTED = {
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
#: Notes what a process connects to, looks up or sends to; connecting a datagram socket sends nothing.
NOTE_ALL = """
import os, socket, sys

def note(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"):
        if event == "socket.connect" and arguments[0].type == socket.SOCK_DGRAM:
            return
        with open(os.environ["NOTED"], "a") as file:
            file.write(f"{event} {arguments[1] if event != 'socket.getaddrinfo' else arguments[0]}\\n")

sys.addaudithook(note)
"""


@pytest.fixture(scope="module")
def noting(start, tmp_path_factory):
    """Reseat's own dashboard, and the file in which it notes whom it turns to."""
    home = tmp_path_factory.mktemp("noting")
    (home / "sitecustomize.py").write_text(NOTE_ALL)
    noted = home / "noted.txt"
    noted.touch()
    return start(script="app.py", PYTHONPATH=f"{home}{os.pathsep}{ROOT}", NOTED=str(noted)), noted


def test_every_answer_carries_them(noting, visit):
    """Documents, scripts, what is not there, and the answers to machines: framed by nobody, and no script but ours."""
    http = visit(noting[0].address).http
    page = http.get("/")
    script = re.search(r'src="\.?(/static/js/[^"]+)"', page.text)
    assert script
    answers = [page, http.get(script[1]), *(http.get(path) for path in ("/plan", "/_stcore/health", "/media/none"))]

    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert EXPECTED.items() <= answer.headers.items(), answer.url
        assert "frame-ancestors 'self'" in policy
        assert re.search(r"script-src 'self' blob:( 'sha256-[\w+/=]+')+;", policy)
        assert "unsafe-eval" not in policy


def test_foreign_pages_open_no_socket_and_make_the_server_send_nothing(noting, visit):
    """They are refused by what the server knows itself: no look-up, no connection, not a byte to anybody."""
    server, noted = noting
    visit(server.address).open()
    for origin in ("http://evil.example", "http://127.0.0.1.evil.example", "null", "https://192.0.2.1"):
        with pytest.raises(InvalidStatus) as refused, visit(server.address, origin=origin).connect():
            pass

        assert refused.value.response.status_code == 403
    said = noted.read_text().splitlines()
    assert not [entry for entry in said if "127.0.0.1" not in entry and "localhost" not in entry]


def test_nginx_as_the_documents_have_it(start, visit, nginx, tmp_path):
    """The documents' own lines, run: TLS, the socket, signing in, each header once, and cookies that are secure."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    for chain in certificate.cert_chain_pems:
        chain.write_to_path(tmp_path / "chain.pem", append=True)
    port = free_port()
    address = f"https://127.0.0.1:{port}"
    with Provider({"sub": "a1", "email": "ada@example.org", "email_verified": True}) as provider:
        listed = '[operate]\nallowed = ["ada@example.org"]'
        server = start(secrets=lambda _: provider.secrets(address, listed), RESEAT_OPERATE="1")
        block = re.search(r"```nginx\n(.*?)```", (ROOT / "docs" / "serving.md").read_text(), re.DOTALL)
        assert block
        changes = {
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "/etc/ssl/reseat.pem": str(tmp_path / "chain.pem"),
            "/etc/ssl/reseat.key": str(tmp_path / "key.pem"),
            "http://127.0.0.1:8501": server.address,
        }
        assert all(word in block[1] for word in changes)
        trusting = ssl.create_default_context()
        authority.configure_trust(trusting)
        lines = block[1]
        for word, instead in changes.items():
            lines = lines.replace(word, instead)
        nginx(lines, address, trusting)
        visitor = visit(address, tls=trusting)
        watched = [visitor.http.get(path).status_code for path in ("/healthz", "/readyz")]

        assert "Sign in" in line(visitor.open(), "WRITE")
        visitor.sign_in()
        assert line(visitor.open(), "WRITE").startswith("WRITE open")
        answer = visitor.http.get("/")

    assert watched == [404, 404]
    assert [answer.headers.get_list(name) for name in EXPECTED] == [[value] for value in EXPECTED.values()]
    assert len(answer.headers.get_list("content-security-policy")) == 1
    assert "max-age=31536000" in answer.headers["strict-transport-security"]
    assert all(cookie.secure for cookie in visitor.cookies if cookie.name.startswith("_streamlit_"))
    assert [cookie for cookie in visitor.cookies if cookie.name.startswith("_streamlit_user")]


def test_a_proxy_that_passes_no_web_sockets_on_is_told_in_the_log(noting, visit, nginx):
    """Once, however often the page tries: all of them stay empty, and nothing else says why."""
    port, (server, _) = free_port(), noting
    nginx(
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {server.address}; }} }}",
        f"http://127.0.0.1:{port}",
    )
    for _ in range(2):
        with pytest.raises(InvalidStatus) as refused, visit(f"http://127.0.0.1:{port}").connect():
            pass

        assert refused.value.response.status_code == 426
    assert server.log.read_text().count("no web socket") == 1
