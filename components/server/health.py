"""Addresses for whoever watches the server: is it alive, and can it do its work?

``/healthz`` answers as long as the process does; ``/readyz`` says what the server needs and whether that is there
(``reseat.observe.readiness``), with 503 where something that counts is missing. Both stand at the root, also below a
base path: they are asked of the server itself and not through its proxy. They need no sign-in and name no cluster.
"""

from __future__ import annotations

import os

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from streamlit import config

from reseat import __version__
from reseat.observe.readiness import Readiness, conditions

__all__ = ["routes"]

_READINESS = Readiness(lambda: conditions(os.environ, config.get_option("secrets.files")))


async def _alive(_: Request) -> Response:
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


async def _ready(_: Request) -> Response:
    told = await run_in_threadpool(_READINESS.conditions)
    ready = all(one.holds for one in told if one.counts)
    checks = {one.name: {"holds": one.holds, "counts": one.counts, "sentence": one.sentence} for one in told}
    answer = {"ready": ready, "version": __version__, "checks": checks}
    return JSONResponse(answer, 200 if ready else 503, headers={"cache-control": "no-store"})


def routes() -> list[Route]:
    """Both of them."""
    return [Route("/healthz", _alive), Route("/readyz", _ready)]
