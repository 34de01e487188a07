"""What stands around Streamlit's server: its answers' headers, its cookies, its token, and what it may not ask outside.

``app.py`` starts through ``settings()``. Every answer says that no other page may frame this one, that nothing but the
server's own scripts runs in it, and that files are what they are called. Cookies of a sign-in are kept from other
sites, and are forgotten after as long as a sign-in counts.

Streamlit finds out its own public address from an outside service as soon as any page of any site opens its socket, to
compare the two. Reseat sends nothing, so that address is not asked for: a server that is reached from outside has it in
``server.corsAllowedOrigins`` or behind a proxy that passes the host on.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, net_util
from streamlit.file_util import get_static_dir
from streamlit.web.server.server_util import get_url

from components.server import health, shared_reports
from components.server.plain_page import plain_page
from reseat.access import Access, OperateToken, access_of, operate_token, unsafe_together, writing_enabled
from reseat.errors import InputRefused
from reseat.observe.events import LOG
from reseat.report.writers.parts import WEB
from reseat.sources.configuration import secrets_in

__all__ = ["COOKIE", "HEADERS", "Guarded", "configured", "settings", "token"]

#: The cookie that says that the token was shown; sent with the socket's request alone.
COOKIE = "reseat_operate"
_SOCKET = "_stcore/stream"
#: Where Streamlit sends who signs in to the provider.
_SIGN_IN = "/auth/login"
#: The address' parameter that shows the token.
_PARAMETER = "token"
#: Streamlit's cookies of a sign-in; larger ones are cut into parts with a number behind.
_SIGN_IN_COOKIES = "_streamlit_user"
#: Scripts are the server's own, and modules that it makes blobs of; nothing is compiled from texts, and nothing inline
#: runs but what Streamlit's page begins with. Styles are set by scripts all over.
_POLICY = (
    "default-src 'self'; script-src 'self' blob:{inline}; style-src 'self' 'unsafe-inline'; img-src 'self' data: "
    "blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' data: blob:; worker-src 'self' "
    "blob:; frame-src 'self' blob:; frame-ancestors 'self'; object-src 'none'; base-uri 'self'; form-action 'self'"
)
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def _policy() -> str:
    """The policy, with the digests of the scripts inside Streamlit's page as it is installed, and inside reports.

    A report is shown in a frame of the page and inherits its policy, beside its own.
    """
    page = Path(get_static_dir(), "index.html").read_bytes()
    scripts = [*_INLINE.findall(page), *(file.read_bytes() for file in sorted(WEB.glob("*.js")))]
    digests = [b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    return _POLICY.format(inline="".join(f" 'sha256-{digest}'" for digest in digests))


#: On every answer.
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _policy(),
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_token: OperateToken | None = None


def token() -> OperateToken | None:
    """The token of this server; None where nothing needs one, or the dashboard was not started as a server."""
    return _token


def configured() -> Access:
    """Who may what, as it is configured now.

    Raises:
        InputRefused: a key of the secrets or a variable is not as expected; names it.
    """
    unsafe = unsafe_together(
        agent_api=bool(config.get_option("server.enableAgentApi")),
        trusted_headers=bool(config.get_option("server.trustedUserHeaders")),
    )
    return access_of(secrets_in(config.get_option("secrets.files")), os.environ, unsafe=unsafe)


def settings() -> dict[str, Any]:
    """What ``app.py`` makes the server with; prints the address with the token where one is needed.

    Raises:
        SystemExit: the server must not start with its settings; says why.
    """
    global _token  # noqa: PLW0603 -- one a process, as the server is
    # Any text that is no host: what is known already is not asked for.
    net_util._external_ip = "not asked for"
    if writing_enabled(os.environ):
        try:
            access = configured()
            if access.unsafe:
                _refuse(f"RESEAT_OPERATE=1 is refused: {access.unsafe}")
            if not access.sign_in:
                _token = operate_token(os.environ)
                sys.stderr.write(_how_to_open(_token))
        except InputRefused as refusal:
            _refuse(str(refusal))
    return {"middleware": [Middleware(Guarded)], "routes": [*health.routes(), *shared_reports.routes()]}


def _refuse(sentence: str) -> None:
    sys.stderr.write(f"\n  Reseat does not start. {sentence}\n")
    sys.exit(2)


def _how_to_open(made: OperateToken) -> str:
    if made.given:
        return "\n  Writing is enabled for whoever enters the token in RESEAT_OPERATE_TOKEN on the Execute page.\n"
    url = get_url(config.get_option("browser.serverAddress"))
    return (
        "\n  Writing is enabled for whoever opens this address or enters its token on the Execute page:\n"
        f"  {url}/?{_PARAMETER}={made.value}\n"
    )


class Guarded:
    """The server with its headers, its cookies and its token.

    Args:
        app: the server.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        shown = _shown_token(scope)
        if shown is not None:
            await _without_token(scope, shown, send)
            return
        if scope["path"].endswith(f"/{_SOCKET}"):
            _tell_of_no_socket()
            await PlainTextResponse("A WebSocket was expected.\n", 426, {"upgrade": "websocket"})(scope, receive, send)
            return
        away = False

        async def guarded(message: Message) -> None:
            nonlocal away
            starts = message["type"] == "http.response.start"
            # Streamlit says two words then, and shows no way back.
            away = away or (starts and message["status"] == 400 and scope["path"].endswith(_SIGN_IN))
            if not away:
                if starts:
                    message["headers"] = list(_headers(message.get("headers", ()), _https(scope)))
                await send(message)

        await self._app(scope, receive, guarded)
        if away:
            away = False
            await plain_page(
                "Nobody can sign in now",
                "The sign-in provider does not answer this server as expected. Whoever is signed in stays so. "
                '<a href="../">Back to Reseat</a>',
                503,
            )(scope, receive, guarded)


