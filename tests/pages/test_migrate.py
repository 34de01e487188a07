"""Migrate: two open layouts side by side; the answer, the views, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from streamlit.testing.v1 import AppTest

from components.state.opened import Opened as OpenedLayout
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.formats import Reading
from reseat.model import Broker, ClusterLayout
from reseat.model.edits import Edits

from .conftest import small, tables, texts

TARGET = ClusterLayout.from_assignments(
    {("old", 0): [11, 12], ("old", 1): [12, 11]}, brokers=[Broker(11, "x"), Broker(12, "y"), Broker(13, "z")]
)


@pytest.fixture
def migrate(app: AppTest):
    """The page over the small layout, with these beside it."""

    def at(*others: ClusterLayout, **query: str) -> AppTest:
        layouts = {"small": small()} | {f"target {number}": layout for number, layout in enumerate(others, 1)}
        opened = {
            name: OpenedLayout(Reading(layout, kind="a literal", source=name), datetime.now(UTC))
            for name, layout in layouts.items()
        }
        app.session_state[KEY] = SessionState(opened=opened, current="small", started=True)
        for name, value in query.items():
            app.query_params[name] = value
        return app.switch_page("pages/migrate.py").run()

    return at


def test_it_says_what_to_open_where_nothing_else_is_open(migrate):
    """With a link to where layouts are opened; no field that would do nothing."""
    at = migrate()

    assert not at.exception
    assert "Open the target, too: topics of small can move to another open layout." in texts(at)
    assert not [one for one in at.selectbox if one.label == "Target"]


def test_topics_are_told_on_both_sides(migrate):
    """The answer, figures, and the topics; the schema registry's stays and is named."""
    at = migrate(TARGET)
    (table,) = [one.value for one in tables(at) if "in the target" in one.value]

    assert not at.exception
    assert "1 topic with 3 partitions and 6.0 GB can move to the target, in 1 wave." in texts(at)
    assert "Not moved unless they are named: _schemas." in texts(at)
    assert table.iloc[0].tolist()[:4] == ["orders", "orders", 1, 3]
    assert {one.label: one.value for one in at.metric}["Fullest broker"] == "4"


def test_the_commands_and_the_property_file_are_shown(migrate):
    """To copy; and what MirrorMaker 2 does not do is a view of its own."""
    at = migrate(TARGET, detail="commands")
    codes = [one.value for one in at.code]
    at.segmented_control(key="migrate-view").set_value("Before you begin").run()

    assert codes[0].startswith("bin/kafka-topics.sh --bootstrap-server TARGET:9092 --create --topic orders")
    assert "source->target.topics = orders\n" in codes[1]
    assert "Offsets are translated, not equal" in texts(at)


def test_what_does_not_fit_has_no_commands(migrate):
    """The reason is the answer."""
    at = migrate(TARGET, detail="commands", most_replicas="2")

    assert "would be over" in texts(at) or "are too many" in texts(at)
    assert "so there are no commands" in texts(at)
    assert not [one for one in at.code if "--create" in one.value]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"moved": "nope"}, "No topic matches nope."),
        ({"moved": " , "}, "Enter names or patterns separated by commas."),
        ({"moved": "orders", "together": ","}, "Enter names or patterns separated by commas."),
        ({"prefix": "a b"}, "cannot name the source"),
        ({"moved": "orders", "together": "zero"}, "matches zero"),
    ],
)
def test_what_is_refused_is_said_once(migrate, query, said):
    """It is the answer, and the fields stay."""
    at = migrate(TARGET, **query)
    shown = texts(at) + "".join(str(one.value) for one in (*at.error, *at.warning))

    assert not at.exception
    assert shown.replace("\\", "").count(said) == 1
    assert at.text_input(key="migrate-topics")


def test_the_target_becomes_the_source_at_a_click(migrate):
    """With two open layouts the sides are exchanged; a third can be chosen."""
    at = migrate(TARGET, ClusterLayout.from_assignments({("x", 0): [1]}))
    options = at.selectbox(key="migrate-target").options
    at.button(key="migrate-swap").click().run()

    assert options == ["target 1", "target 2"]
    assert at.selectbox(key="migrate-target").options == ["small", "target 2"]
    assert "1 topic with 2 partitions of unknown size can move to the target" in texts(at)


def test_a_wave_that_takes_long_says_how_long(migrate):
    """At the rate that a person gives."""
    at = migrate(TARGET, detail="waves", rate="10")
    (table,) = [one.value for one in tables(at) if "at least" in one.value]

    assert table["at least"].tolist() == ["10 min"]


def test_topics_that_are_left_out_of_the_target_are_there_all_the_same(migrate):
    """A topic of that name is not created a second time, and what it holds counts."""
    at = migrate(TARGET, moved="orders")
    orders = {("orders", partition): [11, 12] for partition in range(3)}
    reading = Reading(
        ClusterLayout.from_assignments(orders, brokers=TARGET.brokers), kind="a literal", source="target 1"
    )
    opened = at.session_state[KEY].opened["target 1"]
    opened.reading, opened.edits = reading, Edits(without=("orders",))
    at.run()

    assert not at.exception
    assert "1 of them there already" in texts(at)
