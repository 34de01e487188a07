"""The anatomy of every page: the strip, the sentence that answers its question, the figures, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from components.look import text
from components.look.notices import findings, refused
from components.look.theme import severity_icon
from components.server import entry
from components.shell import first_page, navigation, pending_link, recognised, sign_in, strip, tour, wall
from components.shell.strip import Shows
from components.state import addresses, session, told
from components.state.open_layout import OpenLayout
from reseat.access import Door
from reseat.installed import missing
from reseat.model import Severity
from reseat.model.glossary import define, meaning, named_in

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = [
    "Figure",
    "Shows",
    "answer",
    "figures",
    "findings",
    "how_to_read",
    "lesson",
    "needs",
    "needs_extra",
    "page",
    "refused",
    "standalone",
]

_CSS = Path(__file__).with_name("frame.css")
_LOGO = str(Path(__file__).with_name("logo.svg"))
#: Figures stand in columns of the same width on every page, also where there are fewer.
_COLUMNS = 6


class Figure(NamedTuple):
    """One number under the sentence: what, how much, how it changed, and what it means."""

    label: str
    value: str
    delta: str | None = None
    help: str | None = None


def page(title: str, *, unread: Callable[[], None] | None = None, shows: Shows | None = "present") -> OpenLayout:
    """Draw what every page has, and return what the person looks at; where nothing is read yet, how to begin.

    Args:
        title: the page's name, for the browser's tab and screen readers.
        unread: draws what is to be said even where nothing is read.
        shows: what the page shows of a what-if; None: it has no strip, and says itself which layout it reads.
    """
    _begin(title)
    open_layout = session.open_layout()
    pending_link.draw()
    _closed()
    if open_layout is None:
        if unread is not None:
            unread()
        first_page.draw(title)
        st.stop()
    if shows is not None:
        strip.draw(open_layout, shows)
    recognised.draw(open_layout, title)
    addresses.tell_layout(open_layout)
    return open_layout


def standalone(
    *, with_strip: bool = True, linked: bool = False, door: Door | None = None, shows: Shows = "present"
) -> OpenLayout | None:
    """As ``page``, for a page that needs no layout: draws the strip where one is open, and goes on in any case.

    Args:
        with_strip: whether the strip is drawn: not where nothing is about what is open.
        linked: whether a link that could not be followed is told of: on a page that would show something else instead.
        door: what one must be allowed to see anything here; None: nothing.
        shows: what the page shows of a what-if.
    """
    _begin("")
    open_layout = session.open_layout()
    if linked:
        pending_link.draw()
    _closed()
    if open_layout is not None and with_strip:
        strip.draw(open_layout, shows)
    if door is not None:
        needs(door)
    return open_layout


def lesson(place: navigation.Place) -> OpenLayout | None:
    """As ``standalone``, for a page that teaches: no strip, since it is about no cluster, and what one learns first."""
    open_layout = standalone(with_strip=False)
    st.caption(text.plain(place.teaches))
    return open_layout


def needs(door: Door) -> None:
    """Where the person may not see what comes now: says why, and draws nothing more."""
    answer = session.may(door)
    if not answer.may:
        sign_in.draw_closed(answer, "page")
        st.stop()


def needs_extra(name: str) -> None:
    """Where an extra is not installed: says which and how to install it, and draws nothing more.

    Args:
        name: "live", "report" or "spark".
    """
    lacking = missing(name)
    if lacking is not None:
        answer(str(lacking))
        st.stop()


def answer(sentence: str, *, also: str | None = None) -> None:
    """The one sentence that answers the page's question, its first heading; names in it are made harmless here.

    Args:
        sentence: the sentence.
        also: its second half, in the colour of attention: what the answer costs.
    """
    with st.container(key="answer"):
        more = "" if also is None else f" :orange[{severity_icon(Severity.ATTENTION)} {text.plain(also)}]"
        st.title(f"{text.plain(sentence)}{more}", anchor=False)


def figures(values: Sequence[Figure | tuple[str, str, str | None, str | None]]) -> list[DeltaGenerator]:
    """Three to six figures in a row; returns the columns, for what belongs below a figure."""
    with st.container(key="figures"):
        columns = st.columns(max(_COLUMNS, len(values)))
        for column, value in zip(columns, values, strict=False):
            figure = Figure(*value)
            column.metric(
                figure.label, figure.value, figure.delta, delta_color="off", delta_arrow="off", help=help_of(figure)
            )
    return columns


def help_of(figure: Figure) -> str | None:
    """The glossary's definition where the figure's label is a term, the same on every page; behind it, its own help."""
    term = meaning(figure.label)
    if term is None or figure.help in (None, term):
        return term or figure.help
    return f"{term} {figure.help}"


def how_to_read(explanation: str, titles: Sequence[str] = (), *, key: str = "how") -> None:
    """One folded line under a chart that says how to read it, with the glossary's line for each term named.

    Args:
        explanation: how to read it.
        titles: what else the chart names: its titles and axes.
        key: its name on the page; ``how-too`` where the page has another chart's.
    """
    terms = named_in("\n".join((explanation, *titles)))
    with st.container(key=key), st.expander("How to read this", icon=":material/help:"):
        st.markdown(explanation)
        if terms:
            st.markdown("\n".join(f"- **{text.plain(term)}**: {text.plain(define(term))}" for term in terms))


def _begin(title: str) -> None:
    """What stands above and beside every page; the tour's bar where it is about this one."""
    entry.through_app()
    told.begin()
    addresses.arrive_alone(title)
    st.html(_CSS)
    st.logo(_LOGO, size="large")
    session.follow_live()
    wall.draw()
    tour.draw(title)


def _closed() -> None:
    """Why what was open is not shown any more, where that is so."""
    closed = session.closed()
    if closed is not None:
        sign_in.draw_closed(closed, "open")
