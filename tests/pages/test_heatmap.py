"""The Heatmap page: what it says, what it offers, and what it does where nothing fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from streamlit.testing.v1 import AppTest

from components.state.store import KEY
from reseat.formats import Reading
from reseat.model import Broker, ClusterLayout, Wish

from .conftest import Opened, small, texts, visit


def choices(at: object, label: str) -> list[str]:
    """What a control with this label offers."""
    widgets = [*at.selectbox, *at.get("button_group")]  # type: ignore[attr-defined]
    found = next(widget for widget in widgets if widget.label == label)
    return [getattr(option, "content", option) for option in found.options]


def test_it_names_the_fullest_and_the_emptiest_broker(opened: Opened) -> None:
    """The sentence counts replicas against the mean; nothing of a plan is offered without a what-if."""
    at = opened("heatmap")

    assert not at.exception
    assert "Broker 1 has the most replicas: 3. The mean is 2; broker 4 has the fewest: 1." in texts(at)
    assert "4 brokers by 2 topics" in texts(at)
    assert not [box for box in at.get("button_group") if box.label == "Show"]


def test_measures_that_are_not_told_are_not_offered(opened: Opened) -> None:
    """A layout without leaders, ISR and sizes offers replicas and preferred leaders alone."""
    at = opened("heatmap", ClusterLayout.from_assignments({("a", 0): [1, 2]}))

    assert choices(at, "Measure") == ["Replicas", "Preferred leaders"]
    assert choices(opened("heatmap"), "Measure") == [
        "Replicas",
        "Leaders",
        "Preferred leaders",
        "Bytes",
        "Out of sync",
    ]


def test_a_what_if_offers_after_and_difference(opened: Opened) -> None:
    """With a broker out the plan's outcome can be shown; a refused what-if is said and the present stays."""
    at = opened("heatmap", wish=Wish(remove=(4,)))

    assert not at.exception
    assert choices(at, "Show") == ["After the plan", "Change (after − before)"]

    at.segmented_control(key="strip-after-True").set_value(False).run()

    assert choices(at, "Show") == ["Current state", "Change (after − before)"]
    assert at.query_params["show"] in ("present", ["present"])

    refused = opened("heatmap", ClusterLayout.from_assignments({("a", 0): [1, 2]}), wish=Wish(remove=(2,)))

    assert not refused.exception
    assert ":material/block:" in texts(refused)
    assert "Replication factor 2 needs as many brokers, but only 1 broker" in texts(refused)
    assert not [box for box in refused.get("button_group") if box.label == "Show"]
    assert "2 brokers by 1 topic" in texts(refused)


def test_a_search_without_a_match_says_so(opened: Opened) -> None:
    """No topic has the name: the page says it instead of drawing nothing."""
    at = opened("heatmap")
    at.text_input(key="heat-search").set_value("no such topic").run()

    assert not at.exception
    assert "No topic matches." in texts(at)


def test_a_link_to_columns_that_the_filter_leaves_out_shows_what_it_finds(opened: Opened, app: AppTest) -> None:
    """The second column of one topic is none; that topic is there all the same."""
    app.query_params.update({"heat_search": "orders", "heat_columns": "1-2"})
    at = opened("heatmap")

    assert not at.exception
    assert "No topic matches." not in texts(at)
    assert "4 brokers by 1 topic" in texts(at)


def test_a_cluster_without_partitions_is_drawn(opened: Opened) -> None:
    """Brokers alone (a racks file, registrations) are rows without columns, not a fault."""
    at = opened("heatmap", ClusterLayout.from_assignments({}, brokers=[Broker(1), Broker(2)]))

    assert not at.exception
    assert "No topic in this layout." in texts(at)
    assert "2 brokers by 0 topics" in texts(at)


def test_another_layout_of_the_session_can_be_compared(opened: Opened, app: object) -> None:
    """Any two layouts read are compared; the other's name stands in the sentence."""
    from datetime import UTC, datetime

    from components.state.opened import Opened as OpenedLayout
    from components.state.store import KEY

    at = opened("heatmap")
    later = small().assignments() | {("orders", 0): [1, 3]}
    reading = Reading(ClusterLayout.from_assignments(later), kind="a literal", source="later")
    at.session_state[KEY].opened["later"] = OpenedLayout(reading, datetime.now(UTC))
    at.run()

    assert choices(at, "Show") == ["Current state", "Difference from another layout"]


