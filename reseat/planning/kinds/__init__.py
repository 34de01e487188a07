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
    refuse_closed_joining(wish)
    if wish.rearranges:
        return _rearranged(layout, wish)
    joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
    if wish.replication_factor is not None or wish.topics:
        if wish.remove or wish.add:
            raise WishRefused(
                "A plan changes either brokers or a replication factor.",
                topics=wish.topics,
                brokers=wish.remove,
                choices=("Make two plans and execute one after the other.",),
            )
        if wish.replication_factor is None or not wish.topics:
            raise WishRefused(
                "A replication-factor change needs both the topics and the factor.",
                topics=wish.topics,
                choices=("Give both.",),
            )
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
    """Find the replica sets of a wish as its plan does; of a drain no leader is chosen for them, and nothing proven.

    Raises:
        WishRefused: as ``plan_without_point``, of leaders perhaps not.
    """
    if wish.drains:
        from reseat.planning.kinds.remove import placed_sets, prepared

        refuse_closed_joining(wish)
        joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
        placed_sets(prepared(layout, wish.remove, joining, wish.options), wish.options)
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


def _rearranged(layout: ClusterLayout, wish: Wish) -> Plan:
    others = wish.topics or wish.replication_factor is not None or wish.places
    alone = not wish.rebalance and (wish.remove or wish.add)
    if others or alone or sum((wish.rebalance, wish.mend_racks, wish.leaders_only, wish.mend)) > 1:
        raise WishRefused(
            "Only a rebalance goes together with brokers that are removed or added; any other change stands alone.",
            topics=wish.topics,
            brokers=wish.remove,
            choices=("Make two plans and execute one after the other.",),
        )
    from reseat.planning.kinds.rebalance import even_leaders, rearranged

    if wish.mend:
        from reseat.planning.kinds.mend import mend

        return with_idle_options(mend(layout, options=wish.options))
    made = even_leaders(layout, options=wish.options) if wish.leaders_only else rearranged(layout, wish)
    return with_idle_options(made)
