"""What the user that Reseat signs in as may do, as the cluster tells it.

Kafka's own names of operations; where one implies another (Alter Describe, AlterConfigs DescribeConfigs), the cluster
tells both. A cluster without an authorizer tells all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Rights"]


@dataclass(frozen=True, slots=True)
class Rights:
    """What may be done.

    Attributes:
        cluster: operations on the cluster: of Create, Alter, Describe and AlterConfigs, those that are allowed. None of
            them where Describe is not: then the cluster tells nothing.
        topics: the same by topic; one that may not be described has none, one that is gone is absent.
    """

    cluster: frozenset[str]
    topics: Mapping[str, frozenset[str]] = field(default_factory=dict)
