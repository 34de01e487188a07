"""What the History page computes before it draws: moments, marks, sentences, lists of changes, both layouts as one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from components.history import compare
from components.history.compare import as_csv, as_table, beginning, matching, read_changes
from components.history.figure import figure, hover_words
from components.history.words import answer, figures, names_of, stretch
from components.state.past import Past, clock
from reseat.balance.changes import KINDS
from reseat.balance.combined import both
from reseat.balance.mends import TOLD_IN
from reseat.history.events import events
from reseat.history.read import History
from reseat.history.series import COLUMNS, series, worst
from reseat.history.stretch import last_moment, read
from reseat.history.unseen import unseen_by
from reseat.model import Broker, BrokerState, ClusterLayout
from tests.history.made import Made, snapshot, write

START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Two clusters, two days."""
    made: Made = write(tmp_path_factory.mktemp("parts"))
    return History.open(made.tables)


def snapshots(offline: list[int | None], *, minutes: int = 10) -> pd.DataFrame:
    """Rows of the table ``snapshots``: these many partitions offline, the rest as if all were well."""
    count = len(offline)
    told: dict[str, object] = dict.fromkeys(COLUMNS, pd.array([0] * count, "Int64"))
    told |= {
        "snapshot_id": [f"{place:032x}" for place in range(count)],
        "taken_at": [START + timedelta(minutes=minutes * place) for place in range(count)],
        "offline": pd.array(offline, "Int64"),
        "worst_finding": [None] * count,
        "worst_severity": [None] * count,
    }
    return pd.DataFrame(told)


@given(st.lists(st.integers(0, 9) | st.none(), min_size=1, max_size=60), st.integers(2, 30))
def test_the_worst_moment_is_always_shown(offline, most):
    """However much is aggregated, there are few moments, in order, and the worst snapshot is one of them."""
    told = snapshots(offline)
    shown = series(told, most=most)
    bad = worst(told)

    assert len(shown.moments) <= most or len(shown.moments) == len(told) <= most
    assert shown.moments["taken_at"].is_monotonic_increasing
    assert int(shown.moments["held"].sum()) == len(told)
    assert shown.snapshots == len(told)
    if bad is not None:
        assert shown.place(str(told["snapshot_id"].iloc[bad])) is not None
        assert int(shown.moments["offline"].max()) == int(told["offline"].max())


def test_a_moment_that_is_looked_at_stays_one_of_its_own():
    """What was clicked does not vanish into a stretch."""
    told = snapshots([0] * 100)
    shown = series(told, most=10, keep=[f"{57:032x}"])

    assert shown.place(f"{57:032x}") is not None
    assert shown.aggregated


def test_a_moment_that_is_looked_at_keeps_its_own_numbers():
    """A snapshot that is taken out of its stretch shows what it says, and the rest of the stretch what that says."""
    told = snapshots([0, 7, 1, 0, 2, 0])
    shown = series(told, most=2, keep=[f"{1:032x}"]).moments

    assert shown["snapshot_id"].tolist() == [f"{place:032x}" for place in (1, 2, 4)]
    assert shown["offline"].tolist() == [7, 1, 2]
    assert shown["held"].tolist() == [1, 2, 3]
    assert series(told, most=2, keep=[f"{5:032x}"] * 2).moments["held"].tolist() == [3, 2, 1]


def test_a_pause_is_a_gap():
    """Where snapshots are missing for long, the line stops."""
    told = pd.concat(
        [snapshots([0] * 6), snapshots([0] * 6).assign(taken_at=lambda t: t["taken_at"] + timedelta(days=1))]
    )
    shown = series(told)

    assert np.flatnonzero(shown.gaps).tolist() == [6]


def test_the_first_of_equally_bad_moments_is_the_worst():
    """Trouble is told from when it began; without trouble there is no worst moment."""
    assert worst(snapshots([0, 2, 5, 5, 1])) == 2
    assert worst(snapshots([0, 0, None])) is None


