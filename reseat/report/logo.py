"""A logo that a person gives: a PNG or an SVG, told by its bytes and not by a file's name."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from reseat.errors import InputRefused
from reseat.model.wording import reason_of

__all__ = ["LARGEST_LOGO", "logo_as_png", "logo_kind"]

#: Larger than any logo has to be; it is put into every file.
LARGEST_LOGO = 1_000_000
_MOST_PIXELS = 10_000_000
_SVG = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>|\s)*<svg[\s>]", re.DOTALL)


def logo_kind(logo: bytes) -> Literal["png", "svg"]:
    """What the logo is.

    Raises:
        InputRefused: it is neither, or larger than 1 MB or 10 million pixels.
    """
    if len(logo) > LARGEST_LOGO:
        raise InputRefused(f"The logo has {len(logo) / 1e6:.1f} MB; at most 1 MB is put into a report.")
    if logo.startswith(b"\x89PNG\r\n\x1a\n"):
        wide, high = struct.unpack(">II", logo[16:24].ljust(8, b"\0"))
        if wide * high > _MOST_PIXELS:
            raise InputRefused(f"The logo has {wide:,} by {high:,} pixels; a report needs no more than 10 million.")
        return "png"
    if _SVG.match(logo[:5000]):
        return "svg"
    raise InputRefused("The logo is neither a PNG nor an SVG.")


def logo_as_png(logo: bytes) -> bytes:
    """The logo as a PNG, for formats that hold no SVG; drawn once, so that a broken one is refused here.

    Raises:
        InputRefused: it is neither a PNG nor an SVG, or cannot be drawn.
    """
    kind = logo_kind(logo)
    import typst

    with TemporaryDirectory(prefix="reseat-logo-") as folder:
        home = Path(folder)
        (home / f"logo.{kind}").write_bytes(logo)
        (home / "logo.typ").write_text(
            f'#set page(width: auto, height: auto, margin: 0pt, fill: none)\n#image("logo.{kind}", height: 64pt)\n'
        )
        try:
            made: bytes = typst.compile(str(home / "logo.typ"), format="png", ppi=288, ignore_system_fonts=True)
        except typst.TypstError as error:
            raise InputRefused(f"The logo cannot be drawn: {reason_of(error)}.") from error
        return logo if kind == "png" else made
