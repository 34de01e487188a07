"""``place``: a topic's replicas, placed as Kafka does."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Mapping

from reseat.cli.output.writer import more, say, table, write_json
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState
from reseat.model.wording import counted
from reseat.placement import JavaRandom, Placement, RackMode, place_kraft, place_naive, place_striped
from reseat.placement.creation import knows_cordons
from reseat.placement.explain import striped_steps_of
from reseat.placement.striped import by_rack_mode

__all__ = ["place"]

#: Partitions listed for a person; --json lists all.
LISTED_ROWS = 1_000
_SEED_BITS = 48


def place(chosen: argparse.Namespace) -> int:
    """Place replicas; see the command's ``--help``."""
    states = {
        broker: state
        for some, state in ((chosen.fenced, BrokerState.FENCED), (chosen.cordoned, BrokerState.CORDONED))
        for broker in some
    }
    brokers = [Broker(broker, rack, state=states.get(broker, BrokerState.ALIVE)) for broker, rack in chosen.brokers]
    _check(chosen, brokers, states)
    # Where nothing fixes the draws, a seed is drawn and told, so that the same placement can be had again.
    fixed = chosen.fixed_start_index is not None or (chosen.start is not None and chosen.shift is not None)
    needs_seed = chosen.algorithm == "kraft" or (chosen.algorithm == "striped" and not fixed)
    if chosen.seed is not None and not needs_seed:
        raise WishRefused("--seed has no effect: nothing is drawn.")
    seed = chosen.seed if chosen.seed is not None or not needs_seed else secrets.randbits(_SEED_BITS)
    placed = _placed(chosen, brokers, seed)
    last = placed.first_id + len(placed.replicas) - 1
    if chosen.explain is not None and not placed.first_id <= chosen.explain <= last:
        raise WishRefused(f"Partition {chosen.explain} is not one of those placed, {placed.first_id} to {last}.")
    if chosen.json:
        write_json(_as_json(chosen, placed, seed))
        return 0
    say(*_lines(chosen, placed, seed))
    if chosen.explain is not None:
        say("", *_explained(chosen, brokers, placed))
    return 0


def _check(chosen: argparse.Namespace, brokers: list[Broker], states: Mapping[int, BrokerState]) -> None:
    """Refuse options that the algorithm would leave unused."""
    unknown = sorted(states.keys() - {broker.id for broker in brokers})
    if unknown:
        state = states[unknown[0]].value
        raise WishRefused(f"Broker {unknown[0]} is {state} but not among the brokers.", brokers=tuple(unknown))
    if chosen.algorithm != "kraft":
        for name in ("fenced", "cordoned", "kafka_version"):
            if getattr(chosen, name):
                raise WishRefused(f"--{name.replace('_', '-')} is only for kraft, not for {chosen.algorithm}.")
    elif chosen.cordoned and chosen.kafka_version and not knows_cordons(chosen.kafka_version):
        raise WishRefused(f"Kafka {chosen.kafka_version} knows no cordons; 4.3 and later do.")
    elif chosen.partitions < 1:  # in the controller's words: its placer would place none
        raise WishRefused("Number of partitions was set to an invalid non-positive value.")
    if chosen.algorithm != "striped":
        for name in ("start", "shift", "fixed_start_index", "explain"):
            if getattr(chosen, name) is not None:
                raise WishRefused(f"--{name.replace('_', '-')} is for striped placement, not for {chosen.algorithm}.")
    if chosen.explain is not None and chosen.json:
        raise WishRefused("--explain and --json exclude each other.")
    if chosen.fixed_start_index is not None and (chosen.start is not None or chosen.shift is not None):
        raise WishRefused("--fixed-start-index gives both start and shift: leave --start and --shift out.")


def _placed(chosen: argparse.Namespace, brokers: list[Broker], seed: int | None) -> Placement:
    if chosen.algorithm == "naive":
        return place_naive(
            brokers, chosen.partitions, chosen.replication_factor, first_partition=chosen.first_partition
        )
    if chosen.algorithm == "kraft":
        if chosen.disable_rack_aware:
            brokers = list(by_rack_mode(brokers, RackMode.DISABLED))
        return place_kraft(
            brokers,
            chosen.partitions,
            chosen.replication_factor,
            draws=JavaRandom(seed or 0),
            first_partition=chosen.first_partition,
            knows_cordons=chosen.kafka_version is not None and knows_cordons(chosen.kafka_version),
        )
    return place_striped(
        brokers,
        chosen.partitions,
        chosen.replication_factor,
        draws=None if seed is None else JavaRandom(seed),
        start=chosen.start,
        shift=chosen.shift,
        fixed_start_index=-1 if chosen.fixed_start_index is None else chosen.fixed_start_index,
        first_partition=chosen.first_partition,
        rack_mode=_rack_mode(chosen),
    )


def _rack_mode(chosen: argparse.Namespace) -> RackMode:
    return RackMode.DISABLED if chosen.disable_rack_aware else RackMode.ENFORCED


def _as_json(chosen: argparse.Namespace, placed: Placement, seed: int | None) -> dict[str, object]:
    return {
        "algorithm": chosen.algorithm,
        "brokers": list(placed.order),
        "rack_aware": placed.rack_aware,
        "first_partition": placed.first_id,
        "start": placed.start,
        "shift": placed.shift,
        "seed": seed,
        "assignment": {str(partition): replicas for partition, replicas in placed.assignment().items()},
    }


def _lines(chosen: argparse.Namespace, placed: Placement, seed: int | None) -> list[str]:
    how = "rack-aware" if placed.rack_aware else "rack-unaware"
    what = f"{counted(len(placed.replicas), 'partition')} placed {chosen.algorithm}, {how}"
    drawn = "" if placed.start is None else f", start {placed.start}, shift {placed.shift}"
    from_seed = "" if seed is None else f" (seed {seed})"
    shown = placed.replicas[:LISTED_ROWS].tolist()
    rows = [(str(i), ", ".join(map(str, row))) for i, row in enumerate(shown, placed.first_id)]
    lines = [f"{what}{drawn}{from_seed}.", "", *table(("Partition", "Replicas"), rows, left=2)]
    return lines + more(len(placed.replicas), LISTED_ROWS)


def _explained(chosen: argparse.Namespace, brokers: list[Broker], placed: Placement) -> list[str]:
    told = striped_steps_of(
        brokers,
        chosen.explain,
        chosen.replication_factor,
        start=placed.start or 0,
        shift=placed.shift or 0,
        first_partition=chosen.first_partition,
        rack_mode=_rack_mode(chosen),
    )
    lines = [f"Partition {told.partition}, brokers in the order {', '.join(map(str, told.ring))}", told.shift_words]
    for step in told.steps:
        lines += [f"  {candidate.formula}  {candidate.why}" for candidate in step.candidates]
    return [*lines, f"So its replicas are {', '.join(map(str, told.replicas))}."]
