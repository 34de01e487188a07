"""What changed between neighbouring snapshots, as Spark's own joins and aggregates over the tables.

What it promises, ranked: (1) the same changes as ``reseat.balance.changes`` finds between the two layouts; (2) only
topics whose state differs are looked at replica by replica; (3) nothing is collected.

What it needs: the pairs of snapshots to compare, and ``brokers``, ``topic_spread`` and ``replicas`` of both of each
pair, each with ``cluster`` and ``day``.

How it works: the digests of ``topic_spread`` are joined by pair and topic, and only topics with differing digests
remain: few, from one moment to the next. The replicas of these, of both sides, are gathered by one aggregation into two
lists a partition, before and after; what differs between the lists is unfolded into rows.

A tiny example: before ``orders-0: [1, 2]``, after ``orders-0: [1, 3]``: 3 was added, 2 was removed.

Complexity: one shuffle of the topics' digests and one of the replicas of topics that changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reseat.history.schema import arrow_schema
from reseat.model import BrokerState

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["changes_between", "neighbours"]

#: A broker in one of these states does not serve, as ``reseat.balance.changes`` sees it.
_AWAY = (BrokerState.DEAD.value, BrokerState.FENCED.value)
#: Up to this many topics that changed, their names are sent to every task; above, replicas are sorted to meet them.
_MOST_SENT = 500_000
_ROW = "struct<kind:string,broker:int,was:int>"


def neighbours(snapshots: DataFrame, *, carry: tuple[str, ...] = ()) -> DataFrame:
    """Every snapshot that has one before it in its cluster, beside that one.

    Args:
        snapshots: ``cluster``, ``day``, ``snapshot_id``, ``taken_at``; every snapshot of the clusters and times asked
            for, once.
        carry: further columns to keep of both.

    Returns:
        ``cluster``, ``day``, ``snapshot_id``, ``taken_at``, ``previous_day``, ``previous_snapshot_id``,
        ``previous_taken_at``. Snapshots of one moment follow each other by their identity.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    in_time = Window.partitionBy("cluster").orderBy("taken_at", "snapshot_id")
    names = ("day", "snapshot_id", "taken_at", *carry)
    before = [f.lag(name).over(in_time).alias(f"previous_{name}") for name in names]
    return snapshots.select("cluster", *names, *before).where(f.col("previous_snapshot_id").isNotNull())


@contextmanager
def changes_between(
    pairs: DataFrame, brokers: DataFrame, topics: DataFrame, replicas: DataFrame
) -> Iterator[DataFrame]:
    """The rows of ``changes`` of some pairs of snapshots.

    Args:
        pairs: as ``neighbours`` gives them, few enough to be sent to every task.
        brokers: rows of ``brokers`` of all snapshots in ``pairs``; others do no harm.
        topics: rows of ``topic_spread``, likewise.
        replicas: rows of ``replicas``, likewise.

    Yields:
        ``cluster``, ``day`` and the columns of ``changes``. Which topics changed is found out at once and kept to the
        end; the rest when the rows are asked for.
    """
    from pyspark.sql import functions as f

    kept = _topics_changed(pairs, topics).persist()
    try:
        # Counted first, as Spark cannot know that few of many topics remain: it would sort all replicas to join them.
        changed = f.broadcast(kept) if kept.count() <= _MOST_SENT else kept
        names = arrow_schema("changes", with_keys=True).names
        found = _partitions_changed(pairs, changed, replicas).unionByName(_brokers_changed(pairs, brokers))
        known = pairs.select("cluster", "day", "snapshot_id", "taken_at", "previous_snapshot_id", "previous_taken_at")
        yield found.join(f.broadcast(known), "snapshot_id").select(*names)
    finally:
        kept.unpersist()


def _sides(pairs: DataFrame) -> DataFrame:
    """Two rows a pair: the snapshot to read (``of``), the pair's later one (``pair``), and which side it is."""
    from pyspark.sql import functions as f

    side = f.explode(
        f.array(
            f.struct(f.col("previous_snapshot_id").alias("of"), f.lit(True).alias("before")),
            f.struct(f.col("snapshot_id").alias("of"), f.lit(False).alias("before")),
        )
    ).alias("side")
    return f.broadcast(pairs.select(f.col("snapshot_id").alias("pair"), side).select("pair", "side.of", "side.before"))


