"""What nobody needs any more is given back: now and then, and wholly once nobody is there.

Streamlit would collect all garbage after each run of a page: with a hundred thousand objects of libraries in memory
that is 50 to 100 ms, more than most pages take. Here it is done now and then by a thread of its own. Once the last
session is over, the results that sessions shared are forgotten as well, and free memory goes back to the system.
"""

from __future__ import annotations

import ctypes
import gc
import threading
from collections.abc import Callable

__all__ = ["SECONDS", "Housekeeping", "begin"]

#: Seconds between two looks.
SECONDS = 20.0


class Housekeeping:
    """What is done at each look.

    Args:
        sessions: how many sessions the server keeps.
        forget: forgets all results that are kept.
        collect: collects all garbage.
    """

    def __init__(
        self, sessions: Callable[[], int], forget: Callable[[], None], collect: Callable[[], object] = gc.collect
    ) -> None:
        self._sessions = sessions
        self._forget = forget
        self._collect = collect
        self._busy = False

    def look(self) -> None:
        """Collect garbage while somebody is there; and forget once, when nobody is there any more."""
        busy, was = self._sessions() > 0, self._busy
        self._busy = busy
        if not busy and was:
            self._forget()
        if busy or was:
            self._collect()
        if not busy and was:
            _trim()


def begin(sessions: Callable[[], int], forget: Callable[[], None]) -> None:
    """Look every now and then for as long as the server runs; arguments as of ``Housekeeping``."""
    keeping, never = Housekeeping(sessions, forget), threading.Event()

    def always() -> None:
        while not never.wait(SECONDS):
            keeping.look()

    threading.Thread(target=always, name="housekeeping", daemon=True).start()


def _trim() -> None:
    """Give free memory back; the C library keeps it else. Where it cannot be asked (not glibc), nothing is done."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
