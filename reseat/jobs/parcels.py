"""Values between two processes of this machine: arrays in a file of memory that both map, layouts by their digest.

A parcel is an anonymous file whose descriptor goes through a Unix socket. In it are the pickled value and behind it the
arrays as they are (PEP 574, protocol 5): who reads maps them and copies nothing. A layout that the other side has is
sent as its digest. One that shares columns with such a layout, as a plan's proposal does with the layout it was made
for, is sent with the others alone, and shares them there, too.

Both sides are the same program of the same user: a parcel from anywhere else must never be read.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import socket
import struct
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from reseat.model import ClusterLayout

__all__ = ["KnownLayouts", "LayoutUnknown", "Parcel", "receive", "send"]

#: Arrays begin at multiples of it, as numpy likes them.
_ALIGNED = 64
_FIELDS = tuple(one.name for one in fields(ClusterLayout))
#: What layouts share besides arrays: tuples of a thousand objects and more.
_SHARED = frozenset({"brokers", "topics", "topic_ids"})


class LayoutUnknown(LookupError):
    """A parcel names a layout that this side does not have, or no longer: its digest is the argument."""


class _Layouts(Protocol):
    """Layouts by digest."""

    def __getitem__(self, digest: str, /) -> ClusterLayout: ...


class KnownLayouts:
    """The layouts that one side has, by digest; those used longest ago make way.

    Args:
        partitions: how many all of them may have together; the last one stays in any case.
    """

    def __init__(self, partitions: int) -> None:
        self._most = partitions
        self._layouts: OrderedDict[str, ClusterLayout] = OrderedDict()

    def __getitem__(self, digest: str, /) -> ClusterLayout:
        """The layout of a digest.

        Raises:
            LayoutUnknown: it is not here.
        """
        if digest not in self._layouts:
            raise LayoutUnknown(digest)
        self._layouts.move_to_end(digest)
        return self._layouts[digest]

    def add(self, layouts: Mapping[str, ClusterLayout]) -> None:
        """Keep layouts, by digest, and drop what is too much."""
        for digest, layout in layouts.items():
            self._layouts[digest] = layout
            self._layouts.move_to_end(digest)
        held = sum(layout.partition_count for layout in self._layouts.values())
        while held > self._most and len(self._layouts) > 1:
            held -= self._layouts.popitem(last=False)[1].partition_count


@dataclass(frozen=True, slots=True)
class Parcel:
    """A value that was sent or read.

    Attributes:
        value: what it is.
        layouts: every layout in it, by digest: both sides have them now.
    """

    value: Any
    layouts: dict[str, ClusterLayout]


def send(channel: socket.socket, value: object, known: Mapping[str, ClusterLayout]) -> Parcel:
    """Send a value; nothing is sent where it cannot be pickled.

    Args:
        channel: a Unix socket.
        value: anything that can be pickled.
        known: layouts that the other side has, by digest.

    Raises:
        OSError: the other side is gone, or there is no memory for it.
        pickle.PicklingError, TypeError, AttributeError: it cannot be pickled.
    """
    told, buffers = io.BytesIO(), list[pickle.PickleBuffer]()
    writer = _Writer(told, known, buffers)
    writer.dump(value)
    parts = [told.getbuffer(), *(buffer.raw() for buffer in buffers)]
    file = _anonymous()
    try:
        _write(file, struct.pack(f"<{len(parts) + 1}Q", len(parts), *(part.nbytes for part in parts)))
        for part in parts:
            _write(file, part)
        socket.send_fds(channel, [b"."], [file])
    finally:
        os.close(file)
    return Parcel(value, writer.layouts)


def receive(channel: socket.socket, known: _Layouts) -> Parcel | None:
    """The next value that the other side sent, or None where it is gone; waits for it.

    Its arrays are read-only and lie in the file, whose memory is free again once the last of them is gone.

    Args:
        channel: a Unix socket.
        known: layouts that the other side may name.

    Raises:
        LayoutUnknown: it names another one.
    """
    try:
        _, files, _, _ = socket.recv_fds(channel, 1, 1)
    except ConnectionError:
        return None
    if not files:
        return None
    with open(files[0], "rb") as file:  # noqa: PTH123 -- a descriptor
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    (count,) = struct.unpack_from("<Q", whole)
    at, parts = _up(8 * (count + 1)), list[memoryview]()
    for size in struct.unpack_from(f"<{count}Q", whole, 8):
        parts.append(whole[at : at + size])
        at += _up(size)
    reader = _Reader(io.BytesIO(parts[0]), parts[1:], known)
    return Parcel(reader.load(), reader.layouts)


class _Writer(pickle.Pickler):
    """Writes layouts that are known as their digest, and columns of such layouts as their name."""

    def __init__(
        self, file: io.BytesIO, known: Mapping[str, ClusterLayout], buffers: list[pickle.PickleBuffer]
    ) -> None:
        super().__init__(file, protocol=5, buffer_callback=buffers.append)
        self.layouts: dict[str, ClusterLayout] = {}
        self._known = known
        self._columns = {
            id(told): (digest, name)
            for digest, layout in known.items()
            for name in _FIELDS
            if isinstance(told := getattr(layout, name), np.ndarray) or (name in _SHARED and told)
        }

    def persistent_id(self, obj: object) -> tuple[str, ...] | None:
        if isinstance(obj, ClusterLayout):
            self.layouts[obj.digest] = obj
            return (obj.digest,) if obj.digest in self._known else None
        return self._columns.get(id(obj)) if isinstance(obj, np.ndarray | tuple) else None

    def reducer_override(self, obj: object) -> Any:
        if isinstance(obj, ClusterLayout):
            return _Reader.layout, (obj.digest, {name: getattr(obj, name) for name in _FIELDS})
        return NotImplemented


class _Reader(pickle.Unpickler):
    """Reads what ``_Writer`` wrote."""

    def __init__(self, file: io.BytesIO, buffers: Iterable[memoryview], known: _Layouts) -> None:
        super().__init__(file, buffers=buffers)
        self.layouts: dict[str, ClusterLayout] = {}
        self._known = known

    def persistent_load(self, pid: tuple[str, ...]) -> object:
        digest, *column = pid
        layout = self._known[digest]
        if column:
            return getattr(layout, column[0])
        self.layouts[digest] = layout
        return layout

    def find_class(self, module: str, name: str) -> Any:
        return self.layout if (module, name) == (__name__, "_Reader.layout") else super().find_class(module, name)

    def layout(self, digest: str, told: dict[str, Any]) -> ClusterLayout:
        """A layout as it was: it was checked where it was made, and its digest is known."""
        made = ClusterLayout.__new__(ClusterLayout)
        for column in told.values():
            if isinstance(column, np.ndarray):
                column.flags.writeable = False
        made.__dict__.update(told, digest=digest)
        self.layouts[digest] = made
        return made


def _anonymous() -> int:
    """A file without a name: in memory where the system has such, else among the temporary files."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("reseat")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _write(file: int, part: bytes | memoryview) -> None:
    """Write all of a part, and what lies between it and the next one."""
    left = memoryview(part)
    gap = _up(left.nbytes) - left.nbytes
    while left:
        left = left[os.write(file, left) :]
    os.write(file, b"\0" * gap)


def _up(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
