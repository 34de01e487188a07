"""Lists public names of the product that nothing but tests uses: candidates to be removed, or put to use.

    .venv/bin/python tools/unused_names.py

A name is public that stands in a module's ``__all__``, and a method, property or field without an underscore of a
class there. It is used where the word stands in another file of the product, imports aside, or elsewhere in its own
file than where it is defined and listed. Words are compared, not meanings: a name that is listed is hardly used, one
that is not may be unused all the same.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_PRODUCT = ("reseat", "components", "pages", "benchmarks", "tools")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def main() -> int:
    """Print each name with its file and line; 1 where there is any."""
    files = [_ROOT / "app.py", *(path for folder in _PRODUCT for path in sorted((_ROOT / folder).rglob("*.py")))]
    code = {path: _code_of(path) for path in files}
    words = {path: Counter(_WORD.findall(text)) for path, text in code.items()}
    whole = sum(words.values(), Counter())
    found = 0
    for path in files:
        if path.name == "__init__.py" or path.parts[len(_ROOT.parts)] not in ("reseat", "components"):
            continue
        for name, line in _public(ast.parse(path.read_text(encoding="utf-8"))):
            if whole[name] <= 1:
                found += 1
                sys.stdout.write(f"{path.relative_to(_ROOT)}:{line}: {name}\n")
    return 1 if found else 0


def _code_of(path: Path) -> str:
    """A file's code without comments, docstrings, imports and ``__all__``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                one
                for one in body
                if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
                and not isinstance(one, ast.Import | ast.ImportFrom)
                and not (isinstance(one, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in one.targets))
            ] or [ast.Pass()]
    return ast.unparse(tree)


def _public(tree: ast.Module) -> list[tuple[str, int]]:
    listed = {
        name.value
        for node in tree.body
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)
        for name in ast.walk(node.value)
        if isinstance(name, ast.Constant)
    }
    out = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in listed:
            out.append((node.name, node.lineno))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            out += [(t.id, node.lineno) for t in targets if isinstance(t, ast.Name) and t.id in listed]
        if isinstance(node, ast.ClassDef) and node.name in listed:
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    out.append((member.name, member.lineno))
                elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    out.append((member.target.id, member.lineno))
    return out


if __name__ == "__main__":
    sys.exit(main())
