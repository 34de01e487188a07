"""What the tables must hold for moments told as literals: computed once more, in pandas, one replica a row.

Written from what ``reseat.history.schema`` says of each column and from what Kafka calls offline, under-replicated and
preferred; nothing of ``reseat.balance`` or ``reseat.pipeline`` is called here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

import pandas as pd

from reseat.model import BrokerState
from tests.pipeline.moments import UNTOLD, Moment, Part

__all__ = ["EXPECTED", "Rows", "changes", "same"]

Rows = list[dict[str, Any]]


def replicas_frame(moment: Moment) -> pd.DataFrame:
    """One row a replica, NA where not told."""
    rows = [
        {
            "topic": topic,
            "partition": number,
            "position": place,
            "broker": broker,
            "rack": moment.brokers[broker][0],
            "is_leader": pd.NA if part.leader == UNTOLD else part.leader == broker,
            "in_sync": pd.NA if part.isr is None else broker in part.isr,
            "log_dir": None,
            "size_bytes": pd.NA if part.sizes is None or part.sizes[place] is None else part.sizes[place],
            "leader": pd.NA if part.leader == UNTOLD else -1 if part.leader is None else part.leader,
            "ordered": topic not in moment.unordered,
        }
        for (topic, number), part in moment.parts.items()
        for place, broker in enumerate(part.replicas)
    ]
    kinds = {"is_leader": "boolean", "in_sync": "boolean", "size_bytes": "Int64", "leader": "Int64"}
    return pd.DataFrame(rows).astype(kinds)


def partitions_frame(moment: Moment) -> pd.DataFrame:
    """One row a partition: RF, first replica, leader, members in sync, racks; NA where not told."""
    grouped = replicas_frame(moment).groupby(["topic", "partition"], sort=True)
    frame = grouped.agg(
        factor=("broker", "size"),
        first=("broker", "first"),
        leader=("leader", "first"),
        ordered=("ordered", "first"),
        in_sync=("in_sync", lambda told: pd.NA if told.isna().any() else int(told.sum())),
    ).reset_index()
    frame["in_sync"] = frame["in_sync"].astype("Int64")
    frame["min_isr"] = frame["topic"].map(moment.min_isr).astype("Int64")
    frame["adding"] = [len(moment.parts[key].adding) for key in zip(frame.topic, frame.partition, strict=True)]
    # A broker without a rack is a rack of its own.
    rack = {i: (f"of {i}" if rack is None else f"rack {rack}") for i, (rack, _) in moment.brokers.items()}
    frame["racks"] = grouped["broker"].agg(lambda ids: ids.map(rack).nunique()).to_numpy()
    frame["racks_possible"] = frame["factor"].clip(upper=len(set(rack.values())))
    if all(name is None for name, _ in moment.brokers.values()):
        frame["racks"] = frame["racks_possible"]
    return frame


def _records(frame: pd.DataFrame) -> Rows:
    plain = frame.astype(object).where(frame.notna(), None)
    return [dict(row) for row in plain.to_dict("records")]


def replicas(moment: Moment) -> Rows:
    """Rows of ``replicas``."""
    return _records(replicas_frame(moment).drop(columns="ordered"))


def brokers(moment: Moment) -> Rows:
    """Rows of ``brokers``."""
    controller = moment.further.get("controller")
    room = pd.DataFrame(
        [(d.broker, d.total_bytes, d.usable_bytes) for d in moment.further.get("log_dirs", ())],
        columns=["broker", "total_bytes", "usable_bytes"],
        dtype="Int64",
    )
    sums = room.groupby("broker").sum(min_count=1).to_dict("index")
    return [
        {
            "broker": i,
            "rack": rack,
            "host": f"host-{i}",
            "port": 9092,
            "state": state.value,
            "is_controller": None if controller is None else i == controller,
            "log_dirs": [
                {"path": d.path, "total_bytes": d.total_bytes, "usable_bytes": d.usable_bytes, "error": d.error}
                | {"cordoned": d.cordoned}
                for d in moment.further.get("log_dirs", ())
                if d.broker == i
            ]
            or None,
            **{
                name: None if i not in sums or pd.isna(sums[i][name]) else int(sums[i][name])
                for name in ("total_bytes", "usable_bytes")
            },
        }
        for i, (rack, state) in sorted(moment.brokers.items())
    ]


def _carried(moment: Moment) -> pd.DataFrame:
    """By broker: replicas, leaders, preferred leaders and bytes; NA where the source does not tell it."""
    held, parts = replicas_frame(moment), partitions_frame(moment)
    frame = pd.DataFrame(index=pd.Index(sorted(moment.brokers), name="broker"))
    frame["replicas"] = held.groupby("broker").size()
    told = parts.leader.notna()
    frame["leaders"] = parts[told].groupby("leader").size() if told.any() else pd.NA
    ordered = parts[parts.ordered]
    frame["preferred_leaders"] = ordered.groupby("first").size() if len(ordered) else pd.NA
    frame["size_bytes"] = held.groupby("broker")["size_bytes"].sum(min_count=1)
    if held.size_bytes.notna().any():
        frame.loc[frame.replicas.isna(), "size_bytes"] = 0  # it takes nothing, which is not the same as not told
    frame["size_bytes"] = frame["size_bytes"].astype("Int64")
    for name, all_untold in (
        ("replicas", False),
        ("leaders", not told.any()),
        ("preferred_leaders", not len(ordered)),
    ):
        frame[name] = frame[name].astype("Int64") if all_untold else frame[name].fillna(0).astype("Int64")
    frame["rack"] = [moment.brokers[i][0] for i in frame.index]
    frame["state"] = [moment.brokers[i][1].value for i in frame.index]
    return frame


_LOADS = ["replicas", "leaders", "preferred_leaders", "size_bytes"]


def broker_balance(moment: Moment) -> Rows:
    """Rows of ``broker_balance``."""
    return _records(_carried(moment).reset_index()[["broker", "rack", "state", *_LOADS]])


def rack_balance(moment: Moment) -> Rows:
    """Rows of ``rack_balance``."""
    grouped = _carried(moment).groupby("rack", dropna=False)
    frame = grouped[_LOADS].sum(min_count=1)
    carried = _carried(moment)
    sizes = carried[carried.replicas > 0].groupby("rack", dropna=False)["size_bytes"].sum(min_count=1)
    frame["size_bytes"] = sizes.reindex(frame.index).where(frame.replicas > 0, frame["size_bytes"])
    frame.insert(0, "brokers", grouped.size())
    return _records(frame.reset_index())


def topic_spread(moment: Moment) -> Rows:
    """Rows of ``topic_spread``, but for its digest."""
    held = replicas_frame(moment)
    alive = [i for i, (_, state) in moment.brokers.items() if not state.unavailable]
    table = held.groupby(["topic", "broker"]).size().unstack(fill_value=0).reindex(columns=alive, fill_value=0)
    rows = []
    for topic, on in table.iterrows():
        mine = held[held.topic == topic]
        sizes = mine.size_bytes
        rows.append(
            {
                "topic": topic,
                "partitions": mine.partition.nunique(),
                "replicas": len(mine),
                "brokers": int((on > 0).sum()),
                "most": int(on.max()),
                "least": int(on.min()),
                "spread": int(on.max() - on.min()),
                "least_possible": int(on.sum() % len(alive) != 0),
                "size_bytes": int(sizes.sum()) if held.size_bytes.notna().any() else None,
                "min_isr": moment.min_isr.get(str(topic)),
                "order_told": topic not in moment.unordered,
                "topic_id": moment.ids.get(str(topic)),
            }
        )
    return rows


def snapshots(moment: Moment) -> Rows:
    """The row of ``snapshots``, but for its findings and its file."""
    held, parts, carried = replicas_frame(moment), partitions_frame(moment), _carried(moment)
    further = moment.further
    alive = carried[~carried.state.isin([state.value for state in BrokerState if state.unavailable])]

    def told(mask: pd.Series, needed: pd.Series) -> int | None:
        return int(mask.fillna(False).sum()) if needed.notna().all() else None

    below = parts.in_sync < parts.min_isr
    preferred = parts.leader.where(parts.ordered)
    row = {
        "way": further.get("protocol", "admin"),
        "cluster_id": further.get("cluster_id"),
        "metadata": further.get("metadata"),
        "version": further.get("version"),
        "controller": further.get("controller"),
        "consistency": "not promised",
        "brokers": len(moment.brokers),
        "brokers_down": sum(s in (BrokerState.DEAD, BrokerState.FENCED) for _, s in moment.brokers.values())
        if any(s is not BrokerState.NOT_TOLD for _, s in moment.brokers.values())
        else None,
        "racks": len({rack for rack, _ in moment.brokers.values() if rack is not None}),
        "topics": len(moment.topics),
        "partitions": len(parts),
        "replicas": len(held),
        "size_bytes": int(held.size_bytes.sum()) if held.size_bytes.notna().any() else None,
        "offline": told(parts.leader == -1, parts.leader),
        "under_replicated": told(parts.in_sync < parts.factor - parts.adding, parts.in_sync),
        "below_min_isr": int(below.sum()) if below.notna().any() else None,
        "not_preferred": told((preferred >= 0) & (preferred != parts["first"]), preferred),
        "incomplete": moment.gaps.incomplete,
        "reassigning": int((parts.adding > 0).sum()),
        "rack_violations": int((parts.racks < parts.racks_possible).sum())
        if any(rack is not None for rack, _ in moment.brokers.values())
        else None,
    }
    for name, column in (
        ("replica", "replicas"),
        ("leader", "leaders"),
        ("preferred_leader", "preferred_leaders"),
        ("byte", "size_bytes"),
    ):
        load = alive[column].astype("Float64")
        load = load.dropna() if name == "byte" else load
        known = bool(len(load) and load.notna().all())
        row[f"{name}_spread"] = int(load.max() - load.min()) if known else None
        row[f"{name}_variation"] = (float(load.std(ddof=0) / load.mean()) if load.mean() else 0.0) if known else None
        if name in ("leader", "preferred_leader"):
            row[f"{name}_spread_least"] = int(load.sum() % len(load) != 0) if known else None
    row["replica_spread_least"] = _least_spread(moment, parts, int(alive.replicas.sum()))
    return [row]


def _least_spread(moment: Moment, parts: pd.DataFrame, total: int) -> int:
    """The least spread of so many replicas, each partition on as many racks as it can: by trying every level."""
    alive = {i: rack for i, (rack, state) in moment.brokers.items() if not state.unavailable}
    if all(rack is None for rack, _ in moment.brokers.values()):
        return int(total % len(alive) != 0)
    sizes = pd.Series([f"of {i}" if rack is None else f"rack {rack}" for i, rack in alive.items()]).value_counts()
    # Of a partition a rack holds one replica; more only where there are more replicas than racks.
    room = [sum(min(f if f > len(sizes) else 1, size) for f in parts.factor) for size in sizes]
    if sum(room) < total:
        return int(total % len(alive) != 0)
    for spread in count():
        for level in range(total // len(alive) + 1):
            if any(size * level > most for size, most in zip(sizes, room, strict=True)):
                break
            most_held = sum(min(most, size * (level + spread)) for size, most in zip(sizes, room, strict=True))
            if most_held >= total:
                return spread
    raise AssertionError


def _up(moment: Moment) -> set[int]:
    down = (BrokerState.DEAD, BrokerState.FENCED, BrokerState.NOT_TOLD)
    return {broker for broker, (_, state) in moment.brokers.items() if state not in down}


def _not_up(moment: Moment, ever: set[int]) -> set[int]:
    """Brokers that are down, or left out where the states of others are told."""
    down = {b for b, (_, state) in moment.brokers.items() if state in (BrokerState.DEAD, BrokerState.FENCED)}
    tells = any(state is not BrokerState.NOT_TOLD for _, state in moment.brokers.values())
    return down | (ever - moment.brokers.keys() if tells else set())


def changes(before: Moment, after: Moment) -> Rows:
    """Rows of ``changes`` from one moment to the next, from what each word means."""
    rows: Rows = []

    def told(kind: str, key: tuple[str, int] | tuple[None, None], broker: int, was: int | None = None) -> None:
        row = {"topic": key[0], "partition": key[1], "kind": kind, "broker": broker, "was": was}
        rows.append(row | {"whole": whole if kind.startswith("replica") else None})

    whole = False
    ever = {*before.brokers, *after.brokers}
    for broker in _up(after) & _not_up(before, ever):
        told("broker_came", (None, None), broker)
    for broker in _up(before) & _not_up(after, ever):
        told("broker_gone" if broker in after.brokers else "broker_left", (None, None), broker)
    pairs: list[tuple[tuple[str, int], Part | None, Part | None]] = []
    for key in before.parts.keys() | after.parts.keys():
        old, new = before.parts.get(key), after.parts.get(key)
        again = len({moment.ids[key[0]] for moment in (before, after) if key[0] in moment.ids}) == 2
        pairs += [(key, old, None), (key, None, new)] if again else [(key, old, new)]
    for key, old, new in pairs:
        whole = old is None or new is None
        if (old is None and before.gaps.incomplete) or (new is None and after.gaps.incomplete):
            continue
        had, has = (old.replicas if old else []), (new.replicas if new else [])
        for broker in has:
            if broker not in had:
                told("replica_added", key, broker)
        for broker in had:
            if broker not in has:
                told("replica_removed", key, broker)
        if old is None or new is None:
            continue
        if UNTOLD not in (old.leader, new.leader) and old.leader != new.leader:
            told("leader_moved", key, *(-1 if one is None else int(one) for one in (new.leader, old.leader)))
        if old.isr is not None and new.isr is not None:
            for broker in set(had) & set(has):
                if broker in old.isr and broker not in new.isr:
                    told("isr_shrunk", key, broker)
                if broker in new.isr and broker not in old.isr:
                    told("isr_grown", key, broker)
        unordered = key[0] in before.unordered or key[0] in after.unordered
        if sorted(had) == sorted(has) and had != has and not unordered:
            told("order_changed", key, has[0], had[0])
    return rows


#: What makes the rows of one moment, by table.
EXPECTED: dict[str, Callable[[Moment], Rows]] = {
    "snapshots": snapshots,
    "brokers": brokers,
    "replicas": replicas,
    "broker_balance": broker_balance,
    "rack_balance": rack_balance,
    "topic_spread": topic_spread,
}


def same(found: Rows, expected: Rows) -> None:
    """Compare rows in any order; floating point numbers up to their last digits."""

    def key(row: dict[str, Any]) -> str:
        return str({name: row[name] for name in sorted(row) if not isinstance(row[name], float)})

    assert len(found) == len(expected)
    for one, other in zip(sorted(found, key=key), sorted(expected, key=key), strict=True):
        assert one.keys() == other.keys()
        for name, value in one.items():
            if isinstance(value, float) and isinstance(other[name], float):
                assert math.isclose(value, other[name], rel_tol=1e-12, abs_tol=1e-12), (name, one, other)
            else:
                assert value == other[name], (name, one, other)
