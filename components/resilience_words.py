"""Losses in words: the page's sentence, its figures, and what a single loss does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from components import text, theme
from components.findings import flagged
from components.frame import Figure
from components.resilience_losses import MEASURES, Losses, Measure
from reseat.model import Severity

__all__ = ["WORDS", "Counting", "answer", "chance", "counted", "figures", "harm", "who"]


class Counting(NamedTuple):
    """How a measure is called: on the switch, behind a number, one, several; and its colour."""

    label: str
    chip: str
    one: str
    many: str
    colour: str


WORDS: dict[Measure, Counting] = {
    "offline_partitions": Counting("Offline", "offline", "partition offline", "partitions offline", theme.BROKEN),
    "below_min_isr": Counting(
        "Below min ISR", "below min ISR", "partition below min ISR", "partitions below min ISR", theme.ATTENTION
    ),
    "leaders_moved": Counting("Leaders moved", "leaders moved", "leader moved", "leaders moved", theme.LEADER),
}

_SEVERITIES = {"offline_partitions": Severity.BROKEN, "below_min_isr": Severity.ATTENTION}


def who(kind: str, lost: tuple[int, ...], rack: str | None) -> str:
    """What is lost: ``broker 7``, ``rack az-a``, ``rack-b``, ``brokers 3 and 7``."""
    if kind == "rack" and rack is not None:
        name = text.visible(rack, 40)
        return name if name.casefold().startswith("rack") else f"rack {name}"
    return f"{'broker' if len(lost) == 1 else 'brokers'} {text.ids(lost)}"


def harm(row: pd.Series[object]) -> str:
    """What a loss does by each measure that is told: ``12 partitions offline, 40 partitions below min ISR``."""
    told = [(measure, row[measure]) for measure in MEASURES if row[measure] is not pd.NA]
    return ", ".join(counted(measure, int(str(value))) for measure, value in told)


def counted(measure: Measure, value: int) -> str:
    """A number with what it counts."""
    return text.plural(value, WORDS[measure].one, WORDS[measure].many)


def answer(losses: Losses) -> str:
    """Which single loss hurts most, in one sentence, and what is broken before anything is lost."""
    already = losses.already.get("offline_partitions", 0)
    before = f" {counted('offline_partitions', already)} already." if already else ""
    return _answer(losses) + before


def _answer(losses: Losses) -> str:
    brokers, racks = losses.of_kind("broker"), losses.of_kind("rack")
    if brokers.empty:
        return "There is no broker to lose."
    if len(brokers) == 1:
        lost = _worst(losses, brokers, "offline_partitions")
        only = f"Broker {brokers['lost'].iloc[0][0]} is the only one"
        return f"{only}: losing it takes {_partitions(lost[1])} offline." if lost else f"{only}, and leads nothing."
    broker, rack = _worst(losses, brokers, "offline_partitions"), _worst(losses, racks, "offline_partitions")
    more = "more " if losses.already.get("offline_partitions") else ""
    if broker and rack and rack[1] > broker[1]:
        return (
            f"Losing {rack[0]} takes {_partitions(rack[1], more)} offline; "
            f"the worst single one, {broker[0]}, takes {broker[1]:,}."
        )
    if broker:
        some = int((brokers["offline_partitions"] > losses.already.get("offline_partitions", 0)).sum())
        rest = (
            "no other single broker takes any"
            if some == 1
            else f"{some - 1:,} other single {'broker takes' if some == 2 else 'brokers take'} some too"
        )
        return f"Losing {broker[0]} alone takes {_partitions(broker[1], more)} offline; {rest}."
    if rack:
        return f"Losing {rack[0]} takes {_partitions(rack[1], more)} offline; no single broker takes any."
    return _nothing_offline(losses, brokers, racks, more)


def _nothing_offline(losses: Losses, brokers: pd.DataFrame, racks: pd.DataFrame, more: str) -> str:
    safe = f"No single broker{' and no rack' if len(racks) else ''} takes a {more.replace('more', 'further')}partition"
    pair = losses.worst_pair("offline_partitions")
    already = losses.already.get("offline_partitions", 0)
    if pair is not None and pair[1] > already:
        many, count = losses.harmful_pairs("offline_partitions"), len(losses.brokers)
        return (
            f"{safe} offline; {many:,} of {text.plural(count * (count - 1) // 2, 'pair')} "
            f"{'does' if many == 1 else 'do'}, brokers {text.ids(pair[0])} the most: {_partitions(pair[1] - already)}."
        )
    below = _worst(losses, racks, "below_min_isr") or _worst(losses, brokers, "below_min_isr")
    also = "" if pair is None else ", nor does any pair"
    if below:
        more = "more " if losses.already.get("below_min_isr") else ""
        return f"{safe} offline{also}. Losing {below[0]} leaves {_partitions(below[1], more)} below min ISR."
    worst = losses.worst_pair("below_min_isr")
    if worst is not None and worst[1] > losses.already.get("below_min_isr", 0):
        return (
            f"{safe} offline{also}; brokers {text.ids(worst[0])} together leave {_partitions(worst[1])} below min ISR."
        )
    return f"{safe} offline{also}."


def figures(losses: Losses) -> list[Figure]:
    """Worst broker, rack and pair, copysets, and the chances that random losses lose a partition."""
    shown = [_single("Worst broker", losses, "broker"), _single("Worst rack", losses, "rack")]
    shown.append(_pair(losses))
    scatter = losses.scatter
    if scatter is not None:
        shown += [
            Figure("Copysets", text.count(scatter.copysets), None, _COPYSETS),
            Figure("2 random losses", chance(scatter.chance_two), _lose(scatter.chance_two), _CHANCE.format(2)),
            Figure("3 random losses", chance(scatter.chance_three), _lose(scatter.chance_three), _CHANCE.format(3)),
        ]
    return shown


_COPYSETS = "Distinct sets of brokers that hold a partition: the fewer, the rarer a loss of all its replicas"
_CHANCE = "How likely it is that {} random brokers, lost for good, take every replica of some partition with them"


def chance(value: float | None) -> str:
    """A chance in percent, never 0 or 100 where it is not quite."""
    if value is None:
        return "not told"
    if value in (0, 1):
        return f"{value:.0%}"
    if value < 1e-4:
        return "under 0.01%"
    return f"{100 * value:.2g}%" if value < 0.1 else text.share(value, 1)


def _pair(losses: Losses) -> Figure:
    """The worst pair, by the first measure by which any pair does anything."""
    if not losses.pairs:
        why = "Pairs need two brokers" if len(losses.brokers) < 2 else "Pairs were not counted for this snapshot"
        return Figure("Worst pair", "none", None, why)
    harmful = [measure for measure in MEASURES if measure in losses.pairs and losses.pairs[measure].any()]
    measure = harmful[0] if harmful else MEASURES[0]
    pair = losses.worst_pair(measure)
    if pair is None:
        return Figure("Worst pair", "none")
    severity = _SEVERITIES.get(measure)
    label = "Worst pair" if severity is None else flagged("Worst pair", pair[1], severity)
    name, does = f"{pair[0][0]} + {pair[0][1]}", f"{pair[1]:,} {WORDS[measure].chip}"
    return Figure(label, name, does, "Of all pairs of brokers")


def _lose(value: float | None) -> str | None:
    return None if value is None else "lose data"


def _single(label: str, losses: Losses, kind: str) -> Figure:
    """The worst row, with the first measure by which it does anything."""
    rows = losses.of_kind(kind)
    if rows.empty:
        return Figure(
            label, "not told" if kind == "rack" else "none", None, "No rack is told" if kind == "rack" else None
        )
    row = rows.iloc[0]
    name = text.visible(str(row["rack"]), 18) if kind == "rack" else str(row["lost"][0])
    for measure in MEASURES:
        if row[measure] is not pd.NA and row[measure]:
            severity = _SEVERITIES.get(measure)
            shown = label if severity is None else flagged(label, int(row[measure]), severity)
            return Figure(shown, name, f"{row[measure]:,} {WORDS[measure].chip}", harm(row))
    return Figure(label, name, "0 offline", harm(row))


def _worst(losses: Losses, rows: pd.DataFrame, measure: Measure) -> tuple[str, int] | None:
    """Who does most by a measure, and how much beyond what is so already; None where nobody does anything."""
    if rows.empty:
        return None
    beyond = rows[measure].fillna(0).to_numpy(np.int64) - losses.already.get(measure, 0)
    at = int(np.argmax(beyond))
    row = rows.iloc[at]
    return (who(row["kind"], row["lost"], row["rack"]), int(beyond[at])) if beyond[at] > 0 else None


def _partitions(count: int, more: str = "") -> str:
    return f"{count:,} {more}{'partition' if count == 1 else 'partitions'}"
