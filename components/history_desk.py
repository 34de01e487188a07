"""What one chose on the History page: the cluster, the stretch of time, the moment looked at, the two compared."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from components import caching, session, text
from components.history_read import last_moment, moments
from components.session import Seat
from reseat.history.read import History

__all__ = [
    "Ends",
    "Stretch",
    "choose",
    "choose_ends",
    "draw_lost",
    "keep_cluster",
    "keep_end",
    "own_of",
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
_KEPT_TIME = "history-time"
_KEPT_CLUSTER, _KEPT_ENDS, _KEPT_SELECTED, _TURN = "history-cluster", "history-ends", "history-selected", "history-turn"
#: Kept of the address that the page was opened with: its cluster, the stretch that holds its moments, which are gone.
_LINKED_CLUSTER, _LINKED_RANGE, _LINKED_GONE = "history-linked-cluster", "history-linked-range", "history-linked-gone"


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


def choose(history: History, clusters: Sequence[str], seat: Seat | None) -> Stretch:
    """Draw the choice of cluster and time, and say what was chosen.

    Raises:
        InputRefused: the tables cannot be read.
    """
    row = st.container(horizontal=True, vertical_alignment="bottom", key="history-desk")
    wanted = _wanted(clusters, seat)
    cluster = row.selectbox(
        "Cluster",
        clusters,
        index=clusters.index(wanted),
        format_func=text.visible,
        key=f"history-cluster-{wanted}",
        width=250,
    )
    if cluster != wanted:
        keep_cluster(cluster, _past_of(seat))
        st.rerun()  # under the widget's own name, so that an older choice of it does not come back
    last = caching.asked(history, f"last snapshot {cluster}", lambda: last_moment(history, cluster))
    chosen = row.segmented_control(
        "Time",
        [*_RANGES, _ALL, _OWN],
        default=_linked_range(history, cluster, last),
        required=True,
        key=session.field("history-range"),
        width="content",
    )
    session.keep(_KEPT_TIME, _TIMES.get(chosen or _ALL, ""), addressed=True)
    if last is None or chosen == _ALL:
        return Stretch(cluster, None, None)
    if chosen == _OWN:
        days = caching.asked(history, f"days {cluster}", lambda: history.days(cluster))
        first_day, last_day = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
        linked = _linked_days()
        if linked is None or not first_day <= linked[0] <= linked[1] <= last_day:
            linked = (max(first_day, last_day - timedelta(days=6)), last_day)
        told = row.date_input(
            "Days, UTC",
            linked,
            min_value=first_day,
            max_value=last_day,
            key=session.field(f"history-days-{cluster}-{last_day}"),
            width=300,
        )
        told = told if isinstance(told, tuple) else (told,)
        start, end = (told[0], told[-1]) if told else (first_day, last_day)
        session.keep(_KEPT_TIME, f"{start}:{end}", addressed=True)
        return Stretch(cluster, datetime.combine(start, time.min, UTC), datetime.combine(end, time.max, UTC))
    return Stretch(cluster, last - _RANGES[chosen], last)


def keep_cluster(cluster: str, past: str) -> None:
    """Show this cluster from now on, until one looks at another moment of the past than this (``Past.link``)."""
    session.keep(_KEPT_CLUSTER, (cluster, past), addressed=True)


def _linked_range(history: History, cluster: str, last: datetime | None) -> str:
    """The stretch that comes up first: the address's, or a week, or as long a one as holds the moments named there."""
    told = st.query_params.get(TIME, "")
    named_time = _OWN if _DAYS.fullmatch(told) else next((name for name, said in _TIMES.items() if said == told), "")
    linked = wanted_ends()
    ends_and_moment = (("A", linked.a), ("B", linked.b), (MOMENT, selected(cluster)))
    named = {name: identity for name, identity in ends_and_moment if identity}
    kept = session.kept(_LINKED_RANGE, "")
    if kept or last is None:
        return named_time or kept or _WEEK
    shown = _WEEK
    if named:
        question = f"snapshots {cluster} {sorted(named.values())}"
        found = caching.asked(history, question, lambda: moments(history, cluster, named.values()))
        gone = tuple(name for name, one in named.items() if one not in found and name != MOMENT)
        session.keep(_LINKED_GONE, (cluster, gone))
        back = max((last - moment for moment in found.values()), default=timedelta(0))
        shown = next((name for name in (_WEEK, _MONTH) if back <= _RANGES[name]), _ALL)
    session.keep(_LINKED_RANGE, shown)
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
    gone = session.kept(_LINKED_CLUSTER, "")
    of, names = session.kept(_LINKED_GONE, ("", ()))
    ends = session.kept(_KEPT_ENDS, ("", Ends("", "")))[1]
    # Empty as long as a handle stands at its end.
    names = tuple(name for name, moved in (("A", ends.a), ("B", ends.b)) if name in names and not moved)
    if gone and session.kept(_KEPT_CLUSTER, ("", ""))[0] == "":
        said = f"The link's cluster {text.plain(gone, 60)} is not in the history. Showing another one."
    elif of == cluster and names:
        one = len(names) == 1
        said = (
            f"The link's {'snapshot' if one else 'snapshots'} {' and '.join(names)} {'is' if one else 'are'} no longer "
            f"in the history, maybe removed by retention. Showing the {'end' if one else 'ends'} of the period instead."
        )
    else:
        return
    st.markdown(f":orange[:material/link_off:] {said}")


