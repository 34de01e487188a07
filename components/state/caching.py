"""What is kept between reruns and shared between sessions; the only place that keeps results.

Layouts are immutable and shared by their digest without copies. Results are keyed by (digest, wish); an error is
passed through and never kept. They are bounded by the partitions they are about (``results``). What the core says of
a large layout is computed in a process beside this one (``reseat.jobs.workers``), so that pages of others are drawn
meanwhile.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check

from components.look.notices import refused
from components.state.results import Results, named, partitions
from reseat.errors import WorkerEnded
from reseat.formats.input.reading import Reading
from reseat.jobs.workers import Workers
from reseat.model import Broker, Certificate, ClusterLayout, Finding, LogDirectory, Plan, Snapshot, Wish
from reseat.model.edits import Edits, apply_edits

if TYPE_CHECKING:
    from reseat.balance import Balance
    from reseat.formats.documents.sealed import SealedPlan
    from reseat.history.events import PlanRun
    from reseat.history.read import History
    from reseat.model.tiering import Tiering
    from reseat.operate.journal.journal import Journal
    from reseat.placement import RackMode, Tool
    from reseat.placement.comparison import Outcome
    from reseat.planning.against_generate import AgainstGenerate, Beside
    from reseat.schedule.batches import BatchLimits, Preview, Work
    from reseat.schedule.estimate import ObservedRate

__all__ = [
    "AFTER",
    "LAYOUTS",
    "MOST_HERE",
    "PLANS",
    "against_generate_of",
    "balance_of",
    "beside_one_draw_of",
    "comparison_of",
    "findings_of",
    "forget",
    "from_tables",
    "history_in",
    "judgement_of",
    "kept",
    "layout_of",
    "past_snapshot",
    "plan_for",
    "plan_runs_of",
    "rates_of",
    "reading_of",
    "report_of",
    "schedule_of",
]

#: Answers of the history kept: those of a few pages, for a few clusters.
_ANSWERS = 64
#: Seconds after which tables that lie elsewhere than on this machine are asked whether a job changed them.
_STAMP_SECONDS = 10
_Answer = TypeVar("_Answer")
_P = ParamSpec("_P")

#: Layouts kept for links and other sessions. All are as ``Results`` counts: of a million partitions, or more smaller.
LAYOUTS = 6
#: Plans kept: a person goes back and forth between a few, and one of a million partitions takes 25 MB.
PLANS = 8
#: Layouts once a plan is done, and the same without who left: each holds lists, leaders and ISR of its own.
AFTER = 4
#: Reports kept: each holds its figures and tables, and the documents that were asked for.
_REPORTS = 6
#: Partitions up to which all is computed in this process: another one brings as much work as it spares, and a plan
#: takes a tenth of a second of it.
MOST_HERE = 100_000
#: As many bytes of text; a line of a tool's output is longer than that.
_BYTES_HERE = 64 * MOST_HERE
_WORKERS = Workers()

#: All that keep results, so that they can be forgotten together.
_ALL: list[Results] = []


def _results(most: int) -> Results:
    """Room for the results of one function, shared between sessions."""
    _ALL.append(Results(most))
    return _ALL[-1]


def _result(most: int) -> Callable[[Callable[_P, _Answer]], Callable[_P, _Answer]]:
    """Keep a function's results, each by what its arguments hold, shared between sessions.

    Nobody changes a result. An error is passed through and not kept.

    Args:
        most: as of ``Results``.
    """

    def keep(function: Callable[_P, _Answer]) -> Callable[_P, _Answer]:
        results = _results(most)

        @functools.wraps(function)
        def asked(*args: _P.args, **kwargs: _P.kwargs) -> _Answer:
            key = named(args), named(tuple(sorted(kwargs.items())))
            return results.of(key, lambda: make(*args, **kwargs), (*args, *kwargs.values()))

        of_the_core = function.__module__.startswith("reseat.")
        make: Callable[_P, _Answer] = functools.partial(_computed, function) if of_the_core else function
        return asked

    return keep


def _computed(function: Callable[_P, _Answer], *args: _P.args, **kwargs: _P.kwargs) -> _Answer:
    """What a function of the core says: here, or beside this process where it is about much."""
    if max(map(partitions, (*args, *kwargs.values()))) <= MOST_HERE:
        return function(*args, **kwargs)
    return _beside(function, *args, **kwargs)


def _beside(function: Callable[_P, _Answer], *args: _P.args, **kwargs: _P.kwargs) -> _Answer:
    """What a function of the core says, computed beside this process as long as who asks waits for it."""
    wanted = get_run_yield_check()
    try:
        return _WORKERS.ask(wanted or (lambda: None), function, *args, **kwargs)
    except WorkerEnded as ended:
        if wanted is None:
            raise
        refused(WorkerEnded(f"{ended} Nothing was changed."))
        # It runs the page, or the part of it, again.
        st.button("Try again", icon=":material/refresh:", key=f"again-{getattr(function, '__name__', '')}")
        st.stop()


def forget() -> None:
    """Forget all results: nobody is there who would ask for them again soon."""
    for results in _ALL:
        results.clear()
    for cached in (history_in, _stamp, _query, plan_runs_of, rates_of, report_of):
        cached.clear()
    _WORKERS.close()


#: What ``kept`` made of each function.
_KEPT: dict[Callable[..., object], Callable[..., object]] = {}


def kept(function: Callable[_P, _Answer], most: int = PLANS) -> Callable[_P, _Answer]:
    """A pure function of the core whose results are kept, each by what its arguments hold, for everybody.

    Nobody changes a result. An error is passed through and not kept. ``most`` is that of ``Results``.

    Example: ``kept(preferred)(layout, mode)``
    """
    if function not in _KEPT:
        _KEPT[function] = _result(most)(function)
    return cast("Callable[_P, _Answer]", _KEPT[function])


@st.cache_resource(show_spinner=False, max_entries=4)
def history_in(where: str) -> History:
    """The tables in a folder; they need not be there yet.

    Raises:
        InputRefused: it is no place, or of a kind that is not known.
    """
    from reseat.history.read import History

    return History.open(where)


def from_tables(history: History, name: str, ask: Callable[[], _Answer]) -> _Answer:
    """An answer of the history, kept until a job of the pipeline changes the tables; never changed by who gets it.

    Args:
        history: the tables.
        name: names what is asked, all that it depends on included.
        ask: asks it.

    Raises:
        InputRefused: as ``ask``, or the tables' folder cannot be listed.
    """
    local = history.tables.local is not None
    stamp = history.stamp() if local else _stamp(history.where, history)
    return cast("_Answer", _query(history.where, stamp, name, ask))


@st.cache_resource(show_spinner=False, ttl=_STAMP_SECONDS, max_entries=4)
def _stamp(where: str, _history: History) -> str:
    return _history.stamp()


@st.cache_resource(show_spinner=False, max_entries=_ANSWERS)
def _query(where: str, stamp: str, name: str, _read: Callable[[], object]) -> object:
    return _read()


@st.cache_resource(show_spinner=False, ttl=60, max_entries=16)
def plan_runs_of(path: str, cluster_id: str, newest: int, state: str, _journal: Journal) -> tuple[PlanRun, ...]:
    """``reseat.operate.executed.plan_runs`` of the journal at ``path``, which takes a second for fifty large plans.

    Kept until another run is approved, or the newest (its id and state) goes on.
    """
    from reseat.operate.executed import plan_runs

    return plan_runs(_journal, cluster_id)


@st.cache_resource(show_spinner=False, ttl=60, max_entries=16)
def rates_of(path: str, cluster_id: str, newest: int, state: str, _journal: Journal) -> tuple[ObservedRate, ...]:
    """``reseat.operate.observed.observed_rates`` of the journal at ``path``; kept as ``plan_runs_of``."""
    from reseat.operate.observed import observed_rates

    return observed_rates(_journal, cluster_id)


@_result(LAYOUTS)
def past_snapshot(history: History, landing: str, cluster: str, snapshot_id: str) -> Snapshot:
    """``reseat.history.past.snapshot_at``, which says what it raises: one moment of the past as a whole snapshot."""
    from reseat.history.past import snapshot_at

    return snapshot_at(history, landing, cluster, snapshot_id)


@_result(PLANS)
def schedule_of(
    layout: ClusterLayout, sealed: SealedPlan, limits: BatchLimits, tiering: Tiering
) -> tuple[Work, Preview]:
    """``reseat.schedule.batches.batches``: the batches in which a plan would be sent as the cluster stands."""
    from reseat.schedule.batches import batches, work_of
    from reseat.schedule.tiered import with_tiered

    work = work_of(layout, sealed.proposed)
    return work, with_tiered(batches(work, limits), work, sealed.proposed, tiering)


_READINGS = _results(LAYOUTS)


def reading_of(files: Sequence[tuple[str, bytes]]) -> Reading:
    """Read files that together are one layout; the same bytes are read once.

    Raises:
        InputRefused: as ``reseat.sources.read_files``.
    """
    state = hashlib.blake2b(digest_size=16)
    for name, data in files:
        state.update(f"{len(name)}:{name}:{len(data)}:".encode(errors="replace"))
        state.update(data)
    from reseat.sources import read_files

    large = sum(len(data) for _, data in files) > _BYTES_HERE
    make = functools.partial(_beside, read_files, files) if large else functools.partial(read_files, files)
    return _READINGS.of(state.hexdigest(), make)


def layout_of(reading: Reading, edits: Edits) -> ClusterLayout:
    """The layout as read, with the edits applied."""
    return reading.layout if edits.is_empty else kept(apply_edits, LAYOUTS)(reading.layout, edits)


def balance_of(layout: ClusterLayout) -> Balance:
    """``reseat.balance.measure`` of a layout."""
    from reseat.balance import measure

    return kept(measure, 2 * PLANS)(layout)


def findings_of(layout: ClusterLayout) -> tuple[Finding, ...]:
    """``reseat.balance.findings`` of a layout."""
    from reseat.balance import findings

    return kept(findings, 2 * PLANS)(layout)


@_result(PLANS)
def plan_for(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan of a wish, at the point of the curve that it names; pages ask ``components.what_if.what_if`` for theirs.

    Raises:
        WishRefused: the wish cannot be; ``what_if.refusal`` draws it.
    """
    from reseat.observe.events import planning
    from reseat.planning import plan

    with planning(wish):
        return _computed(plan, layout, wish)


