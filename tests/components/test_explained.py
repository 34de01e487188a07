"""Headings of tables and what charts name carry the glossary's definition, from the one place where it is."""

from __future__ import annotations

import ast

import pandas as pd
import pytest
import streamlit as st

from components.look import tables
from reseat.model.glossary import TERMS, meaning, named_in
from tests.syntax import ROOT, files, nodes


def test_every_table_explains_its_headings() -> None:
    """None is drawn past ``explained``: not where a table is handed to Streamlit itself."""
    drawn = {
        f"{file.relative_to(ROOT)}:{node.lineno}": {word.arg: ast.unparse(word.value) for word in node.keywords}
        for file in files("components", "pages")
        if "st.dataframe" in file.read_text("utf-8")
        for node in nodes(file)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.dataframe"
    }

    assert drawn
    assert [where for where, given in drawn.items() if "explained(" not in given.get("column_config", "")] == []


def test_a_heading_that_is_a_term_has_its_definition() -> None:
    """In whichever case and number, by its label where it has one; a help of its own stays, other words have none."""
    frame = pd.DataFrame({"leader": [1], "in sync": ["1"], "size": [1], "out": [1], "spread": [2], "topic name": ["a"]})
    drawn = tables.explained(
        frame,
        {
            "leader": tables.RIGHT,
            "size": st.column_config.NumberColumn("Data held, GB"),
            "spread": st.column_config.NumberColumn(help="its own"),
        },
    )

    assert {name: config.get("help") for name, config in drawn.items()} == {
        "leader": TERMS["Leader"],
        "in sync": TERMS["ISR"],
        "size": TERMS["Data held"],
        "spread": "its own",
    }
    assert drawn["leader"]["alignment"] == "right"
    assert tables.RIGHT.get("help") is None


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Left of the HW, the high watermark, and by leader epochs.", ["High watermark", "Leader epoch"]),
        ("Partitions below min ISR, offline or under-replicated", ["Below min ISR", "Offline", "Under-replicated"]),
        ("Replica spread after", ["Replica spread"]),
        ("Each row is a broker, each column a topic that leads.", []),
    ],
)
def test_what_a_chart_names_is_found(text: str, terms: list[str]) -> None:
    """The longest term that stands there, and none for an ordinary word."""
    assert named_in(text) == terms


def test_the_terms_of_tables_and_charts_are_in_the_glossary() -> None:
    """Those that a person who is new to Kafka asks for first."""
    asked = (
        "ISR",
        "under-replicated",
        "copyset",
        "spread",
        "skew",
        "leader epoch",
        "high watermark",
        "lag",
        "imbalance",
    )

    assert [term for term in asked if meaning(term) is None] == []
