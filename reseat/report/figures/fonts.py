"""Which characters the fonts of this machine can draw: for pixels and PDF, where no reader's fonts help out."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["characters", "drawable", "families"]

#: Drawn in place of what no font at hand has.
_MISSING = "\u25a1"


def drawable(text: str) -> str:
    """A text in which a box stands for each character that no font at hand has."""
    if text.isascii():
        return text
    return "".join(char if char.isspace() or _family(char) is not None else _MISSING for char in text)


def families(text: str) -> list[str]:
    """The fonts that a text needs, the usual one first."""
    others = () if text.isascii() else (found for char in text if (found := _family(char)) is not None)
    return list(dict.fromkeys((_files()[0][0], *others)))


@lru_cache(maxsize=1)
def _files() -> tuple[tuple[str, str], ...]:
    """(family, file) of the upright fonts at hand, Matplotlib's own first."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    own = ("DejaVu Sans", findfont(FontProperties(family=["DejaVu Sans"])))
    plain = {
        one.name: one.fname
        for one in fontManager.ttflist
        if one.style == "normal" and one.weight == 400 and one.name != own[0] and not one.name.startswith("Last Resort")
    }
    return own, *sorted(plain.items())


@lru_cache(maxsize=64)
def characters(file: str, index: int = 0) -> frozenset[str]:
    """What a font has, of a file with several the one at ``index``; nothing where it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(file, face_index=index).get_charmap()))
    except (OSError, RuntimeError, ValueError):  # a font file that went, or that FreeType does not read
        return frozenset()


@lru_cache(maxsize=4_096)
def _family(char: str) -> str | None:
    """The first font that has a character."""
    return next((family for family, file in _files() if char in characters(file)), None)
