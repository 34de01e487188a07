"""A journal that cannot be written is read: at night, with a full disk, one must see what runs."""

from __future__ import annotations

import errno
import resource
import subprocess
import sys
from contextlib import closing

import pytest

from reseat.errors import InputRefused, WriteRefused
from reseat.operate.journal import schema
from reseat.operate.journal.journal import Approval, Journal, PlannedMove

APPROVAL = Approval("C1", "prod", "{plan}", "{back}", "h" * 8, "ann", (PlannedMove("orders", 0, (1, 2), (2, 3)),))


@pytest.mark.parametrize("open_elsewhere", [False, True])
def test_status_reads_a_journal_that_cannot_be_written(tmp_path, open_elsewhere):
    """On a full disk, whether or not an executor has it open; what would write is refused and changes nothing."""
    journal = Journal(tmp_path / "journal.sqlite")
    run = journal.approve(APPROVAL)
    if not open_elsewhere:
        journal.close()

    def operate(*words):
        return subprocess.run(
            [sys.executable, "-m", "reseat", "operate", *words, "--journal", str(journal.path)],
            capture_output=True,
            text=True,
            check=False,
            # No file may get a byte longer.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        )

    seen = operate("status")
    before = journal.path.read_bytes()

    assert (seen.returncode, seen.stderr) == (0, "")
    assert seen.stdout.startswith(f"Run {run.id} (plan, prod): approved.")
    assert journal.path.read_bytes() == before


@pytest.mark.parametrize("open_elsewhere", [False, True])
def test_a_read_only_journal_is_read_with_what_its_log_holds(tmp_path, monkeypatch, open_elsewhere):
    """Also what was not checkpointed; nothing can be written to it, and another file is refused as ever."""
    journal = Journal(tmp_path / "journal.sqlite")
    run = journal.approve(APPROVAL)
    if not open_elsewhere:
        journal.close()

    def read_only(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(schema.os, "open", read_only)
    with closing(Journal(journal.path, or_read=True)) as read:
        seen = [one.id for one in read.runs()]
        with pytest.raises(WriteRefused, match="cannot be written"):
            read.request_stop(run.id, cancel=False)
    with pytest.raises(InputRefused, match="Read-only file system"):
        Journal(journal.path)
    (tmp_path / "other").write_text("text")
    with pytest.raises(InputRefused, match="Read-only file system"):
        Journal(tmp_path / "other", or_read=True)

    assert seen == [run.id]
