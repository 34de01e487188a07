"""What the rack board is told: small columns, one entry a broker, under 100 kB for 1,000 brokers. Pure.

The browser gets numbers and names, never sentences made of both and never HTML; what a drop will do ("1,029 replicas
must move") it can say before the server is asked, because the replicas on a broker are exactly what must leave it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.balance import with_observers, without_live_copy
from reseat.balance.directories import directory_loads
from reseat.balance.grid import shown_rack_places
from reseat.model import (
    NONE,
    NOT_TOLD,
    BrokerState,
    ClusterLayout,
    FloatArray,
    IntArray,
    LogDirectory,
    Longs,
    Plan,
    Wish,
)
from reseat.model.arrays import on_brokers
from reseat.model.naming import next_id
from reseat.model.wording import visible

__all__ = ["MOST_FLOWS", "board_data"]

#: Lines from who gives to who receives that are sent; a rack of 100 out of 1,000 brokers would have 90,000.
MOST_FLOWS = 2_400
#: Log directories that are sent: those of 300 brokers with a dozen disks are more than anybody points at.
MOST_DIRECTORIES = 2_400
#: States in the order in which the board's JavaScript knows them.
_STATES = tuple(BrokerState)
#: Host names longer than this are cut: the tile has no room for them, and 1,000 of them would be the whole payload.
_HOST_LENGTH = 48


def board_data(
    layout: ClusterLayout,
    wish: Wish,
    plan: Plan | None,
    log_dirs: tuple[LogDirectory, ...] = (),
    controllers: tuple[int, ...] = (),
) -> dict[str, object]:
    """The rack board's data, JSON-ready.

    Args:
        layout: what one looks at.
        wish: the what-if; its added brokers get tiles of their own.
        plan: the plan for the wish, or None where nothing is wished or the wish is refused.
        log_dirs: what brokers tell of their log directories.
        controllers: ids of KRaft's controllers: no tiles, and no broker can have one that is none.

    Returns:
        ``racks``: names in natural order, and ``rackNames``: the same as they are shown, without what no eye sees or
        what turns the direction of writing. ``brokers``: columns ``id``, ``rack`` (position in ``racks``, -1 none),
        ``host`` (or None where no host is told), ``state`` (position in ``BrokerState``), ``replicas``, ``leaders`` (as
        ``leads`` says, or None where not told), ``bytes`` (or None, also for a broker of which no size is told),
        ``behind`` (replicas not in sync, or None), ``stuck`` (replicas of partitions that cannot move, or None), and
        with a plan ``after``, ``leadersAfter`` and ``bytesAfter`` (replicas, leaders as ``leads`` says, and bytes; None
        without a plan). ``leads``: what both columns of leaders count, ``preferred`` ones or, where no order is told
        and so nothing can be planned, ``current`` ones. ``out``: ids that leave. ``added``: ids that join. ``flows``:
        triples (giver's and receiver's entry, replicas), the largest first, at most ``MOST_FLOWS``. ``needs``: the
        highest replication factor. ``noRack``: what brokers without a rack stand under. ``nextId``: a free id above all
        brokers'. ``hostTail``: the domain that all hosts share, cut off from them. ``planned``: whether there is a
        plan. ``directories``: as things are now, by id of each broker that has several, or one that is not online:
        ``[path, replicas, bytes or None, bytes left or None, state]`` each; of none where there are more than
        ``MOST_DIRECTORIES``.

    Complexity: O(P x R), vectorised.
    """
    base = plan.current if plan is not None else layout.target() if layout.under_way.any() else layout
    drawn = base.with_racks({broker: rack for broker, rack in wish.add if base.position(broker) is None})
    places = shown_rack_places(drawn)
    racks = [drawn.racks[rack] for rack in np.argsort(places).tolist()]
    leads, leaders = _leaders(drawn)
    hosts, tail = _hosts([broker.host for broker in drawn.brokers])
    sizes = drawn.replica_bytes
    columns: dict[str, object] = {
        "id": drawn.broker_ids.tolist(),
        "rack": np.append(places, NONE)[drawn.rack_of].tolist(),
        "host": hosts,
        "state": [_STATES.index(broker.state) for broker in drawn.brokers],
        "replicas": _counts(drawn, drawn.replicas).tolist(),
        "leaders": None if leaders is None else leaders.tolist(),
        "bytes": None if sizes is None else _bytes(drawn, sizes),
        "behind": _behind(drawn),
        "stuck": _stuck(drawn, layout, wish),
        "after": None,
        "leadersAfter": None,
        "bytesAfter": None,
    }
    flows: list[int] = []
    if plan is not None:
        proposed = plan.proposed
        columns["after"] = _on(drawn, proposed, _counts(proposed, proposed.replicas).tolist())
        columns["leadersAfter"] = _on(drawn, proposed, _counts(proposed, proposed.replicas[:, :1]).tolist())
        moved = proposed.replica_bytes
        columns["bytesAfter"] = None if moved is None else _on(drawn, proposed, _bytes(proposed, moved))
        flows = _flows(drawn, plan)
    return {
        "racks": racks,
        "rackNames": [visible(rack) for rack in racks],
        "brokers": columns,
        "out": list(wish.remove),
        "added": [broker for broker, _ in wish.add],
        "flows": flows,
        "leads": leads,
        "needs": int(drawn.replication_factor.max(initial=0)),
        "noRack": "rack unknown" if drawn.unknown_racks else "no rack",
        "nextId": next_id((broker.id for broker in drawn.brokers), controllers),
        "hostTail": tail,
        "planned": plan is not None,
        "directories": _directories(layout, log_dirs),
    }


def _directories(layout: ClusterLayout, told: tuple[LogDirectory, ...]) -> dict[str, list[list[object]]]:
    by_broker: dict[str, list[list[object]]] = {}
    loads = directory_loads(layout, told)
    if len(loads) > MOST_DIRECTORIES:
        return by_broker
    for one in loads:
        left = None if one.told is None else one.told.usable_bytes
        state = "offline" if one.told is not None and one.told.error else one.state
        path = visible(one.path, _HOST_LENGTH)
        by_broker.setdefault(str(one.broker), []).append([path, one.replicas, one.bytes, left, state])
    return {broker: of for broker, of in by_broker.items() if len(of) > 1 or of[0][4] != "online"}


def _counts(layout: ClusterLayout, positions: IntArray) -> Longs:
    """How often each broker occurs; padding and what is not told do not count."""
    # One bincount with the padding shifted to the front is faster than masking millions of entries first.
    shifted = np.bincount((positions.ravel() - NOT_TOLD), minlength=len(layout.brokers) - NOT_TOLD)
    counts: Longs = shifted[-NOT_TOLD:].astype(np.int64)
    return counts


def _listed(counts: Longs) -> list[int]:
    return [int(count) for count in counts]


def _leaders(layout: ClusterLayout) -> tuple[str, Longs | None]:
    """Which leaders are counted, and how many by broker: the preferred ones, which a plan has too.

    Who leads now is never set beside who is preferred after: where no order is told there is no plan to compare with.
    """
    if bool(layout.order_told.all()):
        return "preferred", _counts(layout, layout.replicas[:, :1])
    return "current", _counts(layout, layout.leader) if bool((layout.leader != NOT_TOLD).any()) else None


def _behind(layout: ClusterLayout) -> list[int] | None:
    """Replicas by broker that are not in sync, where the ISR is told."""
    if layout.in_sync is None:
        return None
    late = ~layout.in_sync & layout.in_sync_known[:, None]
    return _listed(_counts(layout, np.where(late, layout.replicas, np.int32(NONE))))


def _stuck(drawn: ClusterLayout, layout: ClusterLayout, wish: Wish) -> list[int] | None:
    """Replicas by broker of partitions that a plan leaves where they are.

    Of a cordoned broker those that another one holds there, too: once it is out no list names it.
    """
    kept = on_brokers(drawn.replicas, drawn.cordoned & ~drawn.is_broker(wish.remove))
    stuck = ((kept.sum(axis=1)[:, None] > kept) | with_observers(layout)[:, None]) & (drawn.replicas != NONE)
    if not wish.options.keep_unmovable:
        stuck |= without_live_copy(layout)[:, None]
    return _listed(_counts(drawn, np.where(stuck, drawn.replicas, NONE))) if stuck.any() else None


def _bytes(layout: ClusterLayout, sizes: FloatArray) -> list[int | None]:
    """Bytes by broker; None where it holds replicas and the size of none of them is told, as of a dead broker."""
    known = np.where(np.isnan(sizes), 0.0, sizes).ravel()
    held = np.bincount(layout.replicas.ravel() + 1, weights=known, minlength=len(layout.brokers) + 1)[1:]
    # Three digits are all that a tile shows, and they keep the payload small.
    digits = np.maximum(np.floor(np.log10(np.maximum(held, 1.0))) - 2, 0)
    rounded = (np.round(held / 10**digits) * 10**digits).tolist()
    untold = _counts(layout, np.where(np.isnan(sizes), np.int32(NONE), layout.replicas)) == 0
    untold &= _counts(layout, layout.replicas) > 0
    return [None if not_told else int(value) for value, not_told in zip(rounded, untold.tolist(), strict=True)]


def _on(drawn: ClusterLayout, other: ClusterLayout, values: Sequence[int | None]) -> list[int | None]:
    """Values by broker of another layout in the order of the brokers drawn."""
    by_id = dict(zip(other.broker_ids.tolist(), values, strict=True))
    return [by_id.get(broker, 0) for broker in drawn.broker_ids.tolist()]


def _flows(drawn: ClusterLayout, plan: Plan) -> list[int]:
    """Who gives how many replicas to whom, as triples in one flat list, the largest first."""
    moves = plan.moves
    moved = (moves.source >= 0) & (moves.target >= 0)
    if not moved.any():
        return []
    giver = np.searchsorted(drawn.broker_ids, moves.source[moved]).astype(np.int64)
    receiver = np.searchsorted(drawn.broker_ids, moves.target[moved]).astype(np.int64)
    pair, times = np.unique(giver * len(drawn.brokers) + receiver, return_counts=True)
    first = np.argsort(-times, kind="stable")[:MOST_FLOWS]
    triples = np.stack([pair[first] // len(drawn.brokers), pair[first] % len(drawn.brokers), times[first]], axis=1)
    flat: list[int] = triples.ravel().tolist()
    return flat


def _hosts(hosts: Sequence[str | None]) -> tuple[list[str] | None, str]:
    """Host names without the domain that all of them share, and that domain."""
    told = [host for host in hosts if host]
    if not told:
        return None, ""
    domains = {host.partition(".")[2] for host in told}
    tail = f".{domains.pop()}" if len(domains) == 1 and len(told) > 1 else ""
    if tail == "." or any(host.replace(".", "").isdigit() for host in told):
        tail = ""  # no domain, or addresses, which end with what matters
    return [(host.removesuffix(tail) if host else "")[:_HOST_LENGTH] for host in hosts], tail
