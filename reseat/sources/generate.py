"""Layouts of any size, skewed as real clusters are, for samples, benchmarks and trying things out.

Promises: (1) the same arguments and seed give the same layout; (2) no broker twice in a partition; (3) replicas of a
partition sit on min(RF, racks) racks; (4) brokers differ in load as after some expansions: the newest hold less.

How: topics get sizes with a long tail. Each partition draws a first rack in rotation and then the next racks in turn;
within a rack a broker is drawn by weight, newest brokers weighing least. Where RF exceeds the racks, the second round
draws again and steps on to the next broker of the rack until it is new.

Example: ``generate(6, 100, racks=3, seed=1)`` has 300 replicas on 6 brokers, each partition on three racks.

Complexity: O(P x RF), vectorised. Source: none; the skew imitates what the balance page of a grown cluster shows.
"""

from __future__ import annotations

import numpy as np

from reseat.errors import LayoutInvalid
from reseat.model import Broker, BrokerState, ClusterLayout

__all__ = ["generate"]

_WORDS = ("orders", "payments", "clicks", "sessions", "inventory", "shipments", "prices", "emails", "audit", "metrics")
#: How much less the newest broker of a rack holds than the oldest.
_NEWEST_WEIGHT = 0.6


def generate(
    brokers: int, partitions: int, *, racks: int = 3, replication_factor: int = 3, seed: int = 0, sizes: bool = True
) -> ClusterLayout:
    """Make a layout with leaders, ISR and, if wished, sizes.

    Args:
        brokers: how many brokers, with ids from 1.
        partitions: how many partitions, over topics of very different sizes.
        racks: how many racks; 0 for none.
        replication_factor: replicas of each partition.
        seed: the source of all randomness.
        sizes: whether bytes are told.

    Raises:
        LayoutInvalid: there are fewer brokers than the replication factor, or fewer brokers than racks.
    """
    if brokers < max(replication_factor, racks, 1) or replication_factor < 1 or partitions < 0:
        raise LayoutInvalid(
            f"{brokers} brokers cannot hold {replication_factor} replicas on {racks} racks; more brokers are needed."
        )
    draw = np.random.default_rng(seed)
    groups = max(racks, 1)
    # Broker b sits in rack b mod groups, so a rack's brokers are rack, rack + groups, ...
    in_rack = np.array([len(range(rack, brokers, groups)) for rack in range(groups)])
    topic_of, partition, topics = _topics(partitions, draw)
    first_rack = (np.arange(partitions) + draw.integers(groups)) % groups
    places = np.empty((partitions, replication_factor), np.int32)
    for column in range(replication_factor):
        rack = (first_rack + column) % groups
        step = _weighted(draw, in_rack[rack])
        chosen = rack + groups * step
        for _ in range(brokers):
            # All of a rack may be taken where RF is above the brokers of equal racks: then the next rack serves.
            taken = (places[:, :column] == chosen[:, None]).any(axis=1)
            if not taken.any():
                break
            chosen = np.where(taken, (chosen + groups) % brokers if groups > 1 else (chosen + 1) % brokers, chosen)
            chosen = np.where(taken & (draw.random(partitions) < 0.1), (chosen + 1) % brokers, chosen)
        places[:, column] = chosen
    ids = places + 1
    behind = draw.random(ids.shape) < 0.002
    behind[:, 0] = False
    leads_itself = draw.random(partitions) < 0.93
    other = np.where(behind[:, -1], 0, replication_factor - 1)
    leader = np.where(leads_itself, ids[:, 0], ids[np.arange(partitions), other])
    return ClusterLayout.from_columns(
        topics=topics,
        topic_of=topic_of,
        partition=partition,
        replicas=ids,
        brokers=[
            Broker(
                place + 1,
                rack=f"rack-{chr(97 + place % groups)}" if racks and racks <= 26 else _rack(place, racks),
                host=f"kafka-{place + 1:0{len(str(brokers))}d}.example",
                port=9092,
                state=BrokerState.ALIVE,
            )
            for place in range(brokers)
        ],
        leader=leader,
        leader_epoch=draw.integers(0, 40, partitions),
        in_sync=~behind,
        size_bytes=draw.lognormal(19.5, 1.6, partitions).round() if sizes else None,
    )


def _rack(place: int, racks: int) -> str | None:
    return f"rack-{place % racks:03d}" if racks else None


def _weighted(draw: np.random.Generator, limit: np.ndarray) -> np.ndarray:
    """A step in [0, limit) for each row; the last step is drawn ``_NEWEST_WEIGHT`` times as often as the first."""
    even = draw.random(len(limit))
    slope = 1 - _NEWEST_WEIGHT
    skewed = (1 - np.sqrt(1 - even * (1 - _NEWEST_WEIGHT**2))) / slope
    return np.minimum((skewed * limit).astype(np.int32), limit - 1)


def _topics(partitions: int, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Topics with partition counts from 1 to hundreds, and one internal topic of 50 where there is room."""
    counts: list[int] = [50] if partitions >= 500 else []
    left = partitions - sum(counts)
    while left:
        wanted = int(min(left, max(1, round(float(draw.lognormal(2.6, 1.1))))))
        counts.append(wanted)
        left -= wanted
    names = [
        "__consumer_offsets" if counts[0] == 50 and partitions >= 500 and i == 0 else _name(i)
        for i in range(len(counts))
    ]
    topic_of = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum([0, *counts[:-1]]) if counts else np.zeros(0, np.int64)
    return topic_of, np.arange(partitions) - np.repeat(starts, counts), names


def _name(index: int) -> str:
    turn, word = divmod(index, len(_WORDS))
    return _WORDS[word] if not turn else f"{_WORDS[word]}-{turn:03d}"
