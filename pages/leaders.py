"""Leaders: a preferred election previewed now, with the plan done and while brokers are stopped; the next restart."""

import streamlit as st

from components import addresses, caching, elections, frame, outages, session, text, walk_state, walk_view
from components.election_commands import draw_election_command
from components.operate_desk import desk_of
from components.operate_election import draw_election
from components.session import Seat
from components.what_if import shown
from reseat.election import ElectionPreview, Mode, less_even
from reseat.model import ClusterLayout, Plan

NOW, DONE, STOPPED = "Preferred election", "After the plan", "Broker outage"
WALKED, RESTART = "Step by step", "Rolling restart"
#: What the address says of what is shown; by itself it is the election, now or after the plan.
WHEN, SAID = "when", {STOPPED: "outage", WALKED: "walk", RESTART: "restart"}


def election_now(seat: Seat, mode: Mode) -> None:
    """What a preferred-leader election would do to the layout as it stands; on a live cluster it can be held."""
    layout = seat.layout
    preview = caching.election_of(layout, mode)
    auto = caching.auto_rebalance_of(layout, mode)
    worse = less_even(layout, preview)
    said = [one for one in preview.sentences if one != worse] or ["A preferred election changes nothing."]
    frame.answer(" ".join(filter(None, (said[0], worse))))
    frame.figures([*elections.figures_of(preview), *_after(layout, preview, len(auto.rows))])
    elections.draw_leaders(layout, preview.leaders_before, preview.leaders_after, "leaders-now")
    outages.legend()
    if len(said) > 1:
        st.caption(text.plain(" ".join(said[1:])))
    desk = desk_of(seat)
    views = {
        "Partition by partition": lambda: elections.draw_reasons(layout, preview, "election-now"),
        "auto.leader.rebalance": lambda: elections.draw_auto_rebalance(auto, "auto-rebalance"),
        "Command": lambda: draw_election_command(layout, preview, seat.snapshot and seat.snapshot.version),
    }
    if desk is not None:
        views["Run an election"] = lambda: draw_election(desk, layout, mode)
    chosen = st.segmented_control(
        "Detail", list(views), default=next(iter(views)), required=True, key=f"election-view-{len(views)}",
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    views[chosen]()


def _after(layout: ClusterLayout, preview: ElectionPreview, acts: int) -> list[tuple[str, str, None, str]]:
    """The evenness that an election brings, and what Kafka does of it by itself."""
    told = elections.is_told(preview)
    spread = outages.apart(layout, preview.leaders_before, preview.leaders_after)
    automatic = text.plural(acts, "election") if told else text.count(None)
    return [
        ("Leader spread", spread, None, outages.APART),
        ("auto.leader.rebalance", automatic, None, "What Kafka would do on its own"),
    ]


def election_done(plan: Plan, mode: Mode) -> None:
    """Who leads once the what-if's plan is done, and after an election then."""
    preview = caching.election_after(plan, mode)
    done = preview.leader_done if preview.leader_done is not None else preview.leader_before
    changed = int((done != preview.leader_before).sum())
    gone = plan.wish.remove
    later = int((preview.leader_after != done).sum())
    worse = less_even(plan.proposed, preview, gone)
    frame.answer(
        f"{text.plural(changed, 'partition')} {'changes' if changed == 1 else 'change'} leader while data moves; "
        f"{text.plural(later, 'more changes', 'more change')} with a preferred election afterwards."
        f"{'' if worse is None else f' {worse}'}"
    )
    frame.figures(
        [
            ("Leader changes while data moves", text.count(changed), None, MOVED),
            ("By an election afterwards", text.count(later), None, THEN),
            (
                "Leader spread",
                outages.apart(plan.proposed, preview.leaders_before, preview.leaders_done, away_after=gone),
                None,
                outages.APART,
            ),
            (
                "Leader spread after an election",
                outages.apart(
                    plan.proposed, preview.leaders_done, preview.leaders_after, away_before=gone, away_after=gone
                ),
                None,
                outages.APART,
            ),
        ]
    )
    elections.draw_leaders(plan.proposed, preview.leaders_before, preview.leaders_after, "leaders-done", stopped=gone)
    outages.legend()
    elections.draw_reasons(plan.proposed, preview, "election-done")


MOVED = "The leader is not in the new replica list, so a new one is elected once the data is copied"
THEN = "The first replica of the new list leads only after a preferred election"


def controller_of(seat: Seat) -> str:
    """Which controller decides, as a live cluster tells it, else as far as the layout shows."""
    if seat.snapshot is not None and seat.snapshot.metadata is not None:
        return seat.snapshot.metadata
    return "kraft" if seat.layout.eligible is not None else "zookeeper"


linked = "walk" if walk_state.WALK in st.query_params else st.query_params.get(WHEN, "")
seat = frame.page("Leaders", own=(walk_state.WALK, walk_state.AT, WHEN), shows="either")
now = shown(seat)
layout = now.layout
with st.container(horizontal=True, vertical_alignment="bottom"):
    first = DONE if now.after else NOW
    choices = [first, STOPPED, WALKED, RESTART]
    view = st.segmented_control(
        "When",
        choices,
        default=next((name for name, said in SAID.items() if said == linked), first),
        required=True,
        key=session.field(f"when-{first}"),
        label_visibility="collapsed",
        persist_state="session",
    )
    kraft = st.segmented_control(
        "Controller",
        ["zookeeper", "kraft"],
        default=(seat.snapshot and seat.snapshot.metadata)
        or ("zookeeper" if seat.layout.eligible is None else "kraft"),
        required=True,
        key="controller",
        label_visibility="collapsed",
        format_func={"zookeeper": "ZooKeeper controller", "kraft": "KRaft controller"}.__getitem__,
        persist_state="session",
    )
if view == NOW:
    election_now(seat, kraft)
elif view == DONE and now.plan is not None:
    election_done(now.plan, kraft)
elif view == STOPPED:
    outages.draw_stopped(layout, kraft)
elif view == WALKED:
    walk_view.draw_walk(layout, kraft)
else:
    outages.draw_next_restart(layout)
walked = walk_state.to_query(walk_state.kept(layout)) if view == WALKED else {}
addresses.publish(seat, walked | ({WHEN: SAID[view]} if view in SAID else {}))
