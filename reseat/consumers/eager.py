"""What Kafka's assignors have in common but how they assign: nothing is sent along, nothing is done on assignment."""

from __future__ import annotations

from reseat.consumers.group import Member, Partition

__all__ = ["Eager"]


class Eager:
    """An assignor whose members give up everything before a rebalance (the eager protocol)."""

    cooperative = False

    def user_data(self, member: Member) -> bytes:
        """Nothing: ownership and generation stand in ``Member``."""
        del member
        return b""

    def on_assignment(self, member: Member, partitions: tuple[Partition, ...], generation: int) -> None:
        """Nothing to do: the group's story carries what a member owned into its next subscription."""
        del member, partitions, generation
