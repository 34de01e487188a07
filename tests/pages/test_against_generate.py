"""The Plan page's view of what Kafka's --generate would have moved."""

from __future__ import annotations

import pytest

from reseat.model import Broker, ClusterLayout, Wish

from .conftest import tables, texts


def compared(opened, layout=None, wish=None):
    """The view, opened."""
    at = opened("plan", layout, wish or Wish(remove=(3,)))
    return at.segmented_control(key="plan-view").set_value("Kafka's --generate").run()


def test_the_tool_is_compared_over_its_draws(opened):
    """Both tools are drawn; the sentence has their range beside Reseat's number, and how it was counted is said."""
    at = compared(opened)

    assert not at.exception
    assert "--generate would move" in texts(at)
    assert "Reseat moves 2" in texts(at)
    assert "The tool is given 1 topic with a replica on a drained broker and 3 brokers" in texts(at)


@pytest.mark.parametrize("tool", ["Tools up to 4.0", "Tools from 4.1"])
def test_one_draw_is_shown_partition_by_partition(opened, tool):
    """On request each partition stands with its list now, in Reseat's plan and in the tool's proposal."""
    at = compared(opened)
    at.toggle(key="generate-rows").set_value(True).run()
    at.segmented_control(key="generate-tool").set_value(tool).run()
    rows = tables(at)[0].value

    assert not at.exception
    assert set(rows["topic"]) == {"orders"}
    assert not any("3" in row.split(", ") for row in rows["--generate"])
    assert int(rows["copies"].sum()) == 2


def test_another_draw_proposes_something_else(opened):
    """The draw's number is its seed: another one gives other lists, the same one the same."""
    at = compared(opened)
    at.toggle(key="generate-rows").set_value(True).run()
    lists = {}
    for seed in (0, 1, 2, 3, 0):
        at.number_input(key="generate-seed").set_value(seed).run()
        found = tuple(tables(at)[0].value["--generate"])

        assert lists.setdefault(seed, found) == found

    assert len(set(lists.values())) > 1


def test_what_the_tool_refuses_is_refused_in_its_words(opened):
    """With racks on some brokers only it asks for --disable-rack-aware; with that it answers."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2], ("orders", 1): [2, 3]}, brokers=[Broker(1, "a"), Broker(2), Broker(3)]
    )
    at = compared(opened, layout, Wish(remove=(3,)))

    assert not at.exception
    assert "Not all brokers have rack information. Add --disable-rack-aware" in texts(at)

    at.checkbox(key="generate-racks").set_value(True).run()

    assert not at.exception
    assert "--generate would move" in texts(at)


def test_a_changed_replication_factor_has_nothing_to_compare(opened):
    """The tool keeps replication factors, and the view says so."""
    at = compared(opened, wish=Wish(replication_factor=3, topics=("orders",)))

    assert not at.exception
    assert "keeps each topic's replication factor" in texts(at)
