"""Whether the end of a text cuts off its last line of ``kafka-topics --describe``, in ways that leave a row readable.

What it promises: a line counts as cut off only where it shows it, and the text ends in it, without a line end. A row
that ends with its replicas or before them is the reader's own matter; one that ends within the last list of its ISR
shows nothing, nor does a text that ends between two topics.

Complexity: O(length of what stands behind the last row but one).
"""

from __future__ import annotations

import re

__all__ = ["cut_off"]

#: How a row or a heading begins.
_BEGUN = re.compile(rb"[ \t]*T(?:o(?:p(?:i(?:c)?)?)?)?")
#: A row up to its ISR's label, or within the label.
_LABEL = re.compile(rb".*\bReplicas:[ \t]*[0-9,]+[ \t]+I(?:s(?:r)?)?")
#: A row with a leader whose ISR, which holds its leader at the least, ends with its label or with a comma.
_LIST = re.compile(rb".*\bLeader:[ \t]*[0-9]+[ \t].*\bIsr:[ \t]*(?:[0-9,]*,)?[ \t]*")
#: The last column of Kafka 4.0 and later, which every row has where one has it.
_LAST = b"LastKnownElr:"


def cut_off(data: bytes) -> bytes:
    """The last line, where the text's end cuts it off; else nothing.

    Args:
        data: the text, or its end from the last row but one on.
    """
    end = data.rfind(b"\n")
    last = data[end + 1 :]
    at = data.rfind(b"Partition:", 0, max(end, 0))
    if at < 0:
        return b""
    ends = data.find(b"\n", at)
    shorter = _LAST in data[at:ends] and b"Isr:" in last and _LAST not in last
    begun = ends == end and _BEGUN.fullmatch(last)
    return last if begun or shorter or _LABEL.fullmatch(last) or _LIST.fullmatch(last) else b""
