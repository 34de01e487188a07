"""What ``kafka-consumer-groups --describe`` prints of one group, as a group.

A row a partition: who reads it, or ``-``. What members subscribe to is not printed; it is taken to be every topic of
the text. A partition without a row is not known, so a topic has as many as its highest row tells. Members that read
nothing have no row either.
"""

from __future__ import annotations

from reseat.consumers.events import Rebalance
from reseat.consumers.group import Member, Partition
from reseat.consumers.rebalancing import GroupState
from reseat.errors import InputRefused

__all__ = ["is_printed", "read_printed"]

_NEEDED = ("GROUP", "TOPIC", "PARTITION", "CONSUMER-ID")
_NONE = "-"
#: Beyond it an id is a mistake, or hostile.
_MOST_PARTITION = 1_000_000


def is_printed(text: str) -> bool:
    """Whether a text holds the head of the tool's table."""
    return any(_is_head(line) for line in text.splitlines()[:200])


def read_printed(text: str, source: str | None = None) -> tuple[GroupState, tuple[Rebalance, ...]]:
    """The group, whose members own what they read, and the rebalance with which its story begins.

    Args:
        text: what the tool printed.
        source: what to call it in sentences.

    Raises:
        InputRefused: a row is none, two groups are printed, or nobody reads anything.
    """
    head: list[str] = []
    groups: set[str] = set()
    owned: dict[str, list[Partition]] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split()
        if _is_head(line):
            head = cells
        elif head and cells:
            row = dict(zip(head, cells, strict=False))
            partition = row.get("PARTITION", "")
            if len(cells) != len(head) or not (partition.isascii() and partition.isdecimal() and len(partition) < 8):
                raise InputRefused(
                    f"A row of kafka-consumer-groups --describe was expected, with {len(head)} cells.",
                    source=source,
                    line=number,
                )
            groups.add(row["GROUP"])
            topic = row["TOPIC"]
            counts[topic] = max(counts.get(topic, 0), min(int(partition), _MOST_PARTITION) + 1)
            if row["CONSUMER-ID"] != _NONE:
                owned.setdefault(row["CONSUMER-ID"], []).append((topic, int(partition)))
    if len(groups) > 1:
        raise InputRefused(f"{len(groups)} groups are printed; one was expected. Describe it alone.", source=source)
    if not owned:
        raise InputRefused("This group has no members to assign partitions to.", source=source)
    topics = tuple(sorted(counts))
    members = {name: Member(name, topics, owned=tuple(sorted(set(mine))), generation=1) for name, mine in owned.items()}
    return GroupState(members, counts, 1), (Rebalance(),)


def _is_head(line: str) -> bool:
    return set(_NEEDED) <= set(line.split())
