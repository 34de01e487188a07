"""What came of one partition of a run: under way, done, cancelled, failed, to be sent again, or still in doubt.

What it promises: done is said only of what was seen twice, not in the list of reassignments and with exactly the
planned replicas; nobody is accused of what a broker that lags behind might tell; whatever somebody else did is told.

How it works: ``decide`` is a pure function of the partition, of what one look shows of it, and of the time. What it has
to remember until the next look it hands back. For a partition that was sent it decides so:

====================================  ==============================================================================
the cluster says                      then
====================================  ==============================================================================
under way to our target               goes on
under way to another target           changed behind our back: failed, nothing further is sent
as planned, not under way             done, at the second look
as before, not under way              after a cancel: cancelled. Sent with unknown outcome: sent again (harmless: it is
                                      the same list). Accepted before: somebody took it back: failed, nothing further
anything else                         changed behind our back: failed, nothing further is sent
====================================  ==============================================================================

One that waits must be as it was before, or as planned already; one that is done must stay as planned.

Brokers tell what the controller decided some time later (up to 0.6 s was measured), so what nobody asked for counts
only once it lasted.

Example: orders-3 was sent to go from [1, 2] to [1, 4], and a look shows [1, 2], not under way. That is doubted at
12:00:00, and at 12:00:15, where it has stood so at each look, somebody has cancelled it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reseat.operate.journal.records import MoveProgress
from reseat.operate.run.looking import goal, leads_to
from reseat.operate.run.sentences import list_text
from reseat.operate.targets.target import Assignment

__all__ = ["Clock", "Decision", "Doubt", "Row", "Sight", "decide"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A partition that stands as nobody asked for: what was seen, and since when.

    Attributes:
        replicas: its list; None: it is not there.
        since: seconds of the clock.
    """

    replicas: tuple[int, ...] | None
    since: float


@dataclass(frozen=True, slots=True)
class Row:
    """One partition of a run, with what is remembered of it from look to look.

    Attributes:
        move: what is planned of it, and how far it is.
        arrived: False: it was sent, and it is not known whether the request arrived.
        cancel_sent: whether a cancel was sent for it.
        taken_back: whether Kafka answered that it took it back; else it may have ended before.
        agreed: whether it was seen as planned once.
        doubt: what is doubted of it, or None.
        stopping: whether the run sends nothing further.
    """

    move: MoveProgress
    arrived: bool
    cancel_sent: bool
    taken_back: bool
    agreed: bool
    doubt: Doubt | None
    stopping: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """What one look shows of a partition.

    Attributes:
        listed: its entry in the list of reassignments; None: it is not on it.
        told: the partition as some broker tells it; None: it told none.
    """

    listed: Assignment | None
    told: Assignment | None


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment of a look, and for how long what nobody asked for must have lasted by then; see ``Pace``.

    Attributes:
        now: seconds of a clock that only goes forward.
        poll: where Kafka itself answered that it took a partition back.
        again: where another goal is on the controller's own list, and until a request that got lost is sent again.
        grace: everywhere else.
    """

    now: float
    poll: float
    again: float
    grace: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What is so from now on.

    Attributes:
        row: the partition, with what is to be remembered of it.
        foreign: what somebody else did to it, or "".
    """

    row: Row
    foreign: str = ""


def decide(row: Row, seen: Sight, clock: Clock) -> Decision:
    """What came of a partition, by one look at it. One that is cancelled or failed stays so."""
    match row.move.state:
        case "sent":
            return _sent(row, seen, clock)
        case "waiting":
            return _waiting(row, seen.told, clock)
        case "done":
            return _done(row, seen, clock)
    return Decision(row)


def _sent(row: Row, seen: Sight, clock: Clock) -> Decision:
    move, told = row.move, seen.told
    if seen.listed is not None:
        row, other = replace(row, agreed=False), goal(seen.listed)
        if leads_to(seen.listed, move.target):
            move = replace(move, now=told.replicas if told else move.now)
            return Decision(replace(row, move=move, arrived=True, doubt=None))
        changed = _foreign(row, f"somebody else reassigns it to {list_text(other)}")
        return _once_it_lasts(row, other, clock.again, clock, changed)
    if told is not None and told.under_way:  # the list is ahead of this broker: ask again
        return Decision(replace(row, agreed=False, doubt=None))
    if told is not None and told.replicas == move.target:
        return _as_planned(replace(row, move=replace(move, now=move.target)), clock)
    return _stray(replace(row, agreed=False), told, clock)


