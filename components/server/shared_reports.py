"""The address of reports that open by a link: one document, without a session, a sign-in or anything beside it."""

from __future__ import annotations

import os
import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from streamlit import config

from reseat.access import SharedReports
from reseat.errors import WriteRefused

__all__ = ["path_of", "routes"]

#: Nothing on the way keeps it, and no search engine lists it; the server's own headers keep the address to itself.
_HEADERS = {"cache-control": "no-store", "x-robots-tag": "noindex, nofollow"}
_PLACE = "shared"


def path_of(token: str) -> str:
    """The path of a link on this server."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/{_PLACE}/{token}" if base else f"/{_PLACE}/{token}"


def routes() -> list[Route]:
    """The one address."""
    return [Route(path_of("{token}"), _open, methods=["GET"])]


async def _open(request: Request) -> Response:
    links = SharedReports.configured(os.environ)
    try:
        token = request.path_params["token"]
        document = None if links is None else await run_in_threadpool(links.open, token, time.time())
    except WriteRefused:
        return PlainTextResponse("This report cannot be opened now.\n", 503, headers=_HEADERS)
    if document is None:
        return PlainTextResponse("This link does not open anything (any more).\n", 404, headers=_HEADERS)
    return HTMLResponse(document, headers=_HEADERS)
