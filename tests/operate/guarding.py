"""Requests and readings for tests of the guard, from literal lists."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime

import numpy as np

from reseat.access import command_line_person
from reseat.formats.documents.sealed import read_sealed, seal_of
from reseat.model import Broker, BrokerState, ClusterLayout, Snapshot
from reseat.operate.checks.check import CheckResult
from reseat.operate.checks.guard import Facts, check
from reseat.operate.request import PlanRequest

CLUSTER = "clusterA"
TAKEN_AT = datetime(2024, 5, 1, tzinfo=UTC)

#: Two topics on brokers 1 to 4 in racks a and b.
LISTS = {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [3, 1], ("pay", 7): [2, 3]}
#: Broker 3 is drained to 4.
PLAN = {("orders", 2): [4, 1], ("pay", 7): [2, 4]}
RACKS = {1: "a", 2: "b", 3: "b", 4: "b"}


def brokers(racks=None, states=None):
    """Alive brokers in their racks; ``states`` says otherwise."""
    return [
        Broker(i, rack, state=(states or {}).get(i, BrokerState.ALIVE))
        for i, rack in (RACKS if racks is None else racks).items()
    ]


def layout(lists=None, *, racks=None, states=None, in_sync=None, leaders=None, sizes=None, min_in_sync=1):
    """A healthy layout: every replica in sync and the first one leading, where nothing else is said."""
    lists = LISTS if lists is None else lists
    made = ClusterLayout.from_assignments(
        lists,
        brokers=brokers(racks, states),
        leaders={key: ids[0] for key, ids in lists.items()} | (leaders or {}),
        in_sync=dict(lists) | (in_sync or {}),
        size_bytes=sizes,
    )
    if min_in_sync is None:
        return made
    return dataclasses.replace(made, min_in_sync=np.full(len(made.topics), min_in_sync, np.int32))


def snapshot(of=None, **more):
    """A reading of a layout."""
    more = {"cluster_id": CLUSTER, "metadata": "zookeeper"} | more
    return Snapshot(layout=layout() if of is None else of, taken_at=TAKEN_AT, protocol="admin", **more)


def text_of(plan, *, key=None, log_dirs=None):
    """Reassignment JSON of literal lists, with Reseat's key or without."""
    entries = []
    for (topic, partition), ids in sorted(plan.items()):  # as the lists from before are
        entry = {"topic": topic, "partition": partition, "replicas": ids}
        entries.append(entry | ({"log_dirs": log_dirs[topic, partition]} if log_dirs else {}))
    document = {"version": 1, "partitions": entries}
    return json.dumps(document | ({"reseat": json.loads(key)} if key else {}))


def sealed_text(plan=None, *, made_for=None, leaving=(3,), log_dirs=None):
    """The text of a plan that says which layout it was made for."""
    plan = PLAN if plan is None else plan
    whole = layout() if made_for is None else made_for
    proposed = read_sealed(text_of(plan, log_dirs=log_dirs)).proposed
    lists = whole.assignments()
    before = ClusterLayout.from_assignments({key: lists[key] for key in plan})
    return text_of(plan, key=seal_of(proposed, before, made_for=whole, leaving=leaving), log_dirs=log_dirs)


def sealed(plan=None, *, made_for=None, leaving=(3,), with_key=True, log_dirs=None):
    """A plan as read from its text, made for a layout."""
    if with_key:
        return read_sealed(sealed_text(plan, made_for=made_for, leaving=leaving, log_dirs=log_dirs))
    return read_sealed(text_of(PLAN if plan is None else plan, log_dirs=log_dirs))


def request(plan=None, **more):
    """A request by the command line's person, with everything in order."""
    plan = sealed() if plan is None else plan
    told = {
        "shown_hash": plan.hash,
        "confirmed": CLUSTER,
        "person": command_line_person("ada"),
        "enabled": True,
    }
    return PlanRequest(plan=plan, **(told | more))


def facts(now=None, **more):
    """What the cluster tells: nothing is under way, and nothing beside the reading is known."""
    quiet = {"under_way": frozenset(), "holdings": None, "batch_bytes": None, "migrating": False, "protocol": "admin"}
    return Facts(snapshot() if now is None else now, **(quiet | more))


def checked(asked=None, now=None, *, open_runs=(), lifted=(), proposal=None, **more):
    """All checks of the guard."""
    asked = request() if asked is None else asked
    return check(asked, facts(now, **more), open_runs=open_runs, lifted=lifted, proposal=proposal)


def judged(name, asked=None, now=None, **more):
    """One check of the guard."""
    return next(found for found in checked(asked, now, **more) if found.name == name)


def failing(asked=None, now=None, **more):
    """The names of all checks that stop a write."""
    return [found.name for found in checked(asked, now, **more) if found.result is CheckResult.FAILED]
