"""Who reads what: consumer groups and Kafka's assignors. May import ``reseat.model`` and ``reseat.errors`` alone."""

from reseat.consumers.assignors import ASSIGNORS, EARLIER, Assignor, assignor_named
from reseat.consumers.broker_side.assignors import BROKER_ASSIGNORS
from reseat.consumers.cooperative import CooperativeStickyAssignor
from reseat.consumers.group import Assignment, Group, Member, Partition
from reseat.consumers.range import RangeAssignor
from reseat.consumers.roundrobin import RoundRobinAssignor
from reseat.consumers.sticky import StickyAssignor

__all__ = [
    "ASSIGNORS",
    "BROKER_ASSIGNORS",
    "EARLIER",
    "Assignment",
    "Assignor",
    "CooperativeStickyAssignor",
    "Group",
    "Member",
    "Partition",
    "RangeAssignor",
    "RoundRobinAssignor",
    "StickyAssignor",
    "assignor_named",
]
