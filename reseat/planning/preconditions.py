"""What must hold before a plan is made; each is refused with a sentence, the topics or brokers, and the choices.

Promises: a wish that can be planned is never refused; a refusal says why with the number that matters, names what it is
about, and what the person can do.

A layout with a reassignment under way is planned over its target (``settled``).

Complexity: O(P R) for duplicates, once a layout; O(n R) for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.balance import frozen_by_cordon, incomplete, with_observers, without_live_copy
from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, Broker, ClusterLayout, Finding, Longs, Options, Severity
from reseat.model.naming import named_by
from reseat.model.wording import counted, listed, named, verb

__all__ = [
    "Settled",
    "begun",
    "closed_to",
    "pinned",
    "pinned_by_wish",
    "require_complete",
    "require_known",
    "require_no_duplicates",
    "require_order",
    "require_room",
    "require_targets",
    "resorts",
    "settled",
    "usable",
    "who_leads",
]


def closed_to(layout: ClusterLayout, options: Options) -> tuple[int, ...]:
    """Ids of the brokers that neither receive nor count: those of ``never_onto``, and those that have lost a disk.

    They lead all the same, so who asks for leaders names none of them.
    """
    failed = layout.broker_ids[layout.disk_failed].tolist()
    return tuple(sorted({*options.never_onto, *failed})) if failed else options.never_onto


def usable(layout: ClusterLayout, leaving: BoolArray | None = None, never_onto: tuple[int, ...] = ()) -> BoolArray:
    """(B,) bool: brokers that count, receive and lead: those that remain, are available and not cordoned.

    Where no such broker remains, those that are not known to be dead.

    Args:
        layout: the layout.
        leaving: (B,) bool, brokers that leave.
        never_onto: ids of brokers that neither receive nor count (``closed_to``).
    """
    stays = _open_brokers(layout, leaving, never_onto)
    well = stays & layout.available
    return well if well.any() else stays & ~layout.dead


def resorts(layout: ClusterLayout, leaving: BoolArray | None = None, never_onto: tuple[int, ...] = ()) -> BoolArray:
    """(B,) bool: brokers that receive and lead only where ``usable`` ones do not suffice: fenced or shutting down."""
    return _open_brokers(layout, leaving, never_onto) & ~layout.dead & ~usable(layout, leaving, never_onto)


def _open_brokers(layout: ClusterLayout, leaving: BoolArray | None, never_onto: tuple[int, ...]) -> BoolArray:
    # Kafka takes no list that names a cordoned broker: it is no last resort either.
    stays = ~layout.cordoned if leaving is None else ~leaving & ~layout.cordoned
    return stays & ~layout.is_broker(never_onto) if never_onto else stays


def pinned(layout: ClusterLayout, options: Options, leaving: tuple[int, ...] = ()) -> BoolArray:
    """(P,) bool: partitions that a plan leaves as they are.

    Those without a live copy, which the guard would refuse to move; those that keep a replica on a cordoned broker, of
    which Kafka takes no new list; those with observers, which no reassignment can name; those that the wish pins.

    Args:
        layout: as it was read, before ``settled``: what is leaving still serves as a source.
        options: ``keep_unmovable`` plans the first all the same; ``pin`` names the last.
        leaving: ids of brokers that are drained.

    Raises:
        WishRefused: a pin fits no partition.
    """
    held = pinned_by_wish(layout, options) | frozen_by_cordon(layout, leaving) | with_observers(layout)
    return held if options.keep_unmovable else held | without_live_copy(layout)


def pinned_by_wish(layout: ClusterLayout, options: Options) -> BoolArray:
    """(P,) bool: partitions that ``Options.pin`` names.

    Raises:
        WishRefused: a pin fits no partition.
    """
    held = np.zeros(layout.partition_count, np.bool_)
    for topic, partition in options.pin:
        spans = [layout.rows_of_topic(name) for name in named_by(layout.topics, (topic,))]
        fits = [row for span in spans for row in span if partition is None or layout.partition[row] == partition]
        if not fits:
            what = f"topic matches {topic}" if partition is None else f"partition matches {topic}:{partition}"
            raise WishRefused(
                f"No {what}, which is to be pinned.", topics=(topic,), choices=("Correct the pin, or leave it out.",)
            )
        held[fits] = True
    return held


def who_leads(layout: ClusterLayout, options: Options, leaving: BoolArray | None) -> Leaders:
    """Who may be the preferred leader.

    Args:
        layout: the layout.
        options: ``never_leads`` makes brokers last resorts, ``leader_racks`` orders racks.
        leaving: (B,) bool, brokers that lead nothing where another one can.

    Raises:
        WishRefused: no broker has one of these racks.
    """
    if strange := [rack for rack in options.leader_racks if rack not in layout.racks]:
        raise WishRefused(
            f"No broker is in {named('rack', strange)}, where leaders are to be.",
            choices=(f"Choose among the racks {listed(layout.racks)}." if layout.racks else "Add racks (--racks).",),
        )
    never = layout.is_broker(options.never_leads)
    targets, late = usable(layout, leaving), resorts(layout, leaving)
    order = {rack: at for at, rack in enumerate(options.leader_racks)}
    rank = np.array([order.get(broker.rack or "", len(order)) for broker in layout.brokers], np.int64)
    return Leaders(targets & ~never, late | (targets & never), rank)


def require_complete(layout: ClusterLayout) -> None:
    """Refuse a layout of which partitions are missing, unless the person accepts that.

    Raises:
        WishRefused: with the topics of which partitions are missing.
    """
    missing = None if layout.gaps.accepted else incomplete(layout)
    if missing is not None:
        raise WishRefused(
            missing.sentence,
            topics=missing.topics,
            choices=(
                "Read the complete output.",
                "Plan what is there anyway (--accept-incomplete; a button on the dashboard).",
            ),
        )


@dataclass(frozen=True, eq=False)
class Leaders:
    """Who may be the preferred leader of a list: (B,) each.

    Attributes:
        may_lead: bool, brokers that count and may be.
        resorts: bool, those that are where a list has none of the former.
        rank: where in the order of preferred racks each is; of each list only the first rank is.
    """

    may_lead: BoolArray
    resorts: BoolArray
    rank: Longs


@dataclass(frozen=True, eq=False)
class Settled:
    """A layout to plan on.

    Attributes:
        read: the layout as it was read: what is leaving still serves there, and who joins is not there yet.
        layout: the layout with who joins, its target where a reassignment is under way.
        under_way: (n,) rows whose reassignment is under way, whose newcomers are not in sync yet.
        pinned: (P,) bool, partitions that stay as they are (``pinned``).
    """

    read: ClusterLayout
    layout: ClusterLayout
    under_way: Longs
    pinned: BoolArray

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a person should know of it before planning."""
        rows = self.under_way
        if rows.size == 0:
            return ()
        sentence = (
            f"A reassignment of {counted(rows.size, 'partition')} is in progress. The plan starts from the layout "
            "after it completes, and its rollback returns to that layout, not to the one before. To avoid that, let it "
            "finish or cancel it, and read the layout again."
        )
        return (Finding("planned_over_target", Severity.ATTENTION, sentence, rows=rows),)


