"""What a session has open, within bounds: layouts, their texts, typed clusters. Knows nothing of Streamlit.

A server runs for months and a page stays open for days, so whatever a person opens is forgotten again: what they close
at once, the rest in the order in which it was looked at last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from components.state import links
from components.state.past import Past
from reseat.access import Door
from reseat.formats.input.reading import Reading
from reseat.model import Snapshot, Wish
from reseat.model.edits import Edits
from reseat.sources.followed import LiveCluster

__all__ = ["REFRESH_SECONDS", "Opened", "SessionState"]

#: How often a live cluster can be read by itself; a link that asks for anything else is by hand.
REFRESH_SECONDS = (10, 30, 60, 300)

#: Layouts, and moments of the past among them, that stay in a session, the one looked at included; one may hold a
#: million partitions. Those looked at longest ago are forgotten first.
_MOST_LAYOUTS, _MOST_PASTS = 12, 4
#: Bytes of uploaded texts that stay in a session, so that they can be saved with their layouts; oldest forgotten first.
_MOST_TEXT_BYTES = 64_000_000
#: Clusters of typed addresses that stay in a session.
_MOST_TYPED = 12


@dataclass
class Opened:
    """One layout that is open.

    Attributes:
        reading: what was read.
        read_at: when, UTC; of a snapshot's file when the cluster was so.
        edits: what was changed of it.
        wish: the what-if on it, its point of the curve included.
        after: whether pages show what the what-if leads to, or leave it aside.
        snapshot: the reading of a live cluster or the moment of the past that it is, or None.
        live: the live cluster that it follows, or None.
        past: which moment of a cluster's history it is, or None.
        looked: counts up with each look at any layout of the session.
        came_by: the door of whoever put it on the server's shelf, where it was opened by a link; None: no door.
    """

    reading: Reading
    read_at: datetime
    edits: Edits = field(default_factory=Edits)
    wish: Wish = field(default_factory=Wish)
    after: bool = True
    snapshot: Snapshot | None = None
    live: LiveCluster | None = None
    past: Past | None = None
    looked: int = 0
    came_by: Door | None = None

    @property
    def door(self) -> Door | None:
        """What a person must be allowed to see it; None for their own uploads, and samples."""
        if self.past is not None:
            return Door.READ_HISTORY
        return Door.READ_CLUSTERS if self.live is not None else self.came_by

    def follow(self) -> None:
        """Take the latest reading of the live cluster; the edits stay."""
        state = None if self.live is None else self.live.state
        if state is not None and state.snapshot is not None and state.reading is not None:
            self.reading, self.snapshot, self.read_at = state.reading, state.snapshot, state.snapshot.taken_at


@dataclass
class SessionState:
    """All that a session has open.

    Attributes:
        opened: layouts by name, oldest first.
        current: the one looked at, or None.
        link: the link that could not be followed, or None.
        started: whether the address that the session began with was followed.
        kept: pages' own choices (``slots``).
        turns: how often widgets began anew, and on which page they stand, by their name.
        addressed: those of them that a page's address tells, with the page.
        page: the title of the page that is drawn, or was last.
        arrived: whether that page's address was looked at, and it has not begun to be drawn.
        coming: the address by which that page was come to, until it is drawn; else None.
        telling: what that page's address is to say of its choices; empty texts are taken out of it.
        own: what each page's address said of its choices last, by the page's title: links to it say it again.
        titles: what each page said that it shows: its view, and whose, for the title of the browser's tab.
        titling: the same, as the page being drawn says it so far.
        offers: addresses that links on pages lead to and that open something else than what one looks at.
        returns: how often an address was followed: the browser went back or forward, or a link led on.
        texts: what layouts were read from, by the layout's digest, oldest first.
        looks: how often any layout was looked at.
        token: the server's token as this person typed it.
        typed: clusters whose address was typed: their passwords live as long as this session, and nowhere else.
        present: what was looked at before one went into the past, or None.
        wall: whether pages are shown alone, for a screen on the wall.
        by_itself: whether the page is redrawn though nobody acted (``told``).
        redrawing: whether the next run of a page is such a one.
    """

    opened: dict[str, Opened] = field(default_factory=dict)
    current: str | None = None
    link: links.Link | None = None
    started: bool = False
    kept: dict[str, object] = field(default_factory=dict)
    turns: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    addressed: dict[str, str] = field(default_factory=dict)
    page: str = ""
    arrived: bool = False
    coming: dict[str, str] | None = None
    telling: dict[str, str] = field(default_factory=dict)
    own: dict[str, dict[str, str]] = field(default_factory=dict)
    titles: dict[str, tuple[str, str]] = field(default_factory=dict)
    titling: tuple[str, str] = ("", "")
    offers: dict[frozenset[tuple[str, str]], None] = field(default_factory=dict)
    returns: int = 0
    texts: dict[str, tuple[tuple[str, bytes], ...]] = field(default_factory=dict)
    looks: int = 0
    token: str = ""
    typed: dict[str, LiveCluster] = field(default_factory=dict)
    present: str | None = None
    wall: bool = False
    by_itself: bool = False
    redrawing: bool = False

    @property
    def here(self) -> Opened | None:
        """The layout looked at, or None."""
        return None if self.current is None else self.opened[self.current]

    def look(self, name: str) -> None:
        """Look at an open layout, with its what-if; beyond the bounds those looked at longest ago are forgotten."""
        self.looks += 1
        self.opened[name].looked = self.looks
        self.current = name
        for counts, most in ((self.is_past, _MOST_PASTS), (self.opened.__contains__, _MOST_LAYOUTS)):
            oldest = sorted(filter(counts, self.opened), key=lambda one: self.opened[one].looked)
            for one in oldest[: max(len(oldest) - most, 0)]:
                self.forget(one)

    def forget(self, name: str) -> None:
        """Let a layout go, with its text and what pages kept of it."""
        digest = self.opened.pop(name).reading.layout.digest
        if all(one.reading.layout.digest != digest for one in self.opened.values()):
            self.texts.pop(digest, None)
        for key in [key for key in self.kept if key.endswith(f" {name}")]:
            del self.kept[key]
        if self.present == name:
            self.present = None

    def close(self, name: str) -> None:
        """Forget a layout; one looks at the one looked at before, if there is any."""
        if name not in self.opened:
            return
        self.forget(name)
        if self.current != name:
            return
        self.current = None
        if self.opened:
            self.look(max(self.opened, key=lambda one: self.opened[one].looked))

    def is_past(self, name: str) -> bool:
        """Whether an open layout is a moment of the past."""
        return self.opened[name].past is not None

    def free_name(self, reading: Reading, name: str) -> str:
        """The name, with a number where another layout has it already: two pasted texts are two layouts."""
        taken = (name, *(f"{name} ({number})" for number in range(2, len(self.opened) + 2)))
        return next(
            free
            for free in taken
            if free not in self.opened or self.opened[free].reading.layout.digest == reading.layout.digest
        )

    def remember_texts(self, digest: str, files: tuple[tuple[str, bytes], ...]) -> None:
        """Keep the texts that a layout was read from; where they are too many, the oldest go, these too if need be."""
        self.texts.pop(digest, None)
        self.texts[digest] = files
        while self.texts and sum(len(data) for kept in self.texts.values() for _, data in kept) > _MOST_TEXT_BYTES:
            del self.texts[next(iter(self.texts))]

    def add_typed(self, live: LiveCluster) -> None:
        """Keep a cluster whose address was typed; the oldest that is not open makes way."""
        self.typed[live.name] = live
        in_use = [opened.live for opened in self.opened.values()]
        spare = [name for name, one in self.typed.items() if one is not live and one not in in_use]
        for name in spare[: max(len(self.typed) - _MOST_TYPED, 0)]:
            self.typed.pop(name).cancel()
