"""The judge: what any plan does, also one written by hand or by another tool, and how far it is from the best.

Promises
    1. Whatever is laid over the layout is judged or named as a fault: an unknown partition or broker, an empty list,
       and what the checker finds (duplicates, replicas left behind, changed replication factors, copies to the dead).
    2. The numbers of a certificate for this plan, with the least beside each: moves, racks and replicas as Reseat's
       own planner reaches them for the same wish; leaders for this plan's own replica sets.
    3. A flag is True only where the independent checker confirms that this plan reaches the least, objectives in their
       order. A plan with more moves than needed may be evener than the least of the minimal plans; it is then not
       called proven, and the sentences say both.

Needs
    A plan may hold some partitions only; the others stay as they are. Where the layout names a broker twice in a list,
    a mend is judged as any change; of another change the faults and numbers are given, and nothing is proven.

Example:
    tp_re_02 has one replica a partition: 0 on broker 1, 1 on broker 0, 2 on broker 1. The plan
    ``{0: [0,1], 1: [0,1], 2: [1,0]}`` is valid and copies the least, three replicas; but partition 0 is then preferred
    by broker 0 instead of 1, which nothing asked for.

Complexity: O(P R) to lay the plan over, then what the checker and the planner take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reseat.balance import frozen_by_cordon
from reseat.errors import WishRefused
from reseat.formats.documents.sealed import SealedPlan
from reseat.model import NONE, BoolArray, Broker, Certificate, ClusterLayout, LogDirectory, Plan, Wish
from reseat.model.arrays import lists_differ, newcomers, on_brokers, row_any, widened
from reseat.model.wording import counted, minimal
from reseat.planning.cautions import with_cautions, with_room
from reseat.planning.finishing import certified, with_leaders_evened
from reseat.planning.kinds.add import merged
from reseat.planning.plan import plan
from reseat.planning.preconditions import pinned, settled, who_leads
from reseat.planning.proof.checker import check
from reseat.planning.proof.compared import noted
from reseat.planning.proof.verdict import Verdict, last_resort_sentences, not_executed
from reseat.planning.proposal import propose
from reseat.planning.rack_levels import refused_of_racks

__all__ = ["apply_assignment", "judge", "laid_over"]

_NOTHING = Wish()

#: Partitions in a sentence that are named one by one.
_NAMED_PARTITIONS = 3


def judge(
    layout: ClusterLayout,
    proposed: ClusterLayout,
    wish: Wish = _NOTHING,
    *,
    allow_rf_change: bool = False,
    text_faults: Sequence[str] = (),
    directories: Sequence[LogDirectory] = (),
) -> Certificate:
    """Judge a plan against what was wished.

    Args:
        layout: the layout as it stands; its target where a reassignment is under way.
        proposed: the plan, all partitions or some (``apply_assignment`` lays it over).
        wish: what the plan is for; empty: nothing has to move.
        allow_rf_change: whether partitions may get another number of replicas without it being wished for.
        text_faults: what is wrong with the text that the plan was read from, a sentence each
            (``reseat.formats.documents.plan_text.plan_faults``); they stand before the faults found here.
        directories: what brokers tell of their log directories: whether what comes has room there.

    Returns:
        The certificate of this plan; ``faults`` says why it must not be executed, where it must not.

    Raises:
        WishRefused: what a rule of the wish names is not known.
    """
    start = settled(layout, wish.options, wish.remove)
    standing = start.layout
    doubled = 0 if wish.mend else int(standing.duplicates.size)
    after, faults = apply_assignment(standing, proposed, wish)
    current = standing.with_brokers(after.brokers)
    # One that a cordon holds may be taken off the cordoned brokers.
    anywhere = pinned(layout, wish.options, tuple(layout.broker_ids.tolist()))
    held = start.pinned & (anywhere | frozen_by_cordon(after, wish.remove))
    verdict = _verdict(current, after, wish, allow_rf_change, held)
    if doubled or refused_of_racks(standing, wish):
        verdict = verdict.unproven()
    best, refusal = None, None
    try:
        best = None if wish.is_empty else plan(standing, wish).certificate
    except WishRefused as refused:
        refusal = str(refused)
    comparison = _Comparison.of(current, after, wish, verdict)
    reference = best if not comparison.other_factors else None
    faults = tuple(dict.fromkeys((*text_faults, *faults, *verdict.faults)))
    least_moves = verdict.least_moves if reference is None or verdict.moves_proven else reference.least_moves
    least_rack, least_replicas = _least_balance(current, verdict, reference, wish)
    sound = verdict.unproven() if faults else verdict
    ordered = bool(current.order_told.all())
    certificate = certified(current, after, standing=standing, wish=wish, verdict=sound)
    certificate = replace(
        certificate,
        least_moves=least_moves,
        least_rack_sum_of_squares=least_rack,
        least_replica_sum_of_squares=least_replicas,
        least_leader_sum_of_squares=comparison.least_leader_sum_of_squares if ordered else None,
        least_changed_preferred_leaders=comparison.least_changed if ordered else None,
        faults=faults,
    )
    judged = _with_sentences(certificate, comparison, reference, refusal, verdict)
    if doubled:
        named = f"{counted(doubled, 'partition names', 'partitions name')} a broker twice"
        mended = f"{named}: nothing is proven of this plan. Validate it as a mend (--mend), if it is one."
        judged = replace(judged, sentences=(*judged.sentences, mended))
    made = with_cautions(Plan(current=current, proposed=after, certificate=judged), layout)
    judged = with_room(made, directories).certificate
    if not start.under_way.size:
        return judged
    under_way = counted(start.under_way.size, "partition")
    over = f"A reassignment of {under_way} is in progress: the plan is validated from the layout after it completes."
    return replace(judged, sentences=(*judged.sentences, over))


def apply_assignment(
    layout: ClusterLayout, assignment: ClusterLayout, wish: Wish = _NOTHING
) -> tuple[ClusterLayout, tuple[str, ...]]:
    """Lay an assignment of some partitions over a layout.

    Args:
        layout: the layout, without a reassignment under way.
        assignment: replica lists of some or all of its partitions; of its brokers only the ids count.
        wish: brokers that it adds are known too.

    Returns:
        The layout with these lists, brokers that only the assignment names included; and the faults: partitions and
        brokers that are unknown, empty lists. A partition with such a list stays as it is.
    """
    known = layout.with_brokers(merged(layout, Broker(broker, rack)) for broker, rack in wish.add)
    faults: list[str] = []
    rows = known.rows_of(assignment)
    empty, name = (assignment.replication_factor == 0) & (rows >= 0), assignment.name_of
    for wrong, one, rest in (
        (rows < 0, "is not in the layout", "partitions are not in the layout"),
        (empty, "has an empty replica list", "partitions have an empty replica list"),
    ):
        noted(faults, np.nonzero(wrong), lambda row, one=one: f"{name(row)} {one}.", rest)
    taken = np.flatnonzero((rows >= 0) & ~empty)
    lists = assignment.replicas[taken]
    strange = ~assignment.is_broker(known.broker_ids)
    at, column = np.nonzero(on_brokers(lists, strange))
    ids = assignment.broker_ids[lists[at, column]].astype(np.int64)
    noted(
        faults,
        (taken[at], ids),
        lambda row, broker: f"{name(row)} would be on broker {broker}, which is not in the layout.",
        "replicas would be on brokers that are not in the layout",
    )
    known = known.with_brokers(map(Broker, np.unique(ids).tolist()))
    place = np.full(len(assignment.brokers) + 1, NONE, np.int32)
    shared = assignment.is_broker(known.broker_ids)
    place[:-1][shared] = np.searchsorted(known.broker_ids, assignment.broker_ids[shared])
    ours = rows[taken]
    order = np.argsort(ours, kind="stable")
    ours, lists = ours[order], place[lists[order]]
    differs = lists_differ(known.replicas[ours], lists)
    return propose(known, ours[differs], lists[differs]), tuple(faults)


def laid_over(layout: ClusterLayout, sealed: SealedPlan) -> Plan:
    """What a plan changes in a layout, what moves and how much; nothing of it is proven."""
    standing = layout.target()
    proposed, _ = apply_assignment(standing, sealed.proposed, Wish(remove=sealed.leaving))
    certificate = Certificate(wish=Wish(remove=sealed.leaving), moves=0)
    whole = Plan(standing.with_brokers(proposed.brokers), proposed, certificate)
    moves = int((whole.moves.target >= 0).sum())
    return replace(whole, certificate=replace(certificate, moves=moves, changed_partitions=int(whole.changed.sum())))


def _verdict(
    current: ClusterLayout, after: ClusterLayout, wish: Wish, allow_rf_change: bool, unmovable: BoolArray
) -> Verdict:
    whole = check(current, after, wish, allow_rf_change=allow_rf_change, pinned=unmovable)
    most = wish.options.max_moves if wish.point is None else wish.point
    # A limit on moves matters only where it keeps a plan from the least spread.
    done = whole.leaders_proven if wish.leaders_only else whole.moves_proven
    if done or (most is None and not wish.limits_bytes):
        return whole
    return check(current, after, wish, limited=True, pinned=unmovable)


def _least_balance(
    current: ClusterLayout, verdict: Verdict, reference: Certificate | None, wish: Wish
) -> tuple[int | None, int | None]:
    """The least rack and replica sums of squares: of the planner where it proved them, or of this plan where proven."""
    rack = replicas = None
    if reference is not None:
        rack = reference.rack_sum_of_squares if reference.rack_balance_proven else None
        replicas = reference.replica_sum_of_squares if reference.replica_balance_proven else None
    elif wish.is_empty and verdict.least_moves == 0:
        # Nothing has to move, and nothing moves in the best plan.
        still = check(current, current, _NOTHING)
        rack, replicas = still.rack_sum_of_squares, still.replica_sum_of_squares
    if wish.keeps_racks:
        rack = None
    elif verdict.rack_proven:
        rack = verdict.rack_sum_of_squares
    if verdict.replicas_proven:
        replicas = verdict.replica_sum_of_squares
    return rack, replicas


@dataclass(frozen=True, eq=False)
class _Comparison:
    """What orders of this plan's own replica sets could reach, and what it changes without need.

    Attributes:
        other_factors: whether a partition has another number of replicas without a wish for it.
        least_leader_sum_of_squares: the least over orders of the lists that the wish lets change; the plan's own where
            it took more freedom than it had and is proven evener.
        least_changed: the fewest changed preferred leaders among those; None where less even ones change fewer.
        avoidable: rows whose preferred leader changes though the old one stays in the list.
    """

    other_factors: bool
    least_leader_sum_of_squares: int
    least_changed: int | None
    avoidable: tuple[str, ...]

    @classmethod
    def of(cls, current: ClusterLayout, after: ClusterLayout, wish: Wish, verdict: Verdict) -> _Comparison:
        """Compare; brokers of both are the same."""
        width = max(current.replicas.shape[1], after.replicas.shape[1], 1)
        standing, laid = widened(current.replicas, width), widened(after.replicas, width)
        rows = np.flatnonzero((standing != laid).any(axis=1))
        before, lists = standing[rows], laid[rows]
        factor_before, factor_after = (before != NONE).sum(axis=1), (lists != NONE).sum(axis=1)
        moved = row_any(newcomers(before, lists))
        leaving = current.is_broker(wish.remove)
        targets = who_leads(current, wish.options, leaving).may_lead

        # Which lists may be ordered anew, as the wish has it: those whose members differ; where nothing is wished for,
        # those that the plan ordered anew; never those that grow, whose first replica stays first.
        first_may_stay = on_brokers(before[:, 0], ~leaving)
        grows = (factor_after > factor_before) & first_may_stay
        free = (moved | (factor_after != factor_before) | (not leaving.any())) & ~grows
        if wish.mend:  # who only named a broker twice keeps its order
            free = moved | row_any(newcomers(lists, before))
        every, some = (np.arange(len(standing)), slice(None)) if wish.orders_all else (rows[free], free)
        led = with_leaders_evened(current, rows[some], lists[some], free=every, leaving=leaving, options=wish.options)
        counts = led.preferred_by_broker[targets]
        own = (verdict.leader_sum_of_squares,) if verdict.leaders_proven else ()
        fewest = int((led.replicas[:, :1] != standing[:, :1]).sum())
        stays = (lists == before[:, :1]).any(axis=1) & on_brokers(before[:, 0], targets)
        lost = np.flatnonzero(stays & (lists[:, 0] != before[:, 0]))
        ids = current.broker_ids
        named = tuple(
            f"{current.name_of(int(rows[i]))} from broker {int(ids[before[i, 0]])} to broker {int(ids[lists[i, 0]])}"
            for i in lost[: _NAMED_PARTITIONS + 1].tolist()
        )
        return cls(
            other_factors=not (wish.topics or wish.mend) and bool((factor_after != factor_before).any()),
            least_leader_sum_of_squares=min((int((counts**2).sum()), *own)),
            least_changed=fewest if fewest <= verdict.changed_preferred_leaders else None,
            avoidable=named,
        )


def _with_sentences(
    certificate: Certificate,
    comparison: _Comparison,
    reference: Certificate | None,
    refusal: str | None,
    verdict: Verdict,
) -> Certificate:
    said = [*not_executed(certificate.faults), *last_resort_sentences(verdict), _moves(certificate, reference, verdict)]
    if certificate.rack_sum_of_squares is not None:
        said.append(_racks(certificate, verdict))
    said.append(_replicas(certificate, reference, verdict))
    if certificate.leader_sum_of_squares is None:
        said.append("The order of replica lists is unknown, so preferred leaders cannot be compared.")
    else:
        said.append(_leaders(certificate))
        said.append(_changed_leaders(certificate, comparison))
    if refusal is not None:
        said.append(f"Reseat makes no plan of its own for this change: {refusal}")
    return replace(certificate, sentences=tuple(said))


def _moves(certificate: Certificate, reference: Certificate | None, verdict: Verdict) -> str:
    moves, least = certificate.moves, certificate.least_moves
    made = f"It moves {counted(moves, 'replica') if moves else 'no replica'}"
    if certificate.moves_proven:
        of = " for this spread" if certificate.wish.only_adds or certificate.wish.rebalance else ""
        if certificate.wish.rebalance and certificate.wish.chooses_moves:
            of = " for this balance"
        least_of = minimal(f"{made}, the proven minimum{of}", racks_unknown=verdict.racks_unknown)
        return least_of if moves or certificate.wish.only_adds else f"{made}."
    if least is None or certificate.faults:
        return f"{made}."
    if moves <= least:
        own = f"Reseat's plan, which does all that is asked for, moves {least:,}"
        return f"{made}; {own if moves < least and reference else 'not proven minimal'}."
    return f"{made}; the minimum is {least:,}."


def _racks(certificate: Certificate, verdict: Verdict) -> str:
    found, least = certificate.rack_sum_of_squares, certificate.least_rack_sum_of_squares
    if certificate.wish.keeps_racks:
        worse = "Partitions are balanced worse over racks than before, which this change does not require."
        return "No partition is balanced worse over racks than before." if verdict.rack_proven else worse
    if certificate.rack_balance_proven:
        return "Rack diversity is the best possible for every changed partition (proven)."
    if least is None or found is None:
        return "Rack diversity of the changed partitions: not proven the best possible."
    if not certificate.moves_proven:
        return f"Sum of squares over racks: {found:,}; with the fewest moves it is {least:,}."
    if found > least:
        return f"Rack placement can be improved: sum of squares {found:,}, minimum {least:,}."
    return f"Sum of squares over racks: {found:,}; not proven minimal."


def _replicas(certificate: Certificate, reference: Certificate | None, verdict: Verdict) -> str:
    spread = certificate.replica_spread or 0
    made = f"Max–min replica count per broker: {spread:,}"
    if certificate.replica_balance_proven:
        given = (
            "moves onto the added brokers alone"
            if certificate.wish.only_adds
            else f"{counted(certificate.moves, 'move')} and this rack placement"
        )
        return minimal(f"{made}. Proven minimal for {given}", racks_unknown=verdict.racks_unknown)
    found, least = certificate.replica_sum_of_squares, certificate.least_replica_sum_of_squares
    if found is None or least is None or reference is None or reference.replica_spread is None:
        return f"{made}."
    numbers = f"(sum of squares {found:,} against {least:,})"
    if certificate.moves_proven and certificate.rack_balance_proven:
        return f"{made}. {reference.replica_spread:,} can be reached with as few moves and the same racks {numbers}."
    return f"{made}. Reseat's own plan reaches {reference.replica_spread:,} {numbers}."


def _leaders(certificate: Certificate) -> str:
    made = f"Max–min preferred leaders per broker: {certificate.leader_spread or 0:,}"
    if certificate.leader_balance_proven:
        which = "these" if certificate.wish.orders_all else "the changed"
        return f"{made}. Proven minimal for {which} replica sets."
    found, least = certificate.leader_sum_of_squares, certificate.least_leader_sum_of_squares
    if found is None or least is None or found <= least:
        return f"{made}."
    return f"{made}. Reordering lists alone can lower the sum of squares from {found:,} to {least:,}."


def _changed_leaders(certificate: Certificate, comparison: _Comparison) -> str:
    changed, least = certificate.changed_preferred_leaders or 0, certificate.least_changed_preferred_leaders
    made = f"{counted(changed, 'partition gets', 'partitions get')} a new preferred leader"
    if certificate.changed_leaders_proven or not changed:
        return f"{made}. Fewer would worsen leader balance (proven)." if changed else "No preferred leader changes."
    if least is None or changed <= least or not comparison.avoidable:
        return f"{made}."
    if least == 0:
        more = changed - min(len(comparison.avoidable), _NAMED_PARTITIONS)
        named = ", ".join(comparison.avoidable[:_NAMED_PARTITIONS]) + (f" and {more:,} more" if more else "")
        return f"{made} without need: {named}."
    return f"{made}; {least:,} would be enough (avoidable, for example: {comparison.avoidable[0]})."
