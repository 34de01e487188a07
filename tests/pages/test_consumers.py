"""The Consumers page: examples, walking, strategies, editing, texts, links, and names in which anything may stand."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.consumers import scenario
from components.consumers.matrix import MOST_COLUMNS
from components.state.opened import Opened as OpenedLayout
from components.state.opened import SessionState
from reseat.consumers import ASSIGNORS, Member, assignor_named
from reseat.consumers.events import Join, Leave, Together
from reseat.consumers.examples import EXAMPLES
from reseat.consumers.rebalancing import empty_group, play
from reseat.consumers.text import write_group
from reseat.consumers.walk import events_of, views
from reseat.errors import ClusterUnreachable
from reseat.formats import Reading
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster
from reseat.sources.kafka_admin import client
from reseat.sources.kafka_admin.groups import ListedGroup, Listing, LiveGroup, LiveMember, Tasks
from reseat.sources.kafka_admin.groups import reading as group_reading
from reseat.sources.kafka_admin.groups.reading import state_of
from tests.cases import cases

from .conftest import Opened, address, small, texts, visit

HOSTILE = "<img src=x onerror=alert(1)> [x](http://x) :material/star: `$x$` \u202e"


def press(at: AppTest, key: str) -> AppTest:
    """Press a button."""
    return at.button(key=key).click().run()


def figures(at: AppTest) -> dict[str, str]:
    """The figures by their label."""
    return {metric.label: metric.value for metric in at.metric}


def read(at: AppTest, text: str) -> AppTest:
    """Paste a group and read it."""
    at.text_area(key="consumers-text").set_value(text).run()
    return press(at, "consumers-read")


def test_a_file_is_read_although_a_group_was_pasted_before() -> None:
    """And then the pasted one again, corrected: a file that was read is taken out of its field."""
    group = '{"topics": {"orders": 4}, "members": [{"id": "%s", "topics": ["orders"]}]}'
    at = read(visit("consumers"), group % "pasted")
    upload = next(one for one in at.file_uploader if one.label == "GROUP.json")
    upload.set_value(("group.json", (group % "uploaded").encode(), "application/json")).run()

    assert texts(press(at, "consumers-read")).startswith("uploaded joins")
    assert texts(read(at, group % "corrected")).startswith("corrected joins")
    assert not at.exception


def test_the_field_of_a_new_member_has_a_free_name_once_one_joined() -> None:
    """Also where the name was typed: pressed again, it was the member that had just joined."""
    at = visit("consumers")
    for name in ("alice", ""):
        field = next(one for one in at.text_input if one.label == "New member")
        press(field.set_value(name or field.value).run(), "let-joins")

    assert not at.exception
    assert "is in the group already" not in texts(at)


def test_it_opens_on_a_member_that_leaves_without_a_layout() -> None:
    """Sticky moves C1's three; no layout is asked for."""
    at = visit("consumers")

    assert not at.exception
    assert "C1 closes: one rebalance; 3 partitions are reassigned; 8 paused during the rebalance." in texts(at)
    assert figures(at)["Partitions reassigned"] == "3"
    assert "No cluster is loaded" not in texts(at)


@pytest.mark.parametrize(
    ("slug", "strategies"),
    [(example.slug, len(ASSIGNORS) if example.slug == "leave" else 0) for example in EXAMPLES]
    + [pytest.param(example.slug, len(ASSIGNORS), marks=pytest.mark.slow) for example in EXAMPLES],
)
def test_every_example_by_every_strategy(slug: str, strategies: int) -> None:
    """Each is walked from end to end by its own strategy; one of them, in a long run each, is drawn by all others."""
    at = visit("consumers", group=slug)
    press(at, "walk-first") if not at.button(key="walk-first").disabled else at
    while not at.button(key="walk-on").disabled:
        press(at, "walk-on")

        assert not at.exception

    for name in [*ASSIGNORS][:strategies]:
        at.segmented_control(key="consumers-assignor-0").set_value(name).run()

        assert not at.exception
        assert address(at)["assignor"] == name


