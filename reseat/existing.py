"""Whether a file or folder is there, where no and "that cannot be told" are two answers.

``Path.exists`` takes both for no since Python 3.14: what stands in a folder that is closed to who asks, such as the
settings of who may what, would count as not there.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["exists", "may_exist"]


def exists(path: str | Path) -> bool:
    """Whether something is there; a broken link is nothing.

    Raises:
        OSError: that cannot be told.
    """
    try:
        os.stat(path)  # noqa: PTH116 -- Path's look at it is what differs
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def may_exist(path: str | Path) -> bool:
    """Whether something is there, or may be: who then opens it is told why that cannot be told."""
    try:
        return exists(path)
    except OSError:
        return True
