"""Whose losses the Resilience page shows: of the layout that is open, now or after its plan, or of a swept snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from components.look import text
from components.over_time.pipeline_bar import draw_bar
from components.resilience.detail import loss_of_row
from components.resilience.view import Chosen
from components.shell import frame
from components.state import addresses, caching, fields
from components.state.open_layout import OpenLayout
from components.state.past import Past
from components.state.slots import Slot
from components.what_if.what_if import shown
from reseat.balance.quorum import quorum_without
from reseat.election import Mode, mode_of
from reseat.errors import InputRefused
from reseat.history.places import Places
from reseat.history.read import History
from reseat.model import ClusterLayout, Longs, Snapshot, Wish
from reseat.model.arrays import on_brokers, row_any
from reseat.resilience import Loss, loss
from reseat.resilience.failover_order import failover_order
from reseat.resilience.losses import Losses, from_layout, from_tables
from reseat.resilience.words import MEASURES

__all__ = ["Subject", "choose", "joined", "offline_rows", "swept_losses"]

_OPEN, _PAST = "The open layout", "From the history"
#: Layouts up to here are counted as soon as the page is opened: 2.5 s on one core. Larger ones ask first.
MOST_PARTITIONS, _MOST_BROKERS = 400_000, 1_000
#: Seconds that a million partitions take, as measured, for the question.
_SECONDS_A_MILLION = 11


@dataclass(frozen=True, eq=False)
class Subject:
    """What is drawn, and what can be asked of it.

    Attributes:
        key: names it: another layout's clicks do not count here.
        losses: what each loss does.
        find: all that is known of one loss; a pair is counted then.
        opens: what a link says that opens the what-if with these brokers out.
        offline: gives a layout and its rows that are offline without some brokers; None where only the rows of a
            sweep were read.
        quorum: whether the controllers of KRaft go on without what is lost, and how many are left, in a sentence; None
            where the loss is none of theirs.
    """

    key: str
    losses: Losses
    find: Callable[[Chosen], Loss | None]
    opens: Callable[[tuple[int, ...]], Mapping[str, str]]
    offline: Callable[[tuple[int, ...]], tuple[ClusterLayout, Longs]] | None = None
    quorum: Callable[[Chosen], tuple[bool, str] | None] = lambda _: None


def choose(open_layout: OpenLayout | None, places: Places, history: History | None) -> Subject | None:
    """Draw the choice and return what was chosen; None where there is nothing to draw, and why was said.

    Args:
        open_layout: the layout that is open, if one is.
        places: where the pipeline's tables are, for the button that fills them.
        history: the tables; None where nothing was taken in yet.
    """
    offered = [*([] if open_layout is None else [_OPEN]), *([] if history is None else [_PAST])]
    with st.container(horizontal=True, vertical_alignment="center", key="resilience-source"):
        chosen = offered[0]
        if len(offered) > 1:
            chosen = fields.segments(
                "Source",
                offered,
                name="whose",
                key=f"resilience-whose-{'-'.join(offered)}",
                says={_OPEN: "open", _PAST: "history"},
                label_visibility="collapsed",
            )
        if chosen == _PAST and history is not None:
            return _past(history, places, open_layout)
    if open_layout is None:
        return None
    return _open(open_layout)


def joined(wish: Wish, lost: tuple[int, ...]) -> Wish:
    """A what-if with these brokers out too; one that was to join does not join."""
    added = {broker for broker, _ in wish.add}
    return replace(
        wish.of_brokers().at(None),
        remove=tuple(sorted({*wish.remove, *lost} - added)),
        add=tuple(pair for pair in wish.add if pair[0] not in lost),
    )


def _open(open_layout: OpenLayout) -> Subject | None:
    now = shown(open_layout)

    def opens(lost: tuple[int, ...]) -> Mapping[str, str]:
        return addresses.what_if(open_layout, joined(open_layout.wish, lost) if now.after else Wish(remove=lost))

    subject = _of_layout(now.layout, open_layout.mode, opens)
    told = open_layout.reading.quorum
    if subject is None or told is None:
        return subject

    def quorum(chosen: Chosen) -> tuple[bool, str] | None:
        return quorum_without(told, now.layout.brokers, chosen.lost, rack_too=chosen.kind == "rack")

    return replace(subject, quorum=quorum)


def _of_layout(
    layout: ClusterLayout, mode: Mode, opens: Callable[[tuple[int, ...]], Mapping[str, str]]
) -> Subject | None:
    large = layout.partition_count > MOST_PARTITIONS or len(layout.brokers) > _MOST_BROKERS
    agreed: Slot[bool] = Slot(f"resilience-agreed-{layout.digest}-{mode}")
    if large and not agreed.get(False):
        seconds = _SECONDS_A_MILLION * layout.partition_count / 1e6
        frame.answer(
            f"{text.counted(layout.partition_count, 'partition')} on {text.counted(len(layout.brokers), 'broker')}: "
            f"analysing every failure takes about {text.duration(max(seconds, 2))}."
        )
        st.button("Analyse every failure", key="resilience-agree", type="primary", on_click=agreed.set, args=(True,))
        return None
    words = f"Analysing the failure of each of {text.counted(len(layout.brokers), 'broker')}, each rack and each pair …"
    with st.spinner(words, show_time=True):
        losses = caching.kept(from_layout, 4)(layout, mode)

    def find(chosen: Chosen) -> Loss | None:
        return loss_of_row(losses, chosen) or caching.kept(loss)(layout, chosen.lost, mode=mode)

    def offline(lost: tuple[int, ...]) -> tuple[ClusterLayout, Longs]:
        return layout, offline_rows(layout, lost, mode)

    return Subject(f"{layout.digest}-{mode}", losses, find, opens, offline)


def offline_rows(layout: ClusterLayout, lost: tuple[int, ...], mode: Mode) -> Longs:
    """Rows of the partitions that nobody can lead once these brokers are lost."""
    able = failover_order(layout, mode).able
    gone = on_brokers(layout.replicas, layout.is_broker(lost))
    return np.flatnonzero(~row_any(able & ~gone))


def _past(history: History, places: Places, open_layout: OpenLayout | None) -> Subject | None:
    try:
        cluster, moment = _which(history, open_layout)
        if cluster is None or moment is None:
            if cluster is not None:
                frame.answer(f"No snapshot of {cluster} is analysed yet: run the pipeline to analyse every failure.")
            draw_bar(places)
            return None
        with st.spinner("Reading the analysis …", show_time=True):
            losses = caching.from_tables(
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
        mode = mode_of(taken.layout, taken.metadata, taken.version)
        return caching.kept(loss)(taken.layout, chosen.lost, mode=mode)

    def opens(lost: tuple[int, ...]) -> Mapping[str, str]:
        return addresses.moment(Past(cluster, moment), Wish(remove=lost))

    return Subject(f"{cluster}-{moment}", losses, find, opens)


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


def _which(history: History, open_layout: OpenLayout | None) -> tuple[str | None, str | None]:
    """The cluster and the snapshot chosen; None where there is none to choose."""
    clusters = caching.from_tables(history, "clusters", history.clusters)
    if not clusters:
        return None, None
    cluster = fields.select(
        "Cluster",
        clusters,
        name="cluster",
        default=clusters[_own(clusters, open_layout)],
        key="resilience-cluster",
        label_visibility="collapsed",
        format_func=lambda name: text.visible(name, 60),
        width=240,
    )
    addresses.title(of=cluster)
    swept = caching.from_tables(history, f"swept {cluster}", lambda: history.swept(cluster))
    if swept.empty:
        return cluster, None
    times = dict(zip(swept["snapshot_id"], swept["taken_at"], strict=True))
    newest_first = list(reversed(times))
    moment = fields.select(
        "Snapshot",
        newest_first,
        name="moment",
        key=f"resilience-snapshot-{cluster}-{len(times)}",
        label_visibility="collapsed",
        format_func=lambda one: f"{times[one]:%Y-%m-%d %H:%M} UTC" + (", the latest" if one == newest_first[0] else ""),
        width=300,
    )
    if open_layout is not None:
        st.markdown(":material/history: **snapshot**, as analysed", width="content")
    return cluster, moment


def _own(clusters: Sequence[str], open_layout: OpenLayout | None) -> int:
    """Which cluster comes up first: the one that is open, where the history has it."""
    names = (
        ()
        if open_layout is None
        else (open_layout.connection_name, open_layout.snapshot.cluster if open_layout.snapshot is not None else None)
    )
    return next((clusters.index(name) for name in names if name in clusters), 0)
