"""Add brokers: the evenest layout that moves onto the new brokers alone can reach, with the fewest moves.

Promises, in this order:
    0. Replicas move onto added brokers only, and only from brokers that are not added and not known to be dead, fenced
       or shutting down. No partition's racks get less diverse. An added broker that is fenced or shutting down receives
       nothing, unless each of them is.
    1. The least replica spread (fullest minus emptiest of these brokers) that such moves can reach.
    2. Then the fewest moves.
    3. Then the least sum of squares of replica counts.
    4. Then preferred leaders as ``leaders`` promises, over orders of the changed partitions' lists.
    With ``Options.max_moves`` below the moves of (2): the least sum of squares with at most that many moves, then (4).
    With ``Options.max_bytes``, and where the solver finds no partitions for so many: the same with the most moves found
    that copy no more.

Needs: a layout without duplicate replicas whose order is told; brokers to add, which may hold replicas already.

How: a rebalance (``solver``) in which only added brokers receive, all others give, and racks are kept: no less diverse,
which up to five replicas says that the sum of squares over racks does not rise (``docs/decisions/0031``).

Example: 5 partitions on broker 0, one replica each; broker 1 joins. Loads 5, 0 can become 3, 2 (two moves) or 2, 3
(three): spread 1 with two moves.

Source: A. Frank, K. Murota, "Decreasing minimization on M-convex sets" (2022), which shows that the least sum of
squares has the least maximum and the greatest minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, Broker, BrokerState, ClusterLayout, Options, Plan, Wish
from reseat.model.arrays import on_brokers
from reseat.model.wording import counted, minimal, verb
from reseat.planning.finishing import concluded, cost_of, said_of_cap, with_leaders_evened
from reseat.planning.preconditions import Settled, begun, usable
from reseat.planning.proof.verdict import Verdict, last_resort_sentences, leader_sentences, spread_sentence
from reseat.planning.proposal import Between
from reseat.planning.rules import copies_no_more, fitted, ruled
from reseat.planning.solve.problem import Found, Problem
from reseat.planning.solve.rack_choice import racks_of
from reseat.planning.solve.solver import Solver

__all__ = ["add_brokers", "addition", "merged"]

_DEFAULTS = Options()


def add_brokers(layout: ClusterLayout, brokers: Sequence[Broker], *, options: Options = _DEFAULTS) -> Plan:
    """The plan that evens replicas onto added brokers.

    Args:
        layout: the layout. A broker that it has already may be "added" as well: then it only receives.
        brokers: brokers that join; one without a rack beside brokers with one is a rack of its own.
        options: ``max_moves``, ``max_bytes``, ``receive_cap`` and ``reorder_all`` apply; replicas are counted, not
            weighed.

    Returns:
        The plan with its certificate. Where nothing can become more even it is empty, and says so.

    Raises:
        WishRefused: no broker is given, one twice, or one known to be dead; sizes are not told that a limit needs; or
            as ``preconditions`` says.
    """
    start, added = _joined(layout, brokers, options)
    current = start.layout
    wish = Wish(add=tuple((broker.id, broker.rack) for broker in added), options=options)
    problem, cap = _problem(current, added, start.pinned, options), options.receive_cap
    found, capped, fewer = fitted(problem, current, lambda one: _solved(Solver(one, own_arcs=0), current, options))
    rows, lists = found.rows, found.lists
    orderable = np.flatnonzero(~start.pinned) if options.reorder_all else rows
    proposed = with_leaders_evened(current, rows, lists, free=orderable, options=options)
    loads = problem.loads_with(found)[problem.targets]

    def say(verdict: Verdict) -> tuple[str, ...]:
        how = "" if not capped else "allowed" if wish.chooses_moves else "found"
        sentences = _sentences(verdict, current, capped=how, whole=not fewer)
        if cap is None:
            return sentences
        free, _ = _solved(Solver(replace(problem, room=None), own_arcs=0), current, options)
        without = problem.loads_with(free)[problem.targets]
        return (*sentences, cost_of(said_of_cap(cap), loads, without))

    return concluded(start, proposed, wish, say, limited=capped)


def addition(layout: ClusterLayout, wish: Wish) -> Between:
    """From nothing that moves to the sets of the plan of ``add_brokers``.

    Raises:
        WishRefused: as ``add_brokers``.
    """
    options = wish.options
    start, added = _joined(layout, tuple(Broker(*one) for one in wish.add), options)
    whole = Solver(_problem(start.layout, added, start.pinned, options), own_arcs=0)

    def solved(one: Problem) -> tuple[Found, bool]:
        return _solved(whole if one is whole.problem else Solver(one, own_arcs=0), start.layout, options)

    def within(most: int) -> Found | None:
        made = whole.with_moves(most)
        return made if made is not None and copies_no_more(start.layout, made, options.max_bytes) else None

    return Between(start.layout, whole.problem, None, fitted(whole.problem, start.layout, solved)[0], within)


def _problem(layout: ClusterLayout, added: Sequence[Broker], unmovable: BoolArray, options: Options) -> Problem:
    """What may move: from brokers that are not added and available, onto those that are."""
    well = usable(layout)
    takes = layout.is_broker([broker.id for broker in added])
    # Where none of those that join is available, these are what is left to move onto.
    if (takes & well).any():
        takes &= well
    gives = well & ~takes
    held, cap = layout.replicas != NONE, options.receive_cap
    problem = Problem(
        lists=layout.replicas,
        fixed=held & (~on_brokers(layout.replicas, gives) | unmovable[:, None]),
        targets=gives | takes,
        rack=racks_of(layout),
        receivers=takes[None, :],
        room=None if cap is None else np.full(len(well), cap),
        keeps_racks=True,
        size=layout.copy_bytes,
    )
    return ruled(problem, layout, options, np.zeros(len(well), np.bool_))


def _solved(solver: Solver, layout: ClusterLayout, options: Options) -> tuple[Found, bool]:
    """The least spread; where that is not found, or more than is allowed, the evenest with as many moves as are.

    And whether it is that.
    """
    most = options.max_moves

    def fits(found: Found | None) -> bool:
        return found is not None and copies_no_more(layout, found, options.max_bytes)

    found, capped = solver.evenest(), False
    if most is not None and (found is None or solver.problem.moves(found) > most):
        found, capped = solver.with_moves(max(0, most)), True
    if found is not None and fits(found):
        return found, capped
    few, too_many = 0, solver.foreseen(1) + 1 if found is None else solver.problem.moves(found)
    found = Found.nothing(solver.problem)
    while few + 1 < too_many:
        middle = (few + too_many) // 2
        tried = solver.with_moves(middle)
        if tried is not None and fits(tried):
            found, few = tried, middle
        else:
            too_many = middle
    return found, True


def _joined(layout: ClusterLayout, brokers: Sequence[Broker], options: Options) -> tuple[Settled, tuple[Broker, ...]]:
    """As ``begun``, with the added brokers in it, and these brokers by id."""
    if not brokers:
        raise WishRefused("No broker is given to add.", choices=("Name at least one broker, such as 9 or 9:rack-a.",))
    ids = [broker.id for broker in brokers]
    joining = [merged(layout, broker) for broker in sorted(brokers, key=lambda broker: broker.id)]
    dead = [broker.id for broker in joining if broker.state is BrokerState.DEAD]
    broken, leave = [broker.id for broker in joining if broker.offline_dirs], "Do not add it."
    start, disk = "Start it and read the layout again.", "Replace the disk and read the layout again."
    for wrong, sentence, choices in (
        (sorted({i for i in ids if ids.count(i) > 1}), "Broker {} is added twice.", ("Name each broker once.",)),
        (dead, "Broker {} is known to be dead and cannot receive replicas.", (start, leave)),
        (broken, "A log directory of broker {} is offline: it receives no replica.", (disk, leave)),
        ([i for i in ids if i < 0], "Broker id {} is below 0.", ("Broker ids start at 0.",)),
    ):
        if wrong:
            raise WishRefused(sentence.format(wrong[0]), brokers=tuple(wrong), choices=choices)
    return begun(layout, options, joining=joining), tuple(joining)


def merged(layout: ClusterLayout, broker: Broker) -> Broker:
    """What the layout knows of the broker, where the wish does not say otherwise."""
    at = layout.position(broker.id)
    if at is None:
        return broker
    told = {name: value for name in ("rack", "host", "port") if (value := getattr(broker, name)) is not None}
    if broker.state is not BrokerState.NOT_TOLD:
        told["state"] = broker.state
    return replace(layout.brokers[at], **told)


def _sentences(verdict: Verdict, current: ClusterLayout, *, capped: str, whole: bool) -> tuple[str, ...]:
    unknown, moves = bool(current.unknown_racks), verdict.moves
    out = [*last_resort_sentences(verdict)]
    moved = f"{counted(moves, 'replica')} {verb(moves, 'moves', 'move')} onto the added brokers"
    if not moves:
        why = f"was {capped}" if capped else "onto the added brokers improves the balance"
        out.append(f"No replica moves: no move {why}.")
    elif capped:
        out.append(f"{moved}, as many as {capped}.")
    elif verdict.moves_proven:
        out.append(minimal(f"{moved}, the proven minimum for this spread", racks_unknown=unknown))
    elif whole:
        out.append(f"{moved}. The solver found no plan of this spread with fewer; the checker did not confirm it.")
    else:
        out.append(f"{moved}. Not proven minimal.")
    given = "at most these moves" if capped else "moves onto the added brokers alone"
    out.append(spread_sentence(replace(verdict, racks_unknown=unknown), given))
    if current.racks:
        out.append("No changed partition is balanced worse over racks than before.")
    return (*out, leader_sentences(verdict)[0])
