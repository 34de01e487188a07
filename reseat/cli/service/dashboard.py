"""``dashboard``: the web server, in the place of this process."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from reseat.cli.output.writer import say
from reseat.errors import InputRefused
from reseat.installed import DASHBOARD
from reseat.sources.addresses import server_at
from reseat.sources.probing import cannot_listen

__all__ = ["HEAPS", "dashboard"]

#: Variables by which memory comes back once people have left (docs/decisions/0062): threads share two heaps, where
#: glibc makes eight a core, and small objects are in them, of which it gives back every page that is free; Python by
#: itself keeps a megabyte for as long as one object in it is used.
HEAPS = {"MALLOC_ARENA_MAX": "2", **({"PYTHONMALLOC": "malloc"} if platform.libc_ver()[0] == "glibc" else {})}
#: Every interface: this machine is one of them, as .streamlit/config.toml has it.
_EVERY = ("0.0.0.0", "::")  # noqa: S104 -- compared with, not listened on


def dashboard(chosen: argparse.Namespace) -> int:
    """Start it; see the command's ``--help``. Does not return.

    Raises:
        RuntimeError: there is no home directory.
        InputRefused: the dashboard's files are not where they belong, its Python may not be run by this user, or this
            machine has no such address.
    """
    app = DASHBOARD / "app.py"
    if not app.is_file():
        raise InputRefused("The dashboard is not installed: app.py was expected there.", source=str(DASHBOARD))
    base = chosen.base_path.strip("/")
    Path.home()  # the server asks for it too, and ends with a traceback where it is unknown
    why = cannot_listen(chosen.host, 0)
    if why is not None:
        raise InputRefused(f"The server cannot listen on {chosen.host}: {why}.")
    server = server_at(chosen.host, chosen.port)
    say(f"Reseat is starting on http://{server}/{base}{'/' if base else ''}  (stop it with Ctrl-C)")
    if chosen.host not in _EVERY:  # where a browser finds it, as the address with the token has to say
        os.environ.setdefault("STREAMLIT_BROWSER_SERVER_ADDRESS", server.removesuffix(f":{chosen.port}"))
    settings = {
        "address": chosen.host,
        "port": str(chosen.port),
        "headless": "true",
        **({"baseUrlPath": base} if base else {}),
    }
    words = [word for name, value in settings.items() for word in (f"--server.{name}", value)]
    if chosen.metrics:
        os.environ["RESEAT_METRICS"] = chosen.metrics
    for name, value in HEAPS.items():
        os.environ.setdefault(name, value)
    # This process becomes the server: signals reach it, and who started it sees how it ends.
    try:
        os.execv(sys.executable, [sys.executable, "-P", "-m", "streamlit", "run", str(app), *words])  # noqa: S606 -- no shell reads its words
    except OSError as error:
        raise InputRefused(f"The server cannot be started: {error.strerror}.", source=sys.executable) from error
