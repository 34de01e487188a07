"""The sentence and the figures of the Board: of the present, and of what a plan moves and buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from components.look import text
from components.shell import frame
from components.shell.frame import Figure
from components.state import caching
from components.state.open_layout import OpenLayout
from components.what_if.cautions import draw_cautions, draw_input_cautions
from reseat.balance import racks_in_words
from reseat.balance.quorum import still_voting
from reseat.balance.room import short_of_room
from reseat.model import Certificate, Finding, Plan, Severity
from reseat.model.glossary import define
from reseat.model.plan import byte_spread, topic_spread
from reseat.model.wording import capital, doing

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from reseat.balance import Spread

__all__ = ["headline", "least_for", "outcome", "present"]

_SPREAD = define("Replica spread")
#: Its place among the figures of a plan.
_SPREAD_AT = 3
_LEADERS = define("Preferred leader spread")
_RACKS = define("Partitions without rack diversity")


def present(open_layout: OpenLayout) -> None:
    """What one sees while no change is selected."""
    layout, under_way = open_layout.layout.target(), bool(open_layout.layout.under_way.any())
    balance = caching.balance_of(layout)
    loads = balance.by_broker
    where = racks_in_words(layout)
    holds = text.verb(len(layout.brokers), "holds", "hold")
    done = " once the reassignment in progress is done" if under_way else ""
    frame.answer(
        f"{text.counted(len(layout.brokers), 'broker')} {where} {holds} "
        f"{text.counted(layout.replica_count, 'replica')}{done}. Drag a broker to Removed to preview a drain."
    )
    draw_input_cautions(open_layout, "present")
    data = "unknown"
    if loads.size_bytes is not None:
        unsized = balance.replicas - balance.sizes_told
        data = text.amount(float(np.nansum(loads.size_bytes)), unsized, balance.replicas)
    when = "once it is done" if under_way else "now" if open_layout.past is None else "then"
    # Each has a line below it, as the figures of a plan have: nothing jumps at the first drop.
    frame.figures(
        [
            Figure("Replicas", text.count(layout.replica_count), when),
            Figure("Partitions", text.count(layout.partition_count)),
            Figure("Data held", data, None, None),
            Figure("Replica spread", _apart(loads.replica_spread), _possible(loads.replica_spread), _SPREAD),
            Figure(
                "Preferred leader spread",
                _apart(loads.preferred_leader_spread),
                _possible(loads.preferred_leader_spread),
                _LEADERS,
            ),
            Figure(
                "Partitions without rack diversity",
                text.count(balance.rack_violations),
                None,
                _RACKS,
            ),
        ]
    )


def headline(plan: Plan) -> str:
    """The sentence that answers what a plan does: which brokers are drained, or not completely, and what moves."""
    certificate, wish = plan.certificate, plan.wish
    moves = f"{text.counted(certificate.moves, 'replica moves', 'replicas move')}."
    first = certificate.sentences[0] if certificate.sentences else moves
    if certificate.faults:
        return first
    who = capital(doing(wish))
    led = certificate.changed_preferred_leaders
    if first.startswith("No replica moves"):
        first = f"n{first[1:]}"
    if first == "no replica moves." and led:
        first = f"no replica moves, {text.counted(led, 'partition gets', 'partitions get')} a new preferred leader."
    if wish.rearranges and not certificate.changed_partitions:
        if first.startswith("Nothing"):
            return first
        who = "Nothing changes"  # it is not "rebalanced"
    if certificate.unmovable_partitions:
        cannot = f"{text.counted(certificate.unmovable_partitions, 'partition')} cannot be moved"
        if wish.remove and not wish.options.keep_unmovable:
            brokers = f"{text.verb(len(wish.remove), 'broker', 'brokers')} {text.ids(wish.remove)}"
            return f"{cannot}, so {brokers} cannot be drained completely. {first}"
        return f"{cannot}. {who}: {first}"
    return f"{who}: {first}"


def outcome(open_layout: OpenLayout, plan: Plan, where: str) -> DeltaGenerator:
    """The sentence and the figures of a plan: what moves, what that buys, and before both what to know of it.

    Args:
        open_layout: what is looked at.
        plan: its plan.
        where: names the widgets of this place.

    Returns:
        The place below the replica spread, for the next point of the curve.
    """
    certificate = plan.certificate
    lost = certificate.rack_diversity_lost or 0
    frame.answer(headline(plan), also=_lost_diversity(certificate) if lost else None)
    if short := caching.kept(short_of_room)(plan, open_layout.reading.log_dirs):
        frame.findings([short])
    draw_cautions(open_layout, [one for one in certificate.cautions if one.kind != "rack_diversity_lost"], where)
    if votes := still_voting(open_layout.reading.quorum, plan.wish.remove):
        frame.findings([Finding("still_voting", Severity.ATTENTION, votes)])
    before = caching.balance_of(open_layout.layout.target()).by_broker  # without brokers that join
    least = certificate.least_moves
    enough = None if least is None else f"minimum: {least:,}"
    proven = "proven minimum (racks unknown)" if certificate.unknown_racks else "proven minimum"
    racks = (certificate.rack_violations_before, certificate.rack_violations_after)
    diverse = text.count(None) if racks == (None, None) else " → ".join(map(text.count, racks))
    changed = _size_spread(plan) if plan.wish.options.by_bytes else _topic_spread(plan)
    if changed is None:
        partitions = text.count(certificate.changed_partitions)
        changed = Figure("Partitions changed", partitions, None, define("Partitions changed"))
    columns = frame.figures(
        [
            Figure(
                "Replicas move",
                text.count(certificate.moves),
                proven if certificate.moves_proven else enough,
                define("Replica moves"),
            ),
            changed,
            Figure("Data to copy", plan.moves.amount, None, define("Data to copy")),
            Figure(
                "Replica spread",
                f"{_apart(before.replica_spread)} → {text.count(certificate.replica_spread)}",
                least_for(certificate),
                f"{_SPREAD} Before → after.",
            ),
            Figure(
                "Preferred leader spread",
                f"{_apart(before.preferred_leader_spread)} → {text.count(certificate.leader_spread)}",
                _least_leaders(certificate),
                f"{_LEADERS} Before → after.",
            ),
            Figure("Partitions without rack diversity", diverse, None, _RACKS),
        ]
    )
    return columns[_SPREAD_AT]


def _size_spread(plan: Plan) -> Figure | None:
    """How far apart brokers' bytes are before and after, as the curve has them; None where it is unknown."""
    before, after = (byte_spread(plan, layout) for layout in (plan.current, plan.proposed))
    if before is None or after is None:
        return None
    gap = plan.certificate.byte_sum_gap
    near = None if gap is None else f"within {max(gap, 0.0001):.2%} of the bound"
    return Figure("Size spread", text.size_change(before, after), near, f"{define('Size spread')} Before → after.")


