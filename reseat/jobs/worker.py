"""A process that computes what it is asked, one question after the other: ``python -m reseat.jobs.worker SOCKET``.

It is nicer than the server that asks, so that pages go before it, and the first to go where memory runs out. It ends
when the server does, also in the middle of an answer, or when nobody has asked for a while.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from reseat.errors import ReseatError
from reseat.jobs.parcels import KnownLayouts, LayoutUnknown, receive, send

__all__ = ["ANSWER", "IDLE_SECONDS", "RAISED", "UNKNOWN", "main"]

#: What an answer is: (kind, value).
ANSWER, RAISED, UNKNOWN = "answer", "raised", "unknown"
#: Seconds without a question after which the memory is given back, with the process.
IDLE_SECONDS = 120.0
#: Partitions of all layouts that are kept for the next question: one of a million and what plans make of it.
_MOST_PARTITIONS = 6_000_000
#: How much nicer than the server.
_NICE = 5


def main(arguments: list[str]) -> int:
    """Answer until nobody asks any more; the exit code."""
    channel = socket.socket(fileno=int(arguments[0]))
    os.nice(_NICE)
    with contextlib.suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    threading.Thread(target=_end_with, args=(channel,), daemon=True).start()
    known = KnownLayouts(_MOST_PARTITIONS)
    while select.select([channel], [], [], IDLE_SECONDS)[0] and _answered(channel, known):
        pass
    return 0


def _answered(channel: socket.socket, known: KnownLayouts) -> bool:
    """Answer the next question; False where nobody is there to ask one."""
    try:
        parcel = receive(channel, known)
    except LayoutUnknown:
        send(channel, (UNKNOWN, None), {})
        return True
    if parcel is None:
        return False
    known.add(parcel.layouts)
    function, arguments, keywords = parcel.value
    try:
        said: tuple[str, Any] = ANSWER, function(*arguments, **keywords)
    except Exception as error:  # noqa: BLE001 -- whatever it is, who asked is told
        if not isinstance(error, ReseatError):
            error.add_note("In the process that computed it:\n" + traceback.format_exc())
        said = RAISED, error.with_traceback(None)
    try:
        sent = send(channel, said, parcel.layouts)
    except ConnectionError:
        return False
    known.add(sent.layouts)
    return True


def _end_with(channel: socket.socket) -> None:
    """End when the other side is gone."""
    gone = select.poll()
    gone.register(channel, 0)
    gone.poll()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
