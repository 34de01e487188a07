"""What is said of topics that KRaft placed: beside what draws explain, and instead of it where it explains more.

A topic whose few lists prove nothing by themselves counts as placed by KRaft where more topics surely are than are
explained by draws alone; so does one that draws explain as well: without racks KRaft's first round is that of shift 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from reseat.model import NONE, Broker
from reseat.model.wording import counted, listed, verb
from reseat.placement.fingerprint.fits import FingerprintKind, TopicFingerprint
from reseat.placement.fingerprint.growth import CHANCE_OF_MOVED, least_untouched
from reseat.placement.fingerprint.krafted import FIRST_LISTS, Cluster, Krafted, krafted
from reseat.placement.fingerprint.rings import Search, words_of_brokers

__all__ = ["as_kraft_places"]

#: Evidence from which on lists at random are ruled out.
_EVIDENCE = -math.log(CHANCE_OF_MOVED)
#: Ids are mostly given out in ascending order: up to so many of the last brokers may have joined later.
_JOINED = 6
#: Evidence that another cluster than the present one is to have more: so many are tried.
_TRIED = math.log(_JOINED + 3)


@dataclass(frozen=True, eq=False)
class _Topic:
    """A topic as draws explain it: its partition ids and lists, and how KRaft may have placed it."""

    one: TopicFingerprint
    ids: Sequence[int]
    lists: Sequence[tuple[int, ...]]
    near: Krafted | None
    factor: int

    @property
    def whole(self) -> bool:
        """Whether KRaft's placement explains all of its lists."""
        return self.near is not None and not self.near.left

    @property
    def proven(self) -> bool:
        """Whether it explains more than lists at random would."""
        return self.near is not None and self.near.evidence >= max(_EVIDENCE, self._of_draws)

    @property
    def _of_draws(self) -> float:
        """The evidence of the draws that leave some partitions moved; 0 where there are none."""
        if self.one.kind is not FingerprintKind.MOVED or self.one.nearest is None:
            return 0.0
        size, moved = len(self.one.nearest.brokers), len(self.one.moved)
        of_list = sum(math.log(max(1, size - at)) for at in range(self.factor))
        draws = math.log(size * max(1, size - 1))
        return (len(self.ids) - moved) * of_list - draws - moved * math.log(max(2, len(self.ids)))


def as_kraft_places(search: Search, found: Sequence[TopicFingerprint]) -> list[TopicFingerprint]:
    """What was found of each topic, or that KRaft placed it.

    Args:
        search: the inference.
        found: of each of its topics, what draws explain.
    """
    there = sorted(search.brokers.values(), key=lambda broker: broker.id)
    clusters = [Cluster(there)]
    if search.present.rack_aware:
        clusters.append(Cluster(Broker(broker) for broker in search.brokers))
    clusters += [Cluster(there[:-joined]) for joined in range(1, min(_JOINED + 1, len(there)))]
    topics = {number: _of(search, number, one, clusters) for number, one in enumerate(found) if not one.striped}
    only_kraft = sum(_says(topic, surely=False) is not None for topic in topics.values())
    if only_kraft:
        topics |= {number: _of(search, number, one, clusters) for number, one in enumerate(found) if one.striped}
    only_draws = sum(topic.one.striped and not topic.whole for topic in topics.values())
    return [
        _told(search, topics[number], surely=only_kraft > only_draws) if number in topics else one
        for number, one in enumerate(found)
    ]


