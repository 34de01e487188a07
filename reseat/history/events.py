"""What happened to a cluster over time, in a few marks: brokers and racks gone and back, moves, growth, findings.

What it promises, ranked: (1) every broker that went or came between two neighbours that tell it is in a mark; (2) a
rack of which all brokers went at once is one mark, and says so; (3) replicas of new partitions are not called a
reassignment; (4) a reassignment that goes on over several snapshots is one mark; (5) a finding that comes and goes
within hours is found once and mended once, and what the first snapshot has, or the last, has no mark for that: when it
began, or will end, is not known; nor is it mended by a snapshot that could not read whether it is there.

How it works: ``changes`` tells which replicas came with a new partition. Rows of earlier versions do not: where a topic
has more partitions than in the snapshot before, as many of its new replicas as it has more in all are those of new
partitions, since a reassignment takes away as many as it brings.

Example: brokers 1 and 4 are rack a, and gone at 03:10: "rack a went down (brokers 1 and 4)".

Complexity: O(changes of brokers + snapshots).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from reseat.balance.mends import TOLD_IN, name_of
from reseat.history.unseen import unseen_by
from reseat.model import Severity
from reseat.model.wording import counted, visible
from reseat.model.wording import ids as listed_ids

if TYPE_CHECKING:
    import pandas as pd

    from reseat.history.read import History

__all__ = ["Event", "PlanRun", "events", "events_of"]

#: The word and what it says, by the kind of change.
_OF_BROKERS = {
    "broker_gone": ("gone", "went down"),
    "broker_came": ("came", "came up"),
    "broker_left": ("left", "left"),
}
#: A reassignment is worth a mark from so many replicas that came in one snapshot, or this share of all.
_LEAST_REPLICAS, _SHARE = 20, 0.01
#: Snapshots with arriving replicas belong together up to such a pause.
_PAUSE = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Event:
    """One mark.

    Attributes:
        at: when it was first seen, UTC.
        until: when it was last seen.
        kind: ``gone``, ``came`` and ``left``, the same after ``rack_``, ``moved``, ``grew``, ``found`` and ``mended``
            (findings that began and that are over), ``plan`` (done) or ``plan_ended`` (stopped or failed).
        sentence: what happened, in a few words.
    """

    at: datetime
    until: datetime
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PlanRun:
    """An executed plan, as a history shows it: of a run. The tables know none; who asks for them does.

    Attributes:
        name: "run 7, the drain of broker 5".
        began: when it was approved, UTC.
        ended: when it ended; None: it is not over.
        state: the word for how it ended: ``done``, ``stopped`` or ``failed``.
    """

    name: str
    began: datetime
    ended: datetime | None
    state: str

    @property
    def done(self) -> bool:
        """Whether every partition was as planned in the end."""
        return self.ended is not None and self.state == "done"

    @property
    def mark(self) -> Event | None:
        """Its mark, where it ended; None while it is not over."""
        if self.ended is None:
            return None
        return Event(self.ended, self.ended, "plan" if self.done else "plan_ended", f"{self.name}: {self.state}")


def events(
    brokers: pd.DataFrame,
    counts: pd.DataFrame,
    racks: Mapping[datetime, Mapping[int, str]],
    snapshots: pd.DataFrame,
    findings: pd.DataFrame | None = None,
    *,
    grown: Mapping[datetime, int] = MappingProxyType({}),
    unseen: Mapping[datetime, Callable[[str], bool]] = MappingProxyType({}),
) -> list[Event]:
    """The marks, oldest first.

    Args:
        brokers: rows of ``changes`` of the kinds ``broker_gone``, ``broker_came`` and ``broker_left``.
        counts: of ``History.change_counts``.
        racks: by the moment of each change of brokers: the rack of each broker, as far as known then.
        snapshots: rows of the table ``snapshots`` with ``taken_at`` and ``replicas``, oldest first; at least one.
        findings: rows of the table ``findings`` with ``taken_at``, ``kind`` and ``severity``; None: none are looked at.
        grown: by moment: how many replicas of ``counts`` are of new partitions.
        unseen: by moment: whether a kind of finding may be there that was not found (``unseen_by``).
    """
    least = max(_LEAST_REPLICAS, round(_SHARE * int(snapshots["replicas"].iloc[-1])))
    found = [*_of_brokers(brokers, racks), *_of_replicas(counts, grown, least)]
    if findings is not None:
        found += _of_findings(findings, list(snapshots["taken_at"]), unseen)
    return sorted(found, key=lambda event: (event.at, event.kind))


def events_of(
    history: History, cluster: str, snapshots: pd.DataFrame, counts: pd.DataFrame
) -> tuple[list[Event], tuple[str, ...]]:
    """The marks of a stretch of a cluster's history, oldest first, and the racks that they may name.

    Args:
        history: the tables.
        cluster: the cluster.
        snapshots: as ``events``.
        counts: of ``History.change_counts`` from the first of them to the last.

    Raises:
        InputRefused: the tables cannot be read.
    """
    from pyarrow import compute as pc

    from reseat.history.read import frame

    first, last = snapshots["taken_at"].iloc[0], snapshots["taken_at"].iloc[-1]
    of_brokers = pc.field("kind").isin(list(_OF_BROKERS))
    brokers = frame(history.changes(cluster, first, last, filter=of_brokers))
    racks = _racks_at(history, cluster, brokers)
    named = tuple(sorted({rack for of in racks.values() for rack in of.values()}))
    columns = ["taken_at", "kind", "severity", "sentence"]
    findings = frame(history.table("findings", cluster, since=first, until=last, columns=columns))
    not_read = dict(iter(findings[findings["kind"] == "not_read"].groupby("taken_at")["sentence"]))
    incomplete = set(findings["taken_at"][findings["kind"] == "input_incomplete"])
    rows = history.snapshots(cluster, first, last, columns=("taken_at", "way", *TOLD_IN))
    unseen = unseen_by(rows, history.dark(cluster, since=first, until=last), not_read, incomplete, key="taken_at")
    grown = _grown(history, cluster, first, last)
    return events(brokers, counts, racks, snapshots, findings, grown=grown, unseen=unseen), named


def _grown(history: History, cluster: str, first: datetime, last: datetime) -> dict[datetime, int]:
    """By moment: how many replicas the partitions have that were not there before."""
    from pyarrow import compute as pc

    by = ("taken_at", "previous_snapshot_id", "snapshot_id", "topic", "whole")
    added = history.change_counts(cluster, first, last, by=by, filter=pc.field("kind") == "replica_added")
    new = added["changes"].where(added["whole"].fillna(False), 0)
    if (untold := added["whole"].isna()).any():
        new = new.where(~untold, _grown_untold(history, cluster, first, last, added))
    by_moment = new.groupby(added["taken_at"]).sum()
    return {cast("datetime", when): int(count) for when, count in by_moment.items() if count}


def _grown_untold(
    history: History, cluster: str, first: datetime, last: datetime, added: pd.DataFrame
) -> pd.Series[int]:
    """The same row by row, as rows of earlier versions let it be seen: by how much each topic has grown."""
    from pyarrow import compute as pc

    from reseat.history.read import frame

    ids = pa.array({*added["previous_snapshot_id"], *added["snapshot_id"]}, pa.string())
    met = pc.field("snapshot_id").isin(ids) & pc.field("topic").isin(pa.array(added["topic"].unique(), pa.string()))
    columns = ["snapshot_id", "topic", "partitions", "replicas"]
    topics = frame(history.table("topic_spread", cluster, since=first, until=last, columns=columns, filter=met))
    had, has = (
        added[[name, "topic"]].merge(topics, "left", left_on=[name, "topic"], right_on=["snapshot_id", "topic"])
        for name in ("previous_snapshot_id", "snapshot_id")
    )
    more = {name: has[name] - had[name].fillna(0) for name in ("partitions", "replicas")}
    return more["replicas"].clip(lower=0, upper=added["changes"]).where(more["partitions"] > 0, 0)


def _racks_at(history: History, cluster: str, brokers: pd.DataFrame) -> dict[datetime, dict[int, str]]:
    """By the moment of each change of brokers: racks as the snapshots before and after it tell them.

    Of a dead broker only the one before does; and racks grow, so that others do not tell who was in one then.
    """
    from pyarrow import compute as pc

    pairs = brokers[["taken_at", "previous_snapshot_id", "snapshot_id"]].drop_duplicates()
    wanted = {*pairs["previous_snapshot_id"], *pairs["snapshot_id"]}
    told: dict[str, dict[int, str]] = {}
    if wanted:
        met = pc.field("snapshot_id").isin(sorted(wanted)) & pc.field("rack").is_valid()
        since, until = brokers["previous_taken_at"].min(), brokers["taken_at"].max()
        columns = ["snapshot_id", "broker", "rack"]
        rows = history.table("brokers", cluster, since=since, until=until, columns=columns, filter=met)
        for row in rows.to_pylist():
            told.setdefault(row["snapshot_id"], {})[row["broker"]] = row["rack"]
    return {when: told.get(before, {}) | told.get(after, {}) for when, before, after in pairs.itertuples(index=False)}


def _of_brokers(brokers: pd.DataFrame, racks: Mapping[datetime, Mapping[int, str]]) -> list[Event]:
    found = []
    for (moment, kind), rows in brokers.groupby(["taken_at", "kind"], sort=True):
        when = cast("datetime", moment)
        ids = {int(broker) for broker in rows["broker"]}
        by_rack: dict[str, set[int]] = {}
        for broker, rack in racks.get(when, {}).items():
            by_rack.setdefault(rack, set()).add(broker)
        word, does = _OF_BROKERS[str(kind)]
        for rack, members in sorted(by_rack.items()):
            if len(members) > 1 and members <= ids:
                words = f"rack {visible(rack, 40)} {does} (brokers {listed_ids(sorted(members))})"
                found.append(Event(when, when, f"rack_{word}", words))
                ids -= members
        if ids:
            one = len(ids) == 1
            words = f"{'broker' if one else 'brokers'} {listed_ids(sorted(ids))} {does}"
            found.append(Event(when, when, word, words))
    return found


def _of_findings(
    findings: pd.DataFrame, moments: Sequence[datetime], unseen: Mapping[datetime, Callable[[str], bool]]
) -> list[Event]:
    """A mark for the kinds that a snapshot is the first to have, or has no more; "found" where it is both.

    Their names alone: sentences name topics, which a masked report must not.
    """
    place = {when: number for number, when in enumerate(moments)}
    findings = findings[findings["taken_at"].isin(place)]
    matters = findings["severity"] != Severity.NOTE.value
    marks: dict[tuple[int, str], list[str]] = {}
    for kind, rows in findings[matters].groupby("kind", sort=True):
        found = {place[when] for when in rows["taken_at"]}
        slight = set(findings["taken_at"][findings["kind"] == kind])
        # While nobody could see whether it is still there, or it is there and matters less, it is not over.
        for number, when in enumerate(moments):
            if number - 1 in found and (when in slight or (when in unseen and unseen[when](str(kind)))):
                found.add(number)
        seen = sorted(found)
        critical = " (critical)" if (rows["severity"] == Severity.BROKEN.value).any() else ""
        runs: list[list[int]] = []
        for number in seen:
            if runs and (number - runs[-1][1] == 1 or moments[number] - moments[runs[-1][1]] <= _PAUSE):
                runs[-1][1] = number
            else:
                runs.append([number, number])
        for first, last in runs:
            if first > 0:
                marks.setdefault((first, "found"), []).append(f"{name_of(str(kind))}{critical}")
            if last + 1 < len(moments):
                marks.setdefault((last + 1, "mended"), []).append(name_of(str(kind)))
    said: dict[int, list[tuple[str, str]]] = {}
    for (number, sort), names in sorted(marks.items()):
        said.setdefault(number, []).append((sort, f"{sort}: {', '.join(names)}"))
    return [
        Event(moments[number], moments[number], told[0][0], "; ".join(words for _, words in told))
        for number, told in said.items()
    ]


def _of_replicas(counts: pd.DataFrame, grown: Mapping[datetime, int], least: int) -> list[Event]:
    found: list[Event] = []
    added = counts[counts["kind"] == "replica_added"]
    open_at: datetime | None = None
    last: datetime | None = None
    total = 0  # of a replication factor that was raised, too, which moves nothing

    def close() -> None:
        if open_at is not None and last is not None and total >= least:
            found.append(Event(open_at, last, "moved", f"reassignment: {counted(total, 'replica')} added"))

    for when, count in zip(added["taken_at"], added["changes"].astype(int), strict=True):
        new = min(count, grown.get(when, 0))
        if new >= least:
            found.append(Event(when, when, "grew", f"{counted(new, 'replica')} of new partitions"))
        if new == count:
            continue
        if last is None or when - last > _PAUSE:
            close()
            open_at, total = when, 0
        last, total = when, total + count - new
    close()
    return found
