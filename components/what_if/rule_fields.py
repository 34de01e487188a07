"""The fields of the plan options in which the rules of a change stand, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.state.open_layout import OpenLayout
from reseat.model import Options
from reseat.model.naming import natural
from reseat.model.rules import RULES

__all__ = ["balance_rules", "broker_rules", "read_rules", "rule_tabs", "topic_rules"]

#: Rules that are written down, a line an item: label, example, help.
_WRITTEN = {
    "pin": (
        "Pinned topics: names, patterns or topic:partition, one per line",
        "payments-*\norders:3",
        "Their replica lists stay as they are, in every plan.",
    ),
    "only_onto": (
        "Topics on some brokers only: TOPIC,... = BROKER,... one per line",
        "payments-*=1,2,3\naudit=rack:az-a",
        "Nothing of them moves to another broker. A rebalance moves what is elsewhere there.",
    ),
    "keep_apart": (
        "Topics that share no broker: names or patterns with commas, one group per line",
        "payments-*,analytics-*",
        "No broker gets replicas of two of a group. A rebalance divides the brokers among them.",
    ),
    "rack_levels": (
        "Levels of racks: a character that splits names such as region/zone",
        "/",
        "Replicas spread over regions before they do over racks.",
    ),
    "capacity": (
        "Capacity: BROKER = replicas or size, one per line",
        "3=4000\n4=2TB",
        "No broker ends above it, unless it holds as much already.",
    ),
}


#: Where each written rule stands, and what else is counted on its tab.
_OF_BROKERS, _OF_TOPICS = ("capacity", "rack_levels"), ("pin", "only_onto", "keep_apart")
_CHOSEN = ("never_leads", "never_onto", "leader_racks")
_FLAGS = ("keep_racks", "same_rack", "even_topics")


def rule_tabs(options: Options) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Tabs for balance, brokers and topics; each says how many rules are set on it, as the others hide it."""
    of_brokers = sum(bool(getattr(options, name)) for name in (*_CHOSEN, *_OF_BROKERS))
    of_topics = sum(bool(getattr(options, name)) for name in _OF_TOPICS)
    named = {"Balance": 0, "Brokers": of_brokers, "Topics": of_topics}
    balance, brokers, topics = st.tabs([f"{name} ({count})" if count else name for name, count in named.items()])
    return balance, brokers, topics


def balance_rules(options: Options) -> dict[str, Any]:
    """The rules of a rebalance, inside a form; what their fields hold, by the names of the options."""
    return {
        "keep_racks": st.checkbox(
            "Keep racks in a rebalance",
            value=options.keep_racks,
            help="No partition gets less diverse over racks, and none moves for its racks alone.",
        ),
        "same_rack": st.checkbox(
            "Keep replicas in their rack in a drain",
            value=options.same_rack,
            help="Each replica goes to another broker in its rack. The proof states what this costs in balance.",
        ),
        "even_topics": st.checkbox(
            "Balance each topic in a rebalance",
            value=options.even_topics,
            help="Each topic is spread over brokers as evenly as it can be, before all of them together. More moves; "
            "thousands of topics take minutes.",
        ),
    }


def broker_rules(open_layout: OpenLayout) -> dict[str, Any]:
    """The rules about brokers, inside a form; what their fields hold, by the names of the options."""
    options, ids, racks = open_layout.wish.options, open_layout.layout.broker_ids.tolist(), open_layout.layout.racks
    return {
        "never_leads": st.multiselect(
            "Never preferred leader",
            ids,
            default=[broker for broker in options.never_leads if broker in ids],
            help="These brokers come first only in lists that hold no other broker that can lead.",
        ),
        "never_onto": st.multiselect(
            "Receives nothing",
            ids,
            default=[broker for broker in options.never_onto if broker in ids],
            help="No replica is moved onto these brokers. They are not counted in the balance, and lead as others do.",
        ),
        "leader_racks": st.multiselect(
            "Leaders in racks, the most preferred first",
            sorted(racks, key=natural),
            default=[rack for rack in options.leader_racks if rack in racks],
            help="Preferred leaders are in the first of these racks where the partition has a replica that can lead.",
        ),
        **_written(options, _OF_BROKERS),
    }


def topic_rules(options: Options) -> dict[str, Any]:
    """The rules about topics, inside a form; what their fields hold, by the names of the options."""
    return _written(options, _OF_TOPICS)


def _written(options: Options, names: Sequence[str]) -> dict[str, str]:
    told = {}
    for name in names:
        label, example, said = _WRITTEN[name]
        lines = "\n".join(map(RULES[name].line, getattr(options, name)))
        told[name] = st.text_area(label, value=lines, height=90, placeholder=example, help=said)
    return told


def read_rules(told: dict[str, Any]) -> dict[str, Any]:
    """What the fields say, as fields of the options.

    Raises:
        ValueError: a line of a field says what was expected instead.
    """
    rules = {name: RULES[name].each_once(told[name]) for name in _CHOSEN}
    written = {name: RULES[name].read_all(told[name].splitlines()) for name in _WRITTEN}
    return {**rules, **written, **{name: told[name] for name in _FLAGS}}