def settled(
    layout: ClusterLayout, options: Options, leaving: tuple[int, ...] = (), joining: Sequence[Broker] = ()
) -> Settled:
    """The layout to plan on: its target where a reassignment is under way; arguments as of ``begun``."""
    there = layout.with_brokers(joining) if joining else layout
    return Settled(layout, there.target(), np.flatnonzero(layout.under_way), pinned(there, options, leaving))


def begun(
    layout: ClusterLayout,
    options: Options,
    leaving: tuple[int, ...] = (),
    *,
    joining: Sequence[Broker] = (),
    duplicates: bool = False,
) -> Settled:
    """The layout to plan on, once it is complete and in order.

    Args:
        layout: as it was read.
        options: as ``pinned``.
        leaving: ids of brokers that are drained.
        joining: brokers that join, or of which more is known now.
        duplicates: whether lists may name a broker twice.

    Raises:
        WishRefused: as ``require_complete``, ``require_order`` and ``require_no_duplicates``, or as ``pinned``.
    """
    require_complete(layout)
    require_order(layout)
    start = settled(layout, options, leaving, joining)
    if not duplicates:
        require_no_duplicates(start.layout)
    return start


def require_known(layout: ClusterLayout, broker_ids: Iterable[int], rule: str = "") -> tuple[int, ...]:
    """The ids, ascending and once each; ``rule`` is the one that names them, if one does.

    Raises:
        WishRefused: the layout does not know one of them.
    """
    wished = tuple(sorted(set(broker_ids)))
    if unknown := tuple(sorted(set(wished).difference(layout.broker_ids.tolist()))):
        raise WishRefused(
            f"{named('Broker', unknown, 'is', 'are')} not in this layout of {counted(len(layout.brokers), 'broker')}"
            + (f" ({rule})." if rule else "."),
            brokers=unknown,
            choices=(f"Choose among its brokers: {listed(layout.broker_ids.tolist())}.",),
        )
    return wished