def broker_changes(*rows: tuple[int, str, int]) -> pd.DataFrame:
    """Rows of ``changes``: minutes after the start, kind, broker."""
    return pd.DataFrame(
        [{"taken_at": START + timedelta(minutes=m), "kind": kind, "broker": broker} for m, kind, broker in rows],
        columns=["taken_at", "kind", "broker"],
    )


def counts(*rows: tuple[int, str, int]) -> pd.DataFrame:
    """Rows of ``change_counts``: minutes after the start, kind, how many."""
    return pd.DataFrame(
        [{"taken_at": START + timedelta(minutes=m), "kind": kind, "changes": number} for m, kind, number in rows],
        columns=["taken_at", "kind", "changes"],
    )


#: After ten minutes, and after twenty.
RACKS = {START + timedelta(minutes=m): {1: "a", 2: "b", 3: "c", 4: "a", 5: "b"} for m in (10, 20)}


def test_a_whole_rack_gone_at_once_is_one_mark():
    """Brokers 1 and 4 are rack a; broker 2 went at the same time and is told by itself."""
    found = events(
        broker_changes((10, "broker_gone", 4), (10, "broker_gone", 1), (10, "broker_gone", 2), (20, "broker_came", 2)),
        counts(),
        RACKS,
        snapshots([0]),
    )

    assert [(event.kind, event.sentence) for event in found] == [
        ("gone", "broker 2 went down"),
        ("rack_gone", "rack a went down (brokers 1 and 4)"),
        ("came", "broker 2 came up"),
    ]


def test_a_broker_that_was_drained_and_shut_down_left():
    """Nothing went down: the cluster does not name it any more."""
    found = events(
        broker_changes((10, "broker_left", 3), (20, "broker_left", 1), (20, "broker_left", 4)),
        counts(),
        {START + timedelta(minutes=20): {1: "a", 4: "a"}},
        snapshots([0]),
    )

    assert [(event.kind, event.sentence) for event in found] == [
        ("left", "broker 3 left"),
        ("rack_left", "rack a left (brokers 1 and 4)"),
    ]


def test_a_rack_of_one_broker_is_a_broker():
    """Rack c is broker 3 alone: nobody would call that a rack's outage."""
    found = events(broker_changes((10, "broker_gone", 3)), counts(), RACKS, snapshots([0]))

    assert [event.kind for event in found] == ["gone"]


def brokers_over_hours(home: Path, *hours: dict[int, str | None]) -> list[str]:
    """What History tells of brokers, an hour apart: each with its rack, those without one dead."""
    layouts = [
        ClusterLayout.from_assignments(
            {("orders", 0): sorted(racks)},
            brokers=[
                Broker(i, rack, state=BrokerState.ALIVE if rack else BrokerState.DEAD) for i, rack in racks.items()
            ],
        )
        for racks in hours
    ]
    taken = tuple(snapshot(one, "shop", f"2026-05-01T{hour:02}:00") for hour, one in enumerate(layouts))
    tables = History.open(write(home, {"shop": taken}, swept=False).tables)
    marks = read(tables, "shop", None, None).marks
    return [one.sentence for one in marks if one.kind not in ("found", "mended")]


def test_a_rack_is_what_it_was_when_its_brokers_went(tmp_path):
    """Nobody tells the rack of a dead broker, and racks grow: the last snapshot is no witness of an earlier one."""
    up: dict[int, str | None] = {1: "a", 2: "b", 3: "c", 4: "a"}
    down = up | {1: None, 4: None}

    assert brokers_over_hours(tmp_path / "still", up, down, down) == ["rack a went down (brokers 1 and 4)"]
    assert brokers_over_hours(tmp_path / "grown", up, down, up, up | {7: "a"}) == [
        "rack a went down (brokers 1 and 4)",
        "rack a came up (brokers 1 and 4)",
        "broker 7 came up",
    ]
    three = up | {7: "a"}
    assert brokers_over_hours(tmp_path / "one-serves", three, three | down, three, three | {7: None}) == [
        "brokers 1 and 4 went down",
        "brokers 1 and 4 came up",
        "broker 7 went down",
    ]


