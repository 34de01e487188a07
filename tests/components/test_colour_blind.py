"""No figure tells by a colour what the colour-blind do not see: its colours lie apart for them, or a sign goes along.

Two colours count as apart from ten on (CIEDE2000). One is what can just be seen of large areas side by side, and two
or three what nobody overlooks; cells and bars are small, apart from each other and from their legend, so several times
that is asked for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from plotly.colors import get_colorscale

from components.charts.replica_matrix import mix as mixed
from components.look import theme
from reseat.report.palette import RACKS
from tests.components.colour_sight import SIGHTS, apart, difference
from tests.components.test_contrast import contrast

LEAST = 10.0
ROOT = Path(__file__).parents[2]
LOOKS = {"light": theme.LIGHT, "dark": theme.DARK}
BLIND = [sight for sight in SIGHTS if sight != "full"]


@dataclass(frozen=True)
class Sign:
    """What tells two things apart without a colour.

    Attributes:
        words: what one sees.
        file: the module that draws it.
        drawn: what stands in it for that.
    """

    words: str
    file: str
    drawn: str


@dataclass(frozen=True)
class Figure:
    """Colours that stand for different things in one figure, and pairs that have a sign besides."""

    colours: Mapping[str, str]
    signs: Mapping[frozenset[str], Sign] = field(default_factory=dict)


def pair(one: str, other: str) -> frozenset[str]:
    """Two names of one figure."""
    return frozenset((one, other))


def figures(look: theme.Neutrals) -> dict[str, Figure]:
    """Every figure that tells things apart by colours, in light or dark."""
    hatch = Sign("what moves out is hatched", "components/charts/bars.py", '("moved out", goes, theme.MOVED_OUT, "/")')
    gone = Sign("what is read no more is hatched and has a minus", "components/consumers/matrix.py", 'MOVED_OUT, "/"')
    hold, trough = mixed(look.text, look.background, 0.34), mixed(look.text, look.background, 0.09)
    matrix = Sign("L, or the place in the list", "components/charts/replica_matrix.py", '"L" if j == 0 else str(j + 1)')
    pale = {
        "to be a follower": mixed(look.bar, look.faint),
        "to be the leader": mixed(theme.LEADER, look.faint),
    }
    return {
        "cells of a partition (Heatmap)": Figure(
            {
                "nothing": look.none,
                "leader": theme.LEADER,
                "in sync": theme.FINE,
                "behind": theme.ATTENTION,
                "offline": theme.BROKEN,
                "moving in": theme.MOVED_IN,
                "moving out": theme.MOVED_OUT,
                "follower": theme.FOLLOWER,
            }
        ),
        "before and after (Plan, Leaders, New topic)": Figure(
            {"stays": look.bar, "moved in": theme.MOVED_IN, "moved out": theme.MOVED_OUT, "ground": look.background},
            {pair("stays", "moved out"): hatch},
        ),
        "loads with leaders": Figure({"leaders": theme.LEADER, "others": look.bar, "ground": look.background}),
        "tiles (Board)": Figure(
            {
                "preferred leaders": theme.LEADER,
                "others": hold,
                "moved in": theme.MOVED_IN,
                "moved out": theme.MOVED_OUT,
                "free": trough,
            },
            {
                pair("others", "moved out"): Sign(
                    "what moves out is hatched", "components/canvas/rack_board/layout.css", "--hatch: repeating"
                )
            },
        ),
        "marks of tiles (Board)": Figure({"broken": theme.BROKEN, "attention": theme.ATTENTION, "fine": theme.FINE}),
        "progress (Execute)": Figure(
            {"there": theme.FINE, "in progress": theme.MOVED_IN, "waiting": look.bar, "failed": theme.BROKEN}
        ),
        "who sends to whom (Plan)": Figure({"gives": theme.MOVED_OUT, "receives": theme.MOVED_IN}),
        "who reads what (Consumers)": Figure(
            {
                "subscribed": look.faint,
                "as before": look.bar,
                "from now on": theme.MOVED_IN,
                "no more": theme.MOVED_OUT,
                "nobody": theme.ATTENTION,
            },
            {pair("as before", "no more"): gone},
        ),
        "partitions over time (History)": Figure(
            {"offline": theme.BROKEN, "under-replicated": theme.ATTENTION, "ground": look.background}
        ),
        "findings over time (History)": Figure(
            {"critical": theme.BROKEN, "warning": theme.ATTENTION, "info": look.bar, "ground": look.background}
        ),
        "unevenness over time (History)": Figure(
            {"replicas": look.bar, "leaders": theme.LEADER, "bytes": look.text, "ground": look.background}
        ),
        "events over time (History)": Figure(
            {"gone": theme.BROKEN, "came": theme.FINE, "moved": theme.MOVED_IN, "ground": look.background}
        ),
        "losses (Fleet)": Figure(
            {"offline": theme.BROKEN, "below min ISR": theme.ATTENTION, "none": theme.FINE, "ground": look.background}
        ),
        "replicas placed (Placement)": Figure(
            {"nothing": look.faint, "follower": look.bar, "leader": theme.LEADER, **pale},
            {
                pair(one, other): matrix
                for one, other in combinations(("nothing", "follower", *pale), 2)
                if {one, other} & set(pale)
            },
        ),
        "racks": Figure({f"rack {place + 1}": colour for place, colour in enumerate(RACKS)}),
        "leader epochs (Replication)": Figure({f"epoch {place}": one for place, one in enumerate(theme.EPOCHS)}),
        "differences": Figure({f"at {place:g}": colour for place, colour in theme.DIFFERENCE}),
        "counts": Figure({"none": look.none} | {f"at {at:g}": counted(at) for at in (0, 0.25, 0.5, 0.75, 1)}),
        "severities (words)": Figure(
            severities("light" if look is theme.LIGHT else "dark"),
            {
                pair(one, other): Sign("an icon and the word", "components/look/theme.py", ":material/warning:")
                for one, other in combinations(("red", "orange", "gray"), 2)
            },
        ),
    }


def counted(at: float) -> str:
    """The colour of counts at a part of its scale."""
    scale = get_colorscale(theme.SEQUENCE)
    place = at * (len(scale) - 1)
    low = min(int(place), len(scale) - 2)
    return mixed(scale[low + 1][1], scale[low][1], place - low)


def severities(scheme: str) -> dict[str, str]:
    """Colours of words that say how bad it is."""
    told = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][scheme]
    return {name: told[f"{name}TextColor"] for name in ("red", "orange", "gray")}


def test_the_measure_itself() -> None:
    """Pairs of Sharma, Wu and Dalal's table; a grey is seen as that grey by everybody."""
    assert difference((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert difference((50, 0, 0), (50, -1, 2)) == pytest.approx(2.3669, abs=1e-4)
    assert difference((50, 2.5, 0), (73, 25, -18)) == pytest.approx(27.1492, abs=1e-4)
    assert difference((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387)) == pytest.approx(1.2644, abs=1e-4)
    for sight in BLIND:
        assert SIGHTS[sight].sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
        assert apart("#808080", "#ffffff", sight) == pytest.approx(apart("#808080", "#ffffff", "full"), abs=0.01)
    # What the kinds are named for: red and green to the first two, blue and green to the third.
    assert apart("#c04040", "#6f7030", "deuteranopia") < apart("#c04040", "#6f7030", "full") / 2
    assert apart("#0080a0", "#008070", "tritanopia") < apart("#0080a0", "#008070", "full") / 2


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("scheme", LOOKS)
def test_every_figures_colours_lie_apart_or_have_a_sign(scheme: str, sight: str) -> None:
    """Each two of a figure, in light and dark, for all kinds of sight."""
    alike = [
        f"{name}: {one} and {other} are {found:.1f} apart"
        for name, figure in figures(LOOKS[scheme]).items()
        for one, other in combinations(figure.colours, 2)
        if pair(one, other) not in figure.signs
        and (found := apart(figure.colours[one], figure.colours[other], sight)) < LEAST
    ]

    assert alike == []


def test_the_signs_are_drawn() -> None:
    """What a pair is let off for stands where the figure is drawn, and each pair is of its figure."""
    for name, figure in figures(theme.LIGHT).items():
        for both, sign in figure.signs.items():
            assert both <= set(figure.colours), (name, both)
            assert sign.drawn in (ROOT / sign.file).read_text(encoding="utf-8"), (name, sign.words)


@pytest.mark.parametrize("sight", SIGHTS)
def test_scales_grow_for_everybody(sight: str) -> None:
    """More is lighter on the scale of counts, step by step; both halves of differences leave white without a turn."""
    ground = "#000000"
    steps = [apart(counted(at / 10), ground, sight) for at in range(11)]
    below, above = theme.DIFFERENCE[2::-1], theme.DIFFERENCE[2:]

    assert all(one < other for one, other in pairwise(steps))
    for half in (below, above):
        whites = [apart(colour, "#ffffff", sight) for _, colour in half]
        assert all(one < other for one, other in pairwise(whites))


@pytest.mark.parametrize("sight", SIGHTS)
def test_racks_beside_each_other_lie_furthest_apart(sight: str) -> None:
    """Bands of neighbours touch, and their names stand below only where there is room."""
    assert all(apart(one, other, sight) >= 2 * LEAST for one, other in pairwise((*RACKS, RACKS[0])))


#: Colours of the page's own furniture, which stand for nothing in a figure.
FURNITURE = {
    "#6a70d8": "the logo, and the tint of a what-if",
    "#9c7a4b": "the tint of the past",
    "#7a2e00": "what was cut and what is wrong, as words on an epoch's colour",
    "#00694d": "green words where Streamlit's theme does not say them",
    "#000000": "the shadow round a white mark",
}
#: A colour in a source: #rgb or #rrggbb.
HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")


def test_no_colour_is_named_that_is_not_the_themes() -> None:
    """Style sheets, scripts and modules of pages use the palette's colours, the theme file's, or furniture's."""
    known = set(HEX.findall((ROOT / "reseat" / "report" / "palette.py").read_text()))
    known |= {*theme.EPOCHS, theme.ON_EPOCH, *FURNITURE}
    known |= {colour.lower() for colour in HEX.findall((ROOT / ".streamlit" / "config.toml").read_text())}
    strays = {}
    for file in sorted([*ROOT.glob("components/**/*"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]):
        if file.suffix not in {".py", ".css", ".js", ".html", ".svg"}:
            continue
        found = {one.lower() for one in HEX.findall(file.read_text(encoding="utf-8"))}
        whole = {one if len(one) == 7 else "#" + "".join(2 * letter for letter in one[1:]) for one in found}
        if whole - known - scale_points(file):
            strays[str(file.relative_to(ROOT))] = sorted(whole - known - scale_points(file))

    assert strays == {}


def scale_points(file: Path) -> set[str]:
    """The board's six points of the scale of counts, which its style sheet and its script name themselves."""
    return {board_point(place) for place in range(6)} if file.name == "drawing.css" else set()


def board_points() -> list[str]:
    """What the board's script has of the scale."""
    text = (ROOT / "components" / "canvas" / "rack_board" / "words.js").read_text(encoding="utf-8")
    body = re.search(r"const CIVIDIS = \[(.*?)\];", text, re.DOTALL)
    assert body is not None
    return [
        "#" + "".join(f"{int(part):02x}" for part in point) for point in re.findall(r"(\d+), (\d+), (\d+)", body[1])
    ]


def board_point(place: int) -> str:
    """One of them."""
    return board_points()[place]


def test_the_boards_scale_is_that_of_counts() -> None:
    """Its six points lie on the scale that the other figures take from the theme."""
    points = board_points()

    assert len(points) == 6
    for place, point in enumerate(points):
        assert apart(point, counted(place / 5), "full") < 4, (place, point, counted(place / 5))


def test_what_is_cut_is_read_on_every_epoch() -> None:
    """The one colour for words on an epoch's colour beside the dark one."""
    for colour in theme.EPOCHS:
        assert contrast("#7a2e00", colour) >= 4.5
