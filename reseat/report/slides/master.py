"""The master of the slides: a neutral one made here, or a company's own.

How it works: the default template of python-pptx is made wide (16:9), gets the colours and type of Reseat, and keeps
three layouts. Of a company's file everything stays but its slides; its layouts are told by their type, never by their
place or name.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reseat.errors import InputRefused
from reseat.report import palette

if TYPE_CHECKING:
    from pptx.presentation import Presentation as Deck
    from pptx.slide import SlideLayout

__all__ = ["FONT", "LARGEST_TEMPLATE", "Frame", "Master", "of_company", "our_own"]

#: On every machine, or drawn with its metric twin (Liberation Sans).
FONT = "Arial"
#: Bytes: of a template, and of what is packed in it.
LARGEST_TEMPLATE, _MOST_UNPACKED = 50_000_000, 400_000_000
#: Layouts kept in our own master, by the type that the format gives them.
_KEPT = ("title", "titleOnly", "blank")
#: What a template file and one with macros call themselves, and what python-pptx reads.
_TEMPLATES = re.compile(rb"application/vnd\.openxmlformats-officedocument\.presentationml\.template\.main\+xml")
_PRESENTATION = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
#: EMU: an inch, and the least room that a slide's content needs.
INCH = 914_400


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle on a slide, in EMU (914,400 an inch)."""

    left: int
    top: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """Its lower edge."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Master:
    """A deck without slides, and where things go on one.

    Attributes:
        deck: the presentation.
        first: the layout of the first slide.
        plain: the layout of every other: a title, and room.
        room: where content may stand on it.
        own: whether the master is ours.
    """

    deck: Deck
    first: SlideLayout
    plain: SlideLayout
    room: Frame
    own: bool


def our_own() -> Master:
    """The neutral master."""
    from pptx import Presentation
    from pptx.util import Emu

    deck = Presentation()
    deck.slide_width, deck.slide_height = Emu(round(13.333 * INCH)), Emu(round(7.5 * INCH))
    master = deck.slide_master
    _themed(master)
    for layout in list(deck.slide_layouts):
        if layout._element.get("type") not in _KEPT:
            deck.slide_layouts.remove(layout)
    places = {
        "title": Frame(_in(0.6), _in(0.35), _in(12.13), _in(0.9)),
        "body": Frame(_in(0.6), _in(1.5), _in(12.13), _in(5.2)),
        "dt": Frame(_in(0.6), _in(7.0), _in(1.5), _in(0.3)),
        "ftr": Frame(_in(0.6), _in(7.0), _in(10.5), _in(0.3)),
        "sldNum": Frame(_in(11.73), _in(7.0), _in(1.0), _in(0.3)),
    }
    for shape in master.placeholders:
        _placed(shape, places.get(_kind(shape)))
    for layout in deck.slide_layouts:
        first = layout._element.get("type") == "title"
        for shape in list(layout.placeholders):
            kind = _kind(shape)
            if kind == "dt":
                shape._element.getparent().remove(shape._element)
            elif first and kind == "ctrTitle":
                _placed(shape, Frame(_in(0.6), _in(1.2), _in(12.13), _in(1.6)))
            elif first and kind == "subTitle":
                _placed(shape, Frame(_in(0.6), _in(2.85), _in(12.13), _in(0.9)))
            else:
                _unplaced(shape)
    _typed(master)
    return Master(
        deck, _by_type(deck, "title"), _by_type(deck, "titleOnly"), _room(deck, _by_type(deck, "titleOnly")), True
    )


def of_company(template: bytes) -> Master:
    """The master of a company's own PPTX or POTX, without its slides.

    Raises:
        InputRefused: it is neither, it is too large, or no layout of it has a title.
    """
    from pptx import Presentation

    data = _opened(template)
    try:
        deck = Presentation(io.BytesIO(data))
        layouts = [layout for master in deck.slide_masters for layout in master.slide_layouts]
    except Exception as error:  # whatever a damaged file makes the reader stumble over
        raise InputRefused("The template is no PowerPoint file that can be read (PPTX or POTX).") from error
    _without_slides(deck)
    titled = [layout for layout in layouts if any(_kind(one) in {"title", "ctrTitle"} for one in _places(layout))]
    if not titled:
        raise InputRefused("The template has no layout with a title, so a chapter's heading would have no place in it.")
    plain = _chosen(titled, "titleOnly") or min(titled, key=_others)
    return Master(deck, _chosen(titled, "title") or plain, plain, _room(deck, plain), False)


def _opened(template: bytes) -> bytes:
    """A template's bytes, with a POTX said to be a PPTX."""
    if len(template) > LARGEST_TEMPLATE:
        most = f"at most {LARGEST_TEMPLATE / 1e6:.0f} MB are read"
        raise InputRefused(f"The template has {len(template) / 1e6:.0f} MB; {most}.")
    try:
        with zipfile.ZipFile(io.BytesIO(template)) as held:
            if sum(one.file_size for one in held.infolist()) > _MOST_UNPACKED:
                raise InputRefused(
                    f"The template unpacks to more than {_MOST_UNPACKED / 1e6:.0f} MB, which is not read."
                )
            kinds = held.read("[Content_Types].xml")
            if not _TEMPLATES.search(kinds):
                return template
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
                for one in held.infolist():
                    body = kinds if one.filename == "[Content_Types].xml" else held.read(one)
                    made.writestr(one.filename, _TEMPLATES.sub(_PRESENTATION, body) if body is kinds else body)
            return out.getvalue()
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise InputRefused("The template is no PowerPoint file that can be read (PPTX or POTX).") from error


