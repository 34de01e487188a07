"""What became of a cluster's balance since a plan was executed: whether the replica spread that it left has held.

What it promises, ranked: (1) no value is told of a time in which another plan was under way or had been: what one plan
did is not told of another; (2) a value that the history lacks is called unknown, and none is made of its neighbours.

How it works: the spread before is that of the last snapshot before the plan was approved, a week before at most. After
7, 30 and 90 days it is that of the last snapshot of the day before that moment; then that of the last snapshot of all,
or of the last one before the next plan.

Example: "30 days after run 7, the drain of broker 5: replica spread 4 (206 before, 5 after 7 days)."

Complexity: O(s + p log s) for s snapshots in a year and p plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from reseat.history.events import PlanRun
from reseat.history.read import History
from reseat.history.stretch import last_moment
from reseat.model.units import count
from reseat.model.wording import counted

__all__ = ["BalanceSince", "balance_since"]

#: Days after a plan whose spread is told.
_AFTER = (7, 30, 90)
#: How long before a plan its last snapshot may be.
_BEFORE = timedelta(days=7)
_DAY = timedelta(days=1)
_LONGEST = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class BalanceSince:
    """A plan, and the replica spread before and after it.

    Attributes:
        plan: a plan that is done.
        before: the replica spread before it; None: unknown.
        after: (whole days after it ended, replica spread), ascending; none: no snapshot tells it.
        next: the plan that was approved after it; what came then is not told of this one. None: there is none.
    """

    plan: PlanRun
    before: int | None
    after: tuple[tuple[int, int], ...]
    next: PlanRun | None

    @property
    def sentence(self) -> str:
        """What became of it, for a person."""
        before = "unknown before: no snapshot in the week before" if self.before is None else f"{self.before:,} before"
        if not self.after:
            name = f"{self.plan.name[0].upper()}{self.plan.name[1:]}"
            until = "since" if self.next is None else f"before {_short(self.next)} was approved"
            return f"{name}: no snapshot {until}; replica spread {before}."
        *between, (days, spread) = self.after
        earlier = [f"{count(one)} after {counted(number, 'day')}" for number, one in between]
        ago = counted(days, "day") if days else "Less than a day"
        until = "" if self.next is None else f", before {_short(self.next)}"
        return f"{ago} after {self.plan.name}{until}: replica spread {count(spread)} ({', '.join([before, *earlier])})."


def _short(plan: PlanRun) -> str:
    return plan.name.partition(",")[0]


def balance_since(history: History, cluster: str, plans: Sequence[PlanRun]) -> tuple[BalanceSince, ...]:
    """What became of the balance since each plan that was done in the last year of a history, newest first.

    Args:
        history: the tables.
        cluster: the cluster.
        plans: its plans, oldest first, also those that were stopped, failed, or are not over.

    Raises:
        InputRefused: the tables cannot be read.
    """
    last = last_moment(history, cluster) if any(plan.done for plan in plans) else None
    if last is None:
        return ()
    rows = history.snapshots(cluster, last - _LONGEST, last, columns=("taken_at", "replica_spread"))
    rows = rows[rows["replica_spread"].notna()]
    times = rows["taken_at"].dt.tz_localize(None).to_numpy("datetime64[us]")
    spreads = rows["replica_spread"].astype("int64").to_numpy()

    def latest(since: datetime, until: datetime) -> tuple[datetime, int] | None:
        """When and what the last spread after one moment and up to another is; None where there is none."""
        place = int(np.searchsorted(times, _plain(until), side="right")) - 1
        if place < 0 or times[place] <= _plain(since):
            return None
        when: datetime = rows["taken_at"].iloc[place].to_pydatetime()
        return when, int(spreads[place])

    told = []
    for place, plan in enumerate(plans):
        if not plan.done or plan.ended is None or plan.ended < last - _LONGEST:
            continue
        following = plans[place + 1] if place + 1 < len(plans) else None
        end = last if following is None else min(following.began, last)
        earliest = max([plan.began - _BEFORE, *(one.ended or plan.began for one in plans[:place])])
        before = latest(earliest, plan.began)
        after, seen = [], plan.ended
        for days in _AFTER:
            there = plan.ended + days * _DAY
            found = latest(there - _DAY, there) if there <= end else None
            if found is not None:
                seen = found[0]
                after.append((days, found[1]))
        newest = latest(seen, min(end, plan.ended + _AFTER[-1] * _DAY))
        if newest is not None:
            after.append(((newest[0] - plan.ended) // _DAY, newest[1]))
        told.append(BalanceSince(plan, None if before is None else before[1], tuple(after), following))
    return tuple(reversed(told))


def _plain(moment: datetime) -> np.datetime64:
    return np.datetime64(moment.replace(tzinfo=None), "us")