def _as_planned(row: Row, clock: Clock) -> Decision:
    """One that was sent and is told as planned: done when it is seen twice.

    Where it is not known whether the request arrived, or a cancel was sent, a broker may tell it as it was long before:
    on the way back that is what is planned. Then it must stay so.
    """
    done = _over(row, "done", row.move.target)
    if row.cancel_sent or not row.arrived:
        return _once_it_lasts(row, row.move.target, clock.grace, clock, done)
    return done if row.agreed else Decision(replace(row, agreed=True, doubt=None))


def _stray(row: Row, told: Assignment | None, clock: Clock) -> Decision:
    """One that was sent, is not under way, and is not as planned."""
    if told is None:
        return _once_it_lasts(row, None, clock.grace, clock, _gone(row))
    replicas = told.replicas
    as_before = sorted(replicas) == sorted(row.move.before)
    if as_before and row.cancel_sent:  # the replicas come back, their order may not
        patience = clock.poll if row.taken_back else clock.grace
        return _once_it_lasts(row, replicas, patience, clock, _over(row, "cancelled", replicas))
    if replicas == row.move.before and not row.arrived:
        patience = clock.grace if row.stopping else clock.again
        again = _over(row, "waiting", replicas, row.move.error)
        return _once_it_lasts(row, replicas, patience, clock, again)
    what = "what was in progress was cancelled by somebody else, or dropped" if as_before else _its(replicas)
    return _once_it_lasts(row, replicas, clock.grace, clock, _foreign(row, what, replicas))


def _waiting(row: Row, told: Assignment | None, clock: Clock) -> Decision:
    if told is None:
        return _once_it_lasts(row, None, clock.grace, clock, _gone(row))
    if told.under_way:  # somebody's, and not on the list yet: the next look says whose
        return Decision(row)
    if told.replicas == row.move.before:
        return Decision(replace(row, doubt=None))
    if told.replicas == row.move.target:  # done already; or, on the way back, from before the way there
        then = _over(row, "done", told.replicas)
    else:
        then = _foreign(row, _its(told.replicas), told.replicas)
    return _once_it_lasts(row, told.replicas, clock.grace, clock, then)


def _done(row: Row, seen: Sight, clock: Clock) -> Decision:
    told = seen.told
    if seen.listed is not None:
        return _foreign(row, "it was as planned and is being reassigned again")
    if told is None:
        return _once_it_lasts(row, None, clock.grace, clock, _foreign(row, "it is gone"))
    if told.replicas == row.move.target and not told.under_way:
        return Decision(replace(row, doubt=None))
    changed = _foreign(row, f"it was as planned and is {list_text(told.replicas)} now", told.replicas)
    return _once_it_lasts(row, told.replicas, clock.grace, clock, changed)


def _once_it_lasts(
    row: Row, replicas: tuple[int, ...] | None, seconds: float, clock: Clock, then: Decision
) -> Decision:
    """What is so once a partition has stood like this for so long; until then it is doubted."""
    if row.doubt is None or row.doubt.replicas != replicas:
        return Decision(replace(row, doubt=Doubt(replicas, clock.now)))
    return then if clock.now - row.doubt.since >= seconds else Decision(row)


def _over(row: Row, state: str, now: tuple[int, ...], error: str | None = None) -> Decision:
    """It is known what came of it; nothing of it is remembered."""
    copied = row.move.bytes_total if state == "done" else row.move.bytes_done
    move = replace(row.move, state=state, now=now, error=error, bytes_done=copied)
    return Decision(replace(row, move=move, arrived=True, agreed=False, doubt=None))


def _gone(row: Row) -> Decision:
    return _over(row, "failed", row.move.now, "UNKNOWN_TOPIC_OR_PARTITION")


def _foreign(row: Row, what: str, replicas: tuple[int, ...] | None = None) -> Decision:
    failed = _over(row, "failed", replicas or row.move.now, "changed by somebody else")
    return replace(failed, foreign=what)


def _its(replicas: tuple[int, ...]) -> str:
    return f"its replicas are {list_text(replicas)}"