def against_generate_of(plan: Plan, tool: Tool, mode: RackMode) -> AgainstGenerate:
    """``reseat.planning.against_generate``: what Kafka's ``--generate`` would propose, over its draws.

    Raises:
        WishRefused: the tool has no proposal for this wish, or would refuse.
    """
    from reseat.planning.against_generate import against_generate

    return kept(against_generate, 2 * PLANS)(plan, tool, rack_mode=mode)


def beside_one_draw_of(plan: Plan, tool: Tool, seed: int, mode: RackMode) -> Beside:
    """One draw of ``--generate``, partition by partition.

    Raises:
        WishRefused: as ``against_generate_of``.
    """
    from reseat.planning.against_generate import beside_one_draw

    return kept(beside_one_draw, 4)(plan, tool, seed, rack_mode=mode)


def judgement_of(
    layout: ClusterLayout,
    proposed: ClusterLayout,
    wish: Wish,
    directories: tuple[LogDirectory, ...],
    *,
    allow_rf_change: bool = False,
) -> Certificate:
    """``reseat.planning.judge`` of any plan for a wish."""
    from reseat.planning.judge import judge

    return kept(judge)(layout, proposed, wish, allow_rf_change=allow_rf_change, directories=directories)


@st.cache_resource(show_spinner=False, max_entries=_REPORTS)
def report_of(asked: tuple[object, ...], _make: Callable[[], _Answer]) -> _Answer:
    """The report of what was asked, made once.

    Args:
        asked: all that it depends on: the layout, the what-if, the choices, the key of pseudonyms, the history.
        _make: makes it.
    """
    return _make()


@_result(PLANS)
def comparison_of(brokers: tuple[Broker, ...], topics: int, factor: int, seed: int) -> tuple[Outcome, ...]:
    """``reseat.placement.comparison.compare`` of so many topics of mixed sizes.

    Raises:
        PlacementRefused: they cannot be placed so.
    """
    from reseat.placement import JavaRandom
    from reseat.placement.comparison import compare, mixed_sizes

    return compare(brokers, mixed_sizes(topics, JavaRandom(seed)), factor, lambda: JavaRandom(seed))
