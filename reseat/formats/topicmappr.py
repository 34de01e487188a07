"""Reads topicmappr's output: ``topic p0: [1001 1002] -> [1001 1003] replaced broker``.

The left list is the current assignment, the right one the proposed; both in assignment order. Plans with duplicate
replicas occur: they are read as they stand, so that the judge can refuse them.

Source: DataDog's kafka-kit, ``cmd/topicmappr``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reseat.formats.gather import Gathered, Part
from reseat.formats.reading import Limits
from reseat.model.naming import LARGEST_ID, id_in

__all__ = ["read_topicmappr"]

KIND = "topicmappr's output"

_ROW = re.compile(r"^\s*(\S{1,400}) p([0-9]{1,10}): \[([0-9 ]*)\] -> \[([0-9 ]*)\]")
#: A row that cannot be read as one, whatever is wrong with it.
_DAMAGED = re.compile(r"^\s*\S{1,400} p[^\s:]++:? +\[.{0,400}->")
_SUMMARY = re.compile(
    r"^\s*(?:Topics:|Broker change summary:|Action:|WARN:|Partition map changes:|Broker distribution:|"
    r"Partitions assigned:|Changes for partition map chunk|New parti?tion maps?:|Storage free change|\[none\]|"
    r"Broker \d+\b.*|Replacing \d+, added \d+.*|degree \[min/max/avg\].*|-|Rebuild topic.*|"
    r"Expanding/rebalancing topic.*|\d+ of \d+ partitions.*)\s*$"
)


def read_topicmappr(
    lines: Sequence[tuple[int, str]], source: str, limits: Limits
) -> tuple[Part | None, list[tuple[int, str]]]:
    """Read topicmappr's rows.

    Returns:
        What was read (with ``proposed``), None where there is no such row; and the lines that were not used.

    Raises:
        LimitMet: too many partitions or replicas.
    """
    before, after = Gathered(source, limits), Gathered(source, limits)
    left: list[tuple[int, str]] = []
    summary: list[tuple[int, str]] = []
    first = 0
    for number, text in lines:
        found = _ROW.match(text)
        if found is None and _DAMAGED.match(text):
            before.misread(
                number,
                text,
                "A damaged row of topicmappr: topic p0: [1 2] -> [1 3] (ids divided by blanks) was expected.",
            )
            continue
        if found is None:
            (summary if _SUMMARY.match(text) else left).append((number, text))
            continue
        first = first or number
        partition, (old, new) = id_in(found[2]), ([id_in(i) for i in found[side].split()] for side in (3, 4))
        if partition is None or None in old or None in new:
            before.misread(number, text, f"An id in this row is above {LARGEST_ID:,}, the largest that Kafka knows.")
            continue
        before.add(found[1], partition, [i for i in old if i is not None], line=number)
        after.add(found[1], partition, [i for i in new if i is not None], line=number)
    if not first:
        return None, [*lines]
    named = before.rows_by_topic()
    summary += [(number, text) for number, text in left if text.strip() in named]
    left = [(number, text) for number, text in left if text.strip() not in named]
    for number, text in sorted(summary):
        before.skipped.add(number, text, "topicmappr's summary; the rows tell it all.")
    part = before.part(KIND, line=first)
    proposed = after.part(KIND, line=first)
    reading = replace(part.reading, proposed=proposed.reading.layout, proposed_findings=proposed.reading.findings)
    return replace(part, reading=reading), left
