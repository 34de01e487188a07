"""A rule's line, as fields, links and the command line write it, is read as the same rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.model.rules import RULES, Onto

#: Names as brokers may have them in ``broker.rack``, which Kafka takes as it is.
_RACKS = st.text(st.sampled_from("ab ,=%:2C\n\u20283Dü"), min_size=1, max_size=6)


@given(st.lists(_RACKS, min_size=1, max_size=3, unique=True))
def test_any_rack_is_named_in_a_line(racks: list[str]) -> None:
    """Also one with what separates places from each other and from topics; a field has a line a rule."""
    rule = Onto(("orders", "pay-*"), (3,), tuple(racks))
    line = RULES["only_onto"].line(rule)

    assert RULES["only_onto"].read_all(line.splitlines()) == (rule,)


@pytest.mark.parametrize("rack", ["az-a", "eu/1", "机架 1", "50% spare"])
def test_a_plain_rack_reads_as_it_is_named(rack: str) -> None:
    """What a person writes by hand means what it says."""
    rule = Onto(("orders",), (), (rack,))

    assert RULES["only_onto"].read(f"orders=rack:{rack}") == rule
    assert rack.replace("%", "%25") in RULES["only_onto"].line(rule)
