"""Fingerprints drawn: where the starts of topics fell, the table of topics, and one topic partition by partition."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import bars, plots
from components.look import tables, text
from components.shell import frame
from components.state import addresses, fields, slots, widgets
from components.state.slots import Slot
from reseat.model import NONE, ClusterLayout
from reseat.model.search import Search
from reseat.model.wording import some_of, verb
from reseat.placement.fingerprint.fits import FingerprintKind, Fit, TopicFingerprint

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MARKS", "draw_starts", "draw_table", "draw_topic", "rings_of", "summary"]

#: Mark and word of a verdict, for tables and pills.
MARKS = {
    FingerprintKind.STRIPED: "✔ match",
    FingerprintKind.GREW: "✔ match, grown later",
    FingerprintKind.KRAFT: "✔ match, KRaft",
    FingerprintKind.MOVED: "▲ moved later",
    FingerprintKind.NOT_STRIPED: "○ not striped",
    FingerprintKind.UNKNOWN: "? unknown",
}
#: More partitions than these are counted in a cell, not listed.
_LISTED = 12

_Ring = tuple[tuple[int, ...], bool, str]


def summary(found: Sequence[TopicFingerprint]) -> str:
    """The sentence that answers the page's question, from the fingerprints."""
    total, counts = len(found), Counter(one.kind for one in found)
    placed = sum(one.striped for one in found)
    if not total:
        return "There are no topics."
    if placed == total:
        return (
            "The only topic still matches Kafka's initial assignment."
            if total == 1
            else f"All {total:,} topics still match Kafka's initial assignment."
        )
    unknown = counts[FingerprintKind.UNKNOWN]
    if unknown == total:
        whose = "the only topic matches" if total == 1 else f"the {total:,} topics match"
        return f"Without every broker's rack, it is unknown whether {whose} Kafka's initial assignment."
    moved = sum(len(one.moved) for one in found if one.kind is FingerprintKind.MOVED)
    words = [f"{some_of(placed, total, 'topic', 'matches', 'match')} Kafka's initial assignment"]
    if counts[FingerprintKind.MOVED]:
        where = text.counted(counts[FingerprintKind.MOVED], "other")
        words.append(f"{text.counted(moved, 'partition')} of {where} {verb(moved, 'was', 'were')} moved later")
    if others := counts[FingerprintKind.NOT_STRIPED]:
        words.append(f"{others:,} {verb(others, 'does', 'do')} not match")
    if unknown:
        words.append(f"{unknown:,} unknown without every rack")
    return f"{'; '.join(words)}."


def rings_of(found: Sequence[TopicFingerprint]) -> dict[_Ring, list[TopicFingerprint]]:
    """Topics by the ring that their likeliest fit is on, the ring with most topics first."""
    by_ring: dict[_Ring, list[TopicFingerprint]] = {}
    for one in found:
        if one.fits:
            fit = one.fits[0]
            by_ring.setdefault((fit.brokers, fit.rack_aware, fit.circumstance), []).append(one)
    return dict(sorted(by_ring.items(), key=lambda item: -len(item[1])))


def draw_starts(layout: ClusterLayout, rings: dict[_Ring, list[TopicFingerprint]]) -> None:
    """The main figure: on which broker of a ring the starts of topics fell, and what that says of the next one."""
    ring = fields.select(
        "Topics placed on",
        list(rings),
        name="ring",
        says=_said_ring,
        format_func=lambda ring: f"{_ring_words(ring)} · {text.counted(len(rings[ring]), 'topic')}",
        key=f"fingerprint-ring-{layout.digest}",
    )
    brokers, _, _ = ring
    starts = np.bincount([one.fits[0].start for one in rings[ring]], minlength=len(brokers))
    rack_of = {broker.id: broker.rack for broker in layout.brokers}
    names = [f"broker {b} in {rack_of[b]}" if rack_of.get(b) else f"broker {b}" for b in brokers]
    figure = bars.simple(names, starts, "topics", mean=len(rings[ring]) / len(brokers))
    plots.draw(figure, "fingerprint-starts", "Topics by the broker of their start index, in ring order")
    frame.how_to_read(
        "Kafka chooses a random start for each topic: the place on the ring of brokers where partition 0 begins. The "
        "bars count topics by the broker there, in ring order; the dashed line is the count if all starts were equally "
        "frequent. Chance alone makes bars differ, more so with few topics.",
        ["Start index"],
    )


def _said_ring(ring: _Ring) -> str:
    """A ring as an address has it: each is another set, or order, of brokers."""
    return hashlib.sha256(repr(ring).encode()).hexdigest()[:8]


def _ring_words(ring: _Ring) -> str:
    brokers, rack_aware, circumstance = ring
    which = text.ids(brokers, 6) if len(brokers) <= 6 else text.counted(len(brokers), "broker")
    how = "rack-aware" if rack_aware else "not rack-aware"
    return f"{which}, {how}" + (f", {circumstance}" if circumstance else "")


#: What the session calls the topic that is opened, and the address.
_OPENED: Slot[str] = Slot("fingerprint-opened", addressed=True)
_TOPIC = "topic"


