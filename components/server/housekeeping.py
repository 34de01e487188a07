"""What nobody needs any more is given back: now and then, and wholly once nobody is there.

Streamlit would collect all garbage after each run of a page, and Python by itself every few seconds: with a million
objects of libraries and sessions in memory that is 50 to 200 ms in which nobody gets an answer, not even whoever asks
whether the server is alive. Here no collection ever looks at what was there as the server began (``gc.freeze``: the
libraries, two of three objects while fifty people are there). A look collects what is new since the last one, a few
milliseconds. What became garbage later is found by a whole collection, where memory has grown, and once the last
session is over: then the results that sessions shared are forgotten as well, and free memory goes back to the system.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from weakref import WeakSet

from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.session_manager import SessionStorage

from components.server.turns import PAGES
from reseat.observe.events import LOG

__all__ = ["SECONDS", "Housekeeping", "forgetting_widgets", "let_go", "lifespan", "reap", "sessions_kept"]

#: Seconds between two looks.
SECONDS = 2.0
#: Looks after which all is collected whatever memory says: half an hour.
_LOOKS = 900
#: Bytes by which memory may grow until all is collected: what is found by then takes as long to free as the look.
_GROWN = 24_000_000
#: Python's own collections are left to the looks, but for what is newest: so many of the younger are never made.
_NEVER = 1_000_000_000
#: Seconds after which one that draws a page lets another thread go on (Python: 0.005): where ten pages are drawn at
#: once, the thread that answers everybody waits for most of them.
_TURN = 0.001
#: Sessions that were there at the last looks, as long as anything holds them.
_SEEN: WeakSet[AppSession] = WeakSet()


class Housekeeping:
    """What is done at each look.

    Args:
        forget: forgets all results that are kept.
        collect: collects garbage: all of it where it is told so, else what is new.
        held: the bytes that the server holds, 0 where the system does not tell.
    """

    def __init__(
        self,
        forget: Callable[[], None],
        collect: Callable[[bool], object] | None = None,
        held: Callable[[], int] | None = None,
    ) -> None:
        self._forget = forget
        self._collect = collect or _collect
        self._held = held or _resident
        self._busy = self._settled = False
        self._looks = 0
        self._before = self._held()

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
            self._looks += 1
            whole = over or self._looks >= _LOOKS or self._held() > self._before + _GROWN
            self._collect(whole)
            if whole:
                self._looks, self._before = 0, self._held()
                if not (self._settled or PAGES.taken):
                    # What the first pages brought along is libraries and what visitors still have; rings of a page that
                    # is being drawn would be kept for ever.
                    gc.freeze()
                    self._settled = True
        if over:
            _trim()


def lifespan(forget: Callable[[], None]) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """What goes on for as long as the server runs, as Starlette takes it; ``forget`` is that of ``Housekeeping``."""

    @asynccontextmanager
    async def lives(_app: object) -> AsyncIterator[None]:
        gc.collect()
        gc.freeze()
        thresholds, turn = gc.get_threshold(), sys.getswitchinterval()
        gc.set_threshold(thresholds[0], _NEVER, _NEVER)
        sys.setswitchinterval(_TURN)
        task = asyncio.create_task(_always(Housekeeping(forget)))
        yield
        task.cancel()
        sys.setswitchinterval(turn)
        gc.set_threshold(*thresholds)

    return lives


async def _always(keeping: Housekeeping) -> None:
    while True:
        await asyncio.sleep(SECONDS)
        try:
            await asyncio.to_thread(_look, keeping, sessions_kept())
        except Exception:  # noqa: BLE001 (whatever it was, the next look is made)
            # Python's own whole collections are off: without further looks, memory would only grow.
            LOG.exception("housekeeping")


def _look(keeping: Housekeeping, kept: set[AppSession]) -> None:
    """Let go of who left, and look: outside of the event loop, as what fifty sessions held takes a while to go."""
    let_go([one for one in _SEEN if one not in kept])
    _SEEN.clear()
    _SEEN.update(kept)
    keeping.look(len(kept))


def _collect(whole: bool) -> None:
    """Collect what is new; or all that came since the server began. In turn with pages, which wait for it anyway."""
    with PAGES.turn():
        gc.collect(2 if whole else 1)


def _resident() -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def sessions_kept() -> set[AppSession]:
    """The sessions that Streamlit keeps: open ones and those whose page was closed a moment ago.

    It lets go of what is over only when another one is over, and at night none is: so it is made to. In the event loop
    alone, where Streamlit itself does so.
    """
    if not runtime.exists():
        return set()
    manager = runtime.get_instance()._session_mgr
    reap(manager._session_storage)  # type: ignore[attr-defined]
    return {one.session for one in manager.list_sessions()}


def reap(storage: SessionStorage) -> None:
    """Let go of what has expired in the storage of sessions whose page was closed: a look at its length does so."""
    if isinstance(storage, MemorySessionStorage):
        len(storage._cache)


def let_go(over: Collection[AppSession]) -> None:
    """Take their state from sessions that are over, and the names of the last page that was drawn.

    Else garbage holds that state until a whole collection; Streamlit's loop holds on to the last session until somebody
    comes, and Python to the module that a page runs as.
    """
    for last in over:
        last._session_state.clear()
    if over:
        sys.modules["__main__"] = ModuleType("__main__")


@contextmanager
def forgetting_widgets() -> Iterator[None]:
    """Draw a page, and let go of the widgets that an earlier one had and that were drawn no more.

    Streamlit keeps how each was drawn, its callback included, until the session is over; and a callback holds all that
    the page had which drew it. A page that is stopped halfway has not drawn all of its widgets and lets go of none:
    what stopped it may be the answer of one that comes further below.
    """
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    state = context.session_state._state._new_widget_state
    before = dict(state.widget_metadata)
    yield
    known = state.widget_metadata
    for one, drawn in before.items():
        if known.get(one) is drawn:  # who draws a widget tells anew how it is drawn
            del known[one]


def _trim() -> None:
    """Give free memory back; Arrow and the C library keep it else. One that cannot be asked (not glibc) keeps it.

    What is left is libraries that the first pages brought along: no collection looks at them again either.
    """
    gc.freeze()
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
