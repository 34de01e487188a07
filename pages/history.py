"""History: one cluster over time; any two moments compared, and any moment opened on all other pages."""

from datetime import UTC, datetime

import streamlit as st

from components import addresses, caching, charts, frame, history_desk, session
from components.history_chart import HEIGHT, figure
from components.history_compare import Between, draw_between
from components.history_moment import draw_moment
from components.history_notices import draw_notices, how_to_read
from components.history_read import Told, read
from components.history_series import series, worst
from components.history_words import answer, figures
from components.past import clock
from components.pipeline_bar import draw_bar
from components.pipeline_empty import draw_empty
from components.pipeline_places import Places, places
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.read import History

FIGURE = "history-figure"


def draw(history: History, where: Places, told: Told, stretch: history_desk.Stretch) -> history_desk.Ends | None:
    """The page for a stretch that has snapshots; says which two moments are compared."""
    snapshots, cluster = told.snapshots, stretch.cluster
    said = answer(cluster, snapshots, told.counts, datetime.now(UTC))
    frame.answer(said)
    frame.figures(figures(snapshots, told.counts))
    draw_notices(history, cluster)
    place = st.container()
    order = {identity: row for row, identity in enumerate(snapshots["snapshot_id"])}
    chosen = history_desk.selected(cluster)
    if chosen not in order:
        bad = worst(snapshots)
        chosen = str(snapshots["snapshot_id"].iloc[-1 if bad is None else bad])
    wanted = history_desk.wanted_ends()
    # Whatever is aggregated: the moment looked at, the two compared, and the ends, compared where none were chosen.
    shown = series(snapshots, keep=(chosen, wanted.a, wanted.b, *snapshots["snapshot_id"].iloc[[0, -1]]))
    identities = shown.moments["snapshot_id"].tolist()
    ends = None
    if len(identities) > 1:
        words = {name: f"{at:%a} {clock(at)}" for name, at in zip(identities, shown.moments["taken_at"], strict=True)}
        span = f"{identities[0][:8]}-{identities[-1][:8]}-{len(identities)}"
        ends = history_desk.choose_ends(cluster, identities, words, stretch=span)
    by_name = snapshots.set_index("snapshot_id", drop=False)
    compared = None if ends is None else (by_name.loc[ends.a], by_name.loc[ends.b])

    def clicked() -> None:
        for name in session.clicked_names(FIGURE):
            history_desk.selected(cluster, name)

    with place:
        marked = snapshots[snapshots["taken_at"].isin([mark.at for mark in told.marks])]
        names = dict(zip(marked["taken_at"], marked["snapshot_id"], strict=True))
        drawn = figure(
            shown,
            told.marks,
            names,
            selected=shown.place(chosen),
            ends=compared and (compared[0]["taken_at"], compared[1]["taken_at"]),
        )
        charts.draw(drawn, FIGURE, said, height=HEIGHT, on_click=clicked)
    if shown.aggregated:
        st.caption(
            f"{shown.snapshots:,} snapshots, drawn as {len(identities):,} points: each the worst of its interval."
        )
    draw_moment(history, where, cluster, by_name.loc[chosen], ends=ends, order=order)
    how_to_read()
    if compared is not None:
        draw_between(Between(history, where, cluster, *compared, told.counts))
    return ends


seat = frame.standalone(linked=True, door=Door.READ_HISTORY)
where = places()
own: dict[str, str] = {}
try:
    history = session.history(where.tables)
    clusters = caching.asked(history, "clusters", history.clusters)
    if clusters:
        stretch = history_desk.choose(history, clusters, seat)
        lost = st.container()
        question = f"history {stretch}"
        with st.spinner("Reading the history …", show_time=True):
            told = caching.asked(
                history, question, lambda: read(history, stretch.cluster, stretch.since, stretch.until)
            )
        if told.snapshots.empty:
            frame.answer(f"No snapshots of {stretch.cluster} in this period.")
            st.caption("Choose a longer period above.")
            ends = None
        else:
            ends = draw(history, where, told, stretch)
        with lost:
            history_desk.draw_lost(stretch.cluster)
        own = history_desk.own_of(stretch.cluster, ends, frozenset(told.snapshots["snapshot_id"]))
        draw_bar(where)
    else:
        draw_empty(where, shows="A cluster's balance, findings and size over time")
except InputRefused as refusal:
    frame.refused(refusal)
    draw_bar(where)
addresses.publish(seat, own)
