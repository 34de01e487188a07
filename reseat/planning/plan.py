"""From a wish to its plan: the one door to all planners.

Example: ``plan(layout, Wish(remove=(3, 7)))`` is ``remove_brokers(layout, (3, 7))``.
"""

from __future__ import annotations

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Plan, Wish
from reseat.planning.remove import remove_brokers

__all__ = ["plan"]


def plan(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan for a wish; brokers that leave and brokers that join together are one plan, the latter as targets.

    Raises:
        WishRefused: the wish cannot be, is empty, or asks for a replication factor together with brokers.
    """
    joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
    if wish.replication_factor is not None or wish.topics:
        if wish.remove or wish.add:
            raise WishRefused(
                "A plan changes either brokers or a replication factor.",
                topics=wish.topics,
                brokers=wish.remove,
                choices=("Make two plans, and carry out one after the other.",),
            )
        if wish.replication_factor is None or not wish.topics:
            raise WishRefused(
                "A change of replication factor needs the topics and the factor.",
                topics=wish.topics,
                choices=("Name both.",),
            )
        from reseat.planning.replication_factor import change_replication_factor

        return change_replication_factor(layout, wish.topics, wish.replication_factor, options=wish.options)
    if wish.remove:
        return remove_brokers(layout, wish.remove, options=wish.options, added=joining)
    if joining:
        from reseat.planning.add import add_brokers

        return add_brokers(layout, joining, options=wish.options)
    raise WishRefused(
        "Nothing is wished for.", choices=("Take a broker out, add one, or change a replication factor.",)
    )
