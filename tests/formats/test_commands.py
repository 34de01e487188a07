"""The commands to run, for the cluster's version."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from reseat.errors import WishRefused
from reseat.formats.text.commands import commands
from reseat.model.naming import version_of


def texts(version: str | None, **more: object) -> dict[str, str]:
    """Command by title."""
    return {command.title: command.text for command in commands(version, **more)}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2.8.2", (2, 8, 2)),
        ("v3.7-IV4", (3, 7)),
        ("0.10.1.0", (0, 10, 1, 0)),
        ("trunk", None),
        ("", None),
        (None, None),
    ],
)
def test_versions_are_read_as_people_write_them(text: str | None, numbers: tuple[int, ...] | None) -> None:
    """A version without numbers is not told."""
    assert version_of(text) == numbers


def test_what_4_1_is_told_is_what_2_8_is_told() -> None:
    """So what ``live/test_commands`` runs on 2.8 each time is what 4.1 would run; its own election runs on 4.1 too."""
    told: dict[str, Any] = {"throttle": 1_000, "command_config": "c.properties"}

    assert commands("2.8", **told) == commands("4.1", **told)
    assert [
        one.title for one, other in zip(commands("4.1", **told), commands("4.4", **told), strict=True) if one != other
    ] == ["Elect preferred leaders", "Elect the previous leaders"]


@pytest.mark.parametrize("version", ["0.8.2", "1.0.0", "2.5.1"])
def test_before_2_6_plans_go_through_zookeeper(version: str) -> None:
    """The tool's --list, --cancel and --additional are not there yet."""
    found = texts(version)

    assert "--zookeeper HOST:2181" in found["Execute"]
    assert "Cancel" not in found
    assert "--additional" not in "".join(found.values())
    assert "zookeeper-shell" in found["List"]


@pytest.mark.parametrize("version", ["2.6.0", "2.8.2", "3.0.0", "4.1.0", None])
def test_from_2_6_plans_go_through_a_broker(version: str | None) -> None:
    """Nothing mentions ZooKeeper."""
    found = texts(version)

    assert "--bootstrap-server HOST:9092" in found["Execute"]
    assert "--cancel" in found["Cancel"]
    assert "--additional" in found["Roll back"]
    assert "zookeeper" not in "".join(found.values())


def test_elections_follow_the_version() -> None:
    """The old tool goes to 2.3, through a broker from 2.2 on."""
    title = "Elect preferred leaders"

    old, new, file = "bin/kafka-preferred-replica-election.sh", "bin/kafka-leader-election.sh", "election.json"

    assert texts("1.0")[title] == f"{old} --zookeeper HOST:2181 --path-to-json-file {file}"
    assert texts("2.3")[title] == f"{old} --bootstrap-server HOST:9092 --path-to-json-file {file}"
    assert texts("2.4")[title] == (
        f"{new} --bootstrap-server HOST:9092 --election-type PREFERRED --path-to-json-file {file}"
    )
    assert texts("4.1", election_file="elect.json")[title].endswith("--path-to-json-file elect.json")


@pytest.mark.parametrize("version", ["0.9", "2.3", "2.8", "4.1", "4.4", None])
def test_no_command_reaches_beyond_the_plan(version: str | None) -> None:
    """An election of all partitions changes ten times the leaders that a plan changes."""
    for text in texts(version, throttle=None).values():
        assert "--all-topic-partitions" not in text
        assert "election" not in text or "--path-to-json-file election.json" in text


@pytest.mark.parametrize(("version", "option"), [("2.8", "--admin.config"), ("4.1", "--admin.config")])
def test_settings_of_an_election_go_by_the_old_option_where_the_new_is_unknown(version: str, option: str) -> None:
    """KIP-1147: 4.2 takes --command-config and warns of the other, which 5.0 will not know."""
    old = texts(version, command_config="c.properties")["Elect preferred leaders"]
    new = texts("4.2", command_config="c.properties")["Elect preferred leaders"]

    assert f"{option} c.properties" in old
    assert "--command-config c.properties" in new
    assert "--admin.config" not in new


def test_the_steps_come_in_the_order_in_which_they_are_run() -> None:
    """The rollback stands apart from them, and so does what may be wanted on the way."""
    found = commands("4.1", throttle=1)

    assert [command.title for command in found if command.part == "steps"] == [
        "Execute",
        "Verify",
        "Elect preferred leaders",
        "Check the result",
    ]
    assert [command.title for command in found if command.part == "rollback"] == [
        "Roll back",
        "Verify the rollback",
        "Elect the previous leaders",
    ]
    assert [c.part for c in found] == sorted((c.part for c in found), key=["steps", "meanwhile", "rollback"].index)


