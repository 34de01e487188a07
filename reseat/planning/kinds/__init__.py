"""Kinds of plans, a file each; here which of them makes the plan for a wish, its point aside, and what cannot be.

Below ``reseat.planning.plan``, so that the points of a curve, which are plans, are made of it too.
"""

from __future__ import annotations

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Plan, Wish
from reseat.model.wording import named
from reseat.planning.rule_words import with_idle_options

__all__ = ["plan_without_point", "refuse_closed_joining", "require_sets"]


def plan_without_point(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan for a wish, its point aside, before it is told in words what the rules mean for it.

    Raises:
        WishRefused: as ``reseat.planning.plan.plan``.
    """
    _require_one_change(wish)
    joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
    if wish.mend:
        from reseat.planning.kinds.mend import mend

        return with_idle_options(mend(layout, options=wish.options))
    if wish.rearranges:
        from reseat.planning.kinds.rebalance import even_leaders, rearranged

        made = even_leaders(layout, options=wish.options) if wish.leaders_only else rearranged(layout, wish)
        return with_idle_options(made)
    if wish.replication_factor is not None:
        from reseat.planning.kinds.replication_factor import change_replication_factor

        made = change_replication_factor(layout, wish.topics, wish.replication_factor, options=wish.options)
        return with_idle_options(made, reorder_all="a replication-factor change keeps their order")
    if wish.places:
        from reseat.planning.kinds.replace import replace_brokers

        return with_idle_options(replace_brokers(layout, wish))
    if wish.remove:
        from reseat.planning.kinds.remove import remove_brokers

        return with_idle_options(remove_brokers(layout, wish.remove, options=wish.options, added=joining))
    if joining:
        from reseat.planning.kinds.add import add_brokers

        return add_brokers(layout, joining, options=wish.options)
    raise WishRefused(
        "No change requested.", choices=("Remove or add a broker, change a replication factor, or rebalance.",)
    )


def require_sets(layout: ClusterLayout, wish: Wish) -> None:
    """Refuse a wish that has no replica sets, as its plan does; no leader is chosen for them, and nothing proven.

    Sets are looked for only where something limits them: else each partition that finds brokers enough has some.

    Raises:
        WishRefused: as ``plan_without_point``, of leaders perhaps not.
    """
    _require_one_change(wish)
    options = wish.options
    limits = options.receive_cap, options.max_moves, options.max_bytes
    limited = options.capacity or options.same_rack or options.by_bytes or any(one is not None for one in limits)
    if wish.drains:
        from reseat.planning.kinds import remove

        joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
        removal = remove.prepared(layout, wish.remove, joining, options)
        _ = remove.placed_sets(removal, options) if limited else removal.problem
    elif wish.rebalance or wish.mend_racks:
        from reseat.planning.kinds import rebalance

        _ = rebalance.rearranged_sets(layout, wish, fewest=True) if limited else rebalance.stated(layout, wish)
    elif wish.mend:
        from reseat.planning.kinds import mend

        start, _, problem = mend.stated(layout, options)
        _ = mend.mended_sets(problem, start.layout, options) if limited else problem
    elif wish.replication_factor is not None:
        from reseat.planning.kinds.replication_factor import replanned

        replanned(layout, wish)
    else:
        plan_without_point(layout, wish)


def refuse_closed_joining(wish: Wish) -> None:
    """Refuse a wish to add brokers that are to receive nothing."""
    closed = wish.options.never_onto
    both = tuple(broker for broker, _ in wish.add if broker in closed)
    if both:
        raise WishRefused(
            f"{named('Broker', both, 'is', 'are')} to be added and to receive nothing.",
            brokers=both,
            choices=("Do not add it, or let it receive.",),
        )


def _require_one_change(wish: Wish) -> None:
    """Refuse a wish of which parts have no meaning together, or one alone."""
    refuse_closed_joining(wish)
    others = wish.topics or wish.replication_factor is not None
    kinds = sum((wish.rebalance, wish.mend_racks, wish.leaders_only, wish.mend))
    alone = not wish.rebalance and (wish.remove or wish.add)
    if kinds and (others or wish.places or alone or kinds > 1):
        why = "Only a rebalance goes together with brokers that are removed or added; any other change stands alone."
        choice = "Make two plans and execute one after the other."
    elif others and (wish.remove or wish.add):
        why = "A plan changes either brokers or a replication factor."
        choice = "Make two plans and execute one after the other."
    elif others and (wish.replication_factor is None or not wish.topics):
        why, choice = "A replication-factor change needs both the topics and the factor.", "Give both."
    else:
        return
    raise WishRefused(why, topics=wish.topics, brokers=wish.remove, choices=(choice,))
