"""A sheet to draw on, measured in points from its lower left corner, over Matplotlib's object interface.

Nothing of pyplot, which keeps figures in the process; no axes either, whose ticks cost more than all that is drawn. A
text from outside is never parsed: not as mathematics, and not as markup.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from reseat.model import FloatArray
from reseat.model.wording import visible
from reseat.report import palette
from reseat.report.content import Role
from reseat.report.shown import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from matplotlib.transforms import Transform

__all__ = ["COLOURS", "SMALL", "WIDE", "CellGrid", "Hit", "Plot", "Sheet", "Texts", "fitted", "nice_ticks", "width"]

#: (colour, hatch) by what a series means.
COLOURS: dict[Role, tuple[str, str]] = {
    "stays": (palette.LIGHT.bar, ""),
    "comes": (palette.MOVED_IN, ""),
    "goes": (palette.MOVED_OUT, "////"),
    "before": (palette.LIGHT.bar, ""),
    "after": (palette.LIGHT.accent, ""),
    "leader": (palette.LEADER, ""),
    "fine": (palette.FINE, ""),
    "attention": (palette.ATTENTION, "\\\\\\\\"),
    "broken": (palette.BROKEN, "xxxx"),
    "plan": (palette.LIGHT.accent, ""),
    "other": (palette.LIGHT.bar, ""),
}
#: Points: a page's width less its margins.
WIDE = 518.4
#: Points: the size of ticks and labels.
SMALL = 8.5
#: The font that text is measured in and drawn with in pixels; Matplotlib brings it.
FONT = "DejaVu Sans"

_Across = Literal["left", "center", "right"]
_Up = Literal["bottom", "center", "top", "baseline"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that tells something when it is hovered: corners in points from the lower left, and the words."""

    left: float
    bottom: float
    right: float
    top: float
    words: str


@dataclass(frozen=True, slots=True)
class CellGrid:
    """Where the cells of a grid are, for who looks a cell up: corners in points, rows and columns."""

    left: float
    bottom: float
    right: float
    top: float
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Plot:
    """Where values stand on a sheet: corners in points, and the values at the floor and at the ceiling."""

    left: float
    right: float
    floor: float
    ceiling: float
    low: float
    high: float

    def up(self, amount: npt.ArrayLike) -> FloatArray:
        """How high values stand, points."""
        share = (np.asarray(amount, np.float64) - self.low) / (self.high - self.low)
        return self.floor + (self.ceiling - self.floor) * share


class Texts:
    """Texts on their way onto a sheet.

    In an SVG the reader's fonts draw them: what Matplotlib's own font could not draw, or would lay out by itself, goes
    through it as a token and is put back afterwards.
    """

    def __init__(self, *, pixels: bool) -> None:
        self.pixels = pixels
        self.held: list[str] = []

    def put(self, text: str) -> str:
        """What is drawn for a text."""
        if self.pixels:
            from reseat.report.figures.fonts import drawable

            return drawable(text)
        if text.isascii() and "@@" not in text:
            return text
        self.held.append(text)
        return f"@@{len(self.held) - 1}@@"


