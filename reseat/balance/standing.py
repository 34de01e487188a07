"""What replication sends from rack to rack all day, by topic, from the rate at which each topic is produced.

Promises: bytes that partitions' leaders send to their followers in other racks, and no others: producers, consumers and
moves are not among them. What cannot be placed, since a rack is unknown or none, is counted apart and never taken as 0.

Needs: racks; who leads, else the first replica of each list. How: a topic's rate is spread evenly over its partitions,
and each partition's is sent once to every follower.

Example: orders takes 3 MB a second in three partitions; each has two followers, in two other racks. 6 MB a second cross
racks, 518.4 GB a day.

Complexity: O(P R).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reseat.model import NONE, ClusterLayout
from reseat.model.units import money, size
from reseat.model.wording import counted

__all__ = ["DAY", "Standing", "standing", "standing_sentences"]

#: Seconds.
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Standing:
    """One topic on one day.

    Attributes:
        topic: its name.
        produced: bytes that producers send.
        within: bytes that followers copy in their leader's rack.
        across: bytes that followers copy from another rack.
        unplaced: bytes of followers whose rack, or whose leader's, is unknown or none.
    """

    topic: str
    produced: float
    within: float
    across: float
    unplaced: float


def standing(layout: ClusterLayout, rates: Mapping[str, float]) -> tuple[Standing, ...]:
    """Each topic of the layout that has a rate (bytes a second), the most across racks first, then by name."""
    rack = np.append(layout.rack_of, np.int32(NONE))
    first = layout.replicas[:, 0] if layout.replicas.shape[1] else layout.leader
    leads = np.where(layout.leader >= 0, layout.leader, first)
    follower = (layout.replicas != NONE) & (layout.replicas != leads[:, None])
    theirs, its = rack[layout.replicas], rack[leads][:, None]
    known = (theirs >= 0) & (its >= 0)
    counts = [
        np.bincount(layout.topic_of, (follower & where).sum(axis=1), len(layout.topics))
        for where in (known & (theirs == its), known & (theirs != its), ~known)
    ]
    partitions = np.maximum(np.bincount(layout.topic_of, minlength=len(layout.topics)), 1)
    told = []
    for at, name in enumerate(layout.topics):
        if name in rates:
            day = rates[name] * DAY
            told.append(Standing(name, day, *(day * float(count[at]) / int(partitions[at]) for count in counts)))
    return tuple(sorted(told, key=lambda one: (-one.across, one.topic)))


def standing_sentences(told: Sequence[Standing], without: int, price: float | None = None) -> list[str]:
    """What all of it is a day, what it costs, and what is not among it, for a person.

    Args:
        told: as of ``standing``.
        without: topics of which no rate is known.
        price: of a GB (10^9 bytes) that goes from one rack to another, in whatever currency.
    """
    if not told:
        return ["No rate is known of any topic here: what replication sends from rack to rack is unknown."]
    across, unplaced = sum(one.across for one in told), sum(one.unplaced for one in told)
    paid = "" if price is None else f", {money(across / 1e9 * price)} at {price:,.4g} a GB"
    said = [f"Replication sends {size(across)} a day from rack to rack{paid}."]
    if unplaced:
        said.append(f"Of {size(unplaced)} a day a rack is unknown or none: not among these.")
    if without:
        said.append(f"No rate is known of {counted(without, 'topic')}: not counted.")
    return said
