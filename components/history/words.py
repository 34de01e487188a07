"""What the History page says first: the sentence that answers, and the figures. Knows nothing of Streamlit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from components.look import text
from components.shell.frame import Figure
from components.state.past import clock
from reseat.history.series import worst
from reseat.model.wording import listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["answer", "figures", "names_of", "stretch"]

#: Changes of brokers that serve; one that left, as after a drain, is told apart.
_BROKERS = ("broker_gone", "broker_came")
_LEFT = "broker_left"
#: A stretch that ended longer ago than this is not "the last".
_RECENT = timedelta(days=1)
_WEEK = timedelta(days=7)


def answer(cluster: str, snapshots: pd.DataFrame, counts: pd.DataFrame, now: datetime) -> str:
    """What happened in a stretch of time, and when it was worst.

    Args:
        cluster: its name.
        snapshots: rows of the table ``snapshots``, oldest first; at least one.
        counts: of ``History.change_counts`` in that stretch.
        now: the time, in UTC.
    """
    first, last = snapshots["taken_at"].iloc[0], snapshots["taken_at"].iloc[-1]
    name = text.visible(cluster, 60)
    if len(snapshots) == 1:
        harm = _harm(snapshots.iloc[0]) if worst(snapshots) is not None else ""
        return (
            f"{name}: one snapshot, of {clock(last)}{f', with {harm}' if harm else ''}. Changes show from "
            "the second on."
        )
    told = []
    brokers = _sum(counts, *_BROKERS)
    if brokers:
        told.append(f"brokers went down or came up {'once' if brokers == 1 else f'{brokers:,} times'}")
    left = _sum(counts, _LEFT)
    if left:
        told.append(f"{text.counted(left, 'broker')} left")
    moved = _sum(counts, "replica_added")
    if moved:
        told.append(f"{text.counted(moved, 'replica')} added or moved")
    leaders = _sum(counts, "leader_moved")
    if leaders and len(told) < 2:
        told.append(f"{text.counted(leaders, 'leader')} changed")
    still = "no broker went down or came up and " if snapshots["brokers_down"].notna().all() else ""
    happened = listed(told) or f"{still}no replica moved"
    return f"{name}, {stretch(first, last, now)}: {happened}; {_worst(snapshots)}."


def names_of(snapshots: pd.DataFrame) -> dict[str, str]:
    """What each snapshot is called, by its identity: when it was taken, and of the same second how it begins, too."""
    when = zip(snapshots["snapshot_id"], snapshots["taken_at"], strict=True)
    names = {str(one): f"{at:%a} {clock(at)}" for one, at in when}
    often = Counter(names.values())
    return {one: f"{name}, {one[:4]}" if often[name] > 1 else name for one, name in names.items()}


def stretch(first: datetime, last: datetime, now: datetime) -> str:
    """The stretch of time: "the last 7 days", or until when where that is over."""
    seconds = (last - first).total_seconds()
    long = text.counted(round(seconds / 86_400), "day") if seconds >= 1.5 * 86_400 else text.duration(seconds)
    long = "24 h" if long == "1 d" else long
    return f"the last {long}" if now - last < _RECENT else f"the {long} to {last:%A} {clock(last)}"


def _worst(snapshots: pd.DataFrame) -> str:
    place = worst(snapshots)
    if place is None:
        return _none_worse(snapshots)
    row = snapshots.iloc[place]
    moment = row["taken_at"]
    near = snapshots["taken_at"].iloc[-1] - moment < _WEEK  # a weekday names one day
    return f"the worst snapshot was {f'{moment:%A %H:%M} UTC' if near else clock(moment)}, {_harm(row)}"


def _harm(row: pd.Series[Any]) -> str:
    """What is worst in a snapshot that ``worst`` names."""
    for name, words in (
        ("offline", "offline"),
        ("below_min_isr", "below min.insync.replicas"),
        ("under_replicated", "under-replicated"),
    ):
        count = int(_value(row[name]) or 0)
        if count:
            return f"{text.counted(count, 'partition')} {words}"
    return f"{text.counted(int(_value(row['findings_broken']) or 0), 'critical finding')}"


def _none_worse(snapshots: pd.DataFrame) -> str:
    """That nothing was offline or behind, as far as any snapshot tells it."""
    offline, behind = (bool(snapshots[name].notna().any()) for name in ("offline", "under_replicated"))
    if offline and behind:
        return "no partition was offline or under-replicated"
    if offline:
        return "no partition was offline; in-sync replicas are unknown"
    if behind:
        return "no partition was under-replicated; leaders are unknown"
    return "offline and under-replicated partitions are unknown"


def figures(snapshots: pd.DataFrame, counts: pd.DataFrame, partly: Collection[datetime] = frozenset()) -> list[Figure]:
    """The six figures under the sentence; ``partly`` as ``StretchFacts`` has it."""
    return [
        Figure("Snapshots", text.count(len(snapshots)), None, "Shown are those of the selected period."),
        Figure("Broker state changes", _seen(_sum(counts, *_BROKERS, _LEFT), snapshots["brokers_down"]), None, None),
        Figure("Replicas added or moved", text.count(_sum(counts, "replica_added")), None, None),
        Figure("Leader changes", _seen(_sum(counts, "leader_moved"), snapshots["offline"]), None, None),
        Figure(
            "Max offline partitions",
            text.count(_value(snapshots["offline"].max())),
            None,
            None,
        ),
        _size(snapshots.iloc[0] if len(snapshots) > 1 else None, snapshots.iloc[-1], partly),
    ]


def _seen(changes: int, told: pd.Series[Any]) -> str:
    """How many changes were seen; that there are none is unknown where a snapshot does not tell what would change.

    It hides what happened before it as well as after: neighbours alone are compared.
    """
    return text.count(changes if changes or told.notna().all() else None)


def _size(first: pd.Series[Any] | None, last: pd.Series[Any], partly: Collection[datetime]) -> Figure:
    now = _value(last["size_bytes"])
    if now is None:
        replicas = _value(last["replicas"]) or 0
        more = None if first is None else text.signed(replicas - (_value(first["replicas"]) or 0))
        return Figure("Replicas", text.count(replicas), more)
    least = last["taken_at"] in partly
    was = None if first is None or least or first["taken_at"] in partly else _value(first["size_bytes"])
    change = None if was is None else f"{'−' if now < was else '+'}{text.size(abs(now - was))}"
    return Figure(
        "Size of all replicas",
        f"{'at least ' if least else ''}{text.size(now)}",
        change,
        "Shown for the last snapshot, with the change since the first.",
    )


def _value(value: object) -> float | None:
    """A number that is told, or None."""
    import pandas as pd

    return None if pd.isna(value) else float(value)  # type: ignore[arg-type,call-overload]


def _sum(counts: pd.DataFrame, *kinds: str) -> int:
    return int(counts.loc[counts["kind"].isin(kinds), "changes"].sum())
