"""One topic while it is read: its partitions and their states as columns, with the zxids that consistency needs."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from reseat.model import NOT_TOLD
from reseat.sources.zookeeper.nodes import PartitionState, TopicNode

__all__ = ["StateNode", "Topic"]


class StateNode(IntEnum):
    """What is known of a partition's state node."""

    ASKED = 0
    TOLD = 1
    MISSING = 2
    DENIED = 3
    UNUSABLE = 4


@dataclass(slots=True)
class Topic:
    """What a topic's nodes told; n partitions in the order of its node.

    Attributes:
        name: the topic's name.
        node: its partitions; None until told.
        known: (n,) values of ``StateNode``.
        leader: (n,) broker ids; -1 none, -2 not told.
        epoch: (n,) leader epochs; -2 not told.
        isr: (n,) lists one after the other, as many as ``isr_lengths`` says; a length of -1: not told.
        isr_lengths: (n,) lengths.
        again: ISR by position where a state was read again; it counts in place of the one in ``isr``.
        newest: (n,) zxid of the state's last change.
        floor: (n,) zxid of a state of ZooKeeper in which it was seen so.
        faults: what was not understood of states, by position.
    """

    name: str
    node: TopicNode | None = None
    known: bytearray = field(default_factory=bytearray)
    leader: array[int] = field(default_factory=lambda: array("i"))
    epoch: array[int] = field(default_factory=lambda: array("i"))
    isr: array[int] = field(default_factory=lambda: array("i"))
    isr_lengths: array[int] = field(default_factory=lambda: array("i"))
    again: dict[int, list[int] | None] = field(default_factory=dict)
    newest: array[int] = field(default_factory=lambda: array("q"))
    floor: array[int] = field(default_factory=lambda: array("q"))
    faults: dict[int, str] = field(default_factory=dict)

    def begin(self, node: TopicNode) -> None:
        """Take the topic's node; its partitions' states are not known yet."""
        count = len(node.partition)
        self.node = node
        self.known = bytearray(count)
        self.leader = array("i", [NOT_TOLD]) * count
        self.epoch = array("i", [NOT_TOLD]) * count
        self.isr = array("i")
        self.isr_lengths = array("i", [NOT_TOLD]) * count
        self.again, self.faults = {}, {}
        self.newest = array("q", [0]) * count
        self.floor = array("q", [0]) * count

    @property
    def path(self) -> str:
        """Its node's path."""
        return f"/brokers/topics/{self.name}"

    def state_path(self, position: int) -> str:
        """The path of a partition's state."""
        partition = 0 if self.node is None else self.node.partition[position]
        return f"/brokers/topics/{self.name}/partitions/{partition}/state"

    def unasked(self) -> Iterator[int]:
        """Positions of partitions whose state was not asked for yet."""
        return (position for position, seen in enumerate(self.known) if seen == StateNode.ASKED)

    def take(self, position: int, state: PartitionState | None, seen: StateNode, *, again: bool) -> None:
        """Take a partition's state; None where there is none.

        Told first, positions come in ascending order; ``again``: one that was told before, and differently.
        """
        self.known[position] = seen if state is None or state.fault is None else StateNode.UNUSABLE
        self.leader[position] = NOT_TOLD if state is None else state.leader
        self.epoch[position] = NOT_TOLD if state is None else state.leader_epoch
        self.faults.pop(position, None)
        if state is not None and state.fault is not None:
            self.faults[position] = state.fault
        isr = None if state is None else state.isr
        if again:
            self.again[position] = isr
        elif isr is not None:
            self.isr_lengths[position] = len(isr)
            self.isr.extend(isr)
