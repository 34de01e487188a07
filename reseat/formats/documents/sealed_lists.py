"""The replica lists from before, as a sealed plan keeps them: read in pieces, as many as it has partitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import msgspec
import numpy as np

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.rows.bounds import padded
from reseat.formats.text.reassignment import DocumentParts
from reseat.formats.text.reassignment_entries import Id
from reseat.model import NONE, ClusterLayout, IntArray, Longs
from reseat.model.wording import counted, verb

__all__ = ["PIECE", "SealUnfit", "before_lists"]

#: Bytes of ``before`` decoded at once: its objects are alive only piece by piece.
PIECE = 2_000_000
#: Bytes that a piece may take: it is cut where the next list begins, and no list is as long as a piece.
_LONGEST_PIECE = 2 * PIECE
_CUT = re.compile(rb"\][ \t\r\n]*,[ \t\r\n]*\[")
_LISTS: msgspec.json.Decoder[list[list[Id]]] = msgspec.json.Decoder(list[list[Id]])


class SealUnfit(Exception):
    """Says in a few words why the key does not fit."""


def before_lists(lists: bytes, told: DocumentParts, source: str, limits: Limits) -> ClusterLayout:
    """The lists from before, in the order of the text, as a layout with the rows of the plan."""
    lengths: list[Longs] = [np.empty(0, np.int64)]
    ids: list[IntArray] = [np.empty(0, np.int32)]
    expected = len(told.rows.partition)
    count = 0
    for piece in _pieces(lists.strip()):
        if len(piece) > _LONGEST_PIECE:
            raise SealUnfit("a list in 'before' is longer than any")
        decoded = _LISTS.decode(piece)
        count += len(decoded)
        if count > expected:
            break
        lengths.append(np.fromiter(map(len, decoded), np.int64, len(decoded)))
        ids.append(np.fromiter(chain.from_iterable(decoded), np.int32))
    if count != expected:
        more = "more" if count > expected else f"{count:,}"
        raise SealUnfit(
            f"'before' has {more} lists, and there {verb(expected, 'is', 'are')} {counted(expected, 'partition')}"
        )
    try:
        replicas = padded(np.concatenate(ids), np.concatenate(lengths), NONE, source, limits)
    except LimitMet as met:
        met.sentence = f"In the lists from before: {met.sentence}"
        raise
    before = ClusterLayout.from_columns(
        topics=told.rows.topics,
        topic_of=told.rows.topic_of,
        partition=told.rows.partition,
        replicas=replicas,
    )
    if before.duplicates.size or (before.partition_count and int(before.replication_factor.min()) == 0):
        raise SealUnfit("a list in 'before' is empty or names a broker twice")
    return before


def _pieces(lists: bytes) -> Iterator[bytes]:
    """A JSON list of lists in pieces that are lists of whole lists each, if it is one of numbers at all."""
    if not (lists.startswith(b"[") and lists.endswith(b"]")):
        raise SealUnfit("'before' is not a list of lists of broker ids")
    start, end = 1, len(lists) - 1
    while True:
        cut = _CUT.search(lists, min(start + PIECE, end), end)
        yield b"[" + lists[start : end if cut is None else cut.start() + 1] + b"]"
        if cut is None:
            return
        start = cut.end() - 1
