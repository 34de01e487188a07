"""From the words of the command line to a wish."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from reseat.cli.inputs import refuse_reading_twice, text_of
from reseat.errors import WishRefused
from reseat.formats.documents.wish_file import read_wish_file
from reseat.model import ClusterLayout, Options, Wish
from reseat.model.aims import with_aims
from reseat.model.rules import RULES
from reseat.model.selection import broker_changes, topics_like

__all__ = ["options_of", "wish_of"]

#: The words of a wish by their names in the namespace; ``judge`` knows these alone.
_BROKERS = (
    "remove",
    "remove_rack",
    "add",
    "replace",
    "replication_factor",
    "topics",
    "rebalance",
    "mend_racks",
    "leaders_only",
    "mend",
    "aims",
)
#: How to plan; rules that are lists may be given several times.
_OPTIONS = (
    "reorder_all",
    "receive_cap",
    "by_bytes",
    "max_moves",
    "max_bytes",
    "keep_unmovable",
    "keep_racks",
    "even_topics",
    "same_rack",
    *RULES,
)
#: Rules of which an option holds one item, which has commas of its own.
_ONE_A_TIME = ("only_onto", "keep_apart", "capacity", "rack_levels")


def wish_of(chosen: argparse.Namespace, layout: ClusterLayout) -> Wish:
    """The wish of the options of a change and of how to plan it, or of ``--wish``.

    Raises:
        InputRefused: the file cannot be read.
        WishRefused: two demands of one broker differ, a topic is not known, no change has its aims in this order, or
            something is wished beside a file.
    """
    if chosen.wish is not None:
        return _of_file(chosen, layout)
    told = vars(chosen)
    rules: dict[str, Any] = {name: rule.each_once(told[name]) for name, rule in RULES.items()}
    brokers = broker_changes(
        layout, remove=chosen.remove, racks=chosen.remove_rack, add=chosen.add, replace=chosen.replace
    )
    wish = replace(
        brokers,
        replication_factor=chosen.replication_factor,
        topics=topics_like(layout, chosen.topics) if chosen.topics else (),
        options=Options(**{name: told[name] for name in _OPTIONS if name in told and name not in RULES}, **rules),
        point=told.get("point"),
        rebalance=chosen.rebalance,
        mend_racks=chosen.mend_racks,
        leaders_only=chosen.leaders_only,
        mend=chosen.mend,
    )
    return with_aims(wish, chosen.aims)


def options_of(wish: Wish) -> list[str]:
    """The options of ``plan`` that ask for a wish, but for who takes whose place."""
    options = wish.options
    told: dict[str, Any] = {
        "remove": ",".join(map(str, wish.remove)),
        "add": ",".join(str(broker) if rack is None else f"{broker}:{rack}" for broker, rack in wish.add),
        "replication_factor": wish.replication_factor,
        "topics": ",".join(wish.topics),
        "rebalance": wish.rebalance,
        "mend_racks": wish.mend_racks,
        "leaders_only": wish.leaders_only,
        "mend": wish.mend,
        **{name: getattr(options, name) for name in _OPTIONS if name not in RULES},
        "point": wish.point,
    }
    if options.max_bytes is not None:
        told["max_bytes"] = f"{options.max_bytes}B"
    for name, rule in RULES.items():
        lines = [rule.line(item) for item in getattr(options, name)]
        told[name] = lines if name in _ONE_A_TIME else ",".join(lines)
    words = []
    for name, value in told.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, list):
            words += [f"{option}={one}" for one in value]
        elif value is not None and value is not False and value != "":
            words.append(f"{option}={value}")
    return words


def _of_file(chosen: argparse.Namespace, layout: ClusterLayout) -> Wish:
    told = {name: vars(chosen).get(name) for name in (*_BROKERS, *_OPTIONS, "point")}
    beside = [name for name, value in told.items() if value not in (None, []) and value is not False]  # 0 is a number
    if beside:
        words = ", ".join(f"--{name.replace('_', '-')}" for name in beside)
        raise WishRefused(f"--wish is the complete change, with every option: it excludes {words}.")
    refuse_reading_twice((chosen.wish, *chosen.layout))
    data, source = text_of(chosen.wish)
    return read_wish_file(data, layout, source=source)
