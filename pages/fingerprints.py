"""Fingerprints: which topics sit as Kafka placed them, with which draws; which were moved; and what comes next."""

from collections import Counter

import streamlit as st

from components import caching, fingerprints, frame, navigation, session, text
from components.cautions import draw_input_cautions
from components.session import Seat
from reseat.errors import PlacementRefused
from reseat.placement.fingerprint import TopicFingerprint, Verdict

#: More replica lists than these take longer than a person waits unasked (some 70 s a million).
MOST_UNASKED = 250_000


def figures(found: tuple[TopicFingerprint, ...]) -> None:
    """How many topics each verdict has."""
    counts = Counter(one.verdict for one in found)
    placed = [one for one in found if one.striped]
    elsewhere = sum(bool(one.fits[0].circumstance) for one in placed)
    exact = sum(sum(len(fit.shifts) for fit in one.fits) == 1 for one in placed)
    moved = sum(len(one.moved) for one in found if one.verdict is Verdict.MOVED)
    frame.figures(
        [
            (
                "Match",
                text.count(len(placed)),
                f"of {text.plural(len(found), 'topic')}",
                "Topics whose replica lists are exactly what some start and shift give, including grown topics",
            ),
            (
                "Moved later",
                text.count(counts[Verdict.MOVED]),
                text.plural(moved, "partition"),
                "Topics that match except for some partitions",
            ),
            (
                "Do not match",
                text.count(counts[Verdict.NOT_STRIPED]),
                f"{counts[Verdict.UNKNOWN]:,} unknown" if counts[Verdict.UNKNOWN] else None,
                "No start and shift give these lists. KRaft's assignments and reassignments are like this",
            ),
            (
                "Start and shift unique",
                text.count(exact),
                None,
                "Topics that match exactly one pair of start and shift",
            ),
            (
                "Rack-aware",
                text.count(sum(bool(one.rack_aware) for one in placed)),
                None,
                "Topics placed on the brokers of each rack in turn",
            ),
            (
                "Placed on an earlier broker set",
                text.count(elsewhere),
                None,
                "Topics placed before a broker joined, with a broker that has left since, or in another broker order",
            ),
        ]
    )


def next_start(seat: Seat) -> str:
    """What can be said of where the next topic begins, which is nothing but its chances."""
    brokers = len(seat.layout.brokers)
    if seat.layout.eligible is not None:
        return (
            "This looks like a KRaft cluster. KRaft shuffles brokers after each round, so its lists have no start and "
            "shift; topics that match were created before KRaft, by a tool, or match by chance."
        )
    return (
        f"The next topic's start is random: each of the {brokers:,} brokers has one chance in {brokers:,}, whatever "
        "came before. Nothing here predicts it."
    )


def waits(seat: Seat) -> bool:
    """Whether the layout is so large that a person is asked first, and has not said yes."""
    lists = seat.layout.partition_count
    if lists <= MOST_UNASKED or session.kept("fingerprints", "") == seat.digest:
        return False
    seconds = lists * 7e-5
    frame.answer(f"Analysing {lists:,} replica lists takes about {text.duration(seconds)}.")
    with st.container(key="fingerprint-ask"):
        st.button(
            f"Analyse {text.plural(len(seat.layout.topics), 'topic')}",
            type="primary",
            icon=":material/fingerprint:",
            on_click=session.keep,
            args=("fingerprints", seat.digest),
        )
        st.caption("This runs once; excluding topics makes it shorter.")
    return True


def draw(seat: Seat) -> None:
    """The page, once the lists are in assignment order."""
    with st.spinner(f"Analysing {text.plural(seat.layout.partition_count, 'replica list')} …"):
        found = caching.fingerprints_of(seat.layout)
    frame.answer(fingerprints.summary(found, kraft=seat.layout.eligible is not None))
    if any(one.verdict is Verdict.UNKNOWN for one in found):
        draw_input_cautions(seat, "fingerprints")
    figures(found)
    if not found:
        return
    rings = fingerprints.rings_of(found)
    if rings:
        fingerprints.draw_starts(seat.layout, rings)
    st.markdown(f":material/casino: {text.plain(next_start(seat))}")
    opened = fingerprints.draw_table(found)
    if opened is not None:
        fingerprints.draw_topic(seat.layout, opened)


seat = frame.page("Fingerprints")
st.caption(text.plain(navigation.FINGERPRINTS.teaches))
if not waits(seat):
    try:
        draw(seat)
    except PlacementRefused as refusal:
        frame.refused(refusal)
