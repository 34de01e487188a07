"""What came of a partition, as a pure function of what a look shows: whatever is seen, in whatever order, whenever.

Rows, looks and times are drawn at random; what must hold of every decision is written without the code's own rules.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from reseat.operate.journal.records import MoveProgress
from reseat.operate.run.decide import Clock, Doubt, Row, Sight, decide
from reseat.operate.run.looking import leads_to
from reseat.operate.run.pace import Pace
from reseat.operate.run.tracking import Tracker
from reseat.operate.targets.target import Assignment

LISTS = [(1, 2), (2, 1), (1, 3), (3, 1), (1, 2, 3), (2,)]
POLL, AGAIN, GRACE = 0.25, 3.0, 15.0

replica_lists = st.sampled_from(LISTS)
moments = st.integers(0, 400).map(lambda quarters: quarters / 4)
doubts = st.none() | st.builds(Doubt, st.none() | replica_lists, moments)
assignments = st.builds(
    Assignment,
    replica_lists,
    leader=st.just(1),
    in_sync=st.just((1,)),
    adding=st.sampled_from([(), (3,)]),
    removing=st.sampled_from([(), (2,)]),
)
sights = st.builds(Sight, st.none() | assignments, st.none() | assignments)


def at(now: float) -> Clock:
    """A clock that shows this time."""
    return Clock(now, POLL, AGAIN, GRACE)


@st.composite
def rows(draw, states=("waiting", "sent", "done", "cancelled", "failed")):
    """A partition in the middle of a run, with anything remembered of it."""
    before, target = draw(st.permutations(LISTS))[:2]
    move = MoveProgress("orders", 3, before, target, draw(replica_lists), draw(st.sampled_from(states)), "E", 9, 4)
    flags = [draw(st.booleans()) for _ in range(5)]
    return Row(move, flags[0], flags[1], flags[1] and flags[2], flags[3], draw(doubts), flags[4])


@given(rows(states=("waiting", "sent")), sights, moments)
def test_done_is_only_what_stands_as_planned_and_is_not_under_way(row, seen, now):
    """With exactly the planned replicas, in their order, on no list of reassignments, and not for the first time."""
    after = decide(row, seen, at(now)).row
    if after.move.state == "done":
        assert seen.told is not None
        assert seen.told.replicas == row.move.target == after.move.now
        assert not seen.told.under_way
        assert seen.listed is None
        assert (after.arrived, after.agreed, after.doubt) == (True, False, None)
        if row.move.state == "sent" and row.arrived and not row.cancel_sent:
            assert row.agreed
        else:
            assert row.doubt == Doubt(row.move.target, row.doubt.since)
            assert now - row.doubt.since >= GRACE
        assert after.move.bytes_done == row.move.bytes_total


@given(rows(states=("sent",)), st.lists(sights, min_size=1, max_size=1), moments)
def test_done_takes_two_looks(row, looks, now):
    """Whatever one look shows, a partition of which nothing is remembered is not done by it, nor anybody accused."""
    fresh = replace(row, agreed=False, doubt=None)
    decided = decide(fresh, looks[0], at(now))

    assert decided.row.move.state == "sent"
    assert not decided.foreign


@given(rows(states=("sent",)), sights, moments)
def test_what_is_as_planned_comes_to_be_done(row, seen, now):
    """At the second look; where a broker may tell it as it was long before, once it lasted."""
    told = Assignment(row.move.target, leader=1, in_sync=(1,))
    first = decide(replace(row, agreed=False, doubt=None), Sight(None, told), at(now)).row
    sure = row.arrived and not row.cancel_sent
    soon, late = (decide(first, Sight(None, told), at(now + wait)).row for wait in (POLL, GRACE))

    assert first.move.now == row.move.target
    assert (first.agreed, first.doubt) == ((True, None) if sure else (False, Doubt(row.move.target, now)))
    assert (soon.move.state, late.move.state) == ("done" if sure else "sent", "done")


@given(rows(states=("sent",)), sights, moments)
def test_what_is_under_way_or_otherwise_was_not_seen_as_planned(row, seen, now):
    """Seen as planned once, and then not: it begins anew. Under way as asked for, it arrived, beyond doubt."""
    asked_for = seen.listed is not None and leads_to(seen.listed, row.move.target)
    after = decide(row, seen, at(now)).row
    if seen.listed is not None or seen.told is None or seen.told.under_way or seen.told.replicas != row.move.target:
        assert not after.agreed
    if asked_for:
        assert (after.arrived, after.doubt, after.move.state) == (True, None, "sent")
        assert after.move.now == (seen.told.replicas if seen.told else row.move.now)
    elif seen.listed is None and seen.told is not None and seen.told.under_way:
        assert (after.arrived, after.doubt, after.move) == (row.arrived, None, row.move)


@given(rows(states=("waiting",)), st.sampled_from(["before", "target"]), moments)
def test_one_that_waits_is_left_alone_or_found_done(row, stands, now):
    """As before: beyond doubt, and goes on waiting. As planned already: doubted, then done."""
    told = Assignment(getattr(row.move, stands), leader=1, in_sync=(1,))
    first = decide(replace(row, doubt=None), Sight(None, told), at(now)).row
    late = decide(first, Sight(None, told), at(now + GRACE)).row

    assert (first.doubt is None) == (stands == "before")
    assert late.move == (
        row.move
        if stands == "before"
        else replace(row.move, state="done", now=row.move.target, error=None, bytes_done=row.move.bytes_total)
    )


@given(rows(states=("done",)), moments)
def test_what_is_done_and_stays_so_is_beyond_doubt(row, now):
    """And not while some broker tells that it is under way again."""
    move = row.move
    stays, moving = (Assignment(move.target, removing=removing) for removing in ((), (move.target[0],)))
    doubted = decide(replace(row, doubt=None), Sight(None, moving), at(now)).row

    assert decide(row, Sight(None, stays), at(now)).row == replace(row, doubt=None)
    assert doubted == replace(row, doubt=Doubt(move.target, now))


@given(rows(), st.lists(st.tuples(sights, st.floats(0, 20)), max_size=12))
def test_nothing_that_is_over_begins_again(row, looks):
    """From done only to failed, by somebody else's doing, which is told; from failed and cancelled to nothing."""
    now = 100.0
    for seen, later in looks:
        now += later
        decided = decide(row, seen, at(now))
        before, after = row.move.state, decided.row.move.state
        if before in ("cancelled", "failed"):
            assert decided.row == row
        if before == "done":
            assert after == "done" or (after == "failed" and decided.foreign)
        if after != before:
            assert (decided.row.doubt, decided.row.agreed, decided.row.arrived) == (None, False, True)
        row = decided.row