def test_cooperative_is_walked_in_two_rebalances() -> None:
    """In the first the partitions that move are read by nobody, in the second the new member gets them."""
    at = visit("consumers", group="cooperative", assignor="cooperative-sticky", at="1")

    assert "Step 2 of 2, rebalance 1 of 2" in texts(at)
    assert (figures(at)["Partitions reassigned"], figures(at)["Paused"]) == ("0", "4 of 12")

    press(at, "walk-on")

    assert "Step 2 of 2, rebalance 2 of 2" in texts(at)
    assert (figures(at)["Partitions reassigned"], figures(at)["Paused"]) == ("4", "0 of 8")


def test_the_strategy_is_changed_and_the_step_stays() -> None:
    """Eager stops all twelve; the story and its step are the same."""
    at = visit("consumers", group="cooperative", assignor="cooperative-sticky", at="2")
    at.segmented_control(key="consumers-assignor-0").set_value("range").run()

    assert "Step 2 of 2" in texts(at)
    assert figures(at)["Paused"] == "12 of 12"
    assert figures(at)["Protocol"] == "eager"


def test_something_is_let_happen_and_taken_back() -> None:
    """A member joins and leaves by buttons; the address carries the story from then on."""
    at = visit("consumers", group="surplus")
    press(at, "let-joins")

    assert "C3 joins: one rebalance" in texts(at)
    assert address(at)["group"] == "own"

    at.selectbox(key="consumers-member-0").set_value("C0").run()
    press(at, "let-leaves")

    assert "C0 closes: one rebalance" in texts(at)
    assert figures(at)["Members"] == "3"

    press(at, "consumers-take-back")

    assert "C3 joins: one rebalance" in texts(at)


def test_a_new_member_is_named_and_a_name_is_taken_once() -> None:
    """It joins under the name typed, once; without a name it cannot."""
    at = visit("consumers")

    def name(typed: str) -> AppTest:
        return next(one for one in at.text_input if one.label == "New member").set_value(typed).run()

    assert name("  ").button(key="let-joins").disabled

    name("billing")
    press(at, "let-joins")

    assert "billing joins" in texts(at)

    name("billing")
    press(at, "let-joins")

    assert not at.exception
    assert "billing joins" in texts(at)
    assert "billing" in next(one.value for one in at.markdown if ":material/block:" in one.value)


def test_who_was_thrown_out_comes_back() -> None:
    """The button for it is there only then."""
    at = visit("consumers", group="surplus")

    assert at.button(key="let-comes-back").disabled

    press(at, "let-times-out")
    at.selectbox(key="consumers-member-0").set_value("C0").run()

    assert at.button(key="let-leaves").disabled

    press(at, "let-comes-back")

    assert "C0 is back: one rebalance" in texts(at)


def test_a_topic_gains_partitions_and_a_member_changes_its_topics() -> None:
    """By the fields; what changes nothing cannot be pressed."""
    at = visit("consumers", group="uneven")

    assert at.button(key="let-changes-its-topics").disabled

    press(at, "let-gains-partitions")

    assert "T1 has 4 partitions now: one rebalance" in texts(at)

    at.multiselect(key="consumers-reads-C0-2").set_value(["T1"]).run()
    press(at, "let-changes-its-topics")

    assert "C0 subscribes to T1: one rebalance" in texts(at)


def test_a_link_opens_the_same_story_elsewhere() -> None:
    """One's own story, its strategy and step, in a session that never saw it."""
    at = visit("consumers", group="surplus")
    press(at, "let-joins")
    other = visit("consumers", **address(at))

    assert "C3 joins: one rebalance" in texts(other)
    assert address(other) == address(at)


