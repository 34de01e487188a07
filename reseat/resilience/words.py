"""Losses in words: how a measure is called, what is lost, and which loss hurts most, in one sentence.

Promises: pages and reports say the same of the same losses; a number that cannot be told is left out, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from reseat.model.units import share
from reseat.model.wording import counted, ids, verb, visible

__all__ = ["MEASURES", "WORDS", "Counting", "LossMeasure", "Worst", "answer", "chance", "loss_in_words", "who"]

#: What a loss is measured by, worst first; the names are those of ``Loss`` and of the table ``resilience``.
LossMeasure = Literal["offline_partitions", "below_min_isr", "leaders_moved"]
MEASURES: tuple[LossMeasure, ...] = ("offline_partitions", "below_min_isr", "leaders_moved")


class Counting(NamedTuple):
    """How a measure is called: on a switch, behind a number, one, several."""

    label: str
    chip: str
    one: str
    many: str


#: How each measure is called.
WORDS: dict[LossMeasure, Counting] = {
    "offline_partitions": Counting("Offline", "offline", "partition offline", "partitions offline"),
    "below_min_isr": Counting("Below min ISR", "below min ISR", "partition below min ISR", "partitions below min ISR"),
    "leaders_moved": Counting("Leaders moved", "leaders moved", "leader moved", "leaders moved"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """Which losses hurt most; every number is what comes on top of what is so before anything is lost.

    Attributes:
        brokers: ids of the brokers that may be lost.
        racks: how many racks may be lost.
        broker: by measure who does most and how much; a measure by which nobody does anything is left out.
        rack: the same of racks.
        pair: the same of pairs, who being the two ids.
        harmful_brokers: how many single brokers take a partition offline.
        harmful_pairs: how many pairs do.
        already: by measure what is so before.
        pairs_told: whether pairs were counted.
        pairs_keep_a_copy: whether no two brokers hold all replicas of a partition.
    """

    brokers: tuple[int, ...]
    racks: int = 0
    broker: Mapping[LossMeasure, tuple[str, int]] = field(default_factory=dict)
    rack: Mapping[LossMeasure, tuple[str, int]] = field(default_factory=dict)
    pair: Mapping[LossMeasure, tuple[tuple[int, int], int]] = field(default_factory=dict)
    harmful_brokers: int = 0
    harmful_pairs: int = 0
    already: Mapping[LossMeasure, int] = field(default_factory=dict)
    pairs_told: bool = False
    pairs_keep_a_copy: bool = False


def who(kind: str, lost: tuple[int, ...], rack: str | None) -> str:
    """What is lost: ``broker 7``, ``rack az-a``, ``rack-b``, ``brokers 3 and 7``."""
    if kind == "rack" and rack is not None:
        name = visible(rack, 40)
        return name if name.casefold().startswith("rack") else f"rack {name}"
    return f"{verb(len(lost), 'broker', 'brokers')} {ids(lost)}"


def loss_in_words(measure: LossMeasure, value: int) -> str:
    """A number with what it counts."""
    return counted(value, WORDS[measure].one, WORDS[measure].many)


def chance(value: float | None) -> str:
    """A chance in percent, never 0 or 100 where it is not quite."""
    if value is None:
        return "unknown"
    if value in (0, 1):
        return f"{value:.0%}"
    if value < 1e-4:
        return "under 0.01%"
    return f"{100 * value:.2g}%" if value < 0.1 else share(value, 1)


def answer(worst: Worst) -> str:
    """Which loss hurts most, in one sentence, and what is broken before anything is lost."""
    already = worst.already.get("offline_partitions", 0)
    before = f" {loss_in_words('offline_partitions', already)} already." if already else ""
    return _answer(worst) + before


def _answer(worst: Worst) -> str:
    if not worst.brokers:
        return "There are no brokers."
    broker, rack = worst.broker.get("offline_partitions"), worst.rack.get("offline_partitions")
    if len(worst.brokers) == 1:
        only = f"Broker {worst.brokers[0]} is the only one"
        return f"{only}: losing it takes {_partitions(broker[1])} offline." if broker else f"{only}, and leads nothing."
    more = "more " if worst.already.get("offline_partitions") else ""
    if broker and rack and rack[1] > broker[1]:
        return (
            f"Losing {rack[0]} takes {_partitions(rack[1], more)} offline; "
            f"of single brokers, {broker[0]} takes the most: {broker[1]:,}."
        )
    if broker:
        some = worst.harmful_brokers
        rest = (
            "no other single broker takes any offline"
            if some == 1
            else f"{some - 1:,} other single {'broker takes' if some == 2 else 'brokers take'} some too"
        )
        return f"Losing {broker[0]} alone takes {_partitions(broker[1], more)} offline; {rest}."
    if rack:
        return f"Losing {rack[0]} takes {_partitions(rack[1], more)} offline; no single broker takes any offline."
    return _nothing_offline(worst, more)


def _nothing_offline(worst: Worst, more: str) -> str:
    safe = f"No single broker{' and no rack' if worst.racks else ''} takes a {more.replace('more', 'further')}partition"
    pair = worst.pair.get("offline_partitions")
    if pair is not None:
        many, count = worst.harmful_pairs, len(worst.brokers)
        kept = " No pair holds every copy of a partition: the remaining copies are out of sync, not lost."
        return (
            f"{safe} offline; {many:,} of {counted(count * (count - 1) // 2, 'pair')} {verb(many, 'does', 'do')}, "
            f"brokers {ids(pair[0])} the most: {_partitions(pair[1])}.{kept if worst.pairs_keep_a_copy else ''}"
        )
    below = worst.rack.get("below_min_isr") or worst.broker.get("below_min_isr")
    also = ", nor does any pair" if worst.pairs_told else ""
    if below:
        more = "more " if worst.already.get("below_min_isr") else ""
        return f"{safe} offline{also}. Losing {below[0]} puts {_partitions(below[1], more)} below min ISR."
    both = worst.pair.get("below_min_isr")
    if both is not None:
        return f"{safe} offline{also}; losing brokers {ids(both[0])} puts {_partitions(both[1])} below min ISR."
    return f"{safe} offline{also}."


def _partitions(count: int, more: str = "") -> str:
    return f"{count:,} {more}{verb(count, 'partition', 'partitions')}"
