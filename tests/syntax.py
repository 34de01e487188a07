"""Files as syntax: parsed once in a process, for tests that look at all code of the house."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent


@cache
def tree(file: Path) -> ast.Module:
    """What a file says.

    It stays, so no collection of garbage walks through it for the files after it: half of the work.
    """
    whole = ast.parse(file.read_text(encoding="utf-8"))
    gc.freeze()
    return whole


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    """All of its nodes, each with those within it."""
    return tuple(ast.walk(tree(file)))


@cache
def files(*tops: str) -> tuple[Path, ...]:
    """All Python files under folders of the project, in order.

    Args:
        tops: Names of folders; those of the product where none is said.
    """
    return tuple(
        sorted(file for top in tops or ("reseat", "components", "pages") for file in (ROOT / top).rglob("*.py"))
    )