def _without_slides(deck: Deck) -> None:
    """Takes every slide out, with the sections and shows that name slides."""
    from pptx.oxml.ns import qn

    element = deck.part._element
    listed = element.find(qn("p:sldIdLst"))
    for slide in list(listed if listed is not None else ()):
        deck.part.drop_rel(slide.get(qn("r:id")))
        listed.remove(slide)
    for name in ("p:custShowLst", "p:extLst"):
        for one in element.findall(qn(name)):
            element.remove(one)


def _chosen(layouts: list[SlideLayout], kind: str) -> SlideLayout | None:
    return next((layout for layout in layouts if layout._element.get("type") == kind), None)


def _by_type(deck: Deck, kind: str) -> SlideLayout:
    found = _chosen(list(deck.slide_layouts), kind)
    assert found is not None  # noqa: S101  # our own master has it
    return found


def _others(layout: SlideLayout) -> int:
    """How many places a layout has beside title, date, foot and number."""
    return sum(_kind(one) not in {"title", "ctrTitle", "dt", "ftr", "sldNum"} for one in _places(layout))


def _places(layout: Any) -> list[Any]:
    return list(layout.placeholders)


def _kind(shape: Any) -> str:
    """The type of a placeholder as the format has it: ``title``, ``ftr``; ``obj`` where it says none."""
    return str(shape._element.ph.get("type") or "obj")


def _room(deck: Deck, layout: SlideLayout) -> Frame:
    """What a layout leaves between its title and its foot, as wide as its title."""
    wide, high = int(deck.slide_width or 0), int(deck.slide_height or 0)
    titles = [one for one in _places(layout) if _kind(one) in {"title", "ctrTitle"} and one.width]
    feet = [int(one.top) for one in _places(layout) if _kind(one) in {"dt", "ftr", "sldNum"} and one.top is not None]
    left, width, top = wide // 20, wide - wide // 10, high // 5
    if titles:
        left, width = int(titles[0].left), int(titles[0].width)
        below = int(titles[0].top + titles[0].height)
        top = below if below < high // 2 else top
    bottom = min((one for one in feet if one > high * 3 // 4), default=high - high // 20)
    if width < wide // 2:
        left, width = wide // 20, wide - wide // 10
    top += high // 75
    return Frame(left, top, width, bottom - high // 75 - top)


def _in(inches: float) -> int:
    return round(inches * INCH)


def _placed(shape: Any, frame: Frame | None) -> None:
    if frame is not None:
        shape.left, shape.top, shape.width, shape.height = frame.left, frame.top, frame.width, frame.height


def _unplaced(shape: Any) -> None:
    """A layout's placeholder goes where the master's is."""
    from pptx.oxml.ns import qn

    for one in shape._element.spPr.findall(qn("a:xfrm")):
        shape._element.spPr.remove(one)


def _themed(master: Any) -> None:
    """Colours and type of Reseat in the theme, so that what a person adds looks alike."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    look = palette.LIGHT
    colours = {
        "dk1": look.text, "lt1": look.background, "dk2": look.quiet, "lt2": look.faint,
        "accent1": look.accent, "accent2": palette.LEADER, "accent3": palette.MOVED_IN, "accent4": palette.MOVED_OUT,
        "accent5": palette.FINE, "accent6": palette.ATTENTION, "hlink": look.accent, "folHlink": look.quiet,
    }  # fmt: skip
    part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    text = part.blob.decode("utf-8")
    for name, colour in colours.items():
        text = re.sub(
            rf"<a:{name}>.*?</a:{name}>",
            f'<a:{name}><a:srgbClr val="{colour[1:].upper()}"/></a:{name}>',
            text,
            flags=re.DOTALL,
        )
    text = re.sub(r'(<a:(?:major|minor)Font>\s*<a:latin typeface=")[^"]*', rf"\g<1>{FONT}", text)
    part._blob = re.sub(r'(<a:theme [^>]*name=")[^"]*', r"\g<1>Reseat", text).encode("utf-8")


def _typed(master: Any) -> None:
    """Titles stand left, bold and at the top; the foot is small and quiet."""
    from pptx.oxml.ns import qn

    styles = master._element.find(qn("p:txStyles"))
    level = styles.find(f"{qn('p:titleStyle')}/{qn('a:lvl1pPr')}")
    level.set("algn", "l")
    level.find(qn("a:defRPr")).set("sz", "2400")
    level.find(qn("a:defRPr")).set("b", "1")
    for layout in (master, *master.slide_layouts):
        for shape in layout.placeholders:
            kind, body = _kind(shape), shape.text_frame._txBody.bodyPr
            if kind in {"title", "ctrTitle"}:
                body.set("anchor", "b" if kind == "ctrTitle" else "t")
                body.set("lIns", "0")
            if kind == "subTitle":
                body.set("lIns", "0")
            for one in shape._element.iter(qn("a:lvl1pPr")):
                if kind in {"subTitle", "ftr"}:
                    one.set("algn", "l")
                if kind in {"ftr", "sldNum", "dt"}:
                    one.find(qn("a:defRPr")).set("sz", "900")
                if kind == "ftr":
                    body.set("lIns", "0")
                if kind == "subTitle":
                    one.find(qn("a:defRPr")).set("sz", "1600")
