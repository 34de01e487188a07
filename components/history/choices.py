"""What one chose on the History page: the cluster, the stretch of time, the moment looked at, the two compared."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from components.look import text
from components.state import caching, fields, slots
from components.state.open_layout import OpenLayout
from components.state.slots import Anew, Slot
from reseat.history.read import History
from reseat.history.stretch import last_moment, moments
from reseat.model.wording import listed, verb

__all__ = [
    "Ends",
    "Stretch",
    "choose",
    "choose_ends",
    "draw_lost",
    "keep_end",
    "own_of",
    "select",
    "selected",
    "wanted_ends",
]

#: The names of the address that belong to the page.
CLUSTER, FROM, TO, MOMENT, TIME = "cluster", "a", "b", "moment", "time"
_WEEK, _MONTH, _ALL, _OWN = "7 days", "30 days", "All", "From – to"
_RANGES = {"24 hours": timedelta(days=1), _WEEK: timedelta(days=7), _MONTH: timedelta(days=30)}
#: What the address says of the stretch of time; days of one's own stand there as 2026-05-01:2026-05-03.
_TIMES = {"24 hours": "1d", _WEEK: "7d", _MONTH: "30d", _ALL: "all"}
_DAYS = re.compile(r"(\d{4}-\d\d-\d\d):(\d{4}-\d\d-\d\d)")
_KEPT_TIME: Slot[str] = Slot("history-time", addressed=True)
_KEPT_ENDS: Slot[tuple[str, Ends]] = Slot("history-ends", addressed=True)
_KEPT_SELECTED: Slot[tuple[str, str]] = Slot("history-selected", addressed=True)
_TURN = Anew("history-turn")
#: Kept of the address that the page was opened with: its cluster, the stretch that holds its moments, which are gone.
_LINKED_CLUSTER: Slot[str] = Slot("history-linked-cluster")
_LINKED_RANGE: Slot[str] = Slot("history-linked-range")
_LINKED_GONE: Slot[tuple[str, tuple[str, ...]]] = Slot("history-linked-gone")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A cluster and a stretch of time; None where that end is open."""

    cluster: str
    since: datetime | None
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Ends:
    """The identities of the two moments that are compared, A before B."""

    a: str
    b: str


def choose(history: History, clusters: Sequence[str], open_layout: OpenLayout | None) -> Stretch:
    """Draw the choice of cluster and time, and say what was chosen.

    Raises:
        InputRefused: the tables cannot be read.
    """
    row = st.container(horizontal=True, vertical_alignment="bottom", key="history-desk")
    wanted = _wanted(clusters, open_layout)
    cluster = row.selectbox(
        "Cluster",
        clusters,
        index=clusters.index(wanted),
        format_func=text.visible,
        key=f"history-cluster-{wanted}",
        width=250,
    )
    if cluster != wanted:
        _keep_cluster(cluster, _past_of(open_layout))
        st.rerun()  # under the widget's own name, so that an older choice of it does not come back
    last = caching.from_tables(history, f"last snapshot {cluster}", lambda: last_moment(history, cluster))
    chosen = row.segmented_control(
        "Time",
        [*_RANGES, _ALL, _OWN],
        default=_linked_range(history, cluster, last),
        required=True,
        key=slots.field("history-range"),
        width="content",
    )
    _KEPT_TIME.set(_TIMES.get(chosen or _ALL, ""))
    if last is None or chosen == _ALL:
        return Stretch(cluster, None, None)
    if chosen == _OWN:
        days = caching.from_tables(history, f"days {cluster}", lambda: history.days(cluster))
        first_day, last_day = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
        linked = _linked_days()
        if linked is None or not first_day <= linked[0] <= linked[1] <= last_day:
            linked = (max(first_day, last_day - timedelta(days=6)), last_day)
        told: Sequence[date] = row.date_input(
            "Days, UTC",
            linked,
            min_value=first_day,
            max_value=last_day,
            key=slots.field(f"history-days-{cluster}-{last_day}"),
            width=300,
        )
        start, end = (told[0], told[-1]) if told else (first_day, last_day)
        _KEPT_TIME.set(f"{start}:{end}")
        return Stretch(cluster, datetime.combine(start, time.min, UTC), datetime.combine(end, time.max, UTC))
    return Stretch(cluster, last - _RANGES[chosen], last)


def _linked_range(history: History, cluster: str, last: datetime | None) -> str:
    """The stretch that comes up first: the address's, or a week, or as long a one as holds the moments named there."""
    told = st.query_params.get(TIME, "")
    fields.offered(TIME, (*_TIMES.values(), *([] if _linked_days() is None else [told])))
    named_time = _OWN if _DAYS.fullmatch(told) else next((name for name, said in _TIMES.items() if said == told), "")
    linked = wanted_ends()
    ends_and_moment = (("A", linked.a), ("B", linked.b), (MOMENT, selected(cluster)))
    named = {name: identity for name, identity in ends_and_moment if identity}
    kept = _LINKED_RANGE.get("")
    if kept or last is None:
        return named_time or kept or _WEEK
    shown = _WEEK
    if named:
        question = f"snapshots {cluster} {sorted(named.values())}"
        found = caching.from_tables(history, question, lambda: moments(history, cluster, named.values()))
        gone = tuple(name for name, one in named.items() if one not in found)
        _LINKED_GONE.set((cluster, gone))
        back = max((last - moment for moment in found.values()), default=timedelta(0))
        shown = next((name for name in (_WEEK, _MONTH) if back <= _RANGES[name]), _ALL)
    _LINKED_RANGE.set(shown)
    return named_time or shown