def test_a_reassignment_over_many_snapshots_is_one_mark():
    """Arrivals an hour apart belong together, those of the next day do not, and a few replicas are no mark."""
    found = events(
        broker_changes(),
        counts(
            (0, "replica_added", 15), (60, "replica_added", 15), (120, "leader_moved", 99), (1500, "replica_added", 3)
        ),
        RACKS,
        snapshots([0, 0], minutes=60),
    )

    assert [(event.kind, event.sentence) for event in found] == [("moved", "reassignment: 30 replicas added")]
    assert (found[0].at, found[0].until) == (START, START + timedelta(hours=1))


def test_new_partitions_are_no_reassignment():
    """A new topic's replicas are told as such; what was moved while it came is told too."""
    told = snapshots([0, 0, 0], minutes=60)
    grown = {START + timedelta(minutes=60): 36}
    both_at_once = counts((60, "replica_added", 61), (120, "replica_added", 25))
    found = events(broker_changes(), both_at_once, RACKS, told, grown=grown)

    assert [(event.kind, event.sentence) for event in found] == [
        ("grew", "36 replicas of new partitions"),
        ("moved", "reassignment: 50 replicas added"),
    ]
    alone = events(broker_changes(), counts((60, "replica_added", 36)), RACKS, told, grown=grown)
    assert [event.kind for event in alone] == ["grew"]


@pytest.mark.parametrize("earlier", [False, True])
def test_topics_that_come_while_others_go_are_no_reassignment(tmp_path, earlier):
    """A topic a day, and yesterday's deleted: the cluster has no more partitions than before, and nothing moved."""

    def day(*topics: tuple[str, int], of_orders: int) -> ClusterLayout:
        lists = {(name, p): [1, 2, 3] for name, partitions in topics for p in range(partitions)}
        return ClusterLayout.from_assignments(lists | {("orders", p): [1, 2, 3, 4][:of_orders] for p in range(30)})

    days = (
        day(("log-1", 20), of_orders=3),
        day(("log-2", 20), of_orders=3),
        day(("log-2", 20), ("log-3", 25), of_orders=2),  # as many more as orders has less
        day(("log-3", 50), ("log-4", 10), of_orders=3),  # partitions added, and a replication factor raised
    )
    taken = tuple(snapshot(one, "shop", f"2026-05-{number:02}T03:10") for number, one in enumerate(days, 1))
    tables = write(tmp_path, {"shop": taken}, swept=False).tables
    if earlier:
        for file in (tables / "changes").rglob("*.parquet"):
            parquet.write_table(parquet.read_table(file, partitioning=None).drop_columns("whole"), file)
    marks = read(History.open(tables), "shop", None, None).marks

    assert [(one.at.day, one.sentence) for one in marks if one.kind not in ("found", "mended")] == [
        (2, "60 replicas of new partitions"),
        (3, "75 replicas of new partitions"),
        (4, "105 replicas of new partitions"),
        (4, "reassignment: 30 replicas added"),
    ]


def test_the_answer_tells_what_happened_and_when_it_was_worst():
    """The number that matters, and the weekday where that names one day."""
    told = snapshots([0, 0, 112, 3], minutes=24 * 60)
    happened = counts(
        (0, "broker_gone", 2), (10, "broker_came", 1), (20, "replica_added", 1240), (20, "leader_moved", 7)
    )

    assert answer("prod", told, happened, told["taken_at"].iloc[-1]) == (
        "prod, the last 3 days: brokers went down or came up 3 times and 1,240 replicas added or moved; the worst "
        "snapshot was Sunday 00:00 UTC, 112 partitions offline."
    )


def test_a_broker_that_left_is_in_the_answer():
    """Beside those that went down and came up, and what was moved."""
    told = counts((0, "broker_gone", 1), (5, "broker_came", 1), (10, "broker_left", 1), (20, "replica_added", 7))
    said = answer("shop", snapshots([0, 0]), told, START)

    assert "brokers went down or came up 2 times, 1 broker left and 7 replicas added or moved" in said
    assert figures(snapshots([0, 0]), told)[1].value == "3"


