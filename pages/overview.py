"""Overview: what was read, how large and how healthy it is, what was found, and the two worst imbalances."""

import numpy as np
import streamlit as st

from components import caching, charts, frame, text, theme
from components.findings import draw_findings, flagged
from components.imbalances import Imbalance, imbalances
from components.readings import draw_reading
from components.takeaway import draw_takeaway
from reseat.model import ClusterLayout, Finding, Severity


def health(layout: ClusterLayout, found: tuple[Finding, ...]) -> str:
    """The sentence that answers the page's question: is anything wrong, also with what was read?"""
    broken = [finding for finding in found if finding.severity is Severity.BROKEN]
    attention = sum(finding.severity is Severity.ATTENTION for finding in found)
    if broken:
        return broken[0].sentence
    if attention:
        return f"Nothing is broken; {text.plural(attention, 'finding deserves', 'findings deserve')} attention."
    return f"All is well: nothing is broken in {text.plural(layout.partition_count, 'partition')}."


def imbalance_chart(one: Imbalance, layout: ClusterLayout, key: str) -> None:
    """One imbalance as bars, in the order of racks."""
    looks = theme.rack_looks(layout.racks)
    order = np.arange(len(one.values)) if one.by_rack else charts.broker_order(layout)
    colours = [looks[name][0] if name in looks else theme.look().bar for name in one.names] if one.by_rack else None
    st.markdown(f"**{one.title}.** {text.plain(one.sentence)}")
    names = list(one.names) if one.by_rack else charts.broker_names(layout, order)
    figure = charts.bars(names, one.values[order], one.unit, mean=one.mean, colours=colours)
    if not one.by_rack:
        charts.rack_strip(figure, layout, order)
    charts.draw(figure, key, f"{one.title}: {one.sentence}")


seat = frame.page("Overview")
layout = seat.layout
with st.spinner("Measuring the layout …", show_time=True):
    balance = caching.balance_of(layout)
    found = caching.findings_of(layout)
frame.answer(health(layout, (*found, *seat.reading.findings)))
if not seat.wish.is_empty:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("This page is about the layout as it stands, without the what-if.", width="content")
        st.page_link("pages/plan.py", label="See what the what-if changes", icon=":material/swap_horiz:")
frame.figures(
    [
        (
            flagged("Offline", balance.offline, Severity.BROKEN),
            text.count(balance.offline),
            None,
            "Partitions without a leader",
        ),
        (
            flagged("Under-replicated", balance.under_replicated, Severity.ATTENTION),
            text.count(balance.under_replicated),
            None,
            "Partitions with a replica out of sync",
        ),
        (
            flagged("Below min ISR", balance.below_min_isr, Severity.BROKEN),
            text.count(balance.below_min_isr),
            None,
            "Partitions that refuse writes with acks=all",
        ),
        ("Not led by preferred", text.count(balance.not_preferred), None, "An election would move these leaders"),
        ("Topics", text.count(len(layout.topics)), None, "After leaving topics out"),
        (
            "Racks",
            text.count(len(layout.racks)) if layout.racks else "not told",
            None,
            "Racks of brokers; without them Reseat cannot keep replicas on different racks",
        ),
    ]
)
worst = imbalances(layout, balance)[:2]
for column, one in zip(st.columns(2, vertical_alignment="bottom"), worst, strict=False):
    with column:
        imbalance_chart(one, layout, f"imbalance-{worst.index(one)}")
if worst:
    frame.how_to_read(
        "Each bar is a broker (by rack, then by id) or a rack; the dashed line is the mean. The two loads shown are "
        "those furthest above the least spread that whole replicas allow, measured against their mean."
    )

st.subheader("Findings", anchor=False)
draw_findings(layout, found, seat.digest)
if not found:
    st.caption("Nothing was found.")

draw_reading(seat)
draw_takeaway(seat)
