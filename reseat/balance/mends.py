"""What mends a finding, by its kind, in a sentence that says who does what; and what a change does to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from reseat.model import Finding
from reseat.model.wording import counted

__all__ = ["MENDS", "NAMES", "after_change", "extent", "mend_of", "name_of"]

#: What each kind of finding about a layout is called in a few words.
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "input_incomplete": "Input incomplete",
        "offline": "No leader",
        "below_min_isr": "Below min ISR",
        "under_replicated": "Under-replicated",
        "leader_not_a_replica": "Leader is not a replica",
        "duplicate_replicas": "Broker listed twice",
        "dead_broker_mentioned": "On dead brokers",
        "broker_out_of_every_isr": "Broker out of sync",
        "broker_not_listed": "Broker not listed",
        "replication_factor_above_brokers": "More replicas than brokers",
        "rack_shared_while_free": "Racks not used",
        "same_host": "On one host",
        "min_isr_not_below_replication_factor": "No replica to spare",
        "not_preferred_leader": "Non-preferred leaders",
        "mixed_replication_factor": "Mixed replication factor",
        "replication_factor_above_racks": "More replicas than racks",
        "broker_without_rack": "Broker without rack",
        "racks_unknown": "Racks unknown",
        "replica_skew": "Replicas not balanced",
        "leader_skew": "Leaders not balanced",
        "no_quorum": "No controller quorum",
        "cordoned": "Cordoned",
        "empty_broker": "Empty broker",
        "reassignment_under_way": "Reassignment in progress",
        "order_not_told": "Order unknown",
    }
)

#: What mends each kind of finding about a layout.
MENDS: Mapping[str, str] = MappingProxyType(
    {
        "input_incomplete": "Read the complete output again; nothing in the cluster needs to change.",
        "offline": "Restart a broker that holds the data. Without one, only an unclean election helps, and it loses "
        "what was not copied.",
        "below_min_isr": "Restart the brokers that are down or out of sync; writes are accepted again once enough "
        "replicas are in sync.",
        "under_replicated": "Find brokers that are down or lagging and restart or drain them.",
        "leader_not_a_replica": "Read the layout again: the input mixes two different times.",
        "duplicate_replicas": "Correct the replica list of these partitions, so that it lists each broker once.",
        "dead_broker_mentioned": "Restart the broker, or drain it so that others hold its replicas.",
        "broker_out_of_every_isr": "Check the broker: if it is down, restart or drain it.",
        "broker_not_listed": "Check whether the broker still exists; if not, drain it.",
        "replication_factor_above_brokers": "Add brokers, or lower the replication factor of these topics.",
        "rack_shared_while_free": "Move one replica to a rack that has none: a plan that changes these partitions "
        "does so where possible.",
        "same_host": "Move the brokers to separate hosts, or give all brokers of one host the same rack name.",
        "min_isr_not_below_replication_factor": "Raise the replication factor, or lower min.insync.replicas by one.",
        "not_preferred_leader": "Run a preferred leader election; it moves no data.",
        "mixed_replication_factor": "Set one replication factor for the topic.",
        "replication_factor_above_racks": "Nothing, or add brokers in another rack.",
        "broker_without_rack": "Set broker.rack on these brokers.",
        "racks_unknown": "Add the racks, or state that there are none, and plan again.",
        "replica_skew": "Plan with more moves (see Moves vs. balance), or create new topics on emptier brokers.",
        "leader_skew": "Run a preferred leader election; a plan can reorder replica lists that remain unbalanced.",
        "no_quorum": "Start controllers until more than half of the voters are up.",
        "cordoned": "Drain the broker, or lift the cordon (operate uncordon).",
        "empty_broker": "Add it in a plan so that it gets replicas, or shut it down.",
        "reassignment_under_way": "Wait until it is complete, then read the layout again.",
        "order_not_told": "Read the layout from a source that preserves replica order.",
    }
)
#: What mends a finding about the text that was read.
_INPUT = "Check the input; nothing in the cluster needs to change."


def name_of(kind: str) -> str:
    """A kind of finding in a few words."""
    return NAMES.get(kind, kind.replace("_", " ").capitalize())


def mend_of(kind: str) -> str:
    """What mends this kind of finding."""
    return MENDS.get(kind, _INPUT)


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
