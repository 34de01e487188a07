"""The sample texts beside the tests, in the grammars of the tools that print them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reseat.formats import Reading, read

_FOLDER = Path(__file__).parent / "texts"


@pytest.fixture
def sample() -> Callable[[str], str]:
    """Gives a sample text by name."""
    return lambda name: (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.fixture
def reading_of(sample: Callable[[str], str]) -> Callable[[str], Reading]:
    """Reads a sample text by name."""
    return lambda name: read(sample(name), source=f"{name}.txt")


@pytest.fixture
def samples() -> list[bytes]:
    """All sample texts."""
    return [path.read_bytes() for path in sorted(_FOLDER.glob("*.txt"))]
