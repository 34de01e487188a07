"""What became of the balance since a plan: whose values are told, after how many days, and what is unknown."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from reseat.forecast.since import BalanceSince, balance_since
from reseat.history.events import PlanRun
from reseat.history.read import History
from tests.forecast.grown import FIRST, grow

_HOUR = timedelta(hours=1)
DRAIN = "run 7, the drain of broker 5"


def plan(day: float, *, name: str = DRAIN, state: str = "done", hours: int = 2) -> PlanRun:
    """A plan approved an hour after the snapshot of a day."""
    began = FIRST + timedelta(days=day) + _HOUR
    return PlanRun(name, began, began + hours * _HOUR, state)


def told(tables: Path, spreads: list[int | None], *plans: PlanRun) -> tuple[BalanceSince, ...]:
    """Of a history with such a spread at noon of each day; None: no snapshot."""
    days = [None if spread is None else 100 for spread in spreads]
    grow(tables, days, spreads=[spread or 0 for spread in spreads])
    return balance_since(History.open(tables), "shop", plans)


def test_a_balance_is_told_from_before_to_ninety_days_after(tmp_path: Path) -> None:
    """The snapshot before the approval, those of 7, 30 and 90 days after the end, and none later."""
    (one,) = told(tmp_path, [206] * 5 + [5] * 20 + [4] * 60 + [9] * 60, plan(4))

    assert (one.before, one.after) == (206, ((7, 5), (30, 4), (90, 9)))
    assert one.sentence == (
        "90 days after run 7, the drain of broker 5: replica spread 9 (206 before, 5 after 7 days, 4 after 30 days)."
    )


def test_a_younger_plan_is_told_so_far(tmp_path: Path) -> None:
    """The last snapshot is the last word, with its own number of days."""
    (one,) = told(tmp_path, [206] * 5 + [4] * 13, plan(4))

    assert one.after == ((7, 4), (12, 4))
    assert one.sentence == "12 days after run 7, the drain of broker 5: replica spread 4 (206 before, 4 after 7 days)."


def test_what_the_next_plan_did_is_not_told_of_this_one(tmp_path: Path) -> None:
    """Also where the next one was stopped or failed; and what the one before it did is not in its own past."""
    late = plan(8, name="run 8", state="failed")
    third = plan(8.2, name="run 9, the rollback of run 7")
    newest, first = told(tmp_path, [206] * 5 + [4] * 4 + [50] * 30, plan(4), late, third)

    assert first.sentence == "3 days after run 7, the drain of broker 5, before run 8: replica spread 4 (206 before)."
    assert (newest.before, newest.after) == (None, ((7, 50), (29, 50)))
    assert "(unknown before: no snapshot in the week before, 50 after 7 days)" in newest.sentence


def test_what_the_history_lacks_is_said(tmp_path: Path) -> None:
    """No snapshot since, none before, neither, or none at the time of a value: no neighbour stands in for it."""
    spreads: list[int | None] = [None] * 3 + [8] * 40
    spreads[20:25] = [None] * 5
    newest, gap, early = told(tmp_path, spreads, plan(0, name="run 1"), plan(15, name="run 2"), plan(42, name="run 3"))

    assert newest.sentence == "Run 3: no snapshot since; replica spread 8 before."
    assert early.sentence == (
        "14 days after run 1, before run 2: replica spread 8 (unknown before: no snapshot in the week before, 8 after "
        "7 days)."
    )
    assert gap.after == ((26, 8),)
    assert balance_since(History.open(tmp_path), "nosuch", [plan(1)]) == ()


def test_plans_that_are_not_done_have_no_balance_and_marks_only_once_they_are_over(tmp_path: Path) -> None:
    """A stopped one left the cluster between two layouts."""
    open_one = PlanRun("run 9", FIRST, None, "running")

    assert told(tmp_path, [4] * 9, plan(1, state="stopped"), open_one) == ()
    assert open_one.mark is None
    kinds = [(one.kind, one.sentence) for one in (plan(1).mark, plan(1, state="failed").mark) if one is not None]
    assert kinds == [("plan", f"{DRAIN}: done"), ("plan_ended", f"{DRAIN}: failed")]
