"""Making a topic in a real Chromium: what is typed is checked, previewed and written out to copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, open_sample

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


@pytest.fixture
def form(new_page: Callable[..., Page], dashboard: str, request: pytest.FixtureRequest) -> Page:
    """The New topic page with the bundled nine brokers, light unless told otherwise; it may use the clipboard."""
    scheme = getattr(request, "param", "light")
    page = new_page(color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"])
    open_sample(page, dashboard, "Nine brokers", then="New topic")
    page.locator(".st-key-topic-bars").wait_for()
    return page


def fill(page: Page, label: str, value: str) -> None:
    """Type into a field and leave it."""
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")


def answer(page: Page) -> Locator:
    """The sentence at the top of the page."""
    return page.locator(".st-key-answer")


@pytest.mark.parametrize("form", SCHEMES, indirect=True)
def test_a_topic_is_named_previewed_refused_and_created_by_either_way(form: Page) -> None:
    """The sentence, the bars and the command follow what is typed; nothing becomes part of the what-if.

    What Kafka refuses is said in its words, with nothing to copy: a name that is taken, then one that is free; then
    more replicas than brokers. On a ZooKeeper cluster the two nodes hold the very
    replicas of the draw; another draw, other ones.
    """
    fill(form, "Topic", "invoices")
    answer(form).get_by_text("Kafka would create invoices with 6 partitions of 3 replicas").wait_for()
    fill(form, "Partitions", "12")
    answer(form).get_by_text("12 partitions of 3 replicas").wait_for()
    command = form.get_by_test_id("stCode").first
    command.get_by_text("--partitions 12").wait_for()

    expect(command).to_contain_text(
        "--create --topic invoices --partitions 12 --replication-factor 3", use_inner_text=True
    )
    expect(form.get_by_text("current state", exact=True)).to_be_visible()
    assert "remove" not in form.url

    command.hover()
    command.get_by_role("button", name="Copy to clipboard").click()

    assert form.evaluate("navigator.clipboard.readText()") == command.inner_text().strip()

    fill(form, "Topic", "orders")
    answer(form).get_by_text("Topic 'orders' already exists.").wait_for()

    expect(form.get_by_test_id("stCode")).to_have_count(0)

    fill(form, "Topic", "invoices")
    answer(form).get_by_text("Kafka would create invoices").wait_for()
    fill(form, "Replication factor", "10")
    answer(form).get_by_text("only 9 broker(s) are registered").wait_for()

    expect(form.get_by_test_id("stCode")).to_have_count(0)

    fill(form, "Replication factor", "3")
    form.locator(".st-key-topic-version").get_by_role("combobox").click()
    form.get_by_role("option", name="2.8", exact=True).click()
    form.get_by_text("start ", exact=False).first.wait_for()
    form.get_by_role("tab", name="ZooKeeper nodes").click()
    node = form.get_by_role("tabpanel").get_by_test_id("stCode").locator("visible=true").nth(1)
    node.wait_for()
    before = node.inner_text()

    assert before.startswith('{"version":1,"partitions":{"0":[')

    fill(form, "Draw", "1")
    node.get_by_text(before, exact=True).wait_for(state="detached")

    assert node.inner_text() != before
