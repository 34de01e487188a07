"""The tour: five steps over a sample, on the real pages, each one sentence and one thing to do; left at any time.

The step is the session's. Who goes to a step's page in another way, the browser's Back included, is at that step.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import streamlit as st

from components.look import text
from components.shell import navigation, reading_given
from components.shell.navigation import Place
from components.state import session
from components.state.slots import Slot
from reseat.demo import samples
from reseat.model import Wish

__all__ = ["STEPS", "TourStep", "begin_button", "draw", "step_on"]

#: What is kept: the number of the step, from 0; none where nobody is on the tour.
_KEPT: Slot[int] = Slot("tour")
_NONE = -1
#: The broker that the tour drains; whoever goes on without it has it drained.
_BROKER = 7


class TourStep(NamedTuple):
    """One step.

    Attributes:
        place: its page.
        says: what the page answers, one sentence.
        todo: the one thing to do there.
    """

    place: Place
    says: str
    todo: str


#: In the order in which they are walked.
STEPS = (
    TourStep(
        navigation.OVERVIEW,
        "The first sentence of a page is its answer: here, whether anything is wrong.",
        "Open the first finding to see which partitions it means.",
    ),
    TourStep(
        navigation.BOARD,
        "Racks are columns, brokers are tiles, and a bar is as long as the broker has replicas.",
        f"Drag broker {_BROKER} to *Removed*, or select it and press Delete. *Next* does it for you.",
    ),
    TourStep(
        navigation.PLAN,
        "The plan drains the broker with the fewest moves; a checker that shares no code with the planner confirms it.",
        "Choose *Proof* below the chart.",
    ),
    TourStep(
        navigation.LEADERS,
        "After the moves other brokers lead: each bar is a broker, before and after.",
        "Look at another view above the chart: an outage, or the next restart.",
    ),
    TourStep(
        navigation.PLAN,
        "The plan is a file for kafka-reassign-partitions, and so is its rollback.",
        "Download both, or choose *Commands* for the steps.",
    ),
)


def begin_button(where: str) -> None:
    """The button that opens the sample and begins.

    Args:
        where: part of its key.
    """
    if st.button(
        "Take the tour: 60 seconds, with a sample", key=f"tour-begin-{where}", icon=":material/tour:"
    ) and reading_given.load(samples()[0]):
        _go(0)


def step_on(page: str, step: int) -> int:
    """The step that somebody on a page is at: the nearest of those that are about it, else the one they were at.

    Args:
        page: the page's title.
        step: the step that they were at.
    """
    here = [number for number, one in enumerate(STEPS) if one.place.title == page]
    return min(here, key=lambda number: abs(number - step), default=step)


def draw(page: str) -> None:
    """The bar of the tour above a page; nothing where nobody is on it.

    Args:
        page: the page's title; empty for one that no step is about.
    """
    before = _KEPT.get(_NONE)
    if before == _NONE:
        return
    number = step_on(page, before)
    if number != before:
        _KEPT.set(number)
    step = STEPS[number]
    with st.container(border=True, key="tour", horizontal=True, vertical_alignment="center", gap="small"):
        if page == step.place.title:
            st.markdown(f"**Tour, {number + 1} of {len(STEPS)}.** {step.says} **{step.todo}**", width="stretch")
        else:
            st.markdown(
                f"**Tour, {number + 1} of {len(STEPS)}** is on {text.plain(step.place.title)}.", width="stretch"
            )
            if st.button("Go there", key="tour-return"):
                _go(number)
        if st.button("Back", key="tour-back", disabled=number == 0, icon=":material/arrow_back:"):
            _go(number - 1)
        last = number == len(STEPS) - 1
        kind: Literal["primary", "secondary"] = "secondary" if last else "primary"
        if st.button("Next", key="tour-next", type=kind, icon=":material/arrow_forward:", disabled=last):
            _drain(step)
            _go(number + 1)
        st.button(
            "Finish" if last else "Leave",
            key="tour-leave",
            type="primary" if last else "secondary",
            on_click=_KEPT.set,
            args=(_NONE,),
        )


def _drain(step: TourStep) -> None:
    """What the board's step asks for, where it was not done."""
    open_layout = session.open_layout()
    if step.place is not navigation.BOARD or open_layout is None or not open_layout.wish.is_empty:
        return
    if any(broker.id == _BROKER for broker in open_layout.layout.brokers):
        session.set_wish(Wish(remove=(_BROKER,)))


def _go(number: int) -> None:
    _KEPT.set(number)
    navigation.go(STEPS[number].place)
