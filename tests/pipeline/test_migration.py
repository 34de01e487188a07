"""Tables copied to where they are Delta tables: all rows, also where it was stopped; and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from reseat.cli import main
from reseat.errors import InputRefused, PipelineBusy
from reseat.history.commit_record import CommitRecord, record_path
from reseat.history.delta import forget
from reseat.history.folder import Folder
from reseat.history.read import History
from reseat.history.schema import TABLES
from reseat.pipeline.lock import hold
from reseat.pipeline.upkeep.migration import migrate
from tests.history import made
from tests.history.elsewhere import elsewhere
from tests.pipeline import plain
from tests.pipeline.test_delta_commit import Stopped, before_step


def by_history(tables: Folder) -> dict[str, list[str]]:
    """All rows as pages read them."""
    return {one.name: sorted(map(str, History.open(tables).table(one.name).to_pylist())) for one in TABLES}


def test_all_rows_are_there_for_pages_and_for_readers_of_delta(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command line; done again it copies nothing and compares."""
    was = made.write(tmp_path / "was")
    for copied in (True, False):
        assert main(["pipeline", "migrate", "--from", str(was.tables), "--to", str(tmp_path / "new")]) == 0
        assert ("0 files copied" not in capsys.readouterr().out) == copied
    new = Folder.open(tmp_path / "new")
    assert by_history(new) == plain.rows(new) == plain.rows(Folder.open(was.tables))

    assert main(["pipeline", "migrate", "--from", str(tmp_path / "new"), "--to", str(tmp_path / "newer")]) == 0
    assert plain.rows(Folder.open(tmp_path / "newer")) == plain.rows(new)


def test_stopped_at_any_step_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there by then is whole clusters; done again all is there once."""
    source = Folder.open(made.write(tmp_path / "was").tables)
    rows = plain.rows(source)

    def die() -> None:
        raise Stopped

    step, left = 0, [-1]
    while left[0] < 0:
        target = Folder.open(tmp_path / str(step))
        with before_step(step, die, monkeypatch) as left:
            try:
                migrate(source, target)
            except Stopped:
                forget()
                migrate(source, target)
        assert plain.rows(target) == by_history(target) == rows, step
        step += 11
    assert step > 20


def test_what_cannot_be_copied_whole_is_refused(tmp_path: Path) -> None:
    """Nothing there, a job at work, a commit half done elsewhere, other tables in the way."""
    was = made.write(tmp_path / "was")
    source = Folder.open(was.tables)
    with pytest.raises(InputRefused, match="no tables"):
        migrate(Folder.open(tmp_path / "nothing"), Folder.open(tmp_path / "new"))
    with pytest.raises(InputRefused, match="onto themselves"):
        migrate(source, source)
    with pytest.raises(InputRefused, match="plain tables here"):
        migrate(source, Folder.open(made.write(tmp_path / "other").tables))
    with pytest.raises(PipelineBusy, match="written by run"), hold(source, "run"):
        migrate(source, Folder.open(tmp_path / "new"))
    far = elsewhere(tmp_path / "far")
    far.write(record_path(3), CommitRecord(cluster_days=(("a", "2026-05-01"),), batch="x").to_bytes())
    with pytest.raises(InputRefused, match="not complete"):
        migrate(far, Folder.open(tmp_path / "new"))


@pytest.mark.usefixtures("service")
def test_plain_tables_of_earlier_versions_on_s3_are_copied(tmp_path: Path) -> None:
    """They are refused to all else, and nothing of them is touched."""
    was = Folder.open(made.write(tmp_path / "was").tables)
    old, new = (Folder.open(f"s3://fleet/{tmp_path.name}/{name}") for name in ("old", "new"))
    for one in was.files(hidden=True):
        old.write(one.path, was.read(one.path))
    old.write(record_path(7), CommitRecord().to_bytes())
    with pytest.raises(InputRefused, match="pipeline migrate"):
        History.open(old).snapshots()

    assert migrate(old, new).copied
    assert plain.rows(new) == by_history(new) == plain.rows(was)
    assert [old.read(one.path) for one in old.files()] == [was.read(one.path) for one in was.files()]