@cache
def _tell_of_no_socket() -> None:
    """Once: a page that gets no web socket tries for as long as it is open."""
    LOG.warning("a page got no web socket: the proxy must pass on Upgrade and Connection (docs/serving.md)")


def _headers(told: Iterable[Sequence[bytes]], https: bool) -> Iterable[tuple[bytes, bytes]]:
    """An answer's headers: ours, which go before those of the same name, and cookies as strict as they can be."""
    ours = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}
    for name, value in told:
        if name.lower() == b"set-cookie":
            yield name, _strict(value.decode("latin-1"), https).encode("latin-1")
        elif name.lower() not in ours:
            yield name, value
    yield from ours.items()


def _strict(cookie: str, https: bool) -> str:
    """A cookie for encrypted connections alone; a sign-in's also for this site alone, and for as long as it counts."""
    parts = [part for part in cookie.split(";") if part.strip().lower() != "secure"]
    secure = https or len(parts) <= cookie.count(";")
    name = parts[0].partition("=")[0].strip()
    if name.startswith(_SIGN_IN_COOKIES) and "max-age=0" not in cookie.lower():
        bounded = ("samesite", "max-age", "expires")
        parts = [part for part in parts if part.strip().partition("=")[0].lower() not in bounded]
        parts += [" SameSite=strict", f" Max-Age={_sign_in_seconds()}"]
    return ";".join([*parts, *([" Secure"] if secure else [])])


def _sign_in_seconds() -> int:
    """How long a sign-in counts; 0 where that cannot be read, since then nobody may anything."""
    try:
        access = configured()
    except InputRefused:
        return 0
    return int(max(access.look_seconds, access.operate_seconds))


def _https(scope: Scope) -> bool:
    """Whether the browser's own connection is encrypted, as far as can be told: here, or where people sign in."""
    if scope.get("scheme") == "https":
        return True
    try:
        section = secrets_in(config.get_option("secrets.files")).get("auth")
    except InputRefused:
        return False
    return isinstance(section, Mapping) and urlsplit(str(section.get("redirect_uri", ""))).scheme == "https"


def _shown_token(scope: Scope) -> str | None:
    """The token that an address shows, or None."""
    if _token is None or scope.get("method") != "GET":
        return None
    query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    return next((value for name, value in query if name == _PARAMETER), None)


async def _without_token(scope: Scope, shown: str, send: Send) -> None:
    """Send the browser on to the same address without the token, with its cookie where it was the right one."""
    query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in query if name != _PARAMETER])
    # One slash alone: two would name another host.
    place = "/" + quote(scope["path"].lstrip("/\\"))
    headers = [("location", f"{place}{'?' if rest else ''}{rest}"), ("cache-control", "no-store"), *HEADERS.items()]
    if _token is not None and _token.matches(shown):
        headers.append(("set-cookie", _cookie(_token, _https(scope))))
    told = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers]
    await send({"type": "http.response.start", "status": 303, "headers": told})
    await send({"type": "http.response.body", "body": b""})


def _cookie(made: OperateToken, https: bool) -> str:
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    path = f"/{base}/{_SOCKET}" if base else f"/{_SOCKET}"
    return f"{COOKIE}={made.cookie}; Path={path}; HttpOnly; SameSite=Strict{'; Secure' if https else ''}"