def _linked_days() -> tuple[date, date] | None:
    """The days that the address names, or None."""
    found = _DAYS.fullmatch(st.query_params.get(TIME, ""))
    try:
        return None if found is None else (date.fromisoformat(found[1]), date.fromisoformat(found[2]))
    except ValueError:
        return None  # such as a 31st of February


def draw_lost(cluster: str) -> None:
    """Say what the address names and the history does not have, until one has chosen something else."""
    gone = _LINKED_CLUSTER.get("")
    linked: tuple[str, tuple[str, ...]] = _LINKED_GONE.get(("", ()))
    of, names = linked
    ends = _KEPT_ENDS.get(("", Ends("", "")))[1]
    # Empty as long as a handle stands at its end, and nothing was clicked.
    chosen = {"A": ends.a, "B": ends.b, MOMENT: _KEPT_SELECTED.get(("", ""))[1]}
    names = tuple(name for name in names if not chosen[name])
    if gone and _cluster_kept()[0] == "":
        said = f"The link's cluster {text.plain(gone, 60)} is not in the history. Showing another one."
    elif of == cluster and names:
        words = listed(["selected snapshot" if name == MOMENT else f"snapshot {name}" for name in names])
        said = (
            f"The link's {words} {verb(len(names), 'is', 'are')} no longer in the history, maybe removed by retention. "
            f"Showing {verb(len(names), 'another', 'others')} of the period instead."
        )
    else:
        return
    st.markdown(f":orange[:material/link_off:] {said}")


def _wanted(clusters: Sequence[str], open_layout: OpenLayout | None) -> str:
    """The cluster chosen before, else that of the address, of the moment looked at, or of the live cluster.

    Who looked at another moment since chose its cluster with it.
    """
    chosen, past = _cluster_kept()
    travelled = "" if open_layout is None or open_layout.past is None else open_layout.past.cluster
    linked = st.query_params.get(CLUSTER, "")
    if linked and linked not in clusters:
        _LINKED_CLUSTER.set(linked)
    offered = (
        travelled if chosen and past != _past_of(open_layout) else "",
        chosen,
        linked,
        travelled,
        "" if open_layout is None or open_layout.connection_name is None else open_layout.connection_name,
    )
    return next((name for name in offered if name in clusters), clusters[0])


def _past_of(open_layout: OpenLayout | None) -> str:
    return "" if open_layout is None or open_layout.past is None else open_layout.past.link


def wanted_ends() -> Ends:
    """The two moments chosen before, else those of the address; they may be of another cluster, or gone."""
    kept = _KEPT_ENDS.get(("", Ends("", "")))
    return Ends(st.query_params.get(FROM, ""), st.query_params.get(TO, "")) if kept[0] == "" else kept[1]


def choose_ends(cluster: str, identities: Sequence[str], words: dict[str, str], *, stretch: str) -> Ends:
    """Draw the two handles under the figure, and say which two moments they stand at.

    Args:
        cluster: the cluster.
        identities: the moments, oldest first; at least two.
        words: how each is called.
        stretch: names the stretch of time, so that another one begins with its own ends.
    """
    wanted = wanted_ends()
    a = wanted.a if wanted.a in words else identities[0]
    b = wanted.b if wanted.b in words else identities[-1]
    first, last = st.select_slider(
        "Compare snapshots A and B, UTC",
        identities,
        (a, b),
        # Short, so that both names have room above their handles on a small screen.
        format_func=lambda identity: str(words.get(identity, identity)).replace(" UTC", ""),
        key=_TURN.key(f"history-ends-{cluster}-{stretch}"),
        help="Drag the handles, use the arrow keys, or click the figure and choose below it",
    )
    # A handle that stands at its end stays there when the stretch grows, or the next snapshot comes.
    _KEPT_ENDS.set((cluster, Ends("" if first == identities[0] else first, "" if last == identities[-1] else last)))
    return Ends(first, last)


def keep_end(cluster: str, ends: Ends, order: dict[str, int]) -> None:
    """Compare other moments from the next rerun on; the two are put in order."""
    a, b = sorted((ends.a, ends.b), key=lambda identity: order.get(identity, 0))
    _KEPT_ENDS.set((cluster, Ends(a, b)))
    _TURN.begin()


def select(cluster: str, chosen: str) -> None:
    """Look at this moment from now on."""
    _KEPT_SELECTED.set((cluster, chosen))


def selected(cluster: str) -> str:
    """The identity of the moment looked at, or "" for none; at first the address's, if it is about the same cluster."""
    linked = (st.query_params.get(CLUSTER, ""), st.query_params.get(MOMENT, ""))
    kept = _KEPT_SELECTED.get(linked)
    return kept[1] if kept[0] == cluster else ""


def own_of(cluster: str, ends: Ends | None, moments: Collection[str]) -> dict[str, str]:
    """The page's part of the address; the moment stands there as soon as one of those shown was chosen."""
    moment = selected(cluster)
    moment = moment if moment in moments else ""
    stretch = _KEPT_TIME.get("")
    return (
        {CLUSTER: cluster}
        | ({TIME: stretch} if stretch else {})
        | ({} if ends is None else {FROM: ends.a, TO: ends.b})
        | ({MOMENT: moment} if moment else {})
    )


_KEPT: Slot[tuple[str, str]] = Slot("history-cluster", addressed=True)


def _keep_cluster(cluster: str, past: str) -> None:
    """Show this cluster from now on, until one looks at another moment of the past than this (``Past.link``)."""
    _KEPT.set((cluster, past))


def _cluster_kept() -> tuple[str, str]:
    """The cluster and the link of the past that was looked at when it was chosen; both empty where none was."""
    chosen, past = _KEPT.get(("", ""))
    return chosen, past
