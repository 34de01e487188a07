"""What rows are refused for before anything of their size is made: too many, too long, too large."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.input.shown import shown
from reseat.model import NONE, IntArray

__all__ = ["check_broker_count", "check_brokers", "check_misread", "check_size", "check_topics", "padded"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


def check_size(data: bytes, source: str, limits: Limits) -> None:
    """Refuse a text that is too large.

    Raises:
        LimitMet: it has more bytes than ``limits.megabytes`` allow.
    """
    if len(data) > limits.bytes:
        raise LimitMet(
            f"The text has {len(data) / 1e6:,.0f} MB; {limits.megabytes:,} MB is the limit. "
            "Upload fewer topics at once.",
            source=source,
        )


def check_topics(count: int, longest: int, name: str, source: str, limits: Limits) -> None:
    """Refuse more topics, or a longer name of one, than ``limits`` allow.

    Args:
        count: how many topics there are.
        longest: characters of the longest name.
        name: that name.
        source: the text's name.
        limits: what is accepted.

    Raises:
        LimitMet: names the limit.
    """
    if longest > limits.topic_name:
        raise LimitMet(
            f"A topic's name has {longest:,} characters; Kafka's limit is {limits.topic_name}. It is {shown(name)}.",
            source=source,
        )
    if count > limits.topics:
        raise LimitMet(f"The text names more than {limits.topics:,} topics; that is the limit.", source=source)


def check_brokers(ids: IntArray, source: str, limits: Limits) -> None:
    """Refuse more brokers than ``limits`` allow among ids of any shape, below 0 for none.

    Raises:
        LimitMet: names the limit.
    """
    if int(ids.max(initial=NONE)) >= limits.brokers:  # below, there cannot be more
        check_broker_count(len(np.unique(ids[ids > NONE])), source, limits)


def check_broker_count(count: int, source: str, limits: Limits) -> None:
    """Refuse more brokers than ``limits`` allow, before an object is made of each.

    Raises:
        LimitMet: names the limit.
    """
    if count > limits.brokers:
        raise LimitMet(f"The text names {count:,} brokers; {limits.brokers:,} is the limit.", source=source)


def check_misread(count: int, why: str, source: str, limits: Limits) -> None:
    """Refuse a text of which too much is not understood to be listed.

    Raises:
        LimitMet: there are more than ``limits.lines`` such pieces; the sentence says why the last is not understood.
    """
    if count > limits.lines:
        raise LimitMet(
            f"More than {limits.lines:,} pieces of the text were not understood; that is the limit. The last: {why}",
            source=source,
        )


def padded(
    flat: npt.NDArray[_Scalar], lengths: npt.NDArray[np.integer], fill: object, source: str, limits: Limits
) -> npt.NDArray[_Scalar]:
    """Lists of different length, told one after the other, as a matrix padded on the right.

    Args:
        flat: (sum of lengths,) all values.
        lengths: (n,) how many belong to each row.
        fill: what pads.
        source: the text's name, for the message.
        limits: what is accepted.

    Returns:
        (n, longest) values.

    Raises:
        LimitMet: there are more rows, longer lists or a larger matrix than ``limits`` allow.
    """
    rows, width = len(lengths), int(lengths.max(initial=0))
    if rows > limits.partitions:
        raise LimitMet(f"The text has {rows:,} partitions; {limits.partitions:,} is the limit.", source=source)
    if width > limits.replicas:
        raise LimitMet(
            f"One partition has {width:,} replicas; {limits.replicas:,} is the limit. Is this the list of brokers?",
            source=source,
        )
    if rows * width > limits.cells:
        raise LimitMet(
            f"{rows:,} partitions with up to {width:,} replicas each need {rows * width:,} cells; {limits.cells:,} is "
            f"the limit.",
            source=source,
        )
    if len(flat) == rows * width:
        return flat.reshape(rows, width)
    out = np.full((rows, width), fill, flat.dtype)
    out[np.arange(width) < np.asarray(lengths)[:, None]] = flat
    return out
