"""What is chosen on a page stands in its address: another session that opens it sees the same, and Back undoes it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.state import addresses, slots, store
from components.state.linked import LinkedTexts
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.model import Wish

from .conftest import Opened, address, texts, visit

OUT = Wish(remove=(4,))

#: Of each page: its fields by key, what is chosen, and what the address says of it.
CHOICES: dict[str, tuple[Wish, Mapping[str, tuple[Any, str, str]]]] = {
    "plan": (
        OUT,
        {
            "plan-bars": ("Preferred leaders", "bars", "leaders"),
            "plan-view": ("Moves", "detail", ""),
            "moves-search": ("order", "find_moves", "order"),
        },
    ),
    "racks": (OUT, {"racks-bars": ("Preferred leaders", "bars", "leaders")}),
    "leaders": (
        Wish(),
        {
            "when-Preferred election": ("Broker outage", "when", "outage"),
            "controller": ("kraft", "controller", "kraft"),
            "stopped-brokers-0": ([1, 2], "out", "1\n2"),
            "stopped-racks": (["b"], "out_racks", "b"),
            "unclean": (True, "unclean", "yes"),
        },
    ),
    "new_topic": (
        Wish(),
        {
            "topic-name": ("payments", "topic", "payments"),
            "topic-partitions": (12, "partitions", "12"),
            "topic-seed": (2**53 - 1, "draw", "9007199254740991"),
            "topic-if-not-exists": (True, "if_not_exists", "yes"),
            "topic-bars-what": ("All replicas", "bars", "replicas"),
            "topic-view": ("Partition by partition", "detail", "partitions"),
        },
    ),
    "resilience": (Wish(), {"resilience-which": ("brokers", "bars", "brokers")}),
    "heatmap": (OUT, {"heat-show-True": ("Change (after − before)", "heat_show", "difference")}),
    "report": (OUT, {"report-view": ("Present", "view", "talk")}),
    "fingerprints": (Wish(), {"fingerprint-search": ("order", "find_fingerprint", "order")}),
}


def field(at: AppTest, key: str) -> Any:
    """A field by its key, whatever it is."""
    kinds = ("segmented_control", "selectbox", "multiselect", "text_input", "number_input", "checkbox", "toggle")
    return next(one for kind in kinds for one in at.get(kind) if one.key == key)


@pytest.mark.parametrize("page", CHOICES)
def test_another_session_sees_what_was_chosen(opened: Opened, page: str) -> None:
    """Each choice under its name; whoever opens the address has every field as it was."""
    wish, fields = CHOICES[page]
    at = opened(page, wish=wish)
    for key, (value, _, _) in fields.items():
        field(at, key).set_value(value).run()
    told = address(at)

    assert not at.exception
    assert {name: told.get(name, "") for _, name, _ in fields.values()} == {n: said for _, n, said in fields.values()}

    again = visit(page, **told)

    assert not again.exception
    assert {key: field(again, key).value for key in fields} == {key: value for key, (value, _, _) in fields.items()}
    assert address(again) == told
    assert texts(again) == texts(at)


def test_a_number_below_zero_is_what_the_link_opens(opened: Opened) -> None:
    """What Kafka would refuse is refused for whoever opens the link, too."""
    at = opened("new_topic")
    field(at, "topic-factor").set_value(-1).run()

    assert address(at)["factor"] == "-1"
    assert field(visit("new_topic", **address(at)), "topic-factor").value == -1


def test_a_page_is_as_it_was_left_and_a_link_may_say_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page's address said last stands in links to it; where one says something else, fields begin anew."""
    state, query = SessionState(started=True), {"detail": "proof"}
    monkeypatch.setattr(store, "state", lambda: state)
    monkeypatch.setattr(addresses.st, "query_params", _Query(query))
    addresses.arrive("Plan")
    addresses.tell("bars", "leaders")
    addresses.told()
    query.clear()
    addresses.arrive("Board")

    assert addresses.own("Plan") == {"detail": "proof", "bars": "leaders"}

    query.update(addresses.own("Plan"))
    addresses.arrive("Plan")

    assert slots.field("plan-view") == "plan-view"

    query.clear()
    addresses.arrive("Board")
    query["detail"] = "moves"
    addresses.arrive("Plan")

    assert slots.field("plan-view") == "plan-view-1"


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("plan", {"bars": "xx"}),
        ("plan", {"detail": "execute", "version": "0.1"}),
        ("plan", {"detail": "validate", "validate": f"text:{'0' * 32}"}),
        ("plan", {"detail": "execute", "throttle": "fast"}),
        ("leaders", {"when": "outage", "unclean": "maybe"}),
        ("new_topic", {"factor": "99999999"}),
        ("resilience", {"measure": "xx"}),
        ("resilience", {"loss": "broker:99"}),
        ("resilience", {"begin": "xx"}),
        ("heatmap", {"heat_topic": "nope"}),
        ("heatmap", {"heat_measure": "bits"}),
        ("heatmap", {"heat_rows": "0-99"}),
        ("heatmap", {"heat_open": "orders-99"}),
        ("heatmap", {"heat_order": "size,directory"}),
        ("report", {"mask": "on"}),
        ("report", {"audience": "everybody"}),
        ("report", {"chapters": "steps,xx"}),
        ("report", {"price": "cheap"}),
        ("report", {"throttle": "-1"}),
        ("compare", {"count": "many"}),
        ("compare", {"seed": "-1"}),
        ("consumers", {"group": "leave", "assignor": "xx"}),
        ("consumers", {"group": "leave", "at": "x"}),
        ("fingerprints", {"topic": "nope"}),
        ("fingerprints", {"verdicts": "xx"}),
        ("clusters", {"view": "xx"}),
    ],
    ids=lambda one: one if isinstance(one, str) else "-".join(one),
)
def test_what_a_link_says_and_no_field_offers_is_said_once(
    opened: Opened, app: AppTest, page: str, query: dict[str, str]
) -> None:
    """Who came by it knows that it is not all; what they do next takes the sentence away."""
    app.query_params.update(query)
    at = visit(page, **query) if "begin" in query else opened(page, wish=OUT)
    (name, said) = list(query.items())[-1]

    assert not at.exception
    assert texts(at).count("Left out, because it is not offered here: ") == 1
    left_out = {"verdicts": said, "chapters": "chapters=xx"}.get(name, f"{name}={said}")
    assert f"Left out, because it is not offered here: {left_out}." in texts(at)
    assert address(at).get(name) != said

    assert "Left out" not in texts(at.run())


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("plan", {"bars": "replicas", "detail": "moves"}),
        ("resilience", {"measure": "offline_partitions", "loss": "pair:3,1"}),
        ("heatmap", {"heat_measure": "replicas", "heat_order": "size,rack", "heat_open": "orders-1"}),
    ],
)  # fmt: skip
def test_of_what_comes_up_by_itself_nothing_is_left_out(opened, app, page, query):
    """A link may say that too."""
    app.query_params.update(query)

    assert "Left out" not in texts(opened(page))