def _topic_spread(plan: Plan) -> Figure | None:
    """How unevenly the least even topic lies before and after a rebalance by topic; None of any other plan."""
    before, after = (topic_spread(plan, layout) for layout in (plan.current, plan.proposed))
    if before is None:
        return None
    return Figure(
        "Topic spread", f"{text.count(before)} → {text.count(after)}", None, f"{define('Topic spread')} Before → after."
    )


def least_for(certificate: Certificate) -> str | None:
    """For how many moves the checker confirmed that the replica spread is the least; None where it did not."""
    return f"minimum for {text.counted(certificate.moves, 'move')}" if certificate.replica_balance_proven else None


def _least_leaders(certificate: Certificate) -> str | None:
    if not certificate.leader_balance_proven or certificate.wish.topics:
        return None  # a replication factor keeps the order of lists: another one could be better balanced
    if certificate.wish.options.leader_racks:
        return "minimum for these racks"
    return f"minimum for {'all' if certificate.wish.orders_all else 'changed'} lists"


def _lost_diversity(certificate: Certificate) -> str:
    return next(one.sentence for one in certificate.cautions if one.kind == "rack_diversity_lost")


def _apart(spread: Spread | None) -> str:
    return text.count(None if spread is None else spread.spread)


def _possible(spread: Spread | None) -> str | None:
    return None if spread is None or spread.least_possible is None else f"best possible: {spread.least_possible:,}"
