"""Gaps: what the source of a layout does not tell, or tells only in part. Fields, so that nobody parses a sentence.

Made once, where a text or a cluster is read; the layout carries them, so that whoever plans on it, judges it or draws
it reads the same value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["NAMED_GAPS", "Gaps", "ShortTopic"]

#: Partition ids of a topic, and topics in JSON, that gaps name one by one; the counts are of all of them.
NAMED_GAPS = 20


@dataclass(frozen=True, slots=True)
class ShortTopic:
    """A topic of which partitions are missing.

    Attributes:
        topic: its name.
        partitions: how many it has, as a heading says or its largest id shows.
        missing: how many of them the source does not tell.
        first: the first of their ids, ascending, at most ``NAMED_GAPS``.
    """

    topic: str
    partitions: int
    missing: int
    first: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is unknown or incomplete about a layout's source.

    Attributes:
        racks_told: whether the source, or the person, tells the rack of every broker that is up, so that one without a
            rack has none; else its rack is unknown.
        short: topics of which partitions are missing, by name.
        topics_declared: topics that the source says it has, where that is more than it tells; else 0.
        missing_topics: names of topics that a listing has and the source does not tell, sorted.
        unread_rows: rows that tell of partitions and could not be read, such as one that the text's end cuts off.
        accepted: whether the person says that plans are to be made of what is there all the same.
    """

    racks_told: bool = False
    short: tuple[ShortTopic, ...] = ()
    topics_declared: int = 0
    missing_topics: tuple[str, ...] = ()
    unread_rows: int = 0
    accepted: bool = False

    @property
    def incomplete(self) -> bool:
        """Whether partitions of the cluster are missing from the layout."""
        return bool(self.short or self.topics_declared or self.missing_topics or self.unread_rows)

    @property
    def missing_partitions(self) -> int:
        """Partitions missing from topics whose number of partitions is known."""
        return sum(topic.missing for topic in self.short)

    def without_topics(self, names: frozenset[str]) -> Gaps:
        """The gaps of a layout from which these topics were left out."""
        if not any(topic.topic in names for topic in self.short):
            return self
        return replace(self, short=tuple(topic for topic in self.short if topic.topic not in names))

    def as_dict(self) -> dict[str, object]:
        """The gaps as JSON-ready values under the names of the fields, topics up to ``NAMED_GAPS`` beside counts."""
        return {
            "racks_told": self.racks_told,
            "missing_partitions": self.missing_partitions,
            "short_topics": len(self.short),
            "short": [
                {
                    "topic": topic.topic,
                    "partitions": topic.partitions,
                    "missing": topic.missing,
                    "first": list(topic.first),
                }
                for topic in self.short[:NAMED_GAPS]
            ],
            "topics_declared": self.topics_declared,
            "missing_topics": list(self.missing_topics[:NAMED_GAPS]),
            "unread_rows": self.unread_rows,
            "accepted": self.accepted,
        }
