"""One broker for another: it takes the place of the one that leaves, in every list.

Promises, in this order:
    1. Exactly the replicas on leaving brokers move. No plan can move fewer.
    2. In a list that has the leaving broker and not the other, that one stands at the same position afterwards, and
       nothing else of the list changes: where the one was named first, so is the other.
    3. A list that has both already, one with a leaving broker that nobody replaces, and one that rules do not let the
       other take is planned as ``remove`` does.

Example: {0: [0, 1], 1: [1, 2]}, broker 1 replaced by 2: partition 0 gets [0, 2]; partition 1 has both, and gets [2, 0].

Complexity: O(P R) and, for what 3 is about, that of ``remove``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from reseat.errors import WishRefused
from reseat.model import BoolArray, Broker, ClusterLayout, Plan, Wish
from reseat.model.arrays import lists_differ
from reseat.model.wording import counted, verb
from reseat.planning.finishing import concluded
from reseat.planning.kinds.remove import Removal, prepared, remove_brokers
from reseat.planning.proof.verdict import Verdict, last_resort_sentences
from reseat.planning.proposal import propose

__all__ = ["replace_brokers"]


def replace_brokers(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan in which brokers take the places of others (``Wish.replace``).

    Raises:
        WishRefused: as ``remove_brokers``; or a broker that takes a place is dead, cordoned, leaves, or takes
            two.
    """
    removal = prepared(layout, wish.remove, tuple(Broker(*one) for one in wish.add), wish.options)
    current, pairs = removal.layout, dict(wish.replace)
    _require_fit(current, wish, pairs)
    lists = removal.lists.copy()
    in_place = 0
    for old, new in pairs.items():
        here, there = (int(np.flatnonzero(current.broker_ids == broker)[0]) for broker in (old, new))
        takes = removal.goes & (removal.lists == here) & ~(lists == there).any(axis=1, keepdims=True)
        takes &= _allowed(removal, takes.any(axis=1), there)[:, None]
        lists[takes] = there
        in_place += int(takes.sum())
    placed = propose(current, removal.rows, lists)
    rest = remove_brokers(placed, wish.remove, options=wish.options)
    every = rest.proposed.replicas
    rows = np.flatnonzero(lists_differ(current.replicas, every))
    proposed = propose(current, rows, every[rows])
    say = partial(_sentences, pairs, in_place)
    return concluded(removal.start, proposed, wish, say, leaders=False)


def _allowed(removal: Removal, rows: BoolArray, broker: int) -> BoolArray:
    """Which of these rows (n,) the rules let a broker take: where their topic may be, and as long as it has room."""
    problem = removal.problem
    if problem.group is not None:
        rows = rows & problem.open_to[problem.group, broker]
    if problem.most is not None:
        rows = rows & (np.cumsum(rows) <= problem.most[broker] - problem.loads[broker])
    size = removal.layout.copy_bytes
    if problem.most_bytes is not None and size is not None:
        came = np.cumsum(np.where(rows, np.nan_to_num(size[removal.rows]), 0))
        rows = rows & (removal.layout.carried_bytes[broker] + came <= problem.most_bytes[broker])
    return rows


def _require_fit(layout: ClusterLayout, wish: Wish, pairs: Mapping[int, int]) -> None:
    states = layout.dead, layout.cordoned, layout.disk_failed
    dead, cordoned, failed = (set(layout.broker_ids[some].tolist()) for some in states)
    for old, new in pairs.items():
        reasons = (
            (layout.position(new) is None, f"broker {new} is not in this layout and is not added"),
            (new in wish.remove, f"broker {new} is drained itself"),
            (new in dead, f"broker {new} is known to be dead"),
            (new in cordoned, f"broker {new} is cordoned"),
            (new in failed, f"a log directory of broker {new} is offline"),
            (new in wish.options.never_onto, f"broker {new} is to receive nothing"),
            (list(pairs.values()).count(new) > 1, f"broker {new} would take two places"),
        )
        why = next((reason for holds, reason in reasons if holds), None)
        if why is not None:
            raise WishRefused(
                f"Broker {new} cannot take the place of broker {old}: {why}.",
                brokers=(old, new),
                choices=("Choose another broker.", "Drain the broker without a replacement."),
            )


def _sentences(pairs: Mapping[int, int], in_place: int, verdict: Verdict) -> tuple[str, ...]:
    """What moves, then who takes whose place, and what goes elsewhere."""
    moves, others = verdict.moves, verdict.moves - in_place
    proven = ", the proven minimum" if verdict.moves_proven else ""
    who = ", ".join(f"broker {new} takes the place of broker {old}" for old, new in pairs.items())
    out = [
        *last_resort_sentences(verdict),
        f"{counted(moves, 'replica')} {verb(moves, 'moves', 'move')}{proven}.",
        f"{who[:1].upper()}{who[1:]} in {counted(in_place, 'list')}, at the same position.",
    ]
    if others:
        out.append(f"{counted(others, 'replica')} {verb(others, 'goes', 'go')} to other brokers, as in a drain.")
    return tuple(out)
