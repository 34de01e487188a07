"""The rack board: racks as columns, brokers as tiles, dragged out and in. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``rack_board.html``, ``.css``, ``.js`` and, before them, a script and styles
for each of its rooms. Under AppTest it is an unknown element, so the JavaScript only says what a person did, and
``apply_event`` turns that into a wish.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from components.canvas.figure_state import FigureState
from components.canvas.mount import mount
from components.canvas.rack_board.events import Heard, apply_event
from components.look.theme import rack_looks
from reseat.model import ClusterLayout

__all__ = ["Heard", "apply_event", "rack_board"]

_HERE = Path(__file__).parent
_ROOMS = (
    "pause",
    "figure_state",
    "finder",
    "words",
    "layout",
    "drawing",
    "tiles",
    "disks",
    "dragging",
    "keys",
    "flows",
)


def rack_board(
    layout: ClusterLayout, board: Mapping[str, object], state: FigureState, *, key: str = "rack-board"
) -> None:
    """Draw the board and listen.

    Args:
        layout: what one looks at.
        board: what is drawn (``reseat.balance.board.board_data``).
        state: what is typed to ``find`` a broker, and whether all ``ids`` are shown; it hears what a person does on the
            board, for ``apply_event``.
        key: the board's name on the page; a board keeps its place, focus and drag as long as its key stays.
    """
    colours = {rack: colour for rack, (colour, _) in rack_looks(layout.racks).items()}
    mount(_HERE, *_ROOMS)(key=key, data={**board, **state.data(), "colours": colours}, **state.callbacks(key))
