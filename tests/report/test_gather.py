"""What a report is made of, where the layout is not the one that was read."""

from __future__ import annotations

import numpy as np

from reseat.formats import Reading
from reseat.model import ClusterLayout, Finding, Severity, Wish
from reseat.report.gather import gather


def test_rows_behind_a_finding_are_those_of_the_layout_told_of() -> None:
    """Rows 0 (left out) and 2 of the text: what is told of has the latter alone, as its row 1."""
    layout = ClusterLayout.from_assignments({("a", 0): [1], ("b", 0): [1], ("b", 1): [2]})
    finding = Finding("odd", Severity.ATTENTION, "Odd.", rows=np.array([0, 2]))
    reading = Reading(layout, kind="a literal", source="x", findings=(finding,))

    matter = gather(reading, layout.without_topics(("a",)), Wish())

    assert matter.reading[0].rows.tolist() == [1]
    assert gather(reading, layout, Wish()).reading[0].rows.tolist() == [0, 2]
