"""The strip above every page about a layout: which one, its age and size, what is unknown of it, and the what-if."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import streamlit as st

from components.look import text
from components.shell import data_quality, layout_menu, live_strip
from components.state import session
from components.state.open_layout import OpenLayout
from components.state.past import Past
from reseat.model import Wish
from reseat.model.rules import RULES
from reseat.model.wording import listed

__all__ = ["Shows", "draw"]

#: What a page shows of a what-if: the present alone, the change from the one to the other, or what the switch says.
Shows = Literal["present", "change", "either"]

#: A layout read longer ago than this is shown as old.
_OLD = timedelta(hours=1)
#: More chips than these are shown as one.
_MOST_CHIPS = 6


def draw(open_layout: OpenLayout, shows: Shows) -> None:
    """Draw it above a page.

    Args:
        open_layout: what the person looks at.
        shows: what the page shows of a what-if.
    """
    layout, wish = open_layout.layout, open_layout.wish
    tinted = not wish.is_empty and (shows == "change" or (shows == "either" and open_layout.after))
    key = "strip-past" if open_layout.past is not None else "strip-what-if" if tinted else "strip"
    with st.container(key=key, horizontal=True, vertical_alignment="center", gap="small"):
        layout_menu.draw(open_layout)
        if open_layout.past is not None:
            _past(open_layout.past)
        elif open_layout.live is None:
            old = datetime.now(UTC) - open_layout.read_at > _OLD
            age = f"read {text.ago(open_layout.read_at)}"
            st.markdown(f":orange[:material/schedule: {age}]" if old else age, width="content")
        else:
            live_strip.draw(open_layout, open_layout.live)
        away = sum(broker.state.away for broker in layout.brokers)
        sizes = [
            text.counted(len(layout.brokers), "broker")
            + (f" :red[:material/error: {away:,} not alive]" if away else ""),
            text.counted(layout.partition_count, "partition"),
            text.counted(layout.replica_count, "replica"),
        ]
        st.markdown(" · ".join(sizes), width="content")
        data_quality.draw(open_layout)
        _switch(open_layout, shows)
        if not wish.is_empty:
            st.markdown(":material/visibility: **what-if**", width="content")
            if _chips(wish) > 1:  # one chip is dropped by itself
                st.button(
                    "Reset the what-if",
                    key="wish-clear",
                    icon=":material/undo:",
                    type="tertiary",
                    help="Remove every change from the what-if",
                    on_click=session.set_wish,
                    args=(Wish(),),
                )


def _switch(open_layout: OpenLayout, shows: Shows) -> None:
    """Whether the pages show the present or what the what-if leads to; said where a page leaves no choice."""
    present = "current state" if open_layout.past is None else "snapshot"
    if open_layout.wish.is_empty or shows == "present":
        if open_layout.past is None or not open_layout.wish.is_empty:
            st.markdown(present, width="content")
    elif shows == "change":
        st.markdown(f"{present} → after", width="content")
    else:
        # Changed elsewhere (a broker dragged out, a link), it begins with what is shown now.
        key = f"strip-after-{open_layout.after}"
        st.segmented_control(
            "Current or after",
            [False, True],
            default=open_layout.after,
            required=True,
            key=key,
            format_func=lambda after: "after" if after else present,
            label_visibility="collapsed",
            help="What all pages show: the cluster as it is, or as it would be after the plan",
            on_change=session.show_chosen,
            args=(key,),
        )


def _past(past: Past) -> None:
    """Which moment one looks at, and the way back: beside the name, so that nobody takes it for the present."""
    st.markdown(f":material/history: **snapshot: {text.plain(past.words())}**", width="content")
    st.button(
        "Back to the current state",
        key="chip-present",
        icon=":material/close:",
        icon_position="right",
        help="Leave the snapshot: show the layout that was open before",
        on_click=session.back_to_present,
    )


def _chips(wish: Wish) -> int:
    """One for each part of the what-if, which drops it; says how many."""
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
    if wish.places:
        words = ", ".join(f"{new} in the place of {old}" for old, new in wish.places)
        chips.append(("places", words, replace(other, replace=())))
    if wish.topics:
        chips.append(
            (
                "rf",
                text.wish_in_words(Wish(topics=wish.topics, replication_factor=wish.replication_factor)),
                replace(other, topics=(), replication_factor=None),
            )
        )
    if wish.rearranges:
        alone = replace(wish.at(None), remove=(), add=(), replace=())
        bare = replace(other.of_brokers(), rebalance=False)
        if wish.rebalance:  # by size or not is part of it
            bare = replace(bare, options=replace(bare.options, by_bytes=False))
        chips.append(("rearranged", text.wish_in_words(alone), bare))
    if wish.point is not None:
        chips.append(("point", text.counted(wish.point, "move"), wish.at(None)))
    for name, rule in RULES.items():
        items = getattr(wish.options, name)
        if items and not wish.is_empty:
            nothing: dict[str, Any] = {name: ()}
            free = replace(other, options=replace(wish.options, **nothing))
            said = listed(map(rule.line, items))
            words = text.counted(len(items), "pin") if name == "pin" else f"{rule.said}: {said}"
            chips.append((name.replace("_", "-"), words, free))
    if wish.options.keep_racks and wish.rebalance:
        chips.append(("keep-racks", "racks kept", replace(other, options=replace(wish.options, keep_racks=False))))
    if wish.options.same_rack and wish.remove:
        chips.append(("same-rack", "within racks", replace(other, options=replace(wish.options, same_rack=False))))
    options = wish.options
    for key, most, words, unlimited in (
        ("cap", options.receive_cap, text.counted(options.receive_cap or 0, "replica") + " received", "receive_cap"),
        ("max-moves", options.max_moves, text.counted(options.max_moves or 0, "move"), "max_moves"),
        ("max-bytes", options.max_bytes, f"{text.size(options.max_bytes)} copied", "max_bytes"),
    ):
        if most is not None and not wish.is_empty:
            free = replace(other, options=replace(options, **{unlimited: None}))  # type: ignore[arg-type]
            chips.append((key, f"at most {words}", free))
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
    return len(chips)
