"""What stands above a plan before anything else, and what a person can answer in the same place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reseat.formats import read
from reseat.model import Broker, BrokerState, ClusterLayout, Gaps, Quorum, QuorumMember, Wish

from .conftest import Opened, small, texts, two_disks

LISTS = {("a", 0): [1, 2], ("a", 1): [2, 3], ("b", 0): [3, 1]}
CUT = "Topic: a\tPartitionCount: 4\tReplicationFactor: 2\tConfigs: \n" + "".join(
    f"\tTopic: a\tPartition: {at}\tLeader: 1\tReplicas: {ids}\tIsr: {ids}\n" for at, ids in enumerate(("1,2", "2,3"))
)


def test_a_cut_text_is_planned_after_a_click(opened: Opened) -> None:
    """Refused with what is missing; the button plans what is there, and the caution stays above the plan."""
    at = opened("plan", read(CUT).layout, Wish(remove=(1,)))

    assert "Not planned: the input is incomplete" in texts(at)
    assert "2 partitions are missing (a 2 and 3)" in texts(at)

    at.button(key="accept").click().run()

    assert not at.exception
    assert "Draining broker 1: 1 replica moves, the proven minimum (racks unknown)." in texts(at)
    assert "2 partitions are missing (a 2 and 3)" in texts(at)


def test_a_drained_broker_that_is_a_controller_is_said_to_be_one(opened: Opened) -> None:
    """Of a KRaft cluster whose nodes are both: before anybody stops it, and of no other broker."""
    told = {"quorum": Quorum(2, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 3)))}
    layout = ClusterLayout.from_assignments(LISTS | {("b", 1): [4, 5]})
    said = [texts(opened("plan", layout, Wish(remove=(out,)), **told)) for out in (1, 4)]

    assert "Broker 1 votes in the controller quorum: without it no other may fail." in said[0]
    assert "controller quorum" not in said[1]


def test_racks_are_told_beside_the_plan(opened: Opened) -> None:
    """Pasted there, they are in the plan, and the first sentence doubts nothing any more."""
    at = opened("plan", ClusterLayout.from_assignments(LISTS), Wish(remove=(1,)))

    assert "the proven minimum (racks unknown)." in texts(at)

    at.text_area(key="racks-text-plan").set_value("1,x\n2,y\n3,y")
    next(
        button for button in at.button if button.label == "Use these racks" and "plan" in (button.form_id or "")
    ).click()
    at.run()

    assert not at.exception
    assert "racks unknown" not in texts(at)


@pytest.mark.parametrize(
    ("pasted", "said"), [("1,a\n4,b", "Nothing changes: these racks are known."), ("", "The text is empty")]
)
def test_racks_that_change_nothing_are_answered(opened: Opened, pasted: str, said: str) -> None:
    """As many as are known, or none at all: the button says so, and nobody is told to have set any."""
    at = opened("overview")
    at.text_area(key="racks-text-quality").set_value(pasted)
    next(button for button in at.button if button.label == "Use these racks").click().run()

    assert not at.exception
    assert said in texts(at)
    assert "You set the racks" not in texts(at)


def test_unknown_racks_are_in_the_first_sentence(opened: Opened) -> None:
    """Before anything is wished; Overview has them among its figures."""
    layout = ClusterLayout.from_assignments(LISTS)
    racks = opened("racks", layout)

    assert not racks.exception
    assert "3 brokers with unknown racks hold 6 replicas" in texts(racks)

    overview = racks.switch_page("pages/overview.py").run()

    assert "unknown" in [metric.value for metric in overview.metric if metric.label == "Racks"]


def test_a_cluster_is_said_to_have_no_racks(opened: Opened) -> None:
    """One switch, beside the plan."""
    at = opened("plan", ClusterLayout.from_assignments(LISTS), Wish(remove=(1,)))
    next(toggle for toggle in at.toggle if (toggle.key or "").startswith("racks-none-plan")).set_value(True).run()

    assert not at.exception
    assert "racks unknown" not in texts(at)
    assert "Racks are unknown" not in texts(at)


def test_what_cannot_move_is_said_first_and_planned_by_choice(opened: Opened) -> None:
    """The only copy of b-0 is on broker 3, which is dead."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("b", 0): [3]},
        brokers=[Broker(1, "x"), Broker(2, "y"), Broker(3, "y", state=BrokerState.DEAD)],
        leaders={("a", 0): 1, ("b", 0): None},
    )
    at = opened("racks", layout, Wish(remove=(3,)))

    assert "1 partition cannot be moved, so broker 3 cannot be drained completely." in texts(at)
    assert "b-0. The plan leaves it where it is." in texts(at)

    at.button(key="unmovable-racks").click().run()

    assert not at.exception
    assert "1 partition cannot be moved. Draining broker 3: 1 replica moves, the proven minimum." in texts(at)


def test_lost_rack_diversity_is_the_second_half_of_the_headline(opened: Opened) -> None:
    """In the colour of attention, with the topic."""
    brokers = [Broker(1, "x"), Broker(2, "x"), Broker(3, "y")]
    layout = replace(ClusterLayout.from_assignments(LISTS, brokers=brokers), gaps=Gaps(racks_told=True))
    at = opened("plan", layout, Wish(remove=(3,)))

    headline = next(one.value for one in at.title if "Draining broker 3" in one.value)
    assert ":orange[" in headline
    assert "lose rack diversity, on fewer racks than now" in headline


@pytest.mark.parametrize("page", ["plan", "racks"])
def test_a_way_back_onto_a_dead_broker_is_said_before_one_acts(opened: Opened, page: str) -> None:
    """Above the plan, and on Plan beside the rollback's commands too."""
    brokers = [Broker(1, "x"), Broker(2, "y"), Broker(3, "y", state=BrokerState.DEAD)]
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 3], ("b", 0): [1, 2]}, brokers=brokers, leaders={("a", 0): 1, ("b", 0): 1}
    )
    at = opened(page, layout, Wish(remove=(3,)))

    assert not at.exception
    assert (
        "The rollback moves 1 replica back to broker 3, which is dead: it is refused until this broker is alive"
        in texts(at)
    )
    if page == "plan":
        at.segmented_control(key="plan-view").set_value("Commands").run()

        assert "Broker 3 is not alive now: until it is, Reseat refuses it." in texts(at)


def test_what_is_critical_of_a_plan_stands_above_its_warnings(opened: Opened) -> None:
    """Of a dead broker the way back waits, which is less than disks without room."""
    brokers = [replace(one, state=BrokerState.DEAD if one.id == 3 else one.state) for one in small().brokers]
    dead = replace(small(), brokers=tuple(brokers))
    said = texts(opened("plan", dead, Wish(remove=(3,)), log_dirs=two_disks(10**8)))

    assert said.index("The plan needs more disk space") < said.index("The rollback moves")