def draw_table(found: Sequence[TopicFingerprint]) -> TopicFingerprint | None:
    """All topics with their draws, searched and filtered on the server; returns the one that is opened."""
    counts = Counter(one.kind for one in found)
    here = [kind for kind in FingerprintKind if counts[kind]]
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    chosen = fields.pills(
        "Verdicts",
        here,
        name="verdicts",
        says=lambda kind: kind.name.lower(),
        place=left,
        format_func=lambda kind: f"{MARKS[kind]} · {counts[kind]:,}",
        key="fingerprint-verdicts-" + "-".join(kind.name for kind in here),
        label_visibility="collapsed",
    )
    with right:
        search = Search.of(fields.find("fingerprint", "part of a topic name"))
    wanted = frozenset(chosen or here)
    named = search.within(one.topic for one in found)
    hits = [one for one, hit in zip(found, named, strict=True) if hit and one.kind in wanted]
    shown = hits[: tables.MOST_ROWS]
    frame = _frame(shown)
    table = slots.field("fingerprint-table")

    def clicked() -> None:
        rows = [row for row in widgets.chosen_rows(table) if row < len(shown)]
        _OPENED.set(shown[rows[0]].topic if rows else "")

    columns = {
        "partitions": st.column_config.NumberColumn(format="localized", width=80),
        "start": tables.RIGHT,
        "shift": tables.RIGHT,
        "matching pairs": st.column_config.NumberColumn(
            format="localized", help="How many pairs of start and shift give exactly these lists"
        ),
    }
    tables.table(frame, table, columns, of=len(found), on_select=clicked)
    said = f"{tables.shown_of(len(shown), len(hits), 'topic')} Click a row to open it."
    tables.foot("fingerprint", said, "fingerprints.csv", lambda: _as_csv(hits))
    name = _OPENED.get(fields.offered(_TOPIC, {one.topic for one in found}))
    addresses.tell(_TOPIC, name)
    return next((one for one in hits if one.topic == name or len(hits) == 1), None)


def _frame(found: Sequence[TopicFingerprint]) -> pd.DataFrame:
    import pandas as pd

    fits = [one.fits[0] if one.fits else None for one in found]
    return pd.DataFrame(
        {
            "topic": [text.visible(one.topic) for one in found],
            "verdict": [MARKS[one.kind] for one in found],
            "partitions": [one.partitions for one in found],
            "racks": ["" if one.rack_aware is None else "aware" if one.rack_aware else "ignored" for one in found],
            "start": ["" if fit is None else str(fit.start) for fit in fits],
            "shift": ["" if fit is None else _shifts(fit) for fit in fits],
            "matching pairs": pd.array(
                [
                    sum(len(fit.shifts) for fit in one.fits)
                    if one.fits and one.kind is not FingerprintKind.MOVED
                    else None
                    for one in found
                ],
                dtype="Int64",
            ),
            "placed": [
                "" if one.circumstance is None else one.circumstance or "on the current brokers" for one in found
            ],
            "moved partitions": [_moved(one) for one in found],
            "replicas that differ": pd.array([one.replicas_off for one in found], dtype="Int64"),
        }
    )


def _shifts(fit: Fit) -> str:
    if len(fit.shifts) >= len(fit.brokers) > 1:
        return "any"
    return (
        ", ".join(map(str, fit.shifts)) if len(fit.shifts) <= 4 else f"{fit.shifts[0]} and {len(fit.shifts) - 1} more"
    )


def _moved(one: TopicFingerprint) -> str:
    if len(one.moved) > _LISTED:
        return f"{len(one.moved):,} of {one.partitions:,}"
    return ", ".join(map(str, one.moved))


def _as_csv(found: Sequence[TopicFingerprint]) -> str:
    whole = _frame(found)
    whole["moved partitions"] = [" ".join(map(str, one.moved)) for one in found]
    whole["all shifts"] = [" ".join(map(str, one.fits[0].shifts)) if one.fits else "" for one in found]
    return tables.as_csv(whole)


def draw_topic(layout: ClusterLayout, one: TopicFingerprint) -> None:
    """One topic: its sentence, and each partition as it is beside where its draws put it."""
    import pandas as pd

    settled = layout.target()
    span = settled.rows_of_topic(one.topic)
    ids = settled.partition[span.start : span.stop].tolist()
    now = [[b for b in row if b != NONE] for row in settled.replica_ids[span.start : span.stop].tolist()]
    with st.container(border=True, key="fingerprint-topic"):
        st.markdown(text.plain(one.sentence))
        made = one.placed(ids, max(map(len, now), default=0))
        if made is None:
            return
        differ = [a != b for a, b in zip(now, made, strict=True)]
        only = any(differ) and fields.yes("Only differences", name="differ", key="fingerprint-differ", toggle=True)
        rows = [i for i, off in enumerate(differ) if off or not only][: tables.MOST_ROWS]
        frame_of_topic = pd.DataFrame(
            {
                "partition": [ids[i] for i in rows],
                "replicas": [", ".join(map(str, now[i])) for i in rows],
                "initial assignment": [", ".join("?" if b == NONE else str(b) for b in made[i]) for i in rows],
                "": ["▲ differs" if differ[i] else "✔" for i in rows],
            }
        )
        tables.table(frame_of_topic, "fingerprint-partitions", height=240)
        st.caption(
            f"{sum(differ):,} of {text.counted(len(ids), 'partition')} "
            f"{verb(sum(differ), 'differs', 'differ')} from this initial assignment."
        )
