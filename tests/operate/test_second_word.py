"""The second person's word: who gives it, what it covers, when it stops to count, and that a run uses it up."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reseat.access import Access, Person
from reseat.errors import WriteRefused
from reseat.formats.documents.sealed import read_sealed
from reseat.operate.admitting import admit
from reseat.operate.checks.check import CheckResult
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.proposals import ProposalState
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.journal.values import Approval, PlannedMove
from reseat.operate.proposing import decide, propose, withdraw
from reseat.operate.targets.cordon_settings import Cordon
from reseat.schedule.windows import read_windows

from .guarding import CLUSTER, LISTS, facts, judged, layout, request, sealed, sealed_text, snapshot

ACCESS = Access(
    sign_in=True,
    allowed=("ada@example.org", "cy@example.org", "bo@example.org"),
    approvers=("bo@example.org", "ada@example.org"),
    approval=(CLUSTER,),
)
NAME = "approved_by_another"


def signed_in(name: str, **more) -> Person:
    """Somebody who signed in just now."""
    at = datetime.now(UTC).timestamp()
    told = {"email": f"{name}@example.org", "claims": {"sub": (f"sub-{name}",)}} | more
    return Person(name, email_verified=True, signed_in=True, issued_at=at, expires_at=at + 3600, **told)


ADA, BO, CY = signed_in("ada"), signed_in("bo"), signed_in("cy")


@pytest.fixture
def journal(tmp_path):
    """An empty journal."""
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


def asked(person=ADA, plan=None, access=ACCESS, **more):
    """A request to execute the plan, signed in."""
    return request(plan, person=person, access=access, **more)


def proposed(journal, person=ADA, *, now=None, **more):
    """The plan proposed."""
    return propose(asked(person, **more), facts(now), journal, sealed_text(), cluster="prod", title="Broker 3 leaves")


def executed(journal, person=CY, *, now=None, **more):
    """The plan admitted as a run."""
    text = sealed_text()
    return admit(asked(person, read_sealed(text), **more), facts(now), journal, text, cluster="prod")[0]


def refused(call, word):
    """A refusal that says a word."""
    with pytest.raises(WriteRefused) as caught:
        call()
    assert word in f"{caught.value} {caught.value.failed}"


def test_only_listed_clusters_need_it_and_a_rollback_never_does():
    """Elsewhere the check passes; on such a cluster it fails, and no override helps."""
    elsewhere = asked(access=replace(ACCESS, approval=("other",)))
    back = asked(kind="rollback")
    there = judged(NAME, asked(overrides=frozenset({NAME})))

    assert judged(NAME, elsewhere).result is CheckResult.PASSED
    assert judged(NAME, back).result is CheckResult.PASSED
    assert there.result is CheckResult.FAILED
    assert "second person" in there.sentence


def test_a_plan_is_executed_once_somebody_else_approved_it(journal):
    """Refused before and while it waits; afterwards the run uses the approval up, and a second one needs another."""
    refused(lambda: executed(journal), NAME)

    row = proposed(journal)

    refused(lambda: executed(journal), "waits for a second person")

    decide(journal, row, BO, ACCESS, approve=True, reason="tonight")
    run = executed(journal)
    told = journal.proposal(row.id)

    assert (told.state, told.run, told.decided_by, told.reason) == (ProposalState.EXECUTED, run.id, "bo", "tonight")

    with journal.lease(CLUSTER, operator="cy") as lease:
        journal.set_state(lease, run.id, RunState.CANCELLED, "over")

    refused(lambda: executed(journal), "none that counts")


def test_who_proposes_cannot_approve_under_another_name_either(journal):
    """The provider's sub tells a person, whatever name and address they sign in with; withdrawing is theirs alone."""
    row = proposed(journal)
    again = signed_in("eve", email="bo@example.org", claims={"sub": ("sub-ada",)})

    refused(lambda: decide(journal, row, ADA, ACCESS, approve=True), "your own")
    refused(lambda: decide(journal, row, again, ACCESS, approve=True), "your own")
    refused(lambda: withdraw(journal, row, BO), "to withdraw")

    assert withdraw(journal, row, again).state is ProposalState.WITHDRAWN
    refused(lambda: executed(journal), "none that counts")


