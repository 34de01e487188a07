"""How many brokers keep a cluster under its limits until a day: cases, steps, what-ifs, and what cannot be told."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reseat.errors import WishRefused
from reseat.forecast.outlook import outlooks
from reseat.forecast.settings import Limits
from reseat.forecast.sizing import sizing
from reseat.history.read import History
from reseat.model import ClusterLayout
from reseat.planning import plan
from tests.forecast.grown import FIRST, darken, grow

LAST = FIRST.date() + timedelta(days=59)
#: Two replicas more a day on each of six brokers: 218 on the last day.
GROWING = [100 + 2 * day for day in range(60)]


@cache
def sized(tables, limits, until=LAST + timedelta(days=30)):
    """The answer for the cluster in these tables."""
    history = History.open(str(tables))
    return sizing(history, outlooks(history, "shop", limits), until)


@pytest.fixture(scope="module")
def racks(tmp_path_factory):
    """Six brokers in three racks, partitions of six replicas."""
    return grow(tmp_path_factory.mktemp("racks"), GROWING, brokers=6, racks=list("aabbcc"))


@pytest.fixture(scope="module")
def rackless(tmp_path_factory):
    """Six brokers without racks."""
    return grow(tmp_path_factory.mktemp("rackless"), GROWING, brokers=6)


def test_so_many_brokers_by_rack_and_the_first_by_a_day(racks):
    """1,668 replicas in 30 days, at most 229 on a broker: eight do, but three racks hold as many each: nine."""
    told = sized(racks, Limits(replicas_per_broker=230))
    likely = told.cases[1]

    assert (likely.replicas, likely.most, likely.bound) == (1668, 229, "replicas")
    assert likely.needed == (("a", 3), ("b", 3), ("c", 3))
    assert told.sentence == "9 brokers are needed until 2026-05-29; 6 are there. Add the first by 2026-05-04."


def test_all_at_once_moves_the_fewest(racks):
    """New replicas come onto the new brokers, too, for longer."""
    likely = sized(racks, Limits(replicas_per_broker=230)).cases[1]

    assert likely.at_once.steps[0].day == LAST
    assert likely.when_needed.steps[0].day > LAST
    assert likely.at_once.moves < likely.when_needed.moves


def test_what_a_broker_did_not_tell_is_no_fall_of_what_all_use(tmp_path):
    """It was down for four days and is back: the sum over the others fell by a sixth, and rose again."""
    whole, dark = (grow(tmp_path / name, GROWING, brokers=6, racks=list("aabbcc")) for name in ("whole", "dark"))
    darken(dark, 2, range(52, 56))

    cases = [[(one.replicas, one.most, one.needed) for one in sized(of, Limits(disk=23)).cases] for of in (whole, dark)]
    assert cases[0] == cases[1]


def test_a_step_is_a_what_if_on_the_last_snapshot(racks):
    """With the next free ids, in their racks, and as many moves."""
    told = sized(racks, Limits(replicas_per_broker=230))
    step = told.cases[1].at_once.steps[0]
    wish = told.wish(told.cases[1].at_once)

    assert wish.add == ((7, "a"), (8, "b"), (9, "c"))
    assert wish.rebalance
    assert wish.options.max_moves == step.moves
    assert told.snapshot == f"{59:032x}"


def test_a_later_step_is_a_what_if_with_all_steps_before_it(rackless):
    """Each begins where its predecessors ended: their brokers too, no id twice, and no more moves than they have."""
    told = sized(rackless, Limits(replicas_per_broker=225))
    way = told.cases[1].when_needed
    layout = ClusterLayout.from_assignments({("t", number): [1 + number % 6] for number in range(6 * 218)})
    plans = [plan(layout, told.wish(way, place)) for place in range(len(way.steps))]
    joined = [[broker for broker, _ in told.wish(way, place).add] for place in range(len(way.steps))]

    assert len(way.steps) == 2
    assert joined == [[7], [7, 8]]
    assert [told.wish(way, place).options.max_moves for place in (0, 1)] == [way.steps[0].moves, way.moves]
    assert all(m.certificate.moves <= most for m, most in zip(plans, (way.steps[0].moves, way.moves), strict=True))
    assert all(made.proposed.replicas_by_broker.max() <= told.cases[1].most for made in plans)
    assert plans[1].proposed.replicas_by_broker[-2:].min() > 0


def test_brokers_that_are_there_do_where_they_are_balanced(tmp_path):
    """The fullest gives up what it has too much of, now."""
    tables = grow(tmp_path / "tables", [100] * 60, racks=list("abc"), loads=(120, 90, 90))

    told = sized(tables, Limits(replicas_per_broker=111))
    likely = told.cases[1]

    assert likely.brokers == 3
    assert [(step.day, step.add, step.moves) for step in likely.at_once.steps] == [(LAST, (), 10)]
    assert told.sentence.endswith("those that are there, after 10 moves.")


def test_a_steps_plan_does_what_is_said(tmp_path):
    """On a layout with these loads: as many moves, and nobody above the most."""
    tables = grow(tmp_path / "tables", [100] * 60, racks=[None] * 3, loads=(120, 90, 90))
    told = sized(tables, Limits(replicas_per_broker=111))
    (step,) = told.cases[1].at_once.steps
    brokers = [1] * 120 + [2] * 90 + [3] * 90
    layout = ClusterLayout.from_assignments({("t", number): [broker] for number, broker in enumerate(brokers)})

    made = plan(layout, told.wish(told.cases[1].at_once))

    assert made.certificate.moves == step.moves == 10
    assert made.proposed.replicas_by_broker.max() == told.cases[1].most == 110


def test_nothing_is_to_be_done_where_all_stay_under_their_limits(racks):
    """No step, and it says so."""
    told = sized(racks, Limits(replicas_per_broker=10_000))

    assert told.sentence == "6 brokers do until 2026-05-29: those that are there."
    assert told.cases[1].at_once.steps == told.cases[1].when_needed.steps == ()


@pytest.mark.parametrize(
    ("limits", "bound"),
    [(Limits(bytes_per_broker=230 * 10**9), "bytes"), (Limits(disk=23), "disk used")],
)
def test_bytes_and_disks_are_limits_too(racks, limits, bound):
    """Every replica is 1 GB and every disk 1 TB: as 230 replicas."""
    likely = sized(racks, limits).cases[1]

    assert likely.bound == bound
    assert likely.most == 229
    assert likely.brokers == 9


def test_the_broker_with_the_heaviest_replicas_counts(tmp_path):
    """Where replicas are twice as heavy as on the mean, half as many fit."""
    tables = grow(tmp_path / "tables", [100] * 60, racks=list("abc"))
    even = sized(tables, Limits(bytes_per_broker=201 * 10**9)).cases[1]

    assert even.most == 200


def test_without_racks_each_broker_is_one(rackless):
    """1,668 replicas, 229 on each at most: eight."""
    told = sized(rackless, Limits(replicas_per_broker=230))

    assert told.cases[1].needed == ((None, 8),)
    assert told.cases[1].at_once.steps[0].words == "2 brokers"
    assert told.wish(told.cases[1].at_once).add == ((7, None), (8, None))


def test_the_upper_end_needs_no_fewer_than_the_line(tmp_path):
    """Nor the line fewer than the lower end."""
    jumpy = [200 + 2 * day + 25 * (day % 5 == 0) for day in range(120)]
    tables = grow(tmp_path / "tables", jumpy, brokers=6)
    history = History.open(str(tables))
    limits = Limits(replicas_per_broker=130)
    told = sizing(history, outlooks(history, "shop", limits), FIRST.date() + timedelta(days=119 + 60))
    low, likely, high = (case.brokers for case in told.cases)

    assert low <= likely <= high
    assert low < high
    assert f"({low} to {high} in 8 of 10 cases)" in told.sentence


def test_a_limit_of_the_cluster_is_one_that_brokers_do_not_help_with(racks):
    """It is said, with its day."""
    told = sized(racks, Limits(replicas_per_broker=10_000, partitions_per_cluster=230))

    assert told.notes == ("The limit of 230 partitions is likely met on 2026-05-05: more brokers do not help with it.",)


@pytest.mark.parametrize(
    ("grown", "limits", "until", "said"),
    [
        ({}, Limits(), 30, "No limit on a broker of shop can be looked at"),
        ({}, Limits(replicas_per_broker=9), 0, "is not foretold: for shop a day from 2026-04-30 to 2026-06-28"),
        ({}, Limits(replicas_per_broker=9), 90, "is not foretold"),
        ({"sizes": False}, Limits(disk=50), 30, "No limit on a broker of shop can be looked at"),
        ({"racks": ["a"]}, Limits(replicas_per_broker=300), 30, "Brokers 2, 3, 4, 5 and 6 have no rack that is known"),
    ],
)
def test_what_cannot_be_told_is_refused_with_why(tmp_path, grown, limits, until, said):
    """The days that can be asked for are named."""
    tables = grow(tmp_path / "tables", GROWING, brokers=6, **grown)

    with pytest.raises(WishRefused, match=said):
        sized(tables, limits, LAST + timedelta(days=until))


def test_a_limit_that_is_not_known_is_said_beside_one_that_is(tmp_path):
    """Of disks of which no size is told."""
    tables = grow(tmp_path / "tables", GROWING, brokers=6, disk=None)

    told = sized(tables, Limits(disk=50, replicas_per_broker=230))

    assert told.notes == ("The limit on disk used is not looked at: there is no forecast of it.",)


def test_brokers_that_do_not_tell_their_bytes_are_named(tmp_path):
    """On the last day; the cluster's bytes are foretold all the same."""
    tables = grow(tmp_path / "tables", GROWING, brokers=6)
    (file,) = (tables / "broker_balance" / "cluster=shop" / f"day={LAST}").glob("*.parquet")
    told = pq.read_table(file)
    sizes = pa.array([None if broker in (2, 3) else 1 for broker in told["broker"].to_pylist()], pa.int64())
    pq.write_table(told.set_column(told.schema.get_field_index("size_bytes"), "size_bytes", sizes), file)

    assert sized(tables, Limits(bytes_per_broker=10**12, replicas_per_broker=300)).notes == (
        "The limit on bytes is not looked at: brokers 2 and 3 do not tell it.",
    )


