"""Losses in words: the page's sentence, its figures, and what a single loss does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.look import text
from components.shell.findings import flagged
from components.shell.frame import Figure
from reseat.model import Severity
from reseat.resilience import words
from reseat.resilience.losses import Losses
from reseat.resilience.words import MEASURES, WORDS, LossMeasure, Worst, chance, loss_in_words, who

__all__ = ["answer", "figures", "harm", "names_of"]

_SEVERITIES = {"offline_partitions": Severity.BROKEN, "below_min_isr": Severity.ATTENTION}


def names_of(rows: pd.DataFrame) -> list[str]:
    """What each of some losses is called."""
    return [who(*row) for row in zip(rows["kind"], rows["lost"], rows["rack"], strict=True)]


def harm(row: pd.Series[Any]) -> str:
    """What a loss does by each measure that is told: ``12 partitions offline, 40 partitions below min ISR``."""
    told = [(measure, row[measure]) for measure in MEASURES if row[measure] is not pd.NA]
    return ", ".join(loss_in_words(measure, int(str(value))) for measure, value in told)


def answer(losses: Losses) -> str:
    """Which single loss hurts most, in one sentence, and what is broken before anything is lost."""
    brokers, racks = losses.of_kind("broker"), losses.of_kind("rack")
    already = losses.already.get("offline_partitions", 0)
    pairs = {}
    for measure in MEASURES:
        pair = losses.worst_pair(measure)
        if pair is not None and pair[1] > losses.already.get(measure, 0):
            pairs[measure] = pair[0], pair[1] - losses.already.get(measure, 0)
    scatter = losses.scatter
    return words.answer(
        Worst(
            brokers=tuple(lost[0] for lost in brokers["lost"]),
            racks=len(racks),
            broker=_worst(losses, brokers),
            rack=_worst(losses, racks),
            pair=pairs,
            harmful_brokers=int((brokers["offline_partitions"] > already).sum()),
            harmful_pairs=losses.harmful_pairs("offline_partitions"),
            already=losses.already,
            pairs_told=losses.worst_pair("offline_partitions") is not None,
            pairs_keep_a_copy=scatter is not None and scatter.chance_two == 0,
        )
    )


def figures(losses: Losses) -> list[Figure]:
    """Worst broker, rack and pair, copysets, and the chances that random losses lose a partition."""
    shown = [_single("Worst broker", losses, "broker"), _single("Worst rack", losses, "rack")]
    shown.append(_pair(losses))
    scatter = losses.scatter
    if scatter is not None:
        shown += [
            Figure("Copysets", text.count(scatter.copysets), None, _COPYSETS),
            Figure("P(data loss), 2 brokers", chance(scatter.chance_two), _lose(scatter.chance_two), _CHANCE),
            Figure("P(data loss), 3 brokers", chance(scatter.chance_three), _lose(scatter.chance_three), _CHANCE),
        ]
    return shown


_COPYSETS = "The fewer there are, the less likely random failures hit one."
_CHANCE = "A partition is offline earlier: as soon as none of its remaining replicas is in sync."


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
    does = flagged(pair[1], _SEVERITIES.get(measure), WORDS[measure].chip)
    return Figure("Worst pair", f"{pair[0][0]} + {pair[0][1]}", does, None)


def _lose(value: float | None) -> str | None:
    return None if value is None else "all replicas lost"


def _single(label: str, losses: Losses, kind: str) -> Figure:
    """The worst row, with the first measure by which it does anything."""
    rows = losses.of_kind(kind)
    if rows.empty:
        return Figure(label, "unknown" if kind == "rack" else "none", None, "Racks unknown" if kind == "rack" else None)
    row = rows.iloc[0]
    name = text.plain(str(row["rack"]), 18) if kind == "rack" else str(row["lost"][0])
    for measure in MEASURES:
        if row[measure] is not pd.NA and row[measure]:
            does = flagged(int(row[measure]), _SEVERITIES.get(measure), WORDS[measure].chip)
            return Figure(label, name, does, harm(row))
    return Figure(label, name, "0 offline", harm(row))


def _worst(losses: Losses, rows: pd.DataFrame) -> dict[LossMeasure, tuple[str, int]]:
    """By measure: who does most, and how much beyond what is so already; nothing where nobody does anything."""
    found: dict[LossMeasure, tuple[str, int]] = {}
    for measure in () if rows.empty else MEASURES:
        beyond = rows[measure].fillna(0).to_numpy(np.int64) - losses.already.get(measure, 0)
        at = int(np.argmax(beyond))
        row = rows.iloc[at]
        if beyond[at] > 0:
            found[measure] = who(row["kind"], row["lost"], row["rack"]), int(beyond[at])
    return found