def test_two_snapshots_of_one_second_have_two_names():
    """At the handles one could not tell which of the two is compared; others are called by their time alone."""
    told = snapshots([0, 0, 0], minutes=60)
    told.loc[1, "taken_at"] = told.loc[0, "taken_at"] + timedelta(milliseconds=300)
    told["snapshot_id"] = ["a" * 32, "b" * 32, "c" * 32]

    assert list(names_of(told).values()) == [
        "Fri 2026-05-01 00:00 UTC, aaaa",
        "Fri 2026-05-01 00:00 UTC, bbbb",
        "Fri 2026-05-01 02:00 UTC",
    ]


def test_a_quiet_stretch_is_called_quiet():
    """Nothing happened, and nothing was offline: said in as many words."""
    told = snapshots([0, 0, 0], minutes=60)

    assert answer("prod", told, counts(), told["taken_at"].iloc[-1]) == (
        "prod, the last 2 h: no broker went down or came up and no replica moved; no partition was offline or "
        "under-replicated."
    )


def test_what_is_not_told_is_not_called_well():
    """Leaders and ISRs that no snapshot tells are no sign that none was missing."""
    untold = pd.array([None, None], "Int64")
    told = snapshots([0, 0]).assign(under_replicated=untold, below_min_isr=untold)
    end = told["taken_at"].iloc[-1]

    assert answer("prod", told, counts(), end).endswith("no partition was offline; in-sync replicas are unknown.")
    shown = {one.label: one.value for one in figures(told.assign(brokers_down=untold, offline=untold), counts())}
    assert (shown["Broker state changes"], shown["Leader changes"]) == ("unknown", "unknown")
    assert {one.label: one.value for one in figures(told, counts())}["Broker state changes"] == "0"
    assert "no broker went down or came up and no replica moved" in answer("prod", told, counts(), end)
    assert "prod, the last 10 min: no replica moved;" in answer("prod", told.assign(brokers_down=untold), counts(), end)
    between = snapshots([0, 0, 0]).assign(
        brokers_down=pd.array([0, None, 1], "Int64")
    )  # down unseen, as neighbours say
    assert {one.label: one.value for one in figures(between, counts())}["Broker state changes"] == "unknown"
    assert "no broker" not in answer("prod", between, counts(), end)
    assert answer("prod", told.assign(offline=untold), counts(), end).endswith(
        "offline and under-replicated partitions are unknown."
    )


def test_a_single_snapshot_tells_what_is_broken():
    """That there is nothing to compare with yet hides nothing."""
    assert answer("prod", snapshots([24]), counts(), START) == (
        "prod: one snapshot, of 2026-05-01 00:00 UTC, with 24 partitions offline. Changes show from the second on."
    )
    assert "offline" not in answer("prod", snapshots([0]), counts(), START)


def drawn(told: pd.DataFrame, axis: str, *, filled: bool) -> list[tuple[list[object], list[float]]]:
    """The lines, or the areas, of a panel of the figure: (times, values)."""
    made = figure(series(told), [], {}, selected=None, ends=None)
    traces = [one for one in made.data if one.type == "scatter" and one.yaxis == axis]
    return [(list(one.x), list(one.y)) for one in traces if (one.fill == "tozeroy") is filled]


def test_neither_line_nor_area_bridges_a_gap():
    """Where snapshots are missing nothing is drawn: not a slope from the size before to the size after."""
    sizes = pd.array([5.0] * 6 + [9.0] * 6, "Float64")
    late = snapshots([0] * 6).assign(taken_at=lambda t: t["taken_at"] + timedelta(days=90))
    told = pd.concat([snapshots([0] * 6), late], ignore_index=True).assign(size_bytes=sizes)
    before, after = told["taken_at"].iloc[5] + timedelta(minutes=20), told["taken_at"].iloc[6]
    ((when, size),) = drawn(told, "y5", filled=True)
    ((_, line),) = drawn(told, "y5", filled=False)
    beyond = [pd.Timestamp(moment).tz_localize("UTC") for moment in when]

    assert [value for moment, value in zip(beyond, size, strict=True) if before <= moment <= after] == [5, 0, 0, 9]
    assert np.isnan(line).sum() == 2
    assert size[-1] == 9


