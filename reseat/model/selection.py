"""What a person names, found in a layout: topics by name or pattern, brokers by rack.

Promises: nothing that was named is left out unsaid; who names nothing there is told so.
"""

from __future__ import annotations

from collections.abc import Iterable

from reseat.errors import WishRefused
from reseat.model.layout import ClusterLayout
from reseat.model.naming import named_by
from reseat.model.wish import Wish
from reseat.model.wording import listed, verb

__all__ = ["broker_changes", "in_racks", "topics_like"]


def topics_like(layout: ClusterLayout, patterns: Iterable[str]) -> tuple[str, ...]:
    """The topics with these names or patterns, sorted.

    Raises:
        WishRefused: one fits no topic.
    """
    found: set[str] = set()
    known = set(layout.topics)
    for pattern in patterns:
        fits = (pattern,) if pattern in known else named_by(known, (pattern,))
        if not fits:
            raise WishRefused(f"No topic matches {pattern}.", topics=(pattern,))
        found.update(fits)
    return tuple(sorted(found))


def in_racks(layout: ClusterLayout, racks: Iterable[str]) -> tuple[int, ...]:
    """The ids of the brokers of these racks, ascending.

    Raises:
        WishRefused: the layout has no such rack.
    """
    wanted = set(racks)
    unknown = sorted(wanted - set(layout.racks))
    if unknown:
        known = (
            f"It has the racks {listed(layout.racks, 12)}."
            if layout.racks
            else "The input has no racks; --racks adds them."
        )
        raise WishRefused(
            f"{verb(len(unknown), 'Rack', 'Racks')} {listed(unknown)} {verb(len(unknown), 'is', 'are')} not in this "
            "layout.",
            choices=(known,),
        )
    return tuple(sorted(broker.id for broker in layout.brokers if broker.rack in wanted))


def broker_changes(
    layout: ClusterLayout,
    *,
    remove: Iterable[int] = (),
    racks: Iterable[str] = (),
    add: Iterable[tuple[int, str | None]] = (),
    replace: Iterable[tuple[int, int, str | None]] = (),
) -> Wish:
    """The change of brokers alone: who leaves, who joins and who takes whose place.

    Args:
        layout: what the racks are names of.
        remove: ids.
        racks: all of their brokers leave.
        add: (id, rack or None).
        replace: (old, new, rack or None): who is not in the layout joins in the old one's rack, unless one is named.

    Raises:
        WishRefused: the layout has no such rack, or two demands of one broker differ.
    """
    joins: dict[int, str | None] = {}
    takes: dict[int, int] = {}
    for broker, rack in add:
        if joins.setdefault(broker, rack) != rack:
            raise WishRefused(f"Broker {broker} is added twice, with different racks.", brokers=(broker,))
    for old, new, rack in replace:
        here, there = layout.position(old), layout.position(new)
        if takes.setdefault(old, new) != new:
            raise WishRefused(f"Broker {old} cannot be replaced by both {takes[old]} and {new}.", brokers=(old,))
        known = joins.get(new) if there is None else layout.brokers[there].rack
        if rack is not None and known is not None and rack != known:
            raise WishRefused(f"Broker {new} is in rack {known}, so it cannot be in rack {rack}.", brokers=(new,))
        if there is None and here is not None:
            joins[new] = rack or known or layout.brokers[here].rack
    return Wish(
        remove=tuple(sorted({*remove, *in_racks(layout, racks), *takes})),
        add=tuple(sorted(joins.items(), key=lambda pair: pair[0])),
        replace=tuple(sorted(takes.items())),
    )
