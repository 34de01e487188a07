"""The tool's own verdict on a plan's text; the recorded answers stand in the conformance tests."""

from __future__ import annotations

import pytest

from reseat.formats.documents.plan_check import plan_error


def test_a_plan_is_taken() -> None:
    """Unknown keys, and a missing version, are no fault."""
    assert plan_error('{"partitions":[{"topic":"a","partition":0,"replicas":[1,2],"note":1}]}') is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Expected JSON object, received "),
        ("[", "The text is not JSON"),
        ("[" * 100_000, "The text is not JSON"),
        ('{"version":1,"partitions":[]}', "Partition reassignment list cannot be empty"),
        (
            '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1,1]}]}',
            "Partition replica lists may not contain duplicate entries: a-0 contains multiple entries for 1",
        ),
        (
            '{"version":1,"partitions":[{"topic":"a","partition":true,"replicas":[1]}]}',
            "Expected `Integer` value, received true",
        ),
    ],
)
def test_faults_are_told_in_the_tools_words(text: str, words: str) -> None:
    """The first thing that the tool would not take."""
    assert (plan_error(text) or "").startswith(words)
