"""What a text was recognised as, in one line, over every form; what to add, and commands that a shell runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reseat.errors import InputRefused
from reseat.formats import Reading, read, read_racks
from reseat.formats.recognised import form, missing, recognised
from reseat.formats.rows.combining import combine
from reseat.model import Broker, ClusterLayout

_TEXTS = Path(__file__).parent / "texts"
_BARE = "no leaders, no ISR, no racks, no sizes"
#: By text: the line, and what to add.
SAID = {
    "ccloud": (
        "kafka-topics --describe + the Confluent CLI's topic description: 4 brokers, 2 partitions, no racks, no sizes",
        ["racks", "sizes"],
    ),
    "configs": (
        "kafka-topics --describe + kafka-configs --describe of Kafka 3.7 or later: 2 brokers, 1 partition, no racks, "
        "no sizes",
        ["racks", "sizes"],
    ),
    "cruise-control": (
        "Cruise Control's kafka_cluster_state: 3 brokers, 3 partitions, no racks, no sizes",
        ["racks", "sizes"],
    ),
    "describe-0.8": ("kafka-topics --describe: 4 brokers, 3 partitions, no racks, no sizes", ["racks", "sizes"]),
    "describe-2.2": ("kafka-topics --describe: 3 brokers, 4 partitions, no racks, no sizes", ["racks", "sizes"]),
    "describe-4.1": (
        "kafka-topics --describe of Kafka 3.7 or later: 3 brokers, 4 partitions, no racks, no sizes",
        ["racks", "sizes"],
    ),
    "describe-confluent": ("kafka-topics --describe: 4 brokers, 3 partitions, no racks, no sizes", ["racks", "sizes"]),
    "describe-lost-lines": ("kafka-topics --describe: 3 brokers, 3 partitions, no racks, no sizes", ["racks", "sizes"]),
    "describe-noise": ("kafka-topics --describe: 4 brokers, 3 partitions, no racks, no sizes", ["racks", "sizes"]),
    "describe-wrapped": ("kafka-topics --describe: 3 brokers, 2 partitions, no racks, no sizes", ["racks", "sizes"]),
    "execute-0.8": (f"reassignment JSON: 3 brokers, 3 partitions, {_BARE}", ["leaders and ISR", "racks", "sizes"]),
    "execute-4": (f"reassignment JSON: 3 brokers, 3 partitions, {_BARE}", ["leaders and ISR", "racks", "sizes"]),
    "generate": (f"reassignment JSON: 3 brokers, 3 partitions, {_BARE}", ["leaders and ISR", "racks", "sizes"]),
    "kcat": ("kcat -L: 4 brokers, 3 partitions, no racks, no sizes", ["racks", "sizes"]),
    "kcat-json": ("kcat -L -J: 2 brokers, 2 partitions, no racks, no sizes", ["racks", "sizes"]),
    "log-dirs": (
        "kafka-log-dirs --describe: 2 brokers, 2 partitions, no leaders, no ISR, no replica order, no racks",
        ["replica order", "racks"],
    ),
    "log-dirs-comment": (
        "kafka-log-dirs --describe: 1 broker, 1 partition, no leaders, no ISR, no replica order, no racks",
        ["replica order", "racks"],
    ),
    "plan-sealed": (f"reassignment JSON: 3 brokers, 2 partitions, {_BARE}", ["leaders and ISR", "racks", "sizes"]),
    "racks": ("racks: 3 brokers, 0 partitions, not all racks", []),
    "rest": ("a REST proxy's answer: 2 brokers, 1 partition, no racks, no sizes", ["racks", "sizes"]),
    "rpk": (
        "rpk topic describe: 4 brokers, 2 partitions, no ISR, no replica order, no racks, no sizes",
        ["replica order", "racks", "sizes"],
    ),
    "rpk-offline": (
        "rpk topic describe: 3 brokers, 2 partitions, no ISR, no replica order, no racks, no sizes",
        ["replica order", "racks", "sizes"],
    ),
    "rpk-old": (
        "rpk topic describe: 3 brokers, 2 partitions, no replica order, no racks, no sizes",
        ["replica order", "racks", "sizes"],
    ),
    "several": (
        "kafka-topics --describe + kcat -L + kafka-log-dirs --describe: 4 brokers, 6 partitions, not all leaders, "
        "not all ISR, not all replica order, no racks, not all sizes",
        ["replica order", "racks"],
    ),
    "snapshot": (
        "snapshot of Reseat: 3 brokers, 2 partitions, 2 racks, not all ISR, not all replica order, not all sizes",
        ["replica order"],
    ),
    "table": (
        f"CSV, one row per partition: 3 brokers, 2 partitions, {_BARE}",
        ["leaders and ISR", "racks", "sizes"],
    ),
    "topicmappr": (f"topicmappr's output: 3 brokers, 2 partitions, {_BARE}", ["leaders and ISR", "racks", "sizes"]),
    "zk-answers-after": (
        "ZooKeeper nodes: 3 brokers, 2 partitions, not all leaders, not all ISR, no racks, no sizes",
        ["racks", "sizes"],
    ),
    "zk-session": (
        "ZooKeeper nodes: 4 brokers, 2 partitions, not all leaders, not all ISR, not all racks, no sizes",
        ["sizes"],
    ),
    "zk-topic": (f"ZooKeeper nodes: 3 brokers, 2 partitions, {_BARE}", ["leaders and ISR", "racks", "sizes"]),
}
_ROW = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2"


def test_every_form_is_named_or_refused(sample: Callable[[str], str]) -> None:
    """No sample text is forgotten here: those without a line are no layouts."""
    for name in {path.stem for path in _TEXTS.glob("*.txt")} - SAID.keys():
        with pytest.raises(InputRefused):
            read(sample(name))


@pytest.mark.parametrize("name", SAID)
def test_a_text_is_answered_with_what_it_is(name: str, reading_of: Callable[[str], Reading]) -> None:
    """The form, the size and what it lacks, in one line; then what to add."""
    reading = reading_of(name)

    assert recognised(reading) == SAID[name][0]
    assert [one.what for one in missing(reading.layout)] == SAID[name][1]


@pytest.mark.parametrize(
    ("text", "since"),
    [
        (_ROW, None),
        (f"Topic: a\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: \n\t{_ROW}", None),
        (f"Topic: a\tTopicId: AbCdEfGhIjKlMnOpQrStUv\tPartitionCount: 1\tReplicationFactor: 2\n\t{_ROW}", (2, 8)),
        (f"{_ROW}\tAdding Replicas: 3\tRemoving Replicas: 1", (2, 4)),
        (f"{_ROW}\tElr: N/A\tLastKnownElr: N/A", (3, 7)),
        (f"12 lines {_ROW}\tElr: \tLastKnownElr: ", (3, 7)),
        (f"{_ROW}\nTopicId: said in a note", None),
        (f"Topic: a\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: x=TopicId: 1 PartitionCount:\n\t{_ROW}", None),
    ],
)
def test_a_release_is_named_by_what_no_earlier_one_prints(text: str, since: tuple[int, int] | None) -> None:
    """A column or a label of its own; words that only look like one claim nothing."""
    reading = read(text)

    assert reading.since == since
    assert ("or later" in form(reading)) == (since is not None)


def test_several_texts_tell_the_newest_release() -> None:
    """One cluster has one release, so what any text needs holds for all; in whatever order they come."""
    old, new = read(_ROW, source="one"), read(f"{_ROW}\tElr: \tLastKnownElr: ", source="two")

    assert combine([old, new]).since == combine([new, old]).since == (3, 7)


def test_nothing_is_asked_for_where_all_is_known() -> None:
    """Racks, sizes, leaders and ISR: the line has no "no", and no command follows."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2]},
        brokers=[Broker(1, "x"), Broker(2, "y")],
        leaders={("a", 0): 1},
        in_sync={("a", 0): [1, 2]},
        size_bytes={("a", 0): 5.0},
    )

    assert recognised(Reading(layout, kind="a literal")) == "a literal: 2 brokers, 1 partition, 2 racks"
    assert missing(layout) == ()


def test_the_command_for_racks_makes_a_text_that_is_read_as_racks(tmp_path: Path) -> None:
    """Over what ``kafka-broker-api-versions`` prints, before 4.0 and since; a rack that is null is none."""
    said = (
        "kafka-1:9092 (id: 1 rack: az-a) -> (\n\tProduce(0): 0 to 9 [usable: 9],\n)\n"
        "kafka-2:9092 (id: 22 rack: null isFenced: false) -> (\n\tProduce(0): 0 to 12 [usable: 12]\n)\n"
    )
    tool = tmp_path / "kafka-broker-api-versions.sh"
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{said}END\n")
    tool.chmod(0o755)
    command = next(one.command for one in missing(read(_ROW).layout) if one.what == "racks")
    done = subprocess.run(
        ["sh", "-c", command], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )

    assert read_racks(done.stdout) == {1: "az-a", 22: None}
