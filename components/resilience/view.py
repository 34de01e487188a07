"""What the Resilience page shows, as a value, and what a person's click makes of it. Pure: no Streamlit in here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeGuard

from components.canvas.pair_matrix.events import opened
from reseat.resilience.losses import Losses
from reseat.resilience.words import LossMeasure

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MOST_BARS",
    "WHICH",
    "Chosen",
    "ResilienceView",
    "apply_event",
    "chosen_in",
    "chosen_of",
    "measure_of",
    "ranked",
    "said_of",
]

#: Bars of the chart; the table has the others.
MOST_BARS = 20
Which = Literal["racks and brokers", "racks", "brokers"]
_LOSS = re.compile(r"(broker|rack|pair):([0-9]{1,10}(?:,[0-9]{1,10}){0,999})")
#: The choices of bars, in the order of the switch.
WHICH: tuple[Which, ...] = ("racks and brokers", "racks", "brokers")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The loss whose detail is open.

    Attributes:
        kind: ``broker``, ``rack`` or ``pair``.
        lost: ids of the brokers lost, ascending.
    """

    kind: str
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResilienceView:
    """What the page shows.

    Attributes:
        measure: what bars and cells count; None: the worst by which some loss does anything.
        which: whose bars are drawn.
        chosen: the loss whose detail is open; None: the worst one.
    """

    measure: LossMeasure | None = None
    which: Which = "racks and brokers"
    chosen: Chosen | None = None


def said_of(chosen: Chosen | None) -> str:
    """The loss whose detail is open as an address has it: ``pair:3,7``; empty for none."""
    return "" if chosen is None else f"{chosen.kind}:{','.join(map(str, chosen.lost))}"


def chosen_in(said: str) -> Chosen | None:
    """The loss that an address names, or None."""
    found = _LOSS.fullmatch(said)
    return None if found is None else Chosen(found[1], tuple(sorted({int(broker) for broker in found[2].split(",")})))


def measure_of(view: ResilienceView, losses: Losses) -> LossMeasure:
    """What bars and cells count."""
    return view.measure if view.measure is not None and losses.told(view.measure) else losses.first_telling


def ranked(view: ResilienceView, losses: Losses) -> pd.DataFrame:
    """The rows that the chart ranks, the worst by the measure first; of equals a rack before a broker."""
    kinds = {"racks and brokers": ("rack", "broker"), "racks": ("rack",), "brokers": ("broker",)}[view.which]
    rows = losses.single[losses.single["kind"].isin(kinds)]
    measure = measure_of(view, losses)
    # The rows come worst first already, and a stable sort keeps that among equals.
    return rows.sort_values(measure, ascending=False, kind="stable", na_position="last")


def chosen_of(view: ResilienceView, losses: Losses) -> Chosen | None:
    """The loss whose detail is open: the one chosen if this layout has it, else the worst; None without brokers.

    Where no single loss does anything by the measure, and a pair does, that pair is the worst.
    """
    if view.chosen is not None and set(view.chosen.lost) <= set(losses.brokers.tolist()):
        rack_is_there = (losses.of_kind("rack")["lost"] == view.chosen.lost).any()
        if view.chosen.kind != "rack" or rack_is_there:
            return view.chosen
    rows = ranked(view, losses)
    if rows.empty:
        return None
    measure = measure_of(view, losses)
    already, pair = losses.already.get(measure, 0), losses.worst_pair(measure)
    if pair is not None and pair[1] > already and not (rows[measure].fillna(0) > already).any():
        return Chosen("pair", pair[0])
    return Chosen(str(rows["kind"].iloc[0]), rows["lost"].iloc[0])


def apply_event(
    view: ResilienceView, event: Mapping[str, object], losses: Losses, brokers: Sequence[int] | None = None
) -> ResilienceView:
    """What is shown after a click; an event that fits nothing changes nothing.

    Args:
        view: what is shown now.
        event: ``{"kind": "open", "row": i, "column": j}`` of the matrix, ``{"kind": "bar", "at": i}`` of the chart,
            ``{"kind": "row", "at": i}`` of the table of brokers and racks, or ``{"kind": "pair", "lost": [a, b]}`` of
            the table of pairs; it comes from a browser and is not trusted.
        losses: what is drawn.
        brokers: ids in the order of the matrix, where it does not show all.
    """
    kind, at = event.get("kind"), event.get("at")
    if kind == "open":
        lost = opened(event, losses.brokers.tolist() if brokers is None else brokers)
        return view if lost is None else replace(view, chosen=Chosen("pair" if len(lost) == 2 else "broker", lost))
    if kind == "pair":
        pair = event.get("lost")
        return replace(view, chosen=Chosen("pair", pair)) if _is_pair(pair, losses) else view
    if kind not in ("bar", "row") or not isinstance(at, int) or isinstance(at, bool):
        return view
    rows = ranked(view, losses)
    rows = rows.head(MOST_BARS) if kind == "bar" else rows
    if not 0 <= at < len(rows):
        return view
    return replace(view, chosen=Chosen(str(rows["kind"].iloc[at]), rows["lost"].iloc[at]))


def _is_pair(lost: object, losses: Losses) -> TypeGuard[tuple[int, int]]:
    return (
        isinstance(lost, tuple) and len(lost) == 2 and lost[0] < lost[1] and set(lost) <= set(losses.brokers.tolist())
    )
