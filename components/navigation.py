"""The pages by task: where each stands in the navigation, what it is called, and which old addresses lead to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

__all__ = [
    "BOARD",
    "CONNECT",
    "EXECUTE",
    "HEATMAP",
    "HISTORY",
    "LESSONS",
    "NEW_TOPIC",
    "OVERVIEW",
    "PLACEMENT",
    "PLAN",
    "RESILIENCE",
    "Place",
    "link",
    "pages",
]


class Place(NamedTuple):
    """One page.

    Attributes:
        file: its script.
        title: what it is called, in the navigation and everywhere.
        icon: its sign, the same everywhere.
        address: its part of the address.
        teaches: what one will understand there, in two sentences; empty where a page shows one's own cluster.
    """

    file: str
    title: str
    icon: str
    address: str
    teaches: str = ""


OVERVIEW = Place("pages/overview.py", "Overview", ":material/monitoring:", "overview")
BOARD = Place("pages/racks.py", "Board", ":material/dns:", "board")
HEATMAP = Place("pages/heatmap.py", "Heatmap", ":material/grid_on:", "heatmap")
LEADERS = Place("pages/leaders.py", "Leaders", ":material/star:", "leaders")
RESILIENCE = Place("pages/resilience.py", "Resilience", ":material/health_and_safety:", "resilience")
PLAN = Place("pages/plan.py", "Plan", ":material/swap_horiz:", "plan")
EXECUTE = Place("pages/operate.py", "Execute", ":material/play_circle:", "execute")
NEW_TOPIC = Place("pages/new_topic.py", "New topic", ":material/add_box:", "new_topic")
CONNECT = Place("pages/connect.py", "Connect", ":material/cable:", "connect")
FLEET = Place("pages/fleet.py", "Fleet", ":material/lan:", "fleet")
HISTORY = Place("pages/history.py", "History", ":material/history:", "history")
REPORT = Place("pages/report.py", "Report", ":material/description:", "report")
LEARN = Place("pages/learn.py", "Learn", ":material/school:", "learn")
PLACEMENT = Place(
    "pages/placement.py",
    "Placement",
    ":material/dataset:",
    "placement",
    "Why Kafka put a replica on that broker and not on the next one. You step through the algorithm, with its numbers.",
)
COMPARE = Place(
    "pages/compare.py",
    "Compare placements",
    ":material/compare:",
    "compare",
    "What a random start and a shift are good for. The same topics are placed in five ways, on one scale.",
)
REPLICATION = Place(
    "pages/replication.py",
    "Replication",
    ":material/content_copy:",
    "replication",
    "Which records survive which failure, and which rule decides it. You watch logs, high watermark and leader epoch, "
    "event by event.",
)
CONSUMERS = Place(
    "pages/consumers.py",
    "Consumers",
    ":material/groups:",
    "consumers",
    "Which consumer gets which partition, and what a rebalance pauses. You compare assignors on the same group.",
)
FINGERPRINTS = Place(
    "pages/fingerprints.py",
    "Fingerprints",
    ":material/fingerprint:",
    "fingerprints",
    "Which topics of your cluster are still as Kafka placed them, and which were moved. It works back from the replica "
    "lists to the random draws, so it needs an open layout.",
)
#: In the order in which they teach.
LESSONS = (PLACEMENT, COMPARE, REPLICATION, CONSUMERS, FINGERPRINTS)
#: What stands in the navigation, by task.
_TASKS = {
    "State": (OVERVIEW, BOARD, HEATMAP, LEADERS, RESILIENCE),
    "Change": (PLAN, EXECUTE),
    "Over time": (CONNECT, FLEET, HISTORY, REPORT),
    "Learn": (LEARN,),
}
#: Pages that another page leads to.
_BEHIND = (NEW_TOPIC, *LESSONS)
#: Addresses of before, which links still have.
_BEFORE = {"racks": BOARD, "operate": EXECUTE}


def pages() -> StreamlitPage:
    """The list of pages; returns the one that the address names."""
    listed = {task: [_page(place) for place in places] for task, places in _TASKS.items()}
    hidden = [_page(place, hidden=True) for place in _BEHIND]
    moved = [
        st.Page(_leads_to(place), title=place.title, url_path=before, visibility="hidden")
        for before, place in _BEFORE.items()
    ]
    listed["Learn"] += [*hidden, *moved]
    return st.navigation(listed, expanded=True)


def link(place: Place, label: str, **how: str) -> None:
    """A link to a page, with its sign.

    Args:
        place: the page.
        label: what to do there.
        how: further words of ``st.page_link``, as ``help``.
    """
    st.page_link(place.file, label=label, icon=place.icon, **how)  # type: ignore[arg-type]


def _page(place: Place, *, hidden: bool = False) -> StreamlitPage:
    return st.Page(
        place.file,
        title=place.title,
        icon=place.icon,
        url_path=place.address,
        default=place is OVERVIEW,
        visibility="hidden" if hidden else "visible",
    )


def _leads_to(place: Place) -> Callable[[], None]:
    """A page at an address of before: goes on to where it is now, with all that the link says."""
    return lambda: st.switch_page(place.file, query_params=st.query_params.to_dict())
