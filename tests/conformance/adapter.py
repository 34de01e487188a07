"""Answers what Kafka's own classes were asked, by Reseat's public functions alone.

``answer`` takes a recorded question (a vector's inputs; see ``vectors/README.md``) and returns Reseat's answer in the
vector's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from reseat.consumers import EARLIER, Group, Member, assignor_named
from reseat.consumers.group import NO_GENERATION
from reseat.election import ElectionKind, elect_leaders, rules
from reseat.errors import ReseatError
from reseat.formats.documents.plan_check import plan_error
from reseat.model import NONE, BoolArray, Broker, BrokerState, ClusterLayout
from reseat.placement import JavaRandom, RackMode, Tool, place_added, place_kraft, place_striped, propose
from reseat.placement.topic_names import has_collision, has_collision_chars, name_error, unify_collision_chars

Question = Mapping[str, Any]
Answer = dict[str, Any]


def answer(question: Question) -> Answer:
    """Reseat's answer to one question; what it refuses is ``{"error": sentence}``."""
    try:
        return _FAMILIES[question["family"]](question)
    except ReseatError as refused:
        return {"error": str(refused)}


def _brokers(question: Question) -> list[Broker]:
    return [
        Broker(
            broker["id"],
            broker["rack"],
            state=_state(broker),
        )
        if isinstance(broker, dict)
        else Broker(broker)
        for broker in question["brokers"]
    ]


def _state(broker: Mapping[str, Any]) -> BrokerState:
    """Kafka keeps two marks of a broker; of one that has both, it counts that it gets nothing."""
    if broker.get("cordoned"):
        return BrokerState.CORDONED
    if broker.get("dead"):
        return BrokerState.DEAD
    return BrokerState.FENCED if broker.get("fenced") else BrokerState.ALIVE


def _by_text(assignment: Mapping[int, list[int]]) -> dict[str, list[int]]:
    return {str(partition): replicas for partition, replicas in assignment.items()}


def _striped(question: Question) -> Answer:
    seed = question.get("java_random_seed")
    placed = place_striped(
        _brokers(question),
        question["n_partitions"],
        question["replication_factor"],
        draws=None if seed is None else JavaRandom(seed),
        fixed_start_index=question["fixed_start_index"],
        first_partition=question["start_partition_id"],
    )
    return {"assignment": _by_text(placed.assignment())}


def _added(question: Question) -> Answer:
    existing = {int(partition): replicas for partition, replicas in question["existing_assignment"].items()}
    placed = place_added(_brokers(question), existing, question["total_partitions_wanted"])
    return {"new_partitions": _by_text(placed.assignment())}


def _kraft(question: Question) -> Answer:
    placed = place_kraft(
        _brokers(question),
        question["n_partitions"],
        question["replication_factor"],
        draws=JavaRandom(question["java_random_seed"]),
        first_partition=question["start_partition"],
        knows_cordons=question["kafka_versions"][-1] >= "4.3",
    )
    return {"placements": placed.replicas.tolist()}


def _generate(question: Question) -> Answer:
    if question["check"] == "parse_plan":
        return {"error": plan_error(question["plan_json"])}
    now = {}
    for name, replicas in question["current_assignment"].items():
        topic, _, partition = name.rpartition("-")
        now[topic, int(partition)] = replicas
    named = question.get("broker_list")
    proposed = propose(
        ClusterLayout.from_assignments(now, brokers=_brokers(question)),
        [broker.id for broker in _brokers(question)] if named is None else [*map(int, named.split(","))],
        draws=JavaRandom(question["java_random_seed"]),
        tool=Tool.STRIPED if named is None else Tool.KRAFT,
        rack_mode=RackMode.DISABLED if question.get("disable_rack_aware") else RackMode.ENFORCED,
        keep_order=named is None,
        knows_cordons=question["kafka_versions"][-1] >= "4.3",
    )
    return {"proposed_assignment": {f"{t}-{p}": lists for (t, p), lists in proposed.after.assignments().items()}}


