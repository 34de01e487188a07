"""Execute on a cluster where plans need a second person's word: proposed by one, approved by another, executed once."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components.server import visitor
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.access import Access, Person
from reseat.model import Wish
from reseat.operate.journal.proposals import ProposalState

from .conftest import APP, texts
from .test_operate import buttons, confirm, operate, world  # noqa: F401 -- fixtures

ACCESS = Access(
    sign_in=True, allowed=("ada@example.org",), approvers=("bo@example.org", "ada@example.org"), approval=("FAKE",)
)
PROPOSE = "Propose: move 2 replicas on prod"
MOVE = "Move 2 replicas on prod"


def signed_in(name: str) -> Person:
    """Somebody who signed in just now."""
    at = time.time()
    claims = {"sub": (name,)}
    return Person(name, f"{name}@example.org", True, signed_in=True, issued_at=at, expires_at=at + 3600, claims=claims)


@pytest.fixture
def there(world, monkeypatch):  # noqa: F811
    """Who is at the page; to be changed."""
    people = [signed_in("ada")]
    monkeypatch.setattr(visitor, "person", lambda shown="": people[-1])
    monkeypatch.setattr(visitor, "access", lambda: ACCESS)
    return people


def test_a_plan_is_proposed_by_one_approved_by_another_and_executed_once(operate, world, there):  # noqa: F811
    """Who proposed it has no button to approve; who approves need not operate; then it is confirmed as any plan."""
    at = operate()

    assert not at.exception
    assert PROPOSE in buttons(at)
    assert MOVE not in buttons(at)

    buttons(at)[PROPOSE].click().run()

    assert not at.exception
    assert at.query_params["look"] == "proposal-1"
    assert "You proposed it, so somebody else approves it" in texts(at)
    assert "Withdraw" in buttons(at)
    assert not {"Approve", MOVE} & buttons(at).keys()

    there.append(signed_in("bo"))
    at.run()

    assert "**Read-only.** bo is not listed: [operate] allowed" in texts(at)
    # Before what is asked of its schedule, and so seen without scrolling.
    captions = [one.value for one in at.caption]
    said, estimate = (next(n for n, one in enumerate(captions) if words in one) for words in ("You cannot", "How long"))
    assert captions[said] == "You cannot execute it: *Read-only*, at the top, says why."
    assert said < estimate, captions
    assert "line above" not in texts(at)
    assert not {"Withdraw", MOVE} & buttons(at).keys()
    assert not buttons(at)["Decline"].disabled  # it would take a click that only leaves the field

    buttons(at)["Approve"].click().run()

    assert not at.exception
    assert world.journal.proposal(1).decided_by == "bo"
    assert MOVE not in buttons(at)  # bo may not operate

    there.append(signed_in("ada"))
    buttons(confirm(at.run()))[MOVE].click().run()

    assert not at.exception
    assert world.begun == [1]
    assert world.journal.proposal(1).state is ProposalState.EXECUTED
    assert "executed as run 1" in texts(at)


def test_the_approver_reads_how_it_is_executed_and_nothing_else_is_executed(operate, world, there):  # noqa: F811
    """The proposer's throttle stands in the sentence and the field; another one, set later, stops the plan."""
    at = operate()
    at.number_input(key="operate-throttle").set_value(20).run()
    buttons(at)[PROPOSE].click().run()
    there.append(signed_in("bo"))
    opened, at = at.session_state[KEY].opened, AppTest.from_file(str(APP), default_timeout=60)  # bo's own browser
    at.session_state[KEY] = SessionState(opened={"prod": replace(opened["prod"])}, current="prod", started=True)
    at.run()
    at.switch_page("pages/operate.py").run()

    assert at.number_input(key="operate-proposal-1-throttle").value == 20
    assert "With a throttle of 20,000,000 bytes/s per broker and at most 10 replica moves" in texts(at)
    buttons(at)["Approve"].click().run()
    there.append(signed_in("ada"))
    confirm(at.run())

    assert not buttons(at)[MOVE].disabled

    at.number_input(key="operate-proposal-1-throttle").set_value(0).run()

    assert "bytes/s per broker; now no throttle." in texts(at)
    assert buttons(at)[MOVE].disabled


def test_a_decline_has_a_reason_and_the_proposer_reads_it(operate, world, there):  # noqa: F811
    """The list says who declined; nothing can be executed, and the plan can be proposed anew."""
    at = operate()
    buttons(at)[PROPOSE].click().run()
    there.append(signed_in("bo"))
    at.run()
    at.text_input(key="decision-reason").set_value("Not before *Monday*").run()
    buttons(at)["Decline"].click().run()

    assert not at.exception
    assert world.journal.proposal(1).reason == "Not before *Monday*"

    there.append(signed_in("ada"))
    at.run()

    assert "declined by bo" in texts(at)
    assert "Not before *Monday*" in texts(at)
    assert PROPOSE in buttons(at)
    assert MOVE not in buttons(at)
    assert world.journal.runs() == ()


def test_what_waits_elsewhere_is_listed_and_withdrawn(operate, world, there):  # noqa: F811
    """The plan's own page has the list; withdrawn, it is over, and of another cluster nothing is shown."""
    at = operate()
    buttons(at)[PROPOSE].click().run()
    buttons(at)["Back to the plan"].click().run()

    assert "Proposal 1: Draining broker 3" in buttons(at)

    at.button(key="open-proposal-1").click().run()
    buttons(at)["Withdraw"].click().run()

    assert not at.exception
    assert world.journal.proposal(1).state is ProposalState.WITHDRAWN
    assert "withdrawn by ada" in texts(at)


def test_a_cluster_that_needs_no_second_word_shows_none_of_it(operate, there, monkeypatch):  # noqa: F811
    """Neither the heading nor the list, and the confirmation is there at once."""
    monkeypatch.setattr(visitor, "access", lambda: Access(sign_in=True, allowed=("ada@example.org",)))
    at = operate()

    assert MOVE in buttons(at)
    assert PROPOSE not in buttons(at)
    assert "Approvals" not in texts(at)


def test_a_proposal_is_opened_with_its_own_throttle(operate, world, there):  # noqa: F811
    """Whatever stood in the fields of the plan that was looked at before."""
    at = operate()
    at.number_input(key="operate-throttle").set_value(20).run()
    buttons(at)[PROPOSE].click().run()
    buttons(at)["Back to the plan"].click().run()
    at.session_state[KEY].opened["prod"].wish = Wish(remove=(4,))
    at.run()
    next(one for one in at.number_input if one.label.startswith("Replication throttle")).set_value(50).run()
    next(button for label, button in buttons(at).items() if label.startswith("Proposal 1")).click().run()

    assert not at.exception
    assert [one.value for one in at.number_input if one.label.startswith("Replication throttle")] == [20]
