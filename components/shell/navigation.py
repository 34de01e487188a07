"""The pages by task: where each stands in the navigation, what it is called, and which old addresses lead to it.

Every link says all that is open in its address: what is opened in a new tab is what one looks at, not an empty page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import streamlit as st

from components.canvas.paper import paper
from components.canvas.save_figures import save_figures
from components.look import on_paper
from components.shell import wall
from components.shell.page_links import page_links
from components.state import addresses, fields, session

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

__all__ = [
    "BOARD",
    "CLUSTERS",
    "EXECUTE",
    "HEATMAP",
    "HISTORY",
    "LESSONS",
    "MIGRATE",
    "NEW_TOPIC",
    "OVERVIEW",
    "PLACEMENT",
    "PLAN",
    "RESILIENCE",
    "ClustersView",
    "Place",
    "draw",
    "draw_views",
    "go",
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


#: The pages.
OVERVIEW = Place("pages/overview.py", "Overview", ":material/monitoring:", "overview")
BOARD = Place("pages/racks.py", "Board", ":material/dns:", "board")
HEATMAP = Place("pages/heatmap.py", "Heatmap", ":material/grid_on:", "heatmap")
LEADERS = Place("pages/leaders.py", "Leaders", ":material/star:", "leaders")
RESILIENCE = Place("pages/resilience.py", "Resilience", ":material/health_and_safety:", "resilience")
PLAN = Place("pages/plan.py", "Plan", ":material/swap_horiz:", "plan")
EXECUTE = Place("pages/operate.py", "Execute", ":material/play_circle:", "execute")
NEW_TOPIC = Place("pages/new_topic.py", "New topic", ":material/add_box:", "new_topic")
MIGRATE = Place("pages/migrate.py", "Migrate", ":material/drive_file_move:", "migrate")
CLUSTERS = Place("pages/clusters.py", "Clusters", ":material/lan:", "clusters")
HISTORY = Place("pages/history.py", "History", ":material/history:", "history")
REPORT = Place("pages/report.py", "Report", ":material/description:", "report")
LEARN = Place("pages/learn.py", "Learn", ":material/school:", "learn")
#: The pages that teach.
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
    "What a random start and a shift achieve. The same topics are placed in five ways, on one scale.",
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
    "Which topics still match Kafka's initial assignment, and which were moved. Reseat works back from the replica "
    "lists to the random draws, so it needs an open layout.",
)
#: In the order in which they teach.
LESSONS = (PLACEMENT, COMPARE, REPLICATION, CONSUMERS, FINGERPRINTS)
#: What stands in the navigation, by task.
_TASKS = {
    "State": (OVERVIEW, BOARD, HEATMAP, LEADERS, RESILIENCE),
    "Change": (PLAN, EXECUTE),
    "Over time": (CLUSTERS, HISTORY, REPORT),
    "Learn": (LEARN,),
}
#: Pages that another page leads to, and that page.
_BEHIND = {NEW_TOPIC: PLAN, MIGRATE: PLAN, **dict.fromkeys(LESSONS, LEARN)}


class ClustersView(Enum):
    """What *Clusters* shows of them; its address says which, so each is a link like any other.

    Attributes:
        title: what it is called.
        icon: its sign.
        query: what its address says beside the page's; the first needs nothing.
    """

    OPEN = "Open", ":material/folder_open:"
    LIVE = "Live", ":material/cable:"
    FLEET = "Fleet", ":material/table_rows:"

    def __init__(self, title: str, icon: str) -> None:
        self.title = title
        self.icon = icon

    @property
    def query(self) -> dict[str, str]:
        """As a query of the address."""
        return {} if self is ClustersView.OPEN else {"view": self.name.lower()}


#: Addresses of before, which links still have, and what they say beside their page.
_BEFORE: dict[str, tuple[Place, dict[str, str]]] = {
    "racks": (BOARD, {}),
    "operate": (EXECUTE, {}),
    "connect": (CLUSTERS, ClustersView.LIVE.query),
    "fleet": (CLUSTERS, ClustersView.FLEET.query),
}


def pages() -> StreamlitPage:
    """All pages; returns the one that the address names. Their list is drawn by ``draw``."""
    listed = [_page(place) for places in _TASKS.values() for place in places]
    # Streamlit's default page has no name in its links, which then lead to where one is; so it is one more Overview,
    # after the one that links by file find.
    start = st.Page(OVERVIEW.file, title=OVERVIEW.title, url_path="start", default=True)
    moved = [
        st.Page(_leads_to(place, says), title=place.title, url_path=before) for before, (place, says) in _BEFORE.items()
    ]
    return st.navigation([*listed, *map(_page, _BEHIND), *moved, start], position="hidden")


def draw(title: str) -> None:
    """The list of pages, in the sidebar.

    Args:
        title: of the open page, which is marked; of a page behind another one, that one is.
    """
    behind, carried = {place.title: front.title for place, front in _BEHIND.items()}, addresses.carried()
    with st.sidebar, st.container(key="navigation", gap=None):
        for task, places in _TASKS.items():
            st.markdown(f"**{task}**")
            for place in places:
                opened = place.title == behind.get(title, title)
                with st.container(key=f"page-{place.address}{'-here' if opened else ''}"):
                    query = carried | addresses.own(place.title)
                    st.page_link(place.file, icon=place.icon, label=place.title, width="stretch", query_params=query)
        page_links()
        save_figures()
        paper(*on_paper.colours())


def draw_views() -> ClustersView:
    """The views of *Clusters* as links beside each other; returns the one that the address names, else the first."""
    named = fields.offered("view", [view.query["view"] for view in ClustersView if view.query])
    shown = next((view for view in ClustersView if view.query.get("view") == named), ClustersView.OPEN)
    with st.container(horizontal=True, key="views", gap="small"):
        for view in ClustersView:
            with st.container(key=f"view-{view.name.lower()}{'-here' if view is shown else ''}", width="content"):
                query = addresses.carried() | view.query
                st.page_link(CLUSTERS.file, icon=view.icon, label=view.title, query_params=query)
        if session.open_layout() is None:
            wall.offer()  # else the menu of the layout has it
    return shown


def link(
    place: Place,
    label: str,
    *,
    also: Mapping[str, str] | None = None,
    opens: Mapping[str, str] | None = None,
    **how: str,
) -> None:
    """A link to a page, with its sign; it opens the same layout and what-if, in a new tab too.

    Args:
        place: the page.
        label: what to do there.
        also: what its address says beside that; None: what it said last, so that the page is as it was left.
        opens: what is opened there instead of what one looks at, of ``addresses``: the page begins anew then.
        how: further words of ``st.page_link``, as ``help``.
    """
    query = _query(place, also, opens)
    if opens is not None:
        addresses.offer(query)
    st.page_link(place.file, label=label, icon=place.icon, query_params=query, **how)  # type: ignore[arg-type]


def go(place: Place, also: Mapping[str, str] | None = None) -> NoReturn:
    """Go on to a page, with what is open; ``also`` is what its address says beside that, as of ``link``."""
    st.switch_page(place.file, query_params=_query(place, also))


def _query(place: Place, also: Mapping[str, str] | None, opens: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the address of a page says: what is opened there, and the page's own choices."""
    own = addresses.own(place.title) if also is None and opens is None else dict(also or {})
    return (addresses.carried() if opens is None else dict(opens)) | own


def _page(place: Place) -> StreamlitPage:
    return st.Page(place.file, title=place.title, icon=place.icon, url_path=place.address)


def _leads_to(place: Place, says: Mapping[str, str]) -> Callable[[], None]:
    """A page at an address of before: goes on to where it is now, with all that the link says."""
    return lambda: st.switch_page(place.file, query_params=st.query_params.to_dict() | dict(says))
