"""The product's words: each term with its definition in one line.

Pages take a figure's help from here, and ``docs/glossary.md`` is ``document()``. What is no longer said stands beside
the test that looks for it (``tests/retired.py``).
"""

from __future__ import annotations

import re

__all__ = ["TERMS", "define", "document", "meaning", "named_in"]

#: Term to definition, in the order of the alphabet. One line each; a definition stands alone as a tooltip.
TERMS: dict[str, str] = {
    "acks=all": "A producer setting: a write counts only once every in-sync replica has it.",
    "Assignment": "The brokers that hold a partition's replicas, in order; the first is the preferred leader.",
    "Assignment spread": "Most minus fewest partitions owned by one member of a consumer group.",
    "At min ISR": "Partitions for which one in-sync replica less means that acks=all writes are rejected.",
    "Batch": "Partitions that are reassigned together; the next batch starts once all of them are complete.",
    "Below min ISR": "Partitions with fewer in-sync replicas than min.insync.replicas: acks=all writes are rejected.",
    "Best possible": "The best value any layout of the same replicas on the same brokers can have.",
    "Broker": "One server of a Kafka cluster.",
    "Broker state changes": "How often a broker went down or came up; leaving or joining the cluster counts, too.",
    "Brokers alive": "Brokers that answer, of all that the cluster lists.",
    "Brokers down": "Brokers that are stopped or have crashed.",
    "By an election afterwards": "Partitions whose new first replica leads only after a preferred leader election.",
    "Change": "What a plan is made for: brokers to drain, brokers to add, or a new replication factor.",
    "Cluster": "All brokers that work together as one Kafka.",
    "Controller": "The part of a cluster that decides which replica leads each partition.",
    "Copied over": "Bytes that MirrorMaker copies from another cluster: the largest known replica of each partition.",
    "Copyset": "A set of brokers that together hold all replicas of some partition; losing all of them loses its data.",
    "Cordoned": "A broker or a log directory that serves what it holds and gets no new replica (Kafka 4.3, KIP-1066).",
    "Critical now": "Clusters whose latest snapshot has a critical finding, such as partitions without a leader.",
    "Data copied": "Bytes of the data to copy that the receiving brokers hold already.",
    "Data held": "Bytes of all replicas whose size is known.",
    "Data to copy": "Bytes that the added replicas fetch; per partition the largest known replica size counts.",
    "Do not match": "Topics that match neither a start and shift nor KRaft's placement, as after a reassignment.",
    "Drain": "Move every replica off a broker so that it can be removed without losing redundancy.",
    "Election": "The choice of a partition's leader; a preferred leader election returns leadership to the preferred "
    "leader.",
    "Exposed": "Would lose data or availability if that broker or rack failed.",
    "Exposed to broker loss": "Clusters in which one broker failure takes partitions offline or below "
    "min.insync.replicas.",
    "Exposed to rack loss": "Clusters in which one rack failure takes partitions offline or below min.insync.replicas.",
    "Fall below min ISR": "Partitions that would have fewer in-sync replicas than min.insync.replicas.",
    "Follower": "A replica that copies from the leader.",
    "Fullest broker": "The broker that has the most replicas.",
    "Go offline": "Partitions that would have no leader.",
    "High watermark": "The offset below which every in-sync replica has all records: consumers read up to there.",
    "Imbalance": "Standard deviation over the live brokers divided by their mean; 0% is perfectly balanced.",
    "In progress": "Partitions whose reassignment Kafka has started and not completed.",
    "Ingest": "Read saved snapshots into the tables that Clusters, History and Resilience show.",
    "ISR": "The in-sync replicas: those that have caught up with the leader within Kafka's limits.",
    "Lag": "Records of a partition that its consumer group has not committed yet.",
    "Landing zone": "The folder or bucket where snapshots are saved until the pipeline ingests them.",
    "Largest surplus": "How many more partitions a member owns than an equal share of each topic.",
    "Leader": "The replica of a partition that accepts writes; the others copy from it.",
    "Leader changes": "Partitions whose leader differs from one snapshot to the next.",
    "Leader changes while data moves": "Partitions whose leader is not in the new replica list: a new one is elected "
    "once the data is copied.",
    "Leader epoch": "Grows with each new leader of a partition: by it a follower finds where its log differs.",
    "Leader spread": "Most minus fewest partitions led by one live broker.",
    "Leader spread after an election": "Most minus fewest partitions led by one live broker, after a preferred "
    "leader election.",
    "Leaders changed": "Partitions whose leader changes in this step.",
    "Leaders failed over": "Partitions whose leadership moves to another replica.",
    "Led by out-of-sync replica": "Partitions led by a replica that was out of sync: records it had not copied are "
    "lost.",
    "Log end offset": "The offset that the next record of a replica's log gets.",
    "Match": "Topics whose replica lists are exactly what some start and shift give, including grown topics.",
    "Max offline partitions": "Partitions without a leader in the worst snapshot of the period.",
    "Member": "A consumer in a consumer group.",
    "min.insync.replicas": "How many replicas must be in sync for a write with acks=all to be accepted.",
    "Minimum duration": "Time for the busiest broker to send or receive its data at the throttle.",
    "Moved later": "Topics that match Kafka's initial assignment except for some partitions.",
    "Must wait": "Brokers that are not safe to restart now.",
    "Non-preferred leaders": "Partitions whose leader is not their preferred replica.",
    "Offline": "A partition without a leader: it can be neither read nor written.",
    "Old snapshots": "Clusters whose last snapshot is older than an hour, or than three times what is usual for them.",
    "Out of sync": "A replica that is assigned but not in the ISR.",
    "P(data loss), 2 brokers": "Probability that losing 2 random brokers for good loses all replicas of at least one "
    "partition.",
    "P(data loss), 3 brokers": "Probability that losing 3 random brokers for good loses all replicas of at least one "
    "partition.",
    "Partition": "A part of a topic: an ordered log, stored on as many brokers as it has replicas.",
    "Partitions changed": "Partitions whose replica list changes, in members or in order.",
    "Partitions complete": "Partitions whose reassignment is complete.",
    "Partitions reassigned": "Partitions that get another owner in a rebalance, including those without one before.",
    "Partitions without rack diversity": "Partitions on fewer racks than their replication factor and the available "
    "racks allow.",
    "Paused": "Partitions whose consumption stops during a rebalance.",
    "Placed on an earlier broker set": "Topics placed before a broker joined, with a broker that has left since, or "
    "in another broker order.",
    "Plan's hash": "Identifies the plan that you confirm; any change to the file changes it.",
    "Preferred leader": "The first broker in a partition's replica list; a preferred election makes it lead.",
    "Preferred leader spread": "Most minus fewest partitions that list a broker first, over the live brokers.",
    "Protocol": "How a group rebalances: eager revokes every partition first, cooperative only those that move.",
    "Proven minimum": "An independent checker confirmed that no plan of this kind can do better.",
    "Rack": "Brokers that can fail together: a physical rack, a room or an availability zone.",
    "Rack diversity": "A partition has it when its replicas are on as many racks as its replication factor and the "
    "available racks allow.",
    "Rack-aware": "Topics whose replicas alternate between racks.",
    "Readings": "How often the cluster was read since this server connected to it.",
    "Reassigning": "Partitions that the cluster is reassigning now.",
    "Reassignment": "Kafka's way to change a partition's replica list while it keeps serving.",
    "Records may be lost": "Partitions that get an out-of-sync leader in this step.",
    "Reject acks=all": "Partitions with fewer in-sync replicas than min.insync.replicas.",
    "Replica": "One copy of a partition, on one broker.",
    "Replica moves": "Replicas that are copied to another broker or dropped.",
    "Replica shift": "How far Kafka places the second replica from the first, in brokers; it grows after each round.",
    "Replica spread": "Most minus fewest replicas on one broker (max - min), over the live brokers.",
    "Replica spread in the topic": "Most minus fewest replicas of one topic on one broker.",
    "Replicas added or moved": "Replicas that appeared on a broker, including those of new topics.",
    "Replication factor": "How many replicas a partition has.",
    "Rollback": "The reassignment that restores the replica lists from before the plan.",
    "Safe": "Brokers whose restart takes no partition offline or below min ISR and costs none a second replica.",
    "Share group": "A group whose members take records: several may be assigned a partition (KIP-932, Kafka 4.1).",
    "Size of all replicas": "Bytes of all replicas of a cluster.",
    "Size spread": "Most minus fewest bytes on one broker (max - min), over the live brokers.",
    "Skew": "How much more the fullest broker has than the mean, in percent of the mean.",
    "Snapshot": "A cluster's complete layout at one time.",
    "Spread": "The largest value minus the smallest (max - min).",
    "Stalled": "Partitions in progress that have not progressed for a minute.",
    "Start and shift unique": "Topics that match exactly one pair of start and shift.",
    "Start index": "The place in the list of brokers where Kafka puts the first replica of a topic's first partition.",
    "Throttle": "A limit on the bytes per second that a broker spends on copying, so that clients keep their "
    "bandwidth.",
    "Time left": "How long a run still takes at the rate of the last minute.",
    "Time to read": "How long the last reading of the cluster took.",
    "Topic": "A named stream of records, divided into partitions.",
    "Topic spread": "Largest spread of one topic's replicas over brokers.",
    "Unclean recovers": "Partitions that an unclean leader election would bring online, with data loss.",
    "Under-replicated": "Partitions with at least one replica that is out of sync.",
    "Unknown": "The input does not include it; it is neither zero nor none.",
    "Wave": "Topics that move to another cluster together.",
    "What-if": "A change that is previewed but not executed.",
    "Worst broker": "The broker whose failure takes most partitions offline, or else below min ISR.",
    "Worst pair": "The two brokers whose failure at once takes most partitions offline, or else below min ISR.",
    "Worst rack": "The rack whose failure takes most partitions offline, or else below min ISR.",
    "Written in the target": "What is copied over, on all replicas that the target cluster has of it.",
}


