"""A run drawn: one sentence, figures, who has received how much, and the table partition by partition."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import bars, plots
from components.look import tables, text
from components.shell import frame
from components.shell.frame import Figure
from components.state import fields
from reseat.balance.grid import brokers_by_rack
from reseat.model import Longs
from reseat.model.search import Search
from reseat.model.wording import some_of
from reseat.operate.journal.records import MoveProgress, Run, RunProgress, RunState

if TYPE_CHECKING:
    import pandas as pd

    from reseat.model import ClusterLayout

__all__ = ["arrivals", "draw_moves", "draw_progress", "moves_frame", "sentence", "state_words", "time_left"]

#: Icon, colour and word of a run's state.
_STATES = {
    RunState.APPROVED: (":material/hourglass_top:", "gray", "approved, not started"),
    RunState.RUNNING: (":material/play_circle:", "blue", "running"),
    RunState.PAUSED: (":material/pause_circle:", "orange", "paused"),
    RunState.STOPPING: (":material/stop_circle:", "orange", "stopping"),
    RunState.DONE: (":material/check_circle:", "green", "done"),
    RunState.CANCELLED: (":material/cancel:", "gray", "stopped"),
    RunState.FAILED: (":material/error:", "red", "failed"),
}
#: Words and marks of a partition's state in a table, the most urgent first.
_MOVES = {
    "failed": "✖ failed",
    "sent": "▶ in progress",
    "waiting": "○ waiting",
    "cancelled": "■ reverted",
    "done": "✔ complete",
}
_STALLED = "▲ stalled"
#: What a runner says of counts.
_COUNTS = re.compile(r"[\d,]+ of [\d,]+ partitions? as planned(, [\d,]+ [a-z ]+)*\.")


def state_words(state: RunState, *, alive: bool = True) -> str:
    """A run's state as Markdown with icon, colour and word; an open run that nobody works on stands still."""
    icon, colour, word = _STATES[state]
    if state.open and not alive:
        icon, colour, word = ":material/pause_circle:", "orange", "no executor is running"
    return f":{colour}[{icon} {word}]"


def sentence(progress: RunProgress) -> str:
    """Where a run stands, with the number that matters; not yet Markdown."""
    run, total = progress.run, progress.partitions
    there = f"{some_of(progress.done, total, 'partition', 'is', 'are')} complete"
    what = "The rollback" if run.kind == "rollback" else "The plan"
    if run.state is RunState.DONE:
        return f"{what} is done: {'its partition is' if total == 1 else f'all {total:,} partitions are'} as planned."
    if run.state is RunState.CANCELLED:
        ended = "cancelled" if run.stop == "cancel" else "stopped"
        return f"{what} was {ended}: {there}, and nothing is in progress."
    if run.state is RunState.FAILED:
        return f"{what} cannot continue: {there}. {run.sentence}".strip()
    if not progress.alive:
        still = f", {progress.sent:,} still in progress" if progress.sent else ""
        return f"{what} is paused, as no executor is running: {there}{still}."
    if run.state is RunState.STOPPING or run.stop:  # asked for, and heeded within a second
        waits = "nothing is in progress any more" if not progress.sent else f"{progress.sent:,} still in progress"
        what = "Cancelling" if run.stop == "cancel" else "Stopping"
        return f"{what}: nothing further is sent, {waits}; {there}."
    if run.state is RunState.PAUSED:
        waits = "nothing is in progress" if not progress.sent else f"{progress.sent:,} still in progress"
        return f"Paused: nothing further is sent for now, {waits}; {there}."
    if run.state is RunState.APPROVED:
        return f"{what} is approved and about to start: {text.counted(total, 'partition')} to change."
    left = "" if progress.seconds_left is None else f", about {text.duration(progress.seconds_left)} left"
    return f"{there[:1].upper()}{there[1:]}{left}."


def draw_progress(
    progress: RunProgress,
    layout: ClusterLayout,
    stalled: Mapping[tuple[str, int], float],
    between: Callable[[], None] = lambda: None,
) -> None:
    """The sentence, the figures, the bar and who has received how much.

    Args:
        progress: how far the run is.
        layout: whose brokers receive.
        stalled: seconds without a change by partition, where that is long.
        between: draws what stands below the sentence.
    """
    said = sentence(progress)
    frame.answer(said)
    # The runner's own words: what it waits for, what was left behind. Its line is there in any case: nothing jumps.
    own = progress.run.sentence if progress.run.sentence not in said else ""
    own = " ".join(_COUNTS.sub("", own).split())  # the figures below say these
    if progress.run.state.open and not progress.alive:
        throttles = ", and throttles stay set," if progress.run.options.throttle else ""
        st.markdown(
            f":orange[:material/warning:] {text.plain(own)} Kafka finishes what is in progress. Nothing else happens"
            f"{throttles} until somebody who may write continues, stops or cancels the run."
        )
    elif own and progress.run.state in (RunState.RUNNING, RunState.PAUSED):  # maybe it waits for somebody to act
        st.markdown(f":orange[:material/warning:] {text.plain(own)}")
    else:
        st.caption(text.plain(own) or "\u00a0")
    between()
    waiting = sum(move.state == "waiting" for move in progress.moves)
    bytes_told = progress.bytes_total is not None and progress.bytes_done is not None
    copied = text.size(progress.bytes_done) if bytes_told else text.count(None)
    frame.figures(
        [
            Figure("Partitions complete", text.count(progress.done), f"of {progress.partitions:,}"),
            Figure(
                "Data copied", copied, f"of {text.size(progress.bytes_total)} at approval" if bytes_told else None, None
            ),
            Figure("Time left", time_left(progress), None, None),
            Figure("In progress", text.count(progress.sent), f"{waiting:,} {_waiting(progress.run)}", None),
            Figure("Stalled", text.count(len(stalled)), None, None),
            Figure(
                "Batches",
                text.count(progress.batches),
                f"{text.counted(progress.failed, 'partition')} failed" if progress.failed else None,
            ),
        ]
    )
    st.progress(_share(progress), text=_bar_words(progress))
    _draw_arrivals(progress, layout)