def test_a_group_too_long_for_a_link_is_named_by_its_digest() -> None:
    """A link finds it as long as this server has it; of one that it does not have, it says so."""
    names = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(80)]
    members = [{"id": name, "topics": ["T"]} for name in names]
    at = read(visit("consumers"), json.dumps({"topics": {"T": 80}, "members": members}))
    told = address(at)

    assert re.fullmatch("text:[0-9a-f]{32}", told["told"])
    assert names[7] in str(scenario.from_query(told))

    other = visit("consumers", **told)

    assert texts(other) == texts(at)
    assert "The link's group was not understood" in texts(visit("consumers", **told | {"told": "text:" + "0" * 32}))


@pytest.mark.parametrize(
    "query",
    [
        {"group": "own", "told": "!!!"},
        {"group": "own", "told": "AAAA"},
        {"group": "own"},
        {"group": "no-such", "told": "x" * 10_000},
        {"group": "own", "told": "eJyrVkrLz1eyUqpVAhEAGdkEHg"},
    ],
)
def test_a_link_that_is_not_understood_says_so(query: dict[str, str]) -> None:
    """And an example is told instead."""
    at = visit("consumers", **query)

    assert not at.exception
    assert "The link's group was not understood" in texts(at)


@settings(max_examples=cases(60), deadline=None)
@given(
    query=st.dictionaries(
        st.sampled_from(["group", "told", "assignor", "at", "name"]), st.text(max_size=30) | st.just("own"), max_size=5
    )
)
def test_no_link_breaks_the_page(query: dict[str, str]) -> None:
    """Any query names a scenario that can be played, or none."""
    told = scenario.from_query(query)

    assert told is None or told.assignor in ASSIGNORS


def test_a_text_is_read_strictly() -> None:
    """A group of one's own is told; what is none is refused with a sentence, and the story before stays."""
    at = read(visit("consumers"), '{"topics": {"T": "4"}, "members": []}')

    assert "expected 'int', got 'str'" in texts(at)
    assert "C1 closes" in texts(at)

    read(at, '{"topics": {"T": 4}, "members": [{"id": "solo", "topics": ["T"]}]}')

    assert "solo joins: one rebalance; 4 partitions are newly assigned" in texts(at)


def test_a_story_that_cannot_be_is_refused() -> None:
    """With the sentence, by the core."""
    at = read(visit("consumers"), '{"topics": {"T": 4}, "members": [], "story": [{"leave": "nobody"}]}')

    assert not at.exception
    assert "Member nobody is not there" in texts(at)


def test_a_group_without_anything() -> None:
    """Nobody is there: one can join."""
    at = read(visit("consumers"), '{"topics": {"T": 4}, "members": []}')

    assert "This group has no members" in texts(at)

    press(at, "let-joins")

    assert "C0 joins: one rebalance" in texts(at)


def test_a_story_that_would_keep_the_server_busy_is_refused() -> None:
    """A short link can name a million partitions and a thousand steps: it is refused at once, with its size."""
    steps = [{"partitions": {"T": 1_000_000}}] * 900
    told = json.dumps({"topics": {"T": 1_000_000}, "members": [{"id": "a", "topics": ["T"]}], "story": steps})
    at = read(visit("consumers"), told)

    assert not at.exception
    assert "1,000,000 partitions, 1 member and 901 steps are more than a page can show at once" in texts(at)


def test_a_topic_of_as_many_partitions_as_the_field_took_is_shown() -> None:
    """The field's next number was beyond its own limit: the page ended in an exception."""
    at = read(visit("consumers"), json.dumps({"topics": {"T": 100_000}, "members": []}))

    assert not at.exception
    assert next(one for one in at.number_input if one.label == "has partitions").value == 100_001


def test_hostile_names_are_text() -> None:
    """Members and topics named as markup are shown as they are, and nothing of them is markup."""
    member = Member(HOSTILE, (HOSTILE,), instance_id=HOSTILE)
    at = read(
        visit("consumers"),
        write_group(empty_group({HOSTILE: 3}), [Together((member, Member("b", (HOSTILE,)))), Leave("b")]),
    )

    assert not at.exception
    assert all("<img" not in str(element.value).replace("\\<", "") for element in at.markdown)
    assert "\u202e" not in texts(at)


