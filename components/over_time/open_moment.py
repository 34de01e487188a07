"""One snapshot of a history: its worst finding in a line."""

from __future__ import annotations

import pandas as pd

from components.look import text, theme
from reseat.model import Severity

__all__ = ["worst_finding"]

_COLOURS = {"broken": "red", "attention": "orange", "note": "gray"}
_ICONS = {severity.value: theme.severity_icon(severity) for severity in Severity}


def worst_finding(row: pd.Series) -> str:
    """The worst finding of a row of ``snapshots`` as Markdown, with its icon; names in it stay text."""
    told = row["worst_finding"]
    if not isinstance(told, str):
        return ":green[:material/check_circle:] Nothing was found."
    severity = str(row["worst_severity"])
    return f":{_COLOURS.get(severity, 'gray')}[{_ICONS.get(severity, '')}] {text.plain(told)}"
