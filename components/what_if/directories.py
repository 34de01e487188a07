"""A log directory for each new replica of a plan, chosen by room: the box on Plan and on Execute, and what it names."""

from __future__ import annotations

from collections import Counter

from components.state import addresses, caching, fields
from components.state.open_layout import OpenLayout
from reseat.balance.directories import directory_loads
from reseat.errors import WishRefused
from reseat.formats.documents.directory_moves import Named
from reseat.model import NONE, Plan
from reseat.planning.directories import choose_directories

__all__ = ["directories_of", "directories_wanted"]

#: What the address calls the box.
_NAME = "directories"


def directories_wanted(seat: OpenLayout, plan: Plan) -> bool:
    """Whether the box is ticked; there is none where no broker that receives is known to have several directories."""
    loads = caching.kept(directory_loads)(seat.layout, seat.reading.log_dirs)
    several = {broker for broker, many in Counter(one.broker for one in loads).items() if many > 1}
    if several.isdisjoint(plan.moves.target[plan.moves.target != NONE].tolist()):
        return False
    return fields.yes(
        "Name a log directory for each new replica",
        name=_NAME,
        key="name-directories",
        help="The largest replicas first, each where most is left. Otherwise each broker picks the directory with the "
        "fewest partitions. Execute and Kafka's own tool have new replicas placed there.",
    )


def directories_of(seat: OpenLayout, plan: Plan) -> Named:
    """The directories by partition and broker.

    Raises:
        WishRefused: directories or sizes are unknown, or a replica fits into none; the address no longer asks for them,
            so that whoever comes by it sees the plan and its files.
    """
    try:
        return caching.kept(choose_directories)(plan, seat.reading.log_dirs)
    except WishRefused:
        addresses.tell(_NAME, "")
        raise
