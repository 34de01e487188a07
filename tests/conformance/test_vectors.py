"""Reseat answers what Kafka's own classes answered: recorded calls, one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.adapter import answer

VECTORS = Path(__file__).parent / "vectors"
#: The releases asked, by family, each with how many of its records are asked, so that a filter gone wrong does not
#: pass by asking nothing.
ASKED = {
    "rack_unaware": {"2.8.2": 154, "3.9.1": 154},
    "rack_aware": {"2.8.2": 154, "3.9.1": 154},
    "placement_errors": {"2.8.2": 30, "3.9.1": 30},
    "add_partitions": {"2.8.2": 44},
    "kraft_placement": {"3.9.1": 79, "4.1.0": 79, "4.3.1": 119, "4.4.0": 119},
    "generate": {"2.8.2": 96, "3.9.1": 96, "4.1.0": 40, "4.3.1": 64},
    "topic_names": {"2.8.2": 69, "3.9.1": 137, "4.1.0": 137, "4.3.1": 137, "4.4.0": 137},
}
#: Records of ``generate`` whose exact result is Kafka's alone.
CHECKS = ("calculate_assignment", "parse_plan", "generate")
#: How the JSON library's, Java's and (in 2.8's tools) Scala's own messages begin; that there is an error counts then.
NOT_KAFKAS_WORDS = (
    "Unexpected", "Unrecognized", "Index ", "For input string",
    "Size of replicas list List(", "Expected JSON array, received", "Expected `Int` value",
)  # fmt: skip


def records(family: str, version: str) -> Iterator[dict[str, Any]]:
    """The records of a family that are asked of a release."""
    with (VECTORS / f"{family}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            brokers = [b["id"] if isinstance(b, dict) else b for b in record.get("brokers", [])]
            huge = any(isinstance(value, int) and abs(value) > 10**6 for value in record.values())
            if (
                version in record["kafka_versions"]
                and len(set(brokers)) == len(brokers)
                and not (family == "placement_errors" and huge)
                and not ("note" in record and "java_random_seed" not in record)
                and (family != "generate" or record["check"] in CHECKS)
            ):
                yield record


def expected(record: dict[str, Any]) -> dict[str, Any]:
    """What Kafka answered, in the adapter's words."""
    message = record.get("error", {}).get("message")
    if record["family"] == "topic_names":
        keys = ("valid", "has_collision_chars", "has_collision", "unify_collision_chars")
        told = {key: record[key] for key in keys if key in record}
        return {**told, "error": message} if record["check"] == "validate" else told
    if record.get("check") == "parse_plan":
        return {"error": message}
    if message is not None:
        return {"error": message}
    keys = ("assignment", "new_partitions", "placements", "proposed_assignment")
    return {key: record[key] for key in keys if key in record}


@pytest.mark.parametrize(("family", "version"), [(family, release) for family, of in ASKED.items() for release in of])
def test_every_answer_is_kafkas(family: str, version: str) -> None:
    """Lists, verdicts and messages are equal, record by record."""
    differing = []
    asked = 0
    for record in records(family, version):
        asked += 1
        want, got = expected(record), answer({**record, "kafka_versions": [version]})
        message = want.get("error")
        if message is not None and message.startswith(NOT_KAFKAS_WORDS):
            want, got = {"error": True}, {"error": bool(got.get("error"))}
        if want != got:
            differing.append((record["case_id"], want, got))

    assert not differing[:3]
    assert asked == ASKED[family][version]


def test_what_kafka_lets_through_and_should_not_is_refused() -> None:
    """Brokers given twice, and a start index at the end of 32 bits, end in a sentence and no lists."""
    with (VECTORS / "placement_errors.jsonl").open(encoding="utf-8") as file:
        all_records = [json.loads(line) for line in file]
    twice = next(record for record in all_records if record.get("note") == "duplicate ids in the list")
    beyond = next(record for record in all_records if record["fixed_start_index"] == 2**31 - 1)

    assert "Broker 1 is given twice" in answer(twice)["error"]
    assert "beyond 32 bits" in answer(beyond)["error"]


#: Questions asked of each assignor, by release: a record, or a step of one.
GROUPS = {
    "range": {"2.8.2": 86, "3.9.1": 118, "4.1.0": 118, "4.3.1": 118, "4.4.0": 118},
    "roundrobin": {"2.8.2": 92, "3.9.1": 127, "4.1.0": 127, "4.3.1": 127, "4.4.0": 127},
    "sticky": {"2.8.2": 354, "3.9.1": 436, "4.1.0": 436, "4.3.1": 436, "4.4.0": 436},
    "cooperative_sticky": {"2.8.2": 547, "3.9.1": 699, "4.1.0": 699, "4.3.1": 699, "4.4.0": 699},
    "broker_uniform": {"4.1.0": 300, "4.3.1": 300, "4.4.0": 300},
    "broker_range": {"4.1.0": 100, "4.3.1": 100, "4.4.0": 100},
}


def rebalances(family: str, version: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each rebalance that a release was asked for, with its name; Kafka's own faults are left out."""
    with (VECTORS / f"{family}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if version not in record["kafka_versions"]:
                continue
            for number, step in enumerate(record.get("steps", [record])):
                if "error" not in step and "assigned_outside_subscription" not in step:
                    yield f"{record['case_id']}/{number}", {**step, "family": family, "kafka_versions": [version]}


def both(step: dict[str, Any]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What Kafka gave each member of a rebalance, and what Reseat gives; who gets nothing is left out."""
    question = {key: value for key, value in step.items() if key != "assignment"}
    given = (step["assignment"], answer(question)["assignment"])
    want, got = ({member: sorted(parts) for member, parts in one.items() if parts} for one in given)
    return want, got


@pytest.mark.parametrize(("family", "version"), [(family, release) for family, of in GROUPS.items() for release in of])
def test_every_assignment_is_kafkas(family: str, version: str) -> None:
    """Each member gets the very partitions that Kafka gave it; also where Kafka goes by its maps' order."""
    differing, asked = [], 0
    for name, step in rebalances(family, version):
        asked += 1
        want, got = both(step)
        if want != got:
            differing.append((name, want, got))

    assert not differing[:3]
    assert asked == GROUPS[family][version]


def elections() -> Iterator[dict[str, Any]]:
    """Each election asked of Kafka 2.8.2 (the controller's four) or 4.4.0 (``ElectLeaders``, as 3.9.1 answered)."""
    with (VECTORS / "election.jsonl").open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            newest = "4.4.0" if record["algorithm"] == "elect_leaders_api" else "2.8.2"
            if newest in record["kafka_versions"]:
                yield record


def test_every_election_is_kafkas() -> None:
    """The controller's four elections give Kafka's leader; ElectLeaders gives its leader and the name of its answer."""
    differing = []
    asked = 0
    for record in elections():
        asked += 1
        keys = ("error", "new_leader") if record["algorithm"] == "elect_leaders_api" else ("elected_leader",)
        want = {key: record[key] for key in keys}
        got = answer({key: value for key, value in record.items() if key not in keys})
        if {key: got.get(key) for key in keys} != want:
            differing.append((record["case_id"], want, got))

    assert not differing[:3]
    assert asked == 843