def time_left(progress: RunProgress) -> str:
    """How long a run takes yet; ``paused`` where nothing is sent, ``none`` where it is over."""
    if not progress.run.state.open:
        return "none"
    if progress.seconds_left is not None:
        return text.duration(progress.seconds_left)
    begins = progress.run.state is RunState.APPROVED
    return "unknown yet" if begins or (progress.alive and progress.run.state is not RunState.PAUSED) else "paused"


def _waiting(run: Run) -> str:
    """What a partition does that was not sent: of a run that is over, nothing waits."""
    return "waiting" if run.state.open else "not sent"


def _share(progress: RunProgress) -> float:
    """How much of the run is done, 0 to 1: by bytes where they are told and there are any, else by partitions."""
    if progress.run.state is RunState.DONE or not progress.partitions:
        return 1.0
    if progress.bytes_total and progress.bytes_done is not None:
        return min(1.0, max(0.0, progress.bytes_done / progress.bytes_total))
    return progress.done / progress.partitions


def _bar_words(progress: RunProgress) -> str:
    by = "of the size at approval" if progress.bytes_total and progress.bytes_done is not None else "of the partitions"
    return f"{text.share(_share(progress), 1.0)} {by}"


def arrivals(moves: Sequence[MoveProgress]) -> dict[int, Longs]:
    """Replicas that come to each broker: there, under way, waiting, taken back, and failed; by broker id."""
    column = {"done": 0, "sent": 1, "waiting": 2, "cancelled": 3, "failed": 4}
    counts: dict[int, Longs] = {}
    for move in moves:
        for broker in move.target:
            if broker not in move.before:
                counts.setdefault(broker, np.zeros(len(column), np.int64))[column[move.state]] += 1
    return counts


def _draw_arrivals(progress: RunProgress, layout: ClusterLayout) -> None:
    counts = arrivals(progress.moves)
    if not counts:
        st.caption("No replica is copied: only the order of lists changes, or replicas are dropped.")
        return
    known = layout.broker_ids.tolist()
    order = [known[place] for place in brokers_by_rack(layout).tolist() if known[place] in counts]
    order += sorted(set(counts) - set(order))
    racks = {broker.id: broker.rack for broker in layout.brokers}
    names = [f"broker {broker}" + (f" in {racks[broker]}" if racks.get(broker) else "") for broker in order]
    figure = bars.arrivals(names, np.array([counts[broker] for broker in order]))
    plots.draw(figure, f"run-{progress.run.id}-arrivals", "Replicas that have arrived on each broker", height=170)
    frame.how_to_read(
        "One bar per receiving broker, in replicas. Green: done. Sky blue: in progress. Grey: not sent; hatched "
        "grey: reverted. Hatched vermillion: failed."
    )


def moves_frame(moves: Sequence[MoveProgress], stalled: Mapping[tuple[str, int], float], *, over: bool) -> pd.DataFrame:
    """Partitions of a run, which is over or not, as a table."""
    import pandas as pd

    def words(move: MoveProgress) -> str:
        since = stalled.get((move.topic, move.partition))
        if since is not None and move.state == "sent":
            return f"{_STALLED} for {text.duration(since)}"
        if over and move.state == "waiting":
            return "○ not sent"
        return _MOVES[move.state] + (f" ({move.error})" if move.error else "")

    return pd.DataFrame(
        {
            "topic": [text.visible(move.topic, 260) for move in moves],
            "partition": [move.partition for move in moves],
            "state": [words(move) for move in moves],
            "copied": [_copied(move) for move in moves],
            "before": [_list(move.before) for move in moves],
            "planned": [_list(move.target) for move in moves],
            "seen now": [_list(move.now) or "unknown yet" for move in moves],
        }
    )


def _list(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids))


def _copied(move: MoveProgress) -> str:
    done = 0 if move.state == "waiting" else move.bytes_total if move.state == "done" else move.bytes_done
    if move.bytes_total is None or done is None:
        return "unknown"
    return f"{text.size(done)} of {text.size(move.bytes_total)}"


def draw_moves(progress: RunProgress, stalled: Mapping[tuple[str, int], float]) -> None:
    """The table partition by partition: what needs a look first, searched on the server."""
    key = f"run-{progress.run.id}"
    search = Search.of(fields.find(key, "a topic or topic-partition"))
    names = [f"{move.topic}-{move.partition}" for move in progress.moves]
    rank = {state: place for place, state in enumerate(_MOVES)}
    found = sorted(
        (move for move, hit in zip(progress.moves, search.within(names), strict=True) if hit),
        key=lambda move: (rank[move.state], (move.topic, move.partition) not in stalled),
    )
    shown, over = found[: tables.MOST_ROWS], not progress.run.state.open
    tables.table(
        moves_frame(shown, stalled, over=over),
        f"{key}-moves",
        # As wide as what comes: the browser measures what a run begins with.
        {
            "state": st.column_config.TextColumn(width=130),
            "copied": st.column_config.TextColumn(width=150, alignment="right"),
        },
        height=260,
        of=len(progress.moves),
    )
    said = tables.shown_of(len(shown), len(found), "partition")
    tables.foot(key, said, "run.csv", lambda: tables.as_csv(moves_frame(found, stalled, over=over)))
