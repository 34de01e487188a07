"""The checker as tests of one kind of change ask it: the wish from its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reseat.errors import WishRefused
from reseat.model import BoolArray, Certificate, ClusterLayout, Options, Wish
from reseat.planning.plan import require_sets
from reseat.planning.proof.checker import check
from reseat.planning.proof.verdict import Verdict

__all__ = [
    "check_addition",
    "check_rebalance",
    "check_removal",
    "check_replication_factor",
    "has_no_sets",
    "wholly_proven",
]

_PLAIN = Options()


def has_no_sets(layout: ClusterLayout, wish: Wish) -> bool:
    """Whether a wish is refused for its replica sets, as a conflict of rules is looked for: without planning it."""
    try:
        require_sets(layout, wish)
    except WishRefused:
        return True
    return False


def wholly_proven(certificate: Certificate) -> bool:
    """Whether each of its five terms is."""
    return all(
        (
            certificate.moves_proven,
            certificate.rack_balance_proven,
            certificate.replica_balance_proven,
            certificate.leader_balance_proven,
            certificate.changed_leaders_proven,
        )
    )


def check_removal(
    current: ClusterLayout,
    proposed: ClusterLayout,
    remove: Iterable[int],
    *,
    rules: Options = _PLAIN,
    reorder_all: bool = False,
    allow_rf_change: bool = False,
    pinned: BoolArray | None = None,
) -> Verdict:
    """Of a drain of these brokers."""
    wish = Wish(remove=tuple(remove), options=replace(rules, reorder_all=reorder_all))
    return check(current, proposed, wish, allow_rf_change=allow_rf_change, pinned=pinned)


def check_replication_factor(
    current: ClusterLayout, proposed: ClusterLayout, topics: Iterable[str], factor: int, *, rules: Options = _PLAIN
) -> Verdict:
    """Of another replication factor."""
    return check(current, proposed, Wish(topics=tuple(topics), replication_factor=factor, options=rules))


def check_addition(
    current: ClusterLayout,
    proposed: ClusterLayout,
    added: Iterable[int],
    *,
    max_moves: int | None = None,
    rules: Options = _PLAIN,
) -> Verdict:
    """Of brokers that join; with a limit on moves, one that keeps the plan from the least spread."""
    wish = Wish(add=tuple((broker, None) for broker in added), options=replace(rules, max_moves=max_moves))
    return check(current, proposed, wish, limited=max_moves is not None)


def check_rebalance(current: ClusterLayout, proposed: ClusterLayout, *, limited: bool = False) -> Verdict:
    """Of a rebalance."""
    return check(current, proposed, Wish(rebalance=True), limited=limited)
