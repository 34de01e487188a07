"""A webhook on this machine that keeps what it is told, and answers as the test says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Hook", "hook"]


class Hook:
    """What came, and what is answered: the statuses of ``answers`` in turn, then 200.

    0 hangs up without an answer, 1 answers by the byte and comes to no end.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.answers: list[int] = []
        self.came: list[tuple[str, Any]] = []
        self.heard = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    @property
    def ids(self) -> list[str]:
        """The keys of what came, in turn."""
        return [key for key, _ in self.came]


@contextmanager
def hook() -> Iterator[Hook]:
    """A webhook that listens."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.came.append((self.headers["Idempotency-Key"], body))
            made.heard.set()
            made.go_on.wait(60)
            status = made.answers.pop(0) if made.answers else 200
            if status == 1:
                with suppress(OSError):
                    while True:
                        self.wfile.write(b"H")
                        time.sleep(0.02)
            elif status:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made = Hook(f"http://127.0.0.1:{server.server_address[1]}/services/secret")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.go_on.set()
    server.shutdown()
    server.server_close()
