"""Kinds of plans, a file each; here which of them makes the plan for a wish, its point aside, and what cannot be.

Below ``reseat.planning.plan``, so that the points of a curve, which are plans, are made of it too.
"""

from __future__ import annotations

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Plan, Wish
from reseat.model.wording import named
from reseat.planning.preconditions import require_known
from reseat.planning.rack_levels import refused_of_racks
from reseat.planning.rule_words import with_idle_options

__all__ = ["plan_without_point", "require_possible", "require_whole"]


def plan_without_point(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan for a wish, its point aside, before it is told in words what the rules mean for it.

    Raises:
        WishRefused: as ``reseat.planning.plan.plan``.
    """
    from reseat.planning.kinds import add, mend, rebalance, remove, replace, replication_factor

    require_possible(layout, wish)
    joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
    options, factor = wish.options, wish.replication_factor
    kept = None
    if wish.mend:
        made = mend.mend(layout, options=options)
    elif wish.leaders_only:
        made = rebalance.even_leaders(layout, options=options)
    elif wish.rearranges:
        made = rebalance.rearranged(layout, wish)
    elif factor is not None:
        made = replication_factor.change_replication_factor(layout, wish.topics, factor, options=options)
        kept = "a replication-factor change keeps their order"
    elif wish.places:
        made = replace.replace_brokers(layout, wish)
    elif wish.remove:
        made = remove.remove_brokers(layout, wish.remove, options=options, added=joining)
    elif joining:
        made = add.add_brokers(layout, joining, options=options)
    else:
        choices = ("Remove or add a broker, change a replication factor, or rebalance.",)
        raise WishRefused("No change requested.", choices=choices)
    return with_idle_options(made, reorder_all=kept)


def require_possible(layout: ClusterLayout, wish: Wish) -> None:
    """Refuse a wish of which parts have no meaning together, or one alone.

    Raises:
        WishRefused: with what would have one; or a broker that never leads is not known.
    """
    if both := tuple(broker for broker, _ in wish.add if broker in wish.options.never_onto):
        said = f"{named('Broker', both, 'is', 'are')} to be added and to receive nothing."
        raise WishRefused(said, brokers=both, choices=("Do not add it, or let it receive.",))
    require_known(layout, {*wish.options.never_leads}.difference(broker for broker, _ in wish.add), "never_leads")
    if (refusal := refused_of_racks(layout, wish)) is not None:
        raise refusal
    others = wish.topics or wish.replication_factor is not None
    kinds = sum((wish.rebalance, wish.mend_racks, wish.leaders_only, wish.mend))
    alone = not wish.rebalance and (wish.remove or wish.add)
    if kinds and (others or wish.places or alone or kinds > 1):
        why = "Only a rebalance goes together with brokers that are removed or added; any other change stands alone."
    elif others and (wish.remove or wish.add):
        why = "A plan changes either brokers or a replication factor."
    else:
        require_whole(wish)
        if wish.options.receive_cap is not None and (wish.places or (wish.rearranges and not wish.leaders_only)):
            said = "A rebalance, a mend and a replacement cannot limit what one broker receives (receive_cap)."
            raise WishRefused(said, choices=("Plan without a cap.", "Limit the moves of a rebalance (max_moves)."))
        return
    raise WishRefused(
        why, topics=wish.topics, brokers=wish.remove, choices=("Make two plans and execute one after the other.",)
    )


def require_whole(wish: Wish) -> None:
    """Refuse topics without a replication factor, and a factor without topics: half a change asks for nothing.

    Raises:
        WishRefused: it is one of them.
    """
    if bool(wish.topics) != (wish.replication_factor is not None):
        why = "A replication-factor change needs both the topics and the factor."
        raise WishRefused(why, topics=wish.topics, choices=("Give both.",))
