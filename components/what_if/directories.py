"""A log directory for each new replica of a plan, chosen by room: the box on Plan and on Execute, and what it names."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from components.look.notices import refused
from components.state import addresses, caching, fields
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from reseat.balance.directories import directory_loads
from reseat.errors import WishRefused
from reseat.formats.documents.directory_moves import Named
from reseat.model import NONE, Plan
from reseat.planning.directories import choose_directories

__all__ = ["directories_named"]

#: What the address calls the box.
_NAME = "directories"
_LABEL = "Name a log directory for each new replica"
#: The plan for which directories were asked for and cannot be named, and why.
_REFUSED: Slot[tuple[object, WishRefused] | tuple[()]] = Slot("directories-refused")


def directories_named(open_layout: OpenLayout, plan: Plan) -> Named | None:
    """Draw the box: the directories by partition and broker where it is ticked, else None.

    There is none where no broker that receives is known to have several directories. Where directories or sizes are
    unknown, or a replica fits into none, it is not ticked any more, cannot be, and says why.
    """
    loads = caching.kept(directory_loads)(open_layout.layout, open_layout.reading.log_dirs)
    several = {broker for broker, many in Counter(one.broker for one in loads).items() if many > 1}
    if several.isdisjoint(plan.moves.target[plan.moves.target != NONE].tolist()):
        return None
    about = (plan.current.digest, plan.proposed.digest, open_layout.reading.log_dirs)
    kept = _REFUSED.get(())
    if kept and kept[0] == about:
        st.checkbox(_LABEL, value=False, key="directories-not-named", disabled=True)
        refused(kept[1])
        addresses.tell(_NAME, "")
        return None
    if not fields.yes(
        _LABEL,
        name=_NAME,
        key="name-directories",
        help="The largest replicas first, each where most is left. Otherwise each broker picks the directory with the "
        "fewest partitions. Execute and Kafka's own tool have new replicas placed there.",
    ):
        return None
    try:
        return caching.kept(choose_directories)(plan, open_layout.reading.log_dirs)
    except WishRefused as error:
        _REFUSED.set((about, error))
        st.rerun()
