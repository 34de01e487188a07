"""From a wish to its plan: the one door to all planners.

Example: ``plan(layout, Wish(remove=(3, 7)))`` is ``remove_brokers(layout, (3, 7))``.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.model import ClusterLayout, Plan, Wish
from reseat.planning.kinds import plan_without_point, require_possible
from reseat.planning.rule_words import rules_in_words

__all__ = ["plan"]


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
        from reseat.planning.kinds.curve import plan_at

        require_possible(layout, wish)
        made = plan_at(layout, wish.at(None), wish.point)
        made = replace(made, certificate=replace(made.certificate, wish=wish))
    told = tuple(rules_in_words(made)) if made.certificate.valid else ()
    if not told:
        return made
    return replace(made, certificate=replace(made.certificate, sentences=(*made.certificate.sentences, *told)))
