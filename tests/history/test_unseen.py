"""A snapshot that knows less than the one before: nothing is over for want of a look, neither a mark nor an alert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from reseat.alerts.raised import alert_states
from reseat.balance.mends import KINDS
from reseat.forecast.settings import Alert, Settings
from reseat.history.read import History
from reseat.history.stretch import read
from reseat.model import NOT_TOLD, Broker, BrokerState, ClusterLayout, Gaps, Snapshot
from tests.history.made import snapshot, write

UP, DEAD, UNTOLD = BrokerState.ALIVE, BrokerState.DEAD, BrokerState.NOT_TOLD
#: Replicas 1 and 4 share a rack while c has none, 5 and 6 a host, 6 is dead, 8 empty, 9 without a rack.
_BROKERS = (
    *(Broker(i, rack, f"host-{i}", 9092, UP) for i, rack in ((1, "a"), (2, "b"), (3, "c"), (4, "a"))),
    *(Broker(5, "b", "shared", 9092, UP), Broker(6, "c", "shared", 9092, DEAD), Broker(7, "c", "host-7", 9092, DEAD)),
    *(Broker(8, "c", "host-8", 9092, UP), Broker(9, None, "host-9", 9092, UP)),
)
_LISTS = {
    **{("orders", p): [1, 2, 4] for p in range(4)},
    **{("wide", p): [1, 2, 3, 5, 9] for p in range(2)},
    ("pay", 0): [5, 6],
    ("pay", 1): [6],
    ("pay", 2): [2, 1, 7],
}
_LEADERS = {key: ids[1] if key[0] == "orders" else ids[0] for key, ids in _LISTS.items()} | {("pay", 1): None}


def whole() -> ClusterLayout:
    """A layout with many findings, of which all is known."""
    made = ClusterLayout.from_assignments(
        _LISTS,
        brokers=_BROKERS,
        leaders=_LEADERS,
        in_sync={key: [one for one in ids if one not in (6, 7)] or ids for key, ids in _LISTS.items()},
        size_bytes=dict.fromkeys(_LISTS, 1e9),
    )
    return replace(made, min_in_sync=np.full(len(made.topics), 2, np.int32))


def brokers(change: Callable[[Broker], Broker]) -> Callable[[Snapshot], Snapshot]:
    """A snapshot whose brokers are told otherwise."""

    def told(one: Snapshot) -> Snapshot:
        return replace(one, layout=replace(one.layout, brokers=tuple(map(change, one.layout.brokers))))

    return told


def of_layout(**untold: object) -> Callable[[Snapshot], Snapshot]:
    """A snapshot whose layout lacks something."""
    return lambda one: replace(one, layout=replace(one.layout, **untold))


def dead_ones_untold(broker: Broker) -> Broker:
    """As the brokers of Kafka up to 3.9 tell one that is down: no rack and no host."""
    return Broker(broker.id, state=DEAD) if broker.state is DEAD else broker


_LESS: dict[str, Callable[[Snapshot], Snapshot]] = {
    "isr": of_layout(in_sync=None),
    "leaders": of_layout(leader=np.full(len(_LISTS), NOT_TOLD, np.int32)),
    "racks": brokers(lambda one: replace(one, rack=None)),
    "states and hosts": brokers(lambda one: Broker(one.id, one.rack)),
    "racks of dead brokers": brokers(dead_ones_untold),
    "half of the partitions": lambda one: replace(
        one,
        layout=replace(
            ClusterLayout.from_assignments({("pay", 2): [2, 1, 7]}, brokers=one.layout.brokers),
            gaps=Gaps(missing_topics=("orders", "wide")),
        ),
    ),
    "all but the lists": lambda one: replace(
        one, layout=ClusterLayout.from_assignments(_LISTS), protocol="text", under_way_told=False
    ),
}


@pytest.mark.parametrize("less", _LESS)
def test_nothing_is_over_for_want_of_a_look(less: str, tmp_path: Path) -> None:
    """The same cluster an hour later, of which less is known: whatever holds, or was found, is not called mended."""
    known = snapshot(whole(), "shop", "2026-05-01T03:00")
    later = _LESS[less](snapshot(whole(), "shop", "2026-05-01T04:00"))
    history = History.open(write(tmp_path / "both", {"shop": (known, later)}, swept=False).tables)
    first = History.open(write(tmp_path / "first", {"shop": (known,)}, swept=False).tables)
    alerts = (
        *(Alert(kind, finding=kind) for kind in KINDS),
        *(Alert(name, measure=name) for name in ("offline", "under_replicated", "rack_violations", "brokers_down")),
    )
    now = datetime(2026, 5, 1, 5, tzinfo=UTC)
    held = {one.alert for one in alert_states(first, Settings(alerts=alerts), now) if one.holds}
    over = {
        one.alert: one.sentence for one in alert_states(history, Settings(alerts=alerts), now) if one.holds is False
    }

    assert len(held) >= 10
    assert {name: over[name] for name in held & over.keys()} == {}
    assert [one.sentence for one in read(history, "shop", None, None).marks if "mended" in one.sentence] == []


def test_a_dead_brokers_rack_is_unknown_and_not_another_one(tmp_path: Path) -> None:
    """Both replicas are in rack a. The second's broker dies: nobody tells where it was, and they count as apart."""
    racks = {1: "a", 2: "b", 4: "a"}
    up = [Broker(one, rack, f"host-{one}", 9092, UP) for one, rack in racks.items()]
    layouts = [
        ClusterLayout.from_assignments({("orders", 0): [1, 4]}, brokers=told)
        for told in (up, [*up[:2], Broker(4, state=DEAD)], up)
    ]
    taken = tuple(snapshot(one, "shop", f"2026-05-01T{hour:02}:00") for hour, one in enumerate(layouts))
    asked = (Alert("few", measure="rack_violations"), Alert("shared", finding="rack_shared_while_free"))
    held = []
    for count in (1, 2, 3):
        history = History.open(write(tmp_path / str(count), {"shop": taken[:count]}, swept=False).tables)
        held.append([one.holds for one in alert_states(history, Settings(alerts=asked), datetime.now(UTC))])

    assert held == [[True, True], [None, None], [True, True]]
    marks = [one.sentence for one in read(history, "shop", None, None).marks]
    assert not any("Racks not used" in one for one in marks)