def require_order(layout: ClusterLayout) -> None:
    """Refuse a layout whose source does not keep the order of replica lists.

    Raises:
        WishRefused: with the topics whose order is not told.
    """
    if topics := tuple(layout.topics[i] for i in np.flatnonzero(~layout.order_told)):
        raise WishRefused(
            f"The source does not keep the order of replica lists for {named('topic', topics)}, so preferred leaders "
            "are unknown.",
            topics=topics,
            choices=(
                "Read the layout from a source that keeps the order, such as kafka-topics --describe.",
                "State that the order shown is the assignment order (--order-is-right; the dashboard: Data quality).",
            ),
        )


def require_no_duplicates(layout: ClusterLayout) -> None:
    """Refuse a layout in which one broker occurs twice in a replica list.

    Raises:
        WishRefused: with both places of the first one, and all topics concerned.
    """
    rows = layout.duplicates
    if rows.size == 0:
        return
    row = int(rows[0])
    ids = layout.replica_ids[row].tolist()
    first = next(i for i, broker in enumerate(ids) if broker != NONE and broker in ids[i + 1 :])
    second = ids.index(ids[first], first + 1)
    topics = layout.topics_at(rows)
    more = "" if rows.size == 1 else f" {counted(int(rows.size), 'partition')} have such a list."
    raise WishRefused(
        f"Partition {layout.name_of(row)} names broker {ids[first]} twice, "
        f"as replica {first + 1} and as replica {second + 1}.{more}",
        topics=topics,
        brokers=(int(ids[first]),),
        choices=("Mend partitions first (--mend).", f"Leave {_these(topics)} out."),
    )


def require_targets(layout: ClusterLayout, leaving: BoolArray, never_onto: tuple[int, ...] = ()) -> BoolArray:
    """(B,) bool: the brokers that receive (``usable``).

    Raises:
        WishRefused: there is none, or a broker that never receives is not known.
    """
    require_known(layout, never_onto, "never_onto")
    targets = usable(layout, leaving, never_onto)
    if targets.any():
        return targets
    if never_onto and usable(layout, leaving).any():
        failed = layout.broker_ids[layout.disk_failed & layout.is_broker(never_onto)].tolist()
        why = f": {named('broker', failed, 'has', 'have')} an offline log directory" if failed else ""
        raise WishRefused(
            f"Every live broker that would remain receives nothing ({listed(never_onto)}){why}.",
            brokers=never_onto,
            choices=("Let one of them receive.", "Add a broker first."),
        )
    brokers = tuple(int(i) for i in layout.broker_ids[leaving])
    if leaving.all():
        who = f"All {len(layout.brokers):,} brokers would be" if len(layout.brokers) > 1 else "The only broker would be"
        sentence = f"{who} drained, and none would be left to hold data."
    elif (left := ~leaving & layout.cordoned).any():
        who = named("Broker", layout.broker_ids[left].tolist(), "is", "are")
        sentence = f"{who} cordoned, and no other live broker would remain to receive replicas."
    else:
        remain = int((~leaving).sum())
        sentence = f"The {counted(remain, 'broker')} that would remain {verb(remain, 'is', 'are')} known to be dead."
    raise WishRefused(sentence, brokers=brokers, choices=("Keep at least one live broker.", "Add a broker first."))


def require_room(
    layout: ClusterLayout, rows: Longs, needed: npt.NDArray[np.integer], taken: BoolArray, left: int, *, wanted: Longs
) -> None:
    """Refuse where partitions need more newcomers than brokers are open to them.

    Args:
        layout: the layout.
        rows: (n,) rows of the partitions.
        needed: (n,) newcomers that each needs.
        taken: (n, R) bool, replicas that stay on a broker that could receive.
        left: brokers that may receive.
        wanted: (n,) replicas that each is to have.

    Raises:
        WishRefused: with the topics of these partitions.
    """
    open_ = left - taken.sum(axis=1)
    if not (short := needed > open_).any():
        return
    topics, most = layout.topics_at(rows[short]), int((wanted - needed + open_)[short].min())
    lacking = int((needed - open_).max())
    lack = verb(left, "broker that can hold replicas is left", "brokers that can hold replicas are left")
    disks = layout.broker_ids[layout.disk_failed].tolist()
    raise WishRefused(
        f"Replication factor {int(wanted[short].max())} needs as many brokers, but only {left} {lack} "
        f"({counted(int(short.sum()), 'partition')} of {named('topic', topics)} concerned).",
        topics=topics,
        choices=(
            "Add a broker first." if lacking == 1 else f"Add {lacking:,} brokers first.",
            *((f"Lower the replication factor of {_these(topics)} to at most {most} first.",) if most else ()),
            f"Leave {_these(topics)} out.",
            *(
                (f"Replace the failed {'disks' if disks[1:] else 'disk'} of {named('broker', disks)} first.",)
                if disks
                else ()
            ),
        ),
    )


def _these(topics: Sequence[str]) -> str:
    return verb(len(topics), "this topic", "these topics")
