"""A page of a few words where no page of the dashboard can be shown: it needs nothing beside it."""

from __future__ import annotations

from starlette.responses import HTMLResponse, Response

__all__ = ["NOT_KEPT", "plain_page"]

#: Nothing on the way keeps it, and no search engine lists it; the server's own headers keep the address to itself.
NOT_KEPT = {"cache-control": "no-store", "x-robots-tag": "noindex, nofollow"}


def plain_page(title: str, text: str, status: int) -> Response:
    """The page.

    Args:
        title: what is so.
        text: what to do, as HTML.
        status: of the answer.
    """
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title} – Reseat</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;"
        "margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.4rem}</style>"
        f"<main><h1>{title}</h1><p>{text}</p></main></html>\n"
    )
    return HTMLResponse(page, status, headers=NOT_KEPT)
