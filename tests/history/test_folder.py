"""A folder on any file system: what is listed, written whole, moved, and what is refused."""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import FileInfo, FileType

from reseat.atomic_write import atomic_write
from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.listing import FileFact
from reseat.history.opening import delta_options, spark_settings
from reseat.history.places import default_landing, default_tables
from reseat.pipeline.spark.settings import for_command_line
from tests.history.elsewhere import elsewhere

_WAYS: dict[str, Callable[[Path], Folder]] = {
    "local": Folder.open,
    "object store": elsewhere,
    "hdfs": lambda home: elsewhere(home, put_is_whole=False),
}


@pytest.mark.slow
def test_what_hdfs_refuses_is_one_sentence(hdfs: str) -> None:
    """Its servers tell faults with a trace of Java's calls, the client some of them as Rust writes them down."""
    folder = Folder.open(f"{hdfs}/refused")
    folder.write("a", b"1")
    said = []
    for refused in (
        lambda: folder.write("a/b", b"1"),
        lambda: folder.write("c" * 300, b"1"),
        lambda: folder.read("none"),
        lambda: Folder.open("hdfs://127.0.0.1:1/x").folders(),
    ):
        with pytest.raises(InputRefused) as told:
            refused()
        said.append(str(told.value).rpartition("cannot be ")[2])
    assert [one[:60] for one in said] == [
        "written: /refused/a (is not a directory).",
        f"written: The maximum path component name limit of {'c' * 300}"[:60],
        "read: No such file or directory.",
        "listed: Connection refused (os error 111).",
    ]


@pytest.fixture(
    params=[*_WAYS, *(pytest.param(one, marks=pytest.mark.slow) for one in ("a real hdfs", "service", "azure"))]
)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """A folder of each kind."""
    if request.param in _WAYS:
        return _WAYS[request.param](tmp_path / "a folder")
    root = request.getfixturevalue(request.param.removeprefix("a real "))
    return Folder.open(f"{getattr(root, 'url', root)}/{tmp_path.name}/a folder; one")


def names(folder: Folder, under: str = "", **how: object) -> list[str]:
    """The paths of a listing."""
    return [one.path for one in folder.files(under, **how)]  # type: ignore[arg-type]


def test_what_is_prepared_stands_there(folder: Folder) -> None:
    """In the folder itself, wherever it is, also where nothing was before."""
    folder.prepare("table/day/a.parquet", b"rows")
    folder.settle(["table/day/a.parquet"])

    assert folder.load("table/day/a.parquet") == b"rows"


def test_files_are_listed_at_any_depth_in_order(folder: Folder) -> None:
    """Paths are relative to the folder, also where only a part of it is listed."""
    for path in ("b/2.json", "a/x/1.json", "a/0.txt"):
        folder.write(path, b"12")

    assert names(folder) == ["a/0.txt", "a/x/1.json", "b/2.json"]
    assert names(folder, "a") == ["a/0.txt", "a/x/1.json"]
    assert names(folder, "a", suffix=".json") == ["a/x/1.json"]
    assert names(folder, "nothing/here") == []
    assert folder.folders() == ["a", "b"]
    assert folder.folders("nothing/here") == []
    assert {one.size for one in folder.files()} == {2}
    assert all(one.modified_ns > 1.7e18 for one in folder.files())


