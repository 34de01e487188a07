"""A visitor of a dashboard that is no browser: cookies as browsers keep them, Streamlit's socket, and what a page says.

Enough of a browser to sign in by OIDC, to press a button and to read the sentences, in a tenth of a second.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.cookiejar import CookieJar
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import httpx2
from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

__all__ = ["Visitor"]

#: Seconds until a page that does not end is given up.
_PATIENCE = 30.0


class Visitor:
    """One person's browser profile.

    Args:
        address: of the dashboard, as ``http://127.0.0.1:8501``.
        host: what the Host header says, where that is another than the address.
        origin: where the page that opens the socket came from; by default the address.
        headers: further ones of every request.
        tls: whom this profile trusts, for an address that begins with https.
    """

    def __init__(
        self,
        address: str,
        *,
        host: str = "",
        origin: str = "",
        headers: dict[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.address, self._host, self._origin = address, host, origin or address
        self._headers = headers or {}
        self._tls = tls
        self.http = httpx2.Client(
            base_url=address,
            headers={**self._headers, **({"Host": host} if host else {})},
            follow_redirects=True,
            timeout=_PATIENCE,
            verify=True if tls is None else tls,
        )
        self._socket: ClientConnection | None = None
        self._open = ExitStack()
        self._widgets: dict[str, Message] = {}

    def __enter__(self) -> Visitor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
        self.http.close()

    @property
    def cookies(self) -> CookieJar:
        """What this profile keeps."""
        return self.http.cookies.jar

    def leave(self) -> None:
        """Close the page; cookies stay."""
        self._open.close()
        self._socket = None

    def open(self, path: str = "/") -> list[str]:
        """Open a page anew, as a browser does: its document first, then the socket. Returns what the page says."""
        self.leave()
        self.http.get(path)
        self.http.get("/_stcore/health")
        self._socket = self._open.enter_context(self.connect())
        return self.again()

    def connect(self) -> ClientConnection:
        """The socket, with the cookies that a browser would send on it; to be entered."""
        request = self.http.build_request("GET", "/_stcore/stream")
        cookie = request.headers.get("cookie", "")
        xsrf = next((one.value for one in self.cookies if one.name == "_streamlit_xsrf"), "")
        where = urlsplit(self.address)
        return connect(
            f"{'ws' if self._tls is None else 'wss'}://{self._host or where.netloc}/_stcore/stream",
            sock=socket.create_connection((where.hostname or "", where.port or 80), timeout=_PATIENCE),
            origin=self._origin,  # type: ignore[arg-type]
            subprotocols=["streamlit", *([xsrf] if xsrf else [])],  # type: ignore[list-item]
            additional_headers={**self._headers, **({"Cookie": cookie} if cookie else {})},
            ssl=self._tls,
            max_size=None,
            proxy=None,
        )

    def again(self, pressed: str = "", typed: dict[str, str] | None = None, page: str = "") -> list[str]:
        """Let the page run once more.

        Args:
            pressed: the label of a button to press, or empty.
            typed: text by label of the field.
            page: the page's address below the dashboard's; empty for the first.

        Returns:
            Every text of the page, or the address that it sends the browser to.
        """
        assert self._socket is not None
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = "", page
        for label, text in (typed or {}).items():
            state = message.rerun_script.widget_states.widgets.add()
            state.id, state.string_value = self._id_of(label), text
        if pressed:
            state = message.rerun_script.widget_states.widgets.add()
            state.id, state.trigger_value = self._id_of(pressed), True
        self._socket.send(message.SerializeToString())
        return self._heard()

    def sign_in(self, label: str = "Sign in") -> httpx2.Response:
        """Press the button and follow the redirects through the provider and back; a provider may show a form first."""
        addresses = self.again(pressed=label)
        self.leave()
        return self.http.get(addresses[-1])

    def _heard(self) -> list[str]:
        assert self._socket is not None
        texts: list[str] = []
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            message = ForwardMsg()
            message.ParseFromString(self._socket.recv(timeout=_PATIENCE))  # type: ignore[arg-type]
            kind = message.WhichOneof("type")
            if kind == "new_session":
                texts, self._widgets = [], {}
            elif kind == "auth_redirect":
                return [message.auth_redirect.url]
            elif kind == "delta":
                element = message.delta.new_element
                inner = element.WhichOneof("type")
                if inner is not None:
                    widget = getattr(element, inner)
                    if getattr(widget, "label", ""):
                        self._widgets[widget.label] = widget
                    texts += _texts(element)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return texts
        raise AssertionError(f"The page did not end within {_PATIENCE} s: {texts}")

    def _id_of(self, label: str) -> str:
        widget: Any = self._widgets[label]
        return str(widget.id)


def _texts(message: Message) -> Iterator[str]:
    """Every text inside a message."""
    for field, value in message.ListFields():
        values = value if isinstance(value, list) or hasattr(value, "append") or hasattr(value, "add") else [value]
        for one in values:
            if isinstance(one, Message):
                yield from _texts(one)
            elif isinstance(one, str) and field.name not in ("id", "user_key", "form_id"):
                yield one