@given(rows(), sights, moments, st.floats(0, 100))
def test_time_alone_only_ever_turns_doubt_into_a_decision(row, seen, now, later):
    """What is decided by a look is decided alike by the same look later; what is not may become so."""
    assume(row.doubt is None or row.doubt.since <= now)
    soon, late = decide(row, seen, at(now)), decide(row, seen, at(now + later))
    if soon.row.move.state != row.move.state:
        assert late == soon
    elif late.row.move.state == row.move.state:
        assert late.foreign == soon.foreign == ""
        assert late.row.move == soon.row.move
    else:
        assert soon.row.doubt is not None


@given(rows(states=("sent", "waiting", "done")), sights, moments, st.floats(0, 14.9))
def test_what_a_lagging_broker_may_tell_accuses_nobody(row, seen, now, lag):
    """Only the controller's own list decides sooner than ``grace`` that somebody else was at work."""
    assume(seen.listed is None)
    fresh = replace(row, doubt=None)
    first = decide(fresh, seen, at(now))
    again = decide(first.row, seen, at(now + lag))

    assert not first.foreign
    assert not again.foreign


@given(rows(states=("sent", "waiting", "done")), sights, moments)
def test_a_foreign_change_that_lasts_is_told(row, seen, now):
    """Another goal on the controller's list; or another list, on none, that the run did not ask for itself."""
    state, told = row.move.state, seen.told
    if seen.listed is not None:
        assume(state != "waiting")  # asked for by the sender, of the list as a whole
        foreign = state == "done" or not leads_to(seen.listed, row.move.target)
    else:
        assume(told is not None and not told.under_way)
        ours = {row.move.target} if state == "done" else {row.move.target, row.move.before}
        sent = state == "sent" and row.arrived and not row.cancel_sent
        foreign = (told.replicas == row.move.before) if sent and told.replicas in ours else told.replicas not in ours
        back = sorted(told.replicas) == sorted(row.move.before)
        foreign = foreign and not (state == "sent" and row.cancel_sent and back)
    looks = [decide(replace(row, doubt=None), seen, at(now))]
    for wait in (GRACE, GRACE):
        looks.append(decide(looks[-1].row, seen, at(now := now + wait)))

    assert any(one.foreign for one in looks) == foreign
    assert (looks[-1].row.move.error == "changed by somebody else") == foreign


