"""Whether something is there: yes, no, and that it cannot be told, the same on every Python."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from reseat.existing import exists, may_exist


def test_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    """Files, folders, and paths that lead through a file or to nothing."""
    (tmp_path / "file").write_text("")
    (tmp_path / "broken").symlink_to(tmp_path / "gone")

    for path in (tmp_path, tmp_path / "file", str(tmp_path / "file")):
        assert exists(path)
        assert may_exist(path)
    for path in (tmp_path / "gone", tmp_path / "file" / "within", tmp_path / "broken"):
        assert not exists(path)
        assert not may_exist(path)


def test_what_cannot_be_told_is_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is closed to who asks: it is not taken for one in which nothing is."""

    def closed(*_: Any, **__: Any) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "stat", closed)

    assert may_exist(tmp_path / "secrets.toml")
    with pytest.raises(PermissionError):
        exists(tmp_path / "secrets.toml")


def test_links_in_a_ring_cannot_be_told(tmp_path: Path) -> None:
    """Who opens one is told so."""
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")

    assert may_exist(tmp_path / "one")
    with pytest.raises(OSError, match="symbolic links"):
        exists(tmp_path / "one")
