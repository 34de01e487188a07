"""The protocol of an assignor, the four of Kafka's consumers, the two of its brokers, and those that are installed.

An assignor of one's own is a class with a ``name`` and an ``assign``; a package registers it under the entry point
group ``reseat.assignors``. Nothing is ever run that is not installed in Reseat's environment. A name that one of
Kafka's has is refused, as Kafka refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from reseat.consumers.broker_side.assignors import BROKER_ASSIGNORS
from reseat.consumers.cooperative import CooperativeStickyAssignor
from reseat.consumers.group import Assignment, Group, Member, Partition
from reseat.consumers.range import RangeAssignor
from reseat.consumers.roundrobin import RoundRobinAssignor
from reseat.consumers.sticky import StickyAssignor
from reseat.consumers.sticky_2_8 import CooperativeSticky28Assignor, Sticky28Assignor
from reseat.errors import GroupInvalid

__all__ = ["ASSIGNORS", "EARLIER", "GROUP", "Assignor", "assignor_named", "installed"]

#: The entry point group under which packages register assignors.
GROUP = "reseat.assignors"


class Assignor(Protocol):
    """What ``ConsumerPartitionAssignor`` is in Kafka (KIP-429; ``PartitionAssignor`` before 2.4).

    Attributes:
        name: what members and the group's description call it.
        cooperative: whether members keep what they own during a rebalance (KIP-429).
    """

    @property
    def name(self) -> str:
        """What members and the group's description call it."""

    @property
    def cooperative(self) -> bool:
        """Whether members keep reading what they own while the group rebalances."""

    def user_data(self, member: Member) -> bytes:
        """What a member sends along with its subscription."""

    def assign(self, group: Group) -> Assignment:
        """Give every partition of the subscribed topics to a member; run by the member that leads the group."""

    def on_assignment(self, member: Member, partitions: tuple[Partition, ...], generation: int) -> None:
        """Told to each member once it has its partitions."""


#: Kafka's own assignors by name.
ASSIGNORS: Mapping[str, Callable[[], Assignor]] = {
    "range": RangeAssignor,
    "roundrobin": RoundRobinAssignor,
    "sticky": StickyAssignor,
    "cooperative-sticky": CooperativeStickyAssignor,
}
#: Those whose code was another in an earlier release (2.4 to 2.8), by the name that Reseat gives them.
EARLIER: Mapping[str, Callable[[], Assignor]] = {
    "sticky-2.8": Sticky28Assignor,
    "cooperative-sticky-2.8": CooperativeSticky28Assignor,
}
_KAFKAS = {**ASSIGNORS, **BROKER_ASSIGNORS, **EARLIER}


@cache
def installed(points: tuple[EntryPoint, ...] | None = None) -> Mapping[str, Callable[[], Assignor]]:
    """Assignors that packages of this environment register, by name; looked for once, where nothing is at fault.

    Args:
        points: entry points to look at; those of ``GROUP`` by default.

    Raises:
        GroupInvalid: a name is one of Kafka's own, two packages use one name, or what is registered is not there.
    """
    found: dict[str, Callable[[], Assignor]] = {}
    for point in entry_points(group=GROUP) if points is None else points:
        if point.name in _KAFKAS:
            raise GroupInvalid(
                f"The assignor {point.value} is registered as {point.name}, which is the name of one of Kafka's own. "
                "Give it another name."
            )
        if point.name in found:
            raise GroupInvalid(f"Two assignors are registered as {point.name}. Give one of them another name.")
        found[point.name] = _loaded(point)
    return found


def _loaded(point: EntryPoint) -> Callable[[], Assignor]:
    try:
        assignor: Callable[[], Assignor] = point.load()
    except (ImportError, AttributeError) as error:
        raise GroupInvalid(f"The assignor {point.name} cannot be loaded from {point.value}: {error}.") from error
    return assignor


def assignor_named(name: str) -> Assignor:
    """One of Kafka's assignors, of its consumers or its brokers, or one that is installed.

    Raises:
        GroupInvalid: there is none of this name.
    """
    if name in _KAFKAS:
        return _KAFKAS[name]()
    others = installed()
    if name not in others:
        names = ", ".join([*_KAFKAS, *sorted(others)])
        raise GroupInvalid(f"There is no assignor called {name}. There are: {names}.")
    return others[name]()
