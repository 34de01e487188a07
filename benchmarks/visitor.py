"""One visitor of a dashboard without a browser: Streamlit's own socket and messages, for measuring many of them.

It sends what a browser would (which page, which component was used) and reads what the server answers; nothing is
drawn. Messages that the server may send once are remembered, as a browser's cache does.
"""

from __future__ import annotations

import asyncio
import json
import time
from types import TracebackType

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

__all__ = ["Visitor"]

#: Seconds in which an answer must have come.
_PATIENCE = 180
#: What Streamlit calls the one widget of a component that hears all of its events.
_HEARS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


class Visitor:
    """A session of the dashboard at a port of this machine; ``async with`` opens and closes its socket.

    Attributes:
        received: bytes that the server has sent.
        fault: the last exception that a page showed, or "".
    """

    def __init__(self, port: int) -> None:
        self._address = f"ws://127.0.0.1:{port}/_stcore/stream"
        self._socket: ClientConnection | None = None
        self._pages: dict[str, str] = {}
        self._page = ""
        self._query = ""
        self._kept: dict[str, ForwardMsg] = {}
        self._boards: list[str] = []
        self._buttons: dict[str, str] = {}
        self.received = 0
        self.fault = ""

    async def __aenter__(self) -> Visitor:
        """Open the socket."""
        # As a browser, which waits for a server however long it takes.
        how = {"subprotocols": ["streamlit"], "max_size": None, "ping_interval": None}
        self._socket = await connect(self._address, **how)  # type: ignore[arg-type]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the socket, as a closed tab does."""
        if self._socket is not None:
            await self._socket.close()

    async def arrive(self, query: str = "") -> float:
        """Open the dashboard at its first page; returns the seconds until all of it was there."""
        self._query = query
        return await self._run()

    async def to(self, page: str) -> float:
        """Go to a page by its address' last part; returns the seconds until all of it was there."""
        self._page = self._pages[page]
        return await self._run()

    async def press(self, label: str) -> float:
        """Press the button whose label begins so; returns the seconds until all of the page was there."""
        name = next(name for name, said in self._buttons.items() if said.startswith(label))
        return await self._run(pressed=name)

    async def drop(self, broker: int) -> float:
        """Drag a broker out on the board that is drawn, and nobody else; returns the seconds until all was there."""
        changes = [{"do": "reset"}, {"do": "out", "brokers": [broker]}]
        event = json.dumps([{"event": "event", "value": {"changes": changes}}])
        return await self._run(event=(_HEARS.format(self._boards[-1]), event))

    @property
    def query(self) -> str:
        """What the address of the page says, to be handed to another visitor."""
        return self._query

    async def _run(self, *, pressed: str = "", event: tuple[str, str] | None = None) -> float:
        told = BackMsg()
        told.rerun_script.query_string = self._query
        told.rerun_script.page_script_hash = self._page
        told.rerun_script.cached_message_hashes.extend(self._kept)
        if pressed:
            told.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        if event is not None:
            told.rerun_script.widget_states.widgets.add(id=event[0], json_trigger_value=event[1])
        assert self._socket is not None
        began = time.perf_counter()
        await self._socket.send(told.SerializeToString())
        async with asyncio.timeout(_PATIENCE):
            while not await self._heard():
                pass
        return time.perf_counter() - began

    async def _heard(self) -> bool:
        """Read one message; whether the run has ended with it."""
        assert self._socket is not None
        data = await self._socket.recv()
        assert isinstance(data, bytes)
        self.received += len(data)
        message = ForwardMsg.FromString(data)
        if message.metadata.cacheable and message.hash:
            self._kept[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            message = self._kept[message.ref_hash]
            kind = message.WhichOneof("type")
        if kind == "new_session":
            self._boards, self._buttons = [], {}
        elif kind == "navigation":
            self._pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
            self._page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "delta":
            self._drawn(message.delta)
        return kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY

    def _drawn(self, delta: Delta) -> None:
        kind = delta.new_element.WhichOneof("type")
        if kind == "bidi_component" and delta.new_element.bidi_component.component_name.endswith("rack_board"):
            self._boards.append(delta.new_element.bidi_component.id)
        elif kind == "button":
            self._buttons[delta.new_element.button.id] = delta.new_element.button.label
        elif kind == "exception":
            self.fault = delta.new_element.exception.message
