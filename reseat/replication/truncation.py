"""Where a replica cuts its log when it follows a leader: at its high watermark, or where their epochs part.

By high watermark (before 0.11): everything above one's own high watermark goes. It lags the leader's by a fetch, so
that a committed record can go, and where it does not lag, records that the leader never had can stay.

By leader epoch (KIP-101): ask the leader where the epoch of one's last record ended, and cut there. Where the leader
does not know that epoch (KIP-279): cut to the end of one's largest epoch not above its answer, and ask again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reseat.replication.state import Replica, Truncation

__all__ = ["Cut", "cut", "cut_to"]


@dataclass(frozen=True, slots=True)
class Cut:
    """What came of it.

    Attributes:
        replica: the replica afterwards.
        lost: how many records went.
        why: half a sentence: what was asked and answered.
    """

    replica: Replica
    lost: int
    why: str

    @property
    def gone(self) -> str:
        """How many records are truncated."""
        many = f"{self.lost} records are" if self.lost > 1 else "1 record is" if self.lost else "nothing is"
        return f"{many} truncated"

    @property
    def words(self) -> str:
        """What was asked, and what is truncated."""
        return f"{self.why}; {self.gone}"


def cut(follower: Replica, leader: Replica, truncation: Truncation) -> Cut:
    """Cut what the leader does not have, as far as this way of asking can tell.

    Args:
        follower: the replica that follows from now on.
        leader: its leader.
        truncation: how it cuts.
    """
    if truncation is Truncation.HIGH_WATERMARK:
        after = replace(cut_to(follower, follower.hw), must_cut=False)
        return Cut(after, follower.leo - after.leo, f"it truncates to its high watermark {follower.hw}")
    asked: list[str] = []
    now = follower
    while now.log:
        epoch = now.log[-1].epoch
        known, end = leader.end_of(epoch)
        # A leader that knows no epoch so low says where its first one began: at 0, as no log here has lost its start.
        answer = f"epoch {known} ended at {end}" if 0 <= known < epoch else f"{end}"
        asked.append(f"epoch {epoch} -> {answer}")
        mine, own_end = now.end_of(known) if known >= 0 else (-1, 0)
        now = cut_to(now, min(now.leo, own_end, end))
        if mine in (known, -1):
            break
    why = f"it asks where its epochs ended: {', '.join(asked)}" if asked else "it has no records to ask about"
    return Cut(replace(now, must_cut=False), follower.leo - now.leo, why)


def cut_to(replica: Replica, offset: int) -> Replica:
    """The replica without the records from this offset on."""
    log = replica.log[:offset]
    end = len(log)
    return replace(
        replica,
        log=log,
        hw=min(replica.hw, end),
        flushed=min(replica.flushed, end),
        checkpoint=min(replica.checkpoint, end),
    )
