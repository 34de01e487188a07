"""``migrate``: words, JSON and files; and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import Broker, ClusterLayout, Snapshot

SAMPLES = Path(__file__).parent.parent.parent / "samples"
SOURCE = str(SAMPLES / "zookeeper-2.8-three-racks.txt")
TARGET = str(SAMPLES / "kraft-4.1-broker-down.txt")
RACKS = str(SAMPLES / "kraft-4.1-racks.csv")
SIDES = ["migrate", "--source", SOURCE, "--target", TARGET, "--target-racks", RACKS]


def test_a_person_reads_the_answer_both_sides_and_what_to_run(capsys):
    """In this order; the broker that is in no ISR is named."""
    assert main([*SIDES, "--prefix", "old", "--throttle", "1000000"]) == 0
    said = capsys.readouterr().out

    assert said.startswith("18 topics with 335 partitions and 105 MB can move to the target, in 4 waves.\n")
    assert "orders -> old.orders" in said
    assert "Broker 5 is in no ISR and may be down" in said
    assert said.index("Before you begin:") < said.index("--create --topic old.audit-log --replica-assignment")
    assert "and 13 more; --create FILE writes all." in said
    assert "40 s" in said


def test_json_has_every_list(capsys):
    """Of all topics that are created, as many as they have partitions."""
    assert main([*SIDES, "--prefix", "old", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    orders = next(topic for topic in told["topics"] if topic["topic"] == "orders")

    assert (orders["target_topic"], orders["target_partitions"], orders["target_racks"]) == ("old.orders", 0, 3)
    assert len(orders["assignment"]) == orders["partitions"] == 36
    assert sum(len(wave["topics"]) for wave in told["waves"]) == len(told["topics"]) == len(told["commands"]) == 18
    assert told["source"]["racks"] == ["az-a", "az-b", "az-c"]
    assert told["target"]["bytes"] is None


def test_no_throttle_is_no_time(capsys):
    """``none`` ended with an internal error; with one the JSON has the least time too."""
    assert main([*SIDES, "--throttle", "none"]) == 0
    assert "  at least" not in capsys.readouterr().out

    for throttle in ("none", "1000000"):
        assert main([*SIDES, "--throttle", throttle, "--json"]) == 0
        wave = json.loads(capsys.readouterr().out)["waves"][0]
        assert wave["least_seconds"] == (None if throttle == "none" else wave["bytes"] / 1e6)


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_what_was_not_read_is_said(tmp_path, words, capsys):
    """Of either side: a topic that was skipped does not move."""
    source = tmp_path / "source.txt"
    source.write_text("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\nTopic: u\tPartition: 1\tLead\n")

    assert main(["migrate", "--source", str(source), "--target", TARGET, *words]) == 0
    said = capsys.readouterr()
    said = said.err if words else said.out
    assert f"Source: 1 line of {source} was skipped: reseat show lists them." in said
    assert f"Target: 1 line of {TARGET} was skipped" in said


def test_every_key_is_documented(capsys):
    """Also those within lists."""
    assert main([*SIDES, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    text = (SAMPLES.parent / "docs" / "command-line.md").read_text(encoding="utf-8")
    keys = {*told, *told["source"], *told["topics"][0], *told["brokers"][0], *told["waves"][0]}

    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_files_are_written(tmp_path, capsys):
    """A script of every command, and a property file of the first wave alone."""
    script, properties = tmp_path / "topics.sh", tmp_path / "mm2.properties"
    files = ["--create", str(script), "--properties", str(properties), "--wave", "1"]

    assert main([*SIDES, "--prefix", "old", *files]) == 0
    lines = script.read_text().splitlines()

    assert lines[:2] == ["#!/bin/sh", "set -e"]
    assert len(lines) == 20
    assert "orders" in properties.read_text()
    assert "shipment-tracking" not in properties.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--topics", "nope"], "No topic matches nope."),
        (["--wave", "2"], "--wave is only for --properties."),
        (["--wave", "9", "--properties", "x.properties"], "--wave 9: there are 4."),
        (["--create", "-"], "name files"),
        (["--create", "a", "--properties", "a"], "written by --create"),
        (["--create", TARGET], "names a file that is read"),
        (["--prefix", "old", "--replicas-per-broker", "200", "--create", "x.sh"], "--create writes nothing: "),
        (["--kafka-version", "four"], "four"),
        (["--seed", "4"], "--seed goes with --placement kafka"),
    ],
)
def test_what_is_refused(words, said, capsys, tmp_path, monkeypatch):
    """With exit code 2 and a sentence; no file is written."""
    monkeypatch.chdir(tmp_path)

    assert main([*SIDES, *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_standard_input_is_one_side(capsys):
    """Not both."""
    assert main(["migrate", "--source", "-", "--target", "-"]) == 2
    assert "only once" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "by"), [([], "--zookeeper"), (["--kafka-version", "4.1"], "--bootstrap-server")])
def test_the_version_is_that_of_the_targets_snapshot(words, by, tmp_path, capsys):
    """As on the page; another one that is named goes before it."""
    target = tmp_path / "target.json"
    layout = ClusterLayout.from_assignments({("old", 0): [1, 2]}, brokers=[Broker(one) for one in (1, 2, 3)])
    snapshot = Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "zookeeper", metadata="zookeeper", version="2.0")
    target.write_bytes(write_snapshot(snapshot))

    assert main(["migrate", "--source", SOURCE, "--target", str(target), "--json", *words]) == 0
    assert f"kafka-topics.sh {by} " in json.loads(capsys.readouterr().out)["commands"][0]
