"""Texts that are read kindly as layouts, but that Kafka's tool refuses as plans."""

from __future__ import annotations

import pytest

from reseat.formats import read
from reseat.formats.documents.plan_text import plan_faults


def plan(*entries: str) -> str:
    """A reassignment JSON of these entries of topic orders."""
    return '{"version":1,"partitions":[' + ",".join(f'{{"topic":"orders",{entry}}}' for entry in entries) + "]}"


def test_a_plain_plan_has_no_faults() -> None:
    """Two partitions, each once."""
    text = plan('"partition":0,"replicas":[1,2]', '"partition":1,"replicas":[2,1],"log_dirs":["any","/data"]')

    assert plan_faults(read(text)) == ()


@pytest.mark.parametrize(
    "entries",
    [
        ('"partition":0,"replicas":[1,2]', '"partition":0,"replicas":[2,1]'),
        ('"partition":0,"replicas":[1,2]', '"partition":0,"replicas":[1,2]'),
        ('"partition":0,"replicas":[1,2],"log_dirs":["any"]',),
    ],
    ids=["twice, differently", "twice, alike", "log_dirs of a different length"],
)
def test_what_kafka_refuses_is_a_fault(entries: tuple[str, ...]) -> None:
    """A sentence that says what the tool refuses."""
    faults = plan_faults(read(plan(*entries)))

    assert len(faults) == 1
    assert faults[0].startswith("Kafka's tool refuses this text: ")
