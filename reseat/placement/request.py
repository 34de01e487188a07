"""What the Placement page is asked: brokers, sizes, draws and how far one has stepped; as text, and as a link.

A question holds all that its answer needs, so a link to it works on any server, without a layout. Everything in it may
come from a stranger's link: what cannot be understood is said in a sentence, and nothing is placed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote, unquote

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState
from reseat.model.naming import LARGEST_ID
from reseat.placement import JavaRandom, Placement, RackMode, place_kraft, place_naive, place_striped

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "PlacementRequest",
    "brokers_in",
    "brokers_text",
    "from_query",
    "place",
    "requested_brokers",
    "to_query",
]

#: The algorithms' names, as links say them.
Algorithm = Literal["striped", "kraft", "naive"]
#: The algorithms, in the order in which a person should meet them.
ALGORITHMS: dict[Algorithm, str] = {"striped": "Striped", "kraft": "KRaft", "naive": "Naive"}

#: A person steps through what can be seen; a topic of more partitions than this no one steps through.
MOST_PARTITIONS = 20_000
#: More brokers than these have no room as columns.
MOST_BROKERS = 200
_LONGEST = 12_000
_ENTRY = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?(?::(.*))?", re.ASCII)
#: Rack names keep these as they are in the text; the others that separate are written as in a web address.
_KEPT = " !$&'()*+/:=?@[]"


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """What is to be placed, and how far one has stepped.

    Attributes:
        brokers: the brokers as text, ``0:rack1,1:rack1,3-5:rack2``.
        partitions: how many partitions.
        factor: replicas of each.
        algorithm: which algorithm.
        start: the start index, or None to draw it from the seed (striped).
        shift: the replica shift, or None to draw it (striped).
        first: id of the first partition.
        seed: seed of the draws.
        fenced: ids of fenced brokers as text (KRaft).
        cordoned: ids of cordoned brokers as text (KRaft from 4.3), which get nothing.
        racks: whether racks count; off is ``--disable-rack-aware``.
        step: which replica one looks at, counted through all partitions from 0.
        documented: whether the table of the documents stands beside what the code gives.
    """

    brokers: str = "0-2"
    partitions: int = 6
    factor: int = 3
    algorithm: Algorithm = "striped"
    start: int | None = 2
    shift: int | None = 2
    first: int = 0
    seed: int = 42
    fenced: str = ""
    racks: bool = True
    step: int = 0
    documented: bool = False
    cordoned: str = ""

    @property
    def steps(self) -> int:
        """How many replicas there are to step through."""
        return max(0, self.partitions) * max(0, self.factor)

    @property
    def partition(self) -> int:
        """The partition, counted from 0, that the step is in."""
        return self.step // max(1, self.factor)

    def at(self, step: int) -> PlacementRequest:
        """The same question, at a step; kept between the first and the last."""
        return replace(self, step=max(0, min(step, self.steps - 1)))


def brokers_in(text: str) -> tuple[Broker, ...]:
    """Brokers written as ``0:rack1,1:rack1,3``; ``0-2:rack1`` is three of them. Racks are optional.

    Raises:
        PlacementRefused: what was found instead, and what was expected.
    """
    if len(text) > _LONGEST:
        raise PlacementRefused(f"The list of brokers has {len(text):,} characters; at most {_LONGEST:,} are read.")
    found: list[Broker] = []
    for entry in re.split(r"[,;\n]", text):
        if not entry.strip():
            continue
        match = _ENTRY.fullmatch(entry.strip())
        if match is None:
            raise PlacementRefused(
                f"'{entry.strip()[:40]}' is not a broker.",
                choices=("Write 0:rack1,1:rack1,3:rack2, or 0-2 without racks.",),
            )
        low, high = int(match[1]), int(match[2] or match[1])
        if high < low or high > LARGEST_ID:
            raise PlacementRefused(
                f"'{entry.strip()[:40]}': broker ids go from 0 to {LARGEST_ID}, the smaller first in a range."
            )
        if len(found) + high - low + 1 > MOST_BROKERS:
            raise PlacementRefused(f"More than {MOST_BROKERS} brokers were given; this page draws no more.")
        rack = unquote(match[3].strip()) if match[3] is not None else ""
        found += [Broker(broker, rack or None) for broker in range(low, high + 1)]
    if not found:
        raise PlacementRefused("No broker is given.", choices=("Write 0:rack1,1:rack1,3:rack2, or 0-2 without racks.",))
    return tuple(found)


def brokers_text(brokers: Iterable[Broker]) -> str:
    """Brokers as ``brokers_in`` reads them, neighbours in one rack as a range."""
    runs: list[tuple[int, int, str | None]] = []
    for broker in sorted(brokers, key=lambda one: one.id):
        if runs and runs[-1][1] + 1 == broker.id and runs[-1][2] == broker.rack:
            runs[-1] = (runs[-1][0], broker.id, broker.rack)
        else:
            runs.append((broker.id, broker.id, broker.rack))
    return ",".join(
        (f"{low}" if low == high else f"{low}-{high}") + (f":{_rack_text(rack)}" if rack else "")
        for low, high, rack in runs
    )


def _rack_text(rack: str) -> str:
    return quote(rack, safe=_KEPT if rack == rack.strip() else "", errors="replace")


def requested_brokers(request: PlacementRequest) -> tuple[Broker, ...]:
    """The brokers of a question, fenced and cordoned ones marked, racks taken away where they shall not count.

    Raises:
        PlacementRefused: the text of brokers, or of fenced or cordoned ones, is not understood.
    """
    brokers = brokers_in(request.brokers)
    if not request.racks:
        brokers = tuple(replace(broker, rack=None) for broker in brokers)
    if request.algorithm != "kraft":
        return brokers
    for told, state in ((request.fenced, BrokerState.FENCED), (request.cordoned, BrokerState.CORDONED)):
        brokers = _marked(brokers, told, state)
    return brokers


def _marked(brokers: tuple[Broker, ...], told: str, state: BrokerState) -> tuple[Broker, ...]:
    if not told.strip():
        return brokers
    named = {broker.id for broker in brokers_in(told)}
    unknown = sorted(named - {broker.id for broker in brokers})
    if unknown:
        raise PlacementRefused(f"Broker {unknown[0]} is said to be {state.value} but is not among the brokers.")
    return tuple(replace(broker, state=state) if broker.id in named else broker for broker in brokers)


def place(request: PlacementRequest) -> Placement:
    """What Kafka gives for a question.

    Raises:
        PlacementRefused: in Kafka's words where Kafka refuses it too.
    """
    brokers = requested_brokers(request)
    if request.partitions > MOST_PARTITIONS:
        raise PlacementRefused(f"{request.partitions:,} partitions: this page steps through up to {MOST_PARTITIONS:,}.")
    if request.algorithm == "kraft":
        return place_kraft(
            brokers,
            request.partitions,
            request.factor,
            draws=JavaRandom(request.seed),
            first_partition=request.first,
        )
    if request.algorithm == "naive":
        ordered = sorted(brokers, key=lambda broker: broker.id)
        return place_naive(ordered, request.partitions, request.factor, first_partition=request.first)
    return place_striped(
        brokers,
        request.partitions,
        request.factor,
        draws=JavaRandom(request.seed),
        start=request.start,
        shift=request.shift,
        first_partition=request.first,
        rack_mode=RackMode.ENFORCED,
    )


def to_query(request: PlacementRequest) -> dict[str, str]:
    """A question as query parameters, in a fixed order, without those that play no part."""
    striped = request.algorithm == "striped"
    query = {
        "brokers": request.brokers,
        "partitions": str(request.partitions),
        "replicas": str(request.factor),
        "algorithm": request.algorithm,
        "start": "" if request.start is None or not striped else str(request.start),
        "shift": "" if request.shift is None or not striped else str(request.shift),
        "first": str(request.first) if request.first else "",
        "seed": "" if request.algorithm == "naive" else str(request.seed),
        "fenced": request.fenced if request.algorithm == "kraft" else "",
        "cordoned": request.cordoned if request.algorithm == "kraft" else "",
        "aware": "" if request.racks else "no",
        "step": str(request.step),
        "documented": "yes" if request.documented else "",
    }
    return {name: value for name, value in query.items() if value}


def from_query(query: Mapping[str, str]) -> tuple[PlacementRequest | None, str | None]:
    """The question of a link, or None where there is none; and what in it was not understood, or None."""
    if "brokers" not in query:
        return None, None
    algorithm = query.get("algorithm", "striped")
    try:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"'{algorithm[:20]}' is not an algorithm: striped, kraft or naive was expected")
        request = PlacementRequest(
            brokers=query["brokers"][: _LONGEST + 1],
            partitions=_number(query, "partitions", 6) or 0,
            factor=_number(query, "replicas", 3) or 0,
            algorithm=algorithm,
            start=_number(query, "start", None),
            shift=_number(query, "shift", None),
            first=_number(query, "first", 0) or 0,
            seed=_number(query, "seed", 42, lowest=-LARGEST_ID) or 0,
            fenced=query.get("fenced", "")[:_LONGEST],
            cordoned=query.get("cordoned", "")[:_LONGEST],
            racks=query.get("aware") != "no",
            documented=query.get("documented") == "yes",
        )
        return request.at(_number(query, "step", 0) or 0), None
    except ValueError as error:
        return None, f"The link was not understood: {error}."


def _number(query: Mapping[str, str], name: str, default: int | None, *, lowest: int = 0) -> int | None:
    text = query.get(name, "")
    if not text:
        return default
    # Java's seeds go on, but what a number field can hold does not.
    if not re.fullmatch(r"-?\d{1,10}", text, re.ASCII) or not lowest <= int(text) <= LARGEST_ID:
        raise ValueError(f"'{text[:20]}' is not a number for '{name}'")
    return int(text)
