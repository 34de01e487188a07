"""All modules that a run may come to, loaded before it begins.

A run goes on for hours, in a process that outlives the server, and whoever upgrades Reseat meanwhile replaces the files
below it: a module that is loaded late would be one of another version.
"""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import suppress
from functools import cache

__all__ = ["PACKAGES", "load_all"]

#: What writes to clusters and what reads them; what these need of the rest they import as they are loaded.
PACKAGES = ("reseat.operate", "reseat.sources")


@cache
def load_all() -> None:
    """Load every module of these packages, but for those that need a package that is not installed."""
    for package in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            with suppress(ImportError):
                importlib.import_module(found.name)
