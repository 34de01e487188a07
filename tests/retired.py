"""Words that are no longer used, which ``test_words`` looks for in whatever a person sees.

Retired are meanings, not letters: "drag a broker out" is, "standard output" is not. So a pattern has the words around
it wherever the word alone is an ordinary one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["retired_in"]


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
    _retired(
        r"\b(brokers?|partitions?|replicas?|topics?) (came|went|come or go)\b(?! (up|down)\b)|\bcame or went\b",
        "joined, left",
    ),
    _retired(r"\bwhere [\d{][^ ]* (would do|is possible)\b|[\d}] (is possible|would do)\b", "best possible"),
    _retired(r"\btoo few racks\b", "rack diversity"),
    _retired(
        r"\b(the )?way back\b|\b(take|takes|taken|took) (it|them|the plan|a plan|plans) back\b", "roll back, rollback"
    ),
    _retired(r"\b(should|shall) hold nothing\b", "to drain"),
    _retired(r"\bnever were\b|\bthat never was\b", "synthetic"),
    _retired(r"\ba fault (of|in) (ours|Reseat)", "internal error"),
    _retired(r"\bthe present\b(?! (layout|state|leader))", "current state"),
    _retired(r"\byou look at\b", "shown"),
    _retired(r"\buneven(ness)?\b", "imbalance, spread"),
    _retired(r"\bchecks? says? no\b", "a check failed"),
    _retired(r"\brefus(e|es|ed|ing) (writes|acks)", "reject acks=all"),
    _retired(r"\bone a (line|partition)\b|/s a broker|\bmoves a broker\b|\bMB a second\b", "per"),
    _retired(r"\b(hold|holding|held) (an|the) election\b", "elect, run an election"),
    _retired(r"\bKafka would (not )?make\b|^make it$", "create"),
    _retired(r"\brecords behind\b", "lag"),
    _retired(r"\bunder way\b", "in progress"),
    _retired(r"\b(go|goes|going|gone) on with\b|\bcannot go on\b", "continue"),
    _retired(r"\bpaused meanwhile\b", "paused during the rebalance"),
    _retired(r"\bwho sends to whom\b|\bgives? a place up\b", "replica flow, gives up the replica"),
    _retired(r"\bno sign of life\b|\bwithout a word\b(?! of)", "no heartbeat, without a message"),
    _retired(r"\btake it with you\b|\blet something happen\b", "export, add an event"),
    _retired(r"\bleast spread then\b|\bthat one broker receives\b", "best spread afterwards, received per broker"),
    _retired(r"\btopics left out\b", "excluded topics"),
    _retired(
        r"\bbroken; \d|\d broken, [\d{]|\b(nothing|deserves?) (is )?(broken;|attention)", "critical, warning, info"
    ),
)


def retired_in(text: str) -> list[str]:
    """Every retired way of saying something in a text, with what to say instead."""
    return [
        f"{found.group(0).strip()!r}: {retired.instead}"
        for retired in RETIRED
        for found in retired.pattern.finditer(text)
    ]
