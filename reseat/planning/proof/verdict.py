"""What the checker found of a plan: flags, numbers, and the same in words.

Promises: a sentence says "proven", and not "not proven", exactly where the flag beside it is True.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from reseat.model.wording import counted, minimal, named, verb

__all__ = [
    "Verdict",
    "last_resort_sentences",
    "leader_sentences",
    "moves_sentence",
    "not_executed",
    "rack_sentences",
    "sentences_of",
    "spread_sentence",
]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the checker found of a plan: of a ``Certificate`` (``reseat.model.plan``) the numbers and the proofs.

    A number that cannot be counted (racks where no broker has one) is None. ``*_proven`` says that no plan for the
    same wish does better, objectives in their order; leaders are proven for the replica sets of this plan. With a
    fault nothing is proven.

    Attributes:
        least_moves: the fewest that any plan for the wish needs, or None where it is not known.
        racks_unknown: whether the rack of a broker that remains is unknown, so that the proofs know nothing of it.
        last_resorts_needed: whether no plan for the wish copies fewer replicas to brokers that are fenced or shutting
            down.
        topics_even: of how many topics the spread is proven the least, of how many; None: it is no aim.
        every_list: whether leaders are proven over the orders of all lists, and not of the changed ones alone.
    """

    faults: tuple[str, ...]
    moves: int
    least_moves: int | None
    moves_proven: bool
    rack_sum_of_squares: int | None
    rack_proven: bool
    replica_sum_of_squares: int
    replicas_proven: bool
    replica_spread: int
    leader_sum_of_squares: int
    leaders_proven: bool
    leader_spread: int
    changed_preferred_leaders: int
    changed_leaders_proven: bool
    racks_unknown: bool
    last_resorts: tuple[int, ...]
    last_resorts_needed: bool
    topics_even: tuple[int, int] | None = None
    every_list: bool = False

    @property
    def valid(self) -> bool:
        """Whether the plan may be carried out at all."""
        return not self.faults

    def unproven(self) -> Verdict:
        """The same numbers of which nothing is known to be the least."""
        flags = dict.fromkeys((one.name for one in fields(self) if one.name.endswith("_proven")), False)
        return replace(self, least_moves=None, **flags)  # type: ignore[arg-type]


def sentences_of(verdict: Verdict, *, every: bool = False) -> tuple[str, ...]:
    """A verdict in words; ``every`` as ``rack_sentences``."""
    given = f"{counted(verdict.moves, 'move')} and this rack placement"
    out = (*last_resort_sentences(verdict), moves_sentence(verdict), *rack_sentences(verdict, every=every))
    return (*out, spread_sentence(verdict, given), *leader_sentences(verdict))


def rack_sentences(verdict: Verdict, *, every: bool = False) -> tuple[str, ...]:
    """How diverse changed partitions are over racks, or all that can move; nothing where racks do not count."""
    if verdict.rack_sum_of_squares is None:
        return ()
    whom = "every partition that can move" if every else "every changed partition"
    if verdict.rack_proven:
        return (f"Rack diversity is the best possible for {whom} (proven).",)
    return (f"Rack diversity{'' if every else ' of the changed partitions'}: not proven the best possible.",)


def spread_sentence(verdict: Verdict, given: str = "this rack placement") -> str:
    """How even replicas are, and for what that is the least."""
    spread = f"Max–min replica count per broker: {verdict.replica_spread:,}."
    if not verdict.replicas_proven:
        return f"{spread} Not proven minimal."
    return f"{spread} {minimal(f'Proven minimal for {given}', racks_unknown=verdict.racks_unknown)}"


def leader_sentences(verdict: Verdict) -> tuple[str, ...]:
    """How even preferred leaders are, and how many change for it."""
    changed, which = verdict.changed_preferred_leaders, "these" if verdict.every_list else "the changed"
    fewer = "Fewer would worsen leader balance (proven)." if verdict.changed_leaders_proven else "Not proven minimal."
    return (
        f"Max–min preferred leaders per broker: {verdict.leader_spread:,}. "
        + (f"Proven minimal for {which} replica sets." if verdict.leaders_proven else "Not proven minimal."),
        f"{counted(changed, 'partition')} {verb(changed, 'gets', 'get')} a new preferred leader. {fewer}"
        if changed
        else "No preferred leader changes.",
    )


def last_resort_sentences(verdict: Verdict) -> tuple[str, ...]:
    """That replicas go to brokers which are fenced or shutting down: what is to be said first, or nothing."""
    ids = verdict.last_resorts
    if not ids:
        return ()
    who = f"Replicas go to {named('broker', ids)}, fenced or shutting down"
    if not verdict.last_resorts_needed:
        return (f"{who}, though other brokers could take them.",)
    return (f"{who}: no other broker can take them. Bring {verb(len(ids), 'it', 'them')} back first.",)


def not_executed(faults: tuple[str, ...]) -> tuple[str, ...]:
    """That a plan with these faults, which are listed beside it, must not be executed; nothing where it has none."""
    return (f"The plan must not be executed: it has {counted(len(faults), 'fault')}.",) if faults else ()


def moves_sentence(verdict: Verdict) -> str:
    """How many replicas move, and whether that is the fewest."""
    if not verdict.moves:
        return "No replica moves."
    said = f"{counted(verdict.moves, 'replica')} {'moves' if verdict.moves == 1 else 'move'}"
    if verdict.moves_proven:
        return minimal(f"{said}, the proven minimum", racks_unknown=verdict.racks_unknown)
    if verdict.least_moves is None:
        return f"{said}. The minimum is unknown."
    return f"{said}. The minimum is {verdict.least_moves:,}."
