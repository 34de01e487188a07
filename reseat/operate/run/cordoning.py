"""Cordons of a run: brokers that a plan empties get no new replica meanwhile (KIP-1066), and how that is taken back.

What it promises, in this order: what was set before is in the journal before anything is set; whoever ends at whatever
moment, the journal names each broker that may be cordoned by a run; what is lifted is set as it was before; what
somebody else has set since is left alone and told.

How it works: a broker is cordoned as a whole (``*``). Kafka then refuses every list that names it, also one that it is
on already. The lists of a plan that empties it do not name it, so that it is cordoned first; those of its rollback do,
so that it is lifted before anything is sent. What is under way when a cordon comes goes on, and can be cancelled.

Example: run 7 drains broker 4, on which nothing was set: ``*`` is set, and after a cancel nothing is again.

Complexity: two questions a broker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from reseat.operate.journal.journal import Journal
from reseat.operate.journal.values import RunStep
from reseat.operate.run import sentences
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.waiting import NothingUnderWay, Patiently
from reseat.operate.targets.cordon_settings import ALL, Cordon
from reseat.operate.targets.target import Target

__all__ = ["Lifted", "OutstandingCordons", "RunCordons", "cordons_left", "lift", "outstanding_cordons"]

#: Steps that say what was lifted: of a run, and by a person at once.
_BACK, _LIFTED = "cordon back", "uncordon"


@dataclass(frozen=True, slots=True)
class OutstandingCordons:
    """Cordons that a run has set, or was about to set, and that are not lifted.

    Attributes:
        run: which run.
        step: the journal's latest step that set them.
        since: when the first of them was set, UTC.
        before: how each broker was before.
    """

    run: int
    step: int
    since: datetime
    before: Mapping[int, Cordon]


@dataclass(frozen=True, slots=True)
class Lifted:
    """What came of lifting cordons, by broker.

    Attributes:
        lifted: they are as they were.
        left: they do not answer, or do not tell that they are as they were.
        theirs: somebody else has set something else since; left alone.
    """

    lifted: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    theirs: tuple[int, ...] = ()


def outstanding_cordons(journal: Journal, run_id: int) -> OutstandingCordons | None:
    """The cordons of a run that are not lifted; None: none."""
    steps = journal.steps(run_id=run_id, kind="cordon")
    if not steps:
        return None
    cluster = steps[0].cluster_id
    ends = [*journal.steps(cluster_id=cluster, kind=_BACK), *journal.steps(cluster_id=cluster, kind=_LIFTED)]
    before: dict[int, Cordon] = {}
    since = steps[-1].begun_at
    for step in reversed(steps):  # what was there before the run is what its first step found
        before = _before(step) | before
    gone = {broker for end in ends if end.id > steps[0].id for broker in _ids(end, "lifted") + _ids(end, "theirs")}
    left = {broker: was for broker, was in before.items() if broker not in gone}
    return OutstandingCordons(run_id, steps[0].id, since, left) if left else None


def cordons_left(journal: Journal, cluster_id: str | None) -> tuple[OutstandingCordons, ...]:
    """The cordons of every run of a cluster that are not lifted, the newest run first."""
    runs = dict.fromkeys(step.run for step in journal.steps(cluster_id=cluster_id, kind="cordon"))
    found = (outstanding_cordons(journal, run) for run in runs if run is not None)
    return tuple(there for there in found if there is not None)


def lift(target: Target, there: OutstandingCordons) -> Lifted:
    """Set the brokers as they were before, where the run's own cordon still stands.

    Raises:
        ClusterUnreachable: no broker answers, or one refuses the value.
    """
    now = target.cordons(sorted(there.before)) or {}
    ours = {broker: there.before[broker].dynamic for broker, told in now.items() if told.dynamic == ALL}
    theirs = [broker for broker in now if broker not in ours and now[broker].dynamic != there.before[broker].dynamic]
    missed = target.set_cordons(ours) if ours else frozenset()
    left = missed.union(there.before.keys() - now.keys())
    return Lifted(tuple(sorted(now.keys() - left - set(theirs))), tuple(sorted(left)), tuple(sorted(theirs)))


class RunCordons:
    """The cordons of one run at work.

    Args:
        target: the cluster.
        ledger: the run.
    """

    def __init__(self, target: Target, ledger: Ledger) -> None:
        self._target = target
        self._ledger = ledger
        #: Brokers that were asked to be cordoned and did not answer.
        self._missing: frozenset[int] = frozenset()
        #: Brokers whose cordon was to be lifted and that did not answer.
        self._stuck: frozenset[int] = frozenset()
        #: Brokers whose cordon was somebody else's by the time that it was to be lifted.
        self._theirs: frozenset[int] = frozenset()

    def set(self) -> None:
        """Before anything is sent, and for a broker that is alive again; what is set already stays.

        A cluster that does not know cordons, or does not keep to one, ends the run: nothing further is sent.
        """
        brokers = self._ledger.run.options.cordon
        if not brokers:
            return
        now = self._target.cordons(brokers)
        if now is None:
            self._ledger.halted = sentences.NO_CORDONS
            return
        self._missing = frozenset(brokers) - now.keys()
        kept, earlier = frozenset[int](), dict[int, Cordon]()
        for there in cordons_left(self._ledger.journal, self._ledger.run.cluster_id):
            kept |= there.before.keys() if there.run == self._ledger.run.id else frozenset()
            earlier |= there.before  # the oldest run last: what it found is nobody's cordon of these
        new = {b: earlier.get(b, told) if told.dynamic == ALL else told for b, told in now.items() if b not in kept}
        step = self._ledger.record_intent("cordon", {"brokers": _to_json(new), "set": ALL}) if new else None
        missed = self._target.set_cordons(dict.fromkeys(now, ALL))
        if step is not None:
            self._ledger.record_outcome(step, {"not in force": sorted(missed)})
        if missed:
            self._ledger.halted = sentences.cordon_without_effect(sorted(missed))

    def misses(self, alive: frozenset[int]) -> bool:
        """Whether a broker that did not answer when cordons were set is alive now."""
        return bool(self._missing & alive)

    def lift(self, run_id: int, patiently: Patiently, *, again: bool = False) -> str:
        """Lift the cordons of a run, this one or the one that it takes back.

        Args:
            run_id: which run.
            patiently: calls until the cluster answers.
            again: try brokers, too, that did not answer before.

        Returns:
            What is still cordoned and what is somebody else's by now, as sentences with a blank before each, or "".
        """
        there = outstanding_cordons(self._ledger.journal, run_id)
        if there is None:
            return ""
        if not again and there.before.keys() <= self._stuck:
            return sentences.still_cordoned(sorted(there.before))
        step = self._ledger.record_intent(_BACK, {"of": there.step, "brokers": sorted(there.before)})
        try:
            came = patiently(lambda: lift(self._target, there))
        except NothingUnderWay:
            self._ledger.record_outcome(step, {"lifted": [], "theirs": []})
            return sentences.still_cordoned(sorted(there.before))
        self._ledger.record_outcome(step, {"lifted": came.lifted, "theirs": came.theirs})
        self._stuck |= set(came.left)
        self._theirs |= set(came.theirs)
        return sentences.still_cordoned(came.left) + sentences.cordons_of_others(came.theirs)

    def note_theirs(self, patiently: Patiently) -> None:
        """Of a run that ends with its cordons: those that somebody else has changed are named no longer."""
        there = outstanding_cordons(self._ledger.journal, self._ledger.run.id)
        if there is None:
            return
        try:
            now = patiently(lambda: self._target.cordons(sorted(there.before))) or {}
        except NothingUnderWay:  # nobody could be asked: named as it was set
            return
        theirs = sorted(broker for broker, told in now.items() if told.dynamic != ALL)
        if theirs:
            step = self._ledger.record_intent(_BACK, {"of": there.step, "brokers": []})
            self._ledger.record_outcome(step, {"lifted": [], "theirs": theirs})
            self._theirs |= set(theirs)

    def left(self, cancelled: bool) -> str:
        """That brokers stay cordoned, and whose are others' by now, as sentences with a blank before each, or "".

        Args:
            cancelled: whether they should not, as the run was cancelled.
        """
        there = outstanding_cordons(self._ledger.journal, self._ledger.run.id)
        words = sentences.still_cordoned if cancelled else sentences.stays_cordoned
        said = "" if there is None else words(sorted(there.before))
        return said + sentences.cordons_of_others(sorted(self._theirs))


def _before(step: RunStep) -> dict[int, Cordon]:
    return {broker: Cordon(was["closed"], was["dynamic"], was["static"]) for broker, was in step.content["brokers"]}


def _to_json(brokers: Mapping[int, Cordon]) -> list[list[object]]:
    return [
        [broker, {"closed": was.closed, "dynamic": was.dynamic, "static": was.static}]
        for broker, was in sorted(brokers.items())
    ]


def _ids(step: RunStep, key: str) -> list[int]:
    return list((step.outcome or {}).get(key, ()))
