"""What is kept between reruns and shared between sessions; the only place that uses Streamlit's caches.

Layouts are immutable and shared by their digest without copies. Results are keyed by (digest, wish); an error is
passed through and never kept. Entries are bounded, since one layout may hold a million partitions.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import streamlit as st

from components.edits import Edits, apply_edits
from components.live import LiveClusters, Noted
from components.pipeline_process import PipelineProcess
from reseat.access import Door
from reseat.formats.reading import Reading
from reseat.model import Broker, Certificate, ClusterLayout, Finding, Plan, Snapshot, Wish

if TYPE_CHECKING:
    from components.report_made import Made
    from components.resilience_losses import Losses
    from reseat.balance import Balance
    from reseat.election import (
        AutoRebalance,
        ElectionPreview,
        Majority,
        Mode,
        Move,
        RestartVerdict,
        StopPreview,
        Walk,
    )
    from reseat.formats.sealed import SealedPlan
    from reseat.history.read import History
    from reseat.operate.journal import Journal
    from reseat.placement import RackMode, Tool
    from reseat.placement.comparison import Outcome
    from reseat.placement.creation import Way
    from reseat.placement.fingerprint import TopicFingerprint
    from reseat.placement.topic_spec import ClusterDefaults, TopicSpec
    from reseat.planning import Curve
    from reseat.planning.against_generate import AgainstGenerate, Beside
    from reseat.planning.schedule import Preview
    from reseat.planning.transfer import Transfer
    from reseat.resilience import Loss
    from reseat.sources import Sample

__all__ = [
    "Shelved",
    "against_generate_of",
    "asked",
    "auto_rebalance_of",
    "balance_of",
    "beside_one_draw_of",
    "board_of",
    "both_of",
    "comparison_of",
    "curve_of",
    "difference_of",
    "election_after",
    "election_of",
    "findings_of",
    "fingerprints_of",
    "history_in",
    "journal",
    "judgement_of",
    "laid_over",
    "layout_after_of",
    "layout_of",
    "live_clusters",
    "loss_of",
    "losses_of",
    "majority_of",
    "once_done_of",
    "past_snapshot",
    "pipeline",
    "plan_for",
    "reading_of",
    "report_of",
    "restarts_of",
    "sample_of",
    "schedule_of",
    "shelf",
    "stop_of",
    "topic_draws_of",
    "transfer_back_of",
    "transfer_of",
    "unclean_of",
    "walk_of",
]

#: Answers of the history kept: those of a few pages, for a few clusters.
_ANSWERS = 64
#: Seconds after which tables that lie elsewhere than on this machine are asked whether a job changed them.
_STAMP_SECONDS = 10
_Answer = TypeVar("_Answer")

#: Layouts kept for links and other sessions.
_LAYOUTS = 6
#: Plans kept: a person goes back and forth between a few, and one of a million partitions takes 25 MB.
_PLANS = 8
#: Layouts once a plan is done, and the same without who left: each holds lists, leaders and ISR of its own.
_AFTER = 4
#: Reports kept: each holds its figures and tables, and the documents that were asked for.
_REPORTS = 6


@dataclass(frozen=True, slots=True)
class Shelved:
    """A layout that this server knows: what was read, its name, when, and how it was looked at.

    ``latest_of`` is the name of the live cluster that it is the latest reading of, or None; an earlier one makes way
    for it. ``door`` is what one must be allowed to see it, or None for what a person opened of their own.
    """

    reading: Reading
    name: str
    read_at: datetime
    edits: Edits
    digest: str
    latest_of: str | None = None
    door: Door | None = None


class Shelf:
    """The layouts that links of this server can name, the least recently used falling off."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Shelved] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, shelved: Shelved) -> None:
        """Keep a layout, as the most recently used."""
        with self._lock:
            if shelved.latest_of is not None:
                for digest in [key for key, kept in self._kept.items() if kept.latest_of == shelved.latest_of]:
                    del self._kept[digest]
            self._kept[shelved.digest] = shelved
            self._kept.move_to_end(shelved.digest)
            while len(self._kept) > _LAYOUTS:
                self._kept.popitem(last=False)

    def find(self, digest: str) -> Shelved | None:
        """The layout with this digest, or None: who does not know all of it is given nothing."""
        with self._lock:
            return self._kept.get(digest)


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """The one shelf of this server."""
    return Shelf()