def test_without_a_throttle_the_command_says_what_that_means() -> None:
    """Nobody starts an unlimited copy without having read it."""
    without = {command.title: command.why for command in commands("4.1")}["Execute"]
    limited = {command.title: command.why for command in commands("4.1", throttle=5_000_000)}["Execute"]

    assert "Without --throttle" in without
    assert "Without --throttle" not in limited


def test_a_throttle_is_set_changed_and_taken_away() -> None:
    """A verify removes it, and the command says so."""
    found = commands("3.7", throttle=50_000_000)
    by_title = {command.title: command for command in found}

    assert "--throttle 50000000" in by_title["Execute"].text
    assert "--additional" in by_title["Change the throttle"].text
    assert "throttles" in by_title["Verify"].why
    assert "--throttle" not in by_title["Verify"].text
    assert "Change the throttle" not in texts("3.7")


@pytest.mark.parametrize(("version", "throttle"), [("0.10.0", 1), ("3.0", 0)])
def test_a_throttle_that_cannot_be_is_refused(version: str, throttle: int) -> None:
    """Too old a cluster, or no bytes at all."""
    with pytest.raises(WishRefused):
        commands(version, throttle=throttle)


def test_whatever_comes_from_outside_is_quoted() -> None:
    """No name can smuggle a second command in."""
    evil = "x; rm -rf / #$(id)`id`"
    for version in ("1.0", "2.3", "2.5", "3.9"):
        for command in commands(
            version,
            plan_file=evil,
            rollback_file=evil,
            election_file=evil,
            bootstrap=evil,
            zookeeper=evil,
            command_config=evil,
        ):
            words = shlex.split(command.text)

            assert evil in words
            assert "rm" not in words


def test_a_rollback_that_may_name_directories_names_a_broker_too() -> None:
    """From 1.1 to 2.5 directories are moved through a broker, beside ZooKeeper."""
    assert "--bootstrap-server" not in texts("1.0")["Roll back"]
    assert "--bootstrap-server" in texts("2.5")["Roll back"]
    assert "--zookeeper" in texts("2.5")["Roll back"]


def test_each_command_says_why() -> None:
    """Titles differ, and every command has a sentence."""
    for version in ("0.9", "2.5", "4.1"):
        found = commands(version, throttle=None)

        assert len({command.title for command in found}) == len(found)
        assert all(command.why.endswith(".") for command in found)


@pytest.mark.parametrize(
    ("version", "describe", "elect", "back"),
    [
        ("1.0.0", "--zookeeper", "--zookeeper", (1, 0)),
        ("1.1", "--zookeeper", "--zookeeper", (1, 1)),
        ("2.1.1", "--zookeeper", "--zookeeper", (1, 1)),
        ("2.2", "--bootstrap-server", "--bootstrap-server", (1, 1)),
        ("2.5.1", "--bootstrap-server", "--bootstrap-server", (1, 1)),
        ("2.6", "--bootstrap-server", "--bootstrap-server", (0, 1)),
        ("2.6.2", "--bootstrap-server", "--bootstrap-server", (0, 1)),
    ],
)
def test_each_tool_goes_the_way_that_its_version_knows(
    version: str, describe: str, elect: str, back: tuple[int, int]
) -> None:
    """A rollback, which may name log directories, goes both ways from 1.1 to 2.5."""
    found = texts(version)

    assert f".sh {describe} " in found["Check the result"]
    assert f".sh {elect} " in found["Elect preferred leaders"]
    assert (found["Roll back"].count("--zookeeper"), found["Roll back"].count("--bootstrap-server")) == back


def test_another_throttle_is_proposed_twice_as_high() -> None:
    """To be run while it moves."""
    assert "--throttle 2000 " in texts("3.7", throttle=1_000)["Change the throttle"]


@pytest.mark.parametrize(
    ("version", "throttles"),
    [("0.9.0", False), ("0.10.0", False), ("0.10.1", True), ("0.10.2", True), ("0.11.0", True), ("1.0", True)],
)
def test_a_throttle_is_for_kafka_0_10_1_and_later(version: str, throttles: bool) -> None:
    """Before, there is none to set."""
    if throttles:
        assert "--throttle 9 " in commands(version, throttle=9)[0].text
        return
    with pytest.raises(WishRefused, match=r"it was added in 0\.10\.1"):
        commands(version, throttle=9)
