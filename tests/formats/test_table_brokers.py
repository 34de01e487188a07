"""What rows of a table tell of brokers, beside the same reckoned row by row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reseat.errors import LimitMet
from reseat.formats.input.reading import LIMITS
from reseat.formats.tables.table import read_csv
from reseat.model import Broker, BrokerState

#: Also one above the ids that are kept in tables by id, and one right at their end.
IDS = (0, 1, 7, 4_194_304, 4_194_305, 2_147_483_647)
ROW = st.tuples(
    st.sampled_from(("", *map(str, IDS))),
    st.sampled_from(("", "r1", "r2")),
    st.sampled_from(("", "h1", "h2")),
    st.sampled_from(("", "alive", "FENCED", "shutting_down", "cordoned", "dead", "asleep")),
    st.sampled_from(("", "9092", "9093", "0")),
)
Row = tuple[str, str, str, str, str]


def table(rows: Iterable[Row]) -> bytes:
    """A partition a row, each with one replica or none."""
    lines = ("t,{},{},{},{},{},{}".format(at, *row) for at, row in enumerate(rows))
    return "\n".join(("topic,partition,broker,rack,host,state,port", *lines)).encode()


def reckoned(rows: list[Row]) -> tuple[list[Broker], list[int], list[int]]:
    """The brokers with what is first told of each; those told differently, ascending; and rows that do so, by fact."""
    brokers, differing = {int(row[0]): ["", "", "", ""] for row in rows if row[0]}, dict[int, list[int]]()
    for fact in range(4):
        for at, row in enumerate(rows):
            if row[0] and row[fact + 1]:
                told = brokers[int(row[0])]
                told[fact] = told[fact] or row[fact + 1]
                if told[fact] != row[fact + 1]:
                    differing.setdefault(int(row[0]), []).append(fact * len(rows) + at)
    states = {state.value: state for state in BrokerState}
    found = [
        Broker(
            broker,
            rack or None,
            host or None,
            int(port) if port else None,
            states.get(state.lower().replace("_", " "), BrokerState.NOT_TOLD),
        )
        for broker, (rack, host, state, port) in sorted(brokers.items())
    ]
    return found, sorted(differing), sorted(at for told in differing.values() for at in told)


@given(st.lists(ROW, min_size=1, max_size=12))
@example([("4194304", "r1", "", "", ""), ("", "r2", "", "", ""), ("4194304", "r2", "h1", "", "")])
@example([("2147483647", "r1", "", "dead", "0"), ("0", "", "", "", "9092"), ("2147483647", "r2", "", "", "")])
def test_what_is_first_told_of_a_broker_counts_and_what_is_told_differently_is_a_finding(rows: list[Row]) -> None:
    """Rows without a broker tell of none, whatever their other cells say."""
    reading = read_csv(table(rows))
    brokers, differing, places = reckoned(rows)

    assert list(reading.layout.brokers) == brokers
    found = [finding for finding in reading.findings if finding.kind == "contradicting_brokers"]
    assert [finding.brokers for finding in found] == ([tuple(differing)] if differing else [])
    if found:
        many = "1 broker is" if len(differing) == 1 else f"{len(differing)} brokers are"
        assert found[0].sentence.startswith(f"{many} in several rows with different racks")
        assert len(found[0].places) == min(len(places), 20)
        assert set(found[0].places) <= {f"line {at % len(rows) + 2}" for at in places}
        assert f"See {found[0].places[0]}." in found[0].sentence


@pytest.mark.parametrize("column", ["rack", "host", "state", "port"])
def test_one_column_of_facts_is_enough(column: str) -> None:
    """Of the other facts nothing is told."""
    said = {"rack": "r", "host": "h", "state": "dead", "port": "9092"}[column]
    (broker,) = read_csv(f"topic,partition,broker,{column}\nt,0,3,{said}\n".encode()).layout.brokers

    told = {"rack": broker.rack, "host": broker.host, "state": broker.state.value, "port": broker.port}
    assert told.pop(column) == (9092 if column == "port" else said)
    assert list(told.values()) == ["not told" if name == "state" else None for name in told]


@pytest.mark.parametrize(("rows", "brokers"), [("t,0,1\n,,5\n", [1, 5]), (",,5\n", [5])])
def test_a_row_of_a_broker_alone_is_one_that_holds_nothing(rows: str, brokers: list[int]) -> None:
    """Nothing else is told of it, not even by the columns."""
    assert [*read_csv(f"topic,partition,broker\n{rows}".encode()).layout.brokers] == [Broker(one) for one in brokers]


def test_a_partition_without_a_replica_is_no_broker_of_those_that_are_counted() -> None:
    """As many brokers as are accepted are read beside it, one more are not."""
    most = replace(LIMITS, brokers=2)
    rows = [("8", "r1", "", "", ""), ("", "", "", "", ""), ("9", "r1", "", "", "")]
    assert [broker.id for broker in read_csv(table(rows), limits=most).layout.brokers] == [8, 9]
    with pytest.raises(LimitMet, match="names 3 brokers; 2 is the limit"):
        read_csv(table([*rows, ("7", "r1", "", "", "")]), limits=most)