@pytest.mark.parametrize(
    ("person", "word"),
    [(CY, "[approve] allowed"), (Person(unlocked=True), "Sign in"), (Person("bo", command_line=True), "proves nobody")],
)
def test_who_may_not_approve_is_refused_and_that_is_written_down(journal, person, word, tmp_path, monkeypatch):
    """An operator who is no approver, nobody in particular, and a command's user."""
    row = proposed(journal)
    log = tmp_path / "audit.jsonl"
    monkeypatch.setenv("RESEAT_AUDIT", str(log))

    refused(lambda: decide(journal, row, person, ACCESS, approve=True), word)

    assert journal.proposal(row.id).state is ProposalState.PROPOSED
    assert json.loads(log.read_text())["checks"] == ["may_approve"]


def test_who_may_not_write_proposes_nothing(journal):
    """Neither an approver who is no operator, nor the token's holder, of whom nobody knows who they are."""
    nobody = signed_in("dan")
    token = asked(Person(unlocked=True), access=replace(ACCESS, sign_in=False))

    refused(lambda: proposed(journal, nobody), "person_allowed")
    refused(lambda: propose(token, facts(), journal, sealed_text(), cluster="prod", title="Broker 3 leaves"), "Sign in")
    assert journal.proposals(CLUSTER) == ()


def test_a_plan_that_says_not_what_it_was_made_for_is_not_proposed(journal):
    """Another layout could become this plan's start between approval and execution."""
    bare = sealed(with_key=False)

    refused(lambda: proposed(journal, plan=bare), "which layout it was made for")
    assert "which layout" in judged(NAME, asked(plan=bare)).sentence


def test_what_changed_after_the_approval_is_refused_as_ever(journal):
    """Another layout meanwhile fails the guard's other checks, and another plan has another hash."""
    decide(journal, proposed(journal), BO, ACCESS, approve=True)
    moved = snapshot(layout(LISTS | {("orders", 2): [2, 1]}))
    other = sealed({("orders", 2): [4, 1]})

    refused(lambda: executed(journal, now=moved), "layout_unchanged")
    assert journal.open_proposal(CLUSTER, other.hash) is None
    assert journal.proposals(CLUSTER)[0].state is ProposalState.APPROVED


def test_an_override_that_was_not_approved_does_not_count(journal):
    """What the second person saw includes which checks are overridden; the same ones later, or fewer."""
    row = decide(journal, proposed(journal), BO, ACCESS, approve=True)
    with_it = replace(row, overridden=("leaving_brokers_since",))
    now = snapshot(layout(LISTS | {("fresh", 0): [3, 1]}))
    asking = asked(overrides=frozenset({"leaving_brokers_since"}))

    assert "without overriding leaving_brokers_since" in judged(NAME, asking, now, proposal=row).sentence
    assert judged(NAME, asking, now, proposal=with_it).result is CheckResult.PASSED


@pytest.mark.parametrize(
    ("other", "word"),
    [
        (
            {"options": RunOptions(throttle=50_000_000)},
            "settings: no throttle; now a throttle of 50,000,000 bytes/s per broker.",
        ),
        (
            {"options": RunOptions(max_concurrent_moves_per_broker=500)},
            "settings: at most 10 replica moves per broker at a time; now at most 500 ",
        ),
        ({"options": RunOptions(pause_after=(1,))}, "settings: no pause; now pausing after 1 partition."),
        ({"cordon": True}, "settings: no broker cordoned; now broker 3 cordoned."),
    ],
)
def test_what_is_executed_otherwise_than_it_was_approved_is_refused(journal, other, word):
    """The second person saw throttle, moves at a time, pauses and cordons; none of them changes without a new word."""
    row = decide(journal, proposed(journal), BO, ACCESS, approve=True)
    said = judged(NAME, asked(**other), proposal=row)

    assert row.options == RunOptions()
    assert said.result is CheckResult.FAILED
    assert word in said.sentence
    assert "Execute it as approved" in said.sentence


def test_what_was_approved_with_a_cordon_and_a_throttle_is_executed_so(journal):
    """The proposal keeps both as a run does; the same request passes, one without the cordon does not."""
    how = {"options": RunOptions(throttle=1_000_000, windows=read_windows("22:00-06:00")), "cordon": True}
    ready = replace(facts(), cordons={3: Cordon(closed=False)})
    asking = asked(**how)
    row = propose(asking, ready, journal, sealed_text(), cluster="prod", title="Broker 3 leaves")
    row = decide(journal, row, BO, ACCESS, approve=True)

    assert row.options == replace(how["options"], cordon=(3,))
    assert "broker 3 cordoned; now no broker" in judged(NAME, asked(**how | {"cordon": False}), proposal=row).sentence
    assert judged(NAME, asking, proposal=row).result is CheckResult.PASSED


