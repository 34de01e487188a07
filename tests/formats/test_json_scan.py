"""Looking at JSON without building it: depths, widths and items are those of a parser, wherever a chunk ends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import LimitMet
from reseat.formats import LIMITS, Limits
from reseat.formats.input import json_scan
from reseat.formats.input.json_scan import check_values, check_width, deepest, items, value
from tests.cases import cases

VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | st.text('a"\\,:[]{}é', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('k"\\,[}', max_size=3), inner, max_size=3),
    max_leaves=12,
)


def depth_of(told: object) -> int:
    """How many lists and objects stand within each other at most."""
    if isinstance(told, dict):
        return 1 + max(map(depth_of, told.values()), default=0)
    return 1 + max(map(depth_of, told), default=0) if isinstance(told, list) else 0


@settings(deadline=None, max_examples=cases(150))
@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(1, 7), st.booleans())
def test_what_is_seen_is_what_a_parser_builds(told: list[object], chunk: int, spaced: bool) -> None:
    """Strings with quotes, backslashes, commas and brackets included, in chunks of a few bytes."""
    text = json.dumps(told, ensure_ascii=False, indent=1 if spaced else None).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_scan, "FIRST", chunk)
        patch.setattr(json_scan, "CHUNK", chunk)
        seen = list(items(text, LIMITS, "x"))
        commas = [at for part in json_scan.scan(text) for at in part.commas(1).tolist()]

        assert seen == told
        assert deepest(text) == depth_of(told)
        assert len(commas) == len(told) - 1


def test_what_is_too_wide_or_holds_too_much_is_refused_before_it_is_built() -> None:
    """By the number of items of its own, and by that of all values within."""
    check_width(b"[1,2,3]", 3, "things", "x")
    with pytest.raises(LimitMet, match="holds 3 things; 2 is the limit"):
        check_width(b"[1,[2,2,2],3]", 2, "things", "x")
    check_values(b"[1,[2,2],3]", Limits(values=7), "x")
    with pytest.raises(LimitMet, match="more than 5 values"):
        value(b"[1,[2,2],{}]", Limits(values=5), "x")
    with pytest.raises(TypeError):
        list(items(b"{}", LIMITS, "x"))
