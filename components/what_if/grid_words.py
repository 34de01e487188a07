"""The sentence above the heatmap: the fullest and the emptiest of what is shown, or what differs most."""

from __future__ import annotations

import numpy as np

from components.look import text
from components.what_if.grid_panel import GridChoice
from reseat.balance.grid import Grid

__all__ = ["sentence"]


def sentence(choice: GridChoice, grid: Grid) -> str:
    """What stands out among the rows.

    Args:
        choice: what is shown.
        grid: its sums; of the difference where one is shown.
    """
    if not len(choice.axes.columns):
        return "No topic matches." if choice.axes.base.partition_count else "No topic in this layout."
    if not len(grid.row_sums):
        return "There are no brokers."
    said = _difference(choice, grid) if choice.show == "difference" else _extremes(choice, grid)
    part = _part(choice)
    return f"{part}: {said[:1].lower()}{said[1:]}" if part else said


def _part(choice: GridChoice) -> str:
    """Which part is shown, where it is not all: the numbers of the sentence are of that part alone."""
    view, axes = choice.view, choice.axes
    if not view.zoomed:
        return ""
    kind = "partition" if view.by_partition else "topic"
    columns = text.counted(len(axes.columns), kind) if view.columns is not None else f"all {kind}s"
    of = "" if view.topic is None else f" of {view.topic}"
    one, many = axes.row_kind
    brokers = text.counted(len(axes.brokers), one, many) if view.rows is not None else f"all {many}"
    return f"Zoomed to {columns}{of} on {brokers}"


def _extremes(choice: GridChoice, grid: Grid) -> str:
    # Where rows hold several brokers, it is still single ones that are full or empty.
    places = choice.counted_brokers
    sums = grid.broker_sums[places]
    full, empty, mean = int(np.argmax(sums)), int(np.argmin(sums)), float(sums.mean())
    start = "After the plan " if choice.show == "after" else ""
    if sums[full] == 0:
        return _start(
            f"{start}no {choice.axes.row_kind[0]} has {'any bytes' if _bytes(choice) else f'a {_words(choice, 1)}'}."
        )
    if sums[full] == sums[empty]:
        one, many = choice.axes.row_kind
        every, equal = (
            (f"the {one} has", "") if len(grid.broker_sums) == 1 else (f"each {one} has", f" All {many} are equal.")
        )
        return _start(f"{start}{every} {_amount(choice, float(sums[full]))}.{equal}")
    least = "the least" if _bytes(choice) else "the fewest"
    most, fewest = _number(choice, float(sums[full])), _number(choice, float(sums[empty]))
    return _start(
        f"{start}{_one(choice, places[full])} the most {_words(choice, 2)}: {most}. The mean is "
        f"{_number(choice, mean)}; {_one(choice, places[empty])} {least}: {fewest}."
    )


def _difference(choice: GridChoice, grid: Grid) -> str:
    less, more = int(np.argmin(grid.row_sums)), int(np.argmax(grid.row_sums))
    against = "after the plan" if choice.title == "the plan" else f"in {choice.title}"
    if not grid.values.any():
        return f"No change {against}."
    said = []
    if grid.row_sums[less] < 0:
        said.append(f"{_who(choice, less)} {_amount(choice, -float(grid.row_sums[less]))} fewer {against}")
    if grid.row_sums[more] > 0:
        said.append(f"{_who(choice, more)} {_amount(choice, float(grid.row_sums[more]))} more")
    if not said:
        return f"Replicas move {against}, but every broker keeps the same number."
    return _start(f"{', '.join(said)}{'' if grid.row_sums[less] < 0 else f' {against}'}.")


def _who(choice: GridChoice, row: int) -> str:
    """The brokers of a row and their verb: one, or a block of neighbours."""
    span, axes = choice.axes.row_spans[row], choice.axes
    if len(span) == 1:
        return _one(choice, span.start)
    first, last = axes.name_of(span.start), axes.name_of(span.stop - 1)
    return f"the {len(span)} {axes.row_kind[1]} {first} … {last} together have"


def _one(choice: GridChoice, place: int) -> str:
    return f"{choice.axes.row_kind[0]} {choice.axes.name_of(place)} has"


def _start(words: str) -> str:
    return words[:1].upper() + words[1:]


def _bytes(choice: GridChoice) -> bool:
    return choice.view.measure == "bytes"


def _words(choice: GridChoice, count: int) -> str:
    """What is counted, in the singular or the plural."""
    if choice.view.measure == "behind":
        return text.verb(count, "replica out of sync", "replicas out of sync")
    return choice.view.measure.removesuffix("s") if count == 1 and not _bytes(choice) else choice.view.measure


def _number(choice: GridChoice, value: float) -> str:
    return text.size(value) if _bytes(choice) else text.number(value, 0 if value >= 100 or value == int(value) else 1)


def _amount(choice: GridChoice, value: float) -> str:
    return text.size(value) if _bytes(choice) else f"{_number(choice, value)} {_words(choice, int(value))}"
