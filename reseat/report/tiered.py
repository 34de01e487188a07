"""What a plan copies of tiered topics: local logs alone, and on some brokers only what is not tiered yet.

Promises: bytes are those that ``DescribeLogDirs`` tells, which are local; what only remote storage holds is never
copied and never counted. How much of a local log is not tiered yet is told in records at best, so the bytes of it lie
between nothing and all; what is likely takes a topic's records for equally large.

Source: KIP-405: an empty follower of a tiered topic starts at the leader's local log start offset; KIP-1023: or after
the last tiered offset, where the follower's broker has ``follower.fetch.last.tiered.offset.enable``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, Plan
from reseat.model.tiering import AFTER_TIERED, Tiering
from reseat.model.units import size
from reseat.model.wording import counted, listed, verb

__all__ = ["copies_as_dict", "tiered_sentences"]


@dataclass(frozen=True, slots=True)
class _Copies:
    """What a plan copies; n moves.

    Attributes:
        tiered: (n,) bool, copies of tiered topics.
        short: (n,) bool, those that leave out what is tiered already.
        tiered_bytes: local logs of the first; NaN where a size is not told, as below.
        low: bytes where all that may be tiered is.
        likely: bytes where records of a topic are equally large; NaN where those not tiered yet are not told, too.
        high: bytes where every new replica copies the whole local log.
    """

    tiered: BoolArray
    short: BoolArray
    tiered_bytes: float
    low: float
    likely: float
    high: float


def _copies_of(plan: Plan, tiering: Tiering) -> _Copies:
    moves, layout = plan.moves, plan.current
    copied = moves.target != NONE
    topic = layout.topic_of[moves.row]
    tiered = copied & layout.is_topic(tiering.topics)[topic]
    short = tiered & np.isin(moves.target, tiering.after_tiered)
    whole = np.where(copied, np.nan if moves.bytes is None else moves.bytes, 0.0)
    high = float(whole.sum())
    likely = np.where(short, whole * tiering.parts_not_tiered(layout.topics)[topic], whole)
    return _Copies(
        tiered, short, float(whole[tiered].sum()), high - float(whole[short].sum()), float(likely.sum()), high
    )


def _remote_bytes(layout: ClusterLayout, topics: list[str], tiering: Tiering) -> float | None:
    """What topics have in remote storage alone, where records are equally large; None where that cannot be told."""
    part = {topic: (all_ - local) / local for topic, all_, local, _ in tiering.records if local}
    if layout.replica_bytes is None or not part.keys() >= set(topics):
        return None
    each = np.array([part.get(topic, np.nan) for topic in layout.topics])[layout.topic_of]
    local = layout.replica_bytes.max(axis=1, where=layout.replica_ids != NONE, initial=0.0)
    remote = float((local * each)[layout.is_topic(topics)[layout.topic_of]].sum())
    return None if np.isnan(remote) else remote


def copies_as_dict(plan: Plan, tiering: Tiering) -> dict[str, object]:
    """What the plan copies, for scripts: the range of its bytes, which bytes these are, and what of it is tiered."""
    copies = _copies_of(plan, tiering)

    def told(amount: float) -> int | None:
        return None if np.isnan(amount) else int(amount)

    return {
        "copies": {
            "of": "local logs",
            "bytes_low": told(copies.low),
            "bytes_likely": told(copies.likely),
            "bytes_high": told(copies.high),
            "tiered_replicas": int(copies.tiered.sum()),
            "tiered_local_bytes": None if np.isnan(copies.high) else told(copies.tiered_bytes),
            "replicas_that_leave_out_what_is_tiered": int(copies.short.sum()),
        }
    }


def tiered_sentences(plan: Plan, tiering: Tiering) -> tuple[str, ...]:
    """What of the copies is tiered, and from what to what the bytes of the plan range; nothing where nothing is."""
    moves, layout, copies = plan.moves, plan.current, _copies_of(plan, tiering)
    tiered, short, known = copies.tiered, copies.short, not np.isnan(copies.high)
    if not tiered.any():
        return ()
    count = int(tiered.sum())
    names = [layout.topics[at] for at in np.unique(layout.topic_of[moves.row[tiered]]).tolist()]
    local = f", {size(copies.tiered_bytes)} of local log" if known else ""
    records = [counts for topic, *counts in tiering.records if topic in names]
    far, all_ = sum(one[0] - one[1] for one in records), sum(one[0] for one in records)
    where = f" ({far:,} of {counted(all_, 'record')} of {verb(len(names), 'that topic', 'those topics')})"
    remote = _remote_bytes(layout, names, tiering)
    equal = "its records taken for as large as local ones"
    about = "its size is unknown:" if remote is None else f"has {size(remote)}, {equal}:"
    said = [
        f"{counted(count, 'new replica')} {verb(count, 'is', 'are')} of tiered topics ({listed(names)}){local}. What "
        f"is in remote storage alone{where if len(records) == len(names) else ''} is not copied, and {about} brokers "
        "tell it in metrics alone."
    ]
    if short.any():
        ids = np.unique(moves.target[short]).tolist()
        who = f"{verb(len(ids), 'Broker', 'Brokers')} {listed(ids)} {verb(len(ids), 'copies', 'copy')}"
        likely = "" if np.isnan(copies.likely) else f", likely {size(copies.likely)}"
        range_ = f" The plan copies {size(copies.low)} to {size(copies.high)}{likely}." if known else ""
        said.append(f"{who} only what is not tiered yet ({AFTER_TIERED}).{range_}")
    return tuple(said)
