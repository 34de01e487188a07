"""Where this server's landing zone and tables are."""

from __future__ import annotations

import os
from dataclasses import dataclass

from reseat.history.places import default_landing, default_tables

__all__ = ["Places", "places"]


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
