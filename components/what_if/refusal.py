"""A wish that cannot be: why, and its choices as buttons."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.look import text
from components.shell import frame
from components.state import caching, session
from components.state.open_layout import OpenLayout
from reseat.errors import WishRefused
from reseat.model import Wish
from reseat.model.wording import doing
from reseat.planning.conflict import Conflict, conflict, conflict_in_words, without

__all__ = ["draw_refusal"]

#: Rules that have a button each, where they cannot hold together.
_DEMANDS = 6
#: Height of the list of all of them, in pixels.
_HEIGHT = 240


def draw_refusal(open_layout: OpenLayout, error: WishRefused) -> None:
    """What was wished, why it cannot be, and what can be done, about as high as the figures that stand here else."""
    gaps = open_layout.layout.gaps
    asks = gaps.incomplete and not gaps.accepted
    what = "Not planned: the input is incomplete" if asks else "Not possible"
    frame.answer(f"{what}: {doing(open_layout.wish)}.")
    st.markdown(f":red[:material/block:] {text.plain(error.sentence)}")
    found = Conflict() if asks else caching.kept(conflict)(open_layout.layout, open_layout.wish)
    if said := conflict_in_words(found):
        st.markdown(text.plain(said))
    if len(found.demands) > _DEMANDS:  # the sentence may count some of them
        with st.expander(f"All {len(found.demands):,} demands"), st.container(height=_HEIGHT):
            st.markdown("\n".join(f"- {text.plain(demand.words)}" for demand in found.demands))
    with st.container(horizontal=True, key="refused-choices"):
        # Brokers and topics of the change have a sign to drop them in the strip.
        for at, demand in enumerate([one for one in found.demands if one.is_rule][:_DEMANDS]):
            less = without(open_layout.wish, [demand])
            words = f"Without: {text.label(demand.words)}"
            st.button(words, key=f"without-{at}", icon=":material/close:", on_click=session.set_wish, args=(less,))
        if not asks and error.topics and error.topics == open_layout.layout.topics_at(open_layout.layout.duplicates):
            st.button(
                "Mend partitions first",
                key="mend-first",
                icon=":material/build:",
                on_click=session.set_wish,
                args=(Wish(mend=True),),
            )
        if error.topics and set(error.topics) <= {*open_layout.layout.topics}:
            words = "Exclude this topic" if len(error.topics) == 1 else f"Exclude these {len(error.topics):,} topics"
            excluded = tuple(dict.fromkeys((*open_layout.edits.without, *error.topics)))
            edits = replace(open_layout.edits, without=excluded)
            st.button(words, key="leave-out", icon=":material/filter_alt:", on_click=session.set_edits, args=(edits,))
        if open_layout.wish.point is not None:
            words = "Use the plan with the fewest moves"
            st.button(
                words,
                key="no-point",
                icon=":material/timeline:",
                on_click=session.set_wish,
                args=(open_layout.wish.at(None),),
            )
        if not open_layout.layout.order_told.all():
            edits = replace(open_layout.edits, order_vouched=True)
            words = "The order shown is the assignment order"
            st.button(words, key="vouch", icon=":material/check:", on_click=session.set_edits, args=(edits,))
        if asks:
            edits = replace(open_layout.edits, incomplete_accepted=True)
            words = "Plan anyway with the incomplete input"
            st.button(words, key="accept", icon=":material/check:", on_click=session.set_edits, args=(edits,))
        st.button(
            "Reset the what-if", key="put-back", icon=":material/undo:", on_click=session.set_wish, args=(Wish(),)
        )
