"""The address of reports that open by a link: one document, without a session, a sign-in or anything beside it."""

from __future__ import annotations

import os
import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from streamlit import config

from components.server.plain_page import NOT_KEPT, plain_page
from reseat.access import SharedReports
from reseat.errors import WriteRefused

__all__ = ["path_of", "routes"]

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
        return plain_page("This report cannot be opened now", "Try again later, or ask whoever sent you the link.", 503)
    if document is None:
        return plain_page(
            "This link opens no report",
            "It may have expired, been revoked or been cut short. Ask whoever sent it to you for another one.",
            404,
        )
    return HTMLResponse(document, headers=NOT_KEPT)
