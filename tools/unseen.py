"""Places that ``mutate`` may break without anything that a person, a cluster or a file could see of it, and why."""

from __future__ import annotations

__all__ = ["UNSEEN"]

#: (file, line as it is typed, what stands in it) and the reason.
UNSEEN: dict[tuple[str, str, str], str] = {
    ("reseat/history/folder.py", "if self._infos(path, recursive=False):", "False"): (
        "is it empty: what lies deeper lies in a folder that lies there itself"
    ),
}
