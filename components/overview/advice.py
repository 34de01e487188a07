"""What to do about the layout looked at: a line each, with its cost, what it fixes, and the way to preview it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components.look import text
from components.shell import navigation
from components.state import addresses, caching, fields, slots
from components.state.open_layout import OpenLayout
from reseat.balance.moved import critical_beside

if TYPE_CHECKING:
    from reseat.planning.advice import Advice, Answer

__all__ = ["draw_advice"]

#: Partitions up to which it is worked out unasked: half a second.
_UNASKED = 30_000


def draw_advice(open_layout: OpenLayout) -> None:
    """Answers for the current state, the best for its cost first.

    Args:
        open_layout: the layout and the what-if.
    """
    layout = open_layout.layout
    st.header("What to do", anchor=False)
    asked = slots.Slot[bool]("advice").of(open_layout.digest)
    if layout.partition_count > _UNASKED and not asked.get(False):
        st.button(
            "Compare elections and plans",
            key="advice-ask",
            icon=":material/lightbulb:",
            on_click=asked.set,
            args=(True,),
            help="Every change that may fix a finding is planned: about 3 seconds for 200,000 partitions, 18 for a "
            "million.",
        )
        return
    from reseat.planning.advice import advice

    with st.spinner("Comparing elections and plans …", show_time=True):
        reading = open_layout.reading
        critical = critical_beside(layout, reading)
        found = caching.kept(advice)(layout, mode=open_layout.mode, directories=reading.log_dirs, critical=critical)
    _draw(open_layout, found)


def _draw(open_layout: OpenLayout, found: Advice) -> None:
    if found.first:
        st.markdown(
            "First, what no plan fixes:\n"
            + "\n".join(f"- **{text.plain(name)}**: {text.plain(mend)}" for name, mend in found.first)
        )
    if not found.answers:
        st.markdown(text.plain(found.nothing))
        return
    rate = fields.throttle(width=280) if any(answer.busiest for answer in found.answers) else None
    with st.container(key="advice", gap="xsmall"):
        for number, answer in enumerate(found.answers, 1):
            with st.container(horizontal=True, vertical_alignment="center", key=f"advice-{number}"):
                st.markdown(_in_words(answer, number, rate), width="stretch")
                with st.container(width="content"):
                    _way(open_layout, answer)
    st.caption(found.rule)
    if found.refused:
        st.caption(f"Not planned: {text.plain(' '.join(found.refused))}")


def _in_words(answer: Answer, number: int, rate: float | None) -> str:
    words = [f"{number}\\. **{text.plain(answer.title)}** · {text.plain(answer.cost(rate))}"]
    mends = [
        *([f"fixes {', '.join(answer.fixed)}"] if answer.fixed else []),
        *([f"reduces {', '.join(answer.reduced)}"] if answer.reduced else []),
        *answer.changes,
    ]
    said = "; ".join(mends)
    short = [text.plain(answer.no_room)] if answer.no_room else []
    return "  \n".join([*words, *short, text.plain(f"{said[:1].upper()}{said[1:]}")])


def _way(open_layout: OpenLayout, answer: Answer) -> None:
    """The page on which it is previewed, with it as the what-if."""
    if answer.wish is not None:
        navigation.link(navigation.PLAN, "Preview", opens=addresses.what_if(open_layout, answer.wish))
    elif answer.kind == "wait":
        navigation.link(navigation.EXECUTE, "Execute")
    else:
        navigation.link(navigation.LEADERS, "Preview")