def test_what_is_settled_is_forced_to_this_disk_and_left_to_a_service_elsewhere(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file and folder that is named, and nothing where no machine's disk is asked."""
    forced = set[tuple[int, int]]()
    monkeypatch.setattr(os, "fsync", lambda file: forced.add((os.fstat(file).st_dev, os.fstat(file).st_ino)))
    for path in ("a/1", "a/2", "b/3"):
        folder.write(path, b"12")
    forced.clear()
    folder.settle(["a/1", "b", "b/3"])
    here = [Path(folder.path(path)).stat() for path in ("a/1", "b", "b/3")] if folder.local is not None else []

    assert forced == {(one.st_dev, one.st_ino) for one in here}


def test_what_cannot_be_listed_keeps_nothing_else_back_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closed folder below is told with its reason, or refuses the listing; the folder itself always does."""
    for name in ("a/one", "b/two", "c/three"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"x")
    scandir, shut = os.scandir, str(tmp_path / "b")

    def guarded(where: str) -> Any:
        if where == shut:
            raise PermissionError(errno.EACCES, "Permission denied", where)
        return scandir(where)

    monkeypatch.setattr(os, "scandir", guarded)
    folder, closed = Folder.open(tmp_path), dict[str, str]()

    assert [one.path for piece in folder.pieces(closed=closed) for one in piece] == ["a/one", "c/three"]
    assert closed == {"b": "Permission denied"}
    for refused in (folder.files, lambda: list(folder.pieces()), lambda: list(folder.pieces("b", closed=closed))):
        with pytest.raises(InputRefused, match="This cannot be listed: Permission denied"):
            refused()


def test_pieces_are_the_listing_and_hold_whole_folders(folder: Folder) -> None:
    """In its order, with the few at the top first; a piece ends once it has enough."""
    for path in ("top", "a/1", "a/x/2", "a-b/3", "b/4", "b/5", "b/6", "c/.7.part", "c/_not/8", "_no/9"):
        folder.write(path, b"")

    def pieces(**how: Any) -> list[list[str]]:
        return [[one.path for one in piece] for piece in folder.pieces(**how)]

    assert pieces() == [["top", "a-b/3", "a/1", "a/x/2", "b/4", "b/5", "b/6"]]
    assert pieces(most=2) == [["top", "a-b/3"], ["a/1", "a/x/2"], ["b/4", "b/5", "b/6"]]
    assert pieces(under="a") == [["a/1", "a/x/2"]]
    assert pieces(under="nothing") == []
    assert pieces(under="c", hidden="files") == [["c/.7.part"]]
    assert pieces(under="c", hidden="all") == [["c/.7.part", "c/_not/8"]]
    assert sorted(path for piece in pieces(hidden="all") for path in piece) == names(folder, hidden=True)


def test_over_a_network_many_are_asked_at_once_and_here_one_after_the_other(tmp_path: Path) -> None:
    """In their order; a folder of this machine is not listed before the piece before it was taken."""
    both = threading.Barrier(2)

    def ask(item: int) -> tuple[int, bool]:
        both.wait(10)
        return item, threading.current_thread() is threading.main_thread()

    assert elsewhere(tmp_path / "there").each(ask, [1, 2]) == [(1, False), (2, False)]
    here = Folder.open(tmp_path / "here")
    assert here.each(lambda _: threading.current_thread() is threading.main_thread(), [1]) == [True]
    for path in ("a/1", "b/2", "c/3"):
        here.write(path, b"")
    pieces = here.pieces(most=1)
    first = next(pieces)
    here.delete("b/2")
    assert [[one.path for one in piece] for piece in (first, *pieces)] == [["a/1"], ["c/3"]]


class Guarded:
    """A file system that does not let anybody look into the folder ``b``."""

    def __init__(self, fs: Any) -> None:
        self.fs = fs

    def get_file_info(self, chosen: Any) -> Any:
        """As the file system tells it, elsewhere."""
        if chosen.base_dir.endswith("/b"):
            raise OSError("AWS Error ACCESS_DENIED: no")
        return self.fs.get_file_info(chosen)


def test_a_folder_closed_in_an_object_store_keeps_no_other_back(tmp_path: Path) -> None:
    """Also where a whole service refuses one prefix."""
    folder, closed = elsewhere(tmp_path), dict[str, str]()
    for path in ("a/1", "b/2", "c/3"):
        folder.write(path, b"")
    folder = replace(folder, fs=Guarded(folder.fs))

    assert [one.path for piece in folder.pieces(closed=closed) for one in piece] == ["a/1", "c/3"]
    assert closed == {"b": "AWS Error ACCESS_DENIED: no"}
    with pytest.raises(InputRefused, match="ACCESS_DENIED"):
        list(folder.pieces())


class Timeless:
    """A file system that does not tell when a file was written."""

    def get_file_info(self, chosen: Any) -> Any:
        """One file, of three bytes."""
        return [FileInfo(f"{chosen.base_dir}/1", FileType.File, size=3)]


def test_a_file_whose_time_is_not_told_is_listed(tmp_path: Path) -> None:
    """Its time is 0."""
    folder = replace(elsewhere(tmp_path), fs=Timeless())

    assert list(folder.files()) == [FileFact("1", 3, 0)]


def test_hidden_files_and_folders_are_left_out_unless_asked_for(folder: Folder) -> None:
    """What begins with a dot or an underscore is no data; the path asked for may itself be hidden."""
    for path in ("a/1", "a/_SUCCESS", "a/.1.crc", "_reseat/ledger/2", "_reseat/ledger/_temporary/0/3"):
        folder.write(path, b"")

    assert names(folder) == ["a/1"]
    assert names(folder, "_reseat/ledger") == ["_reseat/ledger/2"]
    assert folder.folders() == ["a"]
    assert len(names(folder, hidden=True)) == 5


def test_what_is_written_is_read_and_stays_where_it_may_not_be_replaced(folder: Folder) -> None:
    """Writing replaces a file, creating leaves it and says so; no hidden file is left behind."""
    folder.write("a/b/c", b"old")
    folder.write("a/b/c", b"new")
    assert not folder.create("a/b/c", b"never")
    assert folder.create("a/b/d", b"first")

    assert folder.read("a/b/c") == b"new"
    assert folder.read("a/b/d") == b"first"
    assert names(folder, hidden=True) == ["a/b/c", "a/b/d"]
    assert (folder.exists("a/b/c"), folder.exists("a/b"), folder.exists("a/c")) == (True, True, False)


def test_compressed_files_are_read_as_they_are(folder: Folder) -> None:
    """A name that ends in .gz is no reason to unpack."""
    folder.write("a.json.gz", b"\x1f\x8b not gzip")

    assert folder.read("a.json.gz") == b"\x1f\x8b not gzip"


def test_moving_replaces_and_makes_folders(tmp_path: Path) -> None:
    """A move gives a file of this disk its new path, whatever stood there."""
    folder = Folder.open(tmp_path)
    folder.write("a/1", b"one")
    folder.prepare("b/2", b"two")
    folder.move("a/1", "b/2")
    folder.move("b/2", "quite/new/folders/3")

    assert names(folder) == ["quite/new/folders/3"]
    assert folder.read("quite/new/folders/3") == b"one"
    with pytest.raises(InputRefused, match=r"cannot be moved: (?!File exists)"):
        folder.move("a/1", "b/2")


def test_deleting_what_is_not_there_is_no_trouble(folder: Folder) -> None:
    """Files, whole folders and, on this disk, empty folders go; the folder itself is never deleted."""
    for path in ("a/1", "a/2", "b/c/3"):
        folder.write(path, b"")
    folder.delete("a/1")
    folder.delete("a/1")

    if folder.local is not None:
        assert not folder.delete_empty("a")
    folder.delete("a/2")
    if folder.local is not None:
        assert folder.delete_empty("a")
        assert folder.delete_empty("a")
    folder.delete_folder("b")
    folder.delete_folder("b")
    assert names(folder, hidden=True) == []
    assert not folder.exists("b")
    with pytest.raises(InputRefused, match="not the whole folder"):
        folder.delete_folder("")


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "a/\0b"])
def test_no_path_leads_out_of_the_folder(path: str, folder: Folder) -> None:
    """Whatever is asked of it."""
    for ask in (folder.read, folder.files, folder.exists, folder.delete, folder.delete_folder, folder.spark_url):
        with pytest.raises(InputRefused, match="points outside the folder"):
            ask(path)
    with pytest.raises(InputRefused, match="points outside the folder"):
        folder.write(path, b"")


def test_a_fault_names_the_place(folder: Folder) -> None:
    """Reading what is not there says what, and where."""
    with pytest.raises(InputRefused, match=r"cannot be read") as refused:
        folder.read("cluster=a/none.json")

    assert refused.value.source == f"{folder.where}/cluster=a/none.json"


def test_a_dataset_keeps_clusters_of_digits_as_text(folder: Folder) -> None:
    """Cluster 007 is not 7; other files of the folder are no part of it, and no file at all gives no row."""
    schema = pa.schema([("cluster", pa.string()), ("day", pa.string()), ("broker", pa.int32())])
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"broker": pa.array([1, 2], pa.int32())}), out)
    folder.write("brokers/cluster=007/day=2026-05-01/x.parquet", out.getvalue().to_pybytes())
    folder.write("brokers/cluster=007/day=2026-05-01/_torn.parquet", b"PAR1")

    rows = folder.open_dataset("brokers", schema=schema).to_table()
    assert rows.to_pylist() == [
        {"cluster": "007", "day": "2026-05-01", "broker": 1},
        {"cluster": "007", "day": "2026-05-01", "broker": 2},
    ]
    assert folder.open_dataset("none", schema=schema).to_table().num_rows == 0
    assert folder.open_dataset([], schema=schema).schema == schema


def test_spark_calls_places_by_its_own_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Local paths as file URLs, unescaped as Hadoop has them; S3 as s3a."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    assert Folder.open("a b").spark_url("c") == f"file://{tmp_path}/a b/c"
    assert Folder.open(f"file://{tmp_path}/a%20b/").spark_url() == f"file://{tmp_path}/a b"
    assert Folder.open("s3://bucket/tables/").spark_url("x") == "s3a://bucket/tables/x"
    assert Folder.open("s3a://bucket").spark_url("x") == "s3a://bucket/x"
    assert Folder.open("s3://bucket/tables").path("x") == "bucket/tables/x"
    assert Folder.open("file:///").path("x") == "/x"
    assert [one.path for one in Folder.open("file:///").files("proc/self/fdinfo")] != []


_SECRET = "wJalrXUtnFEMI"


@pytest.mark.parametrize(
    "where",
    [
        f"s3://AKIA:{_SECRET}@bucket/x",
        f"s3://AKIA:{_SECRET}/more@bucket/x",
        f"s3://{_SECRET}@bucket",
        f"s3://bucket/x?secret_key={_SECRET}",
        f"hdfs://user:{_SECRET}@host:8020/x",
        f"hdfs://user:{_SECRET}/x@host:8020/x",
        f"abfss://container:{_SECRET}@account.dfs.core.windows.net/x",
        f"abfss://container@account.dfs.core.windows.net/x?sig={_SECRET}",
        f"file://user:{_SECRET}@localhost/x",
    ],
)
def test_credentials_in_a_url_are_refused_and_never_repeated(where: str) -> None:
    """They belong in the environment; the refusal says so without them."""
    with pytest.raises(InputRefused, match="environment") as refused:
        Folder.open(where)

    assert _SECRET not in str(refused.value)
    assert _SECRET not in repr(refused.value)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("", "A folder was expected"),
        ("a\nb", "A folder was expected"),
        ("ftp://host/x", "ftp:// is not supported"),
        ("s3:///x", "names no bucket"),
        ("hdfs:///x", "names no server"),
        ("abfss://account.dfs.core.windows.net/x", "CONTAINER@ACCOUNT"),
        ("s3://bucket/../x", "'..' in it"),
        ("file://elsewhere/x", "of this machine"),
        ("file:/srv/tables", "two slashes after file:, as in file:///srv/reseat/tables"),
        ("S3:/bucket/tables", "two slashes after s3:"),
        ("hdfs:nameservice/tables", "two slashes after hdfs:"),
        ("hdfs://host:70000/tables", "hdfs://host:70000 cannot be used: .*Port"),
        ("~no-such-account/tables", "~no-such-account is not an account"),
        ("/srv/na\udcffme", r"/srv/na\\xffme is not UTF-8"),
    ],
)
def test_what_is_no_place_is_refused_in_words(where: str, words: str) -> None:
    """With what was expected."""
    with pytest.raises(InputRefused, match=words):
        Folder.open(where)


def test_an_s3_service_of_ones_own_is_told_to_spark_too() -> None:
    """The endpoint of the environment, without keys; Amazon's needs nothing said."""
    told = spark_settings({"AWS_ENDPOINT_URL": "http://amazon.example", "AWS_ENDPOINT_URL_S3": "https://minio:9000"})

    assert told["spark.hadoop.fs.s3a.endpoint"] == "https://minio:9000"
    assert told["spark.hadoop.fs.s3a.connection.ssl.enabled"] == "true"
    assert spark_settings({}) == {}
    for bad in ("minio:9000", "http://me:secret@minio:9000"):
        with pytest.raises(InputRefused, match="AWS_ENDPOINT_URL names no service") as refused:
            spark_settings({"AWS_ENDPOINT_URL": bad})
        assert "secret" not in str(refused.value)


def test_azures_key_and_a_service_of_ones_own_are_told_to_all_that_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """To Spark by its settings, to the library for Delta by an option; without TLS only where the service has none."""
    where = "abfss://lake@account.dfs.core.windows.net/tables"
    keys = {
        "AZURE_STORAGE_ACCOUNT_KEY": b64encode(b"k" * 64).decode(),
        "AZURE_STORAGE_ENDPOINT": "http://azure:10000/account",
    }
    for name in keys:
        monkeypatch.delenv(name, raising=False)  # a service that other tests of the session have tells its own
    azure = Folder.open(where)
    assert azure.spark_url("replicas") == f"{where}/replicas"
    assert delta_options(azure.place, {})["allow_http"] == "false"
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    own = Folder.open(where)
    assert own.path("x") == azure.path("x") == "lake/tables/x"
    assert own.spark_url("replicas") == f"{where.replace('abfss', 'abfs')}/replicas"
    assert delta_options(own.place, keys)["allow_http"] == "true"
    told = spark_settings(keys)
    assert told.pop("spark.hadoop.fs.azure.account.key") == keys["AZURE_STORAGE_ACCOUNT_KEY"]
    assert told.pop("spark.hadoop.fs.azure.abfs.endpoint") == "azure:10000"
    assert told.pop("spark.hadoop.fs.azure.always.use.https") == "false"
    assert set(told) == {"spark.hadoop.fs.azure.networking.library"}
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", _SECRET)
    with pytest.raises(InputRefused, match="base64 was expected") as refused:
        Folder.open(where)
    assert _SECRET not in str(refused.value)
    assert for_command_line(spark_settings(keys)).keys().isdisjoint({"spark.hadoop.fs.azure.account.key"})


def test_what_is_no_file_is_left_out_and_told_where_that_is_asked_for(tmp_path: Path) -> None:
    """A loop of links ends, a link out of the folder shows nothing of what is there, and nobody waits for a pipe."""
    folder = Folder.open(tmp_path)
    folder.write("a/1", b"")
    for name, to in {"loop": "..", "gone": "nothing", "itself": "itself", "passwd": "/etc/passwd", "one": "1"}.items():
        (tmp_path / "a" / name).symlink_to(to)
    os.mkfifo(tmp_path / "a" / "pipe")
    os.mkfifo(tmp_path / "a" / ".hidden")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "a" / "socket"))
        closed: dict[str, str] = {}

        assert names(folder) == ["a/1"]
        assert [one.path for piece in folder.pieces(closed=closed) for one in piece] == ["a/1"]
    link = "a link, which is not followed"
    assert closed == {f"a/{name}": link for name in ("loop", "gone", "itself", "passwd", "one")} | {
        "a/pipe": "a pipe, not a file",
        "a/socket": "a socket, not a file",
    }


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is told in words, and the old file stands."""
    folder = Folder.open(tmp_path)
    folder.write("a/1", b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputRefused, match="No space left on device"):
        folder.write("a/1", b"new")

    assert names(folder, hidden=True) == ["a/1"]
    assert folder.read("a/1") == b"old"


def test_a_new_file_has_the_rights_that_any_has_here(tmp_path: Path) -> None:
    """Another account's pipeline may have to read it; its name may be as long as a name can be."""
    file = tmp_path / ("\N{SNOWMAN}" * 85)
    before = os.umask(0o026)
    try:
        assert atomic_write(file, b"1")
    finally:
        os.umask(before)

    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_where_no_hard_links_are_a_file_is_made_only_once_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on many a network share."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    folder = Folder.open(tmp_path)

    assert folder.create("a", b"first")
    assert not folder.create("a", b"second")
    assert folder.read("a") == b"first"
    assert names(folder, hidden=True) == ["a"]


