"""The log of a server as lines of JSON, one an event, for whatever collects standard error.

Off unless ``RESEAT_LOG=json``. A line has ``time`` (ISO 8601, UTC), ``level``, ``logger``, ``event`` and the fields of
its event: ``session``, ``cluster``, ``run``, ``seconds``, ``outcome``. ``RESEAT_LOG_LEVEL`` is ``info`` unless told.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from typing import IO

from pythonjsonlogger.json import JsonFormatter

from reseat.errors import InputRefused

__all__ = ["json_lines", "set_up"]

_LEVELS = ("debug", "info", "warning", "error")
#: Clients of clusters: their lines have addresses, and Reseat's own tell what came of it.
_CLIENTS = ("kafka", "reseat.zookeeper")


def set_up(environment: Mapping[str, str], session: Callable[[], str | None]) -> None:
    """Write the log as the environment says; does nothing where it says nothing.

    Args:
        environment: as ``os.environ``.
        session: names the session that is at work in this thread; None: none is.

    Raises:
        InputRefused: it says something that is not known.
    """
    form = environment.get("RESEAT_LOG", "").strip().lower()
    if form in ("", "text"):
        return
    if form != "json":
        raise InputRefused(f"RESEAT_LOG is {form!r}; json or text was expected.")
    level = environment.get("RESEAT_LOG_LEVEL", "info").strip().lower()
    if level not in _LEVELS:
        raise InputRefused(f"RESEAT_LOG_LEVEL is {level!r}; one of {', '.join(_LEVELS)} was expected.")
    handler = json_lines(sys.stderr, session)
    ours, root = logging.getLogger("reseat"), logging.getLogger()
    ours.setLevel(level.upper())
    for client in _CLIENTS:
        logging.getLogger(client).setLevel(logging.INFO if level == "debug" else logging.CRITICAL)
    root.handlers = [handler]
    # Streamlit's lines go the same way; its own handler would write them as text.
    for name in ("streamlit", *(one for one in logging.Logger.manager.loggerDict if one.startswith("streamlit."))):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True


def json_lines(stream: IO[str], session: Callable[[], str | None]) -> logging.Handler:
    """A handler that writes a line of JSON for each record.

    Args:
        stream: where to.
        session: as ``set_up`` takes it.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        JsonFormatter(
            "%(asctime)s %(levelname)s %(name)s %(message)s",
            datefmt="%Y-%m-%dT%H:%M:%SZ",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger", "message": "event"},
            json_ensure_ascii=False,
        )
    )
    assert handler.formatter is not None  # noqa: S101 -- it was just set
    handler.formatter.converter = time.gmtime
    handler.addFilter(lambda record: _with_session(record, session))
    return handler


def _with_session(record: logging.LogRecord, session: Callable[[], str | None]) -> bool:
    at_work = session()
    if at_work is not None:
        record.session = at_work
    return True
