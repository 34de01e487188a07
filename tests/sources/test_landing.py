"""The landing zone: a file shows only when it is whole, once, under the name of its cluster."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reseat.atomic_write import atomic_write
from reseat.errors import InputRefused, LimitMet
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.formats.input.reading import Limits
from reseat.history.folder import Folder
from reseat.model import ClusterLayout, Finding, Severity, Snapshot
from reseat.sources.landing import land, landed_pieces
from tests.history.elsewhere import elsewhere

ROOT = Path(__file__).parent.parent.parent
NOON = datetime(2026, 5, 1, 12, 0, 0, 5, tzinfo=UTC)
SMALL = Snapshot(ClusterLayout.from_assignments({("orders", 0): [1, 2]}), NOON, "admin")


def files(folder: Path) -> list[str]:
    """Everything in a folder, hidden files too."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_snapshot_lands_under_its_cluster_and_moment(tmp_path: Path) -> None:
    """The file says the same as its name, and nothing is left beside it."""
    landed = land(SMALL, tmp_path / "zone", "shop-1")
    file = Path(landed.where)
    named = replace(SMALL, cluster="shop-1")

    assert landed.new
    assert landed.path == f"cluster=shop-1/20260501T120000.000005Z-{identity(named)}.json"
    assert files(tmp_path) == [f"zone/{landed.path}"]
    assert file.read_bytes() == write_snapshot(named)
    assert read_snapshot(file.read_bytes()).cluster == "shop-1"


def test_delivered_twice_it_is_one_file_and_stays_as_it_was(tmp_path: Path) -> None:
    """Also where the second delivery was read otherwise: what it says of the cluster is the same."""
    first = land(SMALL, tmp_path, "shop")
    before = Path(first.where).stat()
    second = land(replace(SMALL, findings=(Finding("k", Severity.NOTE, "Seen."),)), str(tmp_path), "shop")

    after = Path(second.where).stat()

    assert (first.new, second.new) == (True, False)
    assert second.where == first.where
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert len(files(tmp_path)) == 1


def test_another_moment_or_another_cluster_is_another_file(tmp_path: Path) -> None:
    """As is another layout at the same moment."""
    land(SMALL, tmp_path, "shop")
    land(SMALL, tmp_path, "shop2")
    land(replace(SMALL, taken_at=NOON.replace(hour=13)), tmp_path, "shop")
    land(replace(SMALL, layout=ClusterLayout.from_assignments({("orders", 0): [2, 1]})), tmp_path, "shop")

    assert len(files(tmp_path)) == 4


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/etc", "a\\b", "a=b", "a b", "-x", "_x", "é", "a\n", "x" * 101]
)
def test_a_name_that_is_no_folder_of_the_zone_is_refused(name: str, tmp_path: Path) -> None:
    """Nothing is written, here or elsewhere."""
    with pytest.raises(InputRefused, match="cannot name a cluster"):
        land(SMALL, tmp_path / "zone", name)
    assert files(tmp_path) == []