def test_a_moment_whose_neighbours_tell_nothing_is_drawn():
    """A number that one snapshot alone tells lasts until the next one."""
    told = snapshots([0, 0, 0]).assign(size_bytes=pd.array([None, 7.0, None], "Float64"))
    ((when, size),) = drawn(told, "y5", filled=False)

    assert np.flatnonzero(np.array(size) == 7).tolist() == [2, 3]
    assert when[2] < when[3]


def test_a_moment_is_told_in_words_and_in_the_pages_own_type():
    """What the numbers are is said with them; the label is set like all else."""
    made = figure(series(snapshots([3, 0])), [], {}, selected=0, ends=None)
    hover = next(one.customdata[0][1] for one in made.data if one.yaxis == "y6")

    assert hover.split("<br>")[1:3] == ["3 offline, 0 under-replicated", "findings: 0 critical, 0 warning, 0 info"]
    assert made.layout.template.layout.hoverlabel.font.family == made.layout.template.layout.font.family


def test_the_figure_says_what_is_not_told():
    """An empty panel is not a panel of zeros."""
    told = snapshots([None, None])
    titles = [one.text for one in figure(series(told), [], {}, selected=0, ends=None).layout.annotations]

    assert "offline: unknown" in titles[0]
    assert "under-replicated: unknown" not in titles[0]


def test_what_is_unknown_of_a_panel_is_said_once():
    """Behind each line's name it was longer than a phone is wide, and cut."""
    told = snapshots([3, 0])
    told[["replica_variation", "leader_variation", "byte_variation"]] = None
    title = figure(series(told), [], {}, selected=0, ends=None).layout.annotations[2].text

    assert title == "Imbalance, %: unknown"

    told["replica_variation"] = 0.1
    title = figure(series(told), [], {}, selected=0, ends=None).layout.annotations[2].text

    assert title.endswith("</span> replicas  leaders, bytes: unknown")


def found_in(*rows: tuple[int, str, str]) -> pd.DataFrame:
    """Rows of ``findings``: number of the snapshot (an hour apart), kind, severity."""
    return pd.DataFrame(
        [
            {"taken_at": START + timedelta(hours=h), "kind": kind, "severity": severity, "sentence": f"{kind}: unknown"}
            for h, kind, severity in rows
        ],
        columns=["taken_at", "kind", "severity", "sentence"],
    )


def test_no_state_of_a_broker_is_no_reason_to_fail():
    """A history of texts: neither the marks nor what a moment says under the pointer count brokers that are down."""
    untold = pd.array([None, None], "Int64")
    told = snapshots([0, 0]).assign(brokers_down=untold)
    shown = series(told)

    assert events(broker_changes(), counts(), RACKS, told, found_in((0, "log_dir_full", "attention"))) != []
    assert not any("brokers down" in hover_words(row) for row in shown.moments.to_dict("records"))


def hourly(hours) -> pd.DataFrame:
    """Rows of ``snapshots``, an hour apart."""
    return pd.DataFrame({"taken_at": [START + timedelta(hours=h) for h in hours], "partitions": 1, "replicas": 1})


def test_findings_are_found_and_mended_by_name():
    """What comes back within hours is one; what the first snapshot has began before, what the last has goes on."""
    hours = range(12)
    told = hourly(hours)
    seen = found_in(
        *((h, "replica_skew", "attention") for h in hours),  # before and after all that is seen
        *((h, "offline", "broken") for h in (2, 3)),
        *((h, "under_replicated", "attention") for h in (2, 3, 5, 6)),  # one snapshot between is no mend
        *((h, "log_dir_full", "attention") for h in (0, 1, 11)),
        (40, "no_quorum", "broken"),  # of no snapshot that is asked about
    )
    found = events(broker_changes(), counts(), RACKS, told, seen)

    assert [(event.at, event.kind, event.sentence) for event in found] == [
        (
            START + timedelta(hours=2),
            "found",
            "found: No leader (critical), Under-replicated; mended: Log directory nearly full",
        ),
        (START + timedelta(hours=4), "mended", "mended: No leader"),
        (START + timedelta(hours=7), "mended", "mended: Under-replicated"),
        (START + timedelta(hours=11), "found", "found: Log directory nearly full"),
    ]


