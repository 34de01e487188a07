"""One what-if, one plan: every page reads the point that was chosen, and one switch says what all of them show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.resilience.words import answer
from components.state.links import from_query
from components.state.store import KEY
from reseat.balance import measure
from reseat.demo import generate
from reseat.election import after_plan, layout_after
from reseat.model import Options, Plan, Wish
from reseat.planning import plan, whole_curve
from reseat.resilience.losses import from_layout

from .conftest import Opened, address, tables, texts

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = generate(9, 300, 2, 3, skew=0.5)
OUT = Wish(remove=(3,))


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No landing zone and no tables."""
    monkeypatch.setenv("RESEAT_TABLES", str(tmp_path / "tables"))
    monkeypatch.setenv("RESEAT_LANDING", str(tmp_path / "landing"))


@pytest.fixture(scope="module")
def least() -> Plan:
    """The plan with the least moves, which is another one."""
    return plan(LAYOUT, OUT)


@pytest.fixture(scope="module")
def chosen() -> Plan:
    """The plan at the last point of the curve."""
    return plan(LAYOUT, OUT.at(whole_curve(LAYOUT, OUT).points[-1].moves))


def metric(at: object, label: str) -> tuple[str, str]:
    """A figure's value and what stands below it."""
    return next((m.value, m.delta) for m in at.metric if m.label == label)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", ["plan", "racks"])
def test_plan_and_racks_show_the_point(opened: Opened, page: str, chosen: Plan, least: Plan) -> None:
    """Moves and spread are those of the point; the strip has a chip that leads back to the least moves."""
    at = opened(page, LAYOUT, chosen.wish)

    assert not at.exception
    assert metric(at, "Replicas move")[0] == f"{chosen.certificate.moves:,}" != f"{least.certificate.moves:,}"
    assert metric(at, "Replica spread")[0].endswith(f"→ {chosen.certificate.replica_spread}")

    at.button(key="chip-point").click().run()

    assert metric(at, "Replicas move")[0] == f"{least.certificate.moves:,}"
    assert "point" not in at.query_params


def test_the_heatmap_shows_the_point(opened: Opened, chosen: Plan, least: Plan) -> None:
    """Replicas by broker are those after the plan at the point."""
    at = opened("heatmap", LAYOUT, chosen.wish)
    shown = dict(tables(at)[0].value[["brokers", "replicas"]].itertuples(index=False))

    def held(made: Plan) -> dict[str, int]:
        counts = made.proposed.replicas_by_broker.tolist()
        return dict(zip(map(str, made.proposed.broker_ids.tolist()), counts, strict=True))

    assert shown == held(chosen) != held(least)


def test_leaders_show_the_point(opened: Opened, chosen: Plan, least: Plan) -> None:
    """Who is elected once the plan is done is counted over the plan at the point."""

    def elected(made: Plan) -> tuple[int, int]:
        preview = after_plan(made, "kraft" if LAYOUT.eligible is not None else "zookeeper")
        done = preview.leader_done
        assert done is not None
        return int((done != preview.leader_before).sum()), int((preview.leader_after != done).sum())

    at = opened("leaders", LAYOUT, chosen.wish)
    shown = metric(at, "Leader changes while data moves")[0], metric(at, "By an election afterwards")[0]

    assert shown == tuple(f"{number:,}" for number in elected(chosen))
    assert elected(chosen) != elected(least)


def test_resilience_shows_the_point(opened: Opened, chosen: Plan, least: Plan) -> None:
    """The losses are those of the cluster after the plan at the point."""

    def said(made: Plan) -> list[int]:
        losses = from_layout(layout_after(made), "zookeeper")
        return losses.single["leaders_moved"].tolist()

    at = opened("resilience", LAYOUT, chosen.wish)
    at.session_state["resilience-numbers"] = True
    at.run()

    assert not at.exception
    assert answer(from_layout(layout_after(chosen), "zookeeper")) in texts(at)
    assert tables(at)[0].value["leaders moved"].tolist() == said(chosen) != said(least)


