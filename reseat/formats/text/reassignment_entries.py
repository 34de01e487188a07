"""Entries of a reassignment JSON: what one is, many of them as columns, and why one is no partition."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from reseat.formats.input.reading import Limits
from reseat.formats.input.shown import shown
from reseat.formats.rows.bounds import check_brokers, check_topics, padded
from reseat.formats.rows.row_findings import Rows
from reseat.model import NONE, IntArray, Longs
from reseat.model.arrays import widened
from reseat.model.naming import LARGEST_ID

__all__ = [
    "ANY_LOG_DIR",
    "ENTRIES",
    "ENTRY",
    "KNOWN_KEYS",
    "PARTITIONS",
    "RAW_LIST",
    "RAW_OBJECT",
    "Entry",
    "EntryColumns",
    "Id",
    "keys_of",
    "repeats",
    "top_keys",
    "why_no_partition",
]

#: In ``log_dirs``: the broker chooses.
ANY_LOG_DIR = "any"

#: Keys of an entry that Kafka's tool knows, and the key of the list, as bytes.
KNOWN_KEYS = frozenset(("topic", "partition", "replicas", "log_dirs"))
PARTITIONS = b'"partitions"'
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{\]}]', re.DOTALL)

#: A broker's or a partition's id in any document.
Id = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_ID)]


class Entry(msgspec.Struct, gc=False):
    """One partition, unknown keys ignored."""

    topic: Annotated[str, msgspec.Meta(min_length=1)]
    partition: Id
    replicas: list[Id]
    log_dirs: list[str] | None = None


class _StrictEntry(Entry, gc=False, forbid_unknown_fields=True):
    """One partition with no key that is not known, so that there is nothing to note about it."""


#: Decoders: one entry, a piece of entries without unknown keys, and values that are looked at later.
ENTRY: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)
ENTRIES: msgspec.json.Decoder[list[_StrictEntry]] = msgspec.json.Decoder(list[_StrictEntry])
RAW_LIST: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])
RAW_OBJECT: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


class EntryColumns:
    """Entries appended batch by batch as columns."""

    def __init__(self) -> None:
        self.code: dict[str, int] = {}
        self.dir_code: dict[str, int] = {ANY_LOG_DIR: NONE}
        self._topic_of: list[IntArray] = []
        self._partition: list[IntArray] = []
        self._lengths: list[Longs] = []
        self._brokers: list[IntArray] = []
        self._dir_lengths: list[Longs] = []
        self._dirs: list[IntArray] = []

    def append(self, entries: Sequence[Entry]) -> None:
        """Add some entries, at least one."""
        code, dir_code = self.code, self.dir_code
        self._topic_of.append(
            np.fromiter([code.setdefault(e.topic, len(code)) for e in entries], np.int32, len(entries))
        )
        self._partition.append(np.fromiter([e.partition for e in entries], np.int32, len(entries)))
        lists = [e.replicas for e in entries]
        self._lengths.append(np.fromiter(map(len, lists), np.int64, len(lists)))
        self._brokers.append(np.fromiter(chain.from_iterable(lists), np.int32))
        dirs = [e.log_dirs for e in entries]
        # NONE: no log_dirs key, which is not an empty list.
        self._dir_lengths.append(np.fromiter([NONE if d is None else len(d) for d in dirs], np.int64, len(dirs)))
        names = list(chain.from_iterable([d for d in dirs if d]))
        self._dirs.append(
            np.fromiter([dir_code.setdefault(name, len(dir_code) - 1) for name in names], np.int32, len(names))
        )

    def rows(self, place: Callable[[int], str], source: str, limits: Limits) -> tuple[Rows, Longs]:
        """The rows told, and which of them have ``log_dirs`` of another length than ``replicas``."""
        longest = max(self.code, key=len)
        check_topics(len(self.code), len(longest), longest, source, limits)
        lengths, told = np.concatenate(self._lengths), np.concatenate(self._dir_lengths)
        brokers = np.concatenate(self._brokers)
        check_brokers(brokers, source, limits)
        replicas = padded(brokers, lengths, NONE, source, limits)
        by_row: dict[str, npt.NDArray[np.generic]] = {}
        if len(self.dir_code) > 1:
            # Lists of another length tell nothing: which entry belongs to which replica is a guess.
            fits = told == lengths
            owner = np.repeat(fits, np.maximum(told, 0))
            dirs = padded(np.concatenate(self._dirs)[owner], np.where(fits, lengths, 0), NONE, source, limits)
            by_row["log_dir"] = widened(dirs, replicas.shape[1])
        rows = Rows(
            topics=list(self.code),
            topic_of=np.concatenate(self._topic_of),
            partition=np.concatenate(self._partition),
            replicas=replicas,
            place=place,
            by_row=by_row,
        )
        return rows, np.flatnonzero((told >= 0) & (told != lengths))

    @property
    def log_dirs(self) -> list[str]:
        """The directories told, as the column ``log_dir`` counts them."""
        return [name for name, code in self.dir_code.items() if code != NONE]


def keys_of(raw: msgspec.Raw) -> dict[str, msgspec.Raw]:
    """The values of an entry by key, none where it is no object."""
    try:
        return RAW_OBJECT.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def why_no_partition(error: Exception, keys: dict[str, msgspec.Raw], raw: msgspec.Raw) -> str:
    """Why an entry is no partition, naming the topic and partition it seems to be about."""
    if isinstance(error, UnicodeDecodeError):
        return "its text is not UTF-8."
    if not bytes(memoryview(raw)).lstrip().startswith(b"{"):
        return 'an object was expected, {"topic","partition","replicas"}.'
    about = " of ".join(
        f"{key} {shown(bytes(memoryview(keys[key])).decode('utf-8', 'replace'))}"
        for key in ("partition", "topic")
        if key in keys
    )
    missing = [key for key in ("topic", "partition", "replicas") if key not in keys]
    if missing:
        what = f"{' and '.join(repr(key) for key in missing)} {'is' if len(missing) == 1 else 'are'} missing"
    else:
        what = str(error).replace("`", "'").replace("$.", "").replace("Expected", "expected").replace(" - at", " at")
    return f"{what}{f' ({about})' if about else ''}."


def top_keys(document: bytes) -> list[int]:
    """Where the word "partitions" stands in the outermost object itself: one bracket is open before it."""
    depth, out = 0, []
    for found in _TOKENS.finditer(document):
        if found[0] == PARTITIONS and depth == 1:
            out.append(found.start())
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(found[0], 0)
    return out


def repeats(entry: bytes, key: bytes) -> bool:
    """Whether a key stands twice in an entry, and not only its word, as the name of a topic, say."""
    if entry.count(key) < 2:
        return False
    found: list[str] = []

    def keys(pairs: list[tuple[str, object]]) -> None:
        found[:] = [name for name, _ in pairs]  # the outermost object is ended last

    json.loads(entry, object_pairs_hook=keys)
    return found.count(key.decode().strip('"')) > 1
