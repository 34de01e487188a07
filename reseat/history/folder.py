"""One folder on any file system: this machine's, S3, HDFS or ABFS. The landing zone is one, the tables are one.

What it promises, in this order:

1. A file that is written becomes visible only when it is whole.
2. No path given leads out of the folder.
3. No credential stands in a URL, and none is ever repeated: S3's and Azure's come from the environment.
4. Listing 100,000 local files takes a second.

Paths are relative to the folder and have ``/`` between their parts. Names that begin with ``.`` or ``_`` are hidden,
as all readers of Parquet data sets have it: files that are being written, marks of Spark, the pipeline's own.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from reseat.atomic_write import atomic_write, sync_to_disk
from reseat.errors import InputRefused
from reseat.existing import exists, may_exist
from reseat.history.listing import Closed, FileFact, Hidden, hides, is_listed, level, scan
from reseat.history.opening import Place, open_place
from reseat.history.schema import PARTITION_KEYS
from reseat.model.wording import reason_of, visible

__all__ = ["FileFact", "Folder", "atomic_write"]

#: Files forced to disk, or folders asked for over a network, at once.
_AT_ONCE = 16
_In = TypeVar("_In")
_Out = TypeVar("_Out")


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder on any file system; made by :meth:`open`.

    Attributes:
        where: the path or URL as it was given.
        fs: the ``pyarrow.fs.FileSystem`` that it lies on.
        place: where on that, and how Spark calls it.
    """

    where: str
    fs: Any = field(repr=False)
    place: Place = field(repr=False)

    @classmethod
    def open(cls, where: str | Path) -> Folder:
        """A folder, which need not exist yet.

        Args:
            where: a path of this machine, or a ``file://``, ``s3://`` (also ``s3a://``), ``hdfs://`` or ``abfss://``
                URL. An S3 service of one's own is named by ``AWS_ENDPOINT_URL_S3`` or ``AWS_ENDPOINT_URL``.

        Raises:
            InputRefused: it is no place, its kind is not known, it holds credentials, or its service cannot be used.
        """
        place = open_place(str(where))
        return cls(str(where), place.fs, place)

    @property
    def local(self) -> Path | None:
        """The folder as a path of this machine; None where it lies elsewhere."""
        return Path(self.place.root) if self.place.scheme == "file" else None

    def path(self, relative: str = "") -> str:
        """A path of the folder as :attr:`fs` calls it.

        Raises:
            InputRefused: it leads out of the folder.
        """
        return f"{self.place.root.rstrip('/')}/{_inside(relative)}" if relative else self.place.root

    def spark_url(self, relative: str = "") -> str:
        """A path of the folder as Spark calls it: ``file:///…``, ``s3a://…``, ``hdfs://…``, ``abfss://…``.

        Raises:
            InputRefused: it leads out of the folder.
        """
        return f"{self.place.url.rstrip('/')}/{_inside(relative)}" if relative else self.place.url

    def files(self, under: str = "", suffix: str | None = None, *, hidden: bool = False) -> list[FileFact]:
        """All files under a path of the folder, at any depth, sorted by path.

        Args:
            under: the folder below which to look; where there is none, there are no files.
            suffix: only names that end so.
            hidden: also what begins with ``.`` or ``_``, below ``under``.

        Returns:
            Facts with paths relative to this folder (not to ``under``). Links to folders are not followed.

        Raises:
            InputRefused: it cannot be listed.
        """
        with self._told("listed", under):
            found = self._listed(under, "all" if hidden else "none", None)
            return sorted((one for one in found if suffix is None or one.path.endswith(suffix)), key=_path)

    def pieces(
        self, under: str = "", *, most: int = 100_000, hidden: Hidden = "none", closed: dict[str, str] | None = None
    ) -> Iterator[list[FileFact]]:
        """The same, some at a time: so that not all that is there is in memory at once.

        Args:
            under: the folder below which to look; where there is none, there are no files.
            most: files of a piece, beyond which no further folder is put into it.
            hidden: what is listed of that which is hidden.
            closed: is told why a folder below ``under`` cannot be listed, a file cannot be looked at, or something is
                no file (a link, a pipe), by its path; they are left out. None: what cannot be listed refuses it all.

        Yields:
            First the files directly in ``under``, then those of one folder in it after the other, by their paths;
            all files of such a folder are in one piece.

        Raises:
            InputRefused: it cannot be listed.
        """
        told: Closed = None if closed is None else lambda path, error: closed.update({path: reason_of(error)})

        def listed(name: str) -> list[FileFact]:
            inside = f"{_inside(under)}/{name}" if under else name
            try:
                return sorted(self._listed(inside, hidden, told), key=_path)
            except (OSError, pa.ArrowException) as error:
                if told is None:
                    raise
                told(inside, error)
                return []

        with self._told("listed", under):
            piece, names = self._level(under, hidden, told)
            piece.sort(key=_path)
            names.sort(key=lambda name: f"{name}/")
            at_once = _AT_ONCE if self.local is None else 1
            for start in range(0, len(names), at_once):
                for files in self.each(listed, names[start : start + at_once]):
                    piece += files
                    if len(piece) >= most:
                        yield piece
                        piece = []
        if piece:
            yield piece

    def each(self, do: Callable[[_In], _Out], items: Iterable[_In]) -> list[_Out]:
        """Ask something of the folder for each item, in their order; where that takes a request each, many at once.

        A request over a network takes some 30 ms of waiting; here one after the other is as fast.
        """
        if self.local is not None:
            return [do(one) for one in items]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(do, items))

    def folders(self, under: str = "") -> list[str]:
        """The names of the folders directly in a path of the folder, sorted; hidden ones left out.

        Raises:
            InputRefused: it cannot be listed.
        """
        with self._told("listed", under):
            return sorted(self._level(under, "none", None)[1])

    def exists(self, path: str = "") -> bool:
        """Whether there is a file or folder of this path.

        Raises:
            InputRefused: it cannot be told.
        """
        with self._told("looked at", path):
            if self.local is not None:
                return exists(self.path(path))
            return bool(self.fs.get_file_info(self.path(path)).type.name != "NotFound")

    def read(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            InputRefused: it is not there, or cannot be read.
        """
        with self._told("read", path):
            return self.load(path)

    def load(self, path: str) -> bytes:
        """The same, for who tells faults in words of their own.

        Raises:
            OSError: it is not there, or cannot be read.
        """
        if self.place.scheme == "file":
            with open(self.path(path), "rb") as file:  # noqa: PTH123 (a third of the time of a Path)
                return file.read()
        with self.fs.open_input_file(self.path(path)) as source:
            return bytes(source.read())

    def write(self, path: str, data: bytes) -> None:
        """Write a file, in place of one that is there, which becomes visible only when it is whole.

        Args:
            path: the file; folders on its way are made.
            data: its content.

        Raises:
            InputRefused: it cannot be written.
        """
        with self._told("written", path):
            if self.local is not None:
                atomic_write(self._made_room(path), data)
            elif self.place.put is not None:
                self.place.put(_inside(path), data, False)
            else:
                part = self._part(path, data)
                with suppress(FileNotFoundError):
                    self.fs.delete_file(self.path(path))  # HDFS renames onto no file that is there
                self.fs.move(part, self.path(path))

    def prepare(self, path: str, data: bytes) -> None:
        """Write a file that nobody looks for before ``settle``: until then a part of it may stand there.

        Raises:
            InputRefused: it cannot be written.
        """
        if self.local is None:
            self.write(path, data)
            return
        with self._told("written", path):
            self._made_room(path).write_bytes(data)

    def create(self, path: str, data: bytes) -> bool:
        """Write a file only where there is none of its path, and say whether that was done.

        Of many who try at once one is told True: by a hard link here, by a condition of the put on an object store, by
        a rename on HDFS.

        Args:
            path: the file; folders on its way are made.
            data: its content.

        Raises:
            InputRefused: it cannot be written, or it is not known whether it was (the service's answer was lost).
        """
        with self._told("written", path):
            if self.local is not None:
                return atomic_write(self._made_room(path), data, overwrite=False)
            if self.place.put is not None:
                return self.place.put(_inside(path), data, True)
            part = self._part(path, data)
            try:
                self.fs.move(part, self.path(path))  # HDFS renames onto no file that is there
            except OSError:
                if not self.exists(path):
                    raise
                self.fs.delete_file(part)
                return False
            return True

    def move(self, path: str, to: str) -> None:
        """Give a file of this machine's disk another path in the folder, in place of one that is there.

        Raises:
            InputRefused: it is not there, or cannot be moved.
        """
        with self._told("moved", path):
            source, target = Path(self.path(path)), Path(self.path(to))
            try:
                source.replace(target)
            except FileNotFoundError:
                target.parent.mkdir(parents=True, exist_ok=True)
                source.replace(target)

    def delete(self, path: str) -> None:
        """Delete a file; one that is not there is no trouble.

        Raises:
            InputRefused: it cannot be deleted.
        """
        with self._told("deleted", path), suppress(FileNotFoundError):
            if self.local is not None:
                Path(self.path(path)).unlink()
            else:
                self.fs.delete_file(self.path(path))

    def delete_folder(self, path: str) -> None:
        """Delete a folder with all that is in it; one that is not there is no trouble.

        Raises:
            InputRefused: it cannot be deleted, or it is this folder itself.
        """
        if not path:
            raise InputRefused("A folder in it was expected, not the whole folder.", source=self.where)
        with self._told("deleted", path), suppress(FileNotFoundError):
            if self.local is not None:
                shutil.rmtree(self.path(path))
            else:
                self.fs.delete_dir(self.path(path))

    def delete_empty(self, path: str) -> bool:
        """Delete a folder of this machine's disk if nothing is in it, and say whether it is gone.

        Raises:
            InputRefused: its path leads out of the folder.
        """
        folder = Path(self.path(path))
        with suppress(OSError):
            folder.rmdir()
        return not may_exist(folder)

    def settle(self, paths: Sequence[str]) -> None:
        """Force files or folders to disk, so that a machine that dies keeps them; elsewhere that is the service's.

        Raises:
            InputRefused: one is not there, or the disk refuses.
        """
        if self.local is not None and paths:
            # At once, so that the file system can force many with one write to its journal: a third of the time.
            with self._told("forced to disk", ""), ThreadPoolExecutor(_AT_ONCE) as pool:
                for _ in pool.map(lambda path: sync_to_disk(Path(self.path(path))), paths):
                    pass

    def open_dataset(self, under: str | Sequence[str], *, schema: pa.Schema, partitioned: bool = True) -> Any:
        """Parquet files as one ``pyarrow.dataset.Dataset``; nothing but its list of files is read.

        Args:
            under: the folder below which they lie, or the files themselves.
            schema: the columns, with ``cluster`` and ``day`` where partitioned: no file is opened to find them out.
            partitioned: whether they lie in folders ``cluster=…/day=…``; both are then text, also where they are made
                of digits.

        Raises:
            InputRefused: they cannot be listed.
        """
        from pyarrow import dataset

        paths = [one.path for one in self.files(under, ".parquet")] if isinstance(under, str) else list(under)
        if not paths:
            return dataset.dataset(schema.empty_table())
        keys = pa.schema([pa.field(key, pa.string()) for key in PARTITION_KEYS])
        return dataset.dataset(
            [self.path(one) for one in paths],
            schema=schema,
            format="parquet",
            filesystem=self.fs,
            partitioning=dataset.partitioning(keys, flavor="hive") if partitioned else None,
            partition_base_dir=self.path(),
        )

    def _infos(self, under: str, *, recursive: bool) -> list[Any]:
        from pyarrow import fs

        chosen = fs.FileSelector(self.path(under), recursive=recursive, allow_not_found=True)
        # An object store tells of folders by empty objects named like them; the folder is not in itself.
        return [one for one in self.fs.get_file_info(chosen) if one.path.rstrip("/") != chosen.base_dir.rstrip("/")]

    def _listed(self, under: str, hidden: Hidden, closed: Closed) -> Iterable[FileFact]:
        """The files below a path at any depth, in any order."""
        if self.local is not None:
            return scan(self.path(under), f"{_inside(under)}/" if under else "", hidden, closed)
        skip = len(_inside(under).split("/")) if under else 0
        files = [self._fact(one) for one in self._infos(under, recursive=True) if one.type.name == "File"]
        return [one for one in files if is_listed((parts := one.path.split("/"))[skip:-1], parts[-1], hidden)]

    def _level(self, under: str, hidden: Hidden, closed: Closed) -> tuple[list[FileFact], list[str]]:
        """The files directly in a path, and the names of the folders in it."""
        if self.local is not None:
            return level(self.path(under), f"{_inside(under)}/" if under else "", hidden, closed)
        infos = self._infos(under, recursive=False)
        files = [self._fact(one) for one in infos if one.type.name == "File"]
        names = [one.base_name for one in infos if one.type.name == "Directory"]
        return (
            [one for one in files if is_listed((), one.path.rpartition("/")[2], hidden)],
            [name for name in names if hidden == "all" or not hides(name)],
        )

    def _fact(self, info: Any) -> FileFact:
        relative = info.path[len(self.place.root.rstrip("/")) + 1 :]
        return FileFact(relative, info.size, int(info.mtime_ns or 0))

    def _made_room(self, path: str) -> Path:
        """A file of this machine, once there is a folder for it."""
        target = Path(self.path(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _part(self, path: str, data: bytes) -> str:
        """A whole file under a hidden name of its own beside a path, where a put is seen before it is whole."""
        parent = self.path(path).rpartition("/")[0]
        part = f"{parent}/.{secrets.token_hex()}.part"
        self.fs.create_dir(parent, recursive=True)
        with self.fs.open_output_stream(part, compression=None) as out:
            out.write(data)
        return part

    @contextmanager
    def _told(self, done: str, path: str) -> Iterator[None]:
        """Faults of a file system as one sentence with the place."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            place = f"{self.where.rstrip('/')}/{path}" if path else self.where
            raise InputRefused(f"This cannot be {done}: {reason_of(error)}.", source=place) from error


def _inside(relative: str) -> str:
    """A relative path without empty parts.

    Raises:
        InputRefused: it leads out of the folder.
    """
    parts = [part for part in relative.split("/") if part and part != "."]
    if relative.startswith("/") or ".." in parts or "\0" in relative:
        raise InputRefused(f"{visible(relative)!r} points outside the folder; a path in it was expected.")
    return "/".join(parts)


def _path(fact: FileFact) -> str:
    return fact.path