def test_a_large_group_is_counted_in_cells() -> None:
    """200 members on 2,000 partitions: more than cells have room for."""
    members = tuple(Member(f"m{number:03}", ("a", "b")) for number in range(200))
    at = read(visit("consumers"), write_group(empty_group({"a": 1_000, "b": 1_000}), [Together(members)]))

    assert MOST_COLUMNS < 2_000
    assert not at.exception
    assert figures(at)["Members"] == "200"


def test_members_of_long_names_have_a_row_each() -> None:
    """Cut to 20 letters, 40 had ten names, and as many rows: those of one name lay over each other."""
    members = tuple(Member(f"consumer-{number}-payments-worker", ("a",)) for number in range(40))
    at = read(visit("consumers"), write_group(empty_group({"a": 400}), [Together(members)]))
    (cells,) = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]

    assert len(set(cells["y"])) == 40
    # Ten partitions each: of counts that are all alike nothing but one area of the middle colour was seen.
    assert (cells["zmin"], cells["zmax"], cells["ygap"]) == (0, 10, 1)


def test_what_of_a_huge_group_is_not_drawn_is_said() -> None:
    """A thousand rows have room: 1,001 members and their figure seemed to be one."""
    members = tuple(Member(f"m{number}", ("a",)) for number in range(1_001))
    at = read(visit("consumers"), write_group(empty_group({"a": 1_001}), [Together(members)]))

    assert "Drawn: the first 1,000 of 1,001 members." in texts(at)


def test_it_goes_with_an_open_layout(opened: Opened) -> None:
    """The strip stays, and the address names both; without a live cluster no groups are offered."""
    at = opened("consumers")

    assert not at.exception
    assert {"layout", "group"} <= set(address(at))
    assert not [button for button in at.button if button.key == "consumers-list"]


def test_messages_and_calls_stand_in_the_order_of_the_protocol() -> None:
    """Eager: revoked before JoinGroup, assigned after SyncGroup's answer. Cooperative: nothing before the join."""
    both = [Together((Member("A", ("T",)),)), Join(Member("B", ("T",)))]
    eager = views(play(empty_group({"T": 2}), both, assignor_named("range")))[-1]
    careful = views(play(empty_group({"T": 2}), both, assignor_named("cooperative-sticky")))[1]
    names = [(e.sender, e.name) for e in events_of(eager, cooperative=False, most_members=9)[0]]
    cooperative = [(e.sender, e.name) for e in events_of(careful, cooperative=True, most_members=9)[0]]

    assert names[0] == ("A", "onPartitionsRevoked")
    assert names[1] == ("A", "JoinGroup")
    assert names[-2:] == [("A", "onPartitionsAssigned"), ("B", "onPartitionsAssigned")]
    assert cooperative[0] == ("A", "JoinGroup")
    assert cooperative[-3:] == [
        ("A", "onPartitionsRevoked"),
        ("A", "onPartitionsAssigned"),
        ("B", "onPartitionsAssigned"),
    ]


def test_members_without_room_are_left_out_of_the_diagram() -> None:
    """With how many they are; no message to or from them is drawn."""
    view = views(
        play(empty_group({"T": 9}), [Together(tuple(Member(n, ("T",)) for n in "ABC"))], assignor_named("range"))
    )[0]
    events, left_out = events_of(view, cooperative=False, most_members=2)

    assert left_out == 1
    assert {event.sender for event in events} == {"A", "B", "coordinator"}


def test_a_live_group_begins_a_story_with_what_is_not_told() -> None:
    """While a group rebalances its subscriptions are not told; they are taken from what it reads, and that is said."""
    members = (
        LiveMember("a", "one", "10.0.0.1", topics=None, assignment=(("T", 0),)),
        LiveMember("b", "two", "10.0.0.2", topics=("T", "U"), assignment=(("T", 1), ("U", 0))),
    )
    group = LiveGroup("g", "classic", "CompletingRebalance", "", 1, members, partitions={"T": 2, "U": 1})
    state, notes = state_of(group)

    assert state.members["a"].topics == ("T", "U")
    assert state.readers == {("T", 0): "a", ("T", 1): "b", ("U", 0): "b"}
    assert "The subscription of a is unknown (the group is CompletingRebalance)" in notes[0]


