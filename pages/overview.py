"""Overview: what was read, how large and how healthy it is, what was found, and the two worst imbalances."""

import numpy as np
import streamlit as st

from components.charts import bars, plots
from components.look import text, theme
from components.overview.advice import draw_advice
from components.overview.directories import draw_directories
from components.overview.takeaway import draw_takeaway
from components.shell import frame
from components.shell.findings import draw_findings, flagged
from components.state import addresses, caching
from components.what_if.what_if import shown
from reseat.balance import health_unknown
from reseat.balance.grid import brokers_by_rack, shown_rack_places
from reseat.balance.imbalances import Imbalance, imbalances
from reseat.balance.moved import all_findings
from reseat.model import ClusterLayout, Finding, Severity
from reseat.model.glossary import define


def health(layout: ClusterLayout, under_replicated: int | None, found: tuple[Finding, ...]) -> str:
    """The sentence that answers the page's question: is anything wrong, also with what was read?"""
    broken = [finding for finding in found if finding.severity is Severity.BROKEN]
    attention = sum(finding.severity is Severity.ATTENTION for finding in found)
    if broken:
        return broken[0].sentence
    warned = text.counted(attention, "warning")
    unknown = health_unknown(layout)
    if unknown is not None:
        return f"{unknown}; {warned}." if attention else f"{unknown}."
    if under_replicated:
        partitions = text.counted(under_replicated, "partition is", "partitions are")
        more = f"; {warned} in all" if attention > 1 else ""
        return f"{partitions} under-replicated, none offline{more}."
    if attention:
        return f"No critical issues; {warned}."
    return f"No critical issues and no warnings in {text.counted(layout.partition_count, 'partition')}."


def imbalance_chart(one: Imbalance, layout: ClusterLayout, key: str) -> None:
    """One imbalance as bars, in the order of racks."""
    looks = theme.rack_looks(layout.racks)
    order = brokers_by_rack(layout)
    if one.by_rack:  # brokers without a rack stand last, as they are given
        order = np.argsort([*shown_rack_places(layout), *range(len(layout.racks), len(one.names))])
    racks = [one.names[at] for at in order.tolist()] if one.by_rack else []
    colours = [looks[name][0] if name in looks else theme.look().bar for name in racks] if one.by_rack else None
    st.markdown(f"**{one.title}.** {text.plain(one.sentence)}")
    names = racks if one.by_rack else bars.broker_names(layout, order)
    figure = bars.simple(names, one.values[order], one.unit, mean=one.mean, colours=colours)
    if not one.by_rack:
        bars.rack_strip(figure, layout, order)
    plots.draw(figure, key, f"{one.title}: {one.sentence}")


open_layout = frame.page("Overview", shows="either")
now = shown(open_layout)
layout = now.layout
with st.spinner("Measuring the layout …", show_time=True):
    balance = caching.balance_of(layout)
    found = caching.findings_of(layout)
found = all_findings(found, layout, open_layout.reading, after=now.after)
said = health(layout, balance.under_replicated, found)
frame.answer(f"After the plan: {said[:1].lower()}{said[1:]}" if now.after else said)
frame.figures(
    [
        (
            "Offline",
            flagged(balance.offline, Severity.BROKEN),
            None,
            define("Offline"),
        ),
        (
            "Under-replicated",
            flagged(balance.under_replicated, Severity.ATTENTION),
            None,
            define("Under-replicated"),
        ),
        (
            "Below min ISR",
            flagged(balance.below_min_isr, Severity.BROKEN),
            None,
            define("Below min ISR"),
        ),
        ("Non-preferred leaders", text.count(balance.not_preferred), None, define("Non-preferred leaders")),
        ("Topics", text.count(len(layout.topics)), None, "Counted without excluded topics."),
        (
            "Racks",
            text.count(len(layout.racks)) if layout.racks else "unknown" if layout.unknown_racks else "none",
            None,
            "Without racks, Reseat cannot place replicas on different ones.",
        ),
    ]
)
worst = imbalances(layout, balance)[:2]
beside = st.container(key="overview-worst")
for column, one in zip(beside.columns(2, vertical_alignment="bottom"), worst, strict=False):
    with column:
        imbalance_chart(one, layout, f"imbalance-{worst.index(one)}")
if worst:
    frame.how_to_read(
        "Each bar is a broker (by rack, then by ID) or a rack; the dashed line is the mean. Shown are the two loads "
        "whose spread exceeds the best possible the most, relative to their mean."
    )

st.header("Findings", anchor=False)
draw_findings(layout, found, layout.digest)
st.caption(
    "critical: data or service at risk now (offline, below min ISR, one copy in sync, input incomplete) · warning: "
    "fix before something else fails (under-replicated, shared racks, skew above 10%) · info: good to know"
    if found
    else "No findings."
)

if not now.after:
    draw_directories(layout, open_layout.reading)
    draw_advice(open_layout)
draw_takeaway(open_layout)
addresses.publish()
