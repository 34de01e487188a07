"""Reads topicmappr's output: ``topic p0: [1001 1002] -> [1001 1003] replaced broker``.

The left list is the current assignment, the right one the proposed; both in assignment order. Plans with duplicate
replicas occur: they are read as they stand, so that the judge can refuse them.

Source: DataDog's kafka-kit, ``cmd/topicmappr``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from reseat.formats.rows.gather import RowBuilder
from reseat.formats.text.form import Form, Paste
from reseat.model.naming import LARGEST_ID, id_in

__all__ = ["Topicmappr"]

_KIND = "topicmappr's output"

_ROW = re.compile(r"^\s*(\S{1,400}) p([0-9]{1,10}): \[([0-9 ]*)\] -> \[([0-9 ]*)\]")
#: A row that cannot be read as one, whatever is wrong with it.
_DAMAGED = re.compile(r"^\s*\S{1,400} p[^\s:]++:? +\[.{0,400}->")
_SUMMARY = re.compile(
    r"^\s*(?:Topics:|Broker change summary:|Action:|WARN:|Partition map changes:|Broker distribution:|"
    r"Partitions assigned:|Changes for partition map chunk|New parti?tion maps?:|Storage free change|\[none\]|"
    r"Broker \d+\b.*|Replacing \d+, added \d+.*|degree \[min/max/avg\].*|-|Rebuild topic.*|"
    r"Expanding/rebalancing topic.*|\d+ of \d+ partitions.*)\s*$"
)


class Topicmappr(Form):
    """topicmappr's rows; the layout read has a proposed one beside it."""

    def read(self, paste: Paste) -> None:
        """Take its rows and its summary out of the lines."""
        before, after = (RowBuilder(paste.source, paste.limits) for _ in range(2))
        left: list[tuple[int, str]] = []
        summary: list[tuple[int, str]] = []
        first = 0
        for number, text in paste.lines:
            found = _ROW.match(text)
            if found is None and _DAMAGED.match(text):
                before.misread(
                    number,
                    text,
                    "A damaged row of topicmappr: topic p0: [1 2] -> [1 3] (ids separated by spaces) was expected.",
                )
                continue
            if found is None:
                (summary if _SUMMARY.match(text) else left).append((number, text))
                continue
            first = first or number
            partition, (old, new) = id_in(found[2]), ([id_in(i) for i in found[side].split()] for side in (3, 4))
            if partition is None or None in old or None in new:
                before.misread(number, text, f"An id in this row is above {LARGEST_ID:,}, Kafka's largest id.")
                continue
            before.add(found[1], partition, [i for i in old if i is not None], line=number)
            after.add(found[1], partition, [i for i in new if i is not None], line=number)
        if not first:
            return
        named = before.rows_by_topic()
        summary += [(number, text) for number, text in left if text.strip() in named]
        left = [(number, text) for number, text in left if text.strip() not in named]
        for number, text in sorted(summary):
            before.skipped.add(number, text, "topicmappr's summary; the rows have the same information.")
        part = before.part(_KIND)
        proposed = after.part(_KIND)
        reading = replace(part.reading, proposed=proposed.reading.layout, proposed_findings=proposed.reading.findings)
        paste.add(replace(part, reading=reading))
        paste.lines = left
