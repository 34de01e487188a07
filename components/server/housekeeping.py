"""What nobody needs any more is given back: now and then, and wholly once nobody is there.

Streamlit would collect all garbage after each run of a page: with a hundred thousand objects of libraries in memory
that is 50 to 100 ms, more than most pages take. Here it is done now and then, beside the pages. Once the last
session is over, the results that sessions shared are forgotten as well, and free memory goes back to the system.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionStorage

__all__ = ["SECONDS", "Housekeeping", "lifespan", "reap"]

#: Seconds between two looks.
SECONDS = 20.0


class Housekeeping:
    """What is done at each look.

    Args:
        forget: forgets all results that are kept.
        collect: collects all garbage.
    """

    def __init__(self, forget: Callable[[], None], collect: Callable[[], object] = gc.collect) -> None:
        self._forget = forget
        self._collect = collect
        self._busy = False

    def look(self, sessions: int) -> None:
        """Collect garbage while somebody is there; and forget once, when nobody is there any more.

        Args:
            sessions: how many the server keeps.
        """
        over = self._busy and not sessions
        self._busy = sessions > 0
        if over:
            self._forget()
        if over or sessions:
            self._collect()
        if over:
            _trim()


def lifespan(forget: Callable[[], None]) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """What goes on for as long as the server runs, as Starlette takes it; ``forget`` is that of ``Housekeeping``."""

    @asynccontextmanager
    async def lives(_app: object) -> AsyncIterator[None]:
        # What is there before anybody came stays for good: no collection looks at it any more.
        gc.collect()
        gc.freeze()
        task = asyncio.create_task(_always(Housekeeping(forget)))
        yield
        task.cancel()

    return lives


async def _always(keeping: Housekeeping) -> None:
    while True:
        await asyncio.sleep(SECONDS)
        await asyncio.to_thread(keeping.look, _sessions())


def _sessions() -> int:
    """How many sessions Streamlit keeps: open ones and those whose page was closed a moment ago.

    It lets go of what is over only when another one is over, and at night none is: so it is made to. In the event loop
    alone, where Streamlit itself does so.
    """
    if not runtime.exists():
        return 0
    manager = runtime.get_instance()._session_mgr
    reap(manager._session_storage)  # type: ignore[attr-defined]
    return len(manager.list_sessions())


def reap(storage: SessionStorage) -> None:
    """Let go of what has expired in the storage of sessions whose page was closed: a look at its length does so."""
    if isinstance(storage, MemorySessionStorage):
        len(storage._cache)


def _trim() -> None:
    """Give free memory back; the C library keeps it else. Where it cannot be asked (not glibc), nothing is done."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
