"""``land``: any layout that can be read, kept in the landing zone as what its cluster was at a moment."""

from __future__ import annotations

import argparse
import os

from reseat.cli.inputs import refuse_reading_twice, text_of
from reseat.cli.output.writer import say
from reseat.errors import InputRefused
from reseat.history.places import default_landing
from reseat.model import Severity
from reseat.model.wording import counted
from reseat.sources.keeping import KeptSnapshot, moment_of, snapshot_of_files
from reseat.sources.landing import LandedFile, check_cluster, land

__all__ = ["land_layout"]


def land_layout(chosen: argparse.Namespace) -> int:
    """Keep a layout; see the command's ``--help``."""
    refuse_reading_twice((*chosen.layout, chosen.racks))
    if chosen.cluster is not None:
        check_cluster(chosen.cluster)  # what is wrong with the words is said before anything large is read
    when = None if chosen.taken_at is None else moment_of(chosen.taken_at)
    files = [(name, data) for data, name in map(text_of, chosen.layout)]
    racks = None
    if chosen.racks is not None:
        data, name = text_of(chosen.racks)
        racks = (name, data)
    kept = snapshot_of_files(files, taken_at=when, racks=racks)
    cluster = chosen.cluster or kept.snapshot.cluster
    if cluster is None:
        raise InputRefused("--cluster NAME is missing: the name of the cluster in the history.")
    landed = land(kept.snapshot, default_landing(os.environ) if chosen.landing is None else chosen.landing, cluster)
    say(*_summary(kept, cluster, landed))
    return 0


def _summary(kept: KeptSnapshot, cluster: str, landed: LandedFile) -> list[str]:
    snapshot = kept.snapshot
    layout = snapshot.layout
    return [
        f"{cluster} at {snapshot.taken_at:%Y-%m-%d %H:%M:%S} UTC, read as {kept.reading.kind}: "
        f"{counted(len(layout.brokers), 'broker')}, {counted(len(layout.topics), 'topic')}, "
        f"{counted(layout.partition_count, 'partition')}, {counted(layout.replica_count, 'replica')}.",
        *(found.sentence for found in snapshot.findings if found.severity is not Severity.NOTE),
        *snapshot.not_read,
        f"Saved: {landed.where}" if landed.new else f"Already saved, unchanged: {landed.where}",
    ]