@pytest.mark.parametrize("url", ["ftp://host/zone", "s3://key:secret@bucket/zone", "hdfs:///zone"])
def test_a_url_that_is_no_place_makes_no_folder(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here neither, and a secret in it is not repeated."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputRefused) as refused:
        land(SMALL, url, "shop")
    assert "secret" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_url_of_this_machine_is_a_folder(tmp_path: Path) -> None:
    """As a path is; a folder that was opened before too."""
    by_url = land(SMALL, f"file://{tmp_path}/zone", "shop")
    again = land(SMALL, Folder.open(tmp_path / "zone"), "shop")

    assert by_url.where == again.where
    assert files(tmp_path) == [f"zone/{by_url.path}"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A file stands where the zone should be."""
    (tmp_path / "zone").write_text("")
    with pytest.raises(InputRefused, match="cannot be written") as refused:
        land(SMALL, tmp_path / "zone", "shop")
    assert str(tmp_path) in str(refused.value)


def test_a_writer_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, at the moment when the bytes are forced to it."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputRefused, match="No space left"):
        land(SMALL, tmp_path, "shop")
    assert files(tmp_path) == []


@pytest.mark.parametrize("there", [False, True])
def test_a_file_system_without_links_lands_too(there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By renaming; a file that is there stays."""
    file = tmp_path / "a.json"

    def none(*_: object) -> None:
        if there:
            file.write_bytes(b"theirs")  # another process was faster
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    atomic_write(file, b"ours", overwrite=False)

    assert files(tmp_path) == ["a.json"]
    assert file.read_bytes() == (b"theirs" if there else b"ours")


def test_what_is_written_over_is_whole_at_every_moment(tmp_path: Path) -> None:
    """The old file stands until the new one takes its place: a reader that has it open goes on reading it."""
    file = tmp_path / "a.json"
    atomic_write(file, b"old")
    with file.open("rb") as held:
        atomic_write(file, b"new")

        assert held.read() == b"old"
    assert file.read_bytes() == b"new"


_KILLED = """
import os, signal, sys
from datetime import datetime, UTC
from reseat.model import ClusterLayout, Snapshot
from reseat.sources import landing

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, sys.argv[1], killed)
layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]})
landing.land(Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "admin"), sys.argv[2], "shop")
"""


@pytest.mark.parametrize("moment", ["fsync", "link"])
def test_killed_in_the_middle_nothing_shows(moment: str, tmp_path: Path) -> None:
    """Killed with -9 while the bytes are written and before the file has its name: no file that a reader would take.

    What is left is hidden, and the next delivery lands as if nothing had been.
    """
    done = subprocess.run([sys.executable, "-c", _KILLED, moment, str(tmp_path)], cwd=ROOT, check=False)
    left = files(tmp_path)
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]})
    file = land(Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "admin"), tmp_path, "shop")

    assert done.returncode == -signal.SIGKILL
    assert len(left) == 1
    assert Path(left[0]).name.startswith(".")
    assert left[0].endswith(".part")
    assert list(tmp_path.glob("cluster=*/*.json")) == [Path(file.where)]
    assert read_snapshot(Path(file.where).read_bytes()).layout == layout


def test_what_dead_writers_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    """An hour after the last byte; what is younger may have a writer, and what has its name is a snapshot."""
    file = land(SMALL, tmp_path, "shop")
    home = tmp_path / "cluster=shop"
    for name in (".a.json.7-ab.part", ".young.json.8-cd.part", "told.part", ".hidden.json"):
        (home / name).write_text("half")
    hour_ago = (NOON - timedelta(hours=1, seconds=1)).timestamp()
    for name in (".a.json.7-ab.part", "told.part", ".hidden.json", Path(file.path).name):
        os.utime(home / name, (hour_ago, hour_ago))
    os.utime(home / ".young.json.8-cd.part", (NOON.timestamp() - 3500,) * 2)
    listed = [one.path for piece in landed_pieces(Folder.open(tmp_path), now=NOON) for one in piece]

    assert listed == [file.path, "cluster=shop/told.part"]
    assert {path.name for path in home.iterdir()} == {
        ".hidden.json",
        ".young.json.8-cd.part",
        "told.part",
        Path(file.path).name,
    }
    assert list(landed_pieces(Folder.open(tmp_path / "nowhere"))) == []


def test_a_snapshot_of_the_future_waits_for_its_time_and_is_named(tmp_path: Path) -> None:
    """A machine whose clock is years ahead landed it: it would be the latest until then; hours ahead it is taken."""
    zone, closed = Folder.open(tmp_path), dict[str, str]()
    soon, late = (
        land(replace(SMALL, taken_at=NOON + ahead), zone, cluster="shop").path
        for ahead in (timedelta(hours=23), timedelta(days=400))
    )

    def listed(now: datetime) -> list[str]:
        return [one.path for piece in landed_pieces(zone, closed=closed, now=now) for one in piece]

    assert listed(NOON) == [soon]
    assert closed == {late: "its time is yet to come by this machine's clock: it waits"}
    closed.clear()
    assert listed(NOON + timedelta(days=400)) == [soon, late]
    assert closed == {}