def test_what_a_snapshot_could_not_read_is_not_mended_by_it():
    """Nobody asks a broker that is down for its disks; the settings are another matter, and nothing else is kept."""
    told = hourly(range(9))
    seen = found_in(
        *((h, "log_dir_error", "broken") for h in (1, 2)),  # its broker goes down, and comes back without the fault
        (3, "byte_skew", "attention"),
        *((h, "unclean_enabled", "attention") for h in (1, 2, 7)),  # 8 is of a text
    )
    silent = ("Sizes and log directories of broker 4 are unknown: It does not answer.",)
    rows = told.assign(way=["admin"] * 8 + ["text"], **dict.fromkeys(TOLD_IN, 0))
    unseen = unseen_by(
        rows,
        pa.table({"taken_at": [START + timedelta(hours=h) for h in (3, 4)], "rack": ["a", "a"]}),
        {START + timedelta(hours=h): silent for h in (5, 6)},
        (),
        key="taken_at",
    )
    found = events(broker_changes(), counts(), RACKS, told, seen, unseen=unseen)

    assert [(event.at, event.sentence) for event in found] == [
        (START + timedelta(hours=1), "found: Log directory offline (critical), Unclean election enabled"),
        (
            START + timedelta(hours=3),
            "found: Sizes not balanced; mended: Unclean election enabled",
        ),
        (
            START + timedelta(hours=7),
            "found: Unclean election enabled; mended: Sizes not balanced, Log directory offline",
        ),
    ]


def test_what_matters_less_is_not_mended():
    """A warning of which a little is left is information then, and no mark; once nothing is left it is over."""
    seen = found_in(
        *((h, "not_preferred_leader", "attention") for h in (1, 2, 20)),
        *((h, "not_preferred_leader", "note") for h in (0, *range(3, 20))),
    )
    found = events(broker_changes(), counts(), RACKS, hourly(range(24)), seen)

    assert [(event.at, event.sentence) for event in found] == [
        (START + timedelta(hours=1), "found: Non-preferred leaders"),
        (START + timedelta(hours=21), "mended: Non-preferred leaders"),
    ]


def test_a_stretch_that_is_over_names_its_end():
    """History that ended a week ago is not "the last" anything."""
    end = START + timedelta(days=7)

    assert stretch(START, end, end + timedelta(hours=1)) == "the last 7 days"
    assert stretch(end - timedelta(days=1), end, end) == "the last 24 h"
    assert stretch(START, end, end + timedelta(days=9)) == "the 7 days to Friday 2026-05-08 00:00 UTC"


def test_read_asks_for_all_that_the_page_draws(history):
    """Snapshots, counts and marks of one cluster; nothing of another."""
    told = read(history, "shop", None, None)

    assert len(told.snapshots) == 4
    assert [event.kind for event in told.marks if event.kind not in ("found", "mended")] == ["gone", "came"]
    assert [event.kind for event in told.marks] == ["found", "gone", "mended", "came", "mended"]
    assert last_moment(history, "shop") == told.snapshots["taken_at"].iloc[-1]
    assert last_moment(history, "nobody") is None
    assert read(history, "shop", START + timedelta(days=40), None).snapshots.empty


def test_the_size_of_what_a_broker_that_is_down_holds_is_no_loss(tmp_path):
    """Nobody asks it for sizes: the rest of them is a lower bound, and less of it no change."""
    lists = {("orders", 0): [1, 2], ("orders", 1): [2, 1]}
    whole = ClusterLayout.from_assignments(lists, size_bytes=dict.fromkeys(lists, 1e9))
    sizes = np.where(whole.replica_ids == 2, np.nan, 1e9)
    taken = (
        snapshot(whole, "shop", "2026-05-01T01:00"),
        snapshot(replace(whole, size_bytes=sizes), "shop", "2026-05-01T02:00"),
    )
    told = read(History.open(write(tmp_path, {"shop": taken}, swept=False).tables), "shop", None, None)
    size = figures(told.snapshots, told.counts, told.partly)[-1]

    assert told.partly == {taken[1].taken_at}
    assert told.drawn["size_bytes"].isna().tolist() == [False, True]
    assert (size.label, size.value, size.delta) == ("Size of all replicas", "at least 2.0 GB", None)