def test_the_overview_shows_what_the_what_if_leads_to(opened: Opened, chosen: Plan) -> None:
    """After the plan its imbalances are those of the plan at the point; at the present those of now."""
    at = opened("overview", LAYOUT, chosen.wish)

    def shown() -> str:
        return metric(at, "Non-preferred leaders")[0]

    assert not at.exception
    assert "After the plan:" in texts(at)
    assert shown() == str(measure(layout_after(chosen)).not_preferred) != str(measure(LAYOUT).not_preferred)

    at.segmented_control(key="strip-after-True").set_value(False).run()

    assert "After the plan:" not in texts(at)
    assert shown() == str(measure(LAYOUT).not_preferred)


def test_a_point_chosen_on_the_plan_page_is_part_of_the_what_if(opened: Opened, chosen: Plan) -> None:
    """It stands in the address, so that whoever gets the link sees the same plan; the first point is none."""
    at = opened("plan", LAYOUT, OUT)
    points = next(one for one in at.segmented_control if one.label == "Moves vs. balance")
    points.set_value(chosen.certificate.moves).run()

    assert not at.exception
    assert at.session_state[KEY].here.wish == chosen.wish
    assert at.query_params["point"] in (str(chosen.wish.point), [str(chosen.wish.point)])

    points = next(one for one in at.segmented_control if one.label == "Moves vs. balance")
    points.set_value(plan(LAYOUT, OUT).certificate.moves).run()

    assert at.session_state[KEY].here.wish == OUT


@pytest.mark.parametrize("page", ["plan", "racks"])
def test_the_least_spread_is_that_of_so_many_moves_and_the_next_is_beside_it(
    opened: Opened, page: str, least: Plan
) -> None:
    """No plan with so many moves is evener; one with more is, and it is one click away in the same place."""
    at = opened(page, LAYOUT, OUT)
    further = whole_curve(LAYOUT, OUT).points[1]

    assert metric(at, "Replica spread")[1] == f"minimum for {least.certificate.moves} moves"
    assert "proven minimum" not in [figure.delta for figure in at.metric if "spread" in figure.label]
    assert at.button(key="next-point").label == f"spread {further.replica_spread} with {further.moves} moves"

    at.button(key="next-point").click().run()

    assert not at.exception
    assert at.session_state[KEY].here.wish == OUT.at(further.moves)
    assert metric(at, "Replicas move")[0] == str(further.moves)


@pytest.mark.parametrize("page", ["overview", "racks", "heatmap", "leaders", "resilience"])
def test_one_switch_is_the_same_for_all_pages(opened: Opened, page: str) -> None:
    """Set to the present on one page it is the present on the next; a new what-if is shown again."""
    at = opened(page, LAYOUT, OUT)

    assert not at.exception
    assert at.segmented_control(key="strip-after-True").value is True

    at.segmented_control(key="strip-after-True").set_value(False).run()
    at.switch_page("pages/racks.py").run()

    assert not at.exception
    assert at.segmented_control(key="strip-after-False").value is False
    assert "9 brokers in 3 racks hold 600 replicas" in texts(at)

    at.button(key="chip-out-3").click().run()

    assert not [one for one in at.segmented_control if one.label == "Current or after"]


@pytest.mark.parametrize(("page", "told"), [("plan", True), ("operate", True), ("fingerprints", False)])
def test_pages_that_leave_no_choice_have_no_switch(opened: Opened, page: str, told: bool) -> None:
    """Plan and Operate are about the change from the one to the other; a lesson has no strip to say so."""
    at = opened(page, LAYOUT, OUT)

    assert not at.exception
    assert not [one for one in at.segmented_control if one.label == "Current or after"]
    assert ("current state" in texts(at)) is told


def test_a_point_that_the_curve_does_not_have_is_refused_with_a_way_on(opened: Opened) -> None:
    """A link may name any number: no other plan is drawn in its place."""
    at = opened("racks", LAYOUT, OUT.at(1))

    assert "the change alone needs 41" in texts(at)
    assert not at.metric

    at.button(key="no-point").click().run()

    assert not at.exception
    assert at.session_state[KEY].here.wish == OUT


