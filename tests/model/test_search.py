"""One grammar for every search above a table."""

from __future__ import annotations

import numpy as np

from reseat.model.search import Search

TOPICS = ("Orders", "payments", "payments-7")


def found(typed: str) -> list[bool]:
    """Of Orders-0, payments-7, payments-7-7 and a row about a broker."""
    at = Search.of(typed).partitions(TOPICS, np.array([0, 1, 2, -1]), np.array([0, 7, 7, 3]))
    return [bool(one) for one in at]


def test_part_of_a_name_finds_in_any_case() -> None:
    """Blanks around it are none of it; nothing typed finds every partition."""
    assert found(" oRd ") == [True, False, False, False]
    assert found("") == [True, True, True, False]
    assert Search.of("A").within(["rack-a", None, "B", float("nan")]).tolist() == [True, False, False, False]


def test_a_partition_is_found_by_its_name() -> None:
    """As Kafka writes it; the topic may hold dashes and digits."""
    assert found("orders-0") == [True, False, False, False]
    assert found("payments-7") == [False, True, True, False]
    assert found("payments-7-7") == [False, False, True, False]
    assert found("orders-1") == [False] * 4


def test_a_number_is_an_id_if_it_can_be_one() -> None:
    """Thousands of digits are a text; so is a sign."""
    assert Search.of("7").number == 7
    assert Search.of("9" * 5_000).number is None
    assert Search.of("orders-" + "9" * 5_000).partition is None
    assert Search.of("-7").number is None