@st.cache_resource(show_spinner=False)
def live_clusters() -> LiveClusters:
    """The named live clusters of this server, shared by everybody who looks at them."""
    return LiveClusters()


@st.cache_resource(show_spinner=False)
def pipeline() -> PipelineProcess:
    """The one pipeline of this server: whoever starts it, everybody sees how far it is."""
    return PipelineProcess()


def history_in(where: str) -> History:
    """The tables in a folder; they need not be there yet.

    Raises:
        InputRefused: it is no place, or of a kind that is not known.
    """
    return _history(where)


@st.cache_resource(show_spinner=False, max_entries=4)
def _history(where: str) -> History:
    from reseat.history.read import History

    return History.open(where)


def asked(history: History, question: str, ask: Callable[[], _Answer]) -> _Answer:
    """An answer of the history, kept until a job of the pipeline changes the tables; never changed by who gets it.

    Args:
        history: the tables.
        question: names what is asked, all that it depends on included.
        ask: asks it.

    Raises:
        InputRefused: as ``ask``, or the tables' folder cannot be listed.
    """
    local = history.tables.local is not None
    answer: _Answer = _asked(history.where, history.stamp() if local else _stamp(history.where, history), question, ask)
    return answer


@st.cache_data(show_spinner=False, ttl=_STAMP_SECONDS, max_entries=4)
def _stamp(where: str, _history: History) -> str:
    return _history.stamp()


@st.cache_resource(show_spinner=False, max_entries=_ANSWERS)
def _asked(where: str, stamp: str, question: str, _ask: Callable[[], object]) -> object:
    return _ask()


def past_snapshot(history: History, landing: str, cluster: str, snapshot_id: str) -> Snapshot:
    """``reseat.history.past.snapshot_at``: one moment of the past as a whole snapshot.

    Args:
        history: the tables.
        landing: the landing zone that they were made from.
        cluster: the cluster.
        snapshot_id: the snapshot's identity.

    Raises:
        InputRefused: the tables do not know it, or cannot be read.
    """
    return _past_snapshot(history.where, landing, cluster, snapshot_id, history)


@st.cache_resource(show_spinner=False, max_entries=_LAYOUTS)
def _past_snapshot(where: str, landing: str, cluster: str, snapshot_id: str, _history: History) -> Snapshot:
    return _history.snapshot_at(landing, cluster, snapshot_id)


def difference_of(before: Snapshot, after: Snapshot) -> Noted:
    """``reseat.balance.changes`` of any two moments of one cluster."""
    key = f"{before.layout.digest} {before.taken_at} {after.layout.digest} {after.taken_at}"
    return _difference(key, before, after)


@st.cache_resource(show_spinner=False, max_entries=_LAYOUTS)
def _difference(key: str, _before: Snapshot, _after: Snapshot) -> Noted:
    from reseat.balance.changes import changes

    return Noted(_before.taken_at, _after.taken_at, changes(_before.layout, _after.layout))


def both_of(before: ClusterLayout, after: ClusterLayout) -> ClusterLayout:
    """``components.history_both.both``: what stands at the sides of a heatmap of two moments."""
    return _both(before.digest, after.digest, before, after)


@st.cache_resource(show_spinner=False, max_entries=_LAYOUTS)
def _both(before: str, after: str, _before: ClusterLayout, _after: ClusterLayout) -> ClusterLayout:
    from components.history_both import both

    return both(_before, _after)


def journal(*, make: bool) -> Journal | None:
    """The journal that this server shares with every other Reseat of the same user.

    Args:
        make: whether it is made where it is not there yet; else None is returned then.

    Raises:
        InputRefused: it cannot be opened.
    """
    from reseat.operate.journal_schema import default_path

    path = default_path()
    return _journal(str(path)) if make or path.exists() else None


