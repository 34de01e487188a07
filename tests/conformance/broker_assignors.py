"""Asks the brokers' assignors (KIP-848) of some releases, and records what they say.

``python -m tests.conformance.broker_assignors``: groups that members join and leave, that change what they subscribe
to, and whose topics grow; each step begins with what the step before assigned. ``java/AskBrokers.java`` is the driver;
the questions are drawn anew from one seed. Needs a JDK.
"""

from __future__ import annotations

import json
import random
import uuid
from typing import Any

from reseat.sources.kafka_admin.partitions import printed_id
from tests.conformance.recording import HERE, ask

__all__ = ["FAMILIES"]

#: With how many groups each is asked; range has no memory, and less to say.
FAMILIES = {"broker_uniform": 60, "broker_range": 20}
#: The first one's answers are what later steps begin with.
_VERSIONS = ("4.4.0", "4.3.1", "4.1.0")
_STEPS = 5


def _begun(draws: random.Random, family: str, number: int) -> dict[str, Any]:
    """A group's first question: nobody has anything."""
    topics = [f"t{n}" for n in range(draws.randint(1, 6))]
    alike = draws.random() < 0.5
    mine = topics if alike else None
    members = [_member(draws, n, mine or _some(draws, topics)) for n in range(draws.randint(1, 9))]
    return {
        "family": family,
        "case_id": f"{'bu' if family == 'broker_uniform' else 'br'}-{number:02}-0",
        "kafka_versions": [],
        "partitions_per_topic": {topic: draws.choice([1, 2, 3, 5, 8, 13, 24, 40]) for topic in topics},
        "topic_ids": {topic: printed_id(uuid.UUID(int=draws.getrandbits(128))) for topic in topics},
        "members": members,
    }


def _member(draws: random.Random, number: int, topics: list[str]) -> dict[str, Any]:
    name = f"{uuid.UUID(int=draws.getrandbits(128))}" if draws.random() < 0.5 else f"consumer-{number}"
    static = {"group_instance_id": f"i-{draws.randint(0, 99):02}-{number}"} if draws.random() < 0.3 else {}
    return {"member_id": name, **static, "topics": sorted(topics), "owned_partitions": []}


def _some(draws: random.Random, topics: list[str]) -> list[str]:
    return draws.sample(topics, draws.randint(1, len(topics)))


def _next(draws: random.Random, told: dict[str, Any], step: int) -> dict[str, Any]:
    """What is asked after an answer: something changed, and everybody has what that answer gave."""
    members = [{**one, "owned_partitions": told["assignment"][one["member_id"]]} for one in told["members"]]
    topics, counts = list(told["topic_ids"]), dict(told["partitions_per_topic"])
    alike = len({tuple(one["topics"]) for one in members}) == 1
    change = draws.choice(["join", "join", "leave", "leave", "subscribe", "grow"])
    if change == "join" or len(members) == 1:
        members.append(
            _member(draws, 10 * step + len(members), members[0]["topics"] if alike else _some(draws, topics))
        )
    elif change == "leave":
        members.pop(draws.randrange(len(members)))
    elif change == "subscribe":
        picked = _some(draws, topics)
        for one in members if alike else [draws.choice(members)]:
            one["topics"] = sorted(picked)
    else:
        counts[draws.choice(topics)] += draws.randint(1, 7)
    case = told["case_id"].rpartition("-")[0]
    return {**{key: told[key] for key in told if key != "assignment"}, "case_id": f"{case}-{step}",
            "kafka_versions": [], "partitions_per_topic": counts, "members": members}  # fmt: skip


def _asked(family: str) -> list[dict[str, Any]]:
    """All steps of all cases, with what the first release says."""
    draws = random.Random(848)
    now = [_begun(draws, family, number) for number in range(FAMILIES[family])]
    found: list[dict[str, Any]] = []
    for step in range(1, _STEPS + 1):
        said = ask(_VERSIONS[0], now, "AskBrokers")
        told = [{**one, **answer, "kafka_versions": [_VERSIONS[0]]} for one, answer in zip(now, said, strict=True)]
        found += told
        now = [_next(draws, one, step) for one in told]
    return sorted(found, key=lambda one: one["case_id"])


def main() -> None:
    """Ask, and write the records."""
    for family in FAMILIES:
        found = _asked(family)
        for version in _VERSIONS[1:]:
            for one, answer in zip(found, ask(version, found, "AskBrokers"), strict=True):
                if answer["assignment"] == one["assignment"]:
                    one["kafka_versions"] = [version, *one["kafka_versions"]]
        lines = [json.dumps(one, separators=(",", ":")) + "\n" for one in found]
        (HERE / "vectors" / f"{family}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    main()