def _wanted(clusters: Sequence[str], seat: Seat | None) -> str:
    """The cluster chosen before, else that of the address, of the moment looked at, or of the live cluster.

    Who looked at another moment since chose its cluster with it.
    """
    chosen, past = session.kept(_KEPT_CLUSTER, ("", ""))
    travelled = "" if seat is None or seat.past is None else seat.past.cluster
    linked = st.query_params.get(CLUSTER, "")
    if linked and linked not in clusters:
        session.keep(_LINKED_CLUSTER, linked)
    offered = (
        travelled if chosen and past != _past_of(seat) else "",
        chosen,
        linked,
        travelled,
        "" if seat is None or seat.connection_name is None else seat.connection_name,
    )
    return next((name for name in offered if name in clusters), clusters[0])


def _past_of(seat: Seat | None) -> str:
    return "" if seat is None or seat.past is None else seat.past.link


def wanted_ends() -> Ends:
    """The two moments chosen before, else those of the address; they may be of another cluster, or gone."""
    kept = session.kept(_KEPT_ENDS, ("", Ends("", "")))
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
    turn = session.kept(_TURN, 0)
    first, last = st.select_slider(
        "Compare snapshots A and B",
        identities,
        (a, b),
        format_func=lambda identity: words.get(identity, identity),
        key=session.field(f"history-ends-{cluster}-{stretch}-{turn}"),
        help="Drag the handles, use the arrow keys, or click the figure and choose below it",
    )
    # A handle that stands at its end stays there when the stretch grows, or the next snapshot comes.
    session.keep(
        _KEPT_ENDS,
        (cluster, Ends("" if first == identities[0] else first, "" if last == identities[-1] else last)),
        addressed=True,
    )
    return Ends(first, last)


def keep_end(cluster: str, ends: Ends, order: dict[str, int]) -> None:
    """Compare other moments from the next rerun on; the two are put in order."""
    a, b = sorted((ends.a, ends.b), key=lambda identity: order.get(identity, 0))
    session.keep(_KEPT_ENDS, (cluster, Ends(a, b)), addressed=True)
    session.keep(_TURN, session.kept(_TURN, 0) + 1)


def selected(cluster: str, chosen: str | None = None) -> str:
    """The identity of the moment looked at, or "" for none; with ``chosen``, look at that from now on.

    At first it is the address's, if that is about the same cluster.
    """
    if chosen is not None:
        session.keep(_KEPT_SELECTED, (cluster, chosen), addressed=True)
    linked = (st.query_params.get(CLUSTER, ""), st.query_params.get(MOMENT, ""))
    kept = session.kept(_KEPT_SELECTED, linked)
    return kept[1] if kept[0] == cluster else ""


def own_of(cluster: str, ends: Ends | None, moments: Collection[str]) -> dict[str, str]:
    """The page's part of the address; the moment stands there as soon as one of those shown was chosen."""
    moment = selected(cluster)
    moment = moment if moment in moments else ""
    stretch = session.kept(_KEPT_TIME, "")
    return (
        {CLUSTER: cluster}
        | ({TIME: stretch} if stretch else {})
        | ({} if ends is None else {FROM: ends.a, TO: ends.b})
        | ({MOMENT: moment} if moment else {})
    )
