"""A plan that needs a second person's approval: two people signed in, each with a browser, over a real cluster."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from reseat.operate.journal.journal import Journal
from reseat.operate.journal.proposals import ProposalState
from tests.browser.conftest import seen, start_dashboard, stop, to
from tests.browser.test_operate import confirm, connect
from tests.browser.test_rack_board import drag, tile
from tests.conftest import missing, require
from tests.operate.live_cluster import end_operators
from tests.servers.cluster import missing as kafka_missing
from tests.servers.cluster import start
from tests.servers.ports import free_port
from tests.servers.provider import Provider

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.kafka, pytest.mark.slow]


def claims(name: str) -> dict[str, object]:
    """What the provider says of a person."""
    return {"sub": name, "email": f"{name}@example.org", "email_verified": True, "name": name}


MOVE = re.compile(r"Move \d+ replicas? on lab")
#: How ada has it executed: the field, what is typed, and what the address says once the page has it.
HOW = (
    ("Replication throttle per broker (MB/s)", "40", "throttle=40"),
    ("Moves per broker at a time", "3", "at_a_time=3"),
    ("Only during", "00:00-24:00", "window=00"),
    ("Pause after partitions", "2", "pause_after=2"),
)
#: The same as people read it.
WITH = (
    "a throttle of 40,000,000 bytes/s per broker and at most 3 replica moves per broker at a time, largest "
    "partitions first, only during 00:00-24:00 UTC, pausing after 2 partitions, with broker 2 cordoned"
)


def test_one_proposes_another_approves_and_the_first_executes(new_page: Callable[..., Page], tmp_path: Path) -> None:
    """The address that one sends leads the other to the plan and to how it is executed; another way is refused.

    Nobody has the buttons of the other: bo may approve and not operate.
    """
    require("browser")
    require("kafka")
    reason = kafka_missing()
    if reason is not None:
        missing("kafka", reason)
    with ExitStack() as stack:
        cluster = start("kraft-4.4", tmp_path / "cluster", {1: "a", 2: "b", 3: "c"}, apart=())
        stack.callback(cluster.stop)
        cluster.tool("topics", "--create", "--topic", "orders", "--partitions", "6", "--replication-factor", "2")
        provider = stack.enter_context(Provider(claims("ada"), host="localhost"))
        port = free_port()
        address, home = f"http://127.0.0.1:{port}", tmp_path / "home"
        secrets = home / ".streamlit" / "secrets.toml"
        secrets.parent.mkdir(parents=True)
        operate = '[operate]\nallowed = ["ada@example.org"]\n'
        secrets.write_text(
            provider.secrets(address, operate, '[approve]\nallowed = ["bo@example.org", "ada@example.org"]\n')
        )
        journal_file = tmp_path / "journal.sqlite"
        stack.callback(end_operators, journal_file)
        variables = {
            "HOME": str(home),
            "RESEAT_CLUSTER_LAB_BOOTSTRAP": cluster.bootstrap,
            "RESEAT_JOURNAL": str(journal_file),
            "RESEAT_OPERATE": "1",
            "RESEAT_APPROVAL": "all",
        }
        process = start_dashboard(port, tmp_path / "log.txt", variables)
        stack.callback(stop, process)
        ada, bo = new_page(color_scheme="light"), new_page(color_scheme="dark")
        sign_in(ada, address)
        provider.claims = claims("bo")
        sign_in(bo, address)
        connect(ada, address)
        to(ada, "Board")
        drag(ada, tile(ada, 2), ada.locator(".tray"))
        to(ada, "Execute")
        ada.get_by_role("button", name="Propose:").wait_for()
        for label, typed, told in HOW:
            set_to(ada, label, typed, told)
        ada.get_by_text("Cordon broker 2 first", exact=True).click()
        ada.wait_for_url(re.compile("cordon="))
        ada.get_by_label("Goes first").click()
        ada.get_by_role("option", name="The largest partitions").click()
        ada.wait_for_url(re.compile("order="))
        seen(ada, "state-operate-second-propose")
        ada.get_by_role("button", name="Propose:").click()
        ada.get_by_text("You proposed it, so somebody else approves it").wait_for()
        seen(ada, "state-operate-second-proposed")

        expect(ada.get_by_role("button", name="Approve", exact=True)).to_have_count(0)

        bo.set_default_timeout(60_000)
        bo.goto(ada.url)
        bo.get_by_role("button", name="Approve", exact=True).wait_for()
        bo.get_by_role("button", name="Approve", exact=True).scroll_into_view_if_needed()
        seen(bo, "state-operate-second-approve")

        expect(bo.get_by_text(f"With {WITH}.")).to_be_visible()
        expect(bo.get_by_label("Replication throttle per broker (MB/s)", exact=True).first).to_have_value("40")
        expect(bo.get_by_role("checkbox", name="Cordon broker 2 first")).to_be_checked()
        expect(bo.get_by_text(re.compile("Read-only. bo@.*is not listed"))).to_be_visible()

        expect(bo.get_by_role("button", name="Withdraw")).to_have_count(0)
        expect(bo.get_by_label("Type the cluster's id")).to_have_count(0)

        bo.get_by_role("button", name="Approve", exact=True).click()
        bo.get_by_text("approved by bo").first.wait_for()
        bo.get_by_text("Runs of this cluster").scroll_into_view_if_needed()
        seen(bo, "state-operate-second-list")
        ada.reload()
        ada.get_by_label("Type the cluster's id to confirm").wait_for()
        seen(ada, "state-operate-second-approved")
        # A proposal's fields are its own, in no address.
        set_to(ada, "Replication throttle per broker (MB/s)", "50", "")
        rate = "a throttle of {},000,000 bytes/s per broker"
        refusal = f"approved proposal 1 with other settings: {rate.format(40)}; now {rate.format(50)}."
        expect(ada.get_by_text(refusal).first).to_be_visible()
        ada.get_by_text(refusal).first.scroll_into_view_if_needed()
        seen(ada, "state-operate-second-differs")
        journal = Journal(journal_file)
        stack.callback(journal.close)

        expect(ada.get_by_text("1 check failed: approved by another")).to_be_visible()
        expect(ada.get_by_role("button", name=MOVE)).to_be_disabled()
        assert journal.runs() == ()

        set_to(ada, "Replication throttle per broker (MB/s)", "40", "")
        ada.get_by_text(refusal).first.wait_for(state="detached")
        confirm(ada, journal.proposal(1).cluster_id, MOVE)
        ada.get_by_role("button", name="Resume").wait_for()
        seen(ada, "state-operate-second-paused")

        reached = ", pausing after 2 partitions"
        assert journal.runs()[0].options.in_words == WITH.replace(reached, "")

        ada.get_by_role("button", name="Resume").click()
        ada.get_by_text("The plan is done").wait_for()
        seen(ada, "state-operate-second-executed")
        row = journal.proposal(1)

        assert (row.state, row.proposer, row.decided_by, row.run) == (
            ProposalState.EXECUTED,
            "ada@example.org",
            "bo@example.org",
            1,
        )


def set_to(page: Page, label: str, typed: str, told: str) -> None:
    """Type into a field of *How*, and wait until the address tells it."""
    field = page.get_by_label(label, exact=True).first
    field.fill(typed)
    field.press("Enter")
    page.wait_for_url(re.compile(told))


def sign_in(page: Page, address: str) -> None:
    """Through the provider and back."""
    page.goto(f"{address}/connect")
    page.get_by_role("button", name="Sign in").first.click()
    page.wait_for_url(lambda url: url.rstrip("/") == address)
