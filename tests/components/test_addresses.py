"""When a page's address is told to the browser: each telling may be a step of its Back."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st

from components.state import addresses
from components.state.opened import SessionState


class Address:
    """What the browser says, and all that it was told."""

    def __init__(self) -> None:
        self.says: dict[str, str] = {}
        self.told: list[dict[str, str]] = []

    def to_dict(self) -> dict[str, str]:
        """What it says."""
        return dict(self.says)

    def from_dict(self, query: dict[str, str]) -> None:
        """Tell it."""
        self.says = dict(query)
        self.told.append(dict(query))


@pytest.fixture
def address(monkeypatch) -> Address:
    """The browser's address, in a session of its own."""
    made, now = Address(), SessionState()
    monkeypatch.setattr(st, "query_params", made)
    monkeypatch.setattr(st, "set_page_config", lambda **_: None)
    monkeypatch.setattr(addresses, "store", SimpleNamespace(state=lambda: now, WALL={"wall": "on"}))
    monkeypatch.setattr(addresses, "session", SimpleNamespace(open_layout=lambda: None, pending_link=lambda: None,
                        about_session=dict))  # fmt: skip
    return made


def come(address: Address, page: str, **says: str) -> None:
    """Somebody comes to a page by a link that says this, or presses something on it."""
    address.says = says
    addresses.arrive(page)


def test_a_page_does_not_tell_the_address_by_which_it_was_come_to(address):
    """Streamlit's browser would give the page that was left a step of Back with the next one's address."""
    come(address, "Plan", detail="proof")
    addresses.publish()

    assert address.told == []


def test_what_differs_is_told_before_the_page_is_drawn_too(address):
    """A choice that the link did not say, and then the link's own words once more."""
    come(address, "Plan", detail="proof")
    addresses.publish({"detail": "moves"})
    addresses.publish({"detail": "proof"})

    assert address.told == [{"detail": "moves"}, {"detail": "proof"}]


def test_a_link_from_a_page_to_itself_is_told(address):
    """Streamlit leaves the browser's address as it was there, also where the first run was broken off."""
    come(address, "Clusters", view="live")
    come(address, "Clusters", view="fleet")
    addresses.publish()
    addresses.end("Clusters")
    come(address, "Clusters", view="live")
    addresses.publish()

    assert address.told == [{"view": "fleet"}, {"view": "live"}]


def test_a_run_that_breaks_off_the_first_one_tells_as_little(address):
    """It changes to the page in the first one's place."""
    come(address, "Plan", detail="proof")
    come(address, "Plan", detail="proof")
    addresses.publish()

    assert address.told == []
