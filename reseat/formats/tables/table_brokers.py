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
    findings: list[Finding] = []
    present = ids != ABSENT
    facts: dict[str, tuple[IntArray, list[str]]] = {
        name: table.text[name] for name in ("rack", "host", "state") if name in table.text
    }
    if not facts and "port" not in table.integer and not (table.text["topic"][0] == NONE).any():
        return [], []  # brokers only mentioned: the layout adds them itself
    everywhere = bool(present.all())
    check_brokers(ids, 0, table.source, table.limits)
    known = _different(ids if everywhere else ids[present])
    out = {int(i): Broker(int(i)) for i in known.tolist()}
    columns: dict[str, npt.NDArray[Any]] = {name: codes for name, (codes, _) in facts.items()}
    if "port" in table.integer:
        columns["port"] = table.integer["port"]
    values: dict[int, dict[str, Any]] = {i: {} for i in out}
    differing: set[int] = set()
    places: list[str] = []
    for name, codes in columns.items():
        told = codes >= 0
        if not everywhere:
            told &= present
        rows = None if told.all() else np.flatnonzero(told)
        first, other = _first_told(ids, codes, rows)
        for broker, code in first:
            values[broker][name] = code if name == "port" else facts[name][1][code]
        differing.update(ids[other[:1000]].tolist())
        places += [table.place(int(row)) for row in other[:PLACES_NAMED]]
    if differing:
        findings.append(
            Finding(
                kind="contradicting_brokers",
                severity=Severity.ATTENTION,
                sentence=f"{counted(len(differing), 'broker is', 'brokers are')} in several rows with different "
                f"racks, hosts or states; the first one is used. See {places[0]}.",
                brokers=tuple(sorted(differing)),
                places=tuple(places[:PLACES_NAMED]),
            )
        )
    return [
        Broker(
            id=i,
            rack=values[i].get("rack"),
            host=values[i].get("host"),
            port=values[i].get("port"),
            state=_STATES.get(str(values[i].get("state", "")).lower().replace("_", " "), BrokerState.NOT_TOLD),
        )
        for i in out
    ], findings


def _small(ids: IntArray) -> bool:
    return bool(ids.size) and int(ids.max()) <= _TABLE_LIMIT and int(ids.min()) >= 0


def _different(ids: IntArray) -> IntArray:
    """The ids that occur, ascending."""
    if not _small(ids):
        return np.unique(ids)
    occurs = np.zeros(int(ids.max()) + 1, np.bool_)
    occurs[ids] = True
    return np.flatnonzero(occurs).astype(np.int32)


def _first_told(
    ids: IntArray, codes: npt.NDArray[Any], rows: npt.NDArray[np.int64] | None
) -> tuple[list[tuple[int, int]], npt.NDArray[np.int64]]:
    """What is first told of each broker, and the rows that tell it otherwise."""
    told, value = (ids, codes) if rows is None else (ids[rows], codes[rows])
    if not len(told):
        return [], np.empty(0, np.int64)
    if _small(told):
        told = told.astype(np.intp)  # once, not at each use as an index
        first = np.full(int(told.max()) + 1, NONE, value.dtype)
        first[told[::-1]] = value[::-1]  # in reverse, so that the first telling is the one that stays
        expected = first[told]
        brokers = np.flatnonzero(first != NONE)
        pairs = list(zip(brokers.tolist(), first[brokers].tolist(), strict=True))
    else:
        brokers, at, inverse = np.unique(told, return_index=True, return_inverse=True)
        expected = value[at][inverse]
        pairs = list(zip(brokers.tolist(), value[at].tolist(), strict=True))
    other = np.flatnonzero(expected != value)
    return pairs, other if rows is None else rows[other]
