"""Which layout is the target, and how topics move: the fields, and what they say."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.state import fields, session
from components.state.open_layout import OpenLayout
from reseat.errors import WishRefused
from reseat.migration import MigrationRequest, Placing, TargetLimits

__all__ = ["choose_target", "draw_form"]

_SAYS = {Placing.BALANCED: "balanced", Placing.KAFKA: "kafka"}
_WORDS = {Placing.BALANCED: "Balanced over what is there", Placing.KAFKA: "Kafka's rules"}
_GB = 10**9
_MOST = 2**31 - 1


def choose_target(others: Sequence[str]) -> str:
    """Which of the other open layouts topics move to; a click makes it the source."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = fields.select("Target", others, name="target", key="migrate-target", width=420)
        st.button(
            "Make it the source",
            icon=":material/swap_horiz:",
            key="migrate-swap",
            on_click=session.select_layout,
            args=(chosen,),
            help="The shown layout is the source; this one is shown then",
        )
    return chosen


def draw_form(target: OpenLayout) -> MigrationRequest:
    """Draw the fields and say what they hold.

    Args:
        target: where topics move to.

    Raises:
        WishRefused: a field for names has only commas; nothing else is checked here.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        topics = fields.search(
            "Topics",
            name="moved",
            key="migrate-topics",
            placeholder="all, or names and patterns: orders, pay-*",
            width=280,
        )
        prefix = fields.search(
            "Prefix in the target", name="prefix", key="migrate-prefix", placeholder="none: names stay", width=170
        )
        placing = fields.select(
            "Placement", tuple(_WORDS), name="placement", key="migrate-placement", says=_SAYS, format_func=_WORDS.get,
            width=230,
        )  # fmt: skip
        with st.popover("Limits", icon=":material/speed:"):
            replicas = _limit("Replicas per broker", "replicas")
            gigabytes = _limit("GB per broker", "gigabytes")
            partitions = _limit("Partitions in the cluster", "partitions")
            factor = _limit("Replicas of created topics", "factor", "as many as in the source")
        with st.popover("Waves", icon=":material/waves:"):
            wave = _limit("Most GB in a wave", "wave", "a quarter of all")
            together = fields.lines(
                "Topics that move together, a group a line",
                name="together",
                key="migrate-together",
                height=110,
                placeholder="orders, payments\naudit-*",
            )
    groups = [_names(line) for line in together.splitlines()]
    usual = MigrationRequest()
    return MigrationRequest(
        topics=_names(topics),
        prefix=prefix.strip(),
        replication_factor=factor,
        placing=placing,
        limits=TargetLimits(replicas, gigabytes and gigabytes * _GB, partitions),
        wave_bytes=wave and wave * _GB,
        together=tuple(group for group in groups if group),
        version=target.version or usual.version,
        kraft=target.metadata != "zookeeper",
    )


def _limit(label: str, name: str, empty: str = "no limit") -> int | None:
    return fields.whole(label, _MOST, name=f"most_{name}", key=f"migrate-{name}", placeholder=empty)


def _names(text: str) -> tuple[str, ...]:
    """Names separated by commas; none in an empty field alone."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if text.strip() and not found:
        raise WishRefused("Enter names or patterns separated by commas.")
    return found
