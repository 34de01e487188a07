"""Whether Kafka's own tool would take a text as a plan: what reading it found that the tool refuses.

``kafka-reassign-partitions --execute`` refuses a text in which a partition stands twice, also where both rows agree, a
list of log directories that is not as long as its replicas, and an empty replica list
(``ReassignPartitionsCommand.parseExecuteAssignmentArgs``). Reading is kinder, since people paste such texts as layouts.
"""

from __future__ import annotations

from reseat.formats.input.reading import Reading

__all__ = ["plan_faults"]

#: Kinds of findings of a reading for which Kafka's tool refuses the text.
_REFUSED_BY_KAFKA = frozenset(
    {
        "contradicting_rows",
        "log_dirs_length",
        "no_replicas",
        "not_understood",
        "repeated_keys",
        "repeated_rows",
        "replicas_missing",
    }
)


def plan_faults(reading: Reading) -> tuple[str, ...]:
    """Why Kafka's tool would refuse this text as a plan, a sentence each; empty where it would not."""
    return tuple(
        f"Kafka's tool refuses this text: {finding.sentence}"
        for finding in (reading.findings if reading.proposed is None else reading.proposed_findings)
        if finding.kind in _REFUSED_BY_KAFKA
    )
