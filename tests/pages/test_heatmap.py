"""The Heatmap page: what it says, what it offers, and what it does where nothing fits."""

from __future__ import annotations

from reseat.formats import Reading
from reseat.model import Broker, ClusterLayout, Wish

from .conftest import Opened, small, texts


def choices(at: object, label: str) -> list[str]:
    """What a control with this label offers."""
    widgets = [*at.selectbox, *at.get("button_group")]  # type: ignore[attr-defined]
    found = next(widget for widget in widgets if widget.label == label)
    return [getattr(option, "content", option) for option in found.options]


def test_it_names_the_fullest_and_the_emptiest_broker(opened: Opened) -> None:
    """The sentence counts replicas against the mean; nothing of a plan is offered without a what-if."""
    at = opened("heatmap")

    assert not at.exception
    assert "Broker 1: 3 replicas. Broker 4: 1; the mean is 2." in texts(at)
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
        "Behind the leader",
    ]


def test_a_what_if_offers_after_and_difference(opened: Opened) -> None:
    """With a broker out the plan's outcome can be shown; a refused what-if is said and the present stays."""
    at = opened("heatmap", wish=Wish(remove=(4,)))

    assert not at.exception
    assert choices(at, "Show") == ["Present", "After the plan", "Difference the plan makes"]

    refused = opened("heatmap", ClusterLayout.from_assignments({("a", 0): [1, 2]}), wish=Wish(remove=(2,)))

    assert not refused.exception
    assert "2 brokers by 1 topic" in texts(refused)


def test_a_search_without_a_match_says_so(opened: Opened) -> None:
    """No topic has the name: the page says it instead of drawing nothing."""
    at = opened("heatmap")
    at.text_input(key="heat-search").set_value("no such topic").run()

    assert not at.exception
    assert "No topic has that in its name." in texts(at)


def test_a_cluster_without_partitions_is_drawn(opened: Opened) -> None:
    """Brokers alone (a racks file, registrations) are rows without columns, not a fault."""
    at = opened("heatmap", ClusterLayout.from_assignments({}, brokers=[Broker(1), Broker(2)]))

    assert not at.exception


def test_another_layout_of_the_session_can_be_compared(opened: Opened, app: object) -> None:
    """Any two layouts read are compared; the other's name stands in the sentence."""
    from datetime import UTC, datetime

    from components.session import _KEY, _Opened

    at = opened("heatmap")
    later = small().assignments() | {("orders", 0): [1, 3]}
    reading = Reading(ClusterLayout.from_assignments(later), kind="a literal", source="later")
    at.session_state[_KEY].opened["later"] = _Opened(reading, datetime.now(UTC))
    at.run()

    assert choices(at, "Show") == ["Present", "Difference to another layout"]
