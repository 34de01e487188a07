"""Fingerprints: which topics sit as Kafka placed them, with which draws; which were moved; and what comes next."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from components.fingerprints import drawn
from components.look import text
from components.shell import frame, layout_menu, navigation
from components.state import addresses, caching
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from components.what_if.cautions import draw_input_cautions
from reseat.errors import PlacementRefused
from reseat.model import ClusterLayout
from reseat.placement.fingerprint.fits import FingerprintKind, TopicFingerprint
from reseat.placement.fingerprint.inference import infer

_ASKED: Slot[str] = Slot("fingerprints")

#: More replica lists than these can take longer than a person waits unasked.
MOST_UNASKED = 250_000
#: Seconds that a list and a topic of KRaft take: of 300,000 lists, 40 topics took 3 s, 2,000 took 3 s to 6 s, 7,300
#: took 5 s to 15 s, the more of them were moved, 40,000 took 23 s. Those of ZooKeeper took a quarter; which it is,
#: nobody knows before.
_A_LIST, _A_TOPIC = 1.5e-5, 6e-4


def figures(found: tuple[TopicFingerprint, ...]) -> None:
    """How many topics each verdict has."""
    counts = Counter(one.kind for one in found)
    placed = [one for one in found if one.striped]
    elsewhere = sum(bool(one.circumstance) for one in placed)
    exact = sum(sum(len(fit.shifts) for fit in one.fits) == 1 for one in placed)
    moved = sum(len(one.moved) for one in found if one.kind is FingerprintKind.MOVED)
    frame.figures(
        [
            (
                "Match",
                text.count(len(placed)),
                f"of {text.counted(len(found), 'topic')}",
                None,
            ),
            (
                "Moved later",
                text.count(counts[FingerprintKind.MOVED]),
                text.counted(moved, "partition"),
                None,
            ),
            (
                "Do not match",
                text.count(counts[FingerprintKind.NOT_STRIPED]),
                f"{counts[FingerprintKind.UNKNOWN]:,} unknown" if counts[FingerprintKind.UNKNOWN] else None,
                None,
            ),
            (
                "Start and shift unique",
                text.count(exact),
                None,
                None,
            ),
            (
                "Rack-aware",
                text.count(sum(bool(one.rack_aware) for one in placed)),
                None,
                None,
            ),
            (
                "Placed on an earlier broker set",
                text.count(elsewhere),
                None,
                None,
            ),
        ]
    )


def next_start(layout: ClusterLayout, found: Sequence[TopicFingerprint]) -> str:
    """What can be said of where the next topic begins, which is nothing but its chances."""
    brokers = len(layout.brokers)
    if layout.eligible is not None or any(one.krafted is not None for one in found):
        return (
            "This looks like a KRaft cluster: the next topic begins at a random broker of each rack, and after as many "
            "partitions as there are brokers their order is shuffled. Nothing here predicts either."
        )
    return (
        f"The next topic's start is random: each of the {brokers:,} brokers has one chance in {brokers:,}, whatever "
        "came before. Nothing here predicts it."
    )


def waits(open_layout: OpenLayout) -> bool:
    """Whether the layout is so large that a person is asked first, and has not said yes."""
    lists = open_layout.layout.partition_count
    if lists <= MOST_UNASKED or _ASKED.get("") == open_layout.digest:
        return False
    seconds = lists * _A_LIST + len(open_layout.layout.topics) * _A_TOPIC
    frame.answer(f"Analysing {lists:,} replica lists takes about {text.duration(seconds)}.")
    with st.container(key="fingerprint-ask"):
        st.button(
            f"Analyse {text.counted(len(open_layout.layout.topics), 'topic')}",
            type="primary",
            icon=":material/fingerprint:",
            on_click=_ASKED.set,
            args=(open_layout.digest,),
        )
        st.caption(
            "This runs once. Of a KRaft cluster many moved partitions take twice as long, of one with ZooKeeper all "
            "takes a quarter; excluding topics makes it shorter."
        )
    return True


def draw(open_layout: OpenLayout) -> None:
    """The page, once the lists are in assignment order."""
    with st.spinner(f"Analysing {text.counted(open_layout.layout.partition_count, 'replica list')} …"):
        found = caching.kept(infer, caching.LAYOUTS)(open_layout.layout)
    frame.answer(drawn.summary(found))
    if any(one.kind is FingerprintKind.UNKNOWN for one in found):
        draw_input_cautions(open_layout, "fingerprints")
    figures(found)
    if not found:
        return
    rings = drawn.rings_of(found)
    if rings:
        drawn.draw_starts(open_layout.layout, rings)
    st.markdown(f":material/casino: {text.plain(next_start(open_layout.layout, found))}")
    opened = drawn.draw_table(found)
    if opened is not None:
        drawn.draw_topic(open_layout.layout, opened)


# As the other lessons it has no strip; they make up a cluster, this one asks which of the open layouts it reads.
open_layout = frame.page("Fingerprints", shows=None)
st.caption(text.plain(navigation.FINGERPRINTS.teaches))
layout_menu.choose(open_layout)
if open_layout.past is not None:
    st.caption(f":material/history: snapshot: {text.plain(open_layout.past.words())}")
if not waits(open_layout):
    try:
        draw(open_layout)
    except PlacementRefused as refusal:
        frame.refused(refusal)
addresses.publish()
