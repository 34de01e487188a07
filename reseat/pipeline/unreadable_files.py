"""Landed files that never become rows through Spark: what is wrong with them is found out here, by the driver.

What it promises, ranked: (1) every listed file has one outcome, also one that Spark is not given (empty, larger than
any snapshot, of a name that is no text) or that it could not open; (2) a file that could not be opened is tried again
by the next run, as its rights may have been mended without a trace in its size or time; (3) a landing zone that Spark's
workers do not see is trouble of the whole run, and no reason to reject files.

Complexity: one short read of each such file; there are few.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from reseat.errors import InputRefused, SparkFailed
from reseat.formats.input.reading import LIMITS
from reseat.history.folder import FileFact, Folder
from reseat.history.schema import arrow_schema
from reseat.model.wording import counted, reason_of
from reseat.pipeline.decode import KEPT_BYTES, cluster_of_folder
from reseat.pipeline.ledger import name_of

__all__ = ["UnreadableFile", "not_for_spark", "refuse_unreadable", "rows_of"]


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A landed file that is rejected without Spark.

    Attributes:
        file: the file.
        reason: why, in one sentence.
        head: its first bytes, as far as they can be read.
        again: whether the next run tries it again.
    """

    file: FileFact
    reason: str
    head: bytes | None = None
    again: bool = False


def not_for_spark(landing: Folder, file: FileFact) -> UnreadableFile | None:
    """Why Spark is not given a file; None: it is."""
    most = LIMITS.bytes
    if name_of(file) != file.path:
        reason = "Its name is not UTF-8, so that Spark cannot open it; give it another one."
    elif file.size > most:
        reason = f"The file has {file.size / 1e6:,.0f} MB; {LIMITS.megabytes:,} MB is the limit of a snapshot."
    elif not file.size:
        reason = "The file is empty."
    else:
        return None
    try:
        return UnreadableFile(file, reason, _head(landing, file.path))
    except InputRefused:
        return UnreadableFile(file, reason)


def refuse_unreadable(landing: Folder, files: Iterable[FileFact]) -> list[UnreadableFile]:
    """Find out why Spark could not open some files.

    Args:
        landing: the landing zone.
        files: files that Spark was given and returned nothing of.

    Returns:
        Those that this process cannot read either. Files that are gone meanwhile are not among them.

    Raises:
        SparkFailed: there are files that this process can read and Spark cannot.
    """
    refused, readable = [], []
    for file in files:
        try:
            _head(landing, file.path)
        except InputRefused as error:
            if landing.exists(file.path):
                refused.append(UnreadableFile(file, error.sentence, again=True))
        else:
            readable.append(file.path)
    if readable:
        raise SparkFailed(
            f"Spark could not read {counted(len(readable), 'file')} of the landing zone that can be read here, such as "
            f"{readable[0]}. Do all its workers see {landing.where}, as the same user?"
        )
    return refused


def rows_of(files: Iterable[UnreadableFile]) -> pa.Table:
    """Their rows of ``rejected``."""
    told = [
        {
            "cluster": cluster_of_folder(name),
            "path": name,
            "reason": one.reason,
            "size_bytes": one.file.size,
            "bytes": one.head,
        }
        for one in files
        for name in [name_of(one.file)]
    ]
    return pa.Table.from_pylist(told, arrow_schema("rejected"))


def _head(landing: Folder, path: str) -> bytes:
    """The first bytes of a file.

    Raises:
        InputRefused: it cannot be read.
    """
    try:
        if landing.local is not None:
            with Path(landing.path(path)).open("rb") as file:
                return file.read(KEPT_BYTES)
        with landing.fs.open_input_stream(landing.path(path), compression=None) as stream:
            return bytes(stream.read(KEPT_BYTES))
    except (OSError, pa.ArrowException) as error:
        raise InputRefused(f"The file cannot be read: {reason_of(error)}.", source=path) from error
