"""The kinds of findings: what each is called, and what mends it, as who does what; and what a change does to one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from reseat.model import Finding
from reseat.model.wording import counted

__all__ = ["KINDS", "TOLD_IN", "FindingKind", "after_change", "extent", "may_be_unseen", "mend_of", "name_of"]


class FindingKind(NamedTuple):
    """A kind of finding.

    Attributes:
        name: what it is called in a few words.
        mend: what mends it.
        placement: whether it follows from where replicas are, which a plan changes: leaders and ISR it does not tell.
        told_by: how sentences of ``Snapshot.not_read`` begin after which it may be there unseen.
        column: of the table ``snapshots``: where it is null, it may be there unseen. Without either it is always seen.
    """

    name: str
    mend: str
    placement: bool = False
    told_by: tuple[str, ...] = ()
    column: str = ""


#: What tells of brokers' disks, of settings, and of controllers, as the readers say that they could not read it.
_DIRECTORIES = ("Sizes",)
_SETTINGS = ("Configurations", "min.insync.replicas", "Sizes, log directories and settings")
_QUORUM = ("The quorum's leader",)

#: Every kind of finding about a layout, in the order in which findings of equal severity stand.
KINDS: Mapping[str, FindingKind] = MappingProxyType(
    {
        "input_incomplete": FindingKind(
            "Input incomplete", "Read the complete output again; nothing in the cluster needs to change."
        ),
        "offline": FindingKind(
            "No leader",
            "Restart a broker that holds the data. Without one, only an unclean election helps, and it loses "
            "what was not copied.",
            column="offline",
        ),
        "below_min_isr": FindingKind(
            "Below min ISR",
            "Restart the brokers that are down or out of sync; where the replication factor is below "
            "min.insync.replicas, raise it.",
            told_by=_SETTINGS,
            column="below_min_isr",
        ),
        "under_replicated": FindingKind(
            "Under-replicated",
            "Find brokers that are down or lagging and restart or drain them.",
            column="under_replicated",
        ),
        "leader_not_a_replica": FindingKind(
            "Leader is not a replica",
            "Read the layout again: the input mixes two different times.",
            column="offline",
        ),
        "duplicate_replicas": FindingKind(
            "Broker listed twice",
            "Mend partitions (one plan with the fewest copies), or correct these replica lists by hand.",
            placement=True,
        ),
        "dead_broker_mentioned": FindingKind(
            "On dead brokers",
            "Restart the broker, or drain it so that others hold its replicas.",
            placement=True,
            column="brokers_down",
        ),
        "broker_out_of_every_isr": FindingKind(
            "Broker out of sync",
            "Check the broker: if it is down, restart or drain it.",
            column="under_replicated",
        ),
        "broker_not_listed": FindingKind(
            "Broker not listed",
            "Check whether the broker still exists; if not, drain it.",
            column="brokers_down",
        ),
        "replication_factor_above_brokers": FindingKind(
            "More replicas than brokers",
            "Add brokers, or lower the replication factor of these topics.",
            placement=True,
            column="brokers_down",
        ),
        "rack_shared_while_free": FindingKind(
            "Racks not used",
            "Move one replica to a rack that has none: a plan that changes these partitions does so where possible.",
            placement=True,
            column="rack_violations",
        ),
        "same_host": FindingKind(
            "On one host",
            "Move the brokers to separate hosts, or give all brokers of one host the same rack name.",
            placement=True,
            column="brokers_down",
        ),
        "min_isr_not_below_replication_factor": FindingKind(
            "No replica to spare",
            "Raise the replication factor, or lower min.insync.replicas by one.",
            told_by=_SETTINGS,
        ),
        "not_preferred_leader": FindingKind(
            "Non-preferred leaders",
            "Run a preferred leader election; it moves no data.",
            column="not_preferred",
        ),
        "mixed_replication_factor": FindingKind(
            "Mixed replication factor", "Set one replication factor for the topic.", placement=True
        ),
        "replication_factor_above_racks": FindingKind(
            "More replicas than racks",
            "Nothing, or add brokers in another rack.",
            placement=True,
            column="rack_violations",
        ),
        "broker_without_rack": FindingKind(
            "Broker without rack", "Set broker.rack on these brokers.", column="rack_violations"
        ),
        "racks_unknown": FindingKind("Racks unknown", "Add the racks, or state that there are none, and plan again."),
        "replica_skew": FindingKind(
            "Replicas not balanced",
            "Plan with more moves (see Moves vs. balance), or create new topics on emptier brokers.",
            placement=True,
        ),
        "leader_skew": FindingKind(
            "Leaders not balanced",
            "Run a preferred leader election; a plan can reorder replica lists that remain unbalanced.",
            column="leader_spread",
        ),
        "byte_skew": FindingKind(
            "Sizes not balanced",
            "Rebalance by size (Size and leaders), or create large topics on emptier brokers.",
            placement=True,
            told_by=_DIRECTORIES,
        ),
        "no_quorum": FindingKind(
            "No controller quorum",
            "Start controllers until more than half of the voters are up.",
            told_by=_QUORUM,
        ),
        "quorum_voter_behind": FindingKind(
            "Controller behind",
            "Start these controllers, or check their disks and their network.",
            told_by=_QUORUM,
        ),
        "quorum_in_one_rack": FindingKind(
            "Controllers in one rack",
            "Put controllers in other racks, so that no rack has a majority of them.",
            told_by=_QUORUM,
        ),
        "quorum_of_one": FindingKind(
            "One controller",
            "Run three controllers, or five.",
            told_by=_QUORUM,
        ),
        "quorum_even": FindingKind(
            "Even number of controllers",
            "Add a controller or remove one.",
            told_by=_QUORUM,
        ),
        "unclean_enabled": FindingKind(
            "Unclean election enabled",
            "Turn unclean.leader.election.enable off, for topics whose records matter more than to be available.",
            told_by=_SETTINGS,
        ),
        "throttle_left": FindingKind(
            "Throttle left",
            "Unless a run is paused or about to start, remove it with kafka-configs, from topics and brokers.",
            told_by=_SETTINGS,
        ),
        "auto_rebalance_off": FindingKind(
            "No automatic leader rebalance",
            "After a restart or an outage, run a preferred leader election.",
            told_by=_SETTINGS,
        ),
        "auto_rebalance_unknown": FindingKind(
            "Automatic leader rebalance unknown",
            "Look at the settings of the controllers, or run a preferred leader election after a restart.",
            told_by=_SETTINGS,
        ),
        "log_dir_error": FindingKind(
            "Log directory offline",
            "Replace the disk and restart the broker. Until then plan without it (never onto) or drain it: execution "
            "refuses copies to it.",
            told_by=_DIRECTORIES,
        ),
        "log_dir_full": FindingKind(
            "Log directory nearly full",
            "Move replicas to another directory or broker, or shorten retention.",
            told_by=_DIRECTORIES,
        ),
        "log_dir_uneven": FindingKind(
            "Log directories not balanced",
            "Move replicas to an emptier directory of the same broker (reseat disks).",
            told_by=_DIRECTORIES,
        ),
        "log_dir_move": FindingKind(
            "Moves between directories",
            "Wait until they are complete.",
            told_by=_DIRECTORIES,
        ),
        "cordoned": FindingKind(
            "Cordoned", "Drain the broker, or lift the cordon (operate uncordon).", told_by=_DIRECTORIES
        ),
        "empty_broker": FindingKind(
            "Empty broker",
            "Add it in a plan so that it gets replicas, or shut it down.",
            placement=True,
            column="brokers_down",
        ),
        "reassignment_under_way": FindingKind(
            "Reassignment in progress",
            "Wait until it is complete, then read the layout again.",
            column="reassigning",
        ),
        "order_not_told": FindingKind("Order unknown", "Read the layout from a source that preserves replica order."),
    }
)
#: The columns of ``snapshots`` that tell whether a kind can be seen.
TOLD_IN = tuple(sorted({kind.column for kind in KINDS.values() if kind.column}))
#: What mends a finding about the text that was read.
_INPUT = "Check the input; nothing in the cluster needs to change."


def name_of(kind: str) -> str:
    """A kind of finding in a few words."""
    return KINDS[kind].name if kind in KINDS else kind.replace("_", " ").capitalize()


def mend_of(kind: str) -> str:
    """What mends this kind of finding."""
    return KINDS[kind].mend if kind in KINDS else _INPUT


def may_be_unseen(
    kind: str,
    not_read: Iterable[str],
    *,
    dark: bool,
    text: bool,
    unknown: Collection[str] = (),
    incomplete: bool = False,
) -> bool:
    """Whether a snapshot in which this kind is not found may have it all the same.

    Args:
        kind: a kind of finding.
        not_read: what could not be read, as ``Snapshot.not_read`` has it.
        dark: whether brokers that hold replicas were down, which nobody asks for their log directories, and which no
            longer tell their hosts.
        text: whether it is of a text, which tells of partitions and of little else.
        unknown: those of ``TOLD_IN`` that are null, or not of all brokers.
        incomplete: whether partitions are missing from it (``input_incomplete``), of which anything may be found.
    """
    if incomplete:
        return kind != "input_incomplete"
    if kind not in KINDS:
        return False
    _, _, _, told_by, column = KINDS[kind]
    missing = (dark and (told_by == _DIRECTORIES or kind == "same_host")) or (text and bool(told_by))
    return missing or column in unknown or any(said.startswith(told_by) for said in not_read)


def extent(finding: Finding) -> str:
    """How much a finding is about: partitions, else brokers, else topics; empty where it is about none."""
    if len(finding.rows):
        return counted(len(finding.rows), "partition")
    if finding.brokers:
        return counted(len(finding.brokers), "broker")
    return counted(len(finding.topics), "topic") if finding.topics else ""


def after_change(finding: Finding, after: Sequence[Finding]) -> str:
    """What a change does to a finding: "fixed", "stays", or how much is left of it.

    Args:
        finding: before.
        after: everything that would be found once the change is done.
    """
    same = [one for one in after if one.kind == finding.kind]
    if not same:
        return "fixed"
    if len(same) > 1 or not len(finding.rows):
        return "stays"
    before, then = len(finding.rows), len(same[0].rows)
    if then == before:
        return "stays"
    return f"{'less' if then < before else 'more'}: {counted(then, 'partition')}"
