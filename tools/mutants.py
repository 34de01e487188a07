"""The places of a file that can be broken, and what is put in their place: a syntax tree with one node changed.

Each broken file keeps its form, so that it still runs: a comparison is turned or moved by one, a sum becomes a
difference, ``and`` becomes ``or``, a ``not`` goes, a number is one more, a raise, break or continue does nothing.

Source: R. DeMillo, R. Lipton, F. Sayward, "Hints on Test Data Selection", IEEE Computer 11(4), 1978.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

__all__ = ["Place", "broken", "places"]

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Place:
    """One place to break.

    Attributes:
        file: the file, from the project's folder.
        number: which place of the file it is.
        line: the line of the place.
        lines: lines of which one is run when the place is: its own, and the first of its statement.
        text: the line as it is typed.
        was: what stands there.
        becomes: what is put in its place.
        in_function: whether it is run when a function is called, not when its module is imported.
    """

    file: str
    number: int
    line: int
    lines: tuple[int, ...]
    text: str
    was: str
    becomes: str
    in_function: bool

    @property
    def change(self) -> str:
        """What is done to it."""
        return f"{self.was}  ->  {self.becomes}"


def places(root: Path, where: str) -> list[Place]:
    """Every place of a file below a folder that can be broken."""
    text = (root / where).read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    # Outer statements are walked first, so that what stays is the innermost one.
    statement = {id(part): one for one in ast.walk(tree) if isinstance(one, ast.stmt) for part in ast.walk(one)}
    called = {
        id(part)
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.Lambda)
        for body in (one.body if isinstance(one.body, list) else [one.body])
        for part in ast.walk(body)
    }
    found = []
    for number, (node, made) in enumerate(_each(tree)):
        line, end = node.lineno, node.end_lineno or node.lineno
        run = (statement[id(node)].lineno, *range(line, end + 1))
        text = lines[line - 1].strip()
        found.append(Place(where, number, line, run, text, ast.unparse(node), ast.unparse(made), id(node) in called))
    return found


def broken(root: Path, place: Place) -> ast.Module:
    """The file of a place with that place broken; every other line stands where it stood."""
    tree = ast.parse((root / place.file).read_text(encoding="utf-8"))
    each = _each(tree)
    next(islice(each, place.number, None))
    return ast.fix_missing_locations(tree)  # as it is before the next place, for which this one would be put back


def _each(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, ast.AST]]:
    """What stands in each place, and what is in it instead: in the tree too, until the next place is asked for."""
    told = {id(part) for node in ast.walk(tree) for part in _left_alone(node)}
    for parent in list(ast.walk(tree)):
        if id(parent) in told:
            continue
        for name, value in ast.iter_fields(parent):
            inside = value if isinstance(value, list) else [value]
            for at, node in enumerate(inside):
                if isinstance(node, ast.expr | ast.stmt) and id(node) not in told:
                    for made in _instead(node):
                        _put(parent, name, at, value, ast.copy_location(made, node))
                        yield node, made
                        _put(parent, name, at, value, node)


def _put(parent: ast.AST, name: str, at: int, value: object, node: ast.AST) -> None:
    if isinstance(value, list):
        value[at] = node
    else:
        setattr(parent, name, node)


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    """The ways in which one node is broken; each leaves the code's form as it is, so that it still runs."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        made = deepcopy(node)
        made.ops[0] = _COMPARED[type(node.ops[0])]()
        yield made
    elif isinstance(node, ast.BinOp) and type(node.op) in _RECKONED and not _words(node):
        made_sum = deepcopy(node)
        made_sum.op = _RECKONED[type(node.op)]()
        yield made_sum
    elif isinstance(node, ast.BoolOp):
        made_either = deepcopy(node)
        made_either.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield made_either
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Continue | ast.Break | ast.Raise):
        yield ast.Pass()


def _words(node: ast.BinOp) -> bool:
    """Whether a sum joins texts: taken apart, they raise, which any test notices."""
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _left_alone(node: ast.AST) -> Iterator[ast.AST]:
    """Annotations, defaults of dataclass fields' types, what is only for the type checker: no test can notice.

    Nor of ``zip(..., strict=True)``, which says of equal lengths that they are.
    """
    marks: list[ast.AST | None] = []
    if isinstance(node, ast.arg | ast.AnnAssign):
        marks.append(node.annotation)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if ast.unparse(target).isupper():
            marks.append(node)  # a limit that a module sets itself: one more is as good
    elif isinstance(node, ast.keyword) and node.arg == "strict":
        marks.append(node)
    elif isinstance(node, ast.FunctionDef):
        marks += [node.returns, *node.decorator_list]
    elif isinstance(node, ast.ClassDef):
        marks += node.decorator_list
    elif (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING") or (
        isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("np.ndarray", "npt.NDArray")
    ):
        marks.append(node)
    for mark in marks:
        if mark is not None:
            yield from ast.walk(mark)
