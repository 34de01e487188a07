"""What changed between neighbouring snapshots, as Spark's own joins and aggregates over the tables.

What it promises, ranked: (1) the same changes as ``reseat.balance.changes`` finds between the two layouts; (2) only
topics whose state differs are looked at replica by replica; (3) nothing is collected.

What it needs: the pairs of snapshots to compare, and ``brokers``, ``topic_spread`` and ``replicas`` of both of each
pair.

How it works: the digests of ``topic_spread`` are joined by pair and topic, and only topics with differing digests
remain: few, from one moment to the next. The replicas of these, of both sides, are gathered by one aggregation into two
lists a partition, before and after; what differs between the lists is unfolded into rows.

A tiny example: before ``orders-0: [1, 2]``, after ``orders-0: [1, 3]``: 3 was added, 2 was removed.

Complexity: one shuffle of the topics' digests and one of the replicas of topics that changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from reseat.history.schema import arrow_schema
from reseat.model import BrokerState

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Comparison", "neighbours"]

#: Up to this many sides of topics that changed are sent to every task; above, replicas are sorted to meet them.
MOST_SENT = 500_000


def neighbours(snapshots: DataFrame) -> DataFrame:
    """Every snapshot that has one before it in its cluster, beside that one.

    Args:
        snapshots: ``cluster``, ``day``, ``snapshot_id``, ``taken_at``, ``incomplete``, ``is_new``; every snapshot of
            the clusters and times asked for, once.

    Returns:
        The same columns, and all but the first as ``previous_...``. Snapshots of one moment follow each other by their
        identity.
    """
    names = ("day", "snapshot_id", "taken_at", "incomplete", "is_new")
    window = "OVER (PARTITION BY cluster ORDER BY taken_at, snapshot_id)"
    before = (f"lag({name}) {window} AS previous_{name}" for name in names)
    return snapshots.selectExpr("cluster", *names, *before).where("previous_snapshot_id IS NOT NULL")


class Comparison:
    """Pairs of snapshots that are compared: first their topics, and then the replicas of those that differ."""

    def __init__(self, pairs: pa.Table, topics: DataFrame) -> None:
        """Find the topics that changed; they are kept until ``close``.

        Args:
            pairs: ``cluster``, ``day``, ``snapshot_id``, ``taken_at``, ``previous_snapshot_id``,
                ``previous_taken_at``, ``incomplete``, ``previous_incomplete``; one row a pair, few enough to be sent to
                every task.
            topics: rows of ``topic_spread`` of all snapshots in ``pairs``; others do no harm.
        """
        from pyspark.sql import functions as f

        self._pairs = pairs
        self._spark = topics.sparkSession
        self._sides = f.broadcast(self._spark.createDataFrame(_sides(pairs)))
        self._kept = _topics_changed(topics, self._sides).persist()
        try:
            # Counted first, as Spark cannot know that few of many remain: it would sort all replicas to join them.
            self._few = self._kept.count() <= MOST_SENT
        except BaseException:
            self.close()
            raise

    def changes(self, brokers: DataFrame, replicas: DataFrame) -> DataFrame:
        """The rows of ``changes``, with ``cluster`` and ``day``.

        Args:
            brokers: rows of ``brokers`` of all snapshots in the pairs; others do no harm.
            replicas: rows of ``replicas``, likewise.
        """
        from pyspark.sql import functions as f

        changed = f.broadcast(self._kept) if self._few else self._kept
        found = _partitions_changed(changed, replicas).unionByName(_brokers_changed(brokers, self._sides))
        told = ["cluster", "day", "snapshot_id", "taken_at", "previous_snapshot_id", "previous_taken_at"]
        moments = self._spark.createDataFrame(self._pairs.select(told))
        names = arrow_schema("changes", with_keys=True).names
        return found.join(f.broadcast(moments), found["pair"] == moments["snapshot_id"]).select(*names)

    def changed(self) -> tuple[pa.Array, pa.Array]:
        """The names of all topics that changed anywhere, and the snapshots that are compared in them."""
        kept = self._kept.select("topic", "snapshot_id").toArrow()
        return kept["topic"].combine_chunks().unique(), kept["snapshot_id"].combine_chunks().unique()

    def close(self) -> None:
        """Let go of what is kept."""
        self._kept.unpersist()


def _sides(pairs: pa.Table) -> pa.Table:
    """Two rows a pair: the snapshot to read, the pair's later one (``pair``), and whether it is the one before.

    Both with ``had_gaps`` and ``has_gaps``: whether the one before, and the later one, lacks partitions.
    """
    later, earlier = pairs["snapshot_id"], pairs["previous_snapshot_id"]
    of_pair = {"pair": later, "had_gaps": pairs["previous_incomplete"], "has_gaps": pairs["incomplete"]}
    sides = [
        pa.table({"snapshot_id": of, **of_pair, "before": pa.repeat(before, len(later))})
        for of, before in ((earlier, True), (later, False))
    ]
    return pa.concat_tables(sides)


def _brokers_changed(brokers: DataFrame, sides: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    states = "map_from_entries(collect_set(struct(broker, state)) FILTER (WHERE {}))"
    both = [f.expr(states.format(side)).alias(name) for name, side in (("had", "before"), ("has", "NOT before"))]
    kinds = ", ".join(
        (
            _stopped("had", "has", "broker_gone", _AWAY),
            _stopped("had", "has", "broker_left", _NOT_NAMED),
            _stopped("has", "had", "broker_came", f"({_AWAY} OR {_NOT_NAMED})"),
        )
    )
    found = brokers.join(sides, "snapshot_id").groupBy("pair").agg(*both).selectExpr("pair", f"inline(concat({kinds}))")
    return found.selectExpr(
        "pair",
        "CAST(NULL AS string) AS topic",
        "CAST(NULL AS int) AS partition",
        "kind",
        "broker",
        "CAST(NULL AS int) AS was",
        "CAST(NULL AS boolean) AS whole",
    )  # fmt: skip


_AWAY_STATES, _UNKNOWN = (
    ", ".join(f"'{state.value}'" for state in BrokerState if state.away),
    BrokerState.NOT_TOLD.value,
)
#: What is told of a broker, ``id``, by a map of states.
_AWAY = f"coalesce(try_element_at({{other}}, id) IN ({_AWAY_STATES}), false)"
_NOT_NAMED = f"(NOT map_contains_key({{other}}, id) AND exists(map_values({{other}}), state -> state != '{_UNKNOWN}'))"


def _stopped(some: str, other: str, kind: str, told: str) -> str:
    """An array of the brokers that serve in one map of states and of which another tells this, with their kind."""
    serves = f"{some}[id] NOT IN ({_AWAY_STATES}, '{_UNKNOWN}') AND {told.format(other=other)}"
    return f"transform(filter(map_keys({some}), id -> {serves}), id -> struct('{kind}' kind, id broker))"


def _topics_changed(topics: DataFrame, sides: DataFrame) -> DataFrame:
    """The sides of each topic that differs: ``ordered``, whether both keep the order of lists, and ``again``.

    ``again``: whether it was deleted and created again in between. Topics that tell no id are taken for the same.
    """
    from pyspark.sql import functions as f

    one, other = f.min("state_digest").alias("one"), f.max("state_digest").alias("other")
    told = topics.join(sides, "snapshot_id").groupBy("pair", "topic")
    again = f.expr("coalesce(min(topic_id) != max(topic_id), false)").alias("again")
    sums = told.agg(f.count("*").alias("sides"), one, other, f.min("order_told").alias("ordered"), again)
    changed = sums.where("sides = 1 OR one != other OR again")
    return changed.select("pair", "topic", "ordered", "again").join(sides, "pair")


def _partitions_changed(changed: DataFrame, replicas: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    one = "struct(position, broker, in_sync)"
    lists = (
        replicas.join(changed, ["snapshot_id", "topic"])
        .groupBy("pair", "topic", "partition")
        .agg(
            f.expr(f"array_sort(collect_list({one}) FILTER (WHERE before))").alias("had"),
            f.expr(f"array_sort(collect_list({one}) FILTER (WHERE NOT before))").alias("has"),
            f.expr("max(leader) FILTER (WHERE before)").alias("led"),
            f.expr("max(leader) FILTER (WHERE NOT before)").alias("leads"),
            f.min("ordered").alias("ordered"),
            *(f.first(name).alias(name) for name in ("again", "had_gaps", "has_gaps")),
        )
        # Most partitions of a topic that changed did not; comparing lists costs less than taking them apart.
        .where("again OR NOT (had <=> has) OR NOT (led <=> leads)")
    )
    return lists.selectExpr("pair", "topic", "partition", f"inline({_differences()})")


def _differences() -> str:
    """Rows of kind, broker, was and whole, from the lists and leaders before and after of one partition.

    In SQL: as calls of functions, each of its hundred words would be a journey to the JVM and back.
    """
    had, has = "had.broker", "has.broker"
    had_in_sync, has_in_sync = (f"filter({side}, one -> one.in_sync).broker" for side in ("had", "has"))
    both = "size(had) > 0 AND size(has) > 0 AND NOT again"
    isr_told = f"{both} AND get(had, 0).in_sync IS NOT NULL AND get(has, 0).in_sync IS NOT NULL"
    reordered = f"{both} AND ordered AND array_sort({had}) = array_sort({has}) AND {had} != {has}"

    def row(kind: str, broker: str, was: str = "NULL", whole: str = "NULL") -> str:
        told = f"'was', CAST({was} AS int), 'whole', CAST({whole} AS boolean)"
        return f"named_struct('kind', '{kind}', 'broker', {broker}, {told})"

    def rows(kind: str, brokers: str, whole: str = "NULL") -> str:
        return f"transform({brokers}, id -> {row(kind, 'id', whole=whole)})"

    def replicas(kind: str, these: str, those: str, gaps: str) -> str:
        # What is not there may only be missing from what was read.
        missing = f"coalesce({gaps}, false) AND size({those}) = 0"
        told = f"IF(again, {these}, IF({missing}, array(), {without(these, those)}))"
        return rows(kind, told, f"NOT ({both})")

    def without(these: str, those: str) -> str:
        return f"filter({these}, id -> NOT array_contains({those}, id))"

    def within(these: str, those: str) -> str:
        return f"filter({these}, id -> array_contains({those}, id))"

    def only_if(condition: str, found: str) -> str:
        return f"IF({condition}, {found}, array())"

    parts = (
        replicas("replica_added", has, had, "had_gaps"),
        replicas("replica_removed", had, has, "has_gaps"),
        only_if(isr_told, rows("isr_shrunk", without(within(had_in_sync, has), has_in_sync))),
        only_if(isr_told, rows("isr_grown", without(within(has_in_sync, had), had_in_sync))),
        only_if(f"{both} AND led != leads", f"array({row('leader_moved', 'leads', 'led')})"),
        only_if(reordered, f"array({row('order_changed', f'get({has}, 0)', f'get({had}, 0)')})"),
    )
    return f"concat({', '.join(parts)})"
