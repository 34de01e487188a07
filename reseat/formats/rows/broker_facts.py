"""Facts of one broker from two places: what stays, and what contradicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reseat.formats.input.shown import shown
from reseat.model import Broker, BrokerState, Finding, Severity

__all__ = ["living", "take"]


def take(known: dict[int, Broker], told: Broker, place: str, source: str) -> list[Finding]:
    """Add facts of one broker to what is known of it; facts told before stay.

    Args:
        known: the brokers known, by id; changed.
        told: what is told.
        place: where it is told, in words.
        source: what the finding names as its place.

    Returns:
        A finding for each fact that contradicts an earlier one.
    """
    before = known.get(told.id)
    known[told.id], differs = (told, []) if before is None else _merged(before, told)
    return [
        Finding(
            "contradicting_broker",
            Severity.ATTENTION,
            f"Broker {told.id} has {what} {shown(first)} and, in {place}, {what} {shown(second)}; the first is kept.",
            brokers=(told.id,),
            places=(source,),
        )
        for what, first, second in differs
    ]


def _merged(known: Broker, told: Broker) -> tuple[Broker, list[tuple[str, object, object]]]:
    """Facts of one broker from two places: (what stays, [(what, first, second) that contradict])."""
    differs: list[tuple[str, object, object]] = []

    def pick(what: str, before: object, after: object) -> object:
        if before is None or after is None or before == after:
            return before if before is not None else after
        differs.append((what, before, after))
        return before

    rack, host = pick("rack", known.rack, told.rack), pick("host", known.host, told.host)
    state = known.state
    if known.state is BrokerState.NOT_TOLD:
        state = told.state
    elif told.state not in (BrokerState.NOT_TOLD, known.state):
        differs.append(("state", known.state.value, told.state.value))
    return (
        replace(
            known,
            rack=None if rack is None else str(rack),
            host=None if host is None else str(host),
            port=told.port if known.port is None and host == told.host else known.port,
            state=state,
            offline_dirs=known.offline_dirs or told.offline_dirs,
        ),
        differs,
    )


def living(brokers: Iterable[Broker], alive: set[int] | None, dead: set[int], leading: set[int]) -> tuple[Broker, ...]:
    """The brokers with their state, where a complete list of live ones, or of dead ones, is told.

    A broker named as offline that leads a partition is not dead: a disk of it is.
    """
    out = []
    for broker in brokers:
        state = broker.state
        if state is BrokerState.NOT_TOLD:
            if alive is not None:
                state = BrokerState.ALIVE if broker.id in alive else BrokerState.DEAD
            elif broker.id in dead and broker.id not in leading:
                state = BrokerState.DEAD
        out.append(broker if state is broker.state else replace(broker, state=state))
    return tuple(out)