@dataclass(eq=False)
class Sheet:
    """A sheet of a width and a height in points.

    Attributes:
        wide: points.
        high: points.
        texts: what is written on it.
        hits: places that tell something when hovered.
        grid: the cells of a heatmap, where there is one.
    """

    wide: float
    high: float
    texts: Texts
    hits: list[Hit] = field(default_factory=list)
    grid: CellGrid | None = None

    def __post_init__(self) -> None:
        from matplotlib.figure import Figure as Canvas
        from matplotlib.transforms import Affine2D

        self.canvas: Canvas = Canvas(figsize=(self.wide / 72, self.high / 72), facecolor=palette.LIGHT.background)
        self._drawn = 0
        self._points: Transform = Affine2D().scale(1 / 72) + self.canvas.dpi_scale_trans

    @property
    def _order(self) -> int:
        """What is drawn later lies above."""
        self._drawn += 1
        return self._drawn

    def say(
        self,
        x: float,
        y: float,
        text: str,
        *,
        across: _Across = "left",
        up: _Up = "baseline",
        colour: str = palette.LIGHT.quiet,
        size: float = SMALL,
        turned: float = 0,
        strong: bool = False,
    ) -> None:
        """Write a text."""
        from reseat.report.figures.fonts import families

        self.canvas.text(
            x,
            y,
            self.texts.put(text),
            transform=self._points,
            ha=across,
            va=up,
            color=colour,
            fontsize=size,
            rotation=turned,
            rotation_mode="anchor",
            fontweight="bold" if strong else "normal",
            family=families(text) if self.texts.pixels else [FONT],
            parse_math=False,
            zorder=self._order,
        )

    def fill(self, polygons: Sequence[npt.ArrayLike], colour: str, hatch: str = "", shade: float = 1) -> None:
        """Fill polygons, each (k, 2) points, as one path."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        corners, codes = [], []
        for polygon in polygons:
            shape = np.asarray(polygon, np.float64)
            if len(shape):
                corners += [shape, shape[:1]]
                codes += [Path.MOVETO, *[Path.LINETO] * (len(shape) - 1), Path.CLOSEPOLY]
        if corners:
            self.canvas.add_artist(
                PathPatch(
                    Path(np.concatenate(corners), codes),
                    transform=self._points,
                    facecolor=colour,
                    edgecolor=palette.LIGHT.background if hatch else "none",
                    hatch=hatch or None,
                    linewidth=0,
                    alpha=None if shade == 1 else shade,
                    clip_on=False,
                    zorder=self._order,
                )
            )

    def box(self, left: float, bottom: float, right: float, top: float, *, colour: str, hatch: str = "") -> None:
        """Fill a rectangle."""
        self.fill([[(left, bottom), (right, bottom), (right, top), (left, top)]], colour, hatch)

    def line(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        colour: str,
        thick: float = 1,
        dash: tuple[float, float] | None = None,
    ) -> None:
        """Draw a line; it has gaps where y is NaN."""
        from matplotlib.lines import Line2D

        self.canvas.add_artist(
            Line2D(
                x,
                y,
                color=colour,
                linewidth=thick,
                linestyle="-" if dash is None else (0, dash),
                transform=self._points,
                clip_on=False,
                zorder=self._order,
            )
        )

    def dots(self, x: npt.ArrayLike, y: npt.ArrayLike, colour: str, radius: float = 2, shade: float = 1) -> None:
        """Draw dots, as one path."""
        turns = np.linspace(0, 2 * math.pi, 12, endpoint=False)
        ring = radius * np.column_stack((np.cos(turns), np.sin(turns)))
        places = np.column_stack((np.asarray(x, np.float64), np.asarray(y, np.float64)))
        self.fill([ring + place for place in places if not np.isnan(place).any()], colour, shade=shade)

    def image(self, pixels: npt.NDArray[np.uint8], left: float, bottom: float, right: float, top: float) -> None:
        """Put a picture, (r, c, 4) of which row 0 is the highest; its pixels stay sharp."""
        axes = self.canvas.add_axes(
            (left / self.wide, bottom / self.high, (right - left) / self.wide, (top - bottom) / self.high)
        )
        axes.set_axis_off()
        axes.set_zorder(self._order)
        axes.imshow(pixels, aspect="auto", interpolation="none")


@lru_cache(maxsize=1)
def _ruler() -> object:
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont(FontProperties(family=[FONT])))
    font.set_size(100, 72)
    return font


@lru_cache(maxsize=4_096)
def _advance(character: str) -> float:
    """How wide a character is, in parts of the size of its font."""
    from matplotlib.ft2font import FT2Font, LoadFlags

    font = _ruler()
    assert isinstance(font, FT2Font)  # noqa: S101  (its type is an import that only drawing pays for)
    if unicodedata.combining(character):
        return 0.0
    if not font.get_char_index(ord(character)):
        return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.7
    return font.load_char(ord(character), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536 / 100


def width(text: str, size: float = SMALL) -> float:
    """How wide a text is, points."""
    return size * sum(map(_advance, text))


def fitted(text: str, most: float, size: float = SMALL) -> str:
    """A name shortened in its middle until it is at most so wide, points; at least two characters and the mark stay."""
    shown = visible(plain(text), 400)
    if width(shown, size) <= most:
        return shown
    few = max(2, int(len(shown) * most / width(shown, size)))
    while few > 2 and width(visible(shown, few), size) > most:
        few -= 1
    return visible(shown, few)


def nice_ticks(low: float, high: float, most: int = 5, *, whole: bool = True) -> list[float]:
    """Round places between two ends, at most ``most`` of them where the ends allow it.

    Args:
        low: the lower end.
        high: the higher end.
        most: how many.
        whole: only whole numbers, for counts.
    """
    if not high > low:
        return [low]
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    if whole:
        step = max(1.0, math.ceil(step))
    first = math.ceil(low / step - 1e-9)
    return [step * place for place in range(first, math.floor(high / step + 1e-9) + 1)]
