"""The stories that the Consumers page begins with: the documented examples, and some of our own."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.consumers import Member
from reseat.consumers.events import GroupEvent, Join, Leave, Partitions, Restart, Return, Subscribe, Timeout, Together
from reseat.consumers.rebalancing import GroupState, empty_group

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A story with a name.

    Attributes:
        slug: what links call it.
        name: what its button says.
        shows: what it is there for.
        state: the group before it.
        events: the story.
        assignor: the strategy that it is told with first.
        step: which step one looks at first.
    """

    slug: str
    name: str
    shows: str
    state: GroupState
    events: tuple[GroupEvent, ...]
    assignor: str
    step: int = 0


def _together(**topics: str) -> Together:
    """Members by name with the topics they read."""
    return Together(tuple(Member(name, tuple(read.split())) for name, read in topics.items()))


_FOUR = dict.fromkeys(("T0", "T1", "T2", "T3"), 2)
_ALL = "T0 T1 T2 T3"

#: In the order in which a person should meet them.
EXAMPLES = (
    Example(
        "leave",
        "A member leaves",
        "Three members, four topics of two partitions; C1 leaves. Sticky moves its three, RoundRobin five",
        empty_group(_FOUR),
        (_together(C0=_ALL, C1=_ALL, C2=_ALL), Leave("C1")),
        "sticky",
        1,
    ),
    Example(
        "cooperative",
        "Eager or cooperative",
        "A third member joins: eager stops everything, cooperative pauses only what moves and takes two rebalances",
        empty_group({"orders": 6, "payments": 6}),
        (
            _together(C0="orders payments", C1="orders payments"),
            Join(Member("C2", ("orders", "payments"))),
        ),
        "cooperative-sticky",
        1,
    ),
    Example(
        "surplus",
        "Range's surplus",
        "Four topics of four partitions and three members: topic by topic the first gets one more",
        empty_group(dict.fromkeys(("T0", "T1", "T2", "T3"), 4)),
        (_together(C0=_ALL, C1=_ALL, C2=_ALL),),
        "range",
    ),
    Example(
        "uneven",
        "4 against 1",
        "RoundRobin: C0 subscribes to T1 and T2, C1 only to T2; skipped turns make the counts 4 and 1",
        empty_group({"T1": 3, "T2": 2}),
        (_together(C0="T1 T2", C1="T2"),),
        "roundrobin",
    ),
    Example(
        "differing",
        "Differing topics",
        "C0 subscribes to T0, C1 to T0 and T1, C2 to all three; C0 leaves, and Sticky moves only T0-0",
        empty_group({"T0": 1, "T1": 2, "T2": 3}),
        (_together(C0="T0", C1="T0 T1", C2="T0 T1 T2"), Leave("C0")),
        "sticky",
        1,
    ),
    Example(
        "static",
        "Static members",
        "A static member restarts without a rebalance; once it times out, it loses its partitions",
        empty_group({"orders": 6}),
        (
            Together(tuple(Member(f"C{i}", ("orders",), instance_id=f"pod-{i}") for i in range(3))),
            Restart("C1"),
            Leave("C1"),
            Timeout("C1"),
            Return("C1"),
        ),
        "cooperative-sticky",
        1,
    ),
    Example(
        "day",
        "A day of a group",
        "Members join, time out and come back, change topics; a topic gains partitions",
        empty_group({"orders": 4, "payments": 3, "clicks": 2}),
        (
            _together(A="orders payments clicks", B="orders payments clicks"),
            Join(Member("C", ("orders", "payments"))),
            Timeout("B"),
            Return("B"),
            Partitions("orders", 6),
            Subscribe("A", ("payments", "clicks")),
            Leave("C"),
        ),
        "cooperative-sticky",
    ),
)
