"""What the browser is sent for a pair matrix: half of the cells in as few bytes as they take, and words beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from components.canvas.cells import b64, cividis, rgb, token_of
from components.look import text, theme

__all__ = ["matrix_data"]

#: Pixels of the stage: with the strip, the sentence and the figures it stays within a screen of 768.
_HEIGHT = 392
_AROUND, _CELL, _LEAST = 48, 64, 184
#: What one hovers over is told by the other measures too, as long as they are not more than this.
_ALSO_BYTES = 300_000

_Words = tuple[str, str]
_Cells = npt.NDArray[np.uint32]


def matrix_data(
    brokers: Sequence[int],
    racks: Sequence[str | None],
    shown: tuple[_Cells, _Words],
    also: Sequence[tuple[_Cells, _Words]] = (),
    *,
    selected: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """The data of a matrix.

    Args:
        brokers: B ids in the order of rows and columns.
        racks: their racks.
        shown: B (B + 1) / 2 cells that give the colour, the upper half row by row with its diagonal, and what they
            count ("partition offline", "partitions offline").
        also: further cells that are told when one hovers.
        selected: row and column that are marked.
    """
    cells, words = shown
    most = int(cells.max(initial=0))
    looks = theme.rack_looks(sorted({rack for rack in racks if rack is not None}))
    look = theme.look()
    further = [one for one in also if len(one[0]) * _width(one[0]) <= _ALSO_BYTES]
    data: dict[str, Any] = {
        "labels": [str(broker) for broker in brokers],
        "names": [_name(broker, rack) for broker, rack in zip(brokers, racks, strict=True)],
        "groups": _groups(racks, looks),
        "shown": _packed(cells, words),
        "also": [_packed(*one) for one in further],
        "most": most,
        "top": max(most, 1),
        "nothing": "none",
        "palette": cividis(),
        "none": rgb(look.none),
        "look": {
            "text": look.text,
            "quiet": look.quiet,
            "background": look.background,
            "accent": look.accent,
        },
        "height": min(_HEIGHT, max(_AROUND + _CELL * len(brokers), _LEAST)),
        "label": f"{text.counted(len(brokers), 'broker')} by as many: what each pair lost together would do, by "
        f"{words[1]}. Arrow keys move between pairs, Enter opens one, plus zooms in, Escape zooms out.",
    }
    return data | {"token": token_of(data), "selected": list(selected or (-1, -1))}


def _packed(cells: _Cells, words: _Words) -> dict[str, object]:
    width = _width(cells)
    return {"values": b64(cells.astype(f"<u{width}")), "width": width, "words": list(words)}


def _width(cells: _Cells) -> int:
    """Bytes a cell takes."""
    most = int(cells.max(initial=0))
    return 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4


def _name(broker: int, rack: str | None) -> str:
    return f"broker {broker}" + (f" ({text.visible(rack, 40)})" if rack else "")


def _groups(racks: Sequence[str | None], looks: Mapping[str, tuple[str, str]]) -> list[dict[str, object]]:
    """Runs of neighbours that share a rack."""
    if not looks:
        return []
    names = ["no rack" if rack is None else text.visible(rack, 40) for rack in racks]
    # Where there is no room for whole names, what tells them apart is enough: 10 of rack-10.
    distinct = sorted(set(names))
    alike = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*distinct, strict=False)))
    alike = alike if len(distinct) > 1 else 0
    groups: list[dict[str, object]] = []
    start = 0
    for rack, run in groupby(racks):
        stop = start + len(list(run))
        groups.append(
            {
                "label": names[start],
                "short": names[start][alike:],
                "from": start,
                "to": stop,
                "colour": "transparent" if rack is None else looks[rack][0],
            }
        )
        start = stop
    return groups
