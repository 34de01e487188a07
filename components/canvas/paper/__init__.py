"""Pages made ready for paper, and given back as they were: figures, canvases, tables, colours. May import: Streamlit.

A Streamlit component (v2) of real files that draws nothing on the screen: it waits until the browser prints. Then
figures shrink to the paper's width, a table that scrolls is replaced by a plain one with all the rows that it was
given, and in the dark theme every neutral colour by its light twin.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from components.canvas.mount import mount

__all__ = ["paper"]

_HERE = Path(__file__).parent


def paper(look: Mapping[str, str], twins: Mapping[str, str]) -> None:
    """See to how the page is printed from now on; to be called once a page.

    Args:
        look: the light neutral colours by name, in which canvases are drawn anew.
        twins: the light colour of each dark one (``#rrggbb``); empty where the page is light already.
    """
    mount(_HERE, isolated=False)(key="paper", data={"look": dict(look), "twins": dict(twins)}, height=1)
