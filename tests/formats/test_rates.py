"""At what rate topics are produced, as a text tells it."""

from __future__ import annotations

import pytest

from reseat.errors import InputRefused
from reseat.formats.text.rates import read_rates


def test_rates_are_read_with_and_without_a_header() -> None:
    """Commas, semicolons or tabs; remarks and empty lines are passed over."""
    assert read_rates(b"# a day in May\n\ntopic,bytes_per_second\norders,3000000\naudit, 0.5\n") == {
        "orders": 3_000_000.0,
        "audit": 0.5,
    }
    assert read_rates("topic\tbytes_per_second\nläufe\t1e3\n".encode()) == {"läufe": 1_000.0}
    assert read_rates(b"\xef\xbb\xbforders;7") == {"orders": 7.0}
    assert read_rates(b"idle,0\n# later\n\nTopic,5\n") == {"idle": 0.0, "Topic": 5.0}  # a header only where one may be


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "No topic found"),
        (b"topic,bytes_per_second\n", "No topic found"),
        (b"orders,1\norders,fast\n", "line 2: 'orders,fast'"),
        (b"orders,-1", "line 1: 'orders,-1'"),
        (b"orders,nan", "'orders,nan'"),
        (b"orders,inf", "'orders,inf'"),
        (b"  # remark\n" + b"orders\t;1" + b"\nx", "line 2: 'orders,;1'"),
        (b"orders,1,2", "'orders,1,2'"),
        (b"orders", "'orders': \"topic,bytes_per_second\" such as orders,3000000 was expected."),
        (b",5", "',5'"),
        (b"a,1\na,1\n", "line 2: Topic a is listed twice."),
        (b'"a,1\n', "Not CSV"),
        (b"\xff\xfe,1", "not UTF-8"),
    ],
)
def test_what_is_no_rate_is_refused_with_its_line(text: bytes, words: str) -> None:
    """Nothing is passed over in silence."""
    with pytest.raises(InputRefused) as refused:
        read_rates(text, source="rates.csv")

    assert words in str(refused.value)
    assert str(refused.value).startswith("rates.csv")
