"""What a person does in a figure: what is set there (typed to find, a zoom), which the address tells, and events.

Both are heard in callbacks, before the page is drawn anew: what a person did is drawn by one run of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

__all__ = ["FigureState"]


@dataclass(frozen=True)
class FigureState:
    """What a figure begins with, and who hears of what a person sets then.

    Attributes:
        begins: what each is at first, by name.
        turn: grows where an address was followed: the figure begins anew then, else it keeps what the person set.
        hear: called with the component's key and the name of what was set.
        event: called with the component's key where a person did something else.
    """

    begins: Mapping[str, str]
    turn: int
    hear: Callable[[str, str], None]
    event: Callable[[str], None]

    def data(self) -> dict[str, object]:
        """What the script is given."""
        return {"figureState": {"begins": dict(self.begins), "turn": self.turn}}

    def callbacks(self, key: str) -> dict[str, Any]:
        """What the component with this key calls where one was set, or something was done."""
        heard = {f"on_{name}_change": partial(self.hear, key, name) for name in self.begins}
        return {**heard, "on_event_change": partial(self.event, key)}
