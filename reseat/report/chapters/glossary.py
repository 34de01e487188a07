"""Glossary: the field's words, only those that the other chapters of the same report use.

The definitions are the product's own, ``reseat.model.glossary``; here stands how a text is found to use a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reseat.model.glossary import define
from reseat.model.wording import counted
from reseat.report.content import Chapter, ChapterKind, Column, Table

__all__ = ["PATTERNS", "chapter", "found", "texts_of"]

#: Term of the product's glossary, and how it is found in a text.
PATTERNS: dict[str, str] = {
    "acks=all": r"acks=all",
    "Assignment": r"assignments?|replica lists?",
    "Batch": r"batch(?:es)?",
    "Below min ISR": r"below min(?:\.insync\.replicas| ISR)",
    "Best possible": r"best possible",
    "Broker": r"brokers?",
    "Cluster": r"clusters?",
    "Controller": r"controllers?",
    "Data to copy": r"data to copy",
    "Drain": r"drain(?:ed|ing|s)?",
    "Election": r"elect(?:ions?|ed|s)?",
    "Follower": r"followers?",
    "ISR": r"ISRs?|in-sync replicas?|in sync",
    "Leader": r"leaders?|leads|led|leadership",
    "Leader spread": r"leader spread",
    "min.insync.replicas": r"min\.insync\.replicas|min ISR",
    "Non-preferred leaders": r"non-preferred leaders?",
    "Offline": r"offline",
    "Out of sync": r"out of sync",
    "Partition": r"partitions?",
    "Partitions changed": r"partitions changed",
    "Partitions without rack diversity": r"partitions without rack diversity",
    "Preferred leader": r"preferred (?:leaders?|replicas?)",
    "Proven minimum": r"proven minimum",
    "Rack": r"racks?",
    "Rack diversity": r"rack diversity",
    "Reassignment": r"reassignments?|reassigned",
    "Replica": r"replicas?",
    "Replica moves": r"replica moves?|moves?",
    "Replica spread": r"replica spread",
    "Replication factor": r"replication factors?",
    "Rollback": r"roll(?:ed)? back|rollback",
    "Snapshot": r"snapshots?",
    "Spread": r"spreads?",
    "Throttle": r"throttles?|throttled",
    "Topic": r"topics?",
    "Topic spread": r"topic spread",
    "Under-replicated": r"under-replicated",
    "Unknown": r"unknown",
    "What-if": r"what-if",
}


def chapter(others: Sequence[Chapter]) -> Chapter | None:
    """The chapter; None where the others use none of its words.

    Args:
        others: the report's other chapters.
    """
    text = "\n".join(texts_of(others))
    used = [term for term, pattern in PATTERNS.items() if found(pattern, text)]
    if not used:
        return None
    return Chapter(
        kind=ChapterKind.GLOSSARY,
        name="Glossary",
        heading=f"{counted(len(used), 'term')} of this report, explained.",
        tables=(
            Table(
                "glossary",
                "Glossary",
                (Column("Term", used), Column("Meaning", [define(term) for term in used])),
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
