"""Stops, returns and elections one after the other, drawn: a strip of steps, and what the chosen one leaves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.leaders import elections
from components.leaders.consequences import bring_back_words, draw_lists
from components.leaders.walk_state import (
    ANEW,
    MOST_MOVES,
    Walk,
    add,
    example,
    go,
    keep,
    kept,
    label,
    left_out,
    remove,
    without_brokers,
)
from components.look import text
from components.shell import frame
from components.shell.findings import flagged
from components.state import caching, fields, widgets
from reseat.balance.grid import brokers_by_rack
from reseat.balance.health import brokers_down
from reseat.election import Move, MoveKind, Reason, against_majority, stop
from reseat.election import unclean as unclean_election
from reseat.election import walk as walk_through
from reseat.model import ClusterLayout, Longs, Severity
from reseat.model.naming import natural
from reseat.model.wording import listed

if TYPE_CHECKING:
    from reseat.election import Mode, WalkStep

__all__ = ["draw_walk"]

_KINDS = {
    MoveKind.STOP: "stop",
    MoveKind.CRASH: "crash",
    MoveKind.RETURN: "return",
    MoveKind.PREFERRED: "preferred election",
    MoveKind.UNCLEAN: "unclean election",
}
_BEGINNING = "Initial state"


def draw_walk(layout: ClusterLayout, mode: Mode) -> None:
    """The strip, the step that one stands at, and what can happen next."""
    walk = kept(layout)
    unclean = _draw_strip(walk)
    if gone := left_out(layout):
        steps_gone = text.plain(listed([label(move) for move in gone], 5), 200)
        st.caption(f"Left out, because this layout lacks a broker of it: {steps_gone}.")
    steps = caching.kept(walk_through, 4)(layout, walk.moves, unclean=unclean, mode=mode).steps
    if walk.at == 0:
        _draw_start(layout, walk, mode)
    else:
        _draw_step(layout, steps[walk.at - 1], walk, mode, unclean=unclean)


def _draw_strip(walk: Walk) -> bool:
    """A step back and a step on, then all steps, which go on in further lines; whether unclean election is allowed."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="walk-strip"):
        st.button(
            "", icon=":material/chevron_left:", key="walk-back", help="Previous step", disabled=not walk.at,
            on_click=go, args=(walk, walk.at - 1),
        )  # fmt: skip
        st.button(
            "", icon=":material/chevron_right:", key="walk-on", help="Next step",
            disabled=walk.at == len(walk.moves), on_click=go, args=(walk, walk.at + 1),
        )  # fmt: skip
        unclean = fields.yes(
            "Unclean election allowed", name="unclean", key="walk-unclean", help="unclean.leader.election.enable"
        )
        place = st.segmented_control(
            "Steps",
            range(len(walk.moves) + 1),
            default=walk.at,
            required=True,
            key=ANEW.key(f"walk-{len(walk.moves)}"),
            label_visibility="collapsed",
            format_func=lambda i: f"{i} · {text.visible(label(walk.moves[i - 1]), 40)}" if i else _BEGINNING,
        )
    if place != walk.at:
        go(walk, place)
        st.rerun()
    return unclean


def _draw_next(layout: ClusterLayout, walk: Walk) -> None:
    """What can happen after the step that one stands at."""
    facts = {b.id: " · ".join(filter(None, (str(b.id), b.rack, b.host))) for b in layout.brokers}
    kind_at, brokers_at, racks_at, buttons = st.columns([2, 3, 2, 4], vertical_alignment="bottom")
    kind = kind_at.selectbox("Next", list(_KINDS), format_func=_KINDS.__getitem__, key="walk-kind")
    no_brokers = without_brokers(kind)
    brokers = brokers_at.multiselect(
        "Brokers",
        list(facts),
        placeholder="Not needed: applies to all" if no_brokers else "Choose, or click a bar",
        format_func=lambda broker: text.visible(facts.get(broker, str(broker)), 60),
        disabled=no_brokers,
        key=ANEW.key("walk-brokers"),
    )
    racks = racks_at.multiselect(
        "And racks",
        sorted(layout.racks, key=natural),
        placeholder="Choose a rack" if layout.racks else "Racks unknown",
        format_func=lambda rack: text.visible(rack, 60),
        disabled=no_brokers or not layout.racks,
        key=ANEW.key("walk-racks"),
    )
    whole = {b.id for b in layout.brokers if b.rack is not None and b.rack in set(racks)}
    ids = () if no_brokers else tuple(sorted(set(brokers) | whole))
    full = len(walk.moves) >= MOST_MOVES
    with buttons.container(horizontal=True, gap="small"):
        st.button(
            "Add", icon=":material/add:", key="walk-add", disabled=full or not (ids or no_brokers),
            help=f"A story has at most {MOST_MOVES} steps" if full else "Add it after the current step",
            on_click=add, args=(walk, Move(kind, ids)),
        )  # fmt: skip
        st.button(
            "Remove", icon=":material/remove:", key="walk-remove", help="Remove the current step",
            disabled=not walk.at, on_click=remove, args=(walk,),
        )  # fmt: skip
        st.button(
            "", icon=":material/replay:", key="walk-example", help="Restart with the example",
            on_click=keep, args=(example(layout),),
        )  # fmt: skip
        st.button(
            "", icon=":material/delete:", key="walk-clear", help="Remove all steps", disabled=not walk.moves,
            on_click=keep, args=(Walk(),),
        )  # fmt: skip


