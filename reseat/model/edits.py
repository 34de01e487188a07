"""What a person changes of a layout before looking at it: racks told by hand, topics left out, order vouched for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reseat.model import ClusterLayout
from reseat.model.naming import is_internal, named_by

__all__ = ["Edits", "apply_edits", "left_out_topics"]


@dataclass(frozen=True, slots=True)
class Edits:
    """A value, so that it fits in a session, a link and a cache's key.

    Attributes:
        racks: (broker id, rack or None) told by hand or by a racks file, ascending by id.
        without_internal: whether topics whose name starts with an underscore are left out.
        without: names or patterns (``*``, ``?``, ``[a-z]``) of topics left out.
        order_vouched: whether the person says that replica lists are in assignment order where the source does not.
        no_racks: whether the person says that brokers whose rack the source does not tell have none.
        incomplete_accepted: whether plans are made although partitions are missing from what was read.
    """

    racks: tuple[tuple[int, str | None], ...] = ()
    without_internal: bool = False
    without: tuple[str, ...] = ()
    order_vouched: bool = False
    no_racks: bool = False
    incomplete_accepted: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the layout is looked at as it was read."""
        return self == Edits()


def left_out_topics(topics: tuple[str, ...], edits: Edits) -> tuple[str, ...]:
    """The topics that the edits leave out, in the layout's order."""
    if not (edits.without_internal or edits.without):
        return ()
    named = frozenset(named_by(topics, edits.without))
    return tuple(topic for topic in topics if topic in named or (edits.without_internal and is_internal(topic)))


def apply_edits(layout: ClusterLayout, edits: Edits) -> ClusterLayout:
    """The layout as the person wants to look at it; itself where nothing is edited."""
    if edits.racks:
        layout = layout.with_racks(dict(edits.racks))
    layout = layout.without_topics(left_out_topics(layout.topics, edits))
    if edits.no_racks or edits.incomplete_accepted:
        told = layout.gaps.racks_told or edits.no_racks
        layout = replace(layout, gaps=replace(layout.gaps, racks_told=told, accepted=edits.incomplete_accepted))
    if edits.order_vouched and not layout.order_told.all():
        layout = replace(layout, order_told=np.ones(len(layout.topics), np.bool_))
    return layout
