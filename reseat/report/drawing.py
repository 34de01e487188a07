"""Figures drawn as vectors (SVG) or pixels (PNG) with Matplotlib, without a screen.

Promises: a figure is drawn from its data alone; text stays text in an SVG, so that the reader's fonts draw it; the same
figure gives the same bytes; no name means anything on its way (no mathematics, no markup).

How it works: ``reseat.report.figures`` draws on a sheet of points; Matplotlib writes it; what it wrote is made smaller
(places to a hundredth of a point) and gets a title, a description and places to hover. In a page the neutral colours
are CSS variables, so that a figure follows light and dark, and no style attribute is left that a strict policy forbids.

Source: Matplotlib's object interface (no pyplot, which keeps figures in the process).
"""

from __future__ import annotations

import html
import io
import re
import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from reseat.model.wording import visible
from reseat.report import palette
from reseat.report.content import Bars, Draws, Figure, Heat, Lines
from reseat.report.figures import bars, draws, heat, lines
from reseat.report.figures.sheet import COLOURS, WIDE, Sheet, Texts
from reseat.report.shown import plain

__all__ = ["COLOURS", "NEUTRAL", "inline", "png", "svg"]

#: The neutral colours of a figure, by the CSS variable that a page draws them with.
NEUTRAL = {
    name: getattr(palette.LIGHT, name) for name in ("text", "quiet", "line", "bar", "faint", "background", "accent")
}
#: Matplotlib keeps its settings and its fonts in the process: one figure at a time.
_ONE = threading.Lock()
_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r"\s*<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_OUTLINE = re.compile(r"\bd=\"[^\"]*\"")
_FRACTION = re.compile(r"(\.\d\d)\d+")
_UNTURNED = re.compile(r" transform=\"rotate\(-?0 [^)]*\)\"")
_TOKEN = re.compile(r"@@(\d+)@@")
_FAMILY = re.compile(r"font-family: [^;\"]*")
_STYLED = re.compile(r" style=\"([^\"]*)\"")
_GROUP_ID = re.compile(r"<g id=\"[^\"]*\">")
_FIRST_PATCH = re.compile(r"<g(?: id=\"patch_1\")?>\s*<path [^>]*style=\"fill: none\"/>\s*</g>\s*")
_VARIABLE = re.compile("|".join(map(re.escape, NEUTRAL.values())))
_VARIABLES = {colour: f"var(--{name})" for name, colour in NEUTRAL.items()}


def svg(figure: Figure) -> str:
    """The figure as an SVG document with plain colours, for files."""
    written = _written(figure)
    drawn = _FAMILY.sub("font-family: 'DejaVu Sans', sans-serif", written.drawn)
    drawn = drawn.replace("<svg ", '<svg role="img" ', 1)
    told = f"<title>{_safe(figure.title)}</title><desc>{_safe(figure.says)}</desc>"
    return '<?xml version="1.0" encoding="utf-8"?>\n' + _filled(drawn, told)


def inline(figure: Figure, wide: float = WIDE) -> str:
    """The figure as an ``<svg>`` element for an HTML page that defines the variables of ``NEUTRAL``.

    It has no style attribute, no font of its own, and hovering tells the numbers.

    Args:
        figure: the figure.
        wide: points; its type keeps its size, so that it is larger beside a narrower figure.
    """
    written = _written(figure, wide)
    drawn = _GROUP_ID.sub("<g>", _STYLED.sub(lambda found: _attributes(found[1]), written.drawn))
    drawn = _VARIABLE.sub(lambda found: _VARIABLES[found[0]], drawn)
    drawn = drawn.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    drawn = drawn.replace(' xmlns="http://www.w3.org/2000/svg"', "").replace(' version="1.1"', "")
    drawn = re.sub(r'^<svg width="[^"]*" height="[^"]*"', "<svg", drawn)
    slug = re.sub(r"[^\w-]", "-", figure.slug)
    head = (
        f'<svg class="figure" role="img" aria-labelledby="{slug}-title" aria-describedby="{slug}-desc"{written.grid} '
    )
    drawn = drawn.replace("<svg ", head, 1)
    told = f'<title id="{slug}-title">{_safe(figure.title)}</title><desc id="{slug}-desc">{_safe(figure.says)}</desc>'
    return re.sub(r">\s+<", "><", _filled(drawn, told, written.hits))


