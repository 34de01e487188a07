"""How many brokers keep a cluster under its limits until a day, and when which of them are to be added.

What it promises, ranked: (1) three answers, for the lower end, the line and the upper end of the forecast; each is the
fewest brokers, by rack, with which a placement exists (``brokers_needed``); (2) of the ways to add them, adding all at
once moves the fewest replicas, and adding each when it is needed buys the latest; both are told with what they move;
(3) a limit that brokers do not help with, and one about which nothing is known, are said.

What it needs: the outlook of the cluster, and its last snapshot: brokers with racks, and partitions by factor.

How: every limit becomes replicas that a broker may hold: bytes, and used disk, by the bytes of a replica on that day,
times how much heavier replicas are on the broker where they are heaviest. Until then partitions grow in today's mix of
replication factors, and new replicas come onto racks, and onto the brokers of each, evenly, as Kafka places them.

Complexity: O(days) placements looked for, each a small flow.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from reseat.errors import WishRefused
from reseat.forecast.brokers_needed import least_brokers, least_moves
from reseat.forecast.outlook import Outlook, Outlooks
from reseat.forecast.settings import Limits
from reseat.forecast.trend import Forecast, Refused, foretell
from reseat.history.read import History
from reseat.history.stretch import last_moment
from reseat.model import BrokerState, FloatArray, Options, Wish
from reseat.model.wording import counted, named, verb

__all__ = ["CASES", "Case", "Schedule", "Sizing", "Step", "sizing"]

#: The ends of the 80 % interval and the line between.
CASES = ("low", "likely", "high")
#: By limit: what a broker may hold, and in each case the bytes that it would hold if it had all replicas, by day.
_Weights = Mapping[str, tuple[float, Mapping[str, FloatArray]]]


@dataclass(frozen=True, slots=True)
class Step:
    """Brokers that are added on a day.

    Attributes:
        day: the day at the latest.
        add: how many in each rack (None: no racks).
        moves: replicas that are to move then, so that no broker gets above its most until the next step.
    """

    day: date
    add: tuple[tuple[str | None, int], ...]
    moves: int

    @property
    def words(self) -> str:
        """What is added: "2 brokers in a, 1 broker in b"."""
        return ", ".join(counted(n, "broker") + ("" if rack is None else f" in {rack}") for rack, n in self.add)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A way to add brokers; the steps by day.

    Attributes:
        steps: see there; empty: nothing is to be done.
    """

    steps: tuple[Step, ...]

    @property
    def moves(self) -> int:
        """Replicas that move in all."""
        return sum(step.moves for step in self.steps)


@dataclass(frozen=True, slots=True)
class Case:
    """One case of the forecast.

    Attributes:
        name: of ``CASES``.
        replicas: the most that the cluster has until the day.
        most: replicas that a broker may hold.
        bound: the limit behind that: "replicas", "bytes", "disk used".
        needed: brokers by rack, those that are there included; None: no number of brokers does.
        at_once: all are added now.
        when_needed: each is added when the others no longer do.
    """

    name: str
    replicas: int
    most: int
    bound: str
    needed: tuple[tuple[str | None, int], ...] | None
    at_once: Schedule
    when_needed: Schedule

    @property
    def brokers(self) -> int | None:
        """Brokers in all; None where no number does."""
        return None if self.needed is None else sum(number for _, number in self.needed)