@st.cache_resource(show_spinner=False, max_entries=4)
def _journal(path: str) -> Journal:
    from reseat.operate.journal import Journal

    return Journal(path)


def laid_over(layout: ClusterLayout, sealed: SealedPlan) -> Plan:
    """A plan's text laid over a layout: what it changes there, what moves and how much; nothing of it is proven."""
    return _laid_over(layout.digest, sealed.hash, layout, sealed)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _laid_over(digest: str, plan: str, _layout: ClusterLayout, _sealed: SealedPlan) -> Plan:
    from reseat.planning.judge import apply_assignment

    standing = _layout.target()
    proposed, _ = apply_assignment(standing, _sealed.proposed, Wish(remove=_sealed.leaving))
    certificate = Certificate(wish=Wish(remove=_sealed.leaving), moves=0)
    whole = Plan(standing.with_brokers(proposed.brokers), proposed, certificate)
    moves = int((whole.moves.target >= 0).sum())
    return replace(whole, certificate=replace(certificate, moves=moves, changed_partitions=int(whole.changed.sum())))


def schedule_of(layout: ClusterLayout, sealed: SealedPlan, moves_a_broker: int, batch_bytes: int | None) -> Preview:
    """``reseat.planning.schedule.batches``: the batches in which a plan would be sent as the cluster stands."""
    return _schedule(layout.digest, sealed.hash, moves_a_broker, batch_bytes, layout, sealed)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _schedule(
    digest: str, plan: str, most: int, batch_bytes: int | None, _layout: ClusterLayout, _sealed: SealedPlan
) -> Preview:
    from reseat.planning.schedule import BatchLimits, batches, work_of

    return batches(work_of(_layout, _sealed.proposed), BatchLimits(most, batch_bytes))


def reading_of(files: Sequence[tuple[str, bytes]]) -> Reading:
    """Read files that together are one layout; the same bytes are read once.

    Raises:
        InputRefused: as ``reseat.sources.read_files``.
    """
    state = hashlib.blake2b(digest_size=16)
    for name, data in files:
        state.update(f"{len(name)}:{name}:{len(data)}:".encode(errors="replace"))
        state.update(data)
    return _reading(state.hexdigest(), files)


@st.cache_resource(show_spinner=False, max_entries=6)
def _reading(digest: str, _files: Sequence[tuple[str, bytes]]) -> Reading:
    from reseat.sources import read_files

    return read_files(_files)


@st.cache_resource(show_spinner=False, max_entries=6)
def sample_of(sample: Sample) -> Reading:
    """A bundled sample, read or generated once.

    Raises:
        InputRefused: the sample's text is missing or is not a layout.
    """
    from reseat.sources import load_sample

    return load_sample(sample)


def fingerprints_of(layout: ClusterLayout) -> tuple[TopicFingerprint, ...]:
    """``reseat.placement.fingerprint.infer``: the draws that made each topic, or what was moved since.

    Raises:
        PlacementRefused: the order of lists is not told.
    """
    return _fingerprints(layout.digest, layout)


@st.cache_resource(show_spinner=False, max_entries=_LAYOUTS)
def _fingerprints(digest: str, _layout: ClusterLayout) -> tuple[TopicFingerprint, ...]:
    from reseat.placement.fingerprint import infer

    return infer(_layout)


