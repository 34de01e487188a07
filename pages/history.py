"""History: one cluster over time; any two moments compared, and any moment opened on all other pages."""

from datetime import UTC, datetime

import streamlit as st

from components.charts import plots
from components.history import choices
from components.history.compare import Between, draw_between
from components.history.figure import HEIGHT, figure
from components.history.forecast import draw_forecast
from components.history.moment import draw_moment
from components.history.notices import draw_notices, how_to_read
from components.history.plans import names_of_marks, plans_of, with_plans
from components.history.words import answer, figures, names_of
from components.over_time.no_history import draw_empty
from components.over_time.pipeline_bar import draw_bar
from components.shell import frame
from components.state import addresses, caching, session, widgets
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.events import Event
from reseat.history.places import Places, places
from reseat.history.read import History
from reseat.history.series import row_of, series, worst
from reseat.history.stretch import StretchFacts, read

FIGURE = "history-figure"


def draw(
    history: History, where: Places, told: StretchFacts, marks: list[Event], stretch: choices.Stretch
) -> choices.Ends | None:
    """The page for a stretch that has snapshots; says which two moments are compared."""
    snapshots, cluster = told.snapshots, stretch.cluster
    said = answer(cluster, snapshots, told.counts, datetime.now(UTC))
    frame.answer(said)
    frame.figures(figures(snapshots, told.counts, told.partly))
    draw_notices(history, cluster)
    place = st.container()
    order = {identity: row for row, identity in enumerate(snapshots["snapshot_id"])}
    chosen = choices.selected(cluster)
    if chosen not in order:
        bad = worst(snapshots)
        chosen = str(snapshots["snapshot_id"].iloc[-1 if bad is None else bad])
    wanted = choices.wanted_ends()
    # Whatever is aggregated: the moment looked at, the two compared, and the ends, compared where none were chosen.
    shown = series(
        told.drawn,
        keep=(chosen, wanted.a, wanted.b, snapshots["snapshot_id"].iloc[0], snapshots["snapshot_id"].iloc[-1]),
    )
    identities = shown.moments["snapshot_id"].tolist()
    ends = None
    if len(identities) > 1:
        words = names_of(shown.moments)
        span = f"{identities[0][:8]}-{identities[-1][:8]}-{len(identities)}"
        ends = choices.choose_ends(cluster, identities, words, stretch=span)
    by_name = snapshots.set_index("snapshot_id", drop=False)
    compared = None if ends is None else (row_of(by_name, ends.a), row_of(by_name, ends.b))

    def clicked() -> None:
        for name in widgets.clicked_names(FIGURE):
            choices.select(cluster, name)

    with place:
        drawn = figure(
            shown,
            marks,
            names_of_marks(marks, snapshots),
            selected=shown.place(chosen),
            ends=compared and (compared[0]["taken_at"], compared[1]["taken_at"]),
        )
        plots.draw(drawn, FIGURE, said, height=HEIGHT, on_click=clicked)
    if shown.aggregated:
        st.caption(
            f"{shown.snapshots:,} snapshots, drawn as {len(identities):,} points: each the worst of its interval."
        )
    draw_moment(cluster, row_of(by_name, chosen), ends=ends, order=order)
    how_to_read()
    if compared is not None:
        draw_between(Between(history, where, cluster, *compared, told.counts))
    return ends


open_layout = frame.standalone(linked=True, door=Door.READ_HISTORY)
where = places()
own: dict[str, str] = {}
try:
    history = session.history(where.tables)
    clusters = caching.from_tables(history, "clusters", history.clusters)
    if clusters:
        stretch = choices.choose(history, clusters, open_layout)
        addresses.title(of=stretch.cluster)
        lost = st.container()
        question = f"history {stretch}"
        with st.spinner("Reading the history …", show_time=True):
            told = caching.from_tables(
                history, question, lambda: read(history, stretch.cluster, stretch.since, stretch.until)
            )
        if told.snapshots.empty:
            frame.answer(f"No snapshots of {stretch.cluster} in this period.")
            st.caption("Choose a longer period above.")
            ends = None
        else:
            plans = plans_of(history, stretch.cluster)
            taken = told.snapshots["taken_at"]
            marks = with_plans(told.marks, plans, taken.iloc[0], taken.iloc[-1])
            ends = draw(history, where, told, marks, stretch)
            draw_forecast(history, stretch.cluster, told.marks, plans)
        with lost:
            choices.draw_lost(stretch.cluster)
        own = choices.own_of(stretch.cluster, ends, frozenset(told.snapshots["snapshot_id"]))
        draw_bar(where)
    else:
        draw_empty(where, shows="A cluster's balance, findings and size over time")
except InputRefused as refusal:
    frame.refused(refusal)
    draw_bar(where)
addresses.publish(own)