def _of(search: Search, number: int, one: TopicFingerprint, clusters: Sequence[Cluster]) -> _Topic:
    """A topic with how KRaft may have placed it, over a cluster or those brokers alone that it mentions."""
    rows, factor = search.rows, int(search.rows.factor[number])
    span = slice(int(rows.begins[number]), int(rows.begins[number + 1]))
    ids = rows.partition[span].tolist()
    lists = [tuple(broker for broker in row if broker != NONE) for row in rows.replicas[span].tolist()]
    near: Krafted | None = None
    top = max((broker for there in lists[:FIRST_LISTS] for broker in there), default=NONE)
    for cluster in chain(clusters, _mentioned(search, lists)):
        if not cluster.size or top > cluster.ids[-1] or (near is not None and cluster.lacks(lists) > near.left):
            continue
        of = krafted(cluster, ids, lists, factor)
        if of is None:
            continue
        if cluster is not clusters[0]:
            of = replace(of, evidence=of.evidence - _TRIED)
        if near is None or of.evidence > near.evidence:
            near = of
        if not of.left:
            break
    return _Topic(one, ids, lists, near, factor)


def _mentioned(search: Search, lists: Sequence[tuple[int, ...]]) -> Iterator[Cluster]:
    """The brokers that lists mention, where there are others; of less than a round, too few are mentioned."""
    mentioned = {broker for there in lists for broker in there}
    if 1 < len(mentioned) < search.present.size and len(mentioned) <= len(lists):
        yield Cluster(search.brokers[broker] for broker in mentioned if broker in search.brokers)


def _says(topic: _Topic, *, surely: bool) -> Krafted | None:
    """How KRaft placed a topic, where that is said of it: where it explains all its lists, or far more than draws."""
    one, near = topic.one, topic.near
    if near is None or one.kind is FingerprintKind.GREW or (one.striped and not (surely and topic.whole)):
        return None
    if topic.whole and (surely or topic.proven):
        return near
    moved = len(one.moved) if one.kind is FingerprintKind.MOVED else one.partitions
    # Rounds are told less by their lists than draws are: they are to leave far fewer.
    few = near.left * 2 < moved and one.partitions - near.left >= least_untouched(one.partitions)
    return near if topic.proven and few else None


def _told(search: Search, topic: _Topic, *, surely: bool) -> TopicFingerprint:
    one, near = topic.one, _says(topic, surely=surely)
    if near is None:
        return one
    near = replace(near, circumstance=search.membership_words(near.cluster.ids))
    bare = replace(one, fits=(), added=(), nearest=None, krafted=near)
    if topic.whole:
        sentence = _placed_sentence(one, near)
        return replace(bare, kind=FingerprintKind.KRAFT, moved=(), replicas_off=None, sentence=sentence)
    gone = tuple(number for number, misfit in zip(topic.ids, near.misfits, strict=True) if misfit)
    off = sum(_off(made, there) for made, there in zip(near.lists, topic.lists, strict=True) if made != there)
    late = ", or added later" if near.misfits[-1] or near.added else ""
    sentence = (
        f"{counted(len(gone), 'partition')} of {one.partitions:,} of {one.topic} ({listed(gone)}) "
        f"{verb(len(gone), 'was', 'were')} moved{late}: {counted(off, 'replica differs', 'replicas differ')} "
        f"from what KRaft placed {_where(near)}."
    )
    return replace(bare, kind=FingerprintKind.MOVED, moved=gone, replicas_off=off, sentence=sentence)


def _off(made: tuple[int, ...], there: tuple[int, ...]) -> int:
    """Replicas that are elsewhere, by place in their lists, or too many or too few; of a place not known, none is."""
    known = sum(put not in (NONE, is_there) for put, is_there in zip(made, there, strict=False))
    return max(1, known + abs(len(made) - len(there)))


def _where(near: Krafted) -> str:
    racks = ", rack by rack" if len(near.cluster.racks) > 1 else ""
    return f"{words_of_brokers(near.cluster.ids, near.circumstance)}{racks}"


def _placed_sentence(one: TopicFingerprint, near: Krafted) -> str:
    sentence = f"{one.topic} is placed as KRaft does, {_where(near)}"
    if near.added:
        begins = listed(f"from {begin} on" for begin in near.added)
        sentence += f"; partitions {begins} (of {one.partitions:,}) were added later"
    few = " One partition proves little: any list of this shape matches." if one.partitions == 1 else ""
    return f"{sentence}.{few}"
