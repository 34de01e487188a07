"""Leaders: a preferred election previewed now, with the plan done and while brokers are stopped; the next restart."""

import streamlit as st

from components.leaders import elections, outages, walk_state, walk_view
from components.leaders.election_commands import draw_election_command
from components.look import text
from components.operate.election import draw_election
from components.operate.operated_cluster import operated_cluster
from components.shell import frame
from components.state import addresses, caching, fields
from components.state.open_layout import OpenLayout
from components.what_if.what_if import shown
from reseat.election import ElectionPreview, Mode, after_plan, auto_rebalance, less_even, preferred
from reseat.model import ClusterLayout, Plan

NOW, DONE, STOPPED = "Preferred election", "After the plan", "Broker outage"
WALKED, RESTART = "Step by step", "Rolling restart"
CONTROLLERS: dict[Mode, str] = {"zookeeper": "ZooKeeper controller", "kraft": "KRaft controller"}
#: What the address says of what is shown; by itself it is the election, now or after the plan.
WHEN, SAID = "when", {NOW: "election", DONE: "election", STOPPED: "outage", WALKED: "walk", RESTART: "restart"}


def election_now(open_layout: OpenLayout, mode: Mode) -> None:
    """What a preferred-leader election would do to the layout as it stands; on a live cluster it can be held."""
    layout = open_layout.layout
    preview = caching.kept(preferred)(layout, mode)
    auto = caching.kept(auto_rebalance)(layout, mode=mode)
    worse = less_even(layout, preview)
    said = [one for one in preview.sentences if one != worse] or ["A preferred election changes nothing."]
    frame.answer(" ".join(filter(None, (said[0], worse))))
    known = {found.kind for found in open_layout.reading.findings}
    automatic = text.counted(len(auto.rows), "election") if elections.is_told(preview) else text.count(None)
    automatic = "off" if "auto_rebalance_off" in known else automatic
    automatic = text.count(None) if "auto_rebalance_unknown" in known else automatic
    frame.figures([*elections.figures_of(preview), *_after(layout, preview, automatic)])
    elections.draw_leaders(layout, preview.leaders_before, preview.leaders_after, "leaders-now")
    outages.legend()
    if len(said) > 1:
        st.caption(text.plain(" ".join(said[1:])))
    operated = operated_cluster(open_layout)
    views = {
        "Partition by partition": lambda: elections.draw_reasons(layout, preview, "election-now"),
        "auto.leader.rebalance": lambda: elections.draw_auto_rebalance(auto, "auto-rebalance"),
        "Command": lambda: draw_election_command(layout, preview, open_layout.version),
    }
    if operated is not None:
        views["Run an election"] = lambda: draw_election(operated, layout, mode)
    says = dict(zip(views, ("partitions", "auto", "command", "run"), strict=False))
    chosen = fields.segments(
        "Detail", list(views), name="detail", key=f"election-view-{len(views)}", says=says, label_visibility="collapsed"
    )
    views[chosen]()


def _after(layout: ClusterLayout, preview: ElectionPreview, automatic: str) -> list[tuple[str, str, None, str]]:
    """The evenness that an election brings, and what Kafka does of it by itself."""
    spread = outages.apart(layout, preview.leaders_before, preview.leaders_after)
    return [
        ("Leader spread", spread, None, outages.APART),
        ("auto.leader.rebalance", automatic, None, "Kafka's automatic rebalance"),
    ]


def election_done(plan: Plan, mode: Mode) -> None:
    """Who leads once the what-if's plan is done, and after an election then."""
    preview = caching.kept(after_plan)(plan, mode)
    changed, later, gone = preview.while_moving, preview.by_election, plan.wish.remove
    worse = less_even(plan.proposed, preview, gone)
    said = preview.sentences[0]  # that leaders are unknown
    if changed is not None:
        said = (
            f"{text.counted(changed, 'partition')} {text.verb(changed, 'changes', 'change')} leader while data moves; "
            f"{text.counted(later, 'more changes', 'more change')} with a preferred election afterwards."
        )
    frame.answer(f"{said}{'' if worse is None else f' {worse}'}")
    frame.figures(
        [
            ("Leader changes while data moves", text.count(changed), None, None),
            ("By an election afterwards", text.count(None if changed is None else later), None, None),
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
                None,
            ),
        ]
    )
    elections.draw_leaders(plan.proposed, preview.leaders_before, preview.leaders_after, "leaders-done", stopped=gone)
    outages.legend()
    elections.draw_reasons(plan.proposed, preview, "election-done")


open_layout = frame.page("Leaders", shows="either")
if walk_state.WALK in st.query_params and WHEN not in st.query_params:  # a link of before
    st.query_params[WHEN] = SAID[WALKED]
now = shown(open_layout)
layout = now.layout
with st.container(horizontal=True, vertical_alignment="bottom"):
    first = DONE if now.after else NOW
    view = fields.segments(
        "When",
        [first, STOPPED, WALKED, RESTART],
        name=WHEN,
        key=f"when-{first}",
        says=SAID,
        label_visibility="collapsed",
    )
    kraft = fields.segments(
        "Controller",
        tuple(CONTROLLERS),
        name="controller",
        key="controller",
        default=open_layout.mode,
        label_visibility="collapsed",
        format_func=CONTROLLERS.__getitem__,
    )
addresses.title("" if view == first else view)
if view == NOW:
    election_now(open_layout, kraft)
elif view == DONE and now.plan is not None:
    election_done(now.plan, kraft)
elif view == STOPPED:
    outages.draw_stopped(layout, kraft, open_layout.reading)
elif view == WALKED:
    walk_view.draw_walk(layout, kraft)
else:
    outages.draw_next_restart(layout, kraft, open_layout.reading)
walk_state.tell(layout if view == WALKED else None)
addresses.publish()
