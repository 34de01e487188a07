"""The address of reports that open by a link: one document, without a session, a sign-in or anything beside it."""

from __future__ import annotations

import os
import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
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
        return _said("This report cannot be opened now", "Try again later, or ask whoever sent you the link.", 503)
    if document is None:
        return _said(
            "This link opens no report",
            "It may have expired, been revoked or been cut short. Ask whoever sent it to you for another one.",
            404,
        )
    return HTMLResponse(document, headers=_HEADERS)


def _said(title: str, text: str, status: int) -> Response:
    """A page that says that there is no report, the same for whatever reason: nobody learns which links there were."""
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title} – Reseat</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;"
        "margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.4rem}</style>"
        f"<main><h1>{title}</h1><p>{text}</p></main></html>\n"
    )
    return HTMLResponse(page, status, headers=_HEADERS)
