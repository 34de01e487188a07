"""The Replication page's choices: story, rules, and what stands beside; kept in the session and in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from components.canvas.partition_picture import partition_picture
from components.look import text
from components.replication.words import BESIDE_WORDS
from components.state.slots import Anew, Slot
from reseat.replication import Rules, Truncation
from reseat.replication.request import ALL_SCENARIOS, BESIDE, MOST_REPLICAS, ReplicationRequest, from_query, of_scenario

__all__ = ["ANEW", "Kept", "begin", "draw_form", "draw_picture", "keep_now", "kept"]

_HERE = Path(__file__).parent
_KEPT: Slot[Kept] = Slot("replication", addressed=True)
#: The fields, which begin anew with each request, and the player, which goes to its step then.
ANEW = Anew("replication")
_TRUNCATIONS = {Truncation.HIGH_WATERMARK: "High watermark", Truncation.LEADER_EPOCH: "Leader epoch"}


@dataclass(frozen=True, slots=True)
class Kept:
    """What the page keeps.

    Attributes:
        begun: the request that the fields began with.
        now: the request now.
        error: what in the link was not understood.
        picture: whether the picture of a partition is unfolded.
    """

    begun: ReplicationRequest
    now: ReplicationRequest
    error: str | None = None
    picture: bool = True


def kept() -> Kept:
    """What the page keeps; at first, what the link says."""
    return _KEPT.once(_linked)


def _linked() -> Kept:
    linked, error = from_query(st.query_params.to_dict())
    begun = linked or of_scenario(ALL_SCENARIOS[0])
    return Kept(begun, begun, error, picture=linked is None)


def begin(request: ReplicationRequest) -> None:
    """Fill the fields anew."""
    now = kept()
    _KEPT.set(replace(now, begun=request, now=request, error=None))
    ANEW.begin()


def keep_now(request: ReplicationRequest) -> None:
    """Keep what the fields say."""
    _KEPT.set(replace(kept(), now=request))


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
    _KEPT.set(replace(kept(), picture=not kept().picture))


def draw_form() -> None:
    """Story, rules and what stands beside; keeps what they say."""
    now = kept()
    begun, suffix = now.begun, ANEW.turn
    titles = {scenario.name: scenario.title for scenario in ALL_SCENARIOS}
    which, beside, picture = st.columns([3, 1.6, 1.25], vertical_alignment="bottom")
    chosen = which.selectbox(
        "Story",
        list(titles),
        index=list(titles).index(begun.base.name),
        format_func=titles.__getitem__,
        key=f"scenario-{suffix}",
    )
    if chosen != begun.base.name:
        scenario = next(one for one in ALL_SCENARIOS if one.name == chosen)
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
