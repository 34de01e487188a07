"""What a person changes of a layout before looking at it."""

from __future__ import annotations

import pandas as pd

from components.shell.racks_form import edited_racks
from reseat.model import Broker, ClusterLayout
from reseat.model.edits import Edits, apply_edits, left_out_topics

LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("test-a", 0): [2, 3], ("test-b", 0): [3, 1], ("_schemas", 0): [1, 2]}, order_told=False
)


def test_no_edit_is_the_layout_itself():
    """Nothing is copied where nothing is edited."""
    assert apply_edits(LAYOUT, Edits()) is LAYOUT


def test_topics_are_left_out_by_name_pattern_and_switch():
    """A name, a pattern and the switch for internal topics each take theirs out; nothing else goes."""
    edits = Edits(without_internal=True, without=("test-*",))

    assert left_out_topics(LAYOUT.topics, edits) == ("_schemas", "test-a", "test-b")
    assert apply_edits(LAYOUT, edits).topics == ("orders",)
    assert left_out_topics(("a[1]", "a1"), Edits(without=("a[1]",))) == ("a[1]", "a1")


def test_racks_told_by_hand_make_new_brokers_too():
    """A broker that only the racks name is a broker, and a target."""
    told = apply_edits(LAYOUT, Edits(racks=((1, "a"), (9, "b"))))

    assert [(b.id, b.rack) for b in told.brokers] == [(1, "a"), (2, None), (3, None), (9, "b")]


def test_the_order_is_vouched_for_only_by_the_person():
    """Where the source does not keep the order, one word of the person makes it told, for every topic."""
    assert not apply_edits(LAYOUT, Edits()).order_told.any()
    assert apply_edits(LAYOUT, Edits(order_vouched=True)).order_told.all()


def test_an_edited_table_tells_only_what_changed():
    """A rack typed, a rack taken away and a broker added are told; an empty row and a row left as it was are not."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2, 3]}, brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, None)]
    )
    table = pd.DataFrame({"broker": [1.0, 2.0, 3.0, 9.0, None], "rack": ["a", None, " c ", "d", "lost"]})

    assert edited_racks(layout, table) == {2: None, 3: "c", 9: "d"}
    assert edited_racks(layout, table.iloc[:1]) == {}
