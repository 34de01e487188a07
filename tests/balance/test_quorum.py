"""A KRaft quorum in words, its findings, and what becomes of it with a loss."""

from __future__ import annotations

import pytest

from reseat.balance.quorum import quorum_findings, quorum_in_words, quorum_without, racks_of_voters, still_voting
from reseat.model import Broker, BrokerState, Quorum, QuorumMember

BROKERS = [Broker(1, "a", "one"), Broker(2, "a", "two"), Broker(3, "b", "three"), Broker(4, "c", "four")]


def quorum(*ids: int, leader: int | None = None, **others: object) -> Quorum:
    """Voters that all follow the first one, or another; ``dynamic`` and ``observers`` as told."""
    voters = tuple(QuorumMember(one, None, 0, 0.4) for one in ids)
    return Quorum(ids[0] if leader is None else leader, voters, **others)  # type: ignore[arg-type]


def test_who_votes_is_one_sentence() -> None:
    """Static or dynamic, who leads, and how far the slowest is, where it is behind at all."""
    assert quorum_in_words(quorum(1, 2, 3)) == "quorum of 3 voters (1, 2 and 3): 1 leads"
    behind = Quorum(7, (QuorumMember(7), QuorumMember(8, behind=1_200)), (QuorumMember(1),), dynamic=True)
    assert (
        quorum_in_words(behind)
        == "dynamic quorum of 2 voters (7 and 8): 7 leads, the slowest 1,200 records behind; 1 observer"
    )
    assert (
        quorum_in_words(Quorum(None, (QuorumMember(1),), dynamic=False)) == "static quorum of 1 voter (1): none leads"
    )


def test_a_healthy_quorum_over_three_racks_has_no_finding() -> None:
    """And neither has a cluster that told none, or no voters."""
    assert quorum_findings(quorum(1, 3, 4), BROKERS) == ()
    assert quorum_findings(None, BROKERS) == ()
    assert quorum_findings(Quorum(1), BROKERS) == ()
    assert quorum_findings(quorum(1, 2, 3), BROKERS[:2]) == ()  # all brokers are in one rack


@pytest.mark.parametrize(
    ("told", "kind", "says"),
    [
        (quorum(1, 2, 3), "quorum_in_one_rack", "2 of 3 voters of the controller quorum (1 and 2) are in rack a"),
        (quorum(1), "quorum_of_one", "Controller 1 is the only voter"),
        (quorum(1, 3, 4, 5), "quorum_even", "has 4 voters: it survives as many failures as one of 3"),
    ],
)
def test_what_is_unsafe_is_found(told: Quorum, kind: str, says: str) -> None:
    """Voters together in a rack, a single one, and one too many."""
    found = quorum_findings(told, BROKERS)

    assert [finding.kind for finding in found] == [kind]
    assert says in found[0].sentence


def test_voters_that_do_not_follow_are_found() -> None:
    """One that has not caught up for a minute, one that fetched nothing from this leader; the leader never counts."""
    late = Quorum(1, (QuorumMember(1), QuorumMember(3, behind=9, behind_seconds=60.0), QuorumMember(4, None, 0, 0.5)))
    never = Quorum(1, (QuorumMember(1), QuorumMember(3), QuorumMember(4)))

    (found,) = quorum_findings(late, BROKERS)
    assert found.sentence == (
        "Voter 3 of the controller quorum has not caught up for 1 min: down or cut off; one more failure stops it."
    )
    assert found.brokers == (3,)
    (found,) = quorum_findings(never, BROKERS)
    assert found.sentence == (
        "Voters 3 and 4 of the controller quorum have fetched nothing since 1 leads: down or cut off; without them it "
        "has no majority."
    )
    assert quorum_findings(Quorum(None, never.voters), BROKERS) == ()


def test_a_controller_that_is_no_broker_is_in_the_rack_of_its_host() -> None:
    """Where all brokers on that host are in one; of another host nothing is told."""
    told = Quorum(101, (QuorumMember(101, "one"), QuorumMember(102, "elsewhere"), QuorumMember(3, "elsewhere")))

    assert racks_of_voters(told, BROKERS) == {101: "a", 102: None, 3: "b"}
    shared = [Broker(1, "a", "one"), Broker(2, "b", "one")]
    assert racks_of_voters(told, shared) == {101: None, 102: None, 3: None}


def test_what_a_loss_does_to_the_quorum() -> None:
    """A broker that votes not, one voter, and a majority with its rack."""
    told = quorum(1, 2, 3)

    assert quorum_without(told, BROKERS, (4,)) is None
    assert quorum_without(told, BROKERS, (3,)) == (
        True,
        "1 of 3 voters of the controller quorum (3): it goes on, and no other may fail.",
    )
    lost = quorum_without(told, BROKERS, (1, 2), rack_too=True)
    assert lost is not None
    assert not lost[0]
    assert lost[1].startswith("2 of 3 voters of the controller quorum (1 and 2): it is lost. Until 2 are up again")


def test_voters_that_are_down_already_are_not_counted_on() -> None:
    """It "goes on, and no other may fail" beside a voter that is cut off, or a broker that is dead, was wrong twice."""
    cut_off = Quorum(1, (QuorumMember(1), QuorumMember(2, behind_seconds=60.0), QuorumMember(3, behind_seconds=0.4)))
    dead = [Broker(1), Broker(2, state=BrokerState.DEAD), Broker(3)]
    for told, brokers in ((cut_off, BROKERS), (quorum(1, 2, 3), dead)):
        found = quorum_without(told, brokers, (3,))

        assert found is not None
        assert not found[0]
        assert found[1].startswith(
            "1 of 3 voters of the controller quorum (3), and voter 2 is down or cut off: it is lost."
        )
    assert quorum_without(cut_off, BROKERS, (4,)) is None
    assert still_voting(cut_off, (3,)).startswith(
        "Broker 3 votes in the controller quorum, and voter 2 is down or cut off: without it the quorum is lost."
    )


def test_controllers_whose_rack_is_not_told_make_a_rack_doubtful() -> None:
    """Of a rack alone, and where as many could be in it as stop the quorum."""
    told = Quorum(101, tuple(QuorumMember(101 + at, host, 0, 0.4) for at, host in enumerate("xyz")))

    assert quorum_without(told, BROKERS, (3,)) is None
    assert quorum_without(told, BROKERS, (3,), rack_too=True) == (
        False,
        "Kafka does not tell in which rack voters 101, 102 and 103 of the controller quorum are: with 2 in this one it "
        "would be lost.",
    )
    hosts = ("one", "three", "z")
    placed = Quorum(101, tuple(QuorumMember(101 + at, host, 0, 0.4) for at, host in enumerate(hosts)))
    assert quorum_without(placed, BROKERS, (4,), rack_too=True) is None
    found = quorum_without(placed, BROKERS, (3,), rack_too=True)
    assert found is not None
    assert not found[0]
    assert "it goes on, and no other may fail. Kafka does not tell in which rack voter 103" in found[1]
