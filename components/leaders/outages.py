"""Brokers stopped or restarted, drawn: who takes over, what goes offline, and which broker may be restarted next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.leaders import elections
from components.leaders.consequences import bring_back_words, draw_lists
from components.look import text
from components.look.notices import of_quorum
from components.shell import frame
from components.shell.findings import flagged
from components.state import caching, fields, widgets
from components.state.slots import Anew, Slot
from reseat.balance.grid import brokers_by_rack
from reseat.balance.quorum import quorum_without
from reseat.election import Reason, against_majority, leader_spread, safe_to_restart, stop
from reseat.formats.input.reading import Reading
from reseat.model import ClusterLayout, Longs, Severity
from reseat.model.glossary import define
from reseat.model.naming import natural

if TYPE_CHECKING:
    from reseat.election import Mode, StopPreview

__all__ = ["APART", "apart", "draw_next_restart", "draw_stopped", "legend"]

#: What the session keeps: the brokers chosen, and how many clicks on bars changed them.
_STOPPED: Slot[tuple[int, ...]] = Slot("leaders-stopped")
_CLICKS = Anew("leaders-stopped-clicks")
#: The address's name for the brokers chosen.
_OUT = "out"
#: What the spread of leaders means.
APART = define("Leader spread")


def draw_stopped(layout: ClusterLayout, mode: Mode, reading: Reading) -> None:
    """Who takes over and what goes offline while brokers are merely stopped."""
    chosen, unclean = _choose(layout)
    preview = caching.kept(stop)(layout, chosen, unclean=unclean, mode=mode)
    election = preview.election
    if not chosen:
        frame.answer("Choose brokers to stop, or click their bars: no data moves; leadership fails over.")
    else:
        frame.answer(_worst_first(preview))
        if len(preview.offline) and not unclean:
            frame.findings([finding for finding in reading.findings if finding.kind == "unclean_enabled"])
        told = None if reading.quorum is None else quorum_without(reading.quorum, layout.brokers, chosen)
        if told is not None:
            st.markdown(of_quorum(told))
    taken = elections.reason_counts(election).get(Reason.TAKES_OVER, 0)
    frame.figures(
        [
            ("Leaders failed over", text.count(taken), None, Reason.TAKES_OVER.sentence),
            (
                "Go offline",
                flagged(len(preview.offline), Severity.BROKEN),
                None,
                Reason.NO_CANDIDATE.sentence,
            ),
            (
                "Led by out-of-sync replica",
                flagged(len(preview.unclean), Severity.BROKEN),
                None,
                Reason.UNCLEAN.sentence,
            ),
            (
                "Fall below min ISR",
                flagged(len(preview.below_min_isr) if layout.floor_told else None, Severity.BROKEN),
                None,
                "They reject acks=all writes.",
            ),
            ("Under-replicated", text.count(len(preview.under_replicated)), None, None),
        ]
    )
    chart = _chart()
    elections.draw_leaders(
        layout,
        election.leaders_before,
        election.leaders_after,
        chart,
        stopped=chosen,
        on_click=partial(_clicked, layout, chart),
    )
    legend(" Click a broker's bar to stop or restart it.")
    if chosen:
        _consequences(layout, preview, mode, unclean=unclean)


def _choose(layout: ClusterLayout) -> tuple[tuple[int, ...], bool]:
    """The brokers that are stopped, one by one or by rack, and whether an unclean election is allowed."""
    facts = {b.id: " · ".join(filter(None, (str(b.id), b.rack, b.host))) for b in layout.brokers}
    left, middle, right = st.columns([5, 3, 2], vertical_alignment="bottom")
    brokers = fields.several(
        "Brokers stopped",
        list(facts),
        name=_OUT,
        # What was clicked fills the field anew.
        key=_CLICKS.key("stopped-brokers"),
        place=left,
        placeholder="Choose a broker",
        format_func=lambda broker: text.visible(facts[broker], 60) if broker in facts else str(broker),
    )
    racks = fields.several(
        "And all brokers of these racks",
        sorted(layout.racks, key=natural),
        name="out_racks",
        key="stopped-racks",
        place=middle,
        placeholder="Choose a rack" if layout.racks else "Racks unknown",
        disabled=not layout.racks,
        format_func=lambda rack: text.visible(rack, 60),
    )
    unclean = fields.yes(
        "Unclean election allowed", name="unclean", key="unclean", place=right, help="unclean.leader.election.enable"
    )
    _STOPPED.set(tuple(brokers))
    whole = {b.id for b in layout.brokers if b.rack is not None and b.rack in racks}
    return tuple(sorted((set(brokers) | whole) & set(facts))), unclean


def _worst_first(preview: StopPreview) -> str:
    """What goes offline if anything does, else who takes over; the rest is told by the figures."""
    ids = preview.stopped
    start = (
        f"While {text.verb(len(ids), 'broker', 'brokers')} {text.ids(ids)} {text.verb(len(ids), 'is', 'are')} stopped, "
    )
    if len(preview.offline):
        one = len(preview.offline) == 1
        return f"{start}{text.counted(len(preview.offline), 'partition')} {'goes' if one else 'go'} offline."
    if len(preview.below_min_isr):
        refuse = text.verb(len(preview.below_min_isr), "rejects", "reject")
        return (
            f"{start}{text.counted(len(preview.below_min_isr), 'partition')} {refuse} acks=all writes; "
            "none goes offline."
        )
    return preview.sentences[0] if preview.sentences else "Nothing changes."


def _consequences(layout: ClusterLayout, preview: StopPreview, mode: Mode, *, unclean: bool) -> None:
    """Who leads then, the lists of what suffers, what unclean election would bring back, and a majority beside it."""
    notes = list(preview.sentences[1:])
    back = np.empty(0, np.int64)
    if len(preview.offline) and not unclean:
        other = caching.kept(stop)(layout, preview.stopped, unclean=True, mode=mode)
        back = np.intersect1d(other.unclean, preview.offline)
        notes.insert(0, bring_back_words(layout, back, len(preview.offline)))
    lists = {
        "Go offline": preview.offline,
        "Led by out-of-sync replica": preview.unclean,
        "Fall below min ISR": preview.below_min_isr,
        "Unclean recovers": back,
        "Under-replicated": preview.under_replicated,
    }
    majority = caching.kept(against_majority)(layout, preview.stopped, mode)
    draw_lists(layout, preview.election, lists, majority, "stopped", notes=notes)


def _chart() -> str:
    """The chart's name: one that was clicked begins anew, so that the next click on the same bar is one too."""
    return _CLICKS.key("leaders-stopped")