class _Query(dict[str, str]):
    """The address, as Streamlit gives it."""

    def __init__(self, query: dict[str, str]) -> None:
        super().__init__()
        self.to_dict = lambda: dict(query)


def test_no_field_that_names_a_server_or_a_secret_is_in_an_address(opened: Opened) -> None:
    """The address of the commands' server is typed on Plan, and stays there."""
    at = opened("plan", wish=OUT)
    field(at, "plan-view").set_value("Commands").run()
    field(at, "version").set_value("3.9").run()
    field(at, "bootstrap").set_value("secret.example:9092").run()
    told = address(at)

    assert not at.exception
    assert told["version"] == "3.9"
    assert "secret" not in str(told)
    assert "secret.example" in str([code.value for code in at.code])


def test_a_link_that_opens_something_else_is_followed_once(opened: Opened) -> None:
    """Its what-if is looked at; what the person does after it is not undone by the address that is still there."""
    at = opened("resilience")
    query = address(at) | {"remove": "1"}
    state = at.session_state[KEY]
    at.query_params.update(query)
    at.run()

    assert state.here.wish == Wish()

    state.offers[frozenset(query.items())] = None
    at.query_params.clear()
    at.query_params.update(query)
    at.run()

    assert at.session_state[KEY].here.wish == Wish(remove=(1,))
    assert frozenset(query.items()) not in at.session_state[KEY].offers


def test_an_address_that_the_page_writes_is_no_link_that_was_clicked(opened: Opened) -> None:
    """A link elsewhere led to this what-if, and the person made it by hand: what is chosen next is not taken back."""
    at = opened("plan", wish=OUT)
    there = frozenset(address(at).items())
    state = at.session_state[KEY]
    state.here.wish = Wish(remove=(1,))
    at.run()
    state.offers[there] = None
    state.here.wish = OUT
    at.run()
    field(at, "plan-view").set_value("Proof").run()

    assert frozenset(address(at).items()) >= there
    assert field(at, "plan-view").value == "Proof"


def test_a_long_plan_pasted_to_be_validated_is_there_again(opened: Opened) -> None:
    """The address has its digest: reloading, and a colleague's link, show the text and what it moves."""
    at = opened("plan", wish=OUT)
    field(at, "plan-view").set_value("Validate a plan").run()
    plan = json.dumps({"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [2, 3]}]}, indent=9)
    pasted = plan + " " * 500
    at.text_area(key="judge-paste").set_value(pasted).run()
    at.checkbox(key="judge-rf").set_value(True).run()
    told = address(at)

    assert re.fullmatch("text:[0-9a-f]{32}", told["validate"])
    assert told["validate_rf"] == "yes"

    again = visit("plan", **told)

    assert not again.exception
    assert again.text_area(key="judge-paste").value == pasted
    assert texts(again) == texts(at)


def test_texts_beyond_the_shelfs_bounds_are_forgotten() -> None:
    """The oldest go; one too long for it is in no link, and what nobody was told the name of is not given out."""
    texts_ = LinkedTexts()
    names = [texts_.put(letter * 3_900_000) for letter in "abcdefghi"]

    assert texts_.find(names[0]) is None
    assert texts_.find(names[-1]) == "i" * 3_900_000
    assert texts_.put("x" * 4_000_001) == ""
    assert texts_.find("text:") is None


def test_price_and_rates_stay_with_the_plan(opened: Opened) -> None:
    """Both were gone once another view of the plan was looked at, and a link said nothing of them."""
    at = opened("plan", wish=Wish(remove=(3,)))
    at.segmented_control(key="plan-view").set_value("Replica flow (from → to)").run()
    next(one for one in at.number_input if one.label.startswith("Price")).set_value(0.02).run()
    next(one for one in at.text_area if one.label.startswith("Produced")).set_value("orders,3000000").run()
    said = "Replication sends 259 GB a day from rack to rack, 5.18 at 0.02 a GB."

    assert said in texts(at)

    there = visit("plan", at.session_state[KEY], **address(at))
    at.segmented_control(key="plan-view").set_value("Proof").run()
    at.segmented_control(key="plan-view").set_value("Replica flow (from → to)").run()

    assert said in texts(at)
    assert said in texts(there)
