"""A new topic previewed: what it does to balance, where each replica goes, and the texts that make it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from components.charts import bars, before_after, plots
from components.charts.replica_matrix import draw_matrix
from components.look import tables, text
from components.new_topic.form import NewTopic
from components.shell import frame
from components.state import caching, fields
from reseat.balance.grid import brokers_by_rack
from reseat.errors import PlacementRefused
from reseat.model import BoolArray, BrokerState, ClusterLayout, Longs
from reseat.model.glossary import define
from reseat.placement import Placement
from reseat.placement.creation import CreationMethod, loads_over_draws
from reseat.placement.topic_spec import TopicSpec, automatic_topic
from reseat.placement.topic_texts import admin_request, create_command, zookeeper_nodes

__all__ = ["Effect", "draw_automatic", "draw_bars", "draw_lists", "draw_texts", "effect_of", "figures", "pinned"]

#: What the main figure can show.
BARS = ("Replicas of this topic", "All replicas", "All preferred leaders")
#: Other draws are tried as long as they place no more partitions than this together, and at most so many.
_TRIED_PARTITIONS, _TRIED = 20_000, 50
#: Up to so many brokers the matrix of replicas is drawn.
_MATRIX_BROKERS = 60


@dataclass(frozen=True, eq=False)
class Effect:
    """What a new topic does to the brokers, a number a broker of the layout.

    Attributes:
        replicas: (B,) replicas it brings.
        leaders: (B,) preferred leaders it brings.
        up: (B,) bool, brokers that can receive: spreads are over these, as everywhere.
        fewer_racks: its partitions on fewer racks than they could be; None where no broker has a rack.
    """

    replicas: Longs
    leaders: Longs
    up: BoolArray
    fewer_racks: int | None


def effect_of(layout: ClusterLayout, placement: Placement) -> Effect:
    """The replicas, leaders and racks of a placement."""
    size = len(layout.brokers)
    places = np.searchsorted(layout.broker_ids, placement.replicas)
    up = layout.receiving
    fewer = None
    if layout.racks:
        held = np.sort(layout.rack_groups[places], axis=1)
        on = 1 + (held[:, 1:] != held[:, :-1]).sum(axis=1)
        fewer = int((on < min(placement.replicas.shape[1], len(np.unique(layout.rack_groups[up])))).sum())
    return Effect(np.bincount(places.ravel(), minlength=size), np.bincount(places[:, 0], minlength=size), up, fewer)


def figures(layout: ClusterLayout, placement: Placement, effect: Effect) -> None:
    """What the topic brings, and what it does to the spreads."""
    loads = caching.balance_of(layout).by_broker
    led = loads.preferred_leaders
    drawn = None if placement.start is None else f"start {placement.start}, shift {placement.shift}"
    rows, factor = placement.replicas.shape
    frame.figures(
        [
            (
                "Replicas",
                text.count(rows * factor),
                drawn,
                f"{text.counted(rows, 'partition')}, {factor} replicas each",
            ),
            (
                "Replica spread",
                _arrow(_apart(loads.replicas, effect.up), _apart(loads.replicas + effect.replicas, effect.up)),
                None,
                define("Replica spread"),
            ),
            (
                "Preferred leader spread",
                "unknown" if led is None else _arrow(_apart(led, effect.up), _apart(led + effect.leaders, effect.up)),
                None,
                define("Preferred leader spread"),
            ),
            (
                "Replica spread in the topic",
                f"{_apart(effect.replicas, effect.up):,}",
                f"leaders {_apart(effect.leaders, effect.up):,}",
                None,
            ),
            (
                "Partitions without rack diversity",
                text.count(effect.fewer_racks),
                None,
                define("Partitions without rack diversity"),
            ),
        ]
    )


def _apart(counts: Longs, up: BoolArray) -> int:
    on = counts[up]
    return int(on.max() - on.min()) if on.size else 0


def _arrow(before: int, after: int) -> str:
    return f"{before:,} → {after:,}"


def draw_bars(layout: ClusterLayout, effect: Effect, what: str) -> None:
    """The main figure: what every broker gets of the topic, or what it has before and with it."""
    loads = caching.balance_of(layout).by_broker
    if what == BARS[0]:
        order = brokers_by_rack(layout)
        led, followed = effect.leaders[order], (effect.replicas - effect.leaders)[order]
        figure = bars.led_and_followed(bars.broker_names(layout, order), led, followed)
        bars.rack_strip(figure, layout, order)
        plots.draw(figure, "topic-bars", f"{what} by broker", height=220)
        explained = "Blue: partitions whose preferred leader is the broker; grey: partitions it follows."
    else:
        before = loads.replicas if what == BARS[1] else loads.preferred_leaders
        if before is None:
            st.caption("Preferred leaders are unknown: the input does not preserve replica order.")
            return
        after = before + (effect.replicas if what == BARS[1] else effect.leaders)
        unit = "replicas" if what == BARS[1] else "preferred leaders"
        before_after.draw(
            layout, before, after, unit, key="topic-bars", says=f"{what} by broker", leaving=~effect.up, height=220
        )
        explained = "Grey: before, sky blue: added by the topic. The dashed line is the mean afterwards."
    frame.how_to_read(f"{explained} Brokers are sorted by rack, then by id.", [what])


def draw_other_draws(
    new_topic: NewTopic, spec: TopicSpec, placement: Placement, effect: Effect, layout: ClusterLayout
) -> None:
    """In a line, what other draws would have done: how much of the figures above is chance."""
    rounds = min(_TRIED, _TRIED_PARTITIONS // max(1, len(placement.replicas)))
    if rounds < 2:
        return
    replicas, leaders = caching.kept(loads_over_draws)(
        spec, layout.brokers, new_topic.method, rounds=rounds, defaults=new_topic.defaults
    )
    loads = caching.balance_of(layout).by_broker
    said = [f"the replica spread would be {_range(loads.replicas + replicas, effect.up)}"]
    if loads.preferred_leaders is not None:
        said.append(f"the preferred leader spread {_range(loads.preferred_leaders + leaders, effect.up)}")
    said.append(f"in the topic {_range(replicas, effect.up)} for replicas and {_range(leaders, effect.up)} for leaders")
    st.caption(f"Over {rounds} random assignments, {', '.join(said)}.")


def _range(counts: Longs, up: BoolArray) -> str:
    """The least and the largest spread over (n, B) draws."""
    apart = counts[:, up].max(axis=1, initial=0) - counts[:, up].min(axis=1, initial=int(counts.max(initial=0)))
    least, most = int(apart.min()), int(apart.max())
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def draw_lists(layout: ClusterLayout, placement: Placement) -> None:
    """Where each replica goes: the table, and the matrix where it can be taken in."""
    import pandas as pd

    racks = {broker.id: broker.rack for broker in layout.brokers}
    left, right = st.columns([1, 1.6])
    shown = placement.replicas[: tables.MOST_ROWS]
    with left:
        columns: dict[str, object] = {
            "partition": placement.partition_ids[: len(shown)],
            "replicas": tables.lists(shown),
        }
        if layout.racks:
            columns["racks"] = [
                ", ".join(text.visible(racks.get(broker) or "none", 20) for broker in row) for row in shown.tolist()
            ]
        tables.table(pd.DataFrame(columns), "topic-lists", height=400)
        st.caption(tables.shown_of(len(shown), len(placement.replicas), "partition"))
    with right:
        if len(layout.brokers) > _MATRIX_BROKERS:
            st.caption(f"The matrix of partitions and brokers is drawn for up to {_MATRIX_BROKERS} brokers.")
            return
        order = brokers_by_rack(layout)
        ids = layout.broker_ids[order].tolist()
        draw_matrix(
            placement.replicas, ids, racks,
            step=placement.replicas.size - 1, first_id=placement.first_id,
            alt="Partitions by brokers: each replica with its position in the replica list", key="topic-matrix",
        )  # fmt: skip


def pinned(spec: TopicSpec, placement: Placement) -> TopicSpec:
    """The topic with the very replicas of a placement."""
    return TopicSpec.placed(spec.name, placement.assignment(), configs=spec.configs, if_not_exists=spec.if_not_exists)


def draw_texts(new_topic: NewTopic, spec: TopicSpec, placement: Placement) -> None:
    """The command, the Admin request and the two nodes, to copy; a topic without a name has none."""
    if not spec.name:
        st.info("Enter a topic name to see the command, the Admin request and the ZooKeeper nodes.")
        return
    exactly = pinned(spec, placement)
    given = spec
    if not spec.assignment and fields.yes(
        "Pin the assignment shown",
        name="pin",
        key="topic-pin",
        toggle=True,
        help="Otherwise Kafka makes a new random assignment when it creates the topic.",
    ):
        given = exactly
    command, request, nodes = fields.tabs(
        ["Command", "Admin request", "ZooKeeper nodes"],
        name="way",
        key="topic-ways",
        says=lambda one: one.split()[0].lower(),
    )
    with command:
        try:
            st.code(create_command(given, new_topic.version), language="bash", wrap_lines=True)
        except PlacementRefused as refusal:
            frame.refused(refusal)
    with request:
        if new_topic.method is CreationMethod.ZOOKEEPER_TOOL:
            st.caption(f"The tool of {new_topic.version} uses ZooKeeper here; this request is for other versions.")
        st.code(admin_request(given), language="json")
    with nodes:
        if new_topic.method is CreationMethod.ADMIN_KRAFT:
            st.markdown("A KRaft cluster has no ZooKeeper nodes: use the command or the request.")
        else:
            for node in zookeeper_nodes(exactly):
                st.markdown(f"**{text.plain(node.path)}**" + ("" if node.needed else " (optional)"))
                st.code(node.data, language="json", wrap_lines=True)
            st.caption(
                "Written in this order, they create the topic with the assignment shown. Kafka does not validate them: "
                "the controller uses what it finds."
            )


def draw_automatic(new_topic: NewTopic, layout: ClusterLayout, existing: tuple[str, ...]) -> None:
    """What a first produce or consume would make of the name."""
    up = [broker for broker in layout.brokers if broker.state is not BrokerState.DEAD]
    _, sentences = automatic_topic(new_topic.name, new_topic.defaults, existing=existing, brokers=up)
    for sentence in sentences:
        st.markdown(text.plain(sentence))
    st.caption("Based on the cluster's defaults; change them in the form.")
