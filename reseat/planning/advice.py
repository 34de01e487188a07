"""What to do about a layout: the changes that would mend its findings, what each costs, and the best first.

Promises, in this order:
    1. What an answer says it mends, it mends: the findings are those of the layout that the change leads to, a
       preferred election at its end included.
    2. Nothing is advised that mends nothing; where nothing helps, there is no answer, and that is one. What could not
       be planned is told apart from that.
    3. Answers are ordered by what they mend for what they cost (``worth``); those without room on disks come last.

How: a few changes that operators make are planned, each by itself, and the findings before and after are compared. A
plan is not credited with what an election alone mends, nor with replicas that come into sync: a copy to or from a
broker that is down does not end, unless the plan drains that broker.

Example: a restarted broker leads nothing: an election mends "non-preferred leaders", at no cost.

Complexity: that of the plans, and O(P R) a change for the findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from reseat.balance import findings, health_unknown
from reseat.balance.findings import SKEW_SHARE
from reseat.balance.health import below_min_in_sync, min_in_sync_by_row, under_replicated
from reseat.balance.mends import after_change, mend_of, name_of
from reseat.balance.room import short_of_room
from reseat.balance.spread import spread_of
from reseat.election import Mode, layout_after, preferred
from reseat.errors import WishRefused
from reseat.model import NONE, NOT_TOLD, ClusterLayout, Finding, IntArray, LogDirectory, Options, Plan, Severity, Wish
from reseat.model.arrays import counts_on
from reseat.model.units import duration, size
from reseat.model.wording import counted, listed
from reseat.planning.kinds.curve import whole_curve
from reseat.planning.plan import plan
from reseat.schedule.batches import bytes_at_busiest, work_of

__all__ = ["Advice", "Answer", "advice"]

_RULE = (
    "What is in progress comes first. The rest is sorted by what each fixes per replica that moves, beyond what an "
    "election alone fixes: a critical finding counts as ten warnings, a warning as ten infos, half if only reduced. "
    "What disks have no room for comes last."
)
#: Findings of replicas that are behind or gone: no plan brings them into sync but one that drains where they are.
_BEHIND = frozenset({"offline", "below_min_isr", "under_replicated", "broker_out_of_every_isr", "leader_not_a_replica"})
#: What is critical, and a plan mends it, unless it waits for brokers.
_BY_PLAN = frozenset({"duplicate_replicas", "below_min_isr"})
#: What a mend is for, beside racks, which have a change of their own.
_MENDED = frozenset({"duplicate_replicas", "mixed_replication_factor", "dead_broker_mentioned"})
_WEIGHTS = {Severity.BROKEN: 100.0, Severity.ATTENTION: 10.0, Severity.NOTE: 1.0}
#: Topics named in a title.
_NAMED = 3
#: Kind, title and wish of what may help.
_Change = tuple[str, str, Wish | None]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One thing to do.

    Attributes:
        kind: "wait", "election", "leaders", "racks", "rebalance_few", "rebalance", "rebalance_bytes", "mend",
            "factor" or "drain".
        title: what to do, in a few words.
        wish: the what-if that it is; None for an election of what is there, and for waiting.
        elections: leaders that a preferred election changes, for one; else 0.
        moves: replicas that are copied.
        bytes: what they hold; None where a size is not told.
        busiest: bytes that the busiest broker sends or receives, so that a throttle gives the time; None likewise.
        fixed: names of findings that are gone afterwards.
        reduced: names of those that are less.
        changes: spreads that change, in words.
        worth: what is mended by weight, a replica that moves.
        no_room: which brokers lack disk space for what it brings them, as a sentence; empty where none is known to.
    """

    kind: str
    title: str
    wish: Wish | None
    elections: int = 0
    moves: int = 0
    bytes: float | None = 0.0
    busiest: float | None = 0.0
    fixed: tuple[str, ...]
    reduced: tuple[str, ...]
    changes: tuple[str, ...]
    worth: float
    no_room: str = ""

    def cost(self, rate: float | None = None) -> str:
        """What it costs, in words.

        Args:
            rate: bytes a second that each broker may send, and may receive, above 0; None where there is no throttle.
        """
        if self.kind == "wait":
            return "none; every plan starts from the layout after it"
        if self.elections:
            return f"{counted(self.elections, 'election')}, no data moves"
        if not self.moves:
            return "no data moves"
        moves = counted(self.moves, "move")
        if self.bytes is None or self.busiest is None:
            return f"{moves}, sizes unknown"
        time = "" if rate is None else f", at least {duration(self.busiest / rate)} at {size(rate)}/s"
        return f"{moves}, {size(self.bytes)} to copy{time}"

    def as_dict(self, rate: float | None = None) -> dict[str, object]:
        """JSON-ready values; the wish as a certificate has it, ``rate`` as ``cost`` has it."""
        return {
            "kind": self.kind,
            "title": self.title,
            "wish": None if self.wish is None else self.wish.as_dict(),
            "elections": self.elections,
            "moves": self.moves,
            "bytes": self.bytes,
            "busiest_broker_bytes": self.busiest,
            "least_seconds": None if rate is None or self.busiest is None else self.busiest / rate,
            "fixed": list(self.fixed),
            "reduced": list(self.reduced),
            "changes": list(self.changes),
            "worth": round(self.worth, 6),
            "no_room": self.no_room or None,
        }


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What to do.

    Attributes:
        first: (name, what mends it) of findings that come before any plan, and that no plan or election mends.
        answers: changes, the best for its cost first; none where none helps.
        refused: why changes could not be planned, each reason once.
        unknown: what cannot be said of the partitions' health, where it is not told.
        rule: the order of the answers, for a person.
    """

    first: tuple[tuple[str, str], ...]
    answers: tuple[Answer, ...]
    refused: tuple[str, ...] = ()
    unknown: str | None = None
    rule: str = _RULE

    @property
    def nothing(self) -> str:
        """What to say where there is no answer."""
        if self.refused:
            return f"No plan can be made: {' '.join(self.refused)}"
        if self.unknown is not None:
            return f"{self.unknown}. Nothing to do in what is known."
        return "Nothing to do: no election and no plan known here fixes anything."


def advice(
    layout: ClusterLayout,
    *,
    mode: Mode = "zookeeper",
    directories: Iterable[LogDirectory] = (),
    critical: Iterable[str] = (),
) -> Advice:
    """What to do about a layout as it stands.

    Args:
        layout: the layout.
        mode: which controller elects.
        directories: the log directories as told.
        critical: kinds of findings that are critical beside those of the layout.
    """
    before = findings(layout)
    # Where every replica is in sync and that is too few, no broker has to come back: more replicas mend it.
    waits = _BEHIND if (below_min_in_sync(layout) & under_replicated(layout)).any() else _BEHIND - {"below_min_isr"}
    elected, kinds = findings(_elected(layout, mode)[0]), {finding.kind for finding in before}
    told = _Before(layout, before, kinds, elected, waits, tuple(directories))
    found: list[Answer] = []
    refused: dict[str, None] = {}
    for change in _changes(told):
        try:
            answer = _answer(told, change, mode)
        except WishRefused as refusal:
            refused[str(refusal)] = None
            continue
        if answer is not None and answer.worth > 0:
            found.append(answer)
    broken = {*critical, *(finding.kind for finding in before if finding.severity is Severity.BROKEN)}
    first = (
        kind
        for kind in (*critical, *(finding.kind for finding in before))
        if kind in waits or (kind in broken and kind not in _BY_PLAN)
    )
    return Advice(
        first=tuple((name_of(kind), mend_of(kind)) for kind in dict.fromkeys(first)),
        refused=tuple(refused),
        unknown=health_unknown(layout),
        answers=tuple(sorted(found, key=_place)),
    )


def _place(answer: Answer) -> tuple[bool, bool, float, int]:
    return answer.kind != "wait", bool(answer.no_room), -answer.worth, answer.moves


@dataclass(frozen=True)
class _Before:
    """The layout as it stands: what is found, of which kinds, what after an election, what waits for brokers, disks."""

    layout: ClusterLayout
    findings: tuple[Finding, ...]
    kinds: set[str]
    elected: tuple[Finding, ...]
    waits: frozenset[str]
    directories: tuple[LogDirectory, ...]

    def of(self, kind: str) -> Finding | None:
        return next((finding for finding in self.findings if finding.kind == kind), None)


def _changes(told: _Before) -> Iterator[_Change]:
    """What may help, by the findings that there are."""
    layout = told.layout
    if "reassignment_under_way" in told.kinds:
        count = int(layout.under_way.sum())
        yield ("wait", f"Let the reassignment of {counted(count, 'partition')} finish", None)
    if "not_preferred_leader" in told.kinds:
        yield ("election", "Run a preferred leader election", None)
    if "leader_skew" in told.kinds:
        yield ("leaders", "Rebalance leaders only", Wish(leaders_only=True))
    if "rack_shared_while_free" in told.kinds:
        yield ("racks", "Fix rack diversity only", Wish(mend_racks=True))
    skew = told.of("replica_skew")
    if skew is not None and skew.severity is Severity.ATTENTION:
        few = _fewest_without_warning(layout)
        if few is not None:
            yield ("rebalance_few", f"Rebalance until no broker is {SKEW_SHARE:.0%} above the mean", few)
    if skew is not None or "leader_skew" in told.kinds:
        yield ("rebalance", "Rebalance replicas and leaders", Wish(rebalance=True))
    if "byte_skew" in told.kinds:
        yield ("rebalance_bytes", "Rebalance by size", Wish(rebalance=True, options=Options(by_bytes=True)))
    if told.kinds & _MENDED:
        yield ("mend", "Mend partitions", Wish(mend=True))
    away = {int(i) for i in layout.broker_ids[layout.away & (layout.replicas_by_broker > 0)]}
    behind = told.of("broker_out_of_every_isr")
    if gone := tuple(sorted(away.union(() if behind is None else behind.brokers))):
        them = ("broker", "it does") if len(gone) == 1 else ("brokers", "they do")
        yield ("drain", f"Drain {them[0]} {listed(gone)}, if {them[1]} not come back", Wish(remove=gone))
    yield from _factors(told)


def _fewest_without_warning(layout: ClusterLayout) -> Wish | None:
    """The point of a rebalance with the fewest moves after which replicas are no warning; None: the whole of it."""
    wish = Wish(rebalance=True)
    try:
        points = whole_curve(layout, wish).points
    except WishRefused:
        return None
    most = float(layout.replicas_by_broker[layout.receiving].mean()) * (1 + SKEW_SHARE)
    calm = (point.moves for point in points[:-1] if point.fullest is not None and point.fullest <= most)
    return None if (moves := next(calm, None)) is None else wish.at(moves)


def _factors(told: _Before) -> Iterator[_Change]:
    """Topics without a replica to spare get one, where they can; those that mix factors get that of most partitions."""
    layout, topics_by_factor = told.layout, dict[int, list[str]]()
    floor, brokers = min_in_sync_by_row(layout), int(layout.receiving.sum())
    for kind, spare in (("min_isr_not_below_replication_factor", 1), ("mixed_replication_factor", 0)):
        finding = told.of(kind)
        for topic in () if finding is None else finding.topics:
            rows = np.asarray(layout.rows_of_topic(topic))
            factor, least = int(np.bincount(layout.replication_factor[rows]).argmax()), int(floor[rows[0]])
            if spare:
                factor = factor + 1 if factor >= least else max(least, min(least + 1, brokers))
            topics_by_factor.setdefault(factor, []).append(topic)
    for factor, topics in sorted(topics_by_factor.items()):
        named = listed(topics) if len(topics) <= _NAMED else counted(len(topics), "topic")
        title = f"Set replication factor {factor} for {named}"
        yield ("factor", title, Wish(replication_factor=factor, topics=tuple(sorted(set(topics)))))


def _answer(told: _Before, change: _Change, mode: Mode) -> Answer | None:
    """One change planned and compared; None where it changes nothing."""
    layout, (kind, _, wish) = told.layout, change
    if kind == "wait":
        return _told(told, change, layout.target())
    if wish is None:
        after, elections = _elected(layout, mode)
        return _told(told, change, after, elections=elections) if elections else None
    made = plan(layout, wish)
    if not made.changed.any() or made.certificate.faults:
        return None
    after, _ = _elected(layout_after(made), mode)
    return _told(told, change, after, made=made)


def _elected(layout: ClusterLayout, mode: Mode) -> tuple[ClusterLayout, int]:
    """The layout after a preferred election, and how many leaders it changes."""
    ids = preferred(layout, mode).leader_after
    leader: IntArray = np.where(ids >= 0, np.searchsorted(layout.broker_ids, ids), ids).astype(np.int32)
    return replace(layout, leader=leader), int(((leader != layout.leader) & (layout.leader != NOT_TOLD)).sum())


def _told(
    told: _Before, change: _Change, after: ClusterLayout, *, made: Plan | None = None, elections: int = 0
) -> Answer:
    (kind, title, wish), then = change, findings(after)
    fixed: list[str] = []
    reduced: list[str] = []
    gain = 0.0
    for finding in told.findings:
        if finding.kind in told.waits and kind != "drain":
            continue
        if (finding.kind == "reassignment_under_way") != (kind == "wait"):
            continue
        share = _mended(finding, then)
        further = share if kind == "election" else share - _mended(finding, told.elected)
        if further > 0:
            (fixed if share == 1 else reduced).append(name_of(finding.kind))
            gain += further * _WEIGHTS[finding.severity]
    if kind != "wait":
        # What the change brings with it counts against it.
        gain -= sum(_WEIGHTS[finding.severity] for finding in then if finding.kind not in told.kinds)
    moves = 0 if made is None else made.certificate.moves
    short = None if made is None else short_of_room(made, told.directories)
    work = None if made is None else work_of(made.current, made.proposed.select(made.changed))
    total = busiest = 0.0
    known = work is None or not np.isnan(work.bytes[work.copies > 0]).any()
    if work is not None and known:
        total = float(work.bytes_of_copies.sum())
        _, busiest = bytes_at_busiest(work, np.zeros(len(work.sender), np.int32), 1, work.bytes_of_copies)
    return Answer(
        kind=kind,
        title=title,
        wish=wish,
        elections=elections,
        moves=moves,
        bytes=total if known else None,
        busiest=busiest if known else None,
        fixed=tuple(fixed),
        reduced=tuple(reduced),
        changes=_spreads(told.layout, after, () if wish is None else wish.remove),
        worth=gain / (1 + moves),
        no_room="" if short is None else short.sentence,
    )


def _mended(finding: Finding, then: tuple[Finding, ...]) -> float:
    """1 where a finding is gone, 0.5 where it is less or less severe, else 0."""
    rest = next((one for one in then if one.kind == finding.kind), None)
    if rest is None:
        return 1.0
    less = _WEIGHTS[rest.severity] < _WEIGHTS[finding.severity] or after_change(finding, then).startswith("less")
    return 0.5 if less else 0.0


def _spreads(before: ClusterLayout, after: ClusterLayout, remove: tuple[int, ...]) -> tuple[str, ...]:
    """Spreads that change, before and after; afterwards without the brokers that leave.

    Where no leader is told, those of preferred leaders: a spread of none at all would be 0.
    """
    said = []
    leaders = "Preferred leader", (before.preferred_by_broker, after.preferred_by_broker)
    if (before.leader >= 0).any():
        now, then = (counts_on(np.maximum(one.leader, NONE), len(one.brokers)) for one in (before, after))
        leaders = "Leader", (now, then)
    for what, (now, then) in (("Replica", (before.replicas_by_broker, after.replicas_by_broker)), leaders):
        stays = after.receiving & ~after.is_broker(remove)
        one, two = spread_of(now[before.receiving]), spread_of(then[stays])
        if one is not None and two is not None and one.spread != two.spread:
            said.append(f"{what} spread {int(one.spread):,} → {int(two.spread):,}")
    return tuple(said)
