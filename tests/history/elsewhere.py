"""A folder that is not this machine's, for tests without a server: what is done to it goes through ``pyarrow.fs``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyarrow import fs

from reseat.atomic_write import atomic_write
from reseat.history.folder import Folder
from reseat.history.opening import Place

__all__ = ["elsewhere"]

_ROOT = "bucket/tables"


class _ObjectStore(fs.FileSystemHandler):
    """A local folder as an object store has it: no folder must be made before a file is put into it."""

    def __init__(self, home: Path) -> None:
        self._place = home
        self._home = fs.SubTreeFileSystem(str(home), fs.LocalFileSystem())

    def put(self, path: str, data: bytes, new: bool) -> bool:
        """A put, on condition that there is no object of that path if it is to be new."""
        path = f"{_ROOT}/{path}"
        self._make_room(path)
        return atomic_write(self._place / path, data, overwrite=not new)

    def get_type_name(self) -> str:
        return "object store"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> Any:
        return self._home.get_file_info(paths)

    def get_file_info_selector(self, selector: Any) -> Any:
        return self._home.get_file_info(selector)

    def create_dir(self, path: str, recursive: bool) -> None:
        self._home.create_dir(path, recursive=recursive)

    def delete_dir(self, path: str) -> None:
        self._home.delete_dir(path)

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> None:
        self._home.delete_dir_contents(path, missing_dir_ok=missing_dir_ok)

    def delete_root_dir_contents(self) -> None:
        self._home.delete_dir_contents("", accept_root_dir=True)

    def delete_file(self, path: str) -> None:
        self._home.delete_file(path)

    def move(self, src: str, dest: str) -> None:
        self._make_room(dest)
        self._home.move(src, dest)

    def copy_file(self, src: str, dest: str) -> None:
        self._make_room(dest)
        self._home.copy_file(src, dest)

    def open_input_stream(self, path: str) -> Any:
        return self._home.open_input_stream(path, compression=None)

    def open_input_file(self, path: str) -> Any:
        return self._home.open_input_file(path)

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        self._make_room(path)
        return self._home.open_output_stream(path, compression=None)

    def open_append_stream(self, path: str, metadata: Any) -> Any:
        raise NotImplementedError

    def _make_room(self, path: str) -> None:
        self._home.create_dir(path.rpartition("/")[0], recursive=True)


class _Hdfs(_ObjectStore):
    """A local folder as HDFS has it: folders are made first, and a rename replaces nothing."""

    def move(self, src: str, dest: str) -> None:
        if (self._place / dest).exists():
            raise OSError(f"Rename to {dest} failed")
        self._home.move(src, dest)

    def _make_room(self, path: str) -> None:
        pass


def elsewhere(home: Path, *, put_is_whole: bool = True) -> Folder:
    """A folder over ``home`` whose files are reached through ``pyarrow.fs`` alone.

    Args:
        home: where the files really lie; made where it does not exist.
        put_is_whole: as an object store has it; False: as HDFS has it.
    """
    (home / _ROOT).mkdir(parents=True, exist_ok=True)
    if put_is_whole:
        store = _ObjectStore(home)
        place = Place("s3", _ROOT, f"s3a://{_ROOT}", fs.PyFileSystem(store), store.put)
    else:
        place = Place("hdfs", _ROOT, f"hdfs://{_ROOT}", fs.PyFileSystem(_Hdfs(home)))
    return Folder(place.url.replace("s3a", "s3"), place.fs, place)
