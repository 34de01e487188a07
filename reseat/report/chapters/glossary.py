"""Glossary: the field's words, only those that the other chapters of the same report use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reseat.model.units import plural
from reseat.report.content import Chapter, Column, Kind, Table

__all__ = ["WORDS", "chapter", "found", "texts_of"]

#: (word, how it is found in a text, what it means).
WORDS: tuple[tuple[str, str, str], ...] = (
    ("Acks=all", r"acks=all", "A producer's setting: a write counts only once every replica in sync has it."),
    (
        "Assignment",
        r"assignments?|replica lists?",
        "Which brokers hold a partition, in order; the first is preferred to lead.",
    ),
    ("Batch", r"batch(?:es)?", "Partitions that are sent together, and of which all are done before the next begins."),
    (
        "Below min ISR",
        r"below min(?:\.insync\.replicas| ISR)",
        "A partition with fewer replicas in sync than min.insync.replicas asks for: writes with acks=all fail.",
    ),
    ("Broker", r"brokers?", "One server of a Kafka cluster."),
    ("Cluster", r"clusters?", "All brokers that work together as one Kafka."),
    ("Controller", r"controllers?", "The part of the cluster that decides who leads each partition."),
    ("Drain", r"drain(?:ed|ing|s)?", "To move every replica off a broker, so that it can be switched off."),
    (
        "Election",
        r"elect(?:ions?|ed|s)?",
        "The choice of a partition's leader; a preferred leader election gives leadership back to the first "
        "of its list. No data moves.",
    ),
    ("Follower", r"followers?", "A replica that copies from the leader."),
    (
        "ISR",
        r"ISRs?|in-sync replicas?|in sync",
        "In-sync replicas: those that have everything the leader has, as far as Kafka demands it.",
    ),
    (
        "Leader",
        r"leaders?|leads|led|leadership",
        "The one replica of a partition that takes writes; the others copy from it.",
    ),
    (
        "min.insync.replicas",
        r"min\.insync\.replicas|min ISR",
        "How many replicas must be in sync for a write with acks=all to be taken.",
    ),
    ("Move", r"moves?|moved", "One replica that gets another broker: it is copied there and dropped where it was."),
    ("Offline", r"offline", "A partition that nobody can lead, so that it can be neither written nor read."),
    ("Partition", r"partitions?", "A part of a topic; its data stand in order, on as many brokers as it has replicas."),
    (
        "Preferred leader",
        r"preferred (?:leaders?|replicas?)|the preferred",
        "The first broker of a partition's list: it leads where all is as planned.",
    ),
    ("Rack", r"racks?", "A group of brokers that can fail together: a real rack, a room or an availability zone."),
    (
        "Rack diversity",
        r"rack diversity",
        "On how many racks the replicas of a partition are: the more, the less one failure takes.",
    ),
    (
        "Reassignment",
        r"reassignments?|reassigned",
        "Kafka's own way to give a partition another list of brokers while it keeps serving.",
    ),
    ("Replica", r"replicas?", "One copy of a partition, on one broker."),
    ("Replication factor", r"replication factors?", "How many replicas a partition has."),
    ("Roll back", r"roll(?:ed)? back|rollback", "To give every changed partition its list from before again."),
    ("Snapshot", r"snapshots?", "How the cluster was at one moment."),
    ("Spread (max − min)", r"spread", "The most that one broker has less the least that one has: 0 is perfectly even."),
    (
        "Throttle",
        r"throttles?|throttled",
        "A limit on how many bytes a second a broker may spend on copying, so that clients are not slowed.",
    ),
    ("Topic", r"topics?", "A named stream of records; it consists of partitions."),
    (
        "Under-replicated",
        r"under-replicated|lack(?:s|ed|ing)? a replica in sync",
        "A partition of which a replica is missing or out of sync.",
    ),
    ("What-if", r"what-if", "A change that is only looked at: nothing in the cluster has changed."),
)


def chapter(others: Sequence[Chapter]) -> Chapter | None:
    """The chapter; None where the others use none of its words.

    Args:
        others: the report's other chapters.
    """
    text = "\n".join(texts_of(others))
    used = [(word, said) for word, pattern, said in WORDS if found(pattern, text)]
    if not used:
        return None
    return Chapter(
        kind=Kind.GLOSSARY,
        name="Glossary",
        heading=f"{plural(len(used), 'word')} of this report, explained.",
        tables=(
            Table(
                "glossary",
                "Glossary",
                (Column("Word", [word for word, _ in used]), Column("What it means", [said for _, said in used])),
                shown=len(used),
            ),
        ),
    )


def found(pattern: str, text: str) -> bool:
    """Whether a text has a word, in any case, not within another one."""
    return re.search(rf"(?<![\w.-])(?:{pattern})(?![\w-])", text, re.IGNORECASE) is not None


def texts_of(chapters: Sequence[Chapter]) -> Iterator[str]:
    """Every text of some chapters that is the report's own: no cell of a table, no name of a broker or a topic."""
    for one in chapters:
        yield from (one.name, one.heading, *one.text, one.rule or "", *one.notes)
        for fact in one.facts:
            yield from (fact.label, fact.shown, fact.detail or "")
        for figure in one.figures:
            yield from (figure.title, figure.says)
        for table in one.tables:
            yield table.title
            yield from (column.name for column in table.columns)
