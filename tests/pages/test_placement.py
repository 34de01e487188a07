"""The Placement page: steps with their numbers, links, examples, and fields in which anything may stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.charts.replica_matrix import MOST_ROWS, column_order, window
from reseat.errors import PlacementRefused
from reseat.model import Broker
from reseat.placement.examples import EXAMPLES, FAULTY, FAULTY_TABLE
from reseat.placement.request import (
    MOST_BROKERS,
    PlacementRequest,
    brokers_in,
    brokers_text,
    from_query,
    place,
    to_query,
)
from reseat.placement.steps import striped_steps_of

from .conftest import Opened, address, texts, visit


def press(at: AppTest, key: str, times: int = 1) -> AppTest:
    """Press a button."""
    for _ in range(times):
        at.button(key=key).click().run()
    return at


def test_it_teaches_without_a_layout() -> None:
    """No layout is open: the page opens on the documented six partitions, and does not ask for a file."""
    at = visit("placement")

    assert not at.exception
    assert "Partition 0 is led by broker 2: (partition 0 + start 2) mod 3 = 2." in texts(at)
    assert "No cluster is loaded" not in texts(at)


def test_the_six_partitions_step_by_step() -> None:
    """18 steps go through 2,0,1 / 0,1,2 / 1,2,0 / 2,1,0 / 0,2,1 / 1,0,2; back is the way one came."""
    at = visit("placement")
    led = []
    for step in range(18):
        words = texts(at).splitlines()[0]
        led.append(int(words.split("broker ")[1].split(":")[0]))
        if step < 17:
            press(at, "step-on")

    assert led == [2, 0, 1, 0, 1, 2, 1, 2, 0, 2, 1, 0, 0, 2, 1, 1, 0, 2]
    assert at.button(key="step-on").disabled

    press(at, "step-back")

    assert texts(at).startswith("Partition 5 has replica 2 on broker 0: (1 + 1 + (shift 3 + 0) mod 2) mod 3 = 0.")


def test_a_step_by_partition_shows_whole_lists() -> None:
    """Two partitions on from the first replica: the last replica of partition 1, with all its formulas."""
    at = press(visit("placement"), "step-partition-on")

    assert texts(at).startswith("Partition 1 has replica 3 on broker 2")

    press(at, "step-partition-back")

    assert texts(at).startswith("Partition 0 has replica 3 on broker 1")


def test_a_link_opens_the_same_step_for_another_person() -> None:
    """The address of one session, opened by another, gives the same sentence."""
    first = press(visit("placement"), "example-3")
    press(first, "step-on", 4)
    second = visit("placement", **address(first))

    assert "layout" not in address(first)
    assert texts(second).splitlines()[0] == texts(first).splitlines()[0]
    assert address(second) == address(first)


def test_columns_by_rack_stand_in_the_address() -> None:
    """It was the one choice of the form that a link did not have."""
    at = visit("placement")
    at.toggle(key="placement-grouped").set_value(True).run()
    second = visit("placement", **address(at))

    assert second.toggle(key="placement-grouped").value
    assert address(second) == address(at)


def test_skipped_candidates_say_why() -> None:
    """Racks a: 0-2 and b: 3; candidates in a rack that has a replica are passed over, and the page says so."""
    at = visit("placement", brokers="0-2:a,3:b", partitions="8", replicas="3", start="1", shift="1", step="22")

    assert "Broker 1 is skipped: its rack a has a replica already, and another rack has none." in texts(at)
    assert "after 2 brokers were skipped" in texts(at)


def test_the_faulty_table_stands_beside_what_the_code_gives() -> None:
    """The published table is that of start 3, not of fixedStartIndex 4; the page shows both and says why."""
    at = press(visit("placement"), "example-4")

    assert not at.exception
    assert "fixedStartIndex 4 never gives the table" in texts(at)
    assert "What was published" in texts(at)
    assert tuple(map(tuple, place(FAULTY).replicas.tolist())) != FAULTY_TABLE
    assert tuple(
        map(tuple, place(PlacementRequest(brokers="0-3", partitions=13, start=3, shift=3)).replicas.tolist())
    ) == (FAULTY_TABLE)

    at.number_input(key=next(box.key for box in at.number_input if box.label == "Start index")).set_value(3).run()

    assert "What was published" not in texts(at)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_drawn_and_explained_to_its_end(number: int) -> None:
    """The explanation of each partition ends in the very list that the core places."""
    request = EXAMPLES[number].request
    placement = place(request)
    lists = [
        [step.candidates[-1].broker for step in striped_steps_of(request, placement, row).replicas]
        for row in range(request.partitions)
    ]

    assert lists == placement.replicas.tolist()
    assert not press(visit("placement"), f"example-{number}").exception


def test_an_open_layout_lends_its_brokers_and_stays_in_the_address(opened: Opened) -> None:
    """With a layout open its brokers and racks are one click away; loading the page anew keeps the layout."""
    at = opened("placement")
    press(at, "example-layout")

    assert address(at)["brokers"] == "1:a,2:b,3:c,4:b"
    assert address(at)["layout"]
    assert "4 brokers · 4 partitions · 8 replicas" not in texts(at)  # a lesson is about no cluster: no strip

    at.switch_page("pages/racks.py").run()

    assert "4 brokers · 4 partitions · 8 replicas" in texts(at)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"brokers": "<script>alert(1)</script>"}, "'<script>alert(1)</script>' is not a broker."),
        ({"brokers": ""}, "No broker is given."),
        ({"brokers": "0,0", "replicas": "2"}, "Broker 0 is given twice."),
        ({"brokers": "5-1"}, "the smaller first"),
        ({"brokers": "0-99999999"}, "More than 200 brokers"),
        ({"brokers": "99999999999"}, "is not a broker"),
        ({"brokers": "0:a,1"}, "Not all brokers have rack information."),
        ({"brokers": "0-2", "replicas": "4"}, "Replication factor: 4 larger than available brokers: 3."),
        ({"brokers": "0-2", "partitions": "0"}, "Number of partitions must be larger than 0."),
        ({"brokers": "0-2", "partitions": "2000000000"}, "steps through up to"),
        ({"brokers": "0-2", "partitions": "1e9"}, "The link was not understood: '1e9' is not a number"),
        ({"brokers": "0-2", "algorithm": "magic"}, "'magic' is not an algorithm"),
        ({"brokers": "0-2", "start": "2147483647", "shift": "0"}, "beyond 32 bits"),
        ({"brokers": "0-2", "algorithm": "kraft", "fenced": "0-2"}, "All brokers are currently fenced."),
        ({"brokers": "0-2", "algorithm": "kraft", "fenced": "7"}, "Broker 7 is said to be fenced"),
    ],
)
def test_anything_in_a_link_is_answered_with_a_sentence(query: dict[str, str], sentence: str) -> None:
    """What cannot be placed or understood is said; nothing breaks."""
    at = visit("placement", **query)

    assert not at.exception
    assert sentence in texts(at).replace("\u2060", "")


ids = st.integers(0, 2**31 - 1)
racks = st.none() | st.text(min_size=1, max_size=12).filter(lambda name: name.isprintable() or "\n" in name)


@given(st.dictionaries(ids, racks, min_size=1, max_size=20))
def test_brokers_as_text_are_read_back(told: dict[int, str | None]) -> None:
    """Whatever a rack is called, commas, colons and spaces at its ends included."""
    brokers = tuple(Broker(broker, rack) for broker, rack in sorted(told.items()))

    assert brokers_in(brokers_text(brokers)) == brokers


@given(st.text(max_size=60))
def test_any_text_is_brokers_or_a_sentence(text: str) -> None:
    """No text raises anything but a refusal, and never more brokers than can be drawn."""
    try:
        found = brokers_in(text)
    except PlacementRefused as refusal:
        found, said = (), refusal.sentence
    else:
        said = ""

    assert bool(said) != bool(found)
    assert len(found) <= MOST_BROKERS


@given(
    st.builds(
        PlacementRequest,
        partitions=st.integers(1, 50),
        factor=st.integers(1, 3),
        algorithm=st.sampled_from(("striped", "kraft", "naive")),
        start=st.none() | st.integers(0, 99),
        shift=st.none() | st.integers(0, 99),
        first=st.integers(0, 50),
        seed=st.integers(0, 2**31 - 1),
        racks=st.booleans(),
        step=st.integers(0, 49),
    )
)
def test_links_are_read_back_and_steps_end_in_the_placement(request: PlacementRequest) -> None:
    """A link gives the same placement and step; the steps of its partition end in that partition's list."""
    request = request.at(request.step)
    again, error = from_query(to_query(request))

    assert error is None
    assert again is not None
    assert again.step == request.step
    placement = place(request)

    assert np.array_equal(place(again).replicas, placement.replicas)

    told = striped_steps_of(request, placement, request.partition)

    assert [step.candidates[-1].broker for step in told.replicas] == placement.replicas[request.partition].tolist()


def test_rows_seen_hold_the_step_and_keep_their_place() -> None:
    """The row looked at is always seen, and the first row seen changes at most every half page."""
    seen = [window(row, 100) for row in range(100)]

    assert all(row in rows and len(rows) == MOST_ROWS for row, rows in enumerate(seen))
    assert len({rows.start for rows in seen}) <= 100 // (MOST_ROWS // 2) + 1


def test_columns_by_rack() -> None:
    """Grouped, brokers stand by rack and id, those without a rack last."""
    racks = {3: "b", 1: "a", 2: None, 0: "b"}

    assert column_order([0, 1, 3, 2], racks, grouped=False) == [0, 1, 3, 2]
    assert column_order([0, 1, 3, 2], racks, grouped=True) == [1, 0, 3, 2]
