"""The Resilience page: of the layout that is open, after its plan, of a swept snapshot; and its states."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.resilience.view import Chosen, ResilienceView
from components.state import caching
from components.state.store import KEY
from reseat.demo import generate
from reseat.errors import InputRefused
from reseat.model import ClusterLayout, Quorum, QuorumMember, Wish
from tests.history.made import Made, write

from .conftest import tables, texts, through

_APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No landing zone and no tables but those of a test."""
    monkeypatch.setenv("RESEAT_TABLES", str(tmp_path / "tables"))
    monkeypatch.setenv("RESEAT_LANDING", str(tmp_path / "landing"))


@pytest.fixture
def swept(tmp_path: Path) -> Made:
    """A small history whose snapshots were swept."""
    return write(tmp_path)


def chosen(at: AppTest, loss: Chosen) -> AppTest:
    """Open a loss's detail, as a click does."""
    at.session_state[KEY].kept["resilience-view"] = ResilienceView(chosen=loss)
    return at.run()


def press_open(at: AppTest, who: str) -> AppTest:
    """Click the link that opens the what-if."""
    return through(at, f"Open as what-if: {who} removed", "racks")


def test_every_loss_of_the_open_layout_is_tried_without_a_pipeline(opened):
    """Sentence, figures and the worst loss's detail, of a layout that nothing was landed of."""
    at = opened("resilience")

    assert not at.exception
    assert "No single broker and no rack takes a partition offline; 4 of 6 pairs do" in texts(at)
    assert [metric.value for metric in at.metric][:4] == ["1", "a", "1 + 2", "4"]
    assert "brokers 1 and 2 lost" in texts(at)
    assert "min.insync.replicas is unknown" in texts(at)


def test_a_pair_is_counted_exactly_and_opens_as_a_what_if(opened):
    """Brokers 1 and 2 hold all of orders-0; the button takes both out and goes to Racks."""
    at = chosen(opened("resilience"), Chosen("pair", (1, 2)))

    assert "brokers 1 and 2 lost" in texts(at)
    assert "**1 partition** offline" in texts(at)

    press_open(at, "brokers 1 and 2")

    assert not at.exception
    assert at.session_state[KEY].here.wish == Wish(remove=(1, 2))
    assert any(chip.label.endswith("broker 1 removed") for chip in at.button)


def test_the_detail_says_what_becomes_of_the_controllers(opened):
    """Of a loss that takes voters with it, and of no other."""
    at = opened("resilience")
    held = at.session_state[KEY].opened["small"]
    quorum = Quorum(1, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 3)))
    held.reading = replace(held.reading, quorum=quorum)
    chosen(at, Chosen("pair", (1, 2)))

    assert not at.exception
    assert "2 of 3 voters of the controller quorum (1 and 2): it is lost." in texts(at)
    chosen(at, Chosen("broker", (2,)))
    assert "1 of 3 voters of the controller quorum (2): it goes on, and no other may fail." in texts(at)
    chosen(at, Chosen("broker", (4,)))
    assert "controller quorum" not in texts(at)


