"""A wish: what a person wants changed. A value, so that it fits in a session, a link and a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed

from reseat.model.rules import RULES, Capacity, Onto

__all__ = ["Options", "Wish"]

#: Options that documents always tell.
_ALWAYS_TOLD = ("reorder_all", "receive_cap", "by_bytes", "max_moves", "keep_unmovable")
#: And those of which they tell that they are set.
_FLAGS = ("keep_racks", "even_topics", "same_rack")


@dataclass(frozen=True, slots=True)
class Options:
    """How to plan; the defaults are what most people want.

    Where an option does not apply to a wish, the plan has a finding that says so.

    Attributes:
        reorder_all: for brokers that leave or join: reorder the replica lists of unchanged partitions too, where that
            evens leaders.
        receive_cap: the most replicas that one broker may receive, or None. Kept apart from balance: the
            certificate states what balance it costs.
        by_bytes: for brokers that leave, and for a rebalance: even out bytes instead of replica counts (a bound and its
            gap are stated, not a proof).
        max_moves: make at most this many moves, or None. What a change needs not itself is for balance alone.
        max_bytes: the same of bytes that are copied, where replicas are counted.
        pin: (topic or pattern, partition or None for all): replica lists that stay as they are, also on a broker that
            leaves.
        never_leads: ids of brokers that are the preferred leader of no list that a plan may order, unless it holds no
            other broker that can be.
        never_onto: ids of brokers that receive nothing. What they hold stays where nothing else asks for it to go, and
            they are not counted in the replica balance; they lead as others do.
        leader_racks: racks, the most preferred first: of each list that a plan may order the preferred leader is in the
            first of them in which the list has a broker that can be it.
        keep_racks: for a rebalance: no partition's racks get less diverse, and none is mended for itself.
        only_onto: topics that live on some brokers alone: a plan moves none of their replicas elsewhere, and a
            rebalance moves those that are elsewhere there.
        keep_apart: groups of topics or patterns of which no broker holds two: a plan brings no two together, and a
            rebalance parts those that are together.
        even_topics: for a rebalance: even out each topic over brokers before all of them together.
        rack_levels: characters at which a rack's name is split into levels, the coarsest first (region/zone): replicas
            spread over regions before they do over racks.
        capacity: the most that brokers may hold; one that holds more already ends no higher, and a rebalance relieves
            it.
        same_rack: for brokers that leave: each replica goes to another broker in its rack.
        keep_unmovable: plan partitions without a live in-sync replica too, which cannot move before a broker of their
            ISR is back; else they are left where they are.
    """

    reorder_all: bool = False
    receive_cap: int | None = None
    by_bytes: bool = False
    max_moves: int | None = None
    keep_unmovable: bool = False
    pin: tuple[tuple[str, int | None], ...] = ()
    never_leads: tuple[int, ...] = ()
    never_onto: tuple[int, ...] = ()
    leader_racks: tuple[str, ...] = ()
    keep_racks: bool = False
    only_onto: tuple[Onto, ...] = ()
    keep_apart: tuple[tuple[str, ...], ...] = ()
    capacity: tuple[Capacity, ...] = ()
    max_bytes: int | None = None
    even_topics: bool = False
    rack_levels: tuple[str, ...] = ()
    same_rack: bool = False

    def as_dict(self) -> dict[str, object]:
        """JSON-ready values; rules where there are some, as what was written before there were any stays the same."""
        plain = {name: getattr(self, name) for name in _ALWAYS_TOLD}
        rules = {name: [rule.plain(item) for item in getattr(self, name)] for name, rule in RULES.items()}
        flags: dict[str, object] = {name: True for name in _FLAGS if getattr(self, name)}
        if self.max_bytes is not None:
            flags["max_bytes"] = self.max_bytes
        return plain | {name: rule for name, rule in rules.items() if rule} | flags


@dataclass(frozen=True, slots=True)
class Wish:
    """The change that is wished for; parts that are empty are not wished.

    Attributes:
        remove: ids of the brokers that shall hold nothing afterwards, ascending.
        add: (id, rack or None) of brokers that join, ascending by id; where ``remove`` is given too they are
            further targets of what must move.
        replication_factor: the new replication factor of ``topics``, or None.
        topics: topics whose replication factor shall change.
        options: how to plan.
        replace: (old, new), ascending: who takes the place of a broker in ``remove``; who is not in the layout is in
            ``add`` too.
        rebalance: whether replicas shall be evened out over the brokers that remain and join, and leaders over all
            lists.
        mend_racks: whether partitions shall get the best rack diversity, nothing else moving.
        mend: whether what is wrong with partitions shall be mended: a broker named twice, another number of replicas
            than most of the topic have, replicas on dead brokers, and rack diversity; nothing else moving.
        leaders_only: whether preferred leaders shall be evened out over all lists, no replica moving.
        point: the point chosen on the curve between least moves and best balance, by its number of replica moves;
            None: the plan that Reseat makes by itself, with the least moves.
    """

    remove: tuple[int, ...] = ()
    add: tuple[tuple[int, str | None], ...] = ()
    replication_factor: int | None = None
    topics: tuple[str, ...] = ()
    options: Options = Options()
    point: int | None = None
    replace: tuple[tuple[int, int], ...] = ()
    rebalance: bool = False
    mend_racks: bool = False
    leaders_only: bool = False
    mend: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is wished."""
        return not (self.remove or self.add or self.topics or self.rearranges)

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Who takes whose place, of brokers that do leave: who is put back needs nobody."""
        return tuple(pair for pair in self.replace if pair[0] in self.remove)

    @property
    def rearranges(self) -> bool:
        """Whether what is there shall be rebalanced, mended or led evenly."""
        return self.rebalance or self.mend_racks or self.leaders_only or self.mend

    @property
    def drains(self) -> bool:
        """Whether brokers leave, others take over what they hold, and nothing else moves."""
        return bool(self.remove) and not (self.topics or self.places or self.rearranges)

    @property
    def only_adds(self) -> bool:
        """Whether brokers join and nothing else changes but what moves onto them."""
        return bool(self.add) and not (self.remove or self.topics or self.rebalance)

    @property
    def keeps_racks(self) -> bool:
        """Whether racks are a rule, no partition's getting less diverse, and not an aim."""
        stays = self.drains and self.options.same_rack
        return self.only_adds or stays or (self.rebalance and self.options.keep_racks)

    @property
    def chooses_moves(self) -> bool:
        """Whether a number of moves was chosen, so that nobody looks for the least."""
        options = self.options
        return self.point is not None or options.max_moves is not None or options.max_bytes is not None

    @property
    def limits_bytes(self) -> bool:
        """Whether no more than ``Options.max_bytes`` may be copied: not where leaders or bytes are evened."""
        counts = not (self.options.by_bytes and (self.rebalance or self.drains))
        return counts and not self.leaders_only and self.options.max_bytes is not None

    @property
    def buys_balance(self) -> bool:
        """Whether moves beyond those that the change needs make it better balanced; else balance is what it is for."""
        return not (self.rebalance or self.leaders_only or self.only_adds)

    @property
    def orders_all(self) -> bool:
        """Whether lists of partitions that do not move may get another preferred leader."""
        return self.rebalance or self.leaders_only or self.options.reorder_all

    def of_brokers(self) -> Wish:
        """The same change without what a change of brokers takes the place of; a rebalance goes together with it."""
        return changed(self, mend_racks=False, leaders_only=False, mend=False)

    def at(self, point: int | None) -> Wish:
        """The same change at another point of its curve.

        Who changes the brokers asks for ``at(None)`` first: a number of moves is a point of one curve only.
        """
        return changed(self, point=point)

    def unlimited(self) -> Wish:
        """The same change without a point, nor a limit on moves or bytes."""
        return changed(self, point=None, options=changed(self.options, max_moves=None, max_bytes=None))

    def as_dict(self) -> dict[str, object]:
        """The whole change as JSON-ready values, as ``reseat.formats.documents.certificate.read_wish`` reads it."""
        return {
            "remove": list(self.remove),
            "add": [{"broker": broker, "rack": rack} for broker, rack in self.add],
            "replication_factor": self.replication_factor,
            "topics": list(self.topics),
            "options": self.options.as_dict(),
            "point": self.point,
            **({"replace": [{"broker": old, "by": new} for old, new in self.replace]} if self.replace else {}),
            # Told where it is wished: what was written before there was such a wish stays the same, byte for byte.
            **{name: True for name in ("rebalance", "mend_racks", "leaders_only", "mend") if getattr(self, name)},
        }