#: How headings call a term that has another form in the glossary than theirs and than its plural.
_CALLED = {
    "batches": "batch",
    "bytes to copy": "data to copy",
    "goes offline": "go offline",
    "in sync": "isr",
    "leader after": "leader",
    "leader before": "leader",
    "leader now": "leader",
    "least": "best possible",
    "leo": "log end offset",
    "replicas move": "replica moves",
    "shift": "replica shift",
    "spread after": "spread",
    "start": "start index",
    "surplus": "largest surplus",
    "to copy": "data to copy",
}
#: Terms that are ordinary words too: a sentence that has one need not mean it.
_ORDINARY = {
    *("Broker", "Brokers", "Change", "Cluster", "Drain", "Election", "Exposed", "Follower", "Lag", "Leader", "Match"),
    *("Member", "Partition", "Paused", "Protocol", "Rack", "Replica", "Safe", "Snapshot", "Spread", "Topic", "Unknown"),
}
_BY_LOWER = {term.lower(): term for term in TERMS}
_NAMED = re.compile(
    r"\b("
    + "|".join(re.escape(term) for term in sorted((*_BY_LOWER, "leo", "replicas move"), key=len, reverse=True))
    + r")s?\b",
    re.IGNORECASE,
)


def define(term: str) -> str:
    """The definition of a term, for a tooltip."""
    return TERMS[term]


def meaning(heading: str) -> str | None:
    """The definition of the term that a heading is, in whichever case and number; None where it is none."""
    words = heading.lower()
    for one in (words, words.removesuffix("s")):
        term = _BY_LOWER.get(_CALLED.get(one, one))
        if term is not None:
            return TERMS[term]
    return None


def named_in(text: str) -> list[str]:
    """The terms that a text names, in the order of the alphabet; without those that are ordinary words too."""
    found = (one.lower() for one in _NAMED.findall(text))
    terms = {_BY_LOWER[_CALLED.get(one, one)] for one in found}
    return sorted(terms - _ORDINARY, key=str.lower)


def document() -> str:
    """The glossary as the page ``docs/glossary.md``."""
    lines = ["# Glossary", "", "The terms on Reseat's pages, in its command line and in these documents.", ""]
    lines += ["| term | meaning |", "| --- | --- |"]
    return "\n".join(lines + [f"| {term} | {meaning} |" for term, meaning in TERMS.items()]) + "\n"
