"""The body of DescribeLogDirs' response -> columns, without an object a log.

A log's entry has a fixed width (id, size, lag, whether it is a copy under way): the pieces of bytes between the topics'
names are joined, and are the table. From version 2 on each entry ends with a count of tagged fields (KIP-482), zero in
every version there is; a body that has any is left to kafka-python.

Example, version 1, one directory with one topic of two logs: 4 + 4 + (2 + 2 + 5 + 4 + (2 + 1 + 4 + 2 x 21)) bytes.

Complexity: one short step a topic and directory; numpy for the logs. On a large cluster a broker has one or two logs of
a topic, so that step is what counts: names stay bytes here, and equal ones are decoded once.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from reseat.sources.kafka_admin.undecoded import Bytes

__all__ = ["CORDONED", "LOG", "Directory", "directories"]

_FLEXIBLE = 2
_TOP_ERROR = 3
_VOLUME = 4
#: The version from which a directory tells whether it is cordoned.
CORDONED = 5
#: One log as it lies in the bytes.
LOG = np.dtype([("partition", ">i4"), ("size", ">i8"), ("lag", ">i8"), ("future", "u1")])
_TAGGED = np.dtype([*LOG.descr, ("tags", "u1")])
_Logs: TypeAlias = "npt.NDArray[np.void]"


@dataclass(frozen=True, eq=False)
class Directory:
    """One log directory.

    Attributes:
        error_code: Kafka's error code.
        log_dir: its path.
        topics: names in UTF-8, as they came.
        counts: how many logs each has.
        logs: all of them, fields ``partition``, ``size``, ``lag`` and ``future``, topic by topic.
        total_bytes: size of its file system, -1 where not told.
        usable_bytes: what is left of it, -1 where not told.
        cordoned: whether it takes no new replicas (KIP-1066); None before version 5.
    """

    error_code: int
    log_dir: str
    topics: list[bytes]
    counts: list[int]
    logs: _Logs
    total_bytes: int
    usable_bytes: int
    cordoned: bool | None = None


def directories(body: Bytes) -> tuple[int, list[Directory]]:
    """The response's error code and its directories.

    Raises:
        ValueError: the body is cut short, or holds what this decoder does not know.
    """
    reader = _Reader(body.data, body.version)
    try:
        return reader.response()
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"not a response of DescribeLogDirs, version {body.version}") from error


class _Reader:
    def __init__(self, data: bytes, version: int) -> None:
        self._data = data
        self._at = 0
        self._version = version
        self._flexible = version >= _FLEXIBLE

    def response(self) -> tuple[int, list[Directory]]:
        self._number(">i")  # the throttle, which the client has heeded
        error = self._number(">h") if self._version >= _TOP_ERROR else 0
        found = [self._directory() for _ in range(self._count())]
        self._no_tags()
        return error, found

    def _directory(self) -> Directory:
        error, path = self._number(">h"), self._text()
        topics, counts, logs = self._topics()
        total = self._number(">q") if self._version >= _VOLUME else -1
        usable = self._number(">q") if self._version >= _VOLUME else -1
        cordoned = bool(self._number(">b")) if self._version >= CORDONED else None
        self._no_tags()
        return Directory(error, path, topics, counts, logs, total, usable, cordoned)

    def _topics(self) -> tuple[list[bytes], list[int], _Logs]:
        kind = _TAGGED if self._flexible else LOG
        width = kind.itemsize
        names: list[bytes] = []
        counts: list[int] = []
        pieces: list[bytes] = []
        data = self._data
        for _ in range(self._count()):
            length = self._length()
            names.append(data[self._at : self._at + length])
            self._at += length
            count = self._count()
            counts.append(count)
            pieces.append(data[self._at : self._at + count * width])
            self._at += count * width
            if self._flexible:
                if data[self._at]:
                    raise ValueError("tagged fields")
                self._at += 1
        joined = b"".join(pieces)
        if len(joined) != sum(counts) * width:
            raise ValueError("cut short")
        logs: _Logs = np.frombuffer(joined, kind)
        if self._flexible and logs["tags"].any():
            raise ValueError("tagged fields in a log's entry")
        return names, counts, logs

    def _number(self, form: str) -> int:
        value = int(struct.unpack_from(form, self._data, self._at)[0])
        self._at += struct.calcsize(form)
        return value

    def _varint(self) -> int:
        value = self._data[self._at]
        self._at += 1
        if value < 0x80:  # nearly always
            return value
        value &= 0x7F
        shift = 7
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 28:
                raise ValueError("a number without an end")

    def _count(self) -> int:
        count = self._varint() - 1 if self._flexible else self._number(">i")
        if not 0 <= count <= len(self._data):
            raise ValueError("a count that cannot be")
        return count

    def _length(self) -> int:
        length = self._varint() - 1 if self._flexible else self._number(">h")
        if length < 0 or self._at + length > len(self._data):
            raise ValueError("cut short")
        return length

    def _text(self) -> str:
        length = self._length()
        text = self._data[self._at : self._at + length].decode()
        self._at += length
        return text

    def _no_tags(self) -> None:
        if self._flexible and self._varint():
            raise ValueError("tagged fields")
