"""The Compare page's choices: brokers, topics, replicas and the seed; in the fields and in the address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from components.look import text
from components.state import fields
from components.state.open_layout import OpenLayout
from components.state.slots import Anew, Slot
from reseat.placement.request import MOST_BROKERS, brokers_text

__all__ = ["MOST_TOPICS", "Topics", "draw_form", "from_query", "to_query"]

#: More topics are not placed: each is placed five times.
MOST_TOPICS = 1_000
_BEGUN: Slot[Topics] = Slot("compare", addressed=True)
_ANEW = Anew("compare")
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Topics:
    """What is placed in all ways.

    Attributes:
        brokers: the brokers as text, as on the Placement page.
        count: how many topics.
        factor: replicas of all partitions.
        seed: seed of the sizes and of the draws.
    """

    brokers: str = "0-2:rack1,3-5:rack2,6-8:rack3"
    count: int = 100
    factor: int = 3
    seed: int = 1


def to_query(topics: Topics) -> dict[str, str]:
    """The choices as query parameters."""
    return {
        "brokers": topics.brokers,
        "count": str(topics.count),
        "replicas": str(topics.factor),
        "seed": str(topics.seed),
    }


def from_query(query: Mapping[str, str]) -> Topics:
    """The choices of a link; what it does not tell, or tells wrongly, is as it is by itself."""
    plain = Topics()
    return Topics(
        query.get("brokers", plain.brokers)[:20_000],
        min(max(1, _number(query.get("count", ""), plain.count)), MOST_TOPICS),
        _number(query.get("replicas", ""), plain.factor),
        _number(query.get("seed", ""), plain.seed),
    )


def draw_form(open_layout: OpenLayout | None) -> Topics:
    """The fields, and what they say."""
    begun, suffix = _BEGUN.once(lambda: from_query(st.query_params.to_dict())), _ANEW.turn
    for name in ("count", "replicas", "seed"):
        fields.offered(name, [to_query(begun)[name]])
    wide, one, two, three, four = st.columns([3, 1, 1, 1, 2], vertical_alignment="bottom")
    said = Topics(
        wide.text_input(
            "Brokers and racks",
            begun.brokers,
            key=f"compare-brokers-{suffix}",
            help="0:rack1,1:rack1,3:rack2, or 0-8 without racks",
            persist_state="session",
        ),
        _whole(one, "Topics", begun.count, f"compare-count-{suffix}", (1, MOST_TOPICS)),
        _whole(two, "Replicas", begun.factor, f"compare-factor-{suffix}", (0, _MOST)),
        _whole(three, "Seed", begun.seed, f"compare-seed-{suffix}", (0, _MOST)),
    )
    with four, st.container(horizontal=True, gap="small"):
        again = replace(said, seed=(said.seed + 1) % _MOST)
        st.button("Draw again", icon=":material/casino:", key="compare-again", on_click=_begin, args=(again,))
        if open_layout is not None and len(open_layout.layout.brokers) <= MOST_BROKERS:
            mine = replace(said, brokers=brokers_text(open_layout.layout.brokers))
            st.button(
                "The layout's brokers",
                icon=":material/dns:",
                key="compare-layout",
                help=f"The {len(open_layout.layout.brokers):,} brokers and racks of {text.plain(open_layout.name, 60)}",
                on_click=_begin,
                args=(mine,),
            )
    return said


def _begin(topics: Topics) -> None:
    """Fill the fields anew."""
    _BEGUN.set(topics)
    _ANEW.begin()


def _number(text: str, default: int) -> int:
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else default


def _whole(place: st.delta_generator.DeltaGenerator, label: str, value: int, key: str, span: tuple[int, int]) -> int:
    return place.number_input(
        label, min_value=span[0], max_value=span[1], value=value, step=1, key=key, persist_state="session"
    )
