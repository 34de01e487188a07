"""A number that need not be there can be taken out of its field again, whatever the field began with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.state.links import from_query
from components.state.store import KEY
from reseat.model import Options, Wish

from .conftest import Opened, address, visit

DRAIN = Wish(remove=(3,))


def field(at: Any, label: str) -> Any:
    """A number field by its label."""
    return next(one for one in at.number_input if one.label == label)


def preview(at: Any, form: str) -> None:
    """Send a form of the what-if."""
    next(one for one in at.button if one.form_id.startswith(form)).click().run()


@pytest.mark.parametrize(
    ("label", "set_to"), [("Max moves", Options(max_moves=7)), ("Max received per broker", Options(receive_cap=7))]
)
def test_a_limit_is_lifted_where_it_was_set(opened: Opened, label: str, set_to: Options) -> None:
    """Streamlit puts a field's default back where one empties it: the limit stayed."""
    at = opened("plan", wish=Wish(remove=(3,), options=set_to))

    assert field(at, label).value == 7

    field(at, label).set_value(None)
    preview(at, "options-")

    assert at.session_state[KEY].here.wish == DRAIN
    assert "options" not in address(at)


def test_a_broker_is_drained_after_all_without_a_replacement(opened: Opened) -> None:
    """The same form that named the broker that replaces it."""
    at = opened("plan", wish=Wish(remove=(3,), add=((9, "c"),), replace=((3, 9),)))

    assert field(at, "Replaced by broker ID").value == 9

    field(at, "Replaced by broker ID").set_value(None)
    preview(at, "out-")

    assert at.session_state[KEY].here.wish == DRAIN


@pytest.mark.parametrize(
    ("page", "label", "name", "also"),
    [
        ("plan", "Replication throttle per broker (MB/s)", "throttle", {"detail": "execute"}),
        ("report", "Replication throttle per broker (MB/s)", "throttle", {}),
        ("report", "Price of traffic between racks, per GB", "price", {}),
        ("placement", "Start index", "start", {"brokers": "0-2", "partitions": "8", "replicas": "2"}),
    ],
)
def test_what_an_address_told_can_be_taken_out(
    opened: Opened, page: str, label: str, name: str, also: dict[str, str]
) -> None:
    """The field begins with it, and the address says nothing of it once the field is empty."""
    at = visit(page, opened("overview", wish=DRAIN).session_state[KEY], **{name: "1"}, **also)

    assert field(at, label).value == 1
    assert address(at)[name] == "1"

    at.run()
    field(at, label).set_value(None).run()

    assert not at.exception
    assert field(at, label).value is None
    assert name not in address(at)


@pytest.mark.parametrize("label", ["Max moves", "Max received per broker"])
def test_a_limit_is_one_that_a_link_can_tell(opened: Opened, label: str) -> None:
    """Of a larger number the page's own address was refused: it "is not a broker id or a count"."""
    at = opened("plan", wish=DRAIN)

    field(at, label).set_value(int(field(at, label).max))
    preview(at, "options-")

    link = from_query(address(at))

    assert link is not None
    assert link.wish == at.session_state[KEY].here.wish != DRAIN


@pytest.mark.parametrize(
    ("label", "name", "empty"),
    [
        ("Replicas per broker", "most_replicas", "no limit"),
        ("GB per broker", "most_gigabytes", "no limit"),
        ("Partitions in the cluster", "most_partitions", "no limit"),
        ("Replicas of created topics", "most_factor", "as many as in the source"),
        ("Most GB in a wave", "most_wave", "a quarter of all"),
        ("MB copied a second, in all", "rate", "unknown"),
    ],
)
def test_a_limit_of_a_migration_that_is_not_set_is_empty(opened: Opened, label: str, name: str, empty: str) -> None:
    """It was 0, as if nothing were allowed; what that meant stood behind a question mark."""
    state = opened("overview").session_state[KEY]
    state.opened["other"] = replace(state.here, reading=replace(state.here.reading, source="other"))
    at = visit("migrate", state, detail="waves")

    assert (field(at, label).value, field(at, label).placeholder) == (None, empty)

    field(at, label).set_value(7).run()

    assert address(at)[name] == "7"

    field(at, label).set_value(None).run()

    assert not at.exception
    assert name not in address(at)


@pytest.mark.parametrize("page", ["plan", "migrate"])
def test_no_address_has_too_many_digits_for_a_page(opened: Opened, page: str) -> None:
    """Python refuses to read a number of more than 4,300: Plan ended in an exception."""
    state = opened("overview", wish=DRAIN).session_state[KEY]
    state.opened["other"] = replace(state.here, reading=replace(state.here.reading, source="other"))
    at = visit(page, state, detail="execute" if page == "plan" else "waves", throttle="9" * 5_000, rate="9" * 5_000)

    assert not at.exception
