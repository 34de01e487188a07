"""The limits file: what it says, for all clusters and for one, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from reseat.errors import InputRefused
from reseat.forecast.settings import Limits, configured, read_settings


def test_a_cluster_has_its_own_limits_and_else_the_general_ones(tmp_path: Path) -> None:
    """Sizes have units; what is not named is not limited."""
    file = tmp_path / "limits.toml"
    file.write_text(
        '[limits]\ndisk = 85\nbytes_per_broker = "2TB"\n\n'
        "[clusters.orders.limits]\ndisk = 70\npartitions_per_cluster = 9\n"
    )
    told = configured({"RESEAT_LIMITS": str(file)})

    assert told.limits("shop") == Limits(disk=85, bytes_per_broker=2 * 10**12)
    assert told.limits("orders") == Limits(disk=70, bytes_per_broker=2 * 10**12, partitions_per_cluster=9)
    assert configured({}).limits("shop") == Limits()


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    file = tmp_path / "limits.toml"
    file.write_bytes(b"\xef\xbb\xbf[limits]\ndisk = 85\n")

    assert read_settings(file).limits("shop") == Limits(disk=85)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[limits]\ndisks = 85\n", "unknown field `disks`"),
        ("[limits]\ndisk = 120\n", "Expected `float` <= 100"),
        ("[limits]\nreplicas_per_broker = 0\n", "Expected `int` >= 1"),
        ('[limits]\nbytes_per_broker = "much"\n', "'much' is not a size such as 500GB"),
        ("[limits\n", "is not TOML"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    """A limit with a slip in its name would never be met."""
    file = tmp_path / "limits.toml"
    file.write_text(text)

    with pytest.raises(InputRefused) as error:
        read_settings(file)
    assert said in str(error.value)
    assert str(file) in str(error.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Named, and not there, is not the same as not named."""
    with pytest.raises(InputRefused, match="cannot be read: No such file"):
        configured({"RESEAT_LIMITS": str(tmp_path / "none.toml")})
