"""A moment of the past that one looks at: which one, and its words. Knows nothing of Streamlit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from components.look import text
from reseat.history.places import CLUSTER_NAME

__all__ = ["Past", "clock"]

_IDENTITY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Past:
    """A snapshot of the history that is looked at as if it were the present.

    Attributes:
        cluster: the cluster.
        snapshot_id: the snapshot's identity.
        taken_at: when it was taken, UTC; None while only a link names it.
    """

    cluster: str
    snapshot_id: str
    taken_at: datetime | None = None

    @property
    def name(self) -> str:
        """What it is called among the layouts."""
        return self.cluster if self.taken_at is None else f"{self.cluster}, {clock(self.taken_at)}"

    @property
    def link(self) -> str:
        """How an address names it."""
        return f"{self.cluster}/{self.snapshot_id}"

    def words(self, now: datetime | None = None) -> str:
        """When that was, and how long ago."""
        return "" if self.taken_at is None else f"{clock(self.taken_at)}, {text.ago(self.taken_at, now)}"

    @classmethod
    def from_link(cls, named: str) -> Past:
        """What an address names.

        Raises:
            ValueError: it names no snapshot.
        """
        cluster, _, identity = named.rpartition("/")
        if not CLUSTER_NAME.fullmatch(cluster) or not _IDENTITY.fullmatch(identity):
            raise ValueError(f"'{named[:60]}' is not a cluster and the 32 hexadecimal digits of a snapshot.")
        return cls(cluster, identity)


def clock(moment: datetime) -> str:
    """A moment to the minute, with the second where it is not a whole one."""
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC" if moment.second else "%Y-%m-%d %H:%M UTC")
