"""What is said of each kind of finding, and what it is to be told by."""

from __future__ import annotations

import pytest

from reseat.balance.mends import KINDS, may_be_unseen
from tests.syntax import ROOT


def test_what_tells_of_a_kind_is_called_so_by_the_readers() -> None:
    """Their sentences are kept in snapshots, and say which findings may be there unseen."""
    written = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "reseat" / "sources").rglob("*.py"))
    begins = {begin for kind in KINDS.values() for begin in kind.told_by}

    assert len(begins) >= 4
    assert [begin for begin in begins if f'"{begin}' not in written] == []


@pytest.mark.parametrize(
    ("kind", "not_read", "dark", "text", "unseen"),
    [
        ("log_dir_error", (), False, False, False),
        ("log_dir_error", (), True, False, True),
        (
            "log_dir_error",
            ("Sizes and log directories of broker 3 are unknown: It does not answer.",),
            False,
            False,
            True,
        ),
        ("log_dir_error", ("Configurations of broker 3 are unknown: It does not answer.",), False, False, False),
        ("log_dir_error", (), False, True, True),
        ("unclean_enabled", (), True, False, False),
        ("unclean_enabled", ("Configurations of broker 3 are unknown: It does not answer.",), False, False, True),
        ("no_quorum", ("The quorum's leader is unknown: DescribeQuorum came with 3.3.",), False, False, True),
        ("duplicate_replicas", ("Sizes and log directories of broker 3 are unknown.",), True, True, False),
        ("same_host", (), True, False, True),
        ("half_written", ("Sizes and log directories of broker 3 are unknown.",), True, True, False),
    ],
)
def test_what_was_not_read_may_be_there_unseen(
    kind: str, not_read: tuple[str, ...], dark: bool, text: bool, unseen: bool
) -> None:
    """Replica lists are told by every reading; a kind that is none here is what a reader found itself."""
    assert may_be_unseen(kind, not_read, dark=dark, text=text) is unseen
