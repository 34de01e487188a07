"""A plan's text laid over a layout."""

from __future__ import annotations

from dataclasses import replace

from reseat.formats.documents.sealed import SealedPlan
from reseat.model import Certificate, ClusterLayout, Plan, Wish
from reseat.planning.judge import apply_assignment

__all__ = ["laid_over"]


def laid_over(layout: ClusterLayout, sealed: SealedPlan) -> Plan:
    """What a plan changes in a layout, what moves and how much; nothing of it is proven.

    Args:
        layout: the cluster as it stands.
        sealed: the plan, made for this layout or an earlier one.
    """
    standing = layout.target()
    proposed, _ = apply_assignment(standing, sealed.proposed, Wish(remove=sealed.leaving))
    certificate = Certificate(wish=Wish(remove=sealed.leaving), moves=0)
    whole = Plan(standing.with_brokers(proposed.brokers), proposed, certificate)
    moves = int((whole.moves.target >= 0).sum())
    return replace(whole, certificate=replace(certificate, moves=moves, changed_partitions=int(whole.changed.sum())))
