"""Where the landing zone and the tables lie unless told otherwise, and what a cluster may be called there."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CLUSTER_NAME", "PRIVATE", "Places", "default_landing", "default_tables", "places"]

#: What a cluster may be called: it names a folder of a partitioned data set, on any file system.
CLUSTER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
#: The folder of the tables that is the pipeline's own; readers of data sets overlook names that begin so.
PRIVATE = "_reseat"


@dataclass(frozen=True, slots=True)
class Places:
    """The two folders of the pipeline.

    Attributes:
        landing: where snapshots land: a path, or a URL of an object store.
        tables: where the tables are.
    """

    landing: str
    tables: str


def places() -> Places:
    """As ``RESEAT_LANDING`` and ``RESEAT_TABLES`` say, else in the data folder of whoever runs the server."""
    return Places(default_landing(os.environ), default_tables(os.environ))


def default_landing(env: Mapping[str, str]) -> str:
    """The landing zone: ``RESEAT_LANDING``, else ``reseat/landing`` where the account keeps its data.

    Args:
        env: the environment (``os.environ``).
    """
    return env.get("RESEAT_LANDING") or str(_data(env) / "reseat" / "landing")


def default_tables(env: Mapping[str, str]) -> str:
    """The tables: ``RESEAT_TABLES``, else ``reseat/tables`` where the account keeps its data.

    Args:
        env: the environment (``os.environ``).
    """
    return env.get("RESEAT_TABLES") or str(_data(env) / "reseat" / "tables")


def _data(env: Mapping[str, str]) -> Path:
    """The XDG base directory for data; a relative one is ignored, as its specification says."""
    told = Path(env.get("XDG_DATA_HOME") or "")
    if told.is_absolute():
        return told
    home = env.get("HOME")
    return (Path(home) if home else Path.home()) / ".local" / "share"
