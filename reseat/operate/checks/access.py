"""Checks of who asks, where, and for what: writing enabled, person, cluster, other runs, and the plan as it was shown.

None of them can be overridden: each says that the person, the cluster or the plan may be another one than meant.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import numpy as np

from reseat.access import OPERATE_VARIABLE, Access, Door, Person, ask
from reseat.model import Snapshot
from reseat.model.wording import counted, listed, verb, visible
from reseat.operate.checks.check import Check, CheckResult, failed, passed
from reseat.operate.journal.records import Run
from reseat.operate.request import PlanRequest, WriteRequest
from reseat.operate.targets.target import Partition

__all__ = [
    "access_checks",
    "cluster_confirmed",
    "migration_over",
    "nothing_under_way",
    "one_run",
    "person_allowed",
    "plan_as_shown",
    "writing_enabled",
]

#: What a person typed is shown back, but not without end.
_SHOWN = 60


def access_checks(request: WriteRequest, snapshot: Snapshot) -> tuple[Check, ...]:
    """The three checks that stand before every write, also before a cancellation."""
    person = person_allowed(request.person, request.access)
    return writing_enabled(request), person, cluster_confirmed(request, snapshot)


def writing_enabled(request: WriteRequest) -> Check:
    """1. Reseat was started with writing enabled."""
    if request.enabled:
        return passed("writing_enabled", "Writing was enabled when Reseat was started.")
    return failed(
        "writing_enabled", f"Writing is not enabled: start Reseat with {OPERATE_VARIABLE}=1 in its environment."
    )


def person_allowed(person: Person, access: Access, now: datetime | None = None) -> Check:
    """2. The person may write.

    Args:
        person: who asks.
        access: who may, as configured.
        now: the moment of asking; by default this one.
    """
    answer = ask(Door.WRITE, person, access, (now or datetime.now(UTC)).timestamp())
    return Check("person_allowed", CheckResult.PASSED if answer.may else CheckResult.FAILED, answer.sentence)


def cluster_confirmed(request: WriteRequest, snapshot: Snapshot) -> Check:
    """3. What was typed is the id of the very cluster that was read."""
    name, typed, told = "cluster_confirmed", request.confirmed.strip(), snapshot.cluster_id
    if told is None:
        return failed(name, "The cluster does not report its id, so it cannot be confirmed.")
    if not typed:
        return failed(name, f"The cluster's id was not typed. It is {told}.")
    if typed != told:
        return failed(name, f'"{visible(typed, _SHOWN)}" was typed, but this cluster has the id {told}.')
    return passed(name, f"The cluster's id was typed: {told}.")


def one_run(open_runs: Sequence[Run]) -> Check:
    """4. No other run of the journal is open on this cluster."""
    if not open_runs:
        return passed("one_run", "No other run is open on this cluster.")
    runs = listed(f"run {run.id} ({run.state.value}, {run.kind} approved by {run.operator})" for run in open_runs)
    number = len(open_runs)
    return failed(
        "one_run",
        f"{runs[0].upper()}{runs[1:]} {verb(number, 'is', 'are')} open on this cluster: let "
        f"{verb(number, 'it', 'them')} finish, or stop {verb(number, 'it', 'them')} first.",
    )


def migration_over(migrating: bool) -> Check:
    """24. The way of writing is not one that a cluster between ZooKeeper and KRaft does not look at (KIP-866)."""
    if not migrating:
        return passed("migration_over", "No migration to KRaft is in progress.")
    return failed(
        "migration_over",
        "A migration from ZooKeeper to KRaft is in progress (/migration exists): what is written to ZooKeeper's nodes "
        "now may take effect only if the migration is rolled back. Go through the brokers (--bootstrap alone).",
    )


def plan_as_shown(request: PlanRequest) -> Check:
    """5. The plan is intact and is the one that was shown."""
    name, plan = "plan_as_shown", request.plan
    if not plan.intact:
        return failed(
            name,
            f"The plan was changed after it was made: its text has the hash {plan.hash[:12]}, its key states "
            f"{(plan.told_hash or '')[:12]}. Make a new plan.",
        )
    if request.shown_hash != plan.hash:
        return failed(
            name,
            f"The plan shown had the hash {request.shown_hash[:12] or '(none)'}, this one has {plan.hash[:12]}: it is "
            "a different plan.",
        )
    return passed(name, f"The plan is the one shown: hash {plan.hash[:12]}.")


def nothing_under_way(snapshot: Snapshot, under_way: Collection[Partition]) -> Check:
    """6. No reassignment of others is under way anywhere in the cluster.

    The listing and the description are taken together: KRaft's listing is empty up to a moment before descriptions
    show the end, and ZooKeeper's node names partitions before descriptions show the start.
    """
    layout = snapshot.layout
    described = set(layout.partitions_at(np.flatnonzero(layout.under_way)))
    others = sorted(described | set(under_way) | set(snapshot.pending))
    if not others:
        return passed("nothing_under_way", "No reassignment is in progress.")
    names = tuple(f"{topic}-{partition}" for topic, partition in others)
    return failed(
        "nothing_under_way",
        f"A reassignment of {counted(len(others), 'partition')} that this run did not start is in progress: "
        f"{listed(names)}. Let it finish or cancel it first.",
        partitions=names,
    )
