"""The house: what the boundary checker cannot see, and what a fresh machine must find."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.syntax import ROOT, files, nodes, tree

PAGES = sorted((ROOT / "pages").glob("[a-z]*.py"))

#: Tests that reach into private names of the product, and how often; whoever gives one a door takes it out.
REACHES_IN: dict[str, int] = {}


def imported(file: Path) -> set[str]:
    """Top level names of all modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in nodes(file):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def _module(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _modules_named(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    """Which of our modules an import statement names; ``from package import module`` names the module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield from (name for name in ([whole] if whole in modules else [node.module]) if name in modules)


def _rooms(importer: str, imported: str) -> tuple[str, str] | None:
    """The two children of one folder that an import leads between; None where one of the modules is that folder."""
    here, there = importer.split("."), imported.split(".")
    depth = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), None)
    return None if depth is None else (".".join(here[: depth + 1]), ".".join(there[: depth + 1]))


def test_no_module_imports_itself_round_a_circle() -> None:
    """Modules depend in one direction, and so do the folders of each folder; imports for typing are counted too."""
    modules = {_module(file): file for file in files()}
    imports = {
        name: {other for node in nodes(file) for other in _modules_named(node, modules.keys()) if other != name}
        for name, file in modules.items()
    }

    rooms: dict[str, set[str]] = {}
    for name, others in imports.items():
        for pair in filter(None, (_rooms(name, other) for other in others)):
            rooms.setdefault(pair[0], set()).add(pair[1])

    assert len(modules) > 300
    for graph in (imports, rooms):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            pytest.fail(" <- ".join(error.args[1]))


def test_the_picture_of_the_house_is_the_contract() -> None:
    """CONTRIBUTING's picture names the rooms of components and the core, floor by floor, as import-linter has them."""
    contracts = {
        one["containers"][0]: one["layers"]
        for one in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
        if one["type"] == "layers" and "containers" in one
    }
    text = (ROOT / "CONTRIBUTING.md").read_text().replace("\n      | ", " | ")
    for top in ("components", "reseat"):
        picture = text.partition(f"    {top}/ ")[2].partition("\n    reseat/")[0].partition("\n\n")[0]
        floors = re.findall(r"^ {6}(\w+(?: \| \w+)*)(?: {2}|$)", picture, re.M)

        assert floors == [layer.removesuffix(" : __main__") for layer in contracts[top]]


def test_the_map_of_the_house_names_what_is_there() -> None:
    """Files and folders in CONTRIBUTING, by their paths or the ends of them; NAME stands for what is added."""
    there = {
        path.relative_to(ROOT).as_posix()
        for top in ("reseat", "components", "pages", "tests", "tools", "docs")
        for path in (ROOT / top).rglob("*")
        if "__pycache__" not in path.parts
    }
    named = re.findall(r"`((?:[\w.-]+/)*[\w-]+(?:\.(?:py|md|toml)|/[\w-]+/?))`", (ROOT / "CONTRIBUTING.md").read_text())
    gone = [
        name
        for name in named
        if "NAME" not in name
        and not name.startswith("build/")
        and not any(f"/{path}".endswith(f"/{name.rstrip('/')}") for path in there)
    ]

    assert len(named) > 40
    assert gone == []


def test_rooms_stay_small_enough_to_look_around_in() -> None:
    """No folder holds more than 26 files, and no file more than 500 lines."""
    all_files = [
        file
        for top in ("reseat", "components", "pages")
        for file in (ROOT / top).rglob("*.*")
        if file.is_file() and file.suffix in (".py", ".js", ".css")
    ]
    folders = Counter(file.parent for file in all_files)

    assert len(all_files) > 500
    assert not {str(folder.relative_to(ROOT)): count for folder, count in folders.items() if count > 26}
    long = {str(file.relative_to(ROOT)) for file in all_files if len(file.read_text().splitlines()) > 500}
    assert not long


def _offered(file: Path) -> set[str]:
    """The names that a module gives: assigned, defined or imported at its top, and those of its folder's files."""
    names = {other.stem for other in file.parent.glob("*")} if file.name == "__init__.py" else set()
    for node in nodes(file):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
    return names


def test_what_runs_seldom_still_imports_what_there_is() -> None:
    """Every import of the product in tests, benchmarks and tools, also within functions, names what is there."""
    modules = {_module(file): file for file in files()}
    offered = {name: _offered(file) for name, file in modules.items()}
    seen, missing = 0, []
    for file in files("tests", "benchmarks", "tools"):
        for node in nodes(file):
            if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] not in modules:
                continue
            seen += len(node.names)
            known = offered.get(node.module or "", set())
            missing += [
                f"{file.relative_to(ROOT)}: {node.module}.{one.name}" for one in node.names if one.name not in known
            ]

    assert seen > 2_000
    assert not missing


def _private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _named(file: Path) -> Iterator[str]:
    """Names that a file gives: to functions and classes, to variables, to attributes."""
    for node in nodes(file):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def _had(made: ast.ClassDef) -> Iterator[str]:
    """Names of what a class has: its methods, and what they keep in ``self``."""
    for node in ast.walk(made):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def _patches_by_variable(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="setattr"), args=[_, ast.Name(), _]):
            return True
    return False


