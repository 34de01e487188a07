"""From a wish to its plan: the one door to all planners.

Example: ``plan(layout, Wish(remove=(3, 7)))`` is ``remove_brokers(layout, (3, 7))``.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.model import Broker, ClusterLayout, Plan, Wish
from reseat.planning.kinds import mend, plan_without_point, rebalance, remove, replication_factor, require_possible
from reseat.planning.kinds.curve import limited, plan_at
from reseat.planning.rule_words import rules_in_words

__all__ = ["plan", "require_sets"]


def plan(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan for a wish; brokers that leave and brokers that join together are one plan, the latter as targets.

    Where the wish has a point of the curve, the plan is the one at that point.

    Raises:
        WishRefused: the wish cannot be, is empty, asks for a replication factor together with brokers, or for a point
            that its curve does not have.
    """
    if wish.point is None and not (wish.chooses_moves and wish.buys_balance):
        made = plan_without_point(layout, wish)
    else:
        made = plan_at(layout, wish.at(None), wish.point)
        made = replace(made, certificate=replace(made.certificate, wish=wish))
    told = tuple(rules_in_words(made)) if made.certificate.valid else ()
    if not told:
        return made
    return replace(made, certificate=replace(made.certificate, sentences=(*made.certificate.sentences, *told)))


def require_sets(layout: ClusterLayout, wish: Wish) -> None:
    """Refuse a wish that has no replica sets, as its plan does; no leader is chosen for them, and nothing proven.

    Sets are looked for only where something limits them: else each partition that finds brokers enough has some.

    Raises:
        WishRefused: as ``plan_without_point``, of leaders perhaps not.
    """
    require_possible(layout, wish)
    options = wish.options
    limits = options.receive_cap, options.max_moves, options.max_bytes
    placing = options.capacity or options.same_rack or options.by_bytes or any(one is not None for one in limits)
    if wish.chooses_moves and wish.buys_balance:
        limited(layout, wish)
    elif wish.drains:
        removal = remove.prepared(layout, wish.remove, tuple(Broker(*one) for one in wish.add), options)
        _ = remove.placed_sets(removal, options) if placing else removal.problem
    elif wish.rebalance or wish.mend_racks:
        _ = rebalance.rearranged_sets(layout, wish, fewest=True) if placing else rebalance.stated(layout, wish)
    elif wish.mend:
        start, _, problem = mend.stated(layout, options)
        _ = mend.mended_sets(problem, start.layout, options) if placing else problem
    elif wish.replication_factor is not None:
        replication_factor.replanned(layout, wish)
    else:
        plan_without_point(layout, wish)