def test_brokers_that_take_nothing_are_said_to_be_counted(tmp_path):
    """Six are there by their ids; the plan of the what-if puts nothing onto these two."""
    tables = grow(tmp_path / "tables", GROWING, brokers=6)
    (file,) = (tables / "broker_balance" / "cluster=shop" / f"day={LAST}").glob("*.parquet")
    told = pq.read_table(file)
    states = pa.array(["alive", "dead", "alive", "shutting down", "not told", "cordoned"])
    pq.write_table(told.set_column(told.schema.get_field_index("state"), "state", states), file)

    assert sized(tables, Limits(replicas_per_broker=300)).notes == (
        "Brokers 2 and 6 are dead, fenced or cordoned in the last snapshot, and counted: what is needed is right "
        "only if they are back by then.",
    )


def test_a_past_that_is_too_short_is_refused(tmp_path):
    """As the forecast is."""
    tables = grow(tmp_path / "tables", [100] * 10)

    with pytest.raises(WishRefused, match=r"No forecast of shop's replicas\. 10 of the 28 days"):
        sized(tables, Limits(replicas_per_broker=300), date(2026, 3, 20))


def test_no_number_of_brokers_is_said(rackless):
    """A broker that may hold nothing."""
    told = sized(rackless, Limits(replicas_per_broker=1))

    assert told.sentence == "No number of brokers keeps shop under its limits until 2026-05-29."
