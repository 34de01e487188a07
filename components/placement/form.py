"""The Placement page's choices: examples, the form and the steps; kept in the session and in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from components.look import text
from components.state import fields, widgets
from components.state.open_layout import OpenLayout
from components.state.slots import Anew, Slot
from reseat.placement.examples import EXAMPLES
from reseat.placement.request import ALGORITHMS, MOST_BROKERS, PlacementRequest, brokers_text, from_query

__all__ = ["current", "draw_examples", "draw_form", "draw_steps", "go"]

_CSS = Path(__file__).with_name("placement.css")
_KEPT: Slot[_Kept] = Slot("placement", addressed=True)
_ANEW = Anew("placement")
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Kept:
    """The question that the fields began with, and the question now."""

    begun: PlacementRequest
    now: PlacementRequest
    error: str | None = None


def _kept() -> _Kept:
    return _KEPT.once(_linked)


def _linked() -> _Kept:
    """At first, what the link says, or else the first example."""
    linked, error = from_query(st.query_params.to_dict())
    begun = linked or EXAMPLES[0].request
    return _Kept(begun, begun, error)


def _begin(request: PlacementRequest) -> None:
    """Fill the fields anew."""
    _KEPT.set(_Kept(request, request))
    _ANEW.begin()


def go(step: int) -> None:
    """Look at another step from the next rerun on."""
    kept = _kept()
    _KEPT.set(replace(kept, now=kept.now.at(step)))


def draw_examples(open_layout: OpenLayout | None) -> None:
    """The documented examples, one click each, and the brokers of the layout that is open."""
    st.html(_CSS)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="placement-examples"):
        for number, example in enumerate(EXAMPLES):
            st.button(
                example.name, key=f"example-{number}", help=example.shows, on_click=_begin, args=(example.request,)
            )
        if open_layout is not None and len(open_layout.layout.brokers) <= MOST_BROKERS:
            brokers = brokers_text(open_layout.layout.brokers)
            request = replace(_kept().now, brokers=brokers, documented=False, fenced="", cordoned="").at(0)
            st.button(
                "The layout's brokers",
                key="example-layout",
                icon=":material/dns:",
                help=f"The {len(open_layout.layout.brokers):,} brokers and racks of {text.plain(open_layout.name, 60)}",
                on_click=_begin,
                args=(request,),
            )


def draw_form() -> tuple[bool, str | None]:
    """The fields; keeps what they say.

    Returns:
        Whether columns shall stand by rack, and what in the link was not understood.
    """
    kept = _kept()
    begun, suffix = kept.begun, _ANEW.turn
    wide, parts, factor, kind = st.columns([3.1, 1, 1, 2.1], vertical_alignment="bottom")
    brokers = wide.text_input(
        "Brokers and racks",
        begun.brokers,
        key=f"brokers-{suffix}",
        help="0:rack1,1:rack1,3:rack2, or 0-8 without racks",
        persist_state="session",
    )
    partitions = _whole(parts, "Partitions", begun.partitions, f"partitions-{suffix}", lowest=None) or 0
    replicas = _whole(factor, "Replicas", begun.factor, f"factor-{suffix}", lowest=None) or 0
    algorithm = kind.segmented_control(
        "Algorithm",
        list(ALGORITHMS),
        format_func=ALGORITHMS.__getitem__,
        default=begun.algorithm,
        required=True,
        key=f"algorithm-{suffix}",
        persist_state="session",
    )
    one, two, three, four, five, six, last = st.columns([1, 1, 1, 1, 1.2, 1.2, 1.7], vertical_alignment="bottom")
    striped = algorithm == "striped"
    start = _whole(one, "Start index", begun.start, f"start-{suffix}", blank="drawn", off=not striped)
    shift = _whole(two, "Replica shift", begun.shift, f"shift-{suffix}", blank="drawn", off=not striped)
    first = _whole(three, "First partition", begun.first, f"first-{suffix}")
    seed = _whole(four, "Seed", begun.seed, f"seed-{suffix}", lowest=-_MOST, off=algorithm == "naive")
    fenced = five.text_input(
        "Fenced brokers",
        begun.fenced,
        key=f"fenced-{suffix}",
        disabled=algorithm != "kraft",
        placeholder="none",
        persist_state="session",
    )
    cordoned = six.text_input(
        "Cordoned",
        begun.cordoned,
        key=f"cordoned-{suffix}",
        disabled=algorithm != "kraft",
        placeholder="none",
        help="Brokers that get no new replica (Kafka 4.3 and later)",
        persist_state="session",
    )
    with last, st.container(horizontal=True, gap="small"):
        racks = st.toggle(
            "Rack-aware",
            begun.racks,
            key=f"racks-{suffix}",
            help="Off is --disable-rack-aware",
            disabled=algorithm == "naive",
            persist_state="session",
        )
        grouped = fields.yes(
            "By rack",
            name="by_rack",
            key="placement-grouped",
            toggle=True,
            help="Columns by rack instead of in Kafka's order",
            persist_state="session",
        )
    said = PlacementRequest(
        brokers, partitions, replicas, algorithm, start, shift, first or 0, seed or 0, fenced, racks, cordoned=cordoned
    )
    same = replace(begun, step=0, documented=False) == said
    said = replace(said, documented=begun.documented and same, step=kept.now.step)
    _KEPT.set(replace(kept, now=said.at(said.step)))
    return grouped, kept.error


def current() -> PlacementRequest:
    """The question as it stands."""
    return _kept().now


def draw_steps(request: PlacementRequest) -> None:
    """First, back and forth by partition and by replica, last."""
    factor, now = request.factor, request.step
    row = now // factor
    # Back leads to the last replica of the partition before, on to that of the next: whole lists are compared.
    buttons = (
        ("first", ":material/first_page:", "The first replica", 0, None),
        ("partition-back", ":material/keyboard_double_arrow_left:", "A partition back", row * factor - 1, None),
        ("back", ":material/chevron_left:", "A replica back", now - 1, "Left"),
        ("on", ":material/chevron_right:", "A replica on", now + 1, "Right"),
        ("partition-on", ":material/keyboard_double_arrow_right:", "A partition on", (row + 2) * factor - 1, None),
        ("last", ":material/last_page:", "The last replica", request.steps - 1, None),
    )
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="placement-steps"):
        for name, icon, words, step, shortcut in buttons:
            target = request.at(step).step
            st.button(
                words,
                key=f"step-{name}",
                icon=icon,
                help=words,
                on_click=go,
                args=(target,),
                disabled=target == now,
                shortcut=shortcut,
            )


def _whole(
    place: st.delta_generator.DeltaGenerator,
    label: str,
    value: int | None,
    key: str,
    *,
    lowest: int | None = 0,
    blank: str | None = None,
    off: bool = False,
) -> int | None:
    """A field for a whole number; where it may be blank, its placeholder says what happens then."""
    how: dict[str, Any] = {
        "min_value": -_MOST if lowest is None else lowest,
        "max_value": _MOST,
        "step": 1,
        "key": key,
        "disabled": off,
        "persist_state": "session",
    }
    if blank is not None:
        return widgets.number_or_none(label, value, place=place, placeholder=blank, **how)
    number: int | None = place.number_input(label, value=value, **how)
    return number
