"""The house: what the boundary checker cannot see, and what a fresh machine must find."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "pages").glob("[a-z]*.py"))


def imported(file: Path) -> set[str]:
    """Top level names of all modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


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


def test_only_session_and_caching_touch_streamlits_state() -> None:
    """components/session.py alone touches st.session_state, components/caching.py alone st.cache_*."""
    for file in (ROOT / "components").rglob("*.py"):
        text = file.read_text()
        where = file.relative_to(ROOT / "components").as_posix()

        assert where == "session.py" or "st.session_state" not in text, where
        assert where == "caching.py" or not re.search(r"st\.cache_(data|resource)", text), where


def test_each_room_says_what_it_may_import() -> None:
    """The first docstring of each package under reseat says what it may import."""
    for file in sorted((ROOT / "reseat").glob("*/__init__.py")):
        first = ast.get_docstring(ast.parse(file.read_text())) or ""

        assert "ay import" in first, file.parent.name


def test_the_core_starts_without_anything_heavy() -> None:
    """Importing what the first page needs of the core loads neither PySpark nor ortools nor a cluster's client."""
    program = (
        "import sys, reseat.formats, reseat.balance, reseat.election, reseat.planning, reseat.sources.samples; "
        "print([m for m in ('pyspark', 'ortools', 'kazoo', 'kafka') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.strip() == "[]"


def test_every_public_thing_of_the_core_is_documented() -> None:
    """Every name in an ``__all__`` of the core has a docstring of its own."""
    program = """
import importlib, inspect, pkgutil, reseat
for m in pkgutil.walk_packages(reseat.__path__, "reseat."):
    if m.name.endswith("__main__"):
        continue
    module = importlib.import_module(m.name)
    if not module.__doc__:
        print(m.name)
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and not thing.__doc__:
            print(m.name, name)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout == ""


def test_lock_files_hold_hashes_and_no_address() -> None:
    """The lock files pin every package with hashes and name no registry."""
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        pins = re.findall(r"^([a-z][\w.-]*)==", text, re.M)

        assert len(pins) > 20
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text
