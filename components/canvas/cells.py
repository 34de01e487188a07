"""What figures of many cells share: colours as bytes, arrays as text, and a name for what is drawn."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from components.look import theme

__all__ = ["b64", "cividis", "palette", "rgb", "token_of"]


def b64(values: npt.NDArray[Any]) -> str:
    """The bytes of an array as text."""
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def rgb(colour: str) -> list[int]:
    """Red, green and blue of ``#rrggbb``, 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def palette(scale: Sequence[tuple[float, str]]) -> str:
    """256 colours of three bytes each, mixed between those of a scale by their places from 0 to 1."""
    colours = np.array([rgb(colour) for _, colour in scale], np.float64)
    at, stops = np.linspace(0, 1, 256), [place for place, _ in scale]
    return b64(np.rint(np.stack([np.interp(at, stops, one) for one in colours.T], axis=1)).astype(np.uint8))


@cache
def cividis() -> str:
    """The palette of counts."""
    from plotly.colors import get_colorscale

    return palette([(place, colour) for place, colour in get_colorscale(theme.SEQUENCE)])


def token_of(data: Mapping[str, object]) -> str:
    """A name for what is drawn, so that a late message about another is not heeded."""
    state = hashlib.blake2b(digest_size=8)
    for key, value in data.items():
        state.update(f"{key}={value};".encode(errors="replace"))
    return state.hexdigest()