def test_default_places_follow_the_environment() -> None:
    """What is told, else where the account keeps its data."""
    assert default_landing({"RESEAT_LANDING": "s3://b/l"}) == "s3://b/l"
    assert default_tables({"RESEAT_TABLES": "/srv/t"}) == "/srv/t"
    assert default_tables({"XDG_DATA_HOME": "/data"}) == "/data/reseat/tables"
    assert default_landing({"HOME": "/home/me"}) == "/home/me/.local/share/reseat/landing"
    assert default_landing({"HOME": "/home/me", "XDG_DATA_HOME": "relative"}).startswith("/home/me/.local")


def test_a_path_is_the_same_however_it_is_written(folder: Folder) -> None:
    """Empty parts and dots are none."""
    assert folder.create("a//b/./c.json", b"1")
    assert not folder.create("a/b/c.json", b"2")

    assert names(folder) == ["a/b/c.json"]
    assert folder.read("./a/b//c.json") == b"1"
    assert folder.path("./a/b//c.json") == folder.path("a/b/c.json")


def test_a_folder_shows_where_it_is_and_nothing_else(folder: Folder) -> None:
    """Whatever credentials its file system has."""
    assert repr(folder) == f"{type(folder).__name__}(where={folder.where!r})"


def test_a_file_that_could_not_be_moved_into_its_place_is_not_said_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the service moves nothing, and nobody else wrote it either."""
    folder = elsewhere(tmp_path / "a folder", put_is_whole=False)

    def refuse(handler: object, source: str, target: str) -> None:
        raise OSError("the service is down")

    monkeypatch.setattr(type(folder.fs.handler), "move", refuse)

    with pytest.raises(InputRefused, match="cannot be written"):
        folder.create("a.json", b"1")
    assert names(folder) == []
