"""What a plan copies of tiered topics: local logs alone, and on some brokers only what is not tiered yet.

Promises: bytes are those that ``DescribeLogDirs`` tells, which are local; what only remote storage holds is never
copied and never counted. How much of a local log is not tiered yet nobody tells: between nothing and all of it.

Source: KIP-405: an empty follower of a tiered topic starts at the leader's local log start offset; KIP-1023: or after
the last tiered offset, where the follower's broker has ``follower.fetch.last.tiered.offset.enable``.
"""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, Plan
from reseat.model.tiering import AFTER_TIERED, Tiering
from reseat.model.units import size
from reseat.model.wording import counted, listed, verb

__all__ = ["tiered_sentences"]


def tiered_sentences(plan: Plan, tiering: Tiering) -> tuple[str, ...]:
    """What of the copies is tiered, and from what to what the bytes of the plan range; nothing where nothing is."""
    moves, layout = plan.moves, plan.current
    copies = moves.target != NONE
    tiered = copies & layout.is_topic(tiering.topics)[layout.topic_of[moves.row]]
    if not tiered.any():
        return ()
    count = int(tiered.sum())
    names = [layout.topics[at] for at in np.unique(layout.topic_of[moves.row[tiered]]).tolist()]
    bytes_ = np.full(len(moves), np.nan) if moves.bytes is None else moves.bytes
    known = not np.isnan(bytes_[copies]).any()
    local = f", {size(float(bytes_[tiered].sum()))} of local log" if known else ""
    said = [
        f"{counted(count, 'new replica')} {verb(count, 'is', 'are')} of tiered topics ({listed(names)}){local}. What "
        "is in remote storage alone is not copied."
    ]
    short = tiered & np.isin(moves.target, tiering.after_tiered)
    if short.any():
        ids = np.unique(moves.target[short]).tolist()
        who = f"{verb(len(ids), 'Broker', 'Brokers')} {listed(ids)} {verb(len(ids), 'copies', 'copy')}"
        whole = float(bytes_[copies].sum())
        least = whole - float(bytes_[short].sum())
        range_ = f" The plan copies {size(least)} to {size(whole)}." if known else ""
        said.append(f"{who} only what is not tiered yet ({AFTER_TIERED}).{range_}")
    return tuple(said)
