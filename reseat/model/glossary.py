"""The product's words: each term with its definition in one line, and the words that are no longer used.

Pages take a figure's help from here, ``docs/glossary.md`` is ``document()``, and ``tests/test_words.py`` looks for
``retired_in`` whatever a person sees. Retired are meanings, not letters: "drag a broker out" is, "standard output" is
not. So a pattern has the words around it wherever the word alone is an ordinary one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["RETIRED", "TERMS", "Retired", "define", "document", "retired_in"]

#: Term to definition, in the order of the alphabet. One line each; a definition stands alone as a tooltip.
TERMS: dict[str, str] = {
    "acks=all": "A producer setting: a write counts only once every in-sync replica has it.",
    "Assignment": "The brokers that hold a partition's replicas, in order; the first is the preferred leader.",
    "Batch": "Partitions that are reassigned together; the next batch starts once all of them are complete.",
    "Below min ISR": "Partitions with fewer in-sync replicas than min.insync.replicas: acks=all writes are rejected.",
    "Best possible": "The best value any layout of the same replicas on the same brokers can have.",
    "Broker": "One server of a Kafka cluster.",
    "Change": "What a plan is made for: brokers to drain, brokers to add, or a new replication factor.",
    "Cluster": "All brokers that work together as one Kafka.",
    "Controller": "The part of a cluster that decides which replica leads each partition.",
    "Copyset": "A set of brokers that together hold all replicas of some partition; losing all of them loses its data.",
    "Data to copy": "Bytes that the added replicas fetch; per partition the largest known replica size counts.",
    "Drain": "Move every replica off a broker so that it can be removed without losing redundancy.",
    "Election": "The choice of a partition's leader; a preferred leader election returns leadership to the preferred "
    "leader.",
    "Exposed": "Would lose data or availability if that broker or rack failed.",
    "Follower": "A replica that copies from the leader.",
    "Ingest": "Read saved snapshots into the tables that Clusters, History and Resilience show.",
    "ISR": "The in-sync replicas: those that have caught up with the leader within Kafka's limits.",
    "Landing zone": "The folder or bucket where snapshots are saved until the pipeline ingests them.",
    "Leader": "The replica of a partition that accepts writes; the others copy from it.",
    "Leader spread": "Most minus fewest partitions led by one live broker.",
    "min.insync.replicas": "How many replicas must be in sync for a write with acks=all to be accepted.",
    "Non-preferred leaders": "Partitions whose leader is not their preferred replica.",
    "Offline": "A partition without a leader: it can be neither read nor written.",
    "Out of sync": "A replica that is assigned but not in the ISR.",
    "Partition": "A part of a topic: an ordered log, stored on as many brokers as it has replicas.",
    "Partitions changed": "Partitions whose replica list changes, in members or in order.",
    "Partitions without rack diversity": "Partitions on fewer racks than their replication factor and the available "
    "racks allow.",
    "Preferred leader": "The first broker in a partition's replica list; a preferred election makes it lead.",
    "Preferred leader spread": "Most minus fewest partitions that list a broker first, over the live brokers.",
    "Proven minimum": "An independent checker confirmed that no plan of this kind can do better.",
    "Rack": "Brokers that can fail together: a physical rack, a room or an availability zone.",
    "Rack diversity": "A partition has it when its replicas are on as many racks as its replication factor and the "
    "available racks allow.",
    "Reassignment": "Kafka's way to change a partition's replica list while it keeps serving.",
    "Replica": "One copy of a partition, on one broker.",
    "Replica moves": "Replicas that are copied to another broker or dropped.",
    "Replica spread": "Most minus fewest replicas on one broker (max - min), over the live brokers.",
    "Replication factor": "How many replicas a partition has.",
    "Rollback": "The reassignment that restores the replica lists from before the plan.",
    "Snapshot": "A cluster's complete layout at one time.",
    "Spread": "The largest value minus the smallest (max - min).",
    "Throttle": "A limit on the bytes per second that a broker spends on copying, so that clients keep their "
    "bandwidth.",
    "Topic": "A named stream of records, divided into partitions.",
    "Under-replicated": "Partitions with at least one replica that is out of sync.",
    "Unknown": "The input does not include it; it is neither zero nor none.",
    "What-if": "A change that is previewed but not executed.",
}


class Retired(NamedTuple):
    """A way of saying something that is no longer used, and what to say instead."""

    pattern: re.Pattern[str]
    instead: str


def _retired(pattern: str, instead: str) -> Retired:
    return Retired(re.compile(pattern, re.IGNORECASE), instead)


#: Quotes and hyphens around a word make it a key of JSON, an option or a command's name, which stay.
RETIRED: tuple[Retired, ...] = (
    _retired(r"(?<!['\"`_-])\bwish(es|ed)?\b(?!['\"`_-])", "what-if, change"),
    _retired(r"(?<!['\"`])\bnot told\b(?!['\"`])|\bcannot be told\b|\btells? no\b", "unknown"),
    _retired(r"\btold by this layout\b|\bthis layout tells?\b", "the input includes"),
    _retired(r"\bapart\b(?! from)", "spread"),
    _retired(r"\bevene(r|st)\b|\b(more|less|as) even\b|\beven out\b|\bevened out\b", "balanced, spread"),
    _retired(
        r"\bbrokers? (out|in)$|\b(drag|drags|dragged|take|takes|taken) [^.]{0,20}\bout\b(?! of the ISR)",
        "drain, remove",
    ),
    _retired(r"\bbrokers? [^.,;]{0,20}\b(can leave|leave|leaves)\b|\b(broker|brokers) that leaves?\b", "drain, remove"),
    _retired(r"\bleaving brokers?\b|\bof the leaving\b", "drained brokers"),
    _retired(r"\b(keep|kept|keeps) (this|a|the) layout\b|\blayouts? kept\b", "save a snapshot"),
    _retired(r"(?<!in a )(?<!for a )(?<!at any )\bmoments?\b", "snapshot, snapshot time"),
    _retired(r"\b(take|takes|taken|took|taking) in\b(?! (turn|order))", "ingest"),
    _retired(r"\bhas landed\b|\b(is|are|been|was) landed\b|\blanded snapshots?\b|\bnothing landed\b", "saved"),
    _retired(r"\b(replicas?|followers?|copies|copy|[}\d]) (is |are )?behind\b", "out of sync"),
    _retired(r"\b(cut|cuts) (at|to|its|their|off to)\b|\bare cut\b(?! off)", "truncate"),
    _retired(r"\b(seat|seats|seated|reseated)\b", "replica list, assignment"),
    _retired(r"\bwho sits where\b|\bsits? (as|where|on)\b", "where replicas are"),
    _retired(r"\bnew readers?\b|\breader of\b(?! parquet)", "consumer, owner"),
    _retired(r"\bcarr(y|ies|ied|ying) (it |them |that |this |a plan |plans |the plan |something )?out\b", "execute"),
    _retired(r"\bjudg(e|es|ed|ing) (a|an|any|another|the|this|each|of)\b|\bplans? judged\b|\bbe judged\b", "validate"),
    _retired(r"\b(broker|rack|cluster)s? (goes|hurts?)\b|\bcan go\b", "fails, broker failure"),
    _retired(r"\b(brokers?|partitions?|replicas?|topics?) (came|went|come or go)\b|\bcame or went\b", "joined, left"),
    _retired(r"\bwhere [\d{][^ ]* (would do|is possible)\b|[\d}] (is possible|would do)\b", "best possible"),
    _retired(r"\btoo few racks\b", "rack diversity"),
    _retired(
        r"\bthe way back\b|\b(take|takes|taken|took) (it|them|the plan|a plan|plans) back\b", "roll back, rollback"
    ),
    _retired(r"\b(should|shall) hold nothing\b", "to drain"),
    _retired(r"\bnever were\b|\bthat never was\b", "synthetic"),
    _retired(r"\ba fault of (ours|Reseat)", "internal error"),
)


def define(term: str) -> str:
    """The definition of a term, for a tooltip."""
    return TERMS[term]


def retired_in(text: str) -> list[str]:
    """Every retired way of saying something in a text, with what to say instead."""
    return [
        f"{found.group(0).strip()!r}: {retired.instead}"
        for retired in RETIRED
        for found in retired.pattern.finditer(text)
    ]


def document() -> str:
    """The glossary as the page ``docs/glossary.md``."""
    lines = ["# Glossary", "", "The terms on Reseat's pages, in its command line and in these documents.", ""]
    lines += ["| term | meaning |", "| --- | --- |"]
    return "\n".join(lines + [f"| {term} | {meaning} |" for term, meaning in TERMS.items()]) + "\n"
