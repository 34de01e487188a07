"""The guard: what must hold before anything is written to a cluster. Every write goes through it, whoever asks.

Promises, in this order:
    1. Nothing that could lose data, or that is not what was approved, passes; such a check cannot be overridden.
    2. Draining a broker that is dead passes, as do flickering ISRs and racks that the dead no longer tell.
    3. Every check says in a sentence what it found, naming topics, partitions and brokers; what the cluster does not
       tell is called not told, and neither passed nor failed.

Needs: a request, and a reading of the cluster taken now, just before the write. A rollback is guarded as any plan.

The preconditions of a plan, in the order of their names here (``docs/decisions/0012`` says why each):

    ==  ========================  =============================================  ==================================
     #  check                     fails where                                    overridable
    ==  ========================  =============================================  ==================================
     1  writing_enabled           RESEAT_OPERATE=1 was not set at start          never
     2  person_allowed            not signed in and listed, or not local use     never
     3  cluster_confirmed         another id was typed, or none is told          never
     4  one_run                   a run of the journal is open                   never
     5  plan_as_shown             the text was changed, or is another            never
     6  nothing_under_way         others' reassignments are under way            never
     7  reading_settled           a topic changed while it was read              never: read again
     8  order_told                the reading keeps no assignment order          never
     9  layout_unchanged          lists differ, partitions are gone              where all are as planned already
    10  brokers_unchanged         a broker is gone, or in another rack           never
    11  replicas_valid            empty list, broker twice, onto a leaving one   never
    12  replication_factor_kept   fewer replicas, unasked; one; below min ISR    yes: the copies left are in sync
    13  targets_alive             a target is dead, or fenced (KRaft)            fenced: it only waits
    14  movable                   no live in-sync copy                           never
    15  min_in_sync               below min ISR, not because of leaving brokers  never
    16  can_finish                keeps a replica on a broker that is down       yes: it only waits
    17  racks_not_worsened        racks are shared more than was shown           yes: it was good enough to ask
    18  leaving_brokers_since     a leaving broker would not be empty            yes: nothing is lost by it
    19  disk_room                 more comes than is left                        never: a full disk goes offline
    20  log_dirs_chosen           new replicas cannot go where they are to lie   yes: the brokers choose
    21  throttle_suits            no rate; copying would take more than a week   more than a week: it only waits
    22  requests_fit              a topic's node outgrows ZooKeeper's limit      where jute.maxbuffer was raised
    23  topics_same               a topic was deleted and made anew              never: it is another topic
    24  migration_over            nodes are written amid a migration to KRaft    never: it may act much later
    25  cordons_heeded            a list names a cordoned broker                 never: Kafka refuses the list
    26  cordon_possible           one is asked for, and the cluster has none     never: execute without it
    27  directories_fit           replicas cannot move to the directories named  where lists change too: another run
    28  directories_online        a target has an offline log directory          yes: it has others
    29  rights_suffice            the user that signs in lacks a right           never: it would stop half way
    30  approved_by_another       nobody but the proposer stands behind it       never; asked of some clusters
    ==  ========================  =============================================  ==================================

How: the plan's partitions are laid beside the reading once (``plan_diff``), and every check is a few comparisons of
columns.

Example: a plan made for orders-3 on [1, 2, 3] finds it on [1, 2, 4]: ``layout_unchanged`` failed, "1 partition of the
plan has another replica list than it was made for: orders-3 was [1,2,3], is [1,2,4]. Make a new plan."

Complexity: O(n R^2 + P R) for n partitions of the plan in a cluster of P.

Source: KIP-455 (which reassignments Kafka accepts), ``KafkaController`` and ``ReplicationControlManager`` (when one is
done), KIP-966 (partitions without a live in-sync copy).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reseat import audit
from reseat.errors import WriteRefused
from reseat.model import Snapshot
from reseat.model.wording import counted
from reseat.operate.checks.access import access_checks, migration_over, nothing_under_way, one_run, plan_as_shown
from reseat.operate.checks.another import approved_by_another
from reseat.operate.checks.check import Check, CheckResult, overridden_of
from reseat.operate.checks.cordons import cordon_possible, cordons_heeded
from reseat.operate.checks.drained import drained
from reseat.operate.checks.election import Ends, election_checks
from reseat.operate.checks.layout import (
    brokers_unchanged,
    layout_unchanged,
    leaving_brokers_since,
    order_told,
    reading_settled,
    topics_same,
)
from reseat.operate.checks.pace import throttle_suits
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.checks.replicas import (
    can_finish,
    min_in_sync,
    movable,
    racks_not_worsened,
    replicas_valid,
    replication_factor_kept,
    targets_alive,
)
from reseat.operate.checks.rights import rights_suffice
from reseat.operate.checks.room import directories_fit, directories_online, disk_room, log_dirs_chosen
from reseat.operate.checks.size import requests_fit
from reseat.operate.checks.topic import topic_checks
from reseat.operate.journal.proposals import ProposedPlan
from reseat.operate.journal.records import Run
from reseat.operate.request import ElectionRequest, PlanRequest, TopicRequest, WriteRequest
from reseat.operate.targets.cordon_settings import Cordon
from reseat.operate.targets.rights import Rights
from reseat.operate.targets.target import Partition

__all__ = ["Facts", "access_checks", "check", "check_election", "check_topic", "drained", "refuse_unless"]


@dataclass(frozen=True, eq=False)
class Facts:
    """What a plan is checked against.

    Attributes:
        snapshot: the cluster, just read.
        under_way: partitions whose reassignment the cluster lists.
        holdings: what the leaving brokers' log directories hold; None: not told.
        batch_bytes: what one batch may take as text on this way of writing, or None.
        migrating: whether this way writes nodes of a cluster amid a migration to KRaft.
        protocol: by which it is written, ``admin`` or ``zookeeper``.
        cordons: how the leaving brokers are cordoned, or all that live where the plan does not say which leave; None:
            the cluster knows no cordons, or nobody asked.
        rights: what the user that is signed in may do; None: not told.
    """

    snapshot: Snapshot
    under_way: frozenset[Partition]
    holdings: Mapping[int, frozenset[Partition]] | None
    batch_bytes: int | None
    migrating: bool
    protocol: str
    cordons: Mapping[int, Cordon] | None = None
    rights: Rights | None = None


def check(
    request: PlanRequest,
    facts: Facts,
    *,
    open_runs: Sequence[Run] = (),
    lifted: Collection[int] = (),
    proposal: ProposedPlan | None = None,
) -> tuple[Check, ...]:
    """Check a plan that is to be carried out, or taken back.

    Args:
        request: what is asked.
        facts: the cluster as it is now.
        open_runs: runs of this cluster that the journal has open; without the one that this request goes on with.
        lifted: brokers whose cordon is lifted before anything is sent.
        proposal: the plan as it was proposed for this cluster, where it was and is not over.

    Returns:
        All checks in the order of the table; a failed one stops the write (``refuse_unless``).
    """
    now = facts.snapshot
    diff = PlanDiff.of(request, now)
    checks = _overridden(
        request,
        (
            *access_checks(request, now),
            one_run(open_runs),
            plan_as_shown(request),
            nothing_under_way(now, facts.under_way),
            reading_settled(diff),
            order_told(diff),
            layout_unchanged(diff),
            brokers_unchanged(diff),
            replicas_valid(diff),
            replication_factor_kept(diff),
            targets_alive(diff),
            movable(diff),
            min_in_sync(diff),
            can_finish(diff),
            racks_not_worsened(diff),
            leaving_brokers_since(diff, facts.holdings),
            disk_room(diff),
            log_dirs_chosen(diff, facts.protocol),
            throttle_suits(diff),
            requests_fit(diff),
            topics_same(diff),
            migration_over(facts.migrating),
            cordons_heeded(diff, lifted),
            cordon_possible(diff, facts.cordons),
            directories_fit(diff, facts.protocol),
            directories_online(diff),
            rights_suffice(diff, facts.rights),
        ),
    )
    return (*checks, approved_by_another(request, now, proposal, overridden_of(checks)))


def check_election(
    request: ElectionRequest, now: Snapshot, ends: Ends | None = None, *, migrating: bool = False
) -> tuple[Check, ...]:
    """Check an election that is to be held.

    Args:
        request: what is asked.
        now: the cluster, read just now.
        ends: where the logs of living replicas end, for what an unclean one may lose (``Target.log_ends``).
        migrating: as ``Facts``.
    """
    checks = (*access_checks(request, now), *election_checks(request, now, ends), migration_over(migrating))
    return _overridden(request, checks)


def check_topic(request: TopicRequest, now: Snapshot, *, migrating: bool = False) -> tuple[Check, ...]:
    """Check a topic that is to be made.

    Args:
        request: what is asked.
        now: the cluster, read just now.
        migrating: as ``Facts``.
    """
    checks = (*access_checks(request, now), *topic_checks(request, now), migration_over(migrating))
    return _overridden(request, checks)


def refuse_unless(checks: Iterable[Check], *, who: str, cluster_id: str) -> None:
    """Let a write pass only if no check failed; a refusal is a line of the audit log.

    Args:
        checks: what was found.
        who: who asks.
        cluster_id: of the cluster.

    Raises:
        WriteRefused: with every failed check.
    """
    failed = tuple((found.name, found.sentence) for found in checks if found.stops)
    if failed:
        number = len(failed)
        audit.record("refusal", who=who, cluster=cluster_id, checks=[name for name, _ in failed])
        raise WriteRefused(
            f"Nothing was sent: {counted(number, 'check')} failed ({', '.join(name for name, _ in failed)}).",
            failed=failed,
        )


def _overridden(request: WriteRequest, checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """The checks, failed ones that the person goes on in spite of marked so, where that can be."""
    return tuple(
        replace(found, result=CheckResult.OVERRIDDEN)
        if found.stops and found.overridable and found.name in request.overrides
        else found
        for found in checks
    )
