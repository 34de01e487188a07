"""Where a JSON document starts and ends in a paste."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import LimitMet
from reseat.formats import LIMITS
from reseat.formats.input.split import split
from tests.cases import cases

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


def pieces(text: str) -> list[tuple[bool, int, str]]:
    """(is JSON, line, text) of each piece."""
    data = text.encode()
    return [(p.is_json, p.line, data[p.start : p.end].decode()) for p in split(data, "x", LIMITS)]


def test_documents_between_text() -> None:
    """Documents and the text between them, each with its line."""
    assert pieces('one\n{"a":1}\n\ntwo\n {"b":\n2}%\n') == [
        (False, 1, "one\n"),
        (True, 2, '{"a":1}'),
        (False, 2, "\n\ntwo\n "),
        (True, 5, '{"b":\n2}'),
        (False, 6, "%\n"),
    ]


def test_braces_that_are_no_documents() -> None:
    """Placement constraints, log prefixes, lists of a ZooKeeper shell and prompts are text."""
    text = 'Configs: x={"version":1,"r":[{"c":{"k":"v"}}]}\n[2024-01-01] WARN {x}\n[0, 1]\n[a@b c]$ ls {y}\n'

    assert [is_json for is_json, _, _ in pieces(text)] == [False]


@given(
    st.lists(st.dictionaries(st.text(max_size=6), values, min_size=1, max_size=4), min_size=1, max_size=4),
    st.booleans(),
)
@settings(max_examples=cases(150), deadline=None)
def test_any_documents_are_found_whole(documents: list[dict[str, object]], pretty: bool) -> None:
    """Whatever stands in strings (braces, quotes, backslashes), documents on lines of their own come out whole."""
    written = [json.dumps(document, indent=2 if pretty else None) for document in documents]

    assert [text for is_json, _, text in pieces("\nand\n".join(written)) if is_json] == written


def test_a_document_longer_than_a_chunk() -> None:
    """Strings and depth carry over from chunk to chunk, also where an escape stands at the border."""
    document = json.dumps({"version": 1, "x": ['\\"{' * 3] * 400_000})

    assert pieces(f"{document}\nend") == [(True, 1, document), (False, 1, "\nend")]


def test_depth_is_refused_before_parsing() -> None:
    """Nesting beyond the limit is refused at its line, however deep it goes."""
    with pytest.raises(LimitMet, match="deeper than 64") as met:
        split(b'{"a":\n' + b"[" * 1_000_000, "x", LIMITS)

    assert met.value.line == 2