def _names(question: Question) -> Answer:
    if question["check"] == "collision":
        return {"has_collision": has_collision(question["name_a"], question["name_b"])}
    if question["check"] == "unify":
        return {"unify_collision_chars": unify_collision_chars(question["name"])}
    error = name_error(question["name"], old_words=question["kafka_versions"] == ["2.8.2"])
    return {"valid": error is None, "error": error, "has_collision_chars": has_collision_chars(question["name"])}


def _group(question: Question) -> Answer:
    rack_of = question.get("broker_racks", {})
    group = Group(
        members=tuple(
            Member(
                member["member_id"],
                tuple(member["topics"]),
                instance_id=member.get("group_instance_id"),
                rack=member.get("rack_id"),
                owned=tuple(_partition(name) for name in member.get("owned_partitions") or ()),
                generation=NO_GENERATION if member.get("generation") is None else member["generation"],
            )
            for member in question["members"]
        ),
        partitions=question["partitions_per_topic"],
        racks={
            (topic, partition): frozenset(rack_of[str(broker)] for broker in brokers if rack_of.get(str(broker)))
            for topic, lists in question.get("partition_replicas", {}).items()
            for partition, brokers in enumerate(lists)
        },
        topic_ids=question.get("topic_ids", {}),
    )
    name = question["family"].replace("_", "-")
    earlier = f"{name}-2.8" if question.get("kafka_versions") == ["2.8.2"] else name
    given = assignor_named(earlier if earlier in EARLIER else name).assign(group)
    return {"assignment": {member: [f"{t}-{p}" for t, p in partitions] for member, partitions in given.items()}}


def _partition(name: str) -> tuple[str, int]:
    topic, _, partition = name.rpartition("-")
    return topic, int(partition)


_STATES = {
    "active": BrokerState.ALIVE,
    "fenced": BrokerState.FENCED,
    "in_controlled_shutdown": BrokerState.SHUTTING_DOWN,
}


def _election(question: Question) -> Answer:
    if question["algorithm"] == "elect_leaders_api":
        return _elect_leaders(question)
    replicas = question["assignment"]

    def mask(brokers: list[int]) -> BoolArray:
        return np.array([[broker in brokers for broker in replicas]], np.bool_).reshape(1, len(replicas))

    alive, in_sync = mask(question["live_replicas"]), mask(question["isr"])
    columns = {
        "offline": lambda: rules.offline(alive, in_sync, unclean=question["unclean_leader_election_enabled"]),
        "reassign": lambda: rules.reassignment(alive, in_sync),
        "preferred_replica": lambda: rules.preferred(alive, in_sync),
        "controlled_shutdown": lambda: rules.controlled_shutdown(
            alive, in_sync, mask(question["shutting_down_brokers"])
        ),
    }
    chosen = int(columns[question["algorithm"]]()[0])
    return {"elected_leader": None if chosen == NONE else replicas[chosen]}


def _elect_leaders(question: Question) -> Answer:
    where = (question["existing_topic"], question["existing_partition"])
    leader = question["current_leader"]
    layout = ClusterLayout.from_assignments(
        {where: question["replicas"]},
        brokers=[Broker(int(broker), state=_STATES[state]) for broker, state in question["broker_states"].items()],
        leaders={where: None if leader == NONE else leader},
        in_sync={where: question["isr"]},
    )
    kind: ElectionKind = "unclean" if question["election_type"] == "UNCLEAN" else "preferred"
    asked = (question["requested_topic"], question["requested_partition"])
    outcome = elect_leaders(layout, kind, [asked], "kraft")[0]
    return {"error": outcome.error, "new_leader": outcome.new_leader}


_FAMILIES: dict[str, Callable[[Question], Answer]] = {
    "rack_unaware": _striped,
    "rack_aware": _striped,
    "placement_errors": _striped,
    "add_partitions": _added,
    "kraft_placement": _kraft,
    "generate": _generate,
    "topic_names": _names,
    "election": _election,
    "range": _group,
    "roundrobin": _group,
    "sticky": _group,
    "broker_uniform": _group,
    "broker_range": _group,
    "cooperative_sticky": _group,
}
