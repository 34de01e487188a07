"""A certificate is text: the wish in it comes back whole, and what is not a wish is refused with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused
from reseat.formats.documents.certificate import read_wish, write_certificate
from reseat.model import Certificate, Wish
from tests.wishes import wishes

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)


@given(wishes(NAMES))
def test_a_certificate_gives_back_what_was_wished(wish: Wish) -> None:
    """Brokers, topics, every option and the point of the curve come back as they were."""
    assert read_wish(write_certificate(Certificate(wish=wish, moves=0)), source="certificate.json") == wish


def test_a_certificate_from_before_options_were_written_opens() -> None:
    """It has no options and no point: the defaults, and the plan with the least moves."""
    old = {"wish": {"remove": [3], "add": [{"broker": 9, "rack": None}], "replication_factor": None, "topics": []}}

    assert read_wish(json.dumps(old | {"moves": 2}), source="old.json") == Wish(remove=(3,), add=((9, None),))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("{", "line 1"),
        ("[]", "object"),
        ('{"moves": 3}', "wish"),
        ('{"wish": {"remove": ["3"], "add": [], "replication_factor": null, "topics": []}}', "wish.remove"),
        ('{"wish": {"remove": [-1], "add": [], "replication_factor": null, "topics": []}}', "wish.remove"),
        ('{"wish": {"remove": [3], "add": [], "replication_factor": null, "topics": [], "hurry": true}}', "hurry"),
        (
            '{"wish": {"remove": [], "add": [{"broker": 1, "rack": "a"}, {"broker": 1, "rack": "b"}], '
            '"replication_factor": null, "topics": []}}',
            "Broker 1",
        ),
        (b'{"wish": {"remove": [], "add": [], "replication_factor": null, "topics": ["\xff"]}}', "UTF-8"),
    ],
)
def test_what_is_no_certificate_is_refused_with_its_place(text: str | bytes, says: str) -> None:
    """The sentence names the file and the part that does not fit; nothing is guessed."""
    with pytest.raises(InputRefused) as refused:
        read_wish(text, source="mine.json")

    assert str(refused.value).startswith("mine.json")
    assert says in str(refused.value)


def test_a_refusal_does_not_echo_a_page_of_what_was_found() -> None:
    """A key of 20 kB is named by its beginning."""
    told = {"remove": [], "add": [], "replication_factor": None, "topics": [], "x" * 20_000: 1}
    with pytest.raises(InputRefused) as refused:
        read_wish(json.dumps({"wish": told}))

    assert len(str(refused.value)) < 500