@dataclass(frozen=True, eq=False)
class Sizing:
    """The answer for a cluster.

    Attributes:
        cluster: its name.
        until: the day.
        snapshot: identity of the last snapshot, on which plans are made.
        there: brokers by rack now (None: no racks).
        ids: ids of the brokers that are there.
        cases: by ``CASES``.
        notes: limits that brokers do not help with, or of which nothing is known.
    """

    cluster: str
    until: date
    snapshot: str
    there: tuple[tuple[str | None, int], ...]
    ids: tuple[int, ...]
    cases: tuple[Case, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What an operator should know first."""
        now = sum(number for _, number in self.there)
        low, likely, high = self.cases
        if likely.brokers is None:
            return f"No number of brokers keeps {self.cluster} under its limits until {self.until}."
        between = "" if low.brokers == high.brokers else f" ({_count(low)} to {_count(high)} in 8 of 10 cases)"
        needs = f"{counted(likely.brokers, 'broker')}{between}"
        if likely.brokers == now:
            balanced = f", after {counted(likely.at_once.moves, 'move')}" if likely.at_once.moves else ""
            return f"{needs} do until {self.until}: those that are there{balanced}."
        first = next(step for step in likely.when_needed.steps if step.add)
        return f"{needs} are needed until {self.until}; {now:,} are there. Add the first by {first.day}."

    def wish(self, way: Schedule, place: int = 0) -> Wish:
        """A step of a way as a what-if on the last snapshot, together with all steps before it.

        Where it begins, its predecessors are done. The brokers that are added have the next free ids, in the order in
        which they are added.
        """
        steps = way.steps[: place + 1]
        racks = [rack for step in steps for rack, number in step.add for _ in range(number)]
        free = max(self.ids, default=-1) + 1
        added = tuple((free + number, rack) for number, rack in enumerate(racks))
        return Wish(add=added, rebalance=True, options=Options(max_moves=sum(step.moves for step in steps)))


def _count(case: Case) -> str:
    return "no number" if case.brokers is None else f"{case.brokers:,}"


def sizing(history: History, told: Outlooks, until: date) -> Sizing:
    """How many brokers a cluster needs.

    Args:
        history: the tables.
        told: the cluster's outlook.
        until: the day.

    Raises:
        InputRefused: the tables cannot be read.
        WishRefused: the day is not foretold, no limit on a broker is set or known, or there is no forecast.
    """
    if told.until is None:
        raise WishRefused(f"{told.cluster} has no snapshot.")
    days = (until - told.until).days
    replicas = next((one for one in told.counts if (one.measure, one.broker) == ("replicas", None)), None)
    line = None if replicas is None else replicas.told
    if not isinstance(line, Forecast):
        why = "" if line is None else line.sentence
        raise WishRefused(f"No forecast of {told.cluster}'s replicas. {why}".rstrip())
    if not 1 <= days <= len(line.likely):
        last = told.until + timedelta(days=len(line.likely))
        raise WishRefused(
            f"{until} is not foretold: for {told.cluster} a day from {told.until + timedelta(days=1)} to {last} was "
            "expected."
        )
    today = _today(history, told.cluster)
    rackless = [broker for broker, rack in today.rack_of.items() if rack is None]
    if len(rackless) not in (0, len(today.rack_of)):
        raise WishRefused(
            f"{named('Broker', rackless, 'has', 'have')} no rack that is known, others have one: how many brokers "
            "a rack needs is unknown."
        )
    notes: list[str] = list(_beyond_brokers(told, until))
    if today.closed:
        closed = named("Broker", today.closed, "is", "are")
        notes.append(
            f"{closed} dead, fenced or cordoned in the last snapshot, and counted: what is needed is right only if "
            f"{verb(len(today.closed), 'it is', 'they are')} back by then."
        )
    weights = dict(_weights(told, today, days, notes))
    if not weights and told.limits.replicas_per_broker is None:
        raise WishRefused(
            f"No limit on a broker of {told.cluster} can be looked at: set replicas_per_broker, bytes_per_broker "
            "or disk."
        )
    now = sum(today.loads.values())
    lines = {name: np.ceil(np.append(now, getattr(line, name)[:days])) for name in CASES}
    cases = tuple(_case(name, lines[name], told, today, weights) for name in CASES)
    return Sizing(told.cluster, until, today.snapshot, today.there, tuple(today.loads), cases, tuple(notes))


#: States of brokers that are there and take no replica. One that is shutting down comes back, as a rule.
_CLOSED = {state.value for state in (BrokerState.DEAD, BrokerState.FENCED, BrokerState.CORDONED)}


@dataclass(frozen=True, eq=False)
class _Today:
    """The last snapshot: replicas, bytes and used disk by broker, racks, partitions by factor, who takes none."""

    snapshot: str
    loads: dict[int, int]
    rack_of: dict[int, str | None]
    bytes: dict[int, float]
    used: dict[int, float]
    disks: dict[int, float]
    factors: dict[int, int]
    closed: tuple[int, ...]

    @property
    def there(self) -> tuple[tuple[str | None, int], ...]:
        """Brokers by rack, sorted by it; None alone where there are no racks."""
        return tuple(sorted(Counter(self.rack_of.values()).items(), key=lambda pair: str(pair[0])))


def _today(history: History, cluster: str) -> _Today:
    last = last_moment(history, cluster)

    def rows(table: str, *columns: str) -> list[dict[str, Any]]:
        asked = ["snapshot_id", *columns]
        found = history.table(table, cluster, since=last, until=last, columns=asked)
        made: list[dict[str, Any]] = found.to_pylist()
        return made

    loads = rows("broker_balance", "broker", "state", "rack", "replicas", "size_bytes")
    disks = rows("brokers", "broker", "total_bytes", "usable_bytes")
    topics = rows("topic_spread", "partitions", "replicas")
    factors: Counter[int] = Counter()
    for topic in topics:
        partitions, replicas = _whole(topic["partitions"]), _whole(topic["replicas"])
        if partitions:
            each, more = divmod(replicas, partitions)
            factors[each] += partitions - more
            factors[each + 1] += more
    sizes = {int(_number(row["broker"])): row for row in disks}
    used = {b: _number(r["total_bytes"]) - _number(r["usable_bytes"]) for b, r in sizes.items()}
    return _Today(
        snapshot=str(loads[0]["snapshot_id"]) if loads else "",
        loads={_whole(row["broker"]): _whole(row["replicas"]) for row in loads},
        rack_of={_whole(row["broker"]): row["rack"] for row in loads},
        bytes={_whole(row["broker"]): _number(row["size_bytes"]) for row in loads},
        used=used,
        disks={broker: _number(row["total_bytes"]) for broker, row in sizes.items()},
        factors={factor: count for factor, count in sorted(factors.items()) if factor and count},
        closed=tuple(sorted(_whole(row["broker"]) for row in loads if row["state"] in _CLOSED)),
    )


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def _whole(value: object) -> int:
    number = _number(value)
    return 0 if math.isnan(number) else int(number)


def _beyond_brokers(told: Outlooks, until: date) -> Iterator[str]:
    """Limits of the cluster that more brokers do not help with."""
    for one in told.counts:
        met = one.met
        if one.measure == "partitions" and met is not None and met.early is not None and met.early <= until:
            likely = "is likely" if met.likely is not None and met.likely <= until else "may be"
            day = met.likely if likely == "is likely" else met.early
            yield (
                f"The limit of {one.words(one.limit)} partitions {likely} met on {day}: more brokers do not help with "
                "it."
            )


def _weights(
    told: Outlooks, today: _Today, days: int, notes: list[str]
) -> Iterator[tuple[str, tuple[float, Mapping[str, FloatArray]]]]:
    """Of the limits on bytes and used disk: what a broker may hold, and its bytes if it held all replicas, by case."""
    limits: Limits = told.limits
    size = next((one for one in told.counts if (one.measure, one.broker) == ("size_bytes", None)), None)
    disk = min((total for total in today.disks.values() if total > 0), default=math.nan)
    asked = (
        ("bytes", limits.bytes_per_broker, None if size is None else size.told, today.bytes),
        ("disk used", None if limits.disk is None else limits.disk / 100 * disk, _used(told.counts), today.used),
    )
    for name, most, line, held in asked:
        if most is None:
            continue
        carried = {broker: held.get(broker, math.nan) for broker, load in today.loads.items() if load}
        if not isinstance(line, Forecast) or len(line.likely) < days or math.isnan(float(most)):
            notes.append(f"The limit on {name} is not looked at: there is no forecast of it.")
        elif any(math.isnan(value) for value in carried.values()):
            blind = [broker for broker, value in carried.items() if math.isnan(value)]
            notes.append(f"The limit on {name} is not looked at: {named('broker', blind, 'does', 'do')} not tell it.")
        else:
            each = sum(carried.values()) / sum(today.loads.values())
            heaviest = max(carried[broker] / today.loads[broker] for broker in carried) / each if each else 1.0
            yield name, (float(most), {case: getattr(line, case) * heaviest for case in CASES})


def _used(counts: Sequence[Outlook]) -> Forecast | Refused | None:
    """What all brokers use of their disks, foretold together; None where no broker tells it.

    Unknown on a day on which one that was there does not tell it: the others' sum would be a fall and a rise.
    """
    each = [one.values for one in counts if one.measure == "disk_used" and one.broker is not None]
    if not each:
        return None
    table = np.array(each)
    told = ~np.isnan(table)
    there = np.logical_or.accumulate(told, axis=1)
    whole = np.where(there, table, 0.0).sum(axis=0)
    return foretell(np.where(told.any(axis=0), whole, np.nan))


def _case(name: str, ahead: FloatArray, told: Outlooks, today: _Today, weights: _Weights) -> Case:
    """One case; ``ahead``: (days + 1,) the cluster's replicas by day, now first."""
    now = sum(today.loads.values())
    most, bound = math.inf, "replicas"
    if told.limits.replicas_per_broker is not None:
        most = told.limits.replicas_per_broker - 1
    for what, (limit, lines) in weights.items():
        heavy = float((lines[name][: len(ahead) - 1] / np.maximum(ahead[1:], 1)).max(initial=0.0))
        held = math.ceil(limit / heavy) - 1 if heavy else math.inf
        if held < most:
            most, bound = held, what
    ahead = np.maximum.accumulate(ahead)
    most = min(most, float(ahead[-1]))
    counts = [number for _, number in today.there]

    def needed(replicas: float) -> tuple[int, ...] | None:
        scale = replicas / now if now else 1.0
        grown = {factor: math.ceil(count * scale) for factor, count in today.factors.items()}
        return least_brokers(grown, counts, int(most))

    final = needed(float(ahead[-1]))
    if final is None or told.until is None:
        return Case(name, int(ahead[-1]), int(most), bound, None, Schedule(()), Schedule(()))
    stages = _stages(ahead, final, needed)
    return Case(
        name=name,
        replicas=int(ahead[-1]),
        most=int(most),
        bound=bound,
        needed=tuple((rack, number) for (rack, _), number in zip(today.there, final, strict=True)),
        at_once=_schedule([(0, final)], ahead, int(most), today, told.until),
        when_needed=_schedule(stages, ahead, int(most), today, told.until),
    )


def _stages(
    ahead: FloatArray, final: tuple[int, ...], needed: Callable[[float], tuple[int, ...] | None]
) -> list[tuple[int, tuple[int, ...]]]:
    """(day, brokers by rack) of each number of brokers that is needed for a while; found by bisection."""
    days = len(ahead) - 1
    stages: list[tuple[int, tuple[int, ...]]] = []
    day, before = 0, needed(float(ahead[0]))
    while before is not None:
        stages.append((day, before))
        if before == final:
            break
        low, high = day, days
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if needed(float(ahead[middle])) == before else (low, middle)
        # The last day on which the brokers of before do: those of the next stage are there by then.
        day, before = low, needed(float(ahead[high]))
    return stages


def _schedule(
    stages: Sequence[tuple[int, tuple[int, ...]]], ahead: FloatArray, most: int, today: _Today, first: date
) -> Schedule:
    """The steps of these stages, with what must move at each so that nobody is above the most until the next."""
    racks = [rack for rack, _ in today.there]
    place = {rack: number for number, rack in enumerate(racks)}
    at = [place[today.rack_of[broker]] for broker in today.loads]
    joined: list[int] = list(today.loads.values())
    before, told, added = tuple(number for _, number in today.there), [], []
    for number, (day, brokers) in enumerate(stages):
        end = stages[number + 1][0] if number + 1 < len(stages) else len(ahead) - 1
        more = [new - old for new, old in zip(brokers, before, strict=True)]
        at += [rack for rack, new in enumerate(more) for _ in range(new)]
        each = float(ahead[end] - ahead[day]) / len(racks)
        told.append(([*joined, *[0] * sum(more)], [each / brokers[rack] for rack in at]))
        added.append(tuple((rack, new) for rack, new in zip(racks, more, strict=True) if new))
        joined, before = [], brokers
    moves = least_moves(told, most)
    steps = [
        Step(first + timedelta(days=day), add, out)
        for (day, _), add, out in zip(stages, added, moves, strict=True)
        if add or out
    ]
    return Schedule(tuple(steps))
