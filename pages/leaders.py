"""Leaders: a preferred election previewed now, with the plan done and while brokers are stopped; the next restart."""

import streamlit as st

from components import caching, elections, frame, text
from components.session import Seat
from reseat.election import Mode, Reason
from reseat.errors import WishRefused
from reseat.model import ClusterLayout

NOW, DONE, STOPPED, RESTART = "An election now", "Once the plan is done", "While stopped", "Next restart"


def election_now(layout: ClusterLayout, mode: Mode) -> None:
    """What a preferred-leader election would do to the layout as it stands."""
    preview = caching.election_of(layout, mode)
    counts = elections.reason_counts(preview)
    auto = caching.auto_rebalance_of(layout, mode)
    frame.answer(preview.sentences[0] if preview.sentences else "There is nothing to elect.")
    frame.figures(
        [
            ("Elected", text.count(counts.get(Reason.ELECTED, 0)), None, Reason.ELECTED.sentence),
            ("Already led", text.count(counts.get(Reason.ALREADY_LED, 0)), None, Reason.ALREADY_LED.sentence),
            (
                "Preferred not alive",
                text.count(counts.get(Reason.PREFERRED_NOT_ALIVE, 0)),
                None,
                Reason.PREFERRED_NOT_ALIVE.sentence,
            ),
            (
                "Preferred not in ISR",
                text.count(counts.get(Reason.PREFERRED_NOT_IN_SYNC, 0)),
                None,
                Reason.PREFERRED_NOT_IN_SYNC.sentence,
            ),
            ("Leaders apart", apart(layout, preview.leaders_before, preview.leaders_after), None, APART),
            ("auto.leader.rebalance", text.plural(len(auto.rows), "election"), None, "What Kafka would do by itself"),
        ]
    )
    elections.draw_leaders(layout, preview.leaders_before, preview.leaders_after, "leaders-now")
    legend()
    tab, automatic = st.tabs(["Partition by partition", "auto.leader.rebalance"])
    with tab:
        elections.draw_reasons(layout, preview, "election-now")
    with automatic:
        elections.draw_auto_rebalance(auto, "auto-rebalance")


def election_done(seat: Seat, mode: Mode) -> None:
    """Who leads once the what-if's plan is done, and after an election then."""
    try:
        with st.spinner("Planning …"):
            plan = caching.plan_for(seat.layout, seat.wish)
    except WishRefused as error:
        frame.refused(error)
        return
    preview = caching.election_after(plan, mode)
    frame.answer(preview.sentences[0] if preview.sentences else "No leader changes.")
    done = preview.leader_done if preview.leader_done is not None else preview.leader_before
    frame.figures(
        [
            ("Change while data moves", text.count(int((done != preview.leader_before).sum())), None, MOVED),
            ("Change at an election then", text.count(int((preview.leader_after != done).sum())), None, THEN),
            (
                "Leaders apart when done",
                apart(plan.proposed, preview.leaders_before, preview.leaders_done),
                None,
                APART,
            ),
            ("After an election", apart(plan.proposed, preview.leaders_done, preview.leaders_after), None, APART),
        ]
    )
    elections.draw_leaders(plan.proposed, preview.leaders_before, preview.leaders_after, "leaders-done")
    legend()
    elections.draw_reasons(plan.proposed, preview, "election-done")


def stopped(layout: ClusterLayout, mode: Mode) -> None:
    """Who takes over and what goes offline while brokers are merely stopped."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    brokers = left.multiselect(
        "Brokers stopped",
        layout.broker_ids.tolist(),
        key="stopped",
        placeholder="Choose a broker",
        persist_state="session",
    )
    unclean = right.checkbox("Unclean election allowed", key="unclean", help="unclean.leader.election.enable")
    chosen = tuple(sorted(set(brokers) & set(layout.broker_ids.tolist())))
    preview = caching.stop_of(layout, chosen, mode, unclean=unclean)
    if not chosen:
        frame.answer("Choose the brokers to stop: nothing moves, but others must lead.")
        return
    frame.answer(preview.sentences[0] if preview.sentences else "Nothing changes.")
    taken = elections.reason_counts(preview.election).get(Reason.TAKES_OVER, 0)
    frame.figures(
        [
            ("Taken over", text.count(taken), None, Reason.TAKES_OVER.sentence),
            ("Go offline", text.count(len(preview.offline)), None, Reason.NO_CANDIDATE.sentence),
            ("Led by one out of sync", text.count(len(preview.unclean)), None, Reason.UNCLEAN.sentence),
            ("Fall below min ISR", text.count(len(preview.below_min_isr)), None, "Writes with acks=all are refused"),
            ("Under-replicated", text.count(len(preview.under_replicated)), None, "One replica fewer in sync"),
        ]
    )
    for sentence in preview.sentences[1:]:
        st.markdown(text.plain(sentence))
    election = preview.election
    elections.draw_leaders(layout, election.leaders_before, election.leaders_after, "leaders-stopped", stopped=chosen)
    legend()
    elections.draw_reasons(layout, election, "election-stopped")


def restart(layout: ClusterLayout) -> None:
    """The next broker that is safe to restart, and why the others are not."""
    verdicts = caching.restarts_of(layout)
    safe = [verdict for verdict in verdicts if verdict.safe]
    frame.answer(
        f"Broker {safe[0].broker_id} is the next to restart. {safe[0].sentence}"
        if safe
        else f"No broker is safe to restart now. {verdicts[0].sentence if verdicts else ''}"
    )
    frame.figures(
        [
            ("Safe", text.count(len(safe)), None, "Nothing goes offline, below min ISR, or loses a second replica"),
            ("Must wait", text.count(len(verdicts) - len(safe)), None, "The table says why"),
        ]
    )
    elections.draw_restarts(verdicts, "restarts")


def apart(layout: ClusterLayout, before: object, after: object) -> str:
    """Most minus fewest leaders of a broker, before and after."""
    ids = layout.broker_ids
    return f"{elections.spread_words(before, ids)} → {elections.spread_words(after, ids)}"


def legend() -> None:
    """What the bars mean."""
    frame.how_to_read(
        "Grey: leaders that a broker keeps. Sky blue: leaders it gains. Purple with hatches: leaders it loses. The "
        "dashed line is the mean afterwards. No data moves in an election."
    )


APART = "Most minus fewest leaders of a broker, before and after"
MOVED = "The leader is not in the target, so a new one is elected when the data is there"
THEN = "The first replica of the new list leads only after a preferred election"

seat = frame.page("Leaders")
with st.container(horizontal=True, vertical_alignment="bottom"):
    choices = [NOW, DONE, STOPPED, RESTART] if not seat.wish.is_empty else [NOW, STOPPED, RESTART]
    view = st.segmented_control(
        "When",
        choices,
        default=NOW,
        required=True,
        key=f"when-{len(choices)}",
        label_visibility="collapsed",
        persist_state="session",
    )
    kraft = st.segmented_control(
        "Controller",
        ["zookeeper", "kraft"],
        default="kraft" if seat.layout.eligible is not None else "zookeeper",
        required=True,
        key="controller",
        label_visibility="collapsed",
        format_func={"zookeeper": "ZooKeeper controller", "kraft": "KRaft controller"}.__getitem__,
        persist_state="session",
    )
if view == NOW:
    election_now(seat.layout, kraft)
elif view == DONE:
    election_done(seat, kraft)
elif view == STOPPED:
    stopped(seat.layout, kraft)
else:
    restart(seat.layout)
