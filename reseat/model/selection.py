"""What a person names, found in a layout: topics by name or pattern, brokers by rack.

Promises: nothing that was named is left out unsaid; who names nothing there is told so.
"""

from __future__ import annotations

from collections.abc import Iterable

from reseat.errors import WishRefused
from reseat.model.layout import ClusterLayout
from reseat.model.naming import named_by
from reseat.model.wording import listed, verb

__all__ = ["in_racks", "topics_like"]


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
