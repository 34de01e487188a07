"""Whether a server can do its work: the journal, the tables and the clusters, each there, away and broken."""

from __future__ import annotations

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from reseat.observe.readiness import (
    Condition,
    Readiness,
    audit_writable,
    conditions,
    journal_writable,
    links_writable,
    tables_readable,
)
from reseat.operate.journal.journal import Journal
from tests.servers.ports import free_port


def test_a_journal_can_be_written_whether_it_is_there_or_not_yet(tmp_path: Path) -> None:
    """Asking makes nothing; another process that is just writing it is no trouble."""
    path = tmp_path / "state" / "journal.sqlite"
    before = journal_writable(path)
    made = path.exists()
    Journal(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as busy:
        busy.execute("BEGIN IMMEDIATE")
        while_written = journal_writable(path)
        busy.execute("ROLLBACK")

    assert (before.holds, made) == (True, False)
    assert while_written.holds
    assert journal_writable(path).holds


@pytest.mark.parametrize("content", [b"no database at all, but text" * 50, None], ids=["a text", "a folder"])
def test_a_journal_that_is_none_is_told(content: bytes | None, tmp_path: Path) -> None:
    """With the file and SQLite's own words."""
    path = tmp_path / "journal.sqlite"
    path.mkdir() if content is None else path.write_bytes(content)
    told = journal_writable(path)

    assert not told.holds
    assert told.sentence.startswith(f"{path} cannot be written: ")


def test_tables_that_are_not_there_yet_are_no_trouble_and_a_file_in_their_place_is(tmp_path: Path) -> None:
    """The sentence names the place."""
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    made = f"{tmp_path / 'none'} is made with the first run of the pipeline."

    assert tables_readable(str(tmp_path / "none")) == Condition("tables", True, made)
    assert tables_readable(str(tmp_path / "empty")).sentence == f"{tmp_path / 'empty'} can be read."
    refused = tables_readable(str(tmp_path / "file"))
    assert not refused.holds
    assert str(tmp_path / "file") in refused.sentence


def test_a_folder_of_links_is_asked_for_where_one_is_named(tmp_path: Path) -> None:
    """Without, nothing is said; a file in its place is told, and takes the server from nobody."""
    (tmp_path / "file").write_text("")

    def told(place: str) -> Condition:
        return links_writable({"RESEAT_LINKS": str(tmp_path / place)})[0]

    assert links_writable({}) == ()
    assert told("new/links").holds
    assert "is made with the first link" in told("new/links").sentence
    assert told(".").holds
    assert (told("file").holds, told("file").counts) == (False, False)
    assert f"{tmp_path / 'file'} cannot be written" in told("file/links").sentence
    assert not (tmp_path / "new").exists()


def test_an_audit_log_that_cannot_be_written_is_told_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is read, approved or written without it. Asking makes nothing and sends nothing."""
    (tmp_path / "there").touch()

    def told(**named: str) -> list[tuple[str, bool, bool]]:
        return [(one.sentence, one.holds, one.counts) for one in audit_writable(named)]

    new, there, folder, nowhere = (str(tmp_path / name) for name in ("new", "there", ".", "gone/log"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
        daemon.bind(str(tmp_path / "syslog"))
        daemon.setblocking(False)
        both = told(RESEAT_AUDIT=there, RESEAT_AUDIT_SYSLOG=str(tmp_path / "syslog"))
        with pytest.raises(BlockingIOError):
            daemon.recv(1)

    assert told() == []
    assert told(RESEAT_AUDIT=new) == [(f"{new} (RESEAT_AUDIT) is made with the first line.", True, True)]
    assert [one[1:] for one in both] == [(True, True)] * 2
    assert both[0][0] == f"{there} (RESEAT_AUDIT) can be written."
    for path, why in ((folder, "Is a directory"), (nowhere, "No such file or directory")):
        (sentence, holds, counts), *_ = told(RESEAT_AUDIT=path)
        assert (holds, counts) == (False, True)
        assert f"{path} (RESEAT_AUDIT) cannot be written: {why}" in sentence
    assert not told(RESEAT_AUDIT_SYSLOG=nowhere)[0][1]
    assert not Path(new).exists()
    named = {name: str(tmp_path / name) for name in ("RESEAT_JOURNAL", "RESEAT_TABLES")}
    assert [one.name for one in conditions({**named, "RESEAT_AUDIT": folder}) if not one.holds] == ["audit"]

    monkeypatch.setattr("reseat.observe.readiness.shutil.disk_usage", lambda _: SimpleNamespace(free=4096))
    for path in (new, there):
        assert "No space left on device" in told(RESEAT_AUDIT=path)[0][0]


def test_clusters_are_counted_and_not_named_and_one_that_is_away_is_told_but_does_not_count(tmp_path: Path) -> None:
    """One server that takes connections is enough for a cluster."""
    secrets = tmp_path / "secrets.toml"
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        there.listen()
        port = there.getsockname()[1]
        secrets.write_text(
            f'[clusters.secret-project]\nbootstrap = "127.0.0.1:{free_port()},127.0.0.1:{port}"\n'
            f'[clusters.other]\nzookeeper = "127.0.0.1:{free_port()}"\n[clusters.typo]\nbootstrapp = "a:1"\n'
        )
        environment = {"RESEAT_JOURNAL": str(tmp_path / "j"), "RESEAT_TABLES": str(tmp_path / "t")}
        told = {one.name: one for one in conditions(environment, [secrets])}

    assert told["clusters"] == Condition(
        "clusters",
        False,
        "1 of 2 configured clusters can be reached; 1 entry of the configuration cannot be read.",
        counts=False,
    )
    assert told["journal"].holds
    assert told["tables"].holds


def test_without_configured_clusters_none_is_missing(tmp_path: Path) -> None:
    """A server for uploads alone is ready."""
    told = conditions({"RESEAT_JOURNAL": str(tmp_path / "j"), "RESEAT_TABLES": str(tmp_path / "t")})

    assert all(one.holds for one in told)


def test_an_answer_stands_for_a_few_seconds() -> None:
    """Whoever asks in a loop asks no cluster in a loop."""
    asked: list[float] = []
    now = [0.0]

    def ask() -> tuple[Condition, ...]:
        asked.append(now[0])
        return (Condition("journal", True, str(now[0])),)

    readiness = Readiness(ask, clock=lambda: now[0])
    for now[0] in (0.0, 1.0, 4.9, 5.0, 6.0, 10.1):
        told = readiness.conditions()

    assert asked == [0.0, 5.0, 10.1]
    assert told[0].sentence == "10.1"


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    """Nobody can make a journal there, whoever runs the server."""
    (tmp_path / "taken").touch(mode=0o600)
    condition = journal_writable(tmp_path / "taken" / "journal.sqlite")

    assert not condition.holds
    assert f"{tmp_path / 'taken'} cannot be written" in condition.sentence


@pytest.mark.parametrize("there", [False, True], ids=["its folder", "the file"])
def test_a_journal_that_is_closed_to_who_runs_the_server_is_told(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite would open the file to read alone, and begin. Root may write everything, so it is told that it may not."""
    path = tmp_path / "journal.sqlite"
    if there:
        Journal(path).close()
    monkeypatch.setattr(os, "access", lambda place, _: place not in (path, tmp_path))
    told = journal_writable(path)

    assert not told.holds
    assert told.sentence.startswith(f"{path} cannot be ")
