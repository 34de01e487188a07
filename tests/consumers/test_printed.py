"""What ``kafka-consumer-groups --describe`` prints, as a group."""

from __future__ import annotations

import pytest

from reseat.consumers import Member
from reseat.consumers.events import Rebalance
from reseat.consumers.text import read_group
from reseat.errors import InputRefused

PRINTED = """\

GROUP  TOPIC     PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST        CLIENT-ID
shop   orders    0          12              14              2    one-4f       /127.0.0.1  one
shop   orders    1          -               3               -    two-8a       /127.0.0.1  two
shop   payments  0          5               5               0    one-4f       /127.0.0.1  one
shop   payments  2          5               5               0    -            -           -
"""


def test_members_own_what_they_read() -> None:
    """Topics are as large as their highest row; what nobody reads has no owner."""
    told = read_group(PRINTED)
    both = ("orders", "payments")

    assert told.events == (Rebalance(),)
    assert told.state.partitions == {"orders": 2, "payments": 3}
    assert told.state.members == {
        "one-4f": Member("one-4f", both, owned=(("orders", 0), ("payments", 0)), generation=1),
        "two-8a": Member("two-8a", both, owned=(("orders", 1),), generation=1),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PRINTED + "shop orders x 1 2 1 a b c\n", "line 7: A row of kafka-consumer-groups --describe was expected"),
        (PRINTED + "shop orders 5 1\n", "line 7: A row of kafka-consumer-groups --describe was expected"),
        (PRINTED + "other orders 5 1 2 1 a b c\n", "2 groups are printed; one was expected"),
        (PRINTED.splitlines()[1], "This group has no members"),
        (PRINTED + "shop orders 9999999 1 2 1 a b c\n", "the limits are 10,000 and 1,000,000"),
    ],
)
def test_what_is_not_one_group_is_refused(text: str, says: str) -> None:
    """With the line."""
    with pytest.raises(InputRefused) as refused:
        read_group(text)

    assert says in str(refused.value)