def _clicked(layout: ClusterLayout, chart: str) -> None:
    """A click on a broker's bar stops it, or lets it run again; a browser may tell of one click twice."""
    if chart != _chart():
        return
    order = brokers_by_rack(layout)
    for place in widgets.clicked(chart)[:1]:
        stopped = set(_STOPPED.get(())) ^ {layout.brokers[order[place]].id}
        fields.fill(_OUT, sorted(stopped))
        _STOPPED.set(tuple(sorted(stopped)))
        _CLICKS.begin()


def draw_next_restart(layout: ClusterLayout, mode: Mode, reading: Reading) -> None:
    """The next broker that is safe to restart, and why the others are not."""
    restarts = caching.kept(safe_to_restart)(layout, reading.quorum, _controller(reading), mode)
    safe = [restart for restart in restarts if restart.safe]
    if safe:
        others = f"{text.counted(len(safe) - 1, 'other')} {'is' if len(safe) == 2 else 'are'} safe too"
        frame.answer(f"Restart broker {safe[0].broker_id} next{f'; {others}' if len(safe) > 1 else ''}.")
    else:
        frame.answer("No broker is safe to restart now.")
    if restarts:  # safe ones come first
        st.markdown(text.plain(f"{restarts[0].sentence} {restarts[0].assumed}"))
    wait = len(restarts) - len(safe)
    frame.figures(
        [
            (
                "Safe",
                text.count(len(safe)),
                None,
                None,
            ),
            ("Must wait", flagged(wait, Severity.ATTENTION), None, "The table shows why."),
        ]
    )
    elections.draw_restarts(restarts, "restarts")
    frame.how_to_read(
        "In restart order: safe brokers first, those with the fewest leaders to fail over before others, the active "
        "controller last. "
        "Restart one broker at a time, and refresh the layout before the next."
    )


def _controller(reading: Reading) -> int | None:
    """The active controller; with metadata in KRaft clients are told of any broker, and only its quorum knows."""
    if reading.quorum is not None:
        return reading.quorum.leader
    told = reading.facts.get("controller")
    return told if isinstance(told, int) and reading.facts.get("metadata") == "zookeeper" else None


def apart(
    layout: ClusterLayout,
    before: Longs | None,
    after: Longs | None,
    *,
    away_before: tuple[int, ...] = (),
    away_after: tuple[int, ...] = (),
) -> str:
    """Most minus fewest leaders of a broker, before and after; brokers that are away then do not count."""
    start, end = leader_spread(layout, before, away_before), leader_spread(layout, after, away_after)
    return f"{text.count(start)} → {text.count(end)}"


def legend(more: str = "") -> None:
    """What the bars mean, and what else one should know."""
    frame.how_to_read(
        "Grey: leaders that a broker keeps. Sky blue: leaders it gains. Purple with hatches: leaders it loses. A "
        f"cross: the broker is down. The dashed line is the mean afterwards. No data moves in an election.{more}"
    )
