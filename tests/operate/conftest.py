"""Fixtures of the operating tests."""

from __future__ import annotations

import pytest

from reseat.operate.journal.journal import Journal


@pytest.fixture
def journal(tmp_path):
    """An empty journal."""
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()