def test_a_difference_says_who_has_more_and_less(opened: Opened) -> None:
    """With broker 4 out its replica goes to one other; the sums of the table are changes too."""
    at = opened("heatmap", wish=Wish(remove=(4,)))
    next(box for box in at.segmented_control if box.label == "Show").set_value("Change (after − before)").run()

    assert not at.exception
    assert "Broker 4 has 1 replica fewer after the plan, broker 3 has 1 replica more." in texts(at)


def test_a_broker_that_leaves_is_not_called_the_emptiest(opened: Opened) -> None:
    """After the plan the brokers that stay are compared; the one that leaves holds nothing on purpose."""
    at = opened("heatmap", wish=Wish(remove=(4,)))

    assert "After the plan broker 1 has the most replicas: 3." in texts(at)
    assert "broker 4 has the fewest" not in texts(at)


def test_while_a_reassignment_runs_the_present_is_what_is_there_now(opened: Opened) -> None:
    """The plan starts from the target, but the present still has the replicas that are moving out."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [2, 3, 1], ("t", 1): [3, 2]}, brokers=[Broker(4)]),
        adding=np.array([[False, True, False], [False, False, False]]),
        removing=np.array([[False, False, True], [False, False, False]]),
    )
    at = opened("heatmap", layout, wish=Wish(remove=(3,)))
    at.segmented_control(key="strip-after-True").set_value(False).run()

    assert not at.exception
    assert "broker 4 has the fewest: 0" in texts(at)
    assert "The mean is 1.2;" in texts(at)


def test_the_difference_of_a_topics_partitions_is_told_as_a_difference(opened: Opened) -> None:
    """Drawn as states (moving in, moving out), the sentence still says who has more and who fewer."""
    at = opened("heatmap", wish=Wish(remove=(4,)))
    next(box for box in at.segmented_control if box.label == "Columns").set_value("Partitions").run()
    next(box for box in at.segmented_control if box.label == "Show").set_value("Change (after − before)").run()

    assert not at.exception
    assert "Broker 4 has 1 replica fewer after the plan" in texts(at)


def test_a_link_opens_the_part_that_it_names(opened: Opened) -> None:
    """Brokers 1 and 2 of four; what the layout does not have is left out, and the address follows what is shown."""
    at = opened("overview").switch_page("pages/heatmap.py")
    at.query_params["heat_rows"] = "0-2"
    at.query_params["heat_columns"] = "0-900"
    at.run()

    assert not at.exception
    assert "Zoomed to all topics on 2 brokers: broker" in texts(at)
    assert at.query_params["heat_rows"] in ("0-2", ["0-2"])
    assert "heat_columns" not in at.query_params


def test_what_is_shown_stands_in_the_address(opened: Opened) -> None:
    """The measure, the search and the orders; a link to it opens the same."""
    at = opened("heatmap")
    at.selectbox(key="heat-measure").set_value("Bytes").run()
    at.text_input(key="heat-search").set_value("order").run()
    at.selectbox(key="heat-topic-order").set_value("least balanced first").run()
    at.selectbox(key="heat-broker-order").set_value("by id").run()
    query = {name: value for name, value in at.query_params.items() if name.startswith("heat_")}
    said = texts(at)

    assert {name: value if isinstance(value, str) else value[0] for name, value in query.items()} == {
        "heat_measure": "bytes",
        "heat_search": "order",
        "heat_order": "imbalance,id",
    }

    at.session_state[KEY].kept.clear()
    again = visit("heatmap", at.session_state[KEY], **query)

    assert not again.exception
    assert again.selectbox(key="heat-measure").value == "Bytes"
    assert again.text_input(key="heat-search").value == "order"
    assert again.selectbox(key="heat-topic-order").value == "least balanced first"
    assert again.selectbox(key="heat-broker-order").value == "by id"
    assert texts(again) == said


def test_rows_can_be_log_directories(opened: Opened) -> None:
    """Offered where they are told: the sentence, the trail and the table name them; no plan is laid over them."""
    layout = replace(small(), log_dir=np.zeros((4, 2), np.int32), log_dirs=("/a",))
    at = opened("heatmap", layout, wish=Wish(remove=(4,)))
    next(box for box in at.selectbox if box.label == "Sort brokers").set_value("log directories").run()

    assert not at.exception
    assert "Log directory 1:/a has the most replicas: 3." in texts(at)
    assert "4 log directories by 2 topics" in texts(at)
    assert not [box for box in at.get("button_group") if box.label == "Show"]
    assert "log directories" not in choices(opened("heatmap"), "Sort brokers")
