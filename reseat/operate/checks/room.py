"""What is left on brokers' disks, as their log directories tell it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from reseat.model import LogDirectory

__all__ = ["usable_room"]


def usable_room(directories: Iterable[LogDirectory]) -> tuple[dict[int, dict[str, int]], set[int]]:
    """Bytes left by broker id and log directory; and the brokers that have an offline directory.

    A broker with a directory that does not tell what is left is in neither.

    Args:
        directories: every log directory that was told.
    """
    room: defaultdict[int, dict[str, int]] = defaultdict(dict)
    untold, offline = set[int](), set[int]()
    for directory in directories:
        if directory.error is not None:
            offline.add(directory.broker)
        elif directory.usable_bytes is None:
            untold.add(directory.broker)
        else:
            room[directory.broker][directory.path] = directory.usable_bytes
    return {broker: paths for broker, paths in room.items() if broker not in untold}, offline - untold