def test_a_landing_zone_that_may_only_be_read_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be swept is in nobody's way."""
    (tmp_path / "cluster=shop").mkdir()
    (tmp_path / "cluster=shop" / ".a.json.7-ab.part").write_text("half")

    def forbidden(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", forbidden)
    listed = list(landed_pieces(Folder.open(tmp_path), now=datetime.now(UTC) + timedelta(hours=2)))

    assert listed == []
    assert files(tmp_path) == ["cluster=shop/.a.json.7-ab.part"]


@pytest.mark.parametrize("put_is_whole", [True, False])
def test_an_object_store_and_hdfs_have_the_same_promises(put_is_whole: bool, tmp_path: Path) -> None:
    """Whole, once, never overwritten, and by the same path as on this machine."""
    zone = elsewhere(tmp_path / "far", put_is_whole=put_is_whole)
    here = land(SMALL, tmp_path / "zone", "shop")
    first = land(SMALL, zone, "shop")
    again = land(replace(SMALL, findings=(Finding("k", Severity.NOTE, "Seen."),)), zone, "shop")

    assert first.path == again.path == here.path
    assert (first.new, again.new) == (True, False)
    assert first.where == f"{'s3' if put_is_whole else 'hdfs'}://bucket/tables/{here.path}"
    assert [one.path for one in zone.files(hidden=True)] == [here.path]
    assert zone.read(here.path) == Path(here.where).read_bytes()


def test_a_writer_that_dies_on_hdfs_leaves_what_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the file has its name nothing shows; the next delivery lands as if nothing had been."""
    zone = elsewhere(tmp_path, put_is_whole=False)

    def lost(*_: object) -> None:
        raise OSError(errno.EPIPE, "Connection lost")

    with monkeypatch.context() as broken:
        broken.setattr("tests.history.elsewhere._Hdfs.move", lost)
        with pytest.raises(InputRefused, match="Connection lost"):
            land(SMALL, zone, "shop")
    left = [one.path for one in zone.files(hidden=True)]

    assert zone.files() == []
    assert len(left) == 1
    assert list(landed_pieces(zone)) == []
    assert [one.path for one in zone.files(hidden=True)] == left
    assert list(landed_pieces(zone, now=datetime.now(UTC) + timedelta(hours=2))) == []
    assert zone.files(hidden=True) == []
    assert land(SMALL, zone, "shop").new


def test_a_snapshot_too_large_to_be_read_again_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline would only reject it."""
    monkeypatch.setattr("reseat.sources.landing.LIMITS", Limits(megabytes=0))
    with pytest.raises(LimitMet, match="it is not saved"):
        land(SMALL, tmp_path / "zone", "shop")
    assert files(tmp_path) == []


_RACE = """
import sys
from datetime import datetime, UTC
from reseat.model import ClusterLayout, Snapshot
from reseat.sources import landing

sys.stdin.read()
layout = ClusterLayout.from_assignments({("orders", p): [1, 2] for p in range(2000)})
for minute in range(40):
    landing.land(Snapshot(layout, datetime(2026, 5, 1, 0, minute, tzinfo=UTC), "admin"), sys.argv[1], "shop")
"""


def test_two_who_land_the_same_at_once_leave_one_whole_file_each(tmp_path: Path) -> None:
    """And a reader who looks all the while never sees a part of one."""
    both = [
        subprocess.Popen([sys.executable, "-c", _RACE, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE)
        for _ in range(2)
    ]
    for one in both:
        assert one.stdin is not None
        one.stdin.close()
    seen = 0
    while any(one.poll() is None for one in both):
        for file in tmp_path.glob("cluster=*/[!.]*"):
            read_snapshot(file.read_bytes())
            seen += 1

    assert [one.wait() for one in both] == [0, 0]
    assert seen
    assert len(files(tmp_path)) == 40
    assert all(name.endswith(".json") for name in files(tmp_path))
