"""Every text colour of the theme reaches 4.5 : 1 on what it stands on, in light and dark (WCAG 2.1, 1.4.3)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from components.look import theme
from components.shell import frame

THEME = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())["theme"]
TEXTS = (
    "textColor",
    "linkColor",
    "grayTextColor",
    "redTextColor",
    "orangeTextColor",
    "greenTextColor",
    "blueTextColor",
)


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_measure_itself() -> None:
    """Black on white is 21 : 1, a colour on itself 1 : 1."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#336699", "#336699") == pytest.approx(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts_stand_out_from_the_backgrounds(scheme: str, text: str) -> None:
    """On the page, on fields and in the sidebar."""
    colours = THEME[scheme]
    for ground in (
        colours["backgroundColor"],
        colours["secondaryBackgroundColor"],
        colours["sidebar"]["backgroundColor"],
    ):
        assert contrast(colours[text], ground) >= 4.5, (text, ground)


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_texts_inside_charts_stand_out(look: theme.Neutrals) -> None:
    """Labels and axis numbers on the page's background."""
    assert contrast(look.text, look.background) >= 4.5
    assert contrast(look.quiet, look.background) >= 4.5


@pytest.mark.parametrize(("scheme", "place"), [("light", 0), ("dark", 1)])
def test_words_on_a_primary_button_stand_out(scheme: str, place: int) -> None:
    """The style sheet gives them a colour for each scheme: Streamlit's own is white in both."""
    css = Path(frame.__file__).with_name("frame.css").read_text()
    words = re.search(r"stBaseButton-primary.*color: light-dark\((#\w{6}), (#\w{6})\)", css)

    assert words is not None
    assert contrast(words.groups()[place], THEME[scheme]["primaryColor"]) >= 4.5
