"""Files that a command writes: none twice, none that it reads, none half."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from reseat.cli.inputs import STANDARD_INPUT
from reseat.cli.output.writer import write_text
from reseat.errors import InputRefused

__all__ = ["Written", "refuse_one_file_for_two", "write_all", "write_texts"]


@dataclass(frozen=True, slots=True)
class Written:
    """One file to write.

    Attributes:
        name: as the person named it.
        data: its bytes.
        secret: whether only its owner may read it.
        new: whether no file may be there yet.
    """

    name: str
    data: bytes
    secret: bool = False
    new: bool = False


def refuse_one_file_for_two(read: Iterable[str | None], written: Iterable[tuple[str, str | None]]) -> None:
    """Refuse where a file would be written over one that is read, or over another that is written.

    Args:
        read: names of files that are read; None and ``-`` are none.
        written: (option, name) of files that are written, likewise.

    Raises:
        InputRefused: one name stands for two files.
    """
    taken = {Path(os.path.realpath(name)): "read" for name in read if name not in (None, STANDARD_INPUT)}
    for option, name in written:
        if name is None or name == STANDARD_INPUT:
            continue
        if _is_written_to(Path(name)):
            continue  # it takes any number of texts
        path = Path(os.path.realpath(name))
        if path in taken:
            what = taken[path]
            raise InputRefused(f"--{option} names a file that is {what}; choose another.", source=name)
        taken[path] = f"written by --{option}"


def write_all(files: Sequence[Written]) -> None:
    """Write all files, or none where one cannot be: each is written beside its place, then all are put there.

    What goes to a device or to another program cannot be taken back: it does once all files stand beside theirs.

    Raises:
        InputRefused: one cannot be written.
    """
    with ExitStack() as kept:
        ready: list[tuple[Written, Path, Path]] = []
        for number, file in enumerate(sorted(files, key=lambda file: _is_written_to(Path(file.name)))):
            try:
                if _is_written_to(Path(file.name)):
                    if Path(file.name).is_dir():
                        raise InputRefused("This is a folder; a file was expected.", source=file.name)
                    Path(file.name).write_bytes(file.data)
                    continue
                place = Path(os.path.realpath(file.name))
                beside = place.with_name(f".{place.name[:200]}.{os.getpid()}-{number}")
                mode = 0o600 if file.secret else 0o666
                with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as open_file:
                    kept.callback(_forget, beside)
                    open_file.write(file.data)
                ready.append((file, beside, place))
            except OSError as error:
                raise InputRefused(
                    f"The file cannot be written: {error.strerror or error}.", source=file.name
                ) from error
        for file, beside, place in ready:
            try:
                if file.new:  # of two processes that make it at once, one does
                    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600))
                beside.replace(place)
            except OSError as error:
                raise InputRefused(
                    f"The file cannot be written: {error.strerror or error}.", source=file.name
                ) from error


def write_texts(texts: Iterable[tuple[str | None, str]]) -> None:
    """Write each text to the file that is named, if one is, as ``write_all``, and then that of ``-``."""
    named = [(name, text.removesuffix("\n") + "\n") for name, text in texts if name]
    write_all([Written(name, text.encode()) for name, text in named if name != STANDARD_INPUT])
    for name, text in named:
        if name == STANDARD_INPUT:
            write_text(text)


def _is_written_to(path: Path) -> bool:
    """Whether it is there and no file: a device, or a pipe, whose own name (``/dev/fd/63``) alone leads to it."""
    return path.exists() and not path.is_file()


def _forget(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