def _used(file: Path) -> Iterator[str]:
    """Names that a file takes from elsewhere: imported, as an attribute, or as a text that says what to patch.

    Such texts stand in the call, or in a list or tuple, where the call names a variable.
    """
    by_variable = any(map(_patches_by_variable, nodes(file)))
    for node in nodes(file):
        if by_variable and isinstance(node, ast.List | ast.Tuple):
            yield from (one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str))
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute):
            if not (_private(node.attr) and "session_state" in ast.unparse(node.value)):  # which is Streamlit's
                yield node.attr
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")).endswith("attr"):
            yield from (
                arg.value.rpartition(".")[2]
                for arg in node.args
                if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            )


def test_tests_knock_at_doors() -> None:
    """Tests use what is public; who reaches into private names is known, and they only grow fewer."""
    given = {name for file in files() for name in _named(file)}
    # What their own classes have, in whatever file: a function beside them is no attribute.
    theirs = {
        name for file in files("tests") for node in nodes(file) if isinstance(node, ast.ClassDef) for name in _had(node)
    }
    found: dict[str, int] = {}
    for file in files("tests"):
        if count := sum(_private(name) and name in given and name not in theirs for name in _used(file)):
            found[file.relative_to(ROOT / "tests").as_posix()] = count

    assert len(given) > 1_000
    assert found == REACHES_IN


def test_no_process_runs_what_lies_in_the_folder_where_a_command_is_typed() -> None:
    """``python -m`` takes modules from there before all others, and an installed ``reseat`` is typed anywhere."""
    begun = [
        line
        for file in files("reseat", "components")
        for line in file.read_text().splitlines()
        if 'executable, "-' in line
    ]

    assert len(begun) == 5
    assert not [line for line in begun if not re.search('executable, "-[PI]"', line)]


