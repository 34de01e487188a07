"""The open layout that a person looks at, with its what-if."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from components.state.past import Past
from reseat.election.rules import Mode, mode_of
from reseat.formats.input.reading import Reading
from reseat.model import ClusterLayout, Snapshot, Wish
from reseat.model.edits import Edits
from reseat.sources.followed import LiveCluster

__all__ = ["OpenLayout"]


@dataclass(frozen=True, eq=False)
class OpenLayout:
    """What a page draws.

    Attributes:
        layout: the layout looked at: as read, with racks told by hand and without the topics left out.
        reading: what was read, with what was skipped.
        name: the file's or sample's name.
        read_at: when it was read, in UTC; of a snapshot's file when the cluster was so.
        digest: the layout's digest.
        wish: the what-if; empty where one looks at the present.
        edits: what was changed of the layout as read.
        snapshot: the reading of a live cluster or the moment of the past that this is, or None for uploads and
            samples.
        live: the live cluster that is followed, or None.
        past: which moment of a cluster's history this is, or None for the present.
        after: whether pages that show one layout show the one after the what-if's plan; ``components.what_if.what_if``
            derives it, and nothing else does.
    """

    layout: ClusterLayout
    reading: Reading
    name: str
    read_at: datetime
    digest: str
    wish: Wish
    edits: Edits
    snapshot: Snapshot | None = None
    live: LiveCluster | None = None
    past: Past | None = None
    after: bool = False

    @property
    def connection_name(self) -> str | None:
        """By what the person knows the live cluster, or None for uploads and samples."""
        return None if self.live is None else self.live.name

    @property
    def cluster_id(self) -> str:
        """The id that the cluster gives itself; "" where the input does not tell it."""
        return str(self.reading.facts.get("cluster_id") or "")

    @property
    def version(self) -> str | None:
        """The cluster's version of Kafka, where it is known."""
        told = self.reading.facts.get("version")
        return told if isinstance(told, str) else None

    @property
    def metadata(self) -> str | None:
        """Where the cluster keeps its metadata, ``zookeeper`` or ``kraft``, where it is known."""
        told = self.reading.facts.get("metadata")
        return told if isinstance(told, str) else None

    @property
    def mode(self) -> Mode:
        """Which controller decides (``mode_of``)."""
        return mode_of(self.layout, self.metadata, self.version)