def png(figure: Figure, *, dots: int = 200) -> bytes:
    """The figure as a PNG on white. A box stands for a character that no font at hand has.

    Args:
        figure: the figure.
        dots: pixels an inch.
    """
    import matplotlib as mpl

    out = io.BytesIO()
    told = {"Software": None, "Title": visible(plain(figure.title))}
    with _ONE, mpl.rc_context({"hatch.linewidth": 1.2}):
        sheet = _drawn(figure, Texts(pixels=True))
        sheet.canvas.savefig(out, format="png", dpi=dots, metadata=told, pil_kwargs={"compress_level": 3})
    return out.getvalue()


def _drawn(figure: Figure, texts: Texts, wide: float = WIDE) -> Sheet:
    match figure:
        case Bars():
            return bars.draw(figure, texts, wide)
        case Lines():
            return lines.draw(figure, texts, wide)
        case Heat():
            return heat.draw(figure, texts, wide)
        case Draws():
            return draws.draw(figure, texts, wide)


@dataclass(frozen=True, slots=True)
class _Written:
    """What Matplotlib wrote of a figure: the ``<svg>``, its places to hover, and where its cells lie."""

    drawn: str
    hits: str
    grid: str


#: What was written of figures that are still in use: a report's page, its PDF and its talk draw each of them once.
_KEPT: WeakKeyDictionary[Figure, dict[float, _Written]] = WeakKeyDictionary()


def _written(figure: Figure, wide: float = WIDE) -> _Written:
    """The ``<svg>`` that Matplotlib writes of it, made smaller, with each token's text in its place; written once."""
    kept = _KEPT.setdefault(figure, {})
    if wide not in kept:
        kept[wide] = _write(figure, wide)
    return kept[wide]


def _write(figure: Figure, wide: float) -> _Written:
    import matplotlib as mpl

    out = io.StringIO()
    with _ONE, mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": figure.slug, "hatch.linewidth": 1.2}):
        sheet = _drawn(figure, Texts(pixels=False), wide)
        sheet.canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    drawn = _STYLE.sub("", _METADATA.sub("", _HEAD.sub("", out.getvalue())))
    drawn = _FIRST_PATCH.sub("", drawn, count=1)
    drawn = _OUTLINE.sub(lambda found: _FRACTION.sub(r"\1", found[0]).replace(" \n", " ").replace("\n", " "), drawn)
    drawn = _UNTURNED.sub("", drawn)
    grid = ""
    if sheet.grid is not None:
        at = sheet.grid
        where = (at.left, sheet.high - at.top, at.right - at.left, at.top - at.bottom)
        grid = f' data-grid="{" ".join(f"{one:.2f}" for one in where)} {at.rows} {at.columns}"'
    return _Written(_TOKEN.sub(lambda found: _safe(sheet.texts.held[int(found[1])]), drawn), _hits(sheet), grid)


def _attributes(style: str) -> str:
    """A style as presentation attributes, which a policy against inline styles lets through; fonts are the page's."""
    told = [part.split(":", 1) for part in style.split(";") if ":" in part]
    kept = {name.strip(): text.strip() for name, text in told if name.strip() != "font-family"}
    if "font-size" in kept:
        kept["font-size"] = kept["font-size"].removesuffix("px")
    return "".join(f' {name}="{text}"' for name, text in kept.items())


def _filled(drawn: str, told: str, hits: str = "") -> str:
    """An ``<svg>`` element with its title first and its places to hover last."""
    end = drawn.index(">") + 1
    return f"{drawn[:end]}{told}{drawn[end : drawn.rindex('</svg>')]}{hits}</svg>\n"


def _hits(sheet: Sheet) -> str:
    if not sheet.hits:
        return ""
    places = "".join(
        f'<rect x="{hit.left:.2f}" y="{sheet.high - hit.top:.2f}" width="{hit.right - hit.left:.2f}" '
        f'height="{hit.top - hit.bottom:.2f}"><title>{_safe(hit.words)}</title></rect>'
        for hit in sheet.hits
    )
    return f'<g class="hits" fill="none" pointer-events="all">{places}</g>'


def _safe(text: str) -> str:
    return html.escape(visible(plain(text), 600))