@given(rows(states=("sent",)), sights, moments)
def test_a_request_of_unknown_fate_is_sent_again_only_if_nothing_of_it_is_seen(row, seen, now):
    """It waits again only where the partition stands, under way nowhere, with the very list from before."""
    after = decide(row, seen, at(now)).row
    if after.move.state == "waiting":
        assert not row.arrived
        assert seen.listed is None
        assert seen.told is not None
        assert seen.told.replicas == row.move.before
        assert now - row.doubt.since >= (GRACE if row.stopping else AGAIN)
        assert (after.move.error, after.move.bytes_done) == (row.move.error, row.move.bytes_done)


@given(rows(states=("sent",)), sights, moments)
def test_cancelled_is_only_what_was_cancelled_and_has_its_replicas_back(row, seen, now):
    """The replicas from before, in whatever order Kafka left them."""
    after = decide(row, seen, at(now)).row
    if after.move.state == "cancelled":
        assert row.cancel_sent
        assert seen.told is not None
        assert sorted(seen.told.replicas) == sorted(row.move.before)
        assert seen.listed is None


@given(rows(), sights, moments)
def test_a_judgement_is_of_what_is_given_alone(row, seen, now):
    """No state, no clock of its own: asked again, or amid other rows, it is the same; and the plan is not touched."""
    first = decide(row, seen, at(now))
    decide(replace(row, doubt=None, agreed=True), seen, at(now + 50))
    after = first.row.move

    assert decide(row, seen, at(now)) == first
    assert (after.before, after.target, after.topic, after.partition) == (
        row.move.before,
        row.move.target,
        "orders",
        3,
    )


class Kept:
    """A ledger in memory."""

    def __init__(self, judged) -> None:
        self.moves = [row.move for row in judged]
        self.halted: str | None = None

    @property
    def stopping(self) -> bool:
        """Whether nothing further is sent."""
        return self.halted is not None

    def key(self, row):
        """The partition of a row."""
        return self.moves[row].topic, self.moves[row].partition

    def put(self, row, move) -> None:
        """What is known of it now."""
        self.moves[row] = move


@given(st.data(), st.lists(st.tuples(rows(states=("sent", "waiting", "done")), sights), min_size=2, max_size=5))
def test_the_order_of_rows_does_not_matter(data, drawn):
    """Partitions looked at in any order come to the same; also where one of them ends the run for all."""
    told, clock = {}, [0.0]
    for order in (range(len(drawn)), data.draw(st.permutations(range(len(drawn))))):
        judged = [replace(drawn[i][0], move=replace(drawn[i][0].move, partition=i)) for i in order]
        ledger = Kept(judged)
        tracker = Tracker(ledger, Pace(now=lambda: clock[0]))
        tracker.agreed = {place for place, row in enumerate(judged) if row.agreed}
        tracker.cancel_sent = {place for place, row in enumerate(judged) if row.cancel_sent}
        listing, now = (
            {("orders", i): drawn[i][1].listed for i in order if drawn[i][1].listed},
            {("orders", i): drawn[i][1].told for i in order if drawn[i][1].told},
        )
        for clock[0] in (0.0, 20.0, 40.0):
            tracker.follow(range(len(judged)), listing, now)
        told[tuple(order)] = (
            {move.partition: move for move in ledger.moves},
            {ledger.moves[row].partition for row in tracker.doubtful},
            ledger.halted is None,
        )
    first, *others = told.values()
    assert all(other == first for other in others)
