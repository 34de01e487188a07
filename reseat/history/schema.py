"""The tables of the pipeline: every column with its type, unit and meaning. Said here and nowhere else.

Each table is a folder of Parquet files. All but ``rejected`` are partitioned by ``cluster=NAME/day=YYYY-MM-DD`` (UTC),
so that one cluster's day is one read; the folder's name holds ``cluster`` and ``day``, and the files hold the rest.
``docs/tables.md`` is written from here.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from reseat.history.schema_parts import Column, Table

__all__ = ["PARTITION_KEYS", "TABLES", "arrow_schema", "table"]

#: What folders are named by, outermost first. ``day`` is the UTC date of ``taken_at``.
PARTITION_KEYS = ("cluster", "day")


_TEXT, _ID, _COUNT, _REAL, _FLAG = pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.bool_()
_MOMENT = pa.timestamp("us", tz="UTC")
_IDS, _TEXTS = pa.list_(pa.int32()), pa.list_(pa.string())
_LOG_DIRS = pa.list_(
    pa.struct({"path": _TEXT, "total_bytes": _COUNT, "usable_bytes": _COUNT, "error": _TEXT, "cordoned": _FLAG}.items())
)

_KEYS = (
    Column("snapshot_id", _TEXT, "The snapshot's identity: 32 hexadecimal digits made of cluster, time and layout."),
    Column("taken_at", _MOMENT, "When the snapshot was taken.", "UTC"),
)


def _of_brokers(what: str) -> tuple[Column, ...]:
    return (
        Column("replicas", _COUNT, f"Replicas on the {what}.", "replicas"),
        Column("leaders", _COUNT, f"Partitions that the {what} leads; null where leaders are unknown.", "partitions"),
        Column(
            "preferred_leaders",
            _COUNT,
            f"Partitions whose replica list the {what} heads; null where the order is unknown.",
            "partitions",
        ),
        Column(
            "size_bytes",
            _COUNT,
            f"What the {what}'s replicas take, as far as known; null where it has replicas and none of their sizes is "
            "known.",
            "bytes",
        ),
    )


#: Which brokers spreads are over.
_AVAILABLE = "brokers not dead, fenced or shutting down"


def _spread(of: str, unit: str, *, least: bool = True) -> tuple[Column, ...]:
    told = (
        Column(f"{of}_spread", _COUNT, f"{unit.capitalize()} on the fullest broker minus those on the emptiest.", unit),
        Column(f"{of}_variation", _REAL, f"Coefficient of variation of {unit} over {_AVAILABLE}."),
    )
    within = ", with partitions on as many racks as they can be on" if unit == "replicas" else ""
    possible = Column(f"{of}_spread_least", _COUNT, f"The least spread that the same total can have{within}.", unit)
    return (*told, possible) if least else told


#: All tables, what is ingested before what is computed of it.
TABLES: tuple[Table, ...] = (
    Table(
        "snapshots",
        "One snapshot: a cluster's complete layout at one time.",
        (
            *_KEYS,
            Column("path", _TEXT, "The saved file that it was read from, relative to the landing zone."),
            Column("file_bytes", _COUNT, "Size of that file.", "bytes"),
            Column("way", _TEXT, "How it was read: zookeeper, admin or text."),
            Column("cluster_id", _TEXT, "The id that the cluster gives itself; null where unknown."),
            Column("metadata", _TEXT, "Where the cluster keeps its metadata: zookeeper or kraft; null where unknown."),
            Column("version", _TEXT, "Kafka's version as far as known."),
            Column("controller", _ID, "Broker id of the controller or the quorum's leader; null where unknown."),
            Column("consistency", _TEXT, "Whether all of it held at one time: consistent, unsettled, not promised."),
            Column("brokers", _COUNT, "Brokers known.", "brokers"),
            Column("brokers_down", _COUNT, "Brokers that are dead or fenced; null where no state is known.", "brokers"),
            Column("racks", _COUNT, "Racks with a broker.", "racks"),
            Column("topics", _COUNT, "Topics.", "topics"),
            Column("partitions", _COUNT, "Partitions.", "partitions"),
            Column("replicas", _COUNT, "Replicas.", "replicas"),
            Column("size_bytes", _COUNT, "What all replicas take, as far as known; null where none is known.", "bytes"),
            Column(
                "incomplete",
                _FLAG,
                "Whether its source shows that partitions are missing from it; null in rows of earlier versions.",
            ),
            Column("offline", _COUNT, "Partitions without a leader; null unless known for all.", "partitions"),
            Column(
                "under_replicated",
                _COUNT,
                "Partitions whose ISR lacks a replica; null unless known for all.",
                "partitions",
            ),
            Column(
                "below_min_isr",
                _COUNT,
                "Partitions below min.insync.replicas; null where known for none.",
                "partitions",
            ),
            Column(
                "not_preferred",
                _COUNT,
                "Partitions led by another than their preferred leader; null unless known for all.",
                "partitions",
            ),
            Column("reassigning", _COUNT, "Partitions that are being reassigned; null where unknown.", "partitions"),
            Column(
                "rack_violations",
                _COUNT,
                "Partitions that could be on more racks; null where none is known.",
                "partitions",
            ),
            *_spread("replica", "replicas"),
            *_spread("leader", "leaders"),
            *_spread("preferred_leader", "preferred leaders"),
            *_spread("byte", "bytes", least=False),
            Column("findings_broken", _COUNT, "Critical findings (severity broken).", "findings"),
            Column("findings_attention", _COUNT, "Warnings (severity attention).", "findings"),
            Column("findings_note", _COUNT, "Info findings (severity note).", "findings"),
            Column("worst_finding", _TEXT, "The sentence of the worst finding; null where nothing was found."),
            Column(
                "worst_severity",
                _TEXT,
                "Its severity: broken (critical), attention (warning) or note (info); null where nothing was found.",
            ),
        ),
    ),
    Table(
        "brokers",
        "One broker in one snapshot.",
        (
            *_KEYS,
            Column("broker", _ID, "Broker id."),
            Column("rack", _TEXT, "Its rack; null where it has none or it is unknown."),
            Column("host", _TEXT, "Its host; null where unknown."),
            Column("port", _ID, "Its port; null where unknown."),
            Column("state", _TEXT, "alive, cordoned, fenced, shutting down, dead or `not told` (unknown)."),
            Column("is_controller", _FLAG, "Whether it is the controller; null where none is known."),
            Column("total_bytes", _COUNT, "Size of its log directories' file systems; null where unknown.", "bytes"),
            Column("usable_bytes", _COUNT, "What is left of them; null where unknown.", "bytes"),
            Column(
                "log_dirs",
                _LOG_DIRS,
                "Its log directories; error: Kafka's name of why one is offline; cordoned: null before Kafka 4.3; "
                "null where unknown, and in rows of earlier versions.",
            ),
        ),
    ),
    Table(
        "replicas",
        "One replica in one snapshot.",
        (
            *_KEYS,
            Column("topic", _TEXT, "Topic name."),
            Column("partition", _ID, "Partition id."),
            Column(
                "position",
                _ID,
                "Place in the replica list from 0; 0 is the preferred leader where the topic's order is known.",
            ),
            Column("broker", _ID, "Broker id."),
            Column("rack", _TEXT, "The broker's rack; null where it has none or it is unknown."),
            Column("is_leader", _FLAG, "Whether it leads; null where the leader is unknown."),
            Column("in_sync", _FLAG, "Whether it is in the ISR; null where the ISR is unknown."),
            Column("size_bytes", _COUNT, "What it takes; null where unknown.", "bytes"),
            Column(
                "leader",
                _ID,
                "Broker id of the partition's leader, which may be no replica; -1 none; null where unknown.",
            ),
            Column("log_dir", _TEXT, "Log directory; null where unknown, and in rows of earlier versions."),
        ),
    ),
    Table(
        "broker_balance",
        "What one broker carries in one snapshot.",
        (
            *_KEYS,
            Column("broker", _ID, "Broker id."),
            Column("rack", _TEXT, "Its rack; null where it has none or it is unknown."),
            Column("state", _TEXT, "alive, cordoned, fenced, shutting down, dead or `not told` (unknown)."),
            *_of_brokers("broker"),
        ),
    ),
    Table(
        "rack_balance",
        "What one rack carries in one snapshot.",
        (
            *_KEYS,
            Column("rack", _TEXT, "The rack; null for the brokers without one."),
            Column("brokers", _COUNT, "Brokers in it.", "brokers"),
            *_of_brokers("rack"),
        ),
    ),
    Table(
        "topic_spread",
        "How one topic is spread over the brokers in one snapshot.",
        (
            *_KEYS,
            Column("topic", _TEXT, "Topic name."),
            Column("partitions", _COUNT, "Its partitions.", "partitions"),
            Column("replicas", _COUNT, "Its replicas.", "replicas"),
            Column("brokers", _COUNT, f"Brokers that hold one of them, among {_AVAILABLE}.", "brokers"),
            Column("most", _COUNT, "The most of them on one such broker.", "replicas"),
            Column("least", _COUNT, "The fewest; 0 where some broker holds none.", "replicas"),
            Column("spread", _COUNT, "most minus least.", "replicas"),
            Column("least_possible", _COUNT, "The least spread possible: 0 or 1.", "replicas"),
            Column(
                "size_bytes",
                _COUNT,
                "What its replicas take, as far as known; null where the snapshot has no size at all.",
                "bytes",
            ),
            Column("min_isr", _ID, "Its min.insync.replicas; null where unknown.", "replicas"),
            Column("order_told", _FLAG, "Whether the source keeps the order of its replica lists."),
            Column(
                "state_digest",
                _TEXT,
                "32 hexadecimal digits of its partitions, replicas, leaders and ISRs: equal where nothing changed.",
            ),
            Column(
                "topic_id",
                _TEXT,
                "The id that the cluster gives it (Kafka 2.8 and later): a topic created again under its name has "
                "another; null where unknown, and in rows of earlier versions.",
            ),
        ),
    ),
    Table(
        "findings",
        "One finding in one snapshot.",
        (
            *_KEYS,
            Column("rank", _ID, "0 is the worst of the snapshot."),
            Column("kind", _TEXT, "What was found, as a name."),
            Column("severity", _TEXT, "broken (critical), attention (warning) or note (info)."),
            Column("sentence", _TEXT, "What was found, in words."),
            Column("partitions", _COUNT, "Partitions that it concerns.", "partitions"),
            Column("brokers", _IDS, "Broker ids that it names."),
            Column("topics", _TEXTS, "Topics that it names."),
        ),
    ),
    Table(
        "changes",
        "One change from the snapshot before it to this one.",
        (
            *_KEYS,
            Column("previous_snapshot_id", _TEXT, "The snapshot before it."),
            Column("previous_taken_at", _MOMENT, "When that was taken: the change happened in between.", "UTC"),
            Column("topic", _TEXT, "Topic name; null where a broker went down, came up or left."),
            Column("partition", _ID, "Partition id; null where a broker went down, came up or left."),
            Column(
                "kind",
                _TEXT,
                "replica_added, replica_removed, leader_moved, isr_shrunk, isr_grown, order_changed, broker_came, "
                "broker_gone or broker_left (it holds nothing and is not named any more; broker_gone in rows of "
                "earlier versions).",
            ),
            Column(
                "broker",
                _ID,
                "The one added, removed, that left or joined the ISR (of replicas that both snapshots have) or the "
                "cluster (dead and fenced ones are gone); leader_moved: the new leader, -1 where there is none; "
                "order_changed: the new first replica.",
            ),
            Column(
                "was",
                _ID,
                "leader_moved: the leader before, -1 where there was none; order_changed: the old first replica; null "
                "for other kinds.",
            ),
            Column(
                "whole",
                _FLAG,
                "replica_added, replica_removed: whether the whole partition was created or deleted (both where its "
                "topic was deleted and created again); null for other kinds, and in rows of earlier versions.",
            ),
        ),
    ),
    Table(
        "resilience",
        "What the loss of one broker, rack or pair of brokers would do to one snapshot.",
        (
            *_KEYS,
            Column("kind", _TEXT, "broker, rack or pair."),
            Column("lost", _IDS, "Ids of the brokers lost, ascending."),
            Column("rack", _TEXT, "The rack lost; null for the other kinds."),
            Column(
                "offline_partitions",
                _COUNT,
                "Partitions of which no replica remains that is alive and in sync (unclean election off); those that "
                "were offline before are among them.",
                "partitions",
            ),
            Column(
                "below_min_isr",
                _COUNT,
                "Partitions with fewer replicas in sync than min.insync.replicas, offline ones included; null where it "
                "is known for none.",
                "partitions",
            ),
            Column(
                "leaders_moved",
                _COUNT,
                "Partitions that a lost broker led and another takes over; null where leaders are unknown.",
                "partitions",
            ),
            Column(
                "leaders_to",
                pa.list_(pa.struct([pa.field("broker", pa.int32()), pa.field("leaders", pa.int64())])),
                "Who takes over how many of them, by broker id; null for pairs where all of the snapshot together have "
                "more than 20,000,000 entries (from some 340 brokers on).",
            ),
            Column(
                "moves",
                _COUNT,
                "Replicas to copy to restore full replication; null where the remaining brokers cannot hold them.",
                "replicas",
            ),
            Column("bytes_to_move", _COUNT, "Bytes of these; null where no size is known.", "bytes"),
            Column(
                "least_spread",
                _COUNT,
                "The smallest replica spread over the remaining brokers that so few moves can reach; null for pairs.",
                "replicas",
            ),
            Column(
                "racks_kept",
                _FLAG,
                "Whether every topic can then be on as many racks as before; null for pairs, or without racks.",
            ),
        ),
    ),
    Table(
        "copysets",
        "How widely one snapshot's replicas are scattered (Cidon et al., Copysets, USENIX ATC 2013).",
        (
            *_KEYS,
            Column("copysets", _COUNT, "Distinct sets of brokers that hold a partition.", "sets"),
            Column("chance_two", _REAL, "Chance that losing 2 random brokers loses every replica of some partition."),
            Column("chance_three", _REAL, "The same for 3 random brokers."),
            Column(
                "offline_partitions",
                _COUNT,
                "Partitions offline while nothing more is lost; null in rows of earlier versions.",
                "partitions",
            ),
            Column(
                "below_min_isr",
                _COUNT,
                "The same below min.insync.replicas, offline ones included; null, too, where no minimum is known.",
                "partitions",
            ),
        ),
    ),
    Table(
        "rejected",
        "One saved file that could not be read.",
        (
            Column("cluster", _TEXT, "As its folder says; null where it does not."),
            Column("snapshot_id", _TEXT, "Always null: what cannot be read has no identity."),
            Column("taken_at", _MOMENT, "Always null.", "UTC"),
            Column("path", _TEXT, "The file, relative to the landing zone."),
            Column("reason", _TEXT, "Why, in words."),
            Column("place", _TEXT, "Where in the file (line, byte); null where it concerns the whole."),
            Column("size_bytes", _COUNT, "Size of the file.", "bytes"),
            Column("bytes", pa.binary(), "Its content, up to the first 1,048,576 bytes."),
        ),
        partitioned=False,
    ),
)


def table(name: str) -> Table:
    """A table by its name.

    Raises:
        KeyError: there is none of that name.
    """
    return _by_name()[name]


@cache
def _by_name() -> dict[str, Table]:
    return {one.name: one for one in TABLES}


@cache
def arrow_schema(name: str, *, with_keys: bool = False) -> pa.Schema:
    """The Arrow schema of a table's files.

    Args:
        name: the table.
        with_keys: with ``cluster`` and ``day`` in front, as a read of the whole data set has them.

    Raises:
        KeyError: there is no table of that name.
    """
    one = table(name)
    keys = [pa.field(key, pa.string()) for key in PARTITION_KEYS] if with_keys and one.partitioned else []
    return pa.schema([*keys, *(pa.field(column.name, column.type) for column in one.columns)])
