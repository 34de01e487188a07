"""Whose losses the Resilience page shows: of the layout that is open, now or after its plan, or of a swept snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import streamlit as st

from components import caching, frame, navigation, session, text
from components.pipeline_bar import draw_bar
from components.pipeline_places import Places
from components.resilience_detail import loss_of_row
from components.resilience_losses import Losses, from_tables
from components.resilience_view import Chosen
from components.session import Seat
from components.what_if import shown
from reseat.election import Mode
from reseat.errors import InputRefused
from reseat.history.read import History
from reseat.model import ClusterLayout, Snapshot, Wish
from reseat.model.columns import row_any
from reseat.resilience import Loss
from reseat.resilience.standing import standing
from reseat.resilience.words import MEASURES

__all__ = ["Subject", "choose", "joined", "mode_of", "offline_rows", "swept_losses"]

OPEN, PAST = "The layout that is open", "From the history"
#: Layouts up to here are counted as soon as the page is opened: 2.5 s on one core. Larger ones ask first.
_MOST_PARTITIONS, _MOST_BROKERS = 400_000, 1_000
#: Seconds that a million partitions take, as measured, for the question.
_SECONDS_A_MILLION = 11


@dataclass(frozen=True, eq=False)
class Subject:
    """What is drawn, and what can be asked of it.

    Attributes:
        key: names it: another layout's clicks do not count here.
        losses: what each loss does.
        find: all that is known of one loss; a pair is counted then.
        open: opens the what-if with these brokers out.
        offline: gives a layout and its rows that are offline without some brokers; None where only the rows of a
            sweep were read.
    """

    key: str
    losses: Losses
    find: Callable[[Chosen], Loss | None]
    open: Callable[[tuple[int, ...]], None]
    offline: Callable[[tuple[int, ...]], tuple[ClusterLayout, npt.NDArray[np.int64]]] | None = None


def choose(seat: Seat | None, places: Places, history: History | None) -> Subject | None:
    """Draw the choice and return what was chosen; None where there is nothing to draw, and why was said.

    Args:
        seat: the layout that is open, if one is.
        places: where the pipeline's tables are, for the button that fills them.
        history: the tables; None where nothing was taken in yet.
    """
    offered = [*([] if seat is None else [OPEN]), *([] if history is None else [PAST])]
    with st.container(horizontal=True, vertical_alignment="center", key="resilience-source"):
        chosen = offered[0]
        if len(offered) > 1:
            chosen = st.segmented_control(
                "Whose",
                offered,
                default=offered[0],
                required=True,
                key=f"resilience-whose-{'-'.join(offered)}",
                label_visibility="collapsed",
                persist_state="session",
            )
        if chosen == PAST and history is not None:
            return _past(history, places, seat)
    if seat is None:
        return None
    return _open(seat)


def mode_of(seat: Seat) -> Mode:
    """Which controller decides: as a live cluster tells it, else as far as the layout shows."""
    if seat.snapshot is not None and seat.snapshot.metadata == "kraft":
        return "kraft"
    if seat.snapshot is not None and seat.snapshot.metadata == "zookeeper":
        return "zookeeper"
    return "zookeeper" if seat.layout.eligible is None else "kraft"


def joined(wish: Wish, lost: tuple[int, ...]) -> Wish:
    """A what-if with these brokers out too; one that was to join does not join."""
    added = {broker for broker, _ in wish.add}
    return replace(
        wish.at(None),
        remove=tuple(sorted({*wish.remove, *lost} - added)),
        add=tuple(pair for pair in wish.add if pair[0] not in lost),
    )


def _open(seat: Seat) -> Subject | None:
    now = shown(seat)

    def open_too(lost: tuple[int, ...]) -> None:
        session.set_wish(joined(seat.wish, lost) if now.after else Wish(remove=lost))
        navigation.go(navigation.BOARD)

    return _of_layout(now.layout, mode_of(seat), open_too)


def _of_layout(layout: ClusterLayout, mode: Mode, open_what_if: Callable[[tuple[int, ...]], None]) -> Subject | None:
    large = layout.partition_count > _MOST_PARTITIONS or len(layout.brokers) > _MOST_BROKERS
    agreed = f"resilience-agreed-{layout.digest}-{mode}"
    if large and not session.kept(agreed, False):
        seconds = _SECONDS_A_MILLION * layout.partition_count / 1e6
        frame.answer(
            f"{text.plural(layout.partition_count, 'partition')} on {text.plural(len(layout.brokers), 'broker')}: "
            f"trying every loss takes about {text.duration(max(seconds, 2))}."
        )
        st.button("Try every loss", key="resilience-agree", type="primary", on_click=session.keep, args=(agreed, True))
        return None
    words = f"Trying the loss of each of {text.plural(len(layout.brokers), 'broker')}, each rack and each pair …"
    with st.spinner(words, show_time=True):
        losses = caching.losses_of(layout, mode)

    def find(chosen: Chosen) -> Loss | None:
        return loss_of_row(losses, chosen) or caching.loss_of(layout, chosen.lost, mode)

    def offline(lost: tuple[int, ...]) -> tuple[ClusterLayout, npt.NDArray[np.int64]]:
        return layout, offline_rows(layout, lost, mode)

    return Subject(f"{layout.digest}-{mode}", losses, find, open_what_if, offline)


def offline_rows(layout: ClusterLayout, lost: tuple[int, ...], mode: Mode) -> npt.NDArray[np.int64]:
    """Rows of the partitions that nobody can lead once these brokers are lost."""
    able = standing(layout, mode).able
    gone = np.append(np.isin(layout.broker_ids, lost), False)  # the last place is for -1, the padding
    return np.flatnonzero(~row_any(able & ~gone[layout.replicas]))


def _past(history: History, places: Places, seat: Seat | None) -> Subject | None:
    try:
        cluster, moment = _which(history, seat)
        if cluster is None or moment is None:
            if cluster is not None:
                frame.answer(f"No snapshot of {cluster} was swept yet: run the pipeline, and it tries every loss.")
            draw_bar(places)
            return None
        with st.spinner("Reading what the sweep found …", show_time=True):
            losses = caching.asked(
                history, f"losses {cluster} {moment}", lambda: swept_losses(history, cluster, moment)
            )
    except InputRefused as refusal:
        frame.refused(refusal)
        return None

    def snapshot() -> Snapshot:
        with st.spinner("Reading the snapshot …", show_time=True):
            return caching.past_snapshot(history, places.landing, cluster, moment)

    def find(chosen: Chosen) -> Loss | None:
        row = loss_of_row(losses, chosen)
        if row is not None:
            return row
        try:
            taken = snapshot()
        except InputRefused:
            return None  # the detail says that more is not known
        return caching.loss_of(taken.layout, chosen.lost, "kraft" if taken.metadata == "kraft" else "zookeeper")

    def open_then(lost: tuple[int, ...]) -> None:
        try:
            session.open_past(snapshot(), moment, Wish(remove=lost))
        except InputRefused as refusal:
            frame.refused(refusal)
            return
        navigation.go(navigation.BOARD)

    return Subject(f"{cluster}-{moment}", losses, find, open_then)


def swept_losses(history: History, cluster: str, snapshot_id: str) -> Losses:
    """What the sweep found for one snapshot.

    Raises:
        InputRefused: the tables cannot be read.
    """
    import pyarrow as pa
    from pyarrow import compute as pc

    rows = history.table("snapshots", cluster, snapshot_id=snapshot_id).to_pylist()
    scattered = history.table("copysets", cluster, snapshot_id=snapshot_id)
    found = pa.concat_tables(
        [
            history.table("resilience", cluster, snapshot_id=snapshot_id, filter=pc.field("kind") != "pair"),
            # Who takes over after a pair is counted when one is clicked: of all pairs it is millions of entries.
            history.resilience(cluster, snapshot_id, "pair", columns=["kind", "lost", *MEASURES]),
        ],
        promote_options="default",
    )
    return from_tables(found, scattered, rows[0] if rows else {})


def _which(history: History, seat: Seat | None) -> tuple[str | None, str | None]:
    """The cluster and the snapshot chosen; None where there is none to choose."""
    clusters = caching.asked(history, "clusters", history.clusters)
    if not clusters:
        return None, None
    cluster = st.selectbox(
        "Cluster",
        clusters,
        index=_own(clusters, seat),
        key="resilience-cluster",
        label_visibility="collapsed",
        format_func=lambda name: text.visible(name, 60),
        width=240,
        persist_state="session",
    )
    swept = caching.asked(history, f"swept {cluster}", lambda: history.swept(cluster))
    if swept.empty:
        return cluster, None
    times = dict(zip(swept["snapshot_id"], swept["taken_at"], strict=True))
    newest_first = list(reversed(times))
    moment = st.selectbox(
        "Snapshot",
        newest_first,
        key=f"resilience-snapshot-{cluster}-{len(times)}",
        label_visibility="collapsed",
        format_func=lambda one: f"{times[one]:%Y-%m-%d %H:%M} UTC" + (", the latest" if one == newest_first[0] else ""),
        width=300,
        persist_state="session",
    )
    if seat is not None:
        st.markdown(":material/history: **the past**, as it was swept", width="content")
    return cluster, moment


def _own(clusters: Sequence[str], seat: Seat | None) -> int:
    """Which cluster comes up first: the one that is open, where the history has it."""
    names = () if seat is None else (seat.connection_name, seat.snapshot.cluster if seat.snapshot is not None else None)
    return next((clusters.index(name) for name in names if name in clusters), 0)
