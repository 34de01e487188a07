"""Numbers and lists in sentences."""

from __future__ import annotations

import pytest

from reseat.model.wording import counted, listed, reason_of, some_of, verb


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 replicas"), (1, "1 replica"), (2, "2 replicas"), (1234567, "1,234,567 replicas")]
)
def test_a_noun_agrees_with_its_number(number: int, text: str) -> None:
    """Singular for one alone, separators for thousands."""
    assert counted(number, "replica") == text


@pytest.mark.parametrize(
    ("number", "of", "text"),
    [
        (0, 1, "0 of 1 topic matches"),
        (1, 1, "1 of 1 topic matches"),
        (0, 3, "0 of 3 topics match"),
        (1, 3, "1 of 3 topics matches"),
        (1200, 3000, "1,200 of 3,000 topics match"),
    ],
)
def test_some_of_all_agree_with_their_verb(number: int, of: int, text: str) -> None:
    """Of one there is one that does or does not."""
    assert some_of(number, of, "topic", "matches", "match") == text


def test_an_irregular_plural_is_given() -> None:
    """And a verb agrees too."""
    assert counted(2, "copy", "copies") == "2 copies"
    assert (verb(1, "has", "have"), verb(0, "has", "have")) == ("has", "have")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        ([1], "1"),
        ([1, 2], "1 and 2"),
        ([1, 2, 3], "1, 2 and 3"),
        ([1, 2, 3, 4, 5, 6], "1, 2, 3, 4, 5 and 6"),
        (range(1, 51), "1, 2, 3, 4, 5 and 45 more"),
    ],
)
def test_long_lists_are_cut(names: list[int], text: str) -> None:
    """Nobody reads fifty ids in a sentence."""
    assert listed(names) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (PermissionError(13, "Permission denied", "/srv/a.json"), "Permission denied"),
        (ValueError("'x' does not appear to be a\nParquet file."), "'x' does not appear to be a Parquet file"),
        (ValueError("no" * 1000), "no" * 150),
        (ValueError(), "ValueError"),
    ],
)
def test_a_reason_is_one_line_without_a_full_stop(error: Exception, text: str) -> None:
    """Whatever the library's own words look like, it stands before the sentence's own full stop."""
    assert reason_of(error) == text
