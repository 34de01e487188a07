"""What pages keep in the session, each in a slot with a type, and widgets that begin anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from components.state import store

__all__ = ["Anew", "Slot", "field", "forget_addressed"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Slot(Generic[_T]):
    """One choice of a page (a zoom, an opened row) that the session keeps.

    Attributes:
        name: unlike any other's.
        addressed: whether the page's address tells it too: where the browser goes back, it is read from there again.
    """

    name: str
    addressed: bool = False

    def of(self, whose: str) -> Slot[_T]:
        """The same of a layout or a cluster; a layout's is forgotten as it is closed."""
        return replace(self, name=f"{self.name} {whose}")

    def get(self, begins: _T) -> _T:
        """What was chosen, or else what it begins with."""
        found = store.state().kept.get(self.name, begins)
        return found if isinstance(found, type(begins)) else begins

    def once(self, begin: Callable[[], _T]) -> _T:
        """What was chosen, or else what it begins with, made once and kept."""
        if self.name not in store.state().kept:
            self.set(begin())
        kept: _T = store.state().kept[self.name]  # type: ignore[assignment]  # of the session, where names have no types
        return kept

    def set(self, value: _T, *, addressed: bool | None = None) -> None:
        """Choose; ``addressed`` says it of this choice alone, as where it is too long for an address."""
        now, page = store.state(), store.page_script()
        now.kept[self.name] = value
        now.addressed.pop(self.name, None)
        if (self.addressed if addressed is None else addressed) and page is not None:
            now.addressed[self.name] = page


@dataclass(frozen=True)
class Anew:
    """Widgets that begin anew where what they begin with changes: under another key, as Streamlit goes by keys.

    Attributes:
        name: unlike any other's.
    """

    name: str

    @property
    def turn(self) -> int:
        """Grows with each beginning, also where an address of their page was followed."""
        turns = store.state().turns
        count, _ = turns.get(self.name, (0, None))
        turns[self.name] = (count, store.page_script())
        return count

    def key(self, key: str) -> str:
        """The key of a widget until they begin anew."""
        return f"{key}-{self.turn}"

    def begin(self) -> None:
        """They begin anew."""
        store.state().turns[self.name] = (self.turn + 1, store.page_script())


def field(key: str) -> str:
    """The key of a field whose choice stands in the address: where one was followed, it begins with that again."""
    returns = store.state().returns
    return f"{key}-{returns}" if returns else key


def forget_addressed() -> None:
    """Let go what the open page keeps and its address tells: it is read from there again, and its fields begin anew."""
    now, page = store.state(), store.page_script()
    for name in [name for name, where in now.addressed.items() if where == page]:
        now.kept.pop(name, None)
    now.turns = {name: (count + (where == page), where) for name, (count, where) in now.turns.items()}
