"""Comma-separated lists of ids in text -> padded arrays, without a Python object an id.

Promises: (1) every run of digits becomes one number, in order; (2) a list without digits is empty;
(3) nothing wraps round: a number above 2**31 - 1 is reported, never truncated.

How: the lists are joined by line ends into one buffer; runs of digits are found by comparing neighbours, and
their value is summed digit by digit from the right, which takes as many passes as the longest number has digits.

Example: ``[b"1,2", b"", b"13"]`` -> ``[[1, 2], [-1, -1], [13, -1]]``.

Complexity: O(bytes) time and memory, vectorised.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.model import NONE, BoolArray, IntArray
from reseat.model.naming import LARGEST_ID

__all__ = ["padded"]

_DIGITS = len(str(LARGEST_ID))
_ZERO, _NINE = 48, 57


def padded(lists: Sequence[bytes], limits: Limits) -> tuple[IntArray, BoolArray]:
    """The ids of n lists.

    Args:
        lists: n texts such as ``b"1,2,3"``; whatever is not a digit separates.
        limits: the most ids that one list may hold.

    Returns:
        (n, R) int32 ids, padded with -1 on the right, and (n,) bool: lists with an id above 2**31 - 1
        (such an id stands as -1, so the list is not to be used).

    Raises:
        LimitMet: a list is longer than ``limits.replicas``.
    """
    count = len(lists)
    buffer = np.frombuffer(b"\n".join(lists) + b"\n", np.uint8)
    digit = (buffer >= _ZERO) & (buffer <= _NINE)
    edge = np.flatnonzero(digit[1:] != digit[:-1]) + 1  # the buffer ends in a line end, so every run has an end
    if digit[0]:
        edge = np.concatenate(([0], edge))
    start, end = edge[0::2], edge[1::2]
    # By lengths and not by line ends: a damaged text can put a line end inside a list.
    stop = np.cumsum(np.fromiter(map(len, lists), np.int64, count) + 1)
    owner = np.searchsorted(stop, start, side="right")
    length = np.bincount(owner, minlength=count)
    width = int(length.max(initial=0))
    if width > limits.replicas:
        raise LimitMet(
            f"One partition lists {width:,} brokers; at most {limits.replicas:,} are read.",
        )
    value = np.zeros(len(start), np.int64)
    digits = end - start
    for place in range(min(_DIGITS, int(digits.max(initial=0)))):
        has = digits > place if place else slice(None)
        value[has] += (buffer[end[has] - 1 - place] - np.uint8(_ZERO)).astype(np.int64) * 10**place
    too_large = (value > LARGEST_ID) | (digits > _DIGITS)
    ids = np.full((count, width), NONE, np.int32)
    offset = np.cumsum(length) - length
    ids[owner, np.arange(len(start)) - offset[owner]] = np.where(too_large, NONE, value)
    bad = np.zeros(count, np.bool_)
    bad[owner[too_large]] = True
    return ids, bad
