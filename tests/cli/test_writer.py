"""What the commands write for a person."""

import math

import pytest

from components import text
from reseat.cli.writer import bytes_text


@pytest.mark.parametrize("number", [0.0, 999.0, 1_000.0, 50_000_000.0, 1_234_000_000.0, 2e12])
def test_bytes_have_the_units_of_the_pages(number: float) -> None:
    """A throttle of 50000000 is 50.0 MB, on a terminal as on the page and in the guard's sentences."""
    said, shown = bytes_text(number).split(), text.size(number).split()

    assert said[1] == shown[1]
    assert float(said[0]) == pytest.approx(float(shown[0]), abs=0.06)


def test_bytes_that_are_not_told_are_no_number() -> None:
    """Neither 0 nor nan is written for them."""
    assert bytes_text(None) == bytes_text(math.nan) == "not told"
