"""Which findings a snapshot may have that it does not tell: so that none is called mended for want of a look.

Complexity: O(snapshots + rows of brokers that are down).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

from reseat.balance.mends import TOLD_IN, may_be_unseen

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["unseen_by"]


def unseen_by(
    snapshots: pd.DataFrame,
    dark: pa.Table,
    not_read: Mapping[Any, Sequence[str]],
    incomplete: Collection[Any],
    *,
    key: str,
) -> dict[Any, Callable[[str], bool]]:
    """By snapshot: whether a kind of finding that it does not have may be there all the same.

    Args:
        snapshots: rows of the table ``snapshots`` with ``way`` and ``TOLD_IN``.
        dark: of ``History.dark``, for the same time.
        not_read: by snapshot, the sentences of its findings ``not_read``.
        incomplete: the snapshots with a finding ``input_incomplete``.
        key: the column that tells snapshots apart.
    """
    down: dict[Any, bool] = {}  # and whether of one of them not even the rack is known
    for one, rack in zip(dark[key].to_pylist(), dark["rack"].to_pylist(), strict=True):
        down[one] = down.get(one, False) or rack is None
    told: dict[Any, Callable[[str], bool]] = {}
    null = snapshots[list(TOLD_IN)].isna().to_numpy()
    for one, way, is_null in zip(snapshots[key], snapshots["way"], null, strict=True):
        unknown = set(compress(TOLD_IN, is_null))
        if down.get(one):
            unknown.add("rack_violations")
        told[one] = partial(
            may_be_unseen,
            not_read=not_read.get(one, ()),
            dark=one in down,
            text=way == "text",
            unknown=unknown,
            incomplete=one in incomplete,
        )
    return told
