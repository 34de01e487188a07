"""The anatomy of every page: the strip, the sentence that answers its question, the figures, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import streamlit as st

from components import (
    connections,
    entry,
    first_page,
    live_strip,
    navigation,
    recognised,
    session,
    sidebar,
    sign_in,
    text,
    tour,
)
from components.live import LiveCluster
from components.notices import refused
from components.past import Past
from components.session import Seat
from components.theme import severity_icon
from reseat.access import Door
from reseat.model import BrokerState, Finding, Severity, Wish
from reseat.model.glossary import TERMS

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["Figure", "Shows", "answer", "figures", "findings", "how_to_read", "lesson", "page", "refused", "standalone"]

#: What a page shows of a what-if: the present alone, the change from the one to the other, or what the switch says.
Shows = Literal["present", "change", "either"]

_CSS = Path(__file__).with_name("frame.css")
_LOGO = str(Path(__file__).with_name("logo.svg"))
#: A layout read longer ago than this is shown as old.
_OLD = timedelta(hours=1)
#: Seconds between two looks at a cluster that a link waits for.
_LOOK_SECONDS = 1.0
#: Figures stand in columns of the same width on every page, also where there are fewer.
_COLUMNS = 6
#: More chips than these are shown as one.
_MOST_CHIPS = 6


class Figure(NamedTuple):
    """One number under the sentence: what, how much, how it changed, and what it means."""

    label: str
    value: str
    delta: str | None = None
    help: str | None = None


def page(
    title: str, own: Sequence[str] = (), unread: Callable[[], None] | None = None, shows: Shows = "present"
) -> Seat:
    """Draw what every page has, and return what the person looks at; where nothing is read yet, how to begin.

    Args:
        title: the page's name, for the browser's tab and screen readers.
        own: names of the address that belong to the page.
        unread: draws what is to be said even where nothing is read.
        shows: what the page shows of a what-if.
    """
    entry.through_app()
    session.follow_address()
    st.html(_CSS)
    st.logo(_LOGO, size="large")
    session.follow_live()
    sidebar.draw()
    tour.draw(title)
    seat = session.seat()
    _pending_link()
    _closed()
    if seat is None:
        if unread is not None:
            unread()
        first_page.draw(title)
        st.stop()
    _strip(seat, shows)
    recognised.draw(seat, title)
    session.publish(seat, own)
    return seat


def standalone(
    *, strip: bool = True, linked: bool = False, door: Door | None = None, shows: Shows = "present"
) -> Seat | None:
    """As ``page``, for a page that needs no layout: draws the strip where one is open, and goes on in any case.

    Args:
        strip: whether the strip is drawn: not where nothing is about what is open.
        linked: whether a link that could not be followed is told of: on a page that would show something else instead.
        door: what one must be allowed to see anything here; None: nothing.
        shows: what the page shows of a what-if.
    """
    entry.through_app()
    session.follow_address()
    st.html(_CSS)
    st.logo(_LOGO, size="large")
    session.follow_live()
    sidebar.draw()
    tour.draw("")
    seat = session.seat()
    if linked:
        _pending_link()
    _closed()
    if seat is not None and strip:
        _strip(seat, shows)
    if door is not None and not (answer := session.may(door)).may:
        sign_in.draw_closed(answer, "page")
        st.stop()
    return seat


def lesson(place: navigation.Place) -> Seat | None:
    """As ``standalone``, for a page that teaches: no strip, since it is about no cluster, and what one learns first."""
    seat = standalone(strip=False)
    st.caption(text.plain(place.teaches))
    return seat


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
                figure.label,
                figure.value,
                figure.delta,
                delta_color="off",
                delta_arrow="off",
                help=help_of(figure),
            )
    return columns


def help_of(figure: Figure) -> str | None:
    """The glossary's definition where the figure's label is a term, the same on every page; behind it, its own help."""
    term = TERMS.get(figure.label) or TERMS.get(figure.label.removesuffix("s"))
    if term is None or figure.help in (None, term):
        return term or figure.help
    return f"{term} {figure.help}"


def findings(found: Sequence[Finding]) -> None:
    """What a person should know before carrying something out, a line each, worst first."""
    for finding in found:
        colour = {Severity.BROKEN: "red", Severity.ATTENTION: "orange", Severity.NOTE: "gray"}[finding.severity]
        st.markdown(f":{colour}[{severity_icon(finding.severity)}] {text.plain(finding.sentence)}")


def how_to_read(explanation: str) -> None:
    """One folded line under a chart that says how to read it."""
    with st.container(key="how"), st.expander("How to read this", icon=":material/help:"):
        st.markdown(explanation)


def _strip(seat: Seat, shows: Shows) -> None:
    layout, wish = seat.layout, seat.wish
    tinted = not wish.is_empty and (shows == "change" or (shows == "either" and seat.after))
    key = "strip-past" if seat.past is not None else "strip-what-if" if tinted else "strip"
    with st.container(key=key, horizontal=True, vertical_alignment="center", gap="small"):
        if seat.past is not None:
            _past(seat.past)
        elif seat.live is None:
            old = datetime.now(UTC) - seat.read_at > _OLD
            age = f"read {text.ago(seat.read_at)}"
            st.markdown(
                f"**{text.plain(seat.name, 60)}** · {':orange[:material/schedule: ' + age + ']' if old else age}",
                width="content",
            )
        else:
            live_strip.draw(seat, seat.live)
        away = sum(broker.state in (BrokerState.DEAD, BrokerState.FENCED) for broker in layout.brokers)
        sizes = [
            text.plural(len(layout.brokers), "broker")
            + (f" :red[:material/error: {away:,} not alive]" if away else ""),
            text.plural(layout.partition_count, "partition"),
            text.plural(layout.replica_count, "replica"),
        ]
        st.markdown(" · ".join(sizes), width="content")
        _switch(seat, shows)
        if not wish.is_empty:
            st.markdown(":material/visibility: **what-if**", width="content")
            _chips(wish)


def _switch(seat: Seat, shows: Shows) -> None:
    """Whether the pages show the present or what the what-if leads to; said where a page leaves no choice."""
    present = "the present" if seat.past is None else "as it was"
    if seat.wish.is_empty or shows == "present":
        if seat.past is None or not seat.wish.is_empty:
            st.markdown(present, width="content")
    elif shows == "change":
        st.markdown(f"{present} → after", width="content")
    else:
        st.segmented_control(
            "Present or after",
            [False, True],
            default=seat.after,
            required=True,
            # Changed elsewhere (a broker dragged out, a link), it begins with what is shown now.
            key=f"strip-after-{seat.after}",
            format_func=lambda after: "after" if after else present,
            label_visibility="collapsed",
            help="What all pages show: the cluster as it is, or as the plan of the what-if leaves it",
            on_change=session.show_after,
            args=(not seat.after,),
        )


def _past(past: Past) -> None:
    """Which moment one looks at, and the way back: first of all, so that nobody takes it for the present."""
    st.markdown(
        f"**{text.plain(past.cluster, 60)}** · :material/history: **the past: {text.plain(past.words())}**",
        width="content",
    )
    st.button(
        "Back to the present",
        key="chip-present",
        icon=":material/close:",
        icon_position="right",
        help="Look again at what you looked at before",
        on_click=session.back_to_present,
    )


def _chips(wish: Wish) -> None:
    chips: list[tuple[str, str, Wish]] = []
    other = wish.at(None)  # another change has other points
    if len(wish.remove) <= _MOST_CHIPS:
        chips += [
            (
                f"out-{broker}",
                f"broker {broker} removed",
                replace(other, remove=tuple(b for b in wish.remove if b != broker)),
            )
            for broker in wish.remove
        ]
    else:
        chips.append(("out", f"{len(wish.remove):,} brokers removed", replace(other, remove=())))
    if len(wish.add) <= _MOST_CHIPS:
        chips += [
            (
                f"in-{broker}",
                f"broker {broker} added" + (f" {text.plain(rack, 30)}" if rack else ""),
                replace(other, add=tuple(pair for pair in wish.add if pair[0] != broker)),
            )
            for broker, rack in wish.add
        ]
    else:
        chips.append(("in", f"{len(wish.add):,} brokers added", replace(other, add=())))
    if wish.topics:
        chips.append(
            (
                "rf",
                f"replication factor {wish.replication_factor} for {text.plural(len(wish.topics), 'topic')}",
                replace(other, topics=(), replication_factor=None),
            )
        )
    if wish.point is not None:
        chips.append(("point", text.plural(wish.point, "move"), wish.at(None)))
    for key, words, without in chips:
        st.button(
            f":gray[Remove from the what-if: ]{words}",  # the sign alone tells nobody who hears it; frame.css hides it
            key=f"chip-{key}",
            icon=":material/close:",
            icon_position="right",
            help="Remove this from the what-if",
            on_click=session.set_wish,
            args=(without,),
        )


def _closed() -> None:
    """Why what was open is not shown any more, where that is so."""
    closed = session.closed()
    if closed is not None:
        sign_in.draw_closed(closed, "seat")


def _pending_link() -> None:
    link = session.pending_link()
    if link is None:
        return
    with st.container(border=True, key="pending-link"):
        if link.trouble:
            st.markdown(f":orange[:material/link_off:] {text.plain(link.trouble)}")
        elif link.live is not None:
            what = "is about" if link.wish.is_empty else "shows a what-if on"
            then = "" if link.wish.is_empty else " Read it and the what-if is shown on it."
            st.markdown(
                f":orange[:material/link:] **This link {what} the live cluster {text.code(link.name)}, "
                f"which nobody has read since this server started.**{then}"
            )
            known = connections.choices().named.get(link.name)
            if known is None:
                navigation.link(navigation.CONNECT, "Connect to it")
            else:
                st.fragment(_read_linked, run_every=_LOOK_SECONDS)(known)
        else:
            st.markdown(
                f":orange[:material/link:] **This link shows a what-if on {text.code(link.name or 'a layout')}, "
                "which this server does not have.** Open that very file and the what-if is shown on it. "
                f"Its digest begins with `{text.plain(link.digest)}`."
            )
        st.button("Go on without the link", key="forget-link", on_click=session.forget_link, type="tertiary")


def _read_linked(live: LiveCluster) -> None:
    """Read the cluster of a link with one click, and open it as soon as it is read."""
    state = live.state
    if state.snapshot is not None:
        session.open_live(live)
        st.rerun()
    if state.progress is not None:
        st.markdown(f":material/sync: {text.plain(live_strip.progress_in_words(state.progress))} …")
        return
    if state.error is not None:
        st.markdown(f":red[:material/cloud_off: {text.plain(str(state.error))}]")
    st.button(
        f"Read {text.plain(live.name, 60)} now",
        key="read-linked",
        icon=":material/download:",
        type="primary",
        on_click=connections.read,
        args=(live,),
    )