def test_changes_are_searched_by_topic_partition_and_broker(history):
    """A part of a topic's name, topic-partition, or an id; a text that is none finds nothing."""
    first, last = START, START + timedelta(days=3)
    rows = read_changes(history, "shop", first, last, KINDS)

    assert rows["taken_at"][0].as_py() > rows["taken_at"][-1].as_py()
    assert set(matching(rows, "REFUND")["topic"].to_pylist()) == {"refunds"}
    assert set(matching(rows, "orders-3")["partition"].to_pylist()) == {3}
    assert None in matching(rows, "4")["topic"].to_pylist()
    assert len(matching(rows, "nothing is called so")) == 0
    assert len(matching(rows, " ")) == len(rows)


def test_only_the_kinds_asked_for_are_read(history):
    """A choice of kinds is pushed down to the files."""
    rows = read_changes(history, "shop", START, START + timedelta(days=3), ["broker_gone"])

    assert rows["kind"].to_pylist() == ["broker_gone"]
    assert as_table(rows)["change"].tolist() == ["✖ broker down"]


def test_a_csv_of_changes_holds_no_formula(history):
    """A topic whose name a spreadsheet would take for a formula gets an apostrophe; ids stay whole numbers."""
    rows = read_changes(history, "shop", START, START + timedelta(days=3), ["replica_added"])
    hostile = rows.set_column(rows.schema.get_field_index("topic"), "topic", pa.array(["=1+1"] * len(rows)))
    text = as_csv(hostile)

    assert "'=1+1" in text
    assert ",0,1," in text


def test_of_too_many_changes_the_newest_are_read(monkeypatch):
    """From the end of the stretch as far as there is room; the last moment's in any case."""
    monkeypatch.setattr(compare, "MOST", 10)
    told = counts((10, "leader_moved", 6), (20, "leader_moved", 6), (30, "leader_moved", 4), (30, "isr_grown", 9))
    end = START + timedelta(minutes=30)

    assert beginning(told, START, end, ["leader_moved"]) == (START + timedelta(minutes=10), 16)
    assert beginning(told, START, end, ["isr_grown"]) == (START, 9)
    assert beginning(told, START, end, KINDS) == (START + timedelta(minutes=20), 25)


def test_both_layouts_as_one_have_what_either_has():
    """A topic that was deleted is a column, a broker that is gone a row, and what both have is as it is later."""
    before = ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("b", 0): [2]}, brokers=[Broker(1), Broker(2), Broker(3)]
    )
    after = ClusterLayout.from_assignments(
        {("b", 0): [4], ("c", 0): [1, 2, 4]}, brokers=[Broker(1), Broker(2), Broker(4)]
    )
    made = both(before, after)

    assert made.assignments() == {("a", 0): [1, 2], ("b", 0): [4], ("c", 0): [1, 2, 4]}
    assert made.broker_ids.tolist() == [1, 2, 3, 4]
    assert both(after, after).digest == after.digest


def test_a_moment_is_named_in_full_and_read_back():
    """What an address names is what was looked at; what names nothing is refused."""
    past = Past("shop", "0" * 32, START)

    assert past.name == "shop, 2026-05-01 00:00 UTC"
    assert Past.from_link(past.link) == Past("shop", "0" * 32)
    assert clock(START + timedelta(seconds=5)) == "2026-05-01 00:00:05 UTC"
    for bad in ("shop", "/" + "0" * 32, "a/b/" + "0" * 32, "shop/xyz", "shop/" + "0" * 31):
        with pytest.raises(ValueError, match="32 hexadecimal digits"):
            Past.from_link(bad)
