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
                "Sit as placed",
                text.count(len(placed)),
                f"of {text.plural(len(found), 'topic')}",
                "Striped placement with some draws gives exactly these lists; also where partitions were added later",
            ),
            (
                "Moved since",
                text.count(counts[Verdict.MOVED]),
                text.plural(moved, "partition"),
                "Topics most of which sits as placed, with partitions that differ from it",
            ),
            (
                "Not striped",
                text.count(counts[Verdict.NOT_STRIPED]),
                f"{counts[Verdict.UNKNOWN]:,} unknown" if counts[Verdict.UNKNOWN] else None,
                "No draws give these lists, nor nearly. KRaft's placer leaves such lists, and so does a reassignment",
            ),
            ("One pair alone fits", text.count(exact), None, "Start and shift are known for certain"),
            (
                "With racks in turn",
                text.count(sum(bool(one.rack_aware) for one in placed)),
                None,
                "Placed with regard to racks: brokers of each rack in turn",
            ),
            (
                "On other brokers",
                text.count(elsewhere),
                None,
                "Placed before some broker joined or while one was there that has left, or in another order",
            ),
        ]
    )


def next_start(seat: Seat) -> str:
    """What can be said of where the next topic begins, which is nothing but its chances."""
    brokers = len(seat.layout.brokers)
    if seat.layout.eligible is not None:
        return (
            "This looks like a KRaft cluster. Its placer shuffles brokers after each round, so its lists have no start "
            "and shift to find; those that fit were placed before, by a tool, or fit by chance."
        )
    return (
        f"The next topic's start is a fresh draw: each of the {brokers:,} brokers has one chance in {brokers:,}, "
        "whatever was drawn before. Nothing here predicts it."
    )


def waits(seat: Seat) -> bool:
    """Whether the layout is so large that a person is asked first, and has not said yes."""
    lists = seat.layout.partition_count
    if lists <= MOST_UNASKED or session.kept("fingerprints", "") == seat.digest:
        return False
    seconds = lists * 7e-5
    frame.answer(f"Working back from {lists:,} replica lists takes about {text.duration(seconds)}.")
    with st.container(key="fingerprint-ask"):
        st.button(
            f"Work back from {text.plural(len(seat.layout.topics), 'topic')}",
            type="primary",
            icon=":material/fingerprint:",
            on_click=session.keep,
            args=("fingerprints", seat.digest),
        )
        st.caption("It is done once; leaving topics out, at the left, makes it shorter.")
    return True


def draw(seat: Seat) -> None:
    """The page, once the lists are in assignment order."""
    with st.spinner(f"Working back from {text.plural(seat.layout.partition_count, 'replica list')} …"):
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
