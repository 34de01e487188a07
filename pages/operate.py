"""Operate: an approved plan carried out on the live cluster: guarded, confirmed, watched, verified, taken back."""

import streamlit as st

from components.look import text
from components.look.notices import refused
from components.operate import person, states
from components.operate.approvals import draw_proposals, proposed
from components.operate.cordons import draw_cordons_left
from components.operate.history import draw_history
from components.operate.operated_cluster import OperatedCluster, look_at, looked_at, operated_cluster
from components.operate.plan import choose, rollback_of
from components.operate.prepare import draw_proposal, draw_unexecuted
from components.operate.reading import last_reading
from components.operate.start import put_throttles_back, settled, throttles_left
from components.operate.watch import draw_run, hear_of_runs
from components.shell import frame
from components.state import addresses
from components.state.open_layout import OpenLayout
from reseat.errors import ReseatError
from reseat.model.wording import verb
from reseat.operate.journal.journal import Journal

#: Seconds after which a page that shows a plan looks whether somebody began a run.
_HEARS = 5.0


def notices(operated: OperatedCluster) -> None:
    """What keeps one from writing here, or wants to be put right first."""
    if operated.read_only:
        states.draw_not_enabled(operated.read_only)
    person.draw_way_in(operated.access, operated.person)
    error = operated.live.state.error
    if error is not None:
        states.draw_lost(str(error))
    said = settled()
    if said:
        st.markdown(f":gray[:material/info:] {text.plain(said)}")
    left = throttles_left(operated)
    if left:
        states.draw_leftover_throttles(left, lambda: put_throttles_back(operated), operated.read_only)
    draw_cordons_left(operated)


def prepare(open_layout: OpenLayout, operated: OperatedCluster) -> None:
    """A plan that may be carried out; where a run is not over, that first."""
    open_run, holder = operated.open_run, operated.holder
    st.fragment(hear_of_runs, run_every=_HEARS)(operated, None if open_run is None else open_run.id)
    if open_run is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="run-open"):
            st.markdown(
                f":orange[:material/front_hand:] Run {open_run.id} on this cluster is not over.", width="content"
            )
            st.button("Show it", key="to-run", on_click=look_at, args=(operated, "run", open_run.id))
    elif holder is not None:
        states.draw_blocked(
            f"{holder.operator} has been executing on this cluster since {holder.since:%H:%M:%S} UTC ({holder.owner}): "
            "one at a time."
        )
    head = st.container()
    proposal = choose(open_layout, head, operated.name)
    if proposal is None:
        draw_unexecuted(operated)
    else:
        draw_proposal(operated, proposal, head)


def roll_back(operated: OperatedCluster, journal: Journal, run_id: int) -> None:
    """The rollback of a run as the cluster is now, guarded as any plan."""
    st.button(
        f"Back to run {run_id}", key="to-run", type="tertiary", icon=":material/arrow_back:", on_click=look_at,
        args=(operated, "run", run_id),
    )  # fmt: skip
    head = st.container()
    proposal, left = rollback_of(journal.run(run_id), journal.moves(run_id), last_reading(operated).snapshot)
    if left:
        names = ", ".join(text.code(name) for name in left[:5])
        st.markdown(
            f":orange[:material/warning:] {text.counted(len(left), 'partition')} of the run "
            f"{verb(len(left), 'stays as it is', 'stay as they are')}, changed or deleted by somebody else: "
            f"{names}{' …' if left[5:] else ''}"
        )
    draw_proposal(operated, proposal, head)


def second_word(operated: OperatedCluster, journal: Journal, number: int) -> None:
    """A plan that somebody proposed, guarded as any plan: for who approves it, and for who executes it then."""
    st.button(
        "Back to the plan", key="to-plan", type="tertiary", icon=":material/arrow_back:", on_click=look_at,
        args=(operated, "plan"),
    )  # fmt: skip
    head = st.container()
    draw_proposal(operated, proposed(operated, journal, number), head)


def draw(open_layout: OpenLayout, operated: OperatedCluster) -> None:
    """The page for a live cluster."""
    notices(operated)
    look = looked_at(operated)
    try:
        if look.what == "plan" or operated.journal is None:
            prepare(open_layout, operated)
        elif look.what == "proposal":
            second_word(operated, operated.journal, look.run)
        elif look.what == "run":
            draw_run(operated, operated.journal, look.run)
        else:
            roll_back(operated, operated.journal, look.run)
    except ReseatError as error:
        refused(error)
    if operated.journal is not None:
        draw_proposals(operated, operated.journal, look.run if look.what == "proposal" else None)
        opened = look.run if look.what == "run" else None
        draw_history(
            operated.journal.runs(operated.cluster_id),
            opened,
            lambda run: look_at(operated, "run", run),
            at_work=operated.holder is not None,
        )


open_layout = frame.page("Execute", unread=states.draw_open_runs, shows="change")
frame.needs_extra("live")
operated = operated_cluster(open_layout)
if open_layout.past is not None:
    states.draw_past(open_layout.past)
elif operated is None:
    states.draw_not_live("Executing a plan")
    states.draw_open_runs()
else:
    draw(open_layout, operated)
addresses.publish()
