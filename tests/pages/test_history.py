"""The History page in each of its states: empty, one snapshot, some, unfinished, partial, refused, huge."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from components.state import caching
from components.state.follow import open_past
from components.state.store import KEY
from reseat.history import series
from reseat.history.schema import arrow_schema
from reseat.model import Wish
from reseat.model.edits import Edits
from tests.history.made import FIRST_DAY, Made, history, write

from .conftest import address, tables, texts, through, visit

_APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A landing zone and the tables made of it."""
    return write(tmp_path_factory.mktemp("history-page"))


def page(made: Made, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    """The page over these tables."""
    monkeypatch.setenv("RESEAT_LANDING", str(made.landing))
    monkeypatch.setenv("RESEAT_TABLES", str(made.tables))
    return visit("history", **query)


def shown(at: AppTest) -> dict[str, str]:
    """The figures under the sentence, by name."""
    return {metric.label: metric.value for metric in at.metric}


def test_without_tables_it_says_how_to_begin(tmp_path, monkeypatch):
    """Before anything landed: what to do first, and a demo week one click away."""
    at = page(Made(tmp_path / "landing", tmp_path / "tables", {}), monkeypatch)

    assert not at.exception
    assert "save a first snapshot" in texts(at)
    assert any(button.key == "pipeline-demo" for button in at.button)
    assert any(code.value.startswith("python -m reseat pipeline run ") for code in at.code)


def test_it_answers_in_one_sentence_and_six_figures(made, monkeypatch):
    """What happened, and when it was worst, of the cluster that the address names."""
    at = page(made, monkeypatch, cluster="shop")

    assert not at.exception
    assert "brokers went down or came up 2 times and 1 replica added or moved" in texts(at)
    assert "the worst snapshot was Friday 15:10 UTC, 1 partition offline" in texts(at)
    assert shown(at)["Snapshots"] == "4"
    assert shown(at)["Broker state changes"] == "2"
    assert shown(at)["Max offline partitions"] == "1"


def test_the_worst_moment_is_looked_at_first(made, monkeypatch):
    """Nothing was clicked yet: the worst moment stands under the figure, with its worst finding."""
    at = page(made, monkeypatch, cluster="shop")

    assert "Friday 2026-05-01 15:10 UTC" in texts(at)
    assert "no leader" in texts(at)


def test_two_moments_are_compared_by_the_core_and_by_their_changes(made, monkeypatch):
    """First against last: what is different, and every change in between with its time."""
    at = page(made, monkeypatch, cluster="shop")
    table = next(table.value for table in tables(at) if "time" in table.value)

    assert "From 2026-05-01 03:10 UTC to 2026-05-02 15:10 UTC" in [heading.value for heading in at.header]
    assert "1 replica was added, 1 replica was removed" in texts(at)
    assert table["time"].iloc[0] == "2026-05-02 15:10:00"
    assert table["time"].iloc[-1] == "2026-05-01 15:10:00"
    assert {"✖ broker down", "✔ broker up"} <= set(table["change"])


def test_a_link_names_the_two_moments(made, monkeypatch):
    """Cluster, A and B of the address are those compared, and stay in the address."""
    first, second = made.ids("shop")[:2]
    at = page(made, monkeypatch, cluster="shop", a=first, b=second)
    query = {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}

    assert "From 2026-05-01 03:10 UTC to 2026-05-01 15:10 UTC" in [heading.value for heading in at.header]
    assert (query["a"], query["b"], query["cluster"]) == (first, second, "shop")


LEFT_OUT = ("for ever", "2026-02-31:2026-05-01")


@pytest.mark.parametrize(
    ("time", "shown_as", "days"),
    [
        ("1d", "24 hours", None),
        ("all", "All", None),
        ("2026-05-01:2026-05-01", "From – to", (date(2026, 5, 1), date(2026, 5, 1))),
        ("2026-02-31:2026-05-01", "From – to", (date(2026, 5, 1), date(2026, 5, 2))),
        ("for ever", "7 days", None),
    ],
)
def test_a_link_names_the_stretch_of_time(made, monkeypatch, time, shown_as, days):
    """Whole again in the address; days that cannot be are those that there are, and what is no time is a week."""
    at = page(made, monkeypatch, cluster="shop", time=time)
    (chosen,) = [one for one in at.segmented_control if one.label == "Time"]
    told = at.query_params["time"]

    assert not at.exception
    assert chosen.value == shown_as
    assert days is None or at.date_input[0].value == days
    assert (f"Left out, because it is not offered here: time={time}." in texts(at)) is (time in LEFT_OUT)
    assert (told if isinstance(told, str) else told[0]) == {
        "for ever": "7d",
        "2026-02-31:2026-05-01": "2026-05-01:2026-05-02",
    }.get(time, time)


def test_a_link_names_the_moment_that_was_clicked(made, monkeypatch):
    """Chosen, it stands in the address; opened there, it is looked at; one of another cluster is not."""
    ids = made.ids("shop")
    at = page(made, monkeypatch, cluster="shop", moment=ids[1])
    query = {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}

    assert "Friday 2026-05-01 15:10 UTC" in texts(at)
    assert query["moment"] == ids[1]

    at = page(made, monkeypatch, cluster="007", moment=ids[1])

    assert not at.exception
    assert "moment" not in at.query_params

    at = page(made, monkeypatch, cluster="shop")

    assert "moment" not in at.query_params

    at.button(key="history-look-A").click().run()

    assert at.query_params["moment"] in (ids[0], [ids[0]])


def test_a_link_to_long_ago_shows_its_own_moments(tmp_path, monkeypatch):
    """Where the week before the last snapshot does not hold them, the stretch is as long as it must be."""
    first = history()["007"][0]
    taken = tuple(replace(first, taken_at=first.taken_at + timedelta(days=days)) for days in (0, 1, 90))
    made = write(tmp_path, {"007": taken})
    ids = made.ids("007")
    at = page(made, monkeypatch, a=ids[0], b=ids[1])

    assert "From 2026-05-01 00:00 UTC to 2026-05-02 00:00 UTC" in [heading.value for heading in at.header]
    assert "in the history, maybe" not in texts(at)


def test_a_link_that_names_what_is_gone_says_so(made, monkeypatch):
    """Something else is shown then, and nobody takes it for what was linked; a choice of one's own ends the word."""
    ids = made.ids("shop")
    at = page(made, monkeypatch, cluster="shop", a="0" * 32, b=ids[2])

    assert "The link's snapshot A is no longer in the history" in texts(at)
    assert "From 2026-05-01 03:10 UTC to 2026-05-02 03:10 UTC" in [heading.value for heading in at.header]

    at.select_slider[0].set_value((ids[1], ids[2])).run()

    assert "in the history, maybe" not in texts(at)

    at = page(made, monkeypatch, cluster="shop", moment="0" * 32)

    assert "The link's selected snapshot is no longer in the history" in texts(at)

    next(button for button in at.button if button.label == "Show B").click().run()

    assert "in the history, maybe" not in texts(at)

    at = page(made, monkeypatch, cluster="<b>shop-2")

    assert "is not in the history. Showing another one" in texts(at)
    assert not at.exception


@pytest.mark.parametrize("asked", [{"heat_topic": "nope"}, {"heat_measure": "bits"}, {"heat_rows": "0-99"}], ids=str)
def test_what_a_link_to_the_difference_asks_for_in_vain_is_said_once(made, monkeypatch, asked):
    """As on the Heatmap."""
    at = page(made, monkeypatch, cluster="shop", compare="heatmap", **asked)
    ((name, said),) = asked.items()

    assert not at.exception
    assert texts(at).count(f"Left out, because it is not offered here: {name}={said}.") == 1


def test_a_link_names_its_cluster_whatever_moment_it_opens(made, monkeypatch):
    """The layout of the link is a moment of one cluster, its page the history of another: both are as linked."""
    monkeypatch.setenv("RESEAT_LANDING", str(made.landing))
    monkeypatch.setenv("RESEAT_TABLES", str(made.tables))
    at = visit("history", cluster="shop", past=f"007/{made.ids('007')[0]}")

    assert "shop, the" in texts(at)
    assert "snapshot: 2026-05-01 00:00 UTC" in texts(at)


def test_the_handles_choose_other_moments(made, monkeypatch):
    """Moving a handle compares other moments; both on one moment is said."""
    at = page(made, monkeypatch, cluster="shop")
    ids = made.ids("shop")
    at.select_slider[0].set_value((ids[1], ids[2])).run()

    assert "From 2026-05-01 15:10 UTC to 2026-05-02 03:10 UTC" in [heading.value for heading in at.header]

    at.select_slider[0].set_value((ids[2], ids[2])).run()

    assert not at.exception
    assert "A and B are the same snapshot" in texts(at)


def test_a_longer_stretch_is_compared_from_its_own_beginning(made, monkeypatch):
    """A handle that nobody moved goes with the end of the stretch; one that was moved stays at its moment."""
    at = page(made, monkeypatch, cluster="shop")
    ids = made.ids("shop")
    at.segmented_control(key="history-range").set_value("24 hours").run()

    assert "From 2026-05-01 15:10 UTC to 2026-05-02 15:10 UTC" in [heading.value for heading in at.header]

    at.segmented_control(key="history-range").set_value("All").run()

    assert "From 2026-05-01 03:10 UTC to 2026-05-02 15:10 UTC" in [heading.value for heading in at.header]

    at.select_slider[0].set_value((ids[2], ids[3])).run()
    at.segmented_control(key="history-range").set_value("24 hours").run()

    assert "From 2026-05-02 03:10 UTC to 2026-05-02 15:10 UTC" in [heading.value for heading in at.header]


def test_of_one_snapshot_no_change_of_size_is_said(made, monkeypatch):
    """A day that has one: there is nothing before it to differ from."""
    at = page(made, monkeypatch, cluster="007", time="2026-05-01:2026-05-01")

    assert shown(at)["Snapshots"] == "1"
    assert [metric.delta for metric in at.metric if metric.label == "Size of all replicas"] == [""]


def test_the_moment_looked_at_becomes_one_of_the_two(made, monkeypatch):
    """The button "from here" puts A there, and the two stay in the order of time."""
    at = page(made, monkeypatch, cluster="shop")
    at.button(key="history-from").click().run()

    assert "From 2026-05-01 15:10 UTC to 2026-05-02 15:10 UTC" in [heading.value for heading in at.header]


def test_any_moment_can_be_looked_at_without_a_mouse(made, monkeypatch):
    """A handle moved with the keys, and a button: what a click on the figure does."""
    at = page(made, monkeypatch, cluster="shop")
    ids = made.ids("shop")
    at.select_slider[0].set_value((ids[2], ids[3])).run()
    at.button(key="history-look-A").click().run()

    assert "Saturday 2026-05-02 03:10 UTC" in texts(at)
    assert "From 2026-05-02 03:10 UTC to 2026-05-02 15:10 UTC" in [heading.value for heading in at.header]

    through(at, "Board", "racks")

    assert "snapshot: 2026-05-02 03:10 UTC" in texts(at)


@pytest.mark.parametrize("view", ["Net difference", "Heatmap of the difference"])
def test_each_view_of_the_difference_is_drawn(made, monkeypatch, view):
    """The list and the heatmap of what is different."""
    at = page(made, monkeypatch, cluster="shop")
    at.segmented_control(key="history-view").set_value(view).run()

    assert not at.exception
    if view == "Net difference":
        table = next(table.value for table in tables(at) if "change" in table.value)
        assert set(table["change"]) == {"+ replica added", "− replica removed", "→ leader moved"}
    else:
        assert "fewer in B" in texts(at)


def test_all_topics_of_the_difference_are_shown_again(made, monkeypatch):
    """One topic's partitions, as its link opens them, and back out."""
    at = page(made, monkeypatch, cluster="shop", compare="heatmap", heat_topic="orders")

    assert address(at)["heat_topic"] == "orders"

    at.button(key="history-heat-out").click().run()

    assert not at.exception
    assert "heat_topic" not in address(at)
    assert not [button for button in at.button if button.key == "history-heat-out"]


def test_a_moment_opens_on_another_page(made, monkeypatch):
    """The button leads to the page, and the strip there tells the past."""
    at = page(made, monkeypatch, cluster="shop")
    through(at, "Overview", "overview")

    assert not at.exception
    assert at.session_state[KEY].current == "shop, 2026-05-01 15:10 UTC"
    assert "snapshot: 2026-05-01 15:10 UTC" in texts(at)


def cluster_of(at):
    """The field that says whose history is shown."""
    return next(field for field in at.selectbox if field.label == "Cluster")


def test_another_moment_looked_at_brings_its_cluster(made, monkeypatch):
    """Who chose one cluster here and then opens a moment of another sees that one's history."""
    at = page(made, monkeypatch)
    cluster_of(at).set_value("shop").run()
    through(at, "Overview", "overview")
    at.switch_page("pages/history.py").run()
    cluster_of(at).set_value("007").run()

    assert "007, the" in texts(at)

    session_of = at.session_state[KEY]
    open_past(session_of, made.snapshots["shop"][2], made.ids("shop")[2], Wish(), Edits())
    at.run()

    assert not at.exception
    assert "shop, the" in texts(at)


def test_a_stretch_without_snapshots_says_so(tmp_path, monkeypatch):
    """A day between the first and the last on which nothing landed is no fault."""
    first, second = history()["007"]
    made = write(tmp_path, {"007": (first, replace(second, taken_at=second.taken_at + timedelta(days=1)))})
    at = page(made, monkeypatch)
    at.segmented_control(key="history-range").set_value("From – to").run()
    at.date_input[0].set_value((date(2026, 5, 2), date(2026, 5, 2))).run()

    assert not at.exception
    assert "No snapshots of 007 in this period" in texts(at)


def test_a_stretch_holds_both_its_ends(made, monkeypatch):
    """Two snapshots a day apart are both of the last 24 hours of the history."""
    at = page(made, monkeypatch, cluster="007")
    at.segmented_control(key="history-range").set_value("24 hours").run()

    assert not at.exception
    assert shown(at)["Snapshots"] == "2"


def test_one_snapshot_has_nothing_to_compare(tmp_path, monkeypatch):
    """With a single snapshot the page draws it, and says what the next one will bring."""
    at = page(write(tmp_path, {"shop": history()["shop"][:1]}), monkeypatch)

    assert not at.exception
    assert "Changes show from the second on" in texts(at)
    assert not at.select_slider
    assert "A and B are the same snapshot" not in texts(at)


def test_what_is_not_told_is_not_zero(tmp_path, monkeypatch):
    """A bare assignment tells no leader, ISR or size: the page says so and draws what there is."""
    from reseat.model import ClusterLayout
    from tests.history.made import snapshot

    bare = ClusterLayout.from_assignments({("orders", 0): [1, 2]})
    later = ClusterLayout.from_assignments({("orders", 0): [2, 1]})
    taken = (snapshot(bare, "bare", "2026-05-01T00:00"), snapshot(later, "bare", "2026-05-02T00:00"))
    monkeypatch.setattr("tests.history.made.losses", lambda layout: [])
    at = page(write(tmp_path, {"bare": tuple(replace(one, controller=None) for one in taken)}), monkeypatch)

    assert not at.exception
    assert shown(at)["Max offline partitions"] == "unknown"
    assert shown(at)["Replicas"] == "2"
    assert "1 replica list changed its order" in texts(at)


def test_an_unfinished_run_and_rejected_files_are_said(tmp_path, monkeypatch):
    """Days that a stopped commit was rewriting, and files that could not be read, stand above the figure."""
    made = write(tmp_path)
    commits = made.tables / "_reseat" / "commits"
    commits.mkdir(parents=True)
    (commits / "000000000001.json").write_text(
        f'{{"add": [], "remove": [], "cluster_days": [["shop", "{FIRST_DAY}"]]}}'
    )
    bad = {
        "cluster": "shop",
        "path": "cluster=shop/x.json",
        "reason": "Not a snapshot.",
        "size_bytes": 3,
        "bytes": b"x",
    }
    pq.write_table(pa.Table.from_pylist([bad], arrow_schema("rejected")), made.tables / "rejected" / "1.parquet")
    at = page(made, monkeypatch, cluster="shop")

    assert not at.exception
    assert "ended before it rewrote 1 day of this cluster (2026-05-01)" in texts(at)
    assert any("1 saved file could not be read" in block.label for block in at.expander)

    at = page(made, monkeypatch, cluster="007")

    assert "ended before it rewrote" not in texts(at)


def test_tables_that_cannot_be_read_are_refused_in_words(tmp_path, monkeypatch):
    """A damaged file is a sentence, not a traceback."""
    made = write(tmp_path)
    (made.tables / "changes" / "cluster=shop" / f"day={FIRST_DAY}" / "x.parquet").write_bytes(b"no parquet")
    at = page(made, monkeypatch, cluster="shop")

    assert not at.exception
    assert "The table changes cannot be read" in texts(at)


def test_many_snapshots_are_drawn_as_the_worst_of_each_stretch(tmp_path, monkeypatch):
    """Where there are more snapshots than moments, the page says what was aggregated, and the worst is still there."""
    first = history()["007"][0]
    taken = tuple(replace(first, taken_at=first.taken_at + timedelta(minutes=5 * i)) for i in range(40))
    monkeypatch.setattr("tests.history.made.losses", lambda layout: [])
    monkeypatch.setattr(series.series, "__kwdefaults__", {"most": 20, "keep": ()})
    made = write(tmp_path, {"007": taken})
    at = page(made, monkeypatch)

    assert not at.exception
    assert shown(at)["Snapshots"] == "40"
    assert "40 snapshots, drawn as" in texts(at)
    assert "From 2026-05-01 00:00 UTC to 2026-05-01 03:15 UTC" in [heading.value for heading in at.header]

    # A link's two moments are compared, whichever were the worst of their stretch.
    ids = made.ids("007")
    at = page(made, monkeypatch, a=ids[11], b=ids[30])

    assert "From 2026-05-01 00:55 UTC to 2026-05-01 02:30 UTC" in [heading.value for heading in at.header]


def test_a_job_that_ended_shows_at_once(tmp_path, monkeypatch):
    """What was asked before is asked again once the tables changed."""
    whole = history()["shop"]
    made = write(tmp_path, {"shop": whole[:2]})
    at = page(made, monkeypatch, cluster="shop")

    assert shown(at)["Snapshots"] == "2"

    write(tmp_path, {"shop": whole})
    (made.tables / "_reseat" / "ledger").mkdir(parents=True)
    pq.write_table(pa.table({"path": ["one"]}), made.tables / "_reseat" / "ledger" / "1.parquet")
    at.run()

    assert shown(at)["Snapshots"] == "4"
    assert caching.history_in(str(made.tables)).where == str(made.tables)


def test_pages_over_tables_load_nothing_of_spark(made):
    """Drawn over real tables, pages have imported neither PySpark nor the pipeline: they need no Java.

    Nor has the first page, before anything is read, a solver or a cluster's client.
    """
    program = (
        "import sys; from streamlit.testing.v1 import AppTest; at = AppTest.from_file('app.py', default_timeout=60); "
        "at.run(); assert not at.exception and 'No cluster is loaded' in ' '.join(m.value for m in at.markdown)\n"
        "assert not {'pyspark', 'ortools', 'kazoo', 'kafka'} & set(sys.modules)\n"
        "at.query_params['view'] = 'fleet'\n"
        "for name in ('clusters', 'history', 'resilience'):\n"
        "    at.switch_page(f'pages/{name}.py').run(); assert not at.exception, name\n"
        "    assert 'No history yet' not in ' '.join(one.value for one in at.markdown), name\n"
        "found = [m for m in sys.modules if m.split('.')[0] == 'pyspark' or m.startswith('reseat.pipeline')]\n"
        "sys.stdout.write(' '.join(found))"
    )
    places = {"RESEAT_LANDING": str(made.landing), "RESEAT_TABLES": str(made.tables)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=_APP.parent,
        check=True,
        env=os.environ | places,
    )

    assert done.stdout == ""
