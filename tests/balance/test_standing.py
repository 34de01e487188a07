"""What replication sends from rack to rack all day, by topic, from what is produced."""

from __future__ import annotations

import pytest

from reseat.balance.standing import DAY, Standing, standing
from reseat.errors import InputRefused
from reseat.formats.text.rates import read_rates
from reseat.model import Broker, ClusterLayout

MB = 1_000_000


def test_each_follower_in_another_rack_than_its_leader_is_counted_once():
    """orders: of four followers two are across; local stays in a rack; a leader that is not the first counts."""
    lists = {
        ("orders", 0): [1, 2, 3],
        ("orders", 1): [2, 1, 3],
        ("local", 0): [1, 2],
        ("led", 0): [1, 3],
        ("x", 0): [3],
    }
    layout = ClusterLayout.from_assignments(
        lists,
        brokers=[Broker(1, "a"), Broker(2, "a"), Broker(3, "b")],
        leaders={key: 3 if key[0] == "led" else ids[0] for key, ids in lists.items()},
    )
    told = standing(layout, {"orders": 2 * MB, "local": 5 * MB, "led": MB, "elsewhere": MB})

    assert told == (
        Standing("orders", 2 * MB * DAY, 2 * MB * DAY, 2 * MB * DAY, 0),
        Standing("led", MB * DAY, 0, MB * DAY, 0),
        Standing("local", 5 * MB * DAY, 5 * MB * DAY, 0, 0),
    )


def test_what_has_no_rack_is_apart_and_a_partition_without_a_leader_counts_from_its_first_replica():
    """Broker 3 has no rack: nothing is known of what it copies, nor of what others copy from it."""
    lists = {("t", 0): [1, 2], ("t", 1): [1, 3], ("t", 2): [3, 1], ("t", 3): [2, 1]}
    layout = ClusterLayout.from_assignments(
        lists, brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3)], leaders={("t", 0): None}
    )

    assert standing(layout, {"t": 4.0}) == (Standing("t", 4 * DAY, 0, 2 * DAY, 2 * DAY),)
    assert standing(layout, {}) == ()
    assert standing(ClusterLayout.from_assignments({}), {"t": 1.0}) == ()


def test_rates_are_read_with_and_without_a_header():
    """Commas, semicolons or tabs; remarks and empty lines are passed over."""
    assert read_rates(b"# a day in May\n\ntopic,bytes_per_second\norders,3000000\naudit, 0.5\n") == {
        "orders": 3_000_000.0,
        "audit": 0.5,
    }
    assert read_rates("topic\tbytes_per_second\nläufe\t1e3\n".encode()) == {"läufe": 1_000.0}
    assert read_rates(b"\xef\xbb\xbforders;7") == {"orders": 7.0}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "No topic found"),
        (b"topic,bytes_per_second\n", "No topic found"),
        (b"orders,1\norders,fast\n", "line 2: 'orders,fast'"),
        (b"orders,-1", "line 1: 'orders,-1'"),
        (b"orders,nan", "'orders,nan'"),
        (b"orders,1,2", "'orders,1,2'"),
        (b"orders", "'orders': \"topic,bytes_per_second\" such as orders,3000000 was expected."),
        (b",5", "',5'"),
        (b"a,1\na,1\n", "line 2: Topic a is listed twice."),
        (b'"a,1\n', "Not CSV"),
        (b"\xff\xfe,1", "not UTF-8"),
    ],
)
def test_what_is_no_rate_is_refused_with_its_line(text, words):
    """Nothing is passed over in silence."""
    with pytest.raises(InputRefused) as refused:
        read_rates(text, source="rates.csv")

    assert words in str(refused.value)
    assert str(refused.value).startswith("rates.csv")
