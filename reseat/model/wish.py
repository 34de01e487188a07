"""A wish: what a person wants changed. A value, so that it fits in a session, a link and a certificate."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Options", "Wish"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to plan; the defaults are what most people want.

    Where an option does not apply to a wish, the plan has a finding that says so.

    Attributes:
        reorder_all: for brokers that leave or join: reorder the replica lists of unchanged partitions too, where that
            evens leaders.
        receive_cap: the most replicas that one broker may receive, or None. Kept apart from balance: the
            certificate states what balance it costs.
        by_bytes: for brokers that leave: even out bytes instead of replica counts (a bound and its gap are stated,
            not a proof).
        max_moves: for added brokers only: make at most this many moves (a point of the curve), or None.
    """

    reorder_all: bool = False
    receive_cap: int | None = None
    by_bytes: bool = False
    max_moves: int | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """The change that is wished for; parts that are empty are not wished.

    Attributes:
        remove: ids of the brokers that shall hold nothing afterwards, ascending.
        add: (id, rack or None) of brokers that join, ascending by id; where ``remove`` is given too they are
            further targets of what must move.
        replication_factor: the new replication factor of ``topics``, or None.
        topics: topics whose replication factor shall change.
        options: how to plan.
    """

    remove: tuple[int, ...] = ()
    add: tuple[tuple[int, str | None], ...] = ()
    replication_factor: int | None = None
    topics: tuple[str, ...] = ()
    options: Options = Options()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is wished."""
        return not (self.remove or self.add or self.topics)