def _brokers_changed(pairs: DataFrame, brokers: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    here = brokers.where(~f.col("state").isin(*_AWAY)).select(f.col("snapshot_id").alias("of"), "broker")
    was, now = f.max("before"), f.max(~f.col("before"))
    told = here.join(_sides(pairs), "of").groupBy("pair", "broker").agg(was.alias("was_here"), now.alias("is_here"))
    return told.where(~(f.col("was_here") & f.col("is_here"))).select(
        f.col("pair").alias("snapshot_id"),
        f.lit(None).cast("string").alias("topic"),
        f.lit(None).cast("int").alias("partition"),
        f.when(f.col("is_here"), "broker_came").otherwise("broker_gone").alias("kind"),
        "broker",
        f.lit(None).cast("int").alias("was"),
    )


def _topics_changed(pairs: DataFrame, topics: DataFrame) -> DataFrame:
    """(pair, topic, ordered): topics whose state differs, and whether both sides keep the order of lists."""
    from pyspark.sql import functions as f

    told = topics.select(f.col("snapshot_id").alias("of"), "topic", "state_digest", "order_told")
    return (
        told.join(_sides(pairs), "of")
        .groupBy("pair", "topic")
        .agg(
            f.count("*").alias("sides"),
            f.min("state_digest").alias("one"),
            f.max("state_digest").alias("other"),
            f.min("order_told").alias("ordered"),
        )
        .where((f.col("sides") == 1) | (f.col("one") != f.col("other")))
        .select("pair", "topic", "ordered")
    )


def _partitions_changed(pairs: DataFrame, changed: DataFrame, replicas: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    one = f.struct("position", "broker", "in_sync")
    before, after = f.col("before"), ~f.col("before")
    partitions = (
        replicas.select(
            f.col("snapshot_id").alias("of"), "topic", "partition", "position", "broker", "in_sync", "leader"
        )
        .join(_sides(pairs), "of")
        .join(changed, ["pair", "topic"])
        .groupBy("pair", "topic", "partition")
        .agg(
            f.array_sort(f.collect_list(f.when(before, one))).alias("had"),
            f.array_sort(f.collect_list(f.when(after, one))).alias("has"),
            f.max(f.when(before, f.col("leader"))).alias("led"),
            f.max(f.when(after, f.col("leader"))).alias("leads"),
            f.min("ordered").alias("ordered"),
        )
        # Most partitions of a topic that changed did not; comparing lists costs less than taking them apart.
        .where(~f.col("had").eqNullSafe(f.col("has")) | ~f.col("led").eqNullSafe(f.col("leads")))
    )
    return partitions.select(f.col("pair").alias("snapshot_id"), "topic", "partition", f.inline(_differences()))


def _differences() -> Column:
    """Rows of kind, broker and was, from the lists and leaders before and after of one partition."""
    from pyspark.sql import functions as f

    had, has = f.col("had"), f.col("has")
    had_ids, has_ids = f.transform(had, lambda one: one.broker), f.transform(has, lambda one: one.broker)
    in_before = f.transform(f.filter(had, lambda one: one.in_sync), lambda one: one.broker)
    in_after = f.transform(f.filter(has, lambda one: one.in_sync), lambda one: one.broker)
    both = (f.size(had) > 0) & (f.size(has) > 0)
    isr_told = both & f.get(had, f.lit(0)).in_sync.isNotNull() & f.get(has, f.lit(0)).in_sync.isNotNull()
    led, leads = f.col("led"), f.col("leads")
    reordered = both & f.col("ordered") & (f.array_sort(had_ids) == f.array_sort(has_ids)) & (had_ids != has_ids)

    def rows(kind: str, brokers: Column) -> Column:
        return f.transform(brokers, lambda broker: _row(kind, broker))

    def without(these: Column, those: Column) -> Column:
        return f.filter(these, lambda broker: ~f.array_contains(those, broker))

    def within(these: Column, those: Column) -> Column:
        return f.filter(these, lambda broker: f.array_contains(those, broker))

    none = f.array().cast(f"array<{_ROW}>")
    return f.concat(
        rows("replica_added", without(has_ids, had_ids)),
        rows("replica_removed", without(had_ids, has_ids)),
        f.when(isr_told, rows("isr_shrunk", without(within(in_before, has_ids), in_after))).otherwise(none),
        f.when(isr_told, rows("isr_grown", without(within(in_after, had_ids), in_before))).otherwise(none),
        f.when(both & (led != leads), f.array(_row("leader_moved", leads, led))).otherwise(none),
        f.when(reordered, f.array(_row("order_changed", f.get(has_ids, f.lit(0)), f.get(had_ids, f.lit(0))))).otherwise(
            none
        ),
    )


def _row(kind: str, broker: Column, was: Column | None = None) -> Column:
    from pyspark.sql import functions as f

    before = f.lit(None) if was is None else was
    return f.struct(f.lit(kind).alias("kind"), broker.cast("int").alias("broker"), before.cast("int").alias("was"))
