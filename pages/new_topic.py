"""New topic: Kafka's checks, where its replicas would go, what that does to balance, and the texts that make it."""

import streamlit as st

from components.look import text
from components.new_topic import form
from components.new_topic import preview as new_topic_preview
from components.new_topic.form import NewTopic
from components.operate.operated_cluster import OperatedCluster, operated_cluster
from components.operate.topic import created, draw_created, draw_creation
from components.shell import frame
from components.state import addresses, fields
from components.state.open_layout import OpenLayout
from reseat.errors import PlacementRefused
from reseat.placement import JavaRandom, Placement
from reseat.placement.creation import place_topic
from reseat.placement.topic_spec import TopicSpec


def opening(new_topic: NewTopic, faults: tuple[str, ...], placement: Placement | None) -> str:
    """The sentence that answers the page's question: would Kafka make it, and how?"""
    if new_topic.waits:
        return new_topic.waits
    if faults:
        return f"Kafka would not create {new_topic.name}: {faults[0]}"
    if placement is None:
        return f"{new_topic.name} already exists: with --if-not-exists nothing is created, and there is no error."
    rows, factor = placement.replicas.shape
    what = f"{text.counted(rows, 'partition')} of {text.counted(factor, 'replica')}"
    drawn = "on the given replicas" if new_topic.assignment else "at random: one of many possible assignments is shown"
    return f"Kafka would create {new_topic.name} with {what}, placed {drawn}."


def placed(new_topic: NewTopic, spec: TopicSpec, open_layout: OpenLayout) -> tuple[Placement | None, tuple[str, ...]]:
    """The placement of the draw looked at, or why there is none."""
    try:
        return (
            place_topic(
                spec,
                open_layout.layout.brokers,
                new_topic.method,
                draws=JavaRandom(new_topic.seed),
                defaults=new_topic.defaults,
                version=new_topic.version,
            ),
            (),
        )
    except PlacementRefused as refusal:
        return None, (str(refusal),)


def preview(
    new_topic: NewTopic,
    spec: TopicSpec,
    placement: Placement,
    open_layout: OpenLayout,
    operated: OperatedCluster | None,
) -> None:
    """Figures, bars and the views behind them."""
    effect = new_topic_preview.effect_of(open_layout.layout, placement)
    new_topic_preview.figures(open_layout.layout, placement, effect)
    what = fields.segments(
        "What",
        new_topic_preview.BARS,
        name="bars",
        key="topic-bars-what",
        says=dict(zip(new_topic_preview.BARS, ("topic", "replicas", "leaders"), strict=True)),
        label_visibility="collapsed",
    )
    new_topic_preview.draw_bars(open_layout.layout, effect, what)
    if not spec.assignment:
        new_topic_preview.draw_other_draws(new_topic, spec, placement, effect, open_layout.layout)
    views = {
        "Create": lambda: new_topic_preview.draw_texts(new_topic, spec, placement),
    }
    if operated is not None:
        views["On the live cluster"] = lambda: draw_creation(operated, new_topic_preview.pinned(spec, placement))
    views |= {
        "Partition by partition": lambda: new_topic_preview.draw_lists(open_layout.layout, placement),
        "Automatic creation": lambda: new_topic_preview.draw_automatic(
            new_topic, open_layout.layout, open_layout.reading.layout.topics
        ),
    }
    says = {"On the live cluster": "live", "Partition by partition": "partitions", "Automatic creation": "automatic"}
    chosen = fields.segments(
        "Detail",
        list(views),
        name="detail",
        says={"Create": "make"} | says,
        key="topic-view" if operated is None else "topic-view-live",
        label_visibility="collapsed",
    )
    views[chosen]()


open_layout = frame.page("New topic")
operated = operated_cluster(open_layout)
head = st.container()
new_topic = form.draw_form(open_layout)
existing = open_layout.reading.layout.topics  # those that are left out are there all the same
spec, faults, warnings = form.check(new_topic, open_layout.layout, existing)
placement = None
if spec is not None and not faults and new_topic.name not in existing:
    placement, faults = placed(new_topic, spec, open_layout)
made = None if operated is None else created(operated, new_topic.name)
with head:
    if made is not None and made.made:
        frame.answer(f"{new_topic.name} was created on the live cluster.")
        faults = ()
    else:
        frame.answer(opening(new_topic, faults, placement))
    if made is not None:
        draw_created(made)
    for fault in faults if new_topic.waits else faults[1:]:
        st.markdown(f":orange[:material/warning:] {text.plain(fault)}")
    for warning in warnings:
        st.markdown(f":gray[:material/info:] {text.plain(warning)}")
if placement is not None and spec is not None:
    preview(new_topic, spec, placement, open_layout, operated)
elif new_topic.name and made is None:
    new_topic_preview.draw_automatic(new_topic, open_layout.layout, existing)
addresses.publish()
