"""Brokers told in a table: their facts are scattered into tables by id and compared with what each row tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.formats.rows.bounds import check_brokers
from reseat.formats.rows.row_findings import PLACES_NAMED
from reseat.formats.tables.table_columns import ABSENT, Table
from reseat.model import NONE, Broker, BrokerState, Finding, IntArray, Severity
from reseat.model.wording import counted

__all__ = ["brokers_of"]

_STATES = {state.value: state for state in BrokerState}
#: Up to this broker id, facts of brokers are kept in tables by id.
_TABLE_LIMIT = 1 << 22


def brokers_of(table: Table) -> tuple[list[Broker], list[Finding]]:
    """Brokers with the facts that rows tell of them; a fact told differently counts as first told.

    Returns:
        The brokers, none where rows only mention them, and a finding where facts contradict.

    Raises:
        LimitMet: there are too many.
    """
    ids = table.integer.get("broker")
    if ids is None or not len(ids):
        return [], []
    facts = {name: table.text[name] for name in ("rack", "host", "state") if name in table.text}
    if not facts and "port" not in table.integer and not (table.text["topic"][0] == NONE).any():
        return [], []  # brokers only mentioned: the layout adds them itself
    check_brokers(ids, 0, table.source, table.limits)
    rows: slice | npt.NDArray[np.int64] = slice(None) if (ids != ABSENT).all() else np.flatnonzero(ids != ABSENT)
    known, which = _numbered(ids[rows])
    columns: dict[str, IntArray] = {name: codes for name, (codes, _) in facts.items()}
    if "port" in table.integer:
        columns["port"] = table.integer["port"]
    told: dict[str, list[Any]] = {}
    differing, places = set[int](), list[str]()
    for name, codes in columns.items():
        first, other = _first_told(which, codes[rows], len(known))
        words = [*facts[name][1], None] if name in facts else None  # the last one: -1 stays unknown
        told[name] = [(None if code < 0 else code) if words is None else words[code] for code in first.tolist()]
        differing.update(known[which[other[:1000]]].tolist())
        places += [table.place(int(row)) for row in np.arange(len(ids))[rows][other[:PLACES_NAMED]]]
    found = []
    if differing:
        said = (
            f"{counted(len(differing), 'broker is', 'brokers are')} in several rows with different racks, hosts or "
            f"states; the first one is used. See {places[0]}."
        )
        found.append(
            Finding(
                "contradicting_brokers",
                Severity.ATTENTION,
                said,
                brokers=tuple(sorted(differing)),
                places=tuple(places[:PLACES_NAMED]),
            )
        )
    nothing = [None] * len(known)
    rack, host, port, state = (told.get(name, nothing) for name in ("rack", "host", "port", "state"))
    states = [_STATES.get((word or "").lower().replace("_", " "), BrokerState.NOT_TOLD) for word in state]
    return list(map(Broker, known.tolist(), rack, host, port, states)), found


def _numbered(ids: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """The ids that occur, ascending, and which of them stands in each row."""
    if not ids.size or int(ids.max()) > _TABLE_LIMIT:
        return np.unique(ids, return_inverse=True)
    rows = ids.astype(np.intp)  # once, not at each use as an index
    place = np.zeros(int(ids.max()) + 1, np.intp)
    place[rows] = 1
    known = np.flatnonzero(place)
    place[known] = np.arange(len(known))
    return known.astype(np.int32), place[rows]


def _first_told(which: npt.NDArray[np.intp], codes: IntArray, count: int) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """What is first told of each of so many brokers, -1 where nothing is; and the rows that tell it otherwise."""
    told = codes >= 0
    some = slice(None) if told.all() else np.flatnonzero(told)
    which, codes = which[some], codes[some]
    first = np.full(count, NONE, codes.dtype)
    first[which[::-1]] = codes[::-1]  # in reverse, so that the first telling is the one that stays
    other = np.flatnonzero(first[which] != codes)
    return first, other if isinstance(some, slice) else some[other]
