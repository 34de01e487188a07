"""A put on condition: the store's answer is taken as it is, and told without what it quotes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from reseat.errors import InputRefused
from reseat.history.conditional import put as put_whole
from reseat.history.conditional import s3_store
from reseat.history.folder import Folder
from reseat.history.read import History

_BODY = b"<Error><Code>Odd</Code><AWSAccessKeyId>AKIA-OF-SOMEBODY</AWSAccessKeyId></Error>"


class Store(BaseHTTPRequestHandler):
    """Answers every put with one status, and keeps what was asked."""

    status = 200
    asked: list[tuple[str, str | None, bytes]]

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.path, self.headers["If-None-Match"], data))
        self.do_GET()

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(_BODY)))
        self.end_headers()
        self.wfile.write(_BODY)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A service on this machine, by its port."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test-secret")
    monkeypatch.setattr(Store, "asked", [], raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Store) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def put(port: int, data: bytes = b"{}\n") -> bool:
    """Put some bytes."""
    store = s3_store("lake/a b", "us-east-1", ("http", f"127.0.0.1:{port}"), len(data))
    return put_whole(store, "c.json", data, new=True)


@pytest.mark.parametrize(("status", "made"), [(200, True), (412, False)])
def test_the_store_decides(service: int, monkeypatch: pytest.MonkeyPatch, status: int, made: bool) -> None:
    """One request, which carries the condition; also for more than a part of an upload in parts."""
    monkeypatch.setattr(Store, "status", status)
    large = b" " * 6_000_000

    assert put(service) is made
    assert put(service, large) is made
    assert {(path, condition) for path, condition, _ in Store.asked} == {("/lake/a%20b/c.json", "*")}
    assert {data for _, _, data in Store.asked} == {b"{}\n", large}


def test_a_service_has_time_for_what_it_is_given(service: int) -> None:
    """A minute, and a second more for each 250 kB; only a service of one's own may be without TLS."""
    own = s3_store("lake/a", "us-east-1", ("http", f"127.0.0.1:{service}"), 25_000_000).client_options
    amazon = s3_store("lake", "us-east-1", None, 0).client_options
    behind_tls = s3_store("lake", "us-east-1", ("https", "minio:9000"), 0).client_options

    assert own == {"connect_timeout": "5s", "timeout": "160s", "allow_http": "true"}
    assert amazon == behind_tls == {"connect_timeout": "5s", "timeout": "60s", "allow_http": "false"}


@pytest.mark.parametrize(("status", "words"), [(403, "403 Forbidden"), (404, "404 Not Found"), (501, "501 Not Impl")])
def test_another_answer_is_told_without_what_it_quotes(
    service: int, monkeypatch: pytest.MonkeyPatch, status: int, words: str
) -> None:
    """By its status alone."""
    monkeypatch.setattr(Store, "status", status)
    with pytest.raises(OSError, match=f"the service answered {words}") as refused:
        put(service)

    assert "SOMEBODY" not in str(refused.value)


def test_a_refusal_to_a_reader_of_delta_tables_is_told_by_its_status(
    service: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the library that reads their logs puts it."""
    monkeypatch.setattr(Store, "status", 403)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{service}")
    with pytest.raises(InputRefused, match=r"snapshots cannot be used .*its service answered 403 Forbidden") as refused:
        History.open(Folder.open("s3://lake/refused")).snapshots()

    assert "SOMEBODY" not in str(refused.value)


def test_a_service_that_is_not_there_is_told(service: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the place, and not as a refusal of the store."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(InputRefused, match=r"s3://lake/tables/x.json: .* the service did not answer"):
        Folder.open("s3://lake/tables").create("x.json", b"")