def _draw_start(layout: ClusterLayout, walk: Walk, mode: Mode) -> None:
    preview = caching.kept(stop)(layout, (), unclean=False, mode=mode).election
    frame.answer("Initial state. Go to the next step, or add one.")
    balance = caching.balance_of(layout)
    _figures(layout, changed=0, offline=balance.offline, below=balance.below_min_isr, lost=0, back=None)
    _draw_bars(layout, preview.leaders_before, preview.leaders_after, walk)
    _draw_next(layout, walk)
    draw_lists(layout, preview, {}, caching.kept(against_majority)(layout, (), mode), "walk")


def _draw_step(layout: ClusterLayout, step: WalkStep, walk: Walk, mode: Mode, *, unclean: bool) -> None:
    """One step: its sentence, figures, bars, and the lists behind them."""
    election, after = step.election, step.layout
    foreseen = caching.kept(unclean_election)(after, mode)
    lossy = np.isin(foreseen.reason, [Reason.UNCLEAN, Reason.LAST_KNOWN])
    back = np.intersect1d(np.flatnonzero(lossy), step.offline)
    frame.answer(step.sentence)
    _figures(
        after,
        changed=int(np.count_nonzero(election.changed)),
        offline=len(step.offline),
        below=len(step.below_min_isr) if layout.floor_told else None,
        lost=len(step.lost),
        back=len(back),
    )
    _draw_bars(after, election.leaders_before, election.leaders_after, walk)
    _draw_next(layout, walk)
    notes = []
    if len(step.offline) and not unclean:
        notes.append(bring_back_words(after, back, len(step.offline)))
    if len(step.recovering):
        notes.append(
            f"{text.counted(len(step.recovering), 'partition')}: marked RECOVERING by the controller until the new "
            "leader has recovered."
        )
    lists = {
        "Offline": step.offline,
        "Reject acks=all": step.below_min_isr,
        "Records may be lost": step.lost,
        "Unclean recovers": back,
    }
    draw_lists(after, election, lists, caching.kept(against_majority)(after, (), mode), "walk", notes=notes)


def _figures(
    layout: ClusterLayout, *, changed: int, offline: int | None, below: int | None, lost: int, back: int | None
) -> None:
    frame.figures(
        [
            ("Brokers down", text.count(brokers_down(layout)), None, None),
            ("Leaders changed", text.count(changed), None, None),
            ("Offline", flagged(offline, Severity.BROKEN), None, None),
            (
                "Reject acks=all",
                flagged(below, Severity.BROKEN),
                None,
                None,
            ),
            (
                "Records may be lost",
                flagged(lost, Severity.BROKEN),
                None,
                None,
            ),
            (
                "Unclean recovers",
                text.count(back),
                None,
                None,
            ),
        ]
    )


def _draw_bars(layout: ClusterLayout, before: Longs | None, after: Longs, walk: Walk) -> None:
    key = ANEW.key("walk-bars")
    away = tuple(layout.broker_ids[layout.away].tolist())
    elections.draw_leaders(
        layout, before, after, key, stopped=away, on_click=partial(_clicked, layout, walk, key, frozenset(away))
    )


def _clicked(layout: ClusterLayout, walk: Walk, chart: str, away: frozenset[int]) -> None:
    """A click on a broker's bar stops it next, or lets it return."""
    order = brokers_by_rack(layout)
    for place in widgets.clicked(chart)[:1]:
        broker = layout.brokers[order[place]].id
        add(walk, Move(MoveKind.RETURN if broker in away else MoveKind.STOP, (broker,)))
