"""Which tests reach which line: a plugin for pytest that ``mutate`` loads once for each area, to learn it.

Every test is a context of coverage.py, the setup of a fixture one of its file (``FILE::``), since what a fixture made
is used by all tests that share it; what an import or a collection runs has none. Written, into the file that
``RESEAT_REACHED`` names: how long each test computed. The contexts that ran each line are kept by coverage.py itself.

Source: coverage.py's dynamic contexts; the idea of running only tests that reach a mutant is that of PIT and mutmut.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

_took: dict[str, float] = {}


def _context(name: str) -> None:
    measuring = coverage.Coverage.current()
    if measuring is not None:
        measuring.switch_context(name)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """What a fixture runs is reached by every test of the file."""
    _context(f"{_file(item)}::")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """What a test runs is reached by that test; how long that takes is told, since the quickest goes first."""
    _context(item.nodeid)
    began = time.process_time()
    try:
        return (yield)
    finally:
        _took[item.nodeid] = time.process_time() - began


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """What is taken down may be what others share."""
    _context(f"{_file(item)}::")
    try:
        return (yield)
    finally:
        _context("")


def pytest_sessionfinish() -> None:
    """Write what each test took, beside what coverage.py keeps by itself."""
    Path(os.environ["RESEAT_REACHED"]).write_text(json.dumps(_took), encoding="utf-8")
