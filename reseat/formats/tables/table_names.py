"""The columns of a table: their names, other names for them, and what kind of thing a cell of each holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reseat.errors import InputRefused
from reseat.model.columns import BESIDE_ISR
from reseat.model.wording import verb, visible

__all__ = ["FLAG", "INTEGER", "LIST", "TEXT", "Header", "named"]

#: What the cells of a column hold: words, whole numbers, yes or no.
TEXT = ("topic", "rack", "host", "state", "log_dir")
INTEGER = ("partition", "position", "broker", "leader", "leader_epoch", "port", "min_in_sync")
FLAG = ("is_leader", "in_sync", "order_told", "tiered", *BESIDE_ISR)
#: Masks over replicas are lists of ids in a table of partitions.
LIST = ("replicas", "isr", "log_dirs", *BESIDE_ISR)

#: Columns of a header that are named.
_NAMED = 12
#: Other names that people and tools give to the columns.
_SYNONYMS = {
    "topic": ("topic_name", "topicname", "name"),
    "partition": ("partition_id", "partitionid", "topic_partition_id"),
    "position": ("replica_index", "index", "pos", "replica_position", "slot"),
    "broker": ("broker_id", "brokerid", "node", "node_id", "nodeid", "replica", "replica_id"),
    "rack": ("broker_rack", "rack_id", "az", "zone", "availability_zone"),
    "is_leader": ("isleader",),
    "in_sync": ("insync", "is_in_sync", "in_isr", "isinsync"),
    "size_bytes": ("size", "bytes", "log_size", "size_in_bytes"),
    "replicas": ("replica_ids", "assignment", "brokers", "assigned_replicas", "ar"),
    "isr": ("in_sync_replicas", "insyncreplicas", "isrs"),
    "leader": ("leader_id", "leader_broker"),
    "leader_epoch": ("epoch",),
    "log_dir": ("logdir", "log_directory"),
    "log_dirs": ("logdirs",),
    "min_in_sync": ("min_insync_replicas", "min_isr"),
    "eligible": ("elr", "eligible_leader_replicas"),
    "last_known_eligible": ("last_known_elr", "lastknownelr"),
    "observers": ("observer", "live_observers"),
    "adding": ("adding_replicas",),
    "removing": ("removing_replicas",),
    "host": ("hostname", "broker_host"),
    "tiered": ("remote_storage_enable", "tiered_storage"),
}
_NAMES = {
    **{name: name for name in (*TEXT, *INTEGER, *FLAG, *LIST, "size_bytes")},
    **{other: name for name, others in _SYNONYMS.items() for other in others},
}


@dataclass(frozen=True, slots=True)
class Header:
    """What the columns are.

    Attributes:
        told: names as told.
        known: the column that each index is.
        by_partition: whether a row is a partition (else a replica).
        delimiter: what divides cells.
        end: offset of the first byte after the header.
        lines: lines up to there.
        quoted: whether a quote stands below it.
    """

    told: tuple[str, ...]
    known: dict[int, str]
    by_partition: bool
    delimiter: str = ","
    end: int = 0
    lines: int = 0
    quoted: bool = False

    @property
    def unknown(self) -> list[str]:
        """Names of the columns that are left out."""
        return [name for i, name in enumerate(self.told) if i not in self.known]


def named(told: Sequence[str], source: str, line: int | None) -> Header:
    """What the columns of these names are.

    Args:
        told: the names as told.
        source: what the text is called.
        line: the header's line, None in a file without lines.

    Raises:
        InputRefused: a column that a table needs is missing.
    """
    known: dict[int, str] = {}
    plain = [re.sub(r"[\s.\-]+", "_", name.strip().strip("'").lower()) for name in told]
    by_partition = any(_NAMES.get(name) == "replicas" for name in plain)
    for i, word in enumerate(plain):
        name = _NAMES.get(word)
        if word == "isr" and not by_partition:
            name = "in_sync"
        if by_partition and name in ("position", "is_leader", "in_sync"):
            name = None  # these are of a replica; in a row of a partition their meaning is a guess
        if name is not None and name not in known.values():
            known[i] = name
    needed = ("topic", "partition", "replicas") if by_partition else ("topic", "partition", "broker")
    missing = [name for name in needed if name not in known.values()]
    if missing:
        shown = ", ".join(repr(visible(name)) for name in told[:_NAMED])
        raise InputRefused(
            "A table of replicas needs the columns topic, partition and broker (with position, rack, is_leader, "
            "in_sync, size_bytes where known), one of partitions topic, partition and replicas. "
            f"{' and '.join(missing)} {verb(len(missing), 'is', 'are')} missing; the header is {shown}.",
            source=source,
            line=line,
        )
    return Header(tuple(told), known, by_partition)
