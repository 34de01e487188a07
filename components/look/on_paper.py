"""What a page has ready for the printer: each table's rows, and the light colours of a dark page.

A table that scrolls shows on paper what was in sight. Its rows stand beside it as data, unseen; ``canvas.paper`` makes
a plain table of them when the page is printed.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.look.theme import DARK, LIGHT, is_dark

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.elements.lib.column_types import ColumnConfig

__all__ = ["IDS", "MOST_ROWS", "colours", "rows"]

#: Columns of numbers that are names.
IDS = ("partition", "broker", "other broker")
#: Rows of a table that are printed, some nine pages; how many more there are is said below them.
MOST_ROWS = 500
#: The colours of the theme's file that texts, grounds and lines are drawn in.
_THEMED = (
    *("primaryColor", "backgroundColor", "secondaryBackgroundColor", "textColor", "borderColor", "linkColor"),
    *(f"{name}TextColor" for name in ("code", "green", "orange", "red", "blue", "violet", "gray")),
)
_AS_THEY_ARE: Mapping[str, ColumnConfig] = {}


def colours() -> tuple[dict[str, str], dict[str, str]]:
    """The light neutral colours by name, and the light twin of each dark one where the page is dark."""
    light = asdict(LIGHT)
    if not is_dark():
        return light, {}
    themed = ((st.get_option(f"theme.dark.{name}"), st.get_option(f"theme.light.{name}")) for name in _THEMED)
    twins = {str(dark): str(pale) for dark, pale in themed if dark and pale}
    return light, twins | {dark: light[name] for name, dark in asdict(DARK).items()}


def rows(frame: pd.DataFrame, columns: Mapping[str, ColumnConfig] = _AS_THEY_ARE, *, total: int | None = None) -> None:
    """Have the rows of the table just drawn ready for paper, or those of one that is folded away.

    Args:
        frame: what it shows.
        columns: how its columns are drawn: their names, and which stand at the right.
        total: how many rows there are where ``frame`` has the first of them; None: it has all.
    """
    import pandas as pd

    first, drawn = frame.head(MOST_ROWS), {}
    for name in frame.columns:
        column = columns.get(name) or {}
        drawing: Mapping[str, object] = column.get("type_config") or {}
        if str(drawing.get("type")).endswith("_chart"):
            continue  # a curve in a cell has no words
        numeric = pd.api.types.is_numeric_dtype(frame[name]) and not pd.api.types.is_bool_dtype(frame[name])
        right = numeric or column.get("alignment") == "right"
        plain = name in IDS
        drawn[column.get("label") or str(name)] = (right, [_words(cell, plain=plain) for cell in first[name].tolist()])
    more = (len(frame) if total is None else total) - len(first)
    told = {
        "heads": list(drawn),
        "right": [right for right, _ in drawn.values()],
        "rows": list(zip(*(cells for _, cells in drawn.values()), strict=True)),
        "more": f"{more:,} more rows are not printed." if more else "",
    }
    st.html(f'<div class="paper-table" data-table="{html.escape(json.dumps(told, ensure_ascii=False))}"></div>')


def _words(cell: Any, *, plain: bool) -> str:
    """One cell as the table on the screen writes it."""
    import pandas as pd

    if isinstance(cell, list | tuple):
        return ", ".join(str(one) for one in cell)
    if pd.isna(cell):
        return ""
    if isinstance(cell, bool):
        return "✔" if cell else ""
    if isinstance(cell, int | float) and not plain:
        return f"{cell:,}" if isinstance(cell, int) or not cell.is_integer() else f"{cell:,.0f}"
    return f"{cell:%Y-%m-%d %H:%M}" if isinstance(cell, pd.Timestamp) else str(cell)