def test_a_proposal_of_an_earlier_version_does_not_say_how_and_is_proposed_again(journal):
    """Nobody knows what its approver saw."""
    row = replace(decide(journal, proposed(journal), BO, ACCESS, approve=True), options=None)

    assert "propose it again" in judged(NAME, asked(), proposal=row).sentence


def test_an_approval_expires(journal):
    """It counts for so many hours; a proposal that nobody answered ends as well, and can be made anew."""
    short = replace(ACCESS, approval_seconds=0.0)
    late = proposed(journal, access=short)

    refused(lambda: decide(journal, late, BO, ACCESS, approve=True), "expired")

    row = proposed(journal)
    told = decide(journal, row, BO, short, approve=True)

    assert row.id != late.id
    assert not told.open_at(datetime.now(UTC) + timedelta(milliseconds=1))
    refused(lambda: executed(journal), "none that counts")


def test_of_two_who_decide_at_once_one_is_refused_and_hears_who_was_first(journal):
    """Two processes' worth of threads, one word; a decline after an approval still takes it back."""
    row, said = proposed(journal), []
    other = signed_in("di")
    access = replace(ACCESS, approvers=("bo@example.org", "di@example.org"))
    barrier = threading.Barrier(2)

    def press(person):
        barrier.wait()
        try:
            said.append(decide(journal, row, person, access, approve=True).decided_by)
        except WriteRefused as error:
            said.append(str(error))

    both = [threading.Thread(target=press, args=(person,)) for person in (BO, other)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    first = journal.proposal(row.id).decided_by

    assert sorted(said) == sorted([first, f"Proposal 1 is approved already, by {first}."])

    decide(journal, row, BO if first == "di" else other, access, approve=False, reason="not tonight")

    refused(lambda: executed(journal), "none that counts")


def test_the_same_plan_is_proposed_once(journal):
    """A second proposal of it would be a second approval to use; who was first is named."""
    proposed(journal)

    refused(lambda: proposed(journal, CY), "ada has proposed this plan already: proposal 1")


def test_proposals_outlive_the_server_and_are_in_the_audit_log(journal, tmp_path, monkeypatch):
    """Another process reads the approval; each word has a line, and the run's line names the proposal."""
    log = tmp_path / "audit.jsonl"
    monkeypatch.setenv("RESEAT_AUDIT", str(log))
    decide(journal, proposed(journal), BO, ACCESS, approve=True, reason="orders is quiet")
    again = Journal(journal.path)
    executed(again)
    again.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]

    assert [(line["event"], line.get("decision"), line["who"]) for line in lines] == [
        ("proposal", "proposed", "ada"),
        ("proposal", "approved", "bo"),
        ("approval", None, "cy"),
    ]
    assert {line["proposal"] for line in lines} == {1}
    assert "no throttle and at most 10 replica moves per broker at a time" in lines[1]["how"]
    assert "orders" not in log.read_text()


def test_without_its_line_nothing_is_proposed_or_decided(journal, tmp_path, monkeypatch):
    """The audit log cannot be written: the journal stays as it was."""
    row = proposed(journal)
    monkeypatch.setenv("RESEAT_AUDIT", str(tmp_path / "none" / "audit.jsonl"))

    refused(lambda: decide(journal, row, BO, ACCESS, approve=True), "audit")
    assert journal.proposal(row.id).state is ProposalState.PROPOSED


def test_an_approval_that_went_away_since_the_check_lets_no_run_begin(journal):
    """Withdrawn, or another proposal's, in the moment that the run is journaled: there is no run then."""
    row = proposed(journal)
    move = PlannedMove("orders", 2, (3, 1), (4, 1))
    run = Approval(CLUSTER, "prod", row.plan, "{}", row.hash, "cy", [move], proposal=row.id)

    refused(lambda: journal.approve(run), "does not count any more")  # nobody has approved it yet

    decide(journal, row, BO, ACCESS, approve=True)

    refused(lambda: journal.approve(replace(run, proposal=0)), "does not count any more")
    refused(lambda: journal.approve(replace(run, hash="another")), "does not count any more")

    withdraw(journal, row, ADA)

    refused(lambda: journal.approve(run), "does not count any more")
    assert journal.runs() == ()
