"""Documented placements, one click away, and the sentence that says what each shows."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.placement.request import PlacementRequest

__all__ = ["EXAMPLES", "FAULTY", "FAULTY_ANSWER", "FAULTY_TABLE", "FAULTY_WHY", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """One example: its name, what it shows, and the question."""

    name: str
    shows: str
    request: PlacementRequest


#: The published table of 13 partitions over brokers 0 to 3, said to be made with ``fixedStartIndex`` 4.
FAULTY_TABLE = (
    (3, 0, 1), (0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 1, 2), (0, 2, 3), (1, 3, 0),
    (2, 0, 1), (3, 2, 0), (0, 3, 1), (1, 0, 2), (2, 1, 3), (3, 0, 1),
)  # fmt: skip
#: Why the published table and the code differ.
FAULTY_WHY = (
    "The published table says fixedStartIndex 4, but Kafka's code never makes it with 4: the start index counts modulo "
    "the 4 brokers, so 4 begins at broker 0, while the table begins at broker 3. It is what the code gives for "
    "fixedStartIndex 3, or for start index 3 with shift 0 or 3."
)
#: The same in one sentence.
FAULTY_ANSWER = "fixedStartIndex 4 never gives the table that was published with it; 3 does."
#: The request of that table.
FAULTY = PlacementRequest(brokers="0-3", partitions=13, factor=3, start=4, shift=4, documented=True)

#: In the order in which a person should meet them.
EXAMPLES = (
    Example(
        "Six partitions",
        "Start index 2 puts partition 0 on the third broker; after each round the followers are shifted.",
        PlacementRequest(brokers="0-2", partitions=6, factor=3, start=2, shift=2),
    ),
    Example(
        "Brokers 2, 5, 8",
        "The formula counts places in the sorted list, not broker ids: place 2 is broker 8.",
        PlacementRequest(brokers="2,5,8", partitions=6, factor=3, start=2, shift=2),
    ),
    Example(
        "Three racks",
        "One broker of each rack in turn makes the order 0, 3, 6, 1, 4, 7, 2, 5, 8; each list spans all racks.",
        PlacementRequest(brokers="0-2:rack1,3-5:rack2,6-8:rack3", partitions=18, factor=3, start=0, shift=0),
    ),
    Example(
        "A fuller rack",
        "Candidates are skipped: first those in a rack that has a replica already, then brokers that have one.",
        PlacementRequest(brokers="0-2:rack1,3:rack2", partitions=8, factor=3, start=1, shift=1),
    ),
    Example(
        "A faulty table",
        "A published table names fixedStartIndex 4; the code gives another one.",
        FAULTY,
    ),
    Example(
        "KRaft's rounds",
        "Each round of as many partitions as brokers gives every broker one lead; then the order is shuffled.",
        PlacementRequest(brokers="0-3", partitions=12, factor=3, algorithm="kraft", seed=42),
    ),
)