def test_app_only_sets_up_the_page_and_the_navigation() -> None:
    """app.py imports no core and no page code: page config and st.navigation are all it does."""
    names = imported(ROOT / "app.py")

    assert not {name for name in names if name.split(".")[0] == "reseat"}
    assert not {name for name in names if name.split(".")[0] == "pages"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_are_short_and_leave_session_and_cache_to_their_rooms(page: Path) -> None:
    """A page has at most 150 lines and touches neither st.session_state nor st.cache_*."""
    text = page.read_text()

    assert len(text.splitlines()) <= 150
    assert "session_state" not in text
    assert "cache_data" not in text
    assert "cache_resource" not in text


def test_only_the_store_widgets_and_caching_touch_streamlits_state() -> None:
    """Who keeps things in st.session_state and who reads it; two modules keep results and what a server shares."""
    for file in (ROOT / "components").rglob("*.py"):
        text = file.read_text()
        where = file.relative_to(ROOT / "components").as_posix()

        assert where in {"state/store.py", "state/widgets.py"} or "st.session_state" not in text, where
        assert where in {"state/caching.py", "state/shared.py"} or not re.search(r"st\.cache_(data|resource)", text), (
            where
        )


def test_no_form_leads_away_from_the_page() -> None:
    """Enter in a field, before the script that hears it is there, would load the page anew and lose what is open.

    A form of the method "dialog" outside a dialog sends nothing (HTML standard, form submission).
    """
    forms = [
        form
        for page in sorted((ROOT / "components").rglob("*.html"))
        for form in re.findall(r"<form[^>]*>", page.read_text())
    ]

    assert forms
    assert [form for form in forms if 'method="dialog"' not in form] == []


def test_each_room_says_what_it_may_import() -> None:
    """The first docstring of each package under reseat says what it may import."""
    for file in sorted((ROOT / "reseat").glob("*/__init__.py")):
        first = ast.get_docstring(tree(file)) or ""

        assert "ay import" in first, file.parent.name


def test_the_core_starts_without_anything_heavy() -> None:
    """Importing what the first page needs of the core loads neither PySpark nor ortools nor a cluster's client."""
    program = (
        "import sys, reseat.formats, reseat.balance, reseat.election, reseat.planning, reseat.demo.samples; "
        "print([m for m in ('pyspark', 'ortools', 'kazoo', 'kafka') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.strip() == "[]"


def _assigned(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    """The names that a statement gives at the top of a module, also within tuples."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))


def _explained(module: ast.Module, lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Public names of a module, and whether each is explained: by a docstring, or a constant by a comment above it.

    Methods are looked at too, and whatever has no underscore, in ``__all__`` or not; what a page assigns is its own: it
    has no ``__all__``. A comment is for all constants below it up to an empty line; the setter of a property needs none
    of its own.
    """
    offers = False
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name("__all__")]):
                offers = True
            case ast.Assign() | ast.AnnAssign() if offers:
                above = node.lineno - 2
                while lines[above].strip() and not lines[above].startswith("#"):
                    above -= 1
                told = lines[above].startswith("#") or "#:" in lines[node.lineno - 1]
                yield from ((name, told) for name in _assigned(node) if not name.startswith("_"))
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if not name.startswith("_"):
                yield name, ast.get_docstring(node) is not None
                for inner in node.body if isinstance(node, ast.ClassDef) else ():
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith("_"):
                        sets = any(getattr(one, "attr", "") == "setter" for one in inner.decorator_list)
                        yield f"{name}.{inner.name}", sets or ast.get_docstring(inner) is not None


def test_every_public_name_is_explained() -> None:
    """Modules, classes, functions and methods have a docstring of their own, constants a comment."""
    names, silent = 0, []
    for file in files():
        lines = file.read_text().splitlines()
        told = [*_explained(tree(file), lines), (file.name, ast.get_docstring(tree(file)) is not None)]
        names += len(told)
        silent += [f"{file.relative_to(ROOT)}: {name}" for name, explained in told if not explained]

    assert names > 4_000
    assert not silent


def test_lock_files_hold_hashes_and_no_address() -> None:
    """The lock files pin every package with hashes and name no registry."""
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        pins = re.findall(r"^([a-z][\w.-]*)==", text, re.M)

        assert len(pins) > 20
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text


def test_what_no_test_can_see_broken_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else ``make mutate`` would leave out a line that nobody knows any more, or end before it begins."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    from mutants import places  # type: ignore[import-not-found]
    from unseen import UNSEEN  # type: ignore[import-not-found]

    there = {(one.file, one.text, one.was) for file in {file for file, _, _ in UNSEEN} for one in places(ROOT, file)}

    assert [one for one in UNSEEN if one not in there] == []