def test_a_pattern_is_why_a_subscription_is_unknown() -> None:
    """Of a group that is stable, too: brokers resolve it (KIP-848), and do not tell to what."""
    members = (
        LiveMember("a", "one", "10.0.0.1", pattern="T|U.*", assignment=(("T", 0),), generation=3),
        LiveMember("b", "two", "10.0.0.2", topics=("T", "U"), assignment=(("U", 0),), generation=3),
    )
    group = LiveGroup("g", "consumer", "Stable", "uniform", 1, members, partitions={"T": 1, "U": 1}, epoch=3)
    state, notes = state_of(group)

    assert state.members["a"].topics == ("T", "U")
    assert "a subscribes by a pattern (T|U.*), which its brokers resolve" in notes[0]
    assert not any("(the group is Stable)" in note for note in notes)


def test_a_story_is_downloaded_as_it_is_read() -> None:
    """The text that the page gives is the text that it takes."""
    example = EXAMPLES[-1]
    told = json.loads(write_group(example.state, example.events))

    assert set(told) == {"topics", "members", "story"}
    assert len(told["story"]) == len(example.events) - 1


class _NoAdmin:
    """Stands in for a connection that nobody is asked through."""

    def __enter__(self) -> _NoAdmin:
        return self

    def __exit__(self, *what: object) -> None:
        """Nothing is open."""


def live_page(monkeypatch: pytest.MonkeyPatch, group: LiveGroup | ClusterUnreachable) -> AppTest:
    """The page over a live cluster that lists one group; describing it answers, or fails."""

    def describe(admin: object, name: str) -> LiveGroup:
        del admin, name
        if isinstance(group, ClusterUnreachable):
            raise group
        return group

    kind = "classic" if isinstance(group, ClusterUnreachable) else group.kind
    rows = (ListedGroup("shop", kind, "Stable", "consumer", 1), ListedGroup("sink", "classic", "", "connect", 1))
    listing = Listing(rows, ("Broker 2 does not list the groups that it coordinates: it is away.",))
    monkeypatch.setattr(client, "open_admin", lambda connection: _NoAdmin())
    monkeypatch.setattr(group_reading, "list_groups", lambda admin: listing)
    monkeypatch.setattr(group_reading, "describe_group", describe)
    reading = Reading(small(), kind="a live cluster", source="shop-cluster")
    live = LiveCluster(Connection(name="shop-cluster", bootstrap=("127.0.0.1:9",)))
    state = SessionState(
        opened={"shop-cluster": OpenedLayout(reading, datetime.now(UTC), live=live)},
        current="shop-cluster",
        started=True,
    )
    return press(visit("consumers", state), "consumers-list")


