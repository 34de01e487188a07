"""One message to one webhook: generic JSON, or the form of Slack's incoming webhooks."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import msgspec

from reseat.alerts.outbox import Message
from reseat.errors import InputRefused
from reseat.forecast.settings import Form

__all__ = ["NAMED_BY", "PAUSES", "TRIES", "send"]

#: The environment's name for the address: whoever has it can write there, so it is in no file and in no message.
NAMED_BY = "RESEAT_WEBHOOK"
#: How often a message is tried before it waits for the next time, and seconds before each further try.
TRIES, PAUSES = 3, (1.0, 3.0)
#: Until a try is given up, however slowly the answer comes.
_SECONDS = 10.0
#: Answers after which another try may do better.
_LATER = frozenset({408, 425, 429})


def send(
    address: str,
    form: Form,
    message: Message,
    *,
    pause: Callable[[float], None] = time.sleep,
    seconds: float = _SECONDS,
) -> str | None:
    """Tell it; a few times at most.

    Args:
        address: http or https. Redirects are not followed, and no proxy is used.
        form: how it is told.
        message: what is told; its ``id`` is the header ``Idempotency-Key``, the same each time.
        pause: waits between two tries.
        seconds: until a try is given up; a name of several addresses may take as long for each to be reached.

    Returns:
        None once it was taken (2xx), else why not, without the address.

    Raises:
        InputRefused: this is no address of a webhook.
    """
    parts = urlsplit(address)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in ("http", "https") or not host:
        raise InputRefused("An address that begins with https:// or http:// was expected.", source=NAMED_BY)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    why = ""
    for turn in range(TRIES):
        if turn:
            pause(PAUSES[turn - 1])
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        line = kind(host, port, timeout=seconds)
        began = time.monotonic()
        try:
            line.connect()
            headers = {"Content-Type": "application/json", "Idempotency-Key": message.id}
            with _within(line.sock, began + seconds - time.monotonic()):
                line.request("POST", path, _body(form, message), headers)
                status = line.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            late = time.monotonic() >= began + seconds
            why = f"no answer within {seconds:g} s" if late else f"it cannot be reached ({type(error).__name__})"
            continue
        finally:
            line.close()
        if 200 <= status < 300:
            return None
        why = f"it answered {status}"
        if status < 500 and status not in _LATER:
            break
    return why


@contextmanager
def _within(line: socket.socket, seconds: float) -> Iterator[None]:
    """Break a connection off after some time: its own bound is one of each read, and an answer may come by the byte."""

    def break_off() -> None:
        with suppress(OSError):
            socket.socket.shutdown(line, socket.SHUT_RDWR)  # beneath TLS, which the other thread is reading

    alarm = threading.Timer(max(seconds, 0.0), break_off)
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()


def _body(form: Form, message: Message) -> bytes:
    if form == "json":
        return msgspec.json.encode(message)
    mark = ":red_circle:" if message.event == "began" else ":white_check_mark:"
    said = f"{mark} {message.cluster}, {message.alert} {message.event}: {message.sentence}"
    # Slack's three control characters: a topic's name makes no link and calls nobody.
    plain = said.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return msgspec.json.encode({"text": f"{plain} (snapshot of {message.taken_at:%Y-%m-%d %H:%M} UTC)"})