def topic_draws_of(
    layout: ClusterLayout, spec: TopicSpec, way: Way, rounds: int, defaults: ClusterDefaults
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """``reseat.placement.creation.loads_over_draws``: what brokers would get of a new topic over many draws.

    Raises:
        PlacementRefused: Kafka would refuse to place it.
    """
    return _topic_draws(f"{layout.digest} {spec!r} {way} {defaults!r}", rounds, spec, (layout, way, defaults))


@st.cache_resource(show_spinner=False, max_entries=32)
def _topic_draws(
    key: str, rounds: int, _spec: TopicSpec, _on: tuple[ClusterLayout, Way, ClusterDefaults]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    from reseat.placement.creation import loads_over_draws

    layout, way, defaults = _on
    return loads_over_draws(_spec, layout.brokers, way, rounds=rounds, defaults=defaults)


def layout_of(reading: Reading, edits: Edits) -> ClusterLayout:
    """The layout as read, with the edits applied."""
    return reading.layout if edits.is_empty else _layout(reading.layout.digest, repr(edits), reading.layout, edits)


@st.cache_resource(show_spinner=False, max_entries=_LAYOUTS)
def _layout(digest: str, key: str, _layout: ClusterLayout, _edits: Edits) -> ClusterLayout:
    return apply_edits(_layout, _edits)


def balance_of(layout: ClusterLayout) -> Balance:
    """``reseat.balance.measure`` of a layout."""
    return _balance(layout.digest, layout)


@st.cache_resource(show_spinner=False, max_entries=2 * _PLANS)
def _balance(digest: str, _layout: ClusterLayout) -> Balance:
    from reseat.balance import measure

    return measure(_layout)


def findings_of(layout: ClusterLayout) -> tuple[Finding, ...]:
    """``reseat.balance.findings`` of a layout."""
    return _findings(layout.digest, layout)


@st.cache_resource(show_spinner=False, max_entries=2 * _PLANS)
def _findings(digest: str, _layout: ClusterLayout) -> tuple[Finding, ...]:
    from reseat.balance import findings

    return findings(_layout)


def plan_for(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan of a wish, at the point of the curve that it names; pages ask ``components.what_if`` for theirs.

    Raises:
        WishRefused: the wish cannot be; ``components.frame.refused`` draws it.
    """
    return _plan(layout.digest, repr(wish), layout, wish)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _plan(digest: str, key: str, _layout: ClusterLayout, _wish: Wish) -> Plan:
    from reseat.planning import plan

    return plan(_layout, _wish)


def curve_of(layout: ClusterLayout, wish: Wish) -> Curve:
    """``reseat.planning.whole_curve``: what more moves buy, and what is left out.

    Raises:
        WishRefused: the wish cannot be.
    """
    return _curve(layout.digest, repr(wish), layout, wish)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _curve(digest: str, key: str, _layout: ClusterLayout, _wish: Wish) -> Curve:
    from reseat.planning import whole_curve

    return whole_curve(_layout, _wish)


def transfer_of(plan: Plan) -> Transfer | None:
    """``reseat.planning.transfer.transfer``: what carrying out a plan copies."""
    return _transfer(plan.current.digest, plan.proposed.digest, False, plan)


def transfer_back_of(plan: Plan) -> Transfer | None:
    """What the rollback of a plan copies."""
    return _transfer(plan.current.digest, plan.proposed.digest, True, plan)


@st.cache_resource(show_spinner=False, max_entries=2 * _PLANS)
def _transfer(digest: str, proposed_digest: str, back: bool, _plan: Plan) -> Transfer | None:
    from reseat.planning.transfer import rollback, transfer

    return transfer(rollback(_plan) if back else _plan)


def board_of(layout: ClusterLayout, wish: Wish, plan: Plan | None) -> dict[str, object]:
    """``components.rack_board.data.board_data``: what the rack board draws; a drop reruns its page twice."""
    planned = "" if plan is None else f"{plan.current.digest} {plan.proposed.digest}"
    return _board(f"{layout.digest} {planned}", repr(wish), layout, wish, plan)


@st.cache_resource(show_spinner=False, max_entries=4)
def _board(digests: str, key: str, _layout: ClusterLayout, _wish: Wish, _plan: Plan | None) -> dict[str, object]:
    from components.rack_board.data import board_data

    return board_data(_layout, _wish, _plan)


def against_generate_of(plan: Plan, tool: Tool, mode: RackMode) -> AgainstGenerate:
    """``reseat.planning.against_generate``: what Kafka's ``--generate`` would propose, over its draws.

    Raises:
        WishRefused: the tool has no proposal for this wish, or would refuse.
    """
    return _against_generate(f"{plan.current.digest} {plan.proposed.digest} {plan.wish!r}", tool, mode, plan)


@st.cache_resource(show_spinner=False, max_entries=2 * _PLANS)
def _against_generate(key: str, tool: Tool, mode: RackMode, _plan: Plan) -> AgainstGenerate:
    from reseat.planning.against_generate import against_generate

    return against_generate(_plan, tool, rack_mode=mode)


def beside_one_draw_of(plan: Plan, tool: Tool, seed: int, mode: RackMode) -> Beside:
    """One draw of ``--generate``, partition by partition.

    Raises:
        WishRefused: as ``against_generate_of``.
    """
    return _beside(f"{plan.current.digest} {plan.proposed.digest} {plan.wish!r}", tool, seed, mode, plan)


@st.cache_resource(show_spinner=False, max_entries=4)
def _beside(key: str, tool: Tool, seed: int, mode: RackMode, _plan: Plan) -> Beside:
    from reseat.planning.against_generate import beside_one_draw

    return beside_one_draw(_plan, tool, seed, rack_mode=mode)


def judgement_of(
    layout: ClusterLayout, proposed: ClusterLayout, wish: Wish, *, allow_rf_change: bool = False
) -> Certificate:
    """``reseat.planning.judge`` of any plan for a wish."""
    return _judgement(layout.digest, proposed.digest, repr(wish), allow_rf_change, layout, proposed, wish)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _judgement(
    digest: str,
    proposed_digest: str,
    key: str,
    allow_rf_change: bool,
    _layout: ClusterLayout,
    _proposed: ClusterLayout,
    _wish: Wish,
) -> Certificate:
    from reseat.planning.judge import judge

    return judge(_layout, _proposed, _wish, allow_rf_change=allow_rf_change)


def election_of(layout: ClusterLayout, mode: Mode) -> ElectionPreview:
    """``reseat.election.preferred``: what a preferred-leader election would do now."""
    return _election(layout.digest, mode, layout)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _election(digest: str, mode: Mode, _layout: ClusterLayout) -> ElectionPreview:
    from reseat.election import preferred

    return preferred(_layout, mode)


def election_after(plan: Plan, mode: Mode) -> ElectionPreview:
    """``reseat.election.after_plan``: who leads once a plan is done, and after an election then."""
    return _election_after(plan.current.digest, plan.proposed.digest, mode, plan)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _election_after(digest: str, proposed: str, mode: Mode, _plan: Plan) -> ElectionPreview:
    from reseat.election import after_plan

    return after_plan(_plan, mode)


def once_done_of(plan: Plan) -> ClusterLayout:
    """``reseat.election.once_done``: the layout once a plan is done, brokers that left still named."""
    return _once_done(plan.current.digest, plan.proposed.digest, plan)


@st.cache_resource(show_spinner=False, max_entries=_AFTER)
def _once_done(digest: str, proposed: str, _plan: Plan) -> ClusterLayout:
    from reseat.election import once_done

    return once_done(_plan)


def layout_after_of(plan: Plan) -> ClusterLayout:
    """``reseat.election.layout_after``: the layout once a plan is done, without the brokers that left."""
    return _layout_after(plan.current.digest, plan.proposed.digest, plan.wish.remove, plan)


@st.cache_resource(show_spinner=False, max_entries=_AFTER)
def _layout_after(digest: str, proposed: str, leaving: tuple[int, ...], _plan: Plan) -> ClusterLayout:
    from reseat.election import layout_after

    return layout_after(_plan)


def report_of(asked: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """The report of what was asked, made once.

    Args:
        asked: all that it depends on: the layout, the what-if, the choices, the key of pseudonyms, the history.
        make: makes it.
    """
    return _report(asked, make)


@st.cache_resource(show_spinner=False, max_entries=_REPORTS)
def _report(asked: tuple[object, ...], _make: Callable[[], Made]) -> Made:
    return _make()


def stop_of(layout: ClusterLayout, brokers: tuple[int, ...], mode: Mode, *, unclean: bool) -> StopPreview:
    """``reseat.election.stop``: what happens while brokers are stopped."""
    return _stop(layout.digest, brokers, mode, unclean, layout)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _stop(digest: str, brokers: tuple[int, ...], mode: Mode, unclean: bool, _layout: ClusterLayout) -> StopPreview:
    from reseat.election import stop

    return stop(_layout, brokers, unclean=unclean, mode=mode)


def walk_of(layout: ClusterLayout, moves: tuple[Move, ...], mode: Mode, *, unclean: bool) -> Walk:
    """``reseat.election.walk``: stops, returns and elections, one after the other."""
    return _walk(layout.digest, repr(moves), mode, unclean, layout, moves)


@st.cache_resource(show_spinner=False, max_entries=4)
def _walk(digest: str, key: str, mode: Mode, unclean: bool, _layout: ClusterLayout, _moves: tuple[Move, ...]) -> Walk:
    from reseat.election import walk

    return walk(_layout, _moves, unclean=unclean, mode=mode)


def majority_of(layout: ClusterLayout, brokers: tuple[int, ...], mode: Mode) -> Majority:
    """``reseat.election.against_majority``: what a majority system would need for the same."""
    return _majority(layout.digest, brokers, mode, layout)


@st.cache_resource(show_spinner=False, max_entries=32)
def _majority(digest: str, brokers: tuple[int, ...], mode: Mode, _layout: ClusterLayout) -> Majority:
    from reseat.election import against_majority

    return against_majority(_layout, brokers, mode)


def unclean_of(layout: ClusterLayout, mode: Mode) -> ElectionPreview:
    """``reseat.election.unclean``: what an unclean election on request would do."""
    return _unclean(layout.digest, mode, layout)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _unclean(digest: str, mode: Mode, _layout: ClusterLayout) -> ElectionPreview:
    from reseat.election import unclean

    return unclean(_layout, mode)


def auto_rebalance_of(layout: ClusterLayout, mode: Mode) -> AutoRebalance:
    """``reseat.election.auto_rebalance`` with its default percentage."""
    return _auto_rebalance(layout.digest, mode, layout)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _auto_rebalance(digest: str, mode: Mode, _layout: ClusterLayout) -> AutoRebalance:
    from reseat.election import auto_rebalance

    return auto_rebalance(_layout, mode=mode)


def restarts_of(layout: ClusterLayout) -> tuple[RestartVerdict, ...]:
    """``reseat.election.safe_to_restart``: the next broker to restart first."""
    return _restarts(layout.digest, layout)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _restarts(digest: str, _layout: ClusterLayout) -> tuple[RestartVerdict, ...]:
    from reseat.election import safe_to_restart

    return safe_to_restart(_layout)


def comparison_of(brokers: tuple[Broker, ...], topics: int, factor: int, seed: int) -> tuple[Outcome, ...]:
    """``reseat.placement.comparison.compare`` of so many topics of mixed sizes.

    Raises:
        PlacementRefused: they cannot be placed so.
    """
    return _comparison(brokers, topics, factor, seed)


@st.cache_resource(show_spinner=False, max_entries=_PLANS)
def _comparison(brokers: tuple[Broker, ...], topics: int, factor: int, seed: int) -> tuple[Outcome, ...]:
    from reseat.placement import JavaRandom
    from reseat.placement.comparison import compare, mixed_sizes

    return compare(brokers, mixed_sizes(topics, JavaRandom(seed)), factor, lambda: JavaRandom(seed))


def losses_of(layout: ClusterLayout, mode: Mode) -> Losses:
    """``components.resilience_losses.from_layout``: every broker, rack and pair lost, counted by the core."""
    return _losses(layout.digest, mode, layout)


@st.cache_resource(show_spinner=False, max_entries=4)
def _losses(digest: str, mode: Mode, _layout: ClusterLayout) -> Losses:
    from components.resilience_losses import from_layout

    return from_layout(_layout, mode)


def loss_of(layout: ClusterLayout, brokers: tuple[int, ...], mode: Mode) -> Loss:
    """``reseat.resilience.loss``: what losing these brokers does, and what healing it takes."""
    return _loss(layout.digest, brokers, mode, layout)


@st.cache_resource(show_spinner=False, max_entries=64)
def _loss(digest: str, brokers: tuple[int, ...], mode: Mode, _layout: ClusterLayout) -> Loss:
    from reseat.resilience import loss

    return loss(_layout, brokers, mode=mode)
