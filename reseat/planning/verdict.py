"""What the checker found of a plan: flags, numbers, and the same in words.

Promises: a sentence says "Proven" exactly where the flag beside it is True.
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.model.wording import counted, listed, proven, verb

__all__ = ["Verdict", "last_resort_sentences", "sentences_of"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the checker found of a plan.

    A number that cannot be counted (racks where no broker has one) is None. ``*_proven`` says that no plan for the
    same wish does better, objectives in their order; leaders are proven for the replica sets of this plan. With a
    fault nothing is proven.

    Attributes:
        faults: why the plan must not be carried out, one sentence each, naming partition and broker.
        moves: replicas that are copied to a broker that did not hold the partition.
        least_moves: the fewest that any plan for the wish needs, or None where it is not known.
        moves_proven: whether ``moves`` is that number.
        rack_sum_of_squares: over all partitions and racks of the proposed layout, the square of the partition's
            replicas in the rack; None where no broker has a rack.
        rack_proven: whether it is the least among plans with the fewest moves.
        replica_sum_of_squares: over remaining available brokers, the square of their replicas.
        replicas_proven: whether it is the least among those.
        replica_spread: fullest minus emptiest remaining available broker, in replicas.
        leader_sum_of_squares: the same of preferred leaders.
        leaders_proven: whether it is the least over all orders of the changed partitions' lists.
        leader_spread: fullest minus emptiest remaining available broker, in preferred leaders.
        changed_preferred_leaders: partitions whose first replica differs.
        changed_leaders_proven: whether that is the fewest among those orders.
        sentences: the same for a person.
        racks_unknown: whether the rack of a broker that remains is unknown, so that the proofs know nothing of it.
        last_resorts: ids of brokers, fenced or shutting down, that replicas are copied to.
        last_resorts_needed: whether no plan for the wish copies fewer replicas to such brokers.
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
    sentences: tuple[str, ...]
    racks_unknown: bool = False
    last_resorts: tuple[int, ...] = ()
    last_resorts_needed: bool = True

    @property
    def valid(self) -> bool:
        """Whether the plan may be carried out at all."""
        return not self.faults


def sentences_of(verdict: Verdict, *, balance: bool = True) -> tuple[str, ...]:
    """A verdict in words; without ``balance`` nothing is said of how even replicas are."""
    if verdict.faults:
        return (f"The plan must not be carried out: it has {counted(len(verdict.faults), 'fault')}.",)
    out = [*last_resort_sentences(verdict), _moves_sentence(verdict)]
    if verdict.rack_sum_of_squares is not None:
        out.append(
            "Each changed partition sits on as many racks, as evenly, as its moved replicas can reach. Proven."
            if verdict.rack_proven
            else "It is not proven that the changed partitions sit on as many racks as they could."
        )
    if balance:
        evener = f"no plan with these moves and racks is evener. {proven(racks_unknown=verdict.racks_unknown)}"
        out.append(
            f"Fullest and emptiest broker are {counted(verdict.replica_spread, 'replica')} apart; "
            + (evener if verdict.replicas_proven else "not proven least.")
        )
    out.append(
        f"Preferred leaders are {verdict.leader_spread:,} apart; "
        + (
            "no order of the changed lists is evener. Proven for these replica sets."
            if verdict.leaders_proven
            else "not proven least."
        )
    )
    changed = verdict.changed_preferred_leaders
    out.append(
        f"The preferred leader changes in {counted(changed, 'partition')}; "
        + ("fewer would be less even. Proven." if verdict.changed_leaders_proven else "not proven fewest.")
        if changed
        else "No preferred leader changes."
    )
    return tuple(out)


def last_resort_sentences(verdict: Verdict) -> tuple[str, ...]:
    """That replicas go to brokers which are fenced or shutting down: what is to be said first, or nothing."""
    ids = verdict.last_resorts
    if not ids:
        return ()
    who = f"Replicas go to {verb(len(ids), 'broker', 'brokers')} {listed(ids)}, fenced or shutting down"
    if not verdict.last_resorts_needed:
        return (f"{who}, though other brokers could take them.",)
    return (f"{who}: no other broker can take them. Bring {verb(len(ids), 'it', 'them')} back first.",)


def _moves_sentence(verdict: Verdict) -> str:
    if not verdict.moves:
        return "No replica moves."
    said = f"{counted(verdict.moves, 'replica')} {'moves' if verdict.moves == 1 else 'move'}."
    if verdict.moves_proven:
        return f"{said} No plan can move fewer. {proven(racks_unknown=verdict.racks_unknown)}"
    if verdict.least_moves is None:
        return f"{said} How few are enough is not known."
    return f"{said} {verdict.least_moves:,} {'is' if verdict.least_moves == 1 else 'are'} enough."
