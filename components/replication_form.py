"""The Replication page's choices: story, rules, and what stands beside; kept in the session and in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from components import session, text
from components.partition_picture import partition_picture
from components.replication_question import BESIDE, MOST_REPLICAS, STORIES, Question, from_query, of_scenario
from components.replication_words import BESIDE_WORDS
from reseat.replication import Rules, Truncation

__all__ = ["Kept", "begin", "draw_form", "draw_picture", "keep_now", "kept"]

_HERE = Path(__file__).parent
_KEPT = "replication"
_TRUNCATIONS = {Truncation.HIGH_WATERMARK: "High watermark", Truncation.LEADER_EPOCH: "Leader epoch"}


@dataclass(frozen=True, slots=True)
class Kept:
    """What the page keeps.

    Attributes:
        begun: the question that the fields began with.
        generation: how often they began anew; where it grows, the player goes to the question's step.
        now: the question now.
        trouble: what in the link was not understood.
        picture: whether the picture of a partition is unfolded.
    """

    begun: Question
    generation: int
    now: Question
    trouble: str | None = None
    picture: bool = True


def kept() -> Kept:
    """What the page keeps; at first, what the link says."""
    first = of_scenario(STORIES[0])
    found = session.kept(_KEPT, Kept(first, -1, first))
    if found.generation < 0:
        linked, trouble = from_query(st.query_params.to_dict())
        begun = linked or first
        found = Kept(begun, 0, begun, trouble, picture=linked is None)
        session.keep(_KEPT, found)
    return found


def begin(question: Question) -> None:
    """Fill the fields anew."""
    now = kept()
    session.keep(_KEPT, replace(now, begun=question, generation=now.generation + 1, now=question, trouble=None))


def keep_now(question: Question) -> None:
    """Keep what the fields say."""
    session.keep(_KEPT, replace(kept(), now=question))


def draw_picture() -> None:
    """What a partition is, in one picture, until it is folded away."""
    st.html(_HERE / "replication.css")
    if kept().picture:
        partition_picture()


def _draw_fold() -> None:
    shown = kept().picture
    st.button(
        "Hide the picture" if shown else "What a partition is",
        key="partition-picture-fold",
        icon=":material/expand_less:" if shown else ":material/image:",
        help="The picture of a partition: segments, offsets, leader and followers",
        on_click=_fold,
        width="stretch",
    )


def _fold() -> None:
    session.keep(_KEPT, replace(kept(), picture=not kept().picture))


def draw_form() -> None:
    """Story, rules and what stands beside; keeps what they say."""
    now = kept()
    begun, suffix = now.begun, now.generation
    titles = {scenario.name: scenario.title for scenario in STORIES}
    which, beside, picture = st.columns([3, 1.6, 1.25], vertical_alignment="bottom")
    chosen = which.selectbox(
        "Story",
        list(titles),
        index=list(titles).index(begun.base.name),
        format_func=titles.__getitem__,
        key=f"scenario-{suffix}",
    )
    if chosen != begun.base.name:
        scenario = next(one for one in STORIES if one.name == chosen)
        begin(replace(of_scenario(scenario), beside=now.now.beside))
        st.rerun()
    other = beside.selectbox(
        "Compare with",
        list(BESIDE),
        index=list(BESIDE).index(begun.beside),
        format_func=BESIDE_WORDS.__getitem__,
        key=f"beside-{suffix}",
        persist_state="session",
    )
    with picture:
        _draw_fold()
    what = st.empty()
    said = replace(now.now, rules=_rules(begun.rules, suffix), beside=other)
    what.caption(text.plain(begun.base.what if said.is_scenarios else f"Changed here. The original: {begun.base.what}"))
    keep_now(said)


def _rules(begun: Rules, suffix: int) -> Rules:
    cut, least, lag, unclean, elr = st.columns([2.2, 1, 1.3, 1.5, 1.4], vertical_alignment="bottom")
    truncation = cut.segmented_control(
        "Followers truncate to",
        list(_TRUNCATIONS),
        format_func=_TRUNCATIONS.__getitem__,
        default=begun.truncation,
        required=True,
        key=f"truncation-{suffix}",
        persist_state="session",
    )
    in_sync = least.number_input(
        "Min ISR",
        1,
        MOST_REPLICAS,
        begun.min_in_sync,
        key=f"min-isr-{suffix}",
        help="min.insync.replicas",
        persist_state="session",
    )
    lag_ms = lag.number_input(
        "Max lag, ms",
        0,
        999_999_999,
        begun.lag_max_ms,
        step=1_000,
        key=f"lag-{suffix}",
        help="replica.lag.time.max.ms",
        persist_state="session",
    )
    return Rules(
        truncation=truncation,
        min_in_sync=int(in_sync),
        unclean=unclean.toggle(
            "Unclean election",
            begun.unclean,
            key=f"unclean-{suffix}",
            help="unclean.leader.election.enable",
            persist_state="session",
        ),
        lag_max_ms=int(lag_ms),
        elr=elr.toggle(
            "ELR (KIP-966)",
            begun.elr,
            key=f"elr-{suffix}",
            help="eligible.leader.replicas.version 1",
            persist_state="session",
        ),
    )
