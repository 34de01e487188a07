"""Asks Kafka's own classes of some release what ``vectors`` holds: ``python -m tests.conformance.recording``.

How the recorded answers of 4.3.1 and 4.4.0 came to be: ``java/Ask.java`` is compiled against a release's jars and asked
every question that 4.1.0 (elections: 3.9.1) was asked. Where the answer is the recorded one the release joins its
``kafka_versions``; where it is another one the case gets one more variant. The same driver with 4.1.0's jars gives the
answers that were recorded from 4.1.0 before, which shows that it asks as they were asked. Needs a JDK.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.servers.cluster import CACHE

HERE = Path(__file__).parent
#: The folder of a release's jars; 4.4.0's command line is not to be had, and 4.3.1's stands in.
JARS = {
    "2.8.2": CACHE / "zookeeper-2.8" / "jars",
    "4.1.0": CACHE / "kraft-4.1" / "jars",
    "4.3.1": CACHE / "kraft-4.4" / "tools",
    "4.4.0": CACHE / "kraft-4.4" / "jars",
}
ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative_sticky")
FAMILIES = ("kraft_placement", "topic_names", "generate", "election", *ASSIGNORS)
#: Keys of a record that say how it was made and what came of it, and ask nothing.
_ANSWERS = ("placements", "assignment", "error", "error_message", "new_leader", "valid", "has_collision_chars",
            "has_collision", "is_internal", "unify_collision_chars", "replicas")  # fmt: skip


def ask(version: str, questions: Iterable[Mapping[str, Any]], driver: str = "Ask") -> list[dict[str, Any]]:
    """What a release's classes say to each question, in the words of the records.

    Args:
        version: the release.
        questions: records.
        driver: which of ``java``.
    """
    jars = JARS[version]
    with TemporaryDirectory() as made:
        source = (HERE / "java" / f"{driver}.java").read_text()
        if next(jars.glob("kafka-clients-4.4*"), None):  # the class moved
            source = source.replace("common.utils.LogContext", "common.utils.internals.LogContext")
        file = Path(made) / f"{driver}.java"
        file.write_text(source)
        subprocess.run(["javac", "-nowarn", "-Xlint:none", "-d", made, "-cp", f"{jars}/*", str(file)], check=True)
        program = f"org.apache.kafka.controller.{driver}" if driver == "Ask" else driver
        java = ["java", "-Dlog4j2.level=OFF", "-cp", f"{made}:{jars}/*", program]
        text = "".join(json.dumps(question) + "\n" for question in questions)
        done = subprocess.run(java, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def records(family: str) -> list[dict[str, Any]]:
    """All records of a family."""
    with (HERE / "vectors" / f"{family}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def asked_of(family: str, version: str) -> list[dict[str, Any]]:
    """The records of a family whose questions a release can be asked: those that the newest before it answered."""
    newest = "3.9.1" if family in ("election", "generate") else "4.1.0"
    can = {"election": ("algorithm", "elect_leaders_api"), "generate": ("check", "parse_plan")}
    key, value = can.get(family, ("family", family))
    if family == "generate" and version == "4.4.0":
        return []  # its command line is not to be had
    return [one for one in records(family) if newest in one["kafka_versions"] and one[key] == value]


def answered(family: str, version: str) -> list[dict[str, Any]]:
    """The same records with what a release says, step by step where they have steps."""
    asked = asked_of(family, version)
    steps = [{**step, "family": family} for one in asked for step in one.get("steps", [one])]
    said = iter(ask(version, steps) if steps else [])
    return [
        {**one, "steps": [_with(step, next(said)) for step in one["steps"]]}
        if "steps" in one
        else _with(one, next(said))
        for one in asked
    ]


def _with(question: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """A question with this answer in the place of the recorded one; what was not recorded is left out."""
    asks = {key: value for key, value in question.items() if key not in _ANSWERS or _asks(question, key)}
    told = {key: value for key, value in said.items() if key in question or key == "error"}
    if "assignment" in told and "assignment" in question:
        told["assignment"] = {member: told["assignment"].get(member, []) for member in question["assignment"]}
    return {key: told.get(key, asks.get(key)) for key in question if key in told or key in asks} | told


def _asks(question: Mapping[str, Any], key: str) -> bool:
    """Lists of replicas are what is asked about in elections."""
    return key == "replicas" and "algorithm" in question


def cordoned_cases() -> list[dict[str, Any]]:
    """Placement over the brokers that the controller hands over: fenced ones too, and no cordoned ones (KIP-1066)."""
    draws = random.Random(44)
    cases = []
    for number in range(40):
        racks = draws.choice([[None], ["r1", "r2"], ["r1", "r2", "r3"], ["r1", None]])
        brokers = [
            {
                "id": broker,
                "rack": draws.choice(racks),
                "fenced": draws.random() < 0.15,
                "cordoned": draws.random() < 0.3,
            }
            for broker in range(draws.randint(2, 9))
        ]
        case = {"family": "kraft_placement", "case_id": f"kp-cordoned-{number:02}", "kafka_versions": []}
        asked = {"start_partition": 0, "n_partitions": draws.randint(1, 12), "replication_factor": draws.randint(1, 4)}
        cases.append({**case, "brokers": brokers, **asked, "java_random_seed": 44_000 + number})
    return cases


def generate_cases() -> list[dict[str, Any]]:
    """The whole ``--generate`` of the command line, one topic each, over lists that name dead and unknown brokers."""
    draws = random.Random(20023)
    cases = []
    for number in range(40):
        racks = draws.choice([[None], ["r1", "r2"], ["r1", "r2", "r3"], ["r1", None]])
        brokers = [
            {"id": broker, "rack": draws.choice(racks), "dead": draws.random() < 0.25}
            for broker in range(draws.randint(3, 9))
        ]
        ids = [broker["id"] for broker in brokers]
        factor = draws.randint(1, min(3, len(ids)))
        named = sorted(draws.sample([*ids, 99], draws.randint(2, len(ids) + 1)))
        now = {f"topic-{partition}": draws.sample(ids, factor) for partition in range(draws.randint(1, 12))}
        case = {"family": "generate", "case_id": f"ge-dead-{number:02}", "kafka_versions": [], "check": "generate"}
        asked = {"brokers": brokers, "current_assignment": now, "broker_list": ",".join(map(str, named))}
        asked |= {"disable_rack_aware": draws.random() < 0.3, "java_random_seed": 20_023_000 + number}
        cases.append({**case, **asked})
    return cases


def main() -> None:
    """Ask 4.3.1 and 4.4.0 all of it, and write the records anew."""
    for family in FAMILIES:
        found = records(family)
        for version in ("4.3.1", "4.4.0"):
            for one in answered(family, version):
                _note(found, one, version)
            if family == "kraft_placement":
                cases = cordoned_cases()
                for one, said in zip(cases, ask(version, cases), strict=True):
                    _note(found, {**one, **said}, version)
            if family == "generate" and version == "4.3.1":
                cases = generate_cases()
                for release in ("4.1.0", version):
                    for one, said in zip(cases, ask(release, cases), strict=True):
                        _note(found, {**one, **said}, release)
        _write(family, found)


def _note(found: list[dict[str, Any]], told: dict[str, Any], version: str) -> None:
    same = [at for at, one in enumerate(found) if one["case_id"] == told["case_id"]]
    if not same:
        found.append({**told, "kafka_versions": [version]})
        return
    for at in same:
        if _bare(found[at]) == _bare(told):
            found[at]["kafka_versions"] = [*dict.fromkeys([*found[at]["kafka_versions"], version])]
            return
    found.insert(same[-1] + 1, {**told, "kafka_versions": [version]})
    for number, at in enumerate([*same, same[-1] + 1], 1):
        head = {key: found[at][key] for key in ("family", "case_id", "kafka_versions")}
        found[at] = {**head, "variant": number, "variants": len(same) + 1, **_bare(found[at])}


def _bare(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in ("kafka_versions", "variant", "variants")}


def _write(family: str, found: Iterable[Mapping[str, Any]]) -> None:
    lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in found)
    (HERE / "vectors" / f"{family}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
