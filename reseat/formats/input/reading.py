"""What came of reading a text: the layout, and everything that is not in it, with its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from reseat.model import ClusterLayout, Finding, LogDirectory, Quorum
from reseat.model.tiering import Tiering

__all__ = ["LIMITS", "Limits", "Reading", "Skipped"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What Reseat accepts of one uploaded text; set here and nowhere else.

    Attributes:
        megabytes: size of the whole text, in units of 1,000,000 bytes.
        depth: nesting of JSON.
        line_length: characters of one line of a line-based text; JSON on one line is not bound by it.
        partitions: partitions in one layout.
        replicas: replicas of one partition.
        documents: JSON documents in one paste.
        lines: lines of one paste that are not rows of a large output, and so are looked at one by one.
        cells: partitions times the largest replication factor of one layout. Its columns are that large, so that one
            absurd replica list among a million short ones cannot eat the memory.
        values: values of JSON that become objects at once, each taking some 80 bytes: those of one item of a list where
            a form is a list of topics, brokers or partitions, else those of a whole key.
        keys: keys of one JSON object that is looked at key by key.
        brokers: brokers in one layout, those that replica lists alone mention included.
        topics: topics in one layout, or declared in one text.
        topic_name: characters of a topic's name, Kafka's own limit.
        name: bytes of a rack's, a host's or a directory's name ; a path has at most 4,096.
    """

    megabytes: int = 400
    depth: int = 64
    line_length: int = 1_000_000
    partitions: int = 4_000_000
    replicas: int = 1_000
    cells: int = 50_000_000
    documents: int = 1_000_000
    lines: int = 1_000_000
    values: int = 4_000_000
    keys: int = 1_000_000
    brokers: int = 100_000
    topics: int = 1_000_000
    topic_name: int = 249
    name: int = 4_096

    @property
    def bytes(self) -> int:
        """Size of the whole text."""
        return self.megabytes * 1_000_000


#: The limits in force for uploads, pastes and the command line.
LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A piece of text that was not understood or not used, kept so that nothing is dropped in silence.

    Attributes:
        line: 1-based number of its first line.
        text: the text, cut at 200 characters.
        why: one sentence.
        lines: how many lines it spans.
    """

    line: int
    text: str
    why: str
    lines: int = 1


@dataclass(frozen=True, eq=False)
class Reading:
    """What came of reading one text or file.

    Attributes:
        layout: the layout read (the current one where the text holds a current and a proposed one).
        kind: what the text was recognised as, in words ("kafka-topics --describe").
        source: the file's name, or what the text was called.
        proposed: the proposed assignment, where the text holds one beside the current (``--generate``,
            ``--execute`` of 0.8, topicmappr, an assignment under /admin/reassign_partitions).
        skipped: pieces not understood or not used.
        findings: contradictions and oddities found while reading, with both places named; ``rows`` are rows of
            ``layout``.
        proposed_findings: the same of the proposed assignment; ``rows`` are rows of ``proposed``.
        facts: further facts told ("controller": 3, "cluster_id": "...", "declared_partitions": 18).
        assigns: whether replica lists are assignments; log directories and states only add to those.
        quorum: the controllers of the KRaft cluster, where a snapshot tells them.
        log_dirs: what brokers tell of their log directories, where a snapshot or ``kafka-log-dirs`` tells it.
        tiering: which topics are tiered, where a snapshot or topics' configs tell it.
        since: the first Kafka that prints what the text holds, as (3, 7); None where nothing in it tells.
    """

    layout: ClusterLayout
    kind: str
    source: str = "pasted text"
    proposed: ClusterLayout | None = None
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Finding, ...] = ()
    proposed_findings: tuple[Finding, ...] = ()
    facts: dict[str, object] = field(default_factory=dict)
    assigns: bool = True
    quorum: Quorum | None = None
    log_dirs: tuple[LogDirectory, ...] = ()
    tiering: Tiering = Tiering()  # noqa: RUF009 (frozen)
    since: tuple[int, int] | None = None