def test_a_live_group_is_chosen_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of consumers alone are offered; what is not read is said; the group is told by its own assignor."""
    members = (
        LiveMember("one-1", "one", "10.0.0.1", topics=("T",), assignment=(("T", 0), ("T", 1))),
        LiveMember("two-2", "two", "10.0.0.2", topics=("T",), assignment=(("T", 2),)),
    )
    group = LiveGroup(
        "shop",
        "classic",
        "Stable",
        "sticky",
        1,
        members,
        {("T", 0): 5, ("T", 2): 1},
        {("T", 0): 9, ("T", 2): 1},
        {"T": 3},
    )
    at = live_page(monkeypatch, group)

    assert at.selectbox(key="consumers-group").options == ["shop · classic · stable"]
    assert "Broker 2 does not list the groups" in texts(at)

    at.selectbox(key="consumers-group").set_value("shop").run()
    press(at, "consumers-show")

    assert not at.exception
    assert "The group rebalances without a change: one rebalance; 0 partitions are reassigned" in texts(at)
    said = texts(at).replace("**", "")
    assert "shop (classic) is stable, coordinated by broker 1, assigned by sticky; lag 4 records in 2 part" in said
    assert at.segmented_control(key="consumers-assignor-1").value == "sticky"


def test_reading_groups_is_a_line_of_the_audit_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As any reading of a cluster; where the line cannot be written, nobody is asked."""
    log = tmp_path / "audit.jsonl"
    monkeypatch.setenv("RESEAT_AUDIT", str(log))
    at = live_page(monkeypatch, LiveGroup("shop", "classic", "Stable", "sticky", 1))
    at.selectbox(key="consumers-group").set_value("shop").run()
    press(at, "consumers-show")
    lines = [json.loads(line) for line in log.read_text().splitlines()]

    assert [(line["event"], line["cluster"]) for line in lines] == [("reading", "shop-cluster")] * 2

    monkeypatch.setenv("RESEAT_AUDIT", str(tmp_path / "none" / "audit.jsonl"))
    monkeypatch.setattr(group_reading, "list_groups", lambda admin: pytest.fail("they were listed"))
    press(at, "consumers-list")

    assert not at.exception
    assert "cannot be written" in texts(at)


def test_a_cluster_without_groups_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it was asked; Kafka leaves out those that a user may not see."""
    at = live_page(monkeypatch, ClusterUnreachable("", "lost"))
    monkeypatch.setattr(group_reading, "list_groups", lambda admin: Listing(()))
    press(at, "consumers-list")

    assert not at.exception
    assert "there is none, or this user lacks DESCRIBE on them" in texts(at)


def test_a_live_group_that_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the cluster's reason; the story before stays."""
    at = live_page(monkeypatch, ClusterUnreachable("Broker 1 does not describe the group shop: NO.", "authorization"))
    at.selectbox(key="consumers-group").set_value("shop").run()
    press(at, "consumers-show")

    assert not at.exception
    assert "Broker 1 does not describe the group shop: NO." in texts(at)
    assert "C1 closes" in texts(at)


def test_a_live_group_without_members_shows_its_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads; how far it is behind is there all the same."""
    group = LiveGroup("shop", "classic", "Empty", "", 1, (), {("T", 0): 5}, {("T", 0): 9}, {"T": 3})
    at = live_page(monkeypatch, group)
    at.selectbox(key="consumers-group").set_value("shop").run()
    press(at, "consumers-show")

    assert not at.exception
    assert "This group has no members" in texts(at)
    assert "assigned by nobody; lag 4 records in 1 partition" in texts(at)


def shown_group(monkeypatch: pytest.MonkeyPatch, group: LiveGroup) -> AppTest:
    """The page with a live group that was chosen."""
    at = live_page(monkeypatch, group)
    at.selectbox(key="consumers-group").set_value("shop").run()
    press(at, "consumers-show")

    assert not at.exception
    return at


def test_a_group_whose_brokers_assign_is_told_by_their_assignor(monkeypatch: pytest.MonkeyPatch) -> None:
    """With epochs, the target beside what members read, and that others' assignors are for comparison alone."""
    members = (
        LiveMember("one", "one", "h", topics=("T",), assignment=(("T", 0), ("T", 1)), target=(("T", 0),), generation=4),
        LiveMember("two", "two", "h", topics=("T",), target=(("T", 1),), generation=5),
    )
    group = LiveGroup("shop", "consumer", "Reconciling", "uniform", 1, members, partitions={"T": 2}, epoch=5,
                      assignment_epoch=5)  # fmt: skip
    at = shown_group(monkeypatch, group)

    assert at.selectbox(key="consumers-group").options == ["shop · consumer · stable"]
    assert at.segmented_control(key="consumers-assignor-1").value == "broker-uniform"
    assert "assigned by uniform, epoch 5" in texts(at)
    assert "2 members on the way to the target" in texts(at)
    assert "would assign is shown for comparison alone" in texts(at)
    table = next(one.value for one in at.dataframe if "to give up" in one.value)
    assert table[["epoch", "partitions", "target", "to give up", "to get"]].values.tolist() == [
        [4, 2, 1, "T-1", ""],
        [5, 0, 1, "", "T-1"],
    ]