def test_offline_is_told_from_lost(opened):
    """A pair that takes a partition offline while a third replica lags loses nothing for good, and that is said."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2, 3]}, leaders={("orders", 0): 1}, in_sync={("orders", 0): [1, 2]}
    )
    at = opened("resilience", layout)
    figures = {metric.label: metric.value for metric in at.metric}

    assert not at.exception
    assert "1 of 3 pairs does" in texts(at)
    assert "No pair holds every copy of a partition: the remaining copies are out of sync, not lost." in texts(at)
    assert figures["P(data loss), 2 brokers"] == "0%"


def test_after_the_plan_the_leaving_broker_is_no_loss_any_more(opened):
    """With broker 4 out, after the plan 1, 2 and 3 alone are tried, and a what-if keeps 4 out."""
    at = opened("resilience", wish=Wish(remove=(4,)))

    assert not at.exception
    assert "of 3 pairs do" in texts(at)

    press_open(chosen(at, Chosen("broker", (1,))), "broker 1")

    assert at.session_state[KEY].here.wish == Wish(remove=(1, 4))


def test_a_plan_that_cannot_be_is_refused_here_too(opened):
    """All brokers out: the refusal is said, and the losses of the layout as it is are tried."""
    at = opened("resilience", wish=Wish(remove=(1, 2, 3, 4)))

    assert not at.exception
    assert ":material/block:" in texts(at)
    assert "All 4 brokers would be" in texts(at)
    assert "4 of 6 pairs do" in texts(at)


def test_a_swept_snapshot_is_read_from_the_tables_and_opened_in_the_past(app, swept):
    """The latest snapshot of the first cluster; its what-if opens that very moment with the broker out."""
    at = app.switch_page("pages/resilience.py").run()
    at.selectbox(key="resilience-cluster").set_value("shop").run()

    assert not at.exception
    assert "takes" in texts(at)
    assert len(at.selectbox[1].options) == 4
    assert at.selectbox[1].options[0].endswith(", the latest")

    chosen(at, Chosen("pair", (4, 5)))

    assert "brokers 4 and 5 lost" in texts(at)
    assert "replica" in texts(at)

    press_open(at, "brokers 4 and 5")

    assert not at.exception
    assert at.session_state[KEY].here.wish == Wish(remove=(4, 5))
    assert "snapshot: 2026-05-02 15:10 UTC" in texts(at)


def test_a_pair_whose_landed_file_is_gone_is_counted_on_the_tables(app, swept):
    """The layout is put together from the tables, and the detail has the number of the matrix."""
    shutil.rmtree(swept.landing)
    at = app.switch_page("pages/resilience.py").run()
    chosen(at, Chosen("pair", (0, 1)))

    assert not at.exception
    assert "brokers 0 and 1 lost" in texts(at)
    assert "**1 partition** offline" in texts(at)


def test_a_pair_that_nothing_is_left_of_says_so(app, swept, monkeypatch):
    """Where the snapshot cannot be had any more the matrix stays, and the detail says why there is no more."""

    def gone(*_):
        raise InputRefused("No snapshot of that name is in the tables.")

    monkeypatch.setattr(caching, "past_snapshot", gone)
    at = app.switch_page("pages/resilience.py").run()
    chosen(at, Chosen("pair", (0, 1)))

    assert not at.exception
    assert "3 of 3 pairs do" in texts(at)
    assert "No details: retention has removed" in texts(at)

    press_open(at, "brokers 0 and 1")

    assert not at.exception
    assert "No snapshot of that name is in the tables." in texts(at)


def test_a_cluster_that_was_not_swept_offers_the_pipeline(app, tmp_path):
    """Tables without a sweep: the page says so and has the button that fills them."""
    write(tmp_path, swept=False)
    at = app.switch_page("pages/resilience.py").run()

    assert not at.exception
    assert "No snapshot of 007 is analysed yet" in texts(at)
    assert at.button(key="pipeline-run")


def test_with_nothing_at_all_there_are_two_ways_to_begin(app):
    """A layout that is opened here, or the history of clusters."""
    at = app.switch_page("pages/resilience.py").run()

    assert not at.exception
    assert [tab.label for tab in at.tabs][:1] == ["The open layout"]
    assert at.button(key="pipeline-demo")
    assert "the failure of every broker, rack and pair of brokers" in texts(at)


def test_one_broker_makes_no_pair(opened):
    """A cluster of one: no matrix, and the sentence says what its loss means."""
    at = opened("resilience", ClusterLayout.from_assignments({("orders", 0): [1]}))

    assert not at.exception
    assert "Broker 1 is the only one" in texts(at)
    assert "Pairs need two brokers." in texts(at)


def test_a_large_layout_asks_before_it_is_tried(opened, monkeypatch):
    """Above the limit nothing is counted until the person wants it."""
    from components.resilience import source

    monkeypatch.setattr(source, "MOST_PARTITIONS", 3)
    at = opened("resilience")

    assert not at.exception
    assert "analysing every failure takes about" in texts(at)
    assert not at.metric

    at.button(key="resilience-agree").click().run()

    assert len(at.metric) == 6


def test_the_tables_are_searched_and_no_more_is_sent_than_is_shown(opened):
    """60 brokers: the numbers behind the figures, by broker id, and at most 500 of 1,770 pairs."""
    at = opened("resilience", generate(60, 2_000))
    at.session_state["resilience-numbers"] = True
    at.run()

    assert not at.exception
    assert tables(at)[0].value["lost"].str.startswith("rack").sum() >= 1

    at.text_input(key="resilience-search").set_value("7").run()

    assert tables(at)[0].value["lost"].tolist()[-1] == "broker 7"

    next(one for one in at.segmented_control if one.label == "Table").set_value("Pairs").run()

    assert (tables(at)[0].value[["broker", "other broker"]] == 7).any(axis=1).all()

    at.text_input(key="resilience-search").set_value("").run()

    assert len(tables(at)[0].value) == 500
    assert "The first 500 of 1,770 pairs" in texts(at)


def test_a_chosen_measure_is_kept_and_one_that_is_not_told_is_not_offered(opened):
    """Only what the layout tells can be counted; the bars follow the switch."""
    at = opened("resilience")
    switch = next(one for one in at.segmented_control if one.label == "Count")

    assert switch.options == ["Offline", "Leaders moved"]

    switch.set_value("leaders_moved").run()

    assert not at.exception
    assert at.session_state[KEY].kept["resilience-view"].measure == "leaders_moved"