def test_only_one_place_asks_for_the_plan_of_the_what_if() -> None:
    """Whoever draws "after" gets it from components/what_if/what_if.py: no page plans by itself, at another point."""
    asking = {
        str(path.relative_to(ROOT))
        for folder in ("components", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(
            r"\bcaching\.plan_for\(|from reseat\.planning(\.plan|\.curve)? import .*\bplan(_at)?\b", path.read_text()
        )
    }

    # The points stand beside Reseat's own plan; the caches make what the others ask for.
    assert asking == {"components/what_if/what_if.py", "components/what_if/points.py", "components/state/caching.py"}


def fill(at: AppTest, form: str, **values: object) -> None:
    """Fill fields of one of the what-if's forms, by their kinds and labels (``kind__label``), and send it."""
    for name, value in values.items():
        kind, label = name.split("__")
        fields = getattr(at, kind)
        next(one for one in fields if one.label.replace(" ", "_") == label).set_value(value)
    next(one for one in at.button if one.form_id.startswith(form)).click().run()
    assert not at.exception


@pytest.mark.parametrize(
    ("form", "values", "wish"),
    [
        ("out-", {"multiselect__Brokers_to_drain": [3]}, Wish(remove=(3,))),
        ("out-", {"multiselect__Racks_to_drain": ["b"]}, Wish(remove=(2, 4))),
        ("in-", {}, Wish(add=((5, None),))),
        ("in-", {"number_input__Broker_ID": 2**31 - 1, "selectbox__Rack": "a"}, Wish(add=((2**31 - 1, "a"),))),
        (
            "rf-",
            {"text_area__Topics:_names_or_patterns,_one_per_line": "nope\nord*"},
            Wish(replication_factor=3, topics=("orders",)),
        ),
        (
            "options-",
            {
                "checkbox__Reorder_replica_lists_of_all_partitions": True,
                "checkbox__Balance_by_size_instead_of_replica_count": True,
                "checkbox__Keep_racks_in_a_rebalance": True,
                "checkbox__Keep_replicas_in_their_rack_in_a_drain": True,
                "checkbox__Balance_each_topic_in_a_rebalance": True,
                "multiselect__Never_preferred_leader": [4, 1],
                "multiselect__Receives_nothing": [2],
                "multiselect__Leaders_in_racks,_the_most_preferred_first": ["c", "a"],
                "text_input__Max_data_to_copy": "5 GB",
            },
            Wish(
                options=Options(
                    reorder_all=True, by_bytes=True, keep_racks=True, same_rack=True, even_topics=True,
                    never_leads=(1, 4), never_onto=(2,), leader_racks=("c", "a"), max_bytes=5 * 10**9,
                )
            ),
        ),
    ],
)  # fmt: skip
def test_each_form_says_what_its_fields_hold(opened: Opened, form: str, values: dict[str, object], wish: Wish) -> None:
    """What is chosen is the what-if, and the address says it."""
    at = opened("plan")
    fill(at, form, **values)

    assert at.session_state[KEY].here.wish == wish

    link = from_query(address(at))

    assert link is not None
    assert link.wish == wish


@pytest.mark.parametrize(
    ("form", "values", "said"),
    [
        ("out-", {"number_input__Replaced_by_broker_ID": 9}, "Choose one broker to replace."),
        ("rf-", {}, "No topic matches."),
        ("rf-", {"text_area__Topics:_names_or_patterns,_one_per_line": "nope\n["}, "No topic matches."),
        ("options-", {"text_input__Max_data_to_copy": "a lot"}, "a lot"),
    ],
)
def test_a_form_that_says_nothing_clear_says_so(
    opened: Opened, form: str, values: dict[str, object], said: str
) -> None:
    """The what-if stays as it is."""
    at = opened("plan")
    fill(at, form, **values)

    assert said in at.warning[0].value
    assert at.session_state[KEY].here.wish == Wish()