def test_a_share_group_is_no_story_of_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may take from which partition, and how far each is; no assignor, no steps."""
    members = tuple(
        LiveMember(name, name, "h", topics=("T",), assignment=(("T", 0),), generation=2) for name in ("one", "two")
    )
    group = LiveGroup("shop", "share", "Stable", "simple", 1, members, {("T", 0): 7}, {("T", 0): 20}, {"T": 1}, epoch=2,
                      assignment_epoch=2, lags={("T", 0): 4})  # fmt: skip
    at = shown_group(monkeypatch, group)

    assert "shop: 2 members share 1 partition; lag 4 records." in texts(at)
    assert "Assignment is not ownership here." in texts(at)
    shared = next(one.value for one in at.dataframe if "may take" in one.value)
    assert shared.values.tolist() == [["T", 0, 2, "one, two", 7, 20, 4]]
    assert not at.segmented_control
    press(at, "tale-cooperative")
    assert "Assignment is not ownership" not in texts(at)


def test_a_share_group_whose_lag_is_not_told_is_behind_at_most_by_all_that_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As Kafka 4.1 tells it: records beyond the start may be done with."""
    members = (LiveMember("one", "c", "h", topics=("T",), assignment=(("T", 0),), generation=2),)
    group = LiveGroup("shop", "share", "Stable", "simple", 1, members, {("T", 0): 7}, {("T", 0): 20}, {"T": 1}, epoch=2)
    at = shown_group(monkeypatch, group)

    assert "lag at most 13 records." in texts(at)
    assert "lag at most 13 records in 1 partition" in texts(at)


def test_a_share_group_is_shown_to_whoever_has_none() -> None:
    """Three members on two partitions as Kafka 4.4 told it; no link to a cluster, and back to a story of owners."""
    at = visit("consumers")
    press(at, "tale-share")

    assert not at.exception
    assert "payments-workers: 3 members share 2 partitions; lag 200 records." in texts(at)
    assert at.title[0].value.startswith(r"payments\-workers\: ")  # escaped once
    assert "An example: a group of Kafka 4.4.0" in texts(at)
    assert "`group.share.delivery.count.limit` times (5 by default)" in texts(at)
    shared = next(one.value for one in at.dataframe if "may take" in one.value)
    assert shared["members"].tolist() == [2, 2]
    assert all("IvnLZ0JfTtWfHqyAYcoDFg" in takers for takers in shared["may take"])
    press(at, "tale-leave")
    assert "Assignment is not ownership" not in texts(at)


def test_a_streams_group_has_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """By member, active, standby and warm-up; and what each subtopology reads."""
    tasks = Tasks(("0_0", "0_1"), ("0_2",), ())
    members = (
        LiveMember("one", "one", "h", topics=("T",), assignment=(("T", 0), ("T", 1)), target=(("T", 0), ("T", 1)),
                   generation=3, tasks=tasks, target_tasks=tasks),
    )  # fmt: skip
    group = LiveGroup("shop", "streams", "Stable", "sticky", 1, members, partitions={"T": 3}, epoch=3,
                      assignment_epoch=3, subtopologies={"0": ("T",)})  # fmt: skip
    at = shown_group(monkeypatch, group)

    assert "shop: 1 member with 2 active tasks." in texts(at)
    members_shown, subtopologies = (one.value for one in at.dataframe)
    assert members_shown[["active", "standby", "warm-up"]].values.tolist() == [["0_0, 0_1", "0_2", ""]]
    assert subtopologies.values.tolist() == [["0", "T", 3]]
