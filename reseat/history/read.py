"""The tables read without Spark: what pages, and anybody else, ask of the history of clusters.

What it promises, ranked: (1) exactly the rows that count, as a plain read of the Parquet files gives them; (2) only the
folders of the clusters and days asked for are listed, and only the columns and row groups that are needed are read;
(3) what is not there yet is empty, not a fault; files that a compaction takes away while they are read are looked for
once again; (4) a cluster and a day are text, also where they are made of digits.

What it needs: the tables' folder, on any file system (``reseat.history.folder``). Nothing of Spark, nothing of Java.

How it works: folder names give clusters and days (``reseat.history.parts``); pyarrow reads the files of those, with the
filter and the columns pushed down to the Parquet row groups. A snapshot's rows are found by its time and its identity:
rows lie in the order of time, so that the time's least and greatest in a row group skip most of a day.

Example: ``History.open("tables").snapshots("prod", since=monday)`` is one row a snapshot, oldest first.

Complexity: O(files listed + bytes of the columns and row groups that match).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from reseat.history.commit_record import RUNS, unfinished
from reseat.history.delta import delta_of
from reseat.history.folder import Folder
from reseat.history.parts import clusters_of, day_of, days_of, flat_of, parts_of
from reseat.history.places import PRIVATE
from reseat.history.scan import COUNTED, Gather, counted, frame, none_of, read_listed
from reseat.history.schema import table
from reseat.model import BrokerState
from reseat.model.snapshot import in_utc

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["History", "frame"]


@dataclass(frozen=True, slots=True)
class History:
    """The tables in one folder.

    Attributes:
        tables: the folder, which need not exist yet.
    """

    tables: Folder

    @classmethod
    def open(cls, where: str | Path | Folder) -> History:
        """The tables in a folder: a path, a URL that ``Folder`` knows, or a folder.

        Raises:
            InputRefused: it is no place, or of a kind that is not known.
        """
        return cls(where if isinstance(where, Folder) else Folder.open(where))

    @property
    def where(self) -> str:
        """The folder as it was given."""
        return self.tables.where

    def stamp(self) -> str:
        """A short text that differs once something was taken in, swept, compacted or thinned; cheap to ask for.

        It is made of the names and times of the pipeline's own records, so that no table is listed.

        Raises:
            InputRefused: the folder cannot be listed.
        """
        delta = delta_of(self.tables)
        if delta is not None:
            return delta.versions()
        ledger = self.tables.files(f"{PRIVATE}/ledger")
        newest = max((fact.modified_ns for fact in ledger), default=0)
        # Every job makes and takes away a folder of its own in there: the folder's own time tells of each.
        try:
            runs = str(Path(self.tables.path(RUNS)).stat().st_mtime_ns)
        except FileNotFoundError:
            runs = "none"
        under_way = ",".join(self.tables.folders(RUNS))
        return f"{len(ledger)}-{newest}-{runs}-{under_way}"

    def unfinished(self) -> tuple[tuple[str, str], ...]:
        """(cluster, day) that a run was about to rewrite when it ended, or is rewriting now; the next run heals them.

        Raises:
            InputRefused: the folder cannot be read, or a record in it is damaged.
        """
        return () if delta_of(self.tables) is not None else tuple(unfinished(self.tables))

    def clusters(self) -> tuple[str, ...]:
        """The clusters that have a snapshot, sorted; none before the first run.

        Raises:
            InputRefused: the folder cannot be listed.
        """
        return clusters_of(self.tables)

    def days(self, cluster: str) -> tuple[str, ...]:
        """The UTC days (``YYYY-MM-DD``) of a cluster's snapshots, ascending.

        Raises:
            InputRefused: the folder cannot be listed.
        """
        return days_of(self.tables, [cluster]).get(cluster, ())

    def snapshots(
        self,
        cluster: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """The table ``snapshots``, oldest first: one row a snapshot.

        Args:
            cluster: of this cluster; None: of all.
            since: taken at this moment or later.
            until: taken at this moment or earlier.
            columns: only these, ``cluster`` and ``day`` among those that can be asked for; None: all.

        Raises:
            InputRefused: it cannot be read.
        """
        wanted = None if columns is None else list(dict.fromkeys((*columns, "taken_at")))
        rows = self.table("snapshots", cluster, since=since, until=until, columns=wanted)
        rows = rows.sort_by([("taken_at", "ascending")])
        return frame(rows if columns is None else rows.select(list(columns)))

    def latest(self, columns: Sequence[str] | None = None, clusters: Sequence[str] | None = None) -> pd.DataFrame:
        """The newest snapshot of every cluster: rows of ``snapshots`` sorted by cluster.

        Args:
            columns: as of ``snapshots``.
            clusters: only these; None: all.

        Raises:
            InputRefused: it cannot be read.
        """
        import pandas as pd

        order = ["cluster", "taken_at", "snapshot_id"]
        wanted = None if columns is None else list(dict.fromkeys((*columns, *order)))
        first = [parts_of(self.tables, "snapshots", clusters=clusters)]
        days: dict[str, list[str]] = {}
        for cluster, day in sorted({(part.cluster, part.day) for part in first[0]}):
            days.setdefault(cluster, []).append(day)
        found = [frame(none_of("snapshots", wanted, None))]
        while days:  # a day whose snapshots were all thinned out has no row; then the one before it counts
            last = {cluster: left.pop() for cluster, left in days.items()}

            def listed(last: dict[str, str] = last) -> list[str]:
                parts = first.pop() if first else parts_of(self.tables, "snapshots", clusters=clusters)
                return [part.path for part in parts if last.get(part.cluster) == part.day]

            rows = frame(read_listed(self.tables, "snapshots", listed, wanted))
            found.append(rows.sort_values(order).drop_duplicates("cluster", keep="last"))
            here = set(found[-1]["cluster"])
            days = {cluster: left for cluster, left in days.items() if left and cluster not in here}
        whole = pd.concat([one for one in found if len(one)] or found[:1], ignore_index=True)
        whole = whole.sort_values("cluster", ignore_index=True)
        return whole if columns is None else whole[list(columns)]

    def dark(self, cluster: str | None = None, **of: Any) -> pa.Table:
        """Rows of ``broker_balance`` of brokers that are down and hold replicas: nobody asks them for their disks.

        Of some, not even the rack is known.

        Args:
            cluster: of this cluster; None: of all.
            of: of which time, as ``table`` takes it.

        Raises:
            InputRefused: it cannot be read.
        """
        from pyarrow import compute as pc

        away = [state.value for state in BrokerState if state.away]
        found = pc.field("state").isin(away) & (pc.field("replicas") > 0)
        columns = ["cluster", "snapshot_id", "taken_at", "rack"]
        return self.table("broker_balance", cluster, columns=columns, filter=found, **of)

    def sized_partly(self, cluster: str, since: datetime, until: datetime) -> frozenset[datetime]:
        """When snapshots were taken in which some sizes are unknown, such as those on a broker that is down.

        Args:
            cluster: the cluster.
            since: as of ``table``.
            until: as of ``table``.

        Raises:
            InputRefused: it cannot be read.
        """
        from pyarrow import compute as pc

        unsized = (pc.field("replicas") > 0) & pc.field("size_bytes").is_null()
        rows = self.table("broker_balance", cluster, since=since, until=until, columns=["taken_at"], filter=unsized)
        return frozenset(rows["taken_at"].unique().to_pylist())

    def table(
        self,
        name: str,
        cluster: str | None = None,
        *,
        days: Iterable[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        snapshot_id: str | None = None,
        columns: Sequence[str] | None = None,
        filter: Any = None,  # noqa: A002 (as pyarrow calls it)
        gather: Gather | None = None,
    ) -> pa.Table:
        """Rows of a table.

        Args:
            name: the table (``reseat.history.schema``).
            cluster: of this cluster; None: of all.
            days: of these UTC days; None: of all that the rest allows.
            since: of snapshots taken at this moment or later; a moment without a zone is taken as UTC.
            until: of snapshots taken at this moment or earlier.
            snapshot_id: of this snapshot; its day is looked up where ``days`` is None.
            columns: only these; None: all, with ``cluster`` and ``day`` in front where the table is partitioned.
            filter: a ``pyarrow.compute.Expression`` that rows must meet.
            gather: makes the answer of batches of rows as they are read, where all of them at once are too many.

        Returns:
            The rows, or what ``gather`` makes of them, in no order that is promised; none where the table is not there
            yet.

        Raises:
            InputRefused: it cannot be read.
            KeyError: there is no such table.
        """
        from pyarrow import compute as pc

        def flat() -> list[str]:
            return [fact.path for fact in flat_of(self.tables, name)]

        if not table(name).partitioned:
            return read_listed(self.tables, name, flat, columns, filter=filter, gather=gather)
        since, until = (None if one is None else in_utc(one) for one in (since, until))
        asked = [] if filter is None else [filter]
        wanted = None if days is None else sorted(set(days))
        if snapshot_id is not None:
            if wanted is None and name != "snapshots":
                moment = self._taken_at(cluster, snapshot_id)
                if moment is None:
                    return none_of(name, columns, gather)
                asked.append(pc.field("taken_at") == pa.scalar(moment))
                wanted = [day_of(moment)]
            asked.append(pc.field("snapshot_id") == snapshot_id)
        if since is not None and since.time() != time.min:  # from midnight on, the folders' names say it all
            asked.append(pc.field("taken_at") >= pa.scalar(since))
        if until is not None:
            asked.append(pc.field("taken_at") <= pa.scalar(until))

        def listed() -> list[str]:
            parts = parts_of(
                self.tables,
                name,
                clusters=None if cluster is None else [cluster],
                days=wanted,
                since=None if since is None else day_of(since),
                until=None if until is None else day_of(until),
            )
            return [part.path for part in parts]

        met = None
        for one in asked:
            met = one if met is None else met & one
        return read_listed(self.tables, name, listed, columns, filter=met, gather=gather)

    def changes(
        self,
        cluster: str,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        filter: Any = None,  # noqa: A002
    ) -> pa.Table:
        """What changed: rows of ``changes``, oldest first, then by kind, topic, partition and broker.

        Args:
            cluster: the cluster.
            since: whose later snapshot was taken after this moment: what led to the moment itself is left out.
            until: whose later snapshot was taken at this moment or earlier.
            filter: as of ``table``.

        Raises:
            InputRefused: it cannot be read.
        """
        after = None if since is None else since + timedelta(microseconds=1)
        rows = self.table("changes", cluster, since=after, until=until, filter=filter)
        order = ("taken_at", "kind", "topic", "partition", "broker")
        return rows.sort_by([(column, "ascending") for column in order])

    def change_counts(
        self,
        cluster: str,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        by: Sequence[str] = COUNTED,
        filter: Any = None,  # noqa: A002
    ) -> pd.DataFrame:
        """How many changes of each kind led to each snapshot, oldest first.

        Counted piece by piece, so that a month in which every leader moved twice a day needs no more memory than an
        hour.

        Args:
            cluster: the cluster.
            since: as of ``changes``.
            until: as of ``changes``.
            by: columns of ``changes`` that are counted by.
            filter: as of ``table``.

        Returns:
            These columns and ``changes``; no row where nothing of a kind changed.

        Raises:
            InputRefused: it cannot be read.
        """
        after = None if since is None else since + timedelta(microseconds=1)
        gather = partial(counted, by=by)
        rows = self.table("changes", cluster, since=after, until=until, columns=by, filter=filter, gather=gather)
        return frame(rows.sort_by([(column, "ascending") for column in by]))

    def resilience(
        self, cluster: str, snapshot_id: str, kind: str | None = None, *, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """What the losses would do to one snapshot; no rows where it was not swept.

        Args:
            cluster: the cluster.
            snapshot_id: the snapshot.
            kind: ``broker``, ``rack`` or ``pair``; None: all.
            columns: only these; None: all. ``leaders_to`` of pairs is by far the largest.

        Raises:
            InputRefused: it cannot be read.
        """
        from pyarrow import compute as pc

        chosen = None if kind is None else pc.field("kind") == kind
        return self.table("resilience", cluster, snapshot_id=snapshot_id, columns=columns, filter=chosen)

    def swept(self, cluster: str) -> pd.DataFrame:
        """The snapshots of a cluster that were swept, oldest first: ``snapshot_id`` and ``taken_at``.

        Raises:
            InputRefused: it cannot be read.
        """
        rows = self.table("copysets", cluster, columns=["snapshot_id", "taken_at"])
        return frame(rows.sort_by([("taken_at", "ascending")]))

    def rejected(self) -> pd.DataFrame:
        """The landed files that could not be read, without their content, sorted by path.

        Raises:
            InputRefused: it cannot be read.
        """
        columns = [column.name for column in table("rejected").columns if column.name != "bytes"]
        return frame(self.table("rejected", columns=columns).sort_by([("path", "ascending")]))

    def _taken_at(self, cluster: str | None, snapshot_id: str) -> datetime | None:
        rows = self.table("snapshots", cluster, snapshot_id=snapshot_id, columns=["taken_at"])
        moment: datetime | None = rows["taken_at"][0].as_py() if len(rows) else None
        return moment
