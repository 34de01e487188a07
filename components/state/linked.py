"""The layouts, and the long texts, that links of this server can name: by digest, which nobody guesses."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from reseat.access import Door
from reseat.formats.input.reading import Reading
from reseat.model.edits import Edits

__all__ = ["TEXT", "LinkedLayout", "LinkedLayouts", "LinkedTexts"]

#: How a link names a text.
TEXT = re.compile("text:[0-9a-f]{32}")
#: Layouts kept: one may hold a million partitions.
_MOST = 6
#: Characters of a text that is kept, and of all of them.
_LONGEST_TEXT, _MOST_CHARACTERS = 4_000_000, 32_000_000


@dataclass(frozen=True, slots=True)
class LinkedLayout:
    """A layout that this server knows: what was read, its name, when, and how it was looked at.

    ``latest_of`` is the name of the live cluster that it is the latest reading of, or None; an earlier one makes way
    for it. ``door`` is what one must be allowed to see it, or None for what a person opened of their own.
    """

    reading: Reading
    name: str
    read_at: datetime
    edits: Edits
    digest: str
    latest_of: str | None = None
    door: Door | None = None


class LinkedLayouts:
    """By digest, the least recently used falling off."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, LinkedLayout] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, layout: LinkedLayout) -> None:
        """Keep a layout, as the most recently used."""
        with self._lock:
            if layout.latest_of is not None:
                for digest in [key for key, kept in self._kept.items() if kept.latest_of == layout.latest_of]:
                    del self._kept[digest]
            self._kept[layout.digest] = layout
            self._kept.move_to_end(layout.digest)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def find(self, digest: str) -> LinkedLayout | None:
        """The layout with this digest, or None: who does not know all of it is given nothing."""
        with self._lock:
            return self._kept.get(digest)


class LinkedTexts:
    """Likewise the texts that are too long for an address, such as a plan that was pasted to be validated."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, content: str) -> str:
        """Keep a text, as the most recently used; returns how a link names it, nothing where it is too long."""
        if len(content) > _LONGEST_TEXT:
            return ""
        name = f"text:{hashlib.sha256(content.encode('utf-8', 'replace')).hexdigest()[:32]}"
        with self._lock:
            self._kept[name] = content
            self._kept.move_to_end(name)
            while sum(map(len, self._kept.values())) > _MOST_CHARACTERS:
                self._kept.popitem(last=False)
        return name

    def find(self, name: str) -> str | None:
        """The text that a link names, or None."""
        with self._lock:
            return self._kept.get(name)
