"""What a report says, as values: chapters of sentences, facts, figures as data and tables. No markup, no colour names.

Every writer (HTML, PDF, PPTX, page, screen) takes numbers and words from here and makes up none of its own, so that one
number has one source. Texts are plain: whoever writes them into a format escapes them for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from reseat.model import FloatArray

__all__ = [
    "Audience",
    "Bars",
    "Chapter",
    "ChapterKind",
    "Column",
    "Draws",
    "Fact",
    "Figure",
    "Heat",
    "Light",
    "Lines",
    "Report",
    "Role",
    "Series",
    "Table",
    "Unit",
]

#: For whom a report is told.
Audience: TypeAlias = Literal["management", "operators"]
#: What a value counts; ``bytes`` and ``seconds`` are written in their units, a ``share`` (0 to 1) in percent.
Unit: TypeAlias = Literal["replicas", "leaders", "partitions", "brokers", "moves", "bytes", "seconds", "share", "money"]
#: What a series means; each has one colour everywhere (``reseat.report.palette``), and a pattern where two may meet.
Role: TypeAlias = Literal[
    "stays", "comes", "goes", "before", "after", "leader", "fine", "attention", "broken", "plan", "other"
]


class ChapterKind(Enum):
    """The chapters, in the order in which a report has them."""

    SUMMARY = "summary"
    TODAY = "today"
    FINDINGS = "findings"
    CHANGE = "change"
    WHY = "why"
    COST = "cost"
    RISK = "risk"
    LEADERS = "leaders"
    TIME = "time"
    STEPS = "steps"
    GLOSSARY = "glossary"
    APPENDIX = "appendix"


class Light(Enum):
    """The traffic light: go, go with care, do not go. Its rule stands in ``Chapter.rule``."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Fact:
    """One number that matters, as it is written.

    Attributes:
        label: what it is, in two or three words: "Data to copy".
        shown: the number in words: "84 MB", "206 to 144".
        detail: what goes with it, such as "proven least"; None: nothing.
        value: the number itself, NaN where it is not told, for who checks or charts it.
        light: how good it is, where that can be said.
    """

    label: str
    shown: str
    detail: str | None = None
    value: float = float("nan")
    light: Light | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table: n values.

    Attributes:
        name: its heading.
        values: (n,) numbers or texts; NaN is not told, None (in texts and arrays of objects) an empty cell.
        unit: what numbers count; None for texts and ids.
    """

    name: str
    values: Sequence[str | None] | npt.NDArray[np.generic]
    unit: Unit | None = None

    @property
    def numeric(self) -> bool:
        """Whether it stands right-aligned; objects with a unit are numbers of which some are None."""
        return self.unit is not None or (isinstance(self.values, np.ndarray) and self.values.dtype.kind in "iuf")


@dataclass(frozen=True, eq=False)
class Table:
    """A table of n rows.

    Attributes:
        slug: its name in files: ``moves``.
        title: what it holds.
        columns: of equal length.
        shown: rows that a person is shown; files for programs have all of them.
    """

    slug: str
    title: str
    columns: tuple[Column, ...]
    shown: int = 50

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0


@dataclass(frozen=True, eq=False)
class Series:
    """One row of values of a figure, (n,); NaN where not told."""

    name: str
    values: FloatArray
    role: Role


@dataclass(frozen=True, eq=False, kw_only=True)
class _Figure:
    """What all figures have.

    Attributes:
        slug: its name in files, unique in the report: ``brokers-after``.
        title: what is drawn: "Replicas by broker, before and after".
        says: a sentence that says what to see in it.
        unit: what its values count.
    """

    slug: str
    title: str
    says: str
    unit: Unit


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars(_Figure):
    """Bars of n carriers (brokers or racks), one series beside or upon the other.

    Attributes:
        names: (n) of the carriers.
        what: what a carrier is: "broker", "rack".
        groups: (n) the rack of each, drawn under the bars in runs; None: none.
        series: of n values each.
        stacked: whether series stand upon each other.
        mean: where a dashed line goes; None: nowhere.
        marked: (n) words that go with a carrier ("drained", "dead"), None where nothing does; None: nobody's.
        racks: all racks of the cluster, in natural order: a rack has the colour of its place among them, so that it
            keeps it in a figure of few brokers; empty: those of ``groups``.
    """

    names: tuple[str, ...]
    what: str
    groups: tuple[str | None, ...] | None = None
    series: tuple[Series, ...]
    stacked: bool = False
    mean: float | None = None
    marked: tuple[str | None, ...] | None = None
    racks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Lines(_Figure):
    """Values over something that goes on: moves, or time.

    Attributes:
        x: (n,) float64, or datetime64[s] in UTC.
        x_name: what x is: "replica moves", "day".
        series: of n values each.
        marked: the place on x that the report is about; None: none.
        events: (place on x, words) of what happened, ascending; over time the place is in seconds since 1970.
    """

    x: npt.NDArray[np.generic]
    x_name: str
    series: tuple[Series, ...]
    marked: float | None = None
    events: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Heat(_Figure):
    """A grid of brokers by topics (or blocks of them).

    Attributes:
        rows: (r) names of the brokers or of blocks of them.
        groups: (r) their racks, drawn at the side in runs; None: none.
        columns: (c) names of the columns.
        column_name: what a column is: "topic".
        values: (r, c) float64.
        top: the end of the scale; the same before and after.
        signed: whether values are differences, drawn around zero.
        racks: as of ``Bars``.
    """

    rows: tuple[str, ...]
    groups: tuple[str | None, ...] | None = None
    columns: tuple[str, ...]
    column_name: str
    values: FloatArray
    top: float
    signed: bool = False
    racks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Draws(_Figure):
    """One value of ours beside what others would draw: dots on a line a tool.

    Attributes:
        names: (n) of the tools.
        draws: (n) values of each, any number of them.
        own: our value.
        own_name: what it is called.
    """

    names: tuple[str, ...]
    draws: tuple[FloatArray, ...]
    own: float
    own_name: str


#: Every kind of figure.
Figure: TypeAlias = Bars | Lines | Heat | Draws


@dataclass(frozen=True, eq=False, kw_only=True)
class Chapter:
    """One chapter.

    Attributes:
        kind: which.
        name: its short name: "Cost".
        heading: what was found, in a sentence.
        text: paragraphs under it.
        facts: up to six numbers.
        figures: one or two.
        tables: what is behind them.
        light: the traffic light, in the summary.
        rule: how the light is decided, where there is one.
        notes: what a speaker says, in sentences.
    """

    kind: ChapterKind
    name: str
    heading: str
    text: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    light: Light | None = None
    rule: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """A whole report.

    Attributes:
        title: on the first page, in the running title and in the file's own data.
        subtitle: the cluster and what is asked.
        author: the author's line; None: none.
        made_at: UTC.
        read_at: when the cluster was so, UTC; None where the source does not tell.
        audience: for whom.
        warnings: what must be said on the first page: read in part, stale, unproven, refused.
        chapters: in their order.
        logo: bytes of a PNG or SVG; None: none.
    """

    title: str
    subtitle: str
    author: str | None = None
    made_at: datetime
    read_at: datetime | None = None
    audience: Audience = "management"
    warnings: tuple[str, ...] = ()
    chapters: tuple[Chapter, ...]
    logo: bytes | None = None

    @property
    def lit(self) -> Chapter | None:
        """The chapter with the traffic light; None where the report has none."""
        return next((chapter for chapter in self.chapters if chapter.light is not None), None)

    def figure(self, slug: str) -> Figure:
        """The figure of this name.

        Raises:
            KeyError: there is none.
        """
        for chapter in self.chapters:
            for one in chapter.figures:
                if one.slug == slug:
                    return one
        raise KeyError(slug)
