"""A fleet in words: the page's sentence, its figures, how a loss hurts, what is broken already, what is old."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from components.look import text
from components.shell.findings import flagged
from components.shell.frame import Figure
from reseat.model import BoolArray, Longs, Severity

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["already_broken", "answer", "figures", "harms", "old", "whole", "worst_first"]

#: A snapshot is old after an hour, or after three times the time that usually lies between two, whichever is longer.
_OLD_SECONDS, _TIMES = 3600.0, 3.0


def whole(column: pd.Series[int]) -> Longs:
    """A column of counts, 0 where it is not told."""
    return np.asarray(column.fillna(0).to_numpy(np.int64))


def old(clusters: pd.DataFrame, now: datetime) -> BoolArray:
    """Whose last snapshot is old, (n,) bool.

    Args:
        clusters: of ``reseat.history.fleet``.
        now: the time, in UTC.
    """
    age = (now - clusters["taken_at"]).dt.total_seconds().to_numpy(np.float64)
    usual = clusters["every_seconds"].astype("Float64").fillna(0.0).to_numpy(np.float64)
    return np.asarray(age > np.maximum(_OLD_SECONDS, _TIMES * usual))


def worst_first(clusters: pd.DataFrame) -> pd.DataFrame:
    """The clusters, those with most partitions offline already first, then those that a single loss hurts most.

    Swept ones stand before others, a broker's loss counts before a rack's, partitions offline before partitions below
    min ISR; then by name.
    """
    harm = ("offline", "broker_offline", "broker_below", "rack_offline", "rack_below")
    keys = [whole(clusters[name]) for name in harm]
    order = np.lexsort(
        [clusters["cluster"].to_numpy(str), *(-key for key in keys[:0:-1]), ~clusters["swept"].to_numpy(bool), -keys[0]]
    )
    return clusters.iloc[order]


def already_broken(clusters: pd.DataFrame) -> list[str]:
    """What is broken before anything is lost: ``24 offline``, ``3 below min ISR``; empty where nothing is."""
    offline, below = (whole(clusters[name]).tolist() for name in ("offline", "below_min_isr"))
    return [
        f"{gone:,} offline" if gone else f"{less:,} below min ISR" if less else ""
        for gone, less in zip(offline, below, strict=True)
    ]


def harms(clusters: pd.DataFrame, kind: str, *, short: bool = False) -> list[str]:
    """What the loss of each weakest broker or rack would do: ``broker 7: 12 offline, 40 below min ISR``.

    Args:
        clusters: of ``reseat.history.fleet``.
        kind: ``broker`` or ``rack``.
        short: only the worse of the two numbers.

    Where a loss does nothing more than what is so already, that is said, and so is where the ISR is not told: neither
    is a cluster of which any broker can go.
    """
    named = clusters[f"weakest_{kind}"]
    names = [str(name) if told else "" for name, told in zip(named, named.notna(), strict=True)]
    offline, below = (whole(clusters[f"{kind}_{measure}"]).tolist() for measure in ("offline", "below"))
    calm = [
        _calm(kind, already, told, short=short)
        for already, told in zip(already_broken(clusters), clusters["under_replicated"].notna(), strict=True)
    ]
    return [
        (_harm(kind, name, lost, 0 if short and lost else less) or quiet)
        if name
        else (f"no {kind} known" if swept else "not analysed yet")
        for name, lost, less, quiet, swept in zip(names, offline, below, calm, clusters["swept"].tolist(), strict=True)
    ]


def _harm(kind: str, name: str, offline: int, below: int) -> str:
    shown = text.visible(name, 40)
    called = shown if shown.casefold().startswith(kind) else f"{kind} {shown}"
    told = [
        f"{count:,} {words}" for count, words in ((offline, "offline"), (below, "below min ISR")) if count
    ]  # fmt: skip
    return f"{called}: {', '.join(told)}" if told else ""


def _calm(kind: str, already: str, told: bool, *, short: bool) -> str:
    """What is said of a cluster of which no single loss does more than what is so already."""
    if already:
        return f"{already} already" if short else f"no {kind} failure adds to the {already} already"
    if not told:
        return "ISR unknown" if short else f"tolerates any {kind} loss if all replicas are in sync, which is unknown"
    return f"tolerates any {kind} loss"


def answer(clusters: pd.DataFrame, *, running: bool = False) -> str:
    """How many clusters a single broker's loss would hurt; ``running``: whether the pipeline is at work on it."""
    total, swept = len(clusters), clusters[clusters["swept"]]
    untold = total - len(swept)
    also = f" {untold:,} {text.verb(untold, 'is', 'are')} not analysed yet." if untold else ""
    down = int((whole(clusters["offline"]) > 0).sum())
    already = f" {down:,} {text.verb(down, 'has', 'have')} partitions offline already." if down else ""
    also = already + also
    if swept.empty:
        then = "the pipeline is running" if running else "run the pipeline"
        return f"{text.counted(total, 'cluster')} saved, but failures are not analysed yet: {then}.{already}"
    offline, below = whole(swept["broker_offline"]) > 0, whole(swept["broker_below"]) > 0
    hurt = int((offline | below).sum())
    alone = total == 1
    who = "The only cluster" if alone else f"{hurt:,} of {total:,} clusters"
    if not hurt:
        rack = int(((whole(swept["rack_offline"]) > 0) | (whole(swept["rack_below"]) > 0)).sum())
        racks = f"; {rack:,} would if one rack fails" if rack else ", nor if one rack fails"
        none = who if alone else f"None of {total:,} clusters"
        return f"{none} would {'not ' if alone else ''}lose data or availability if one broker fails{racks}.{also}"
    only_below = int((below & ~offline).sum())
    parts = [f"partitions go offline{'' if alone else f' in {int(offline.sum()):,}'}"] if offline.any() else []
    if only_below:
        parts.append(f"acks=all writes are rejected{'' if alone else f' in {only_below:,}'}{' more' if parts else ''}")
    return f"{who} would lose data or availability if one broker fails: {', '.join(parts)}.{also}"


def figures(clusters: pd.DataFrame, now: datetime) -> list[Figure]:
    """Sizes, who is at risk, and what is old."""
    swept = clusters[clusters["swept"]]
    broker, rack = (
        int(((whole(swept[f"{kind}_offline"]) > 0) | (whole(swept[f"{kind}_below"]) > 0)).sum())
        for kind in ("broker", "rack")
    )
    stale, broken = int(old(clusters, now).sum()), int((whole(clusters["findings_broken"]) > 0).sum())
    of, none = f"of {len(swept):,} analysed", "not analysed"
    size = clusters["size_bytes"].dropna()
    # Nobody asks a broker that is down for sizes.
    least = "at least " if len(size) < len(clusters) or whole(clusters["brokers_down"]).any() else ""
    return [
        Figure("Clusters", text.count(len(clusters)), text.counted(int(whole(clusters["brokers"]).sum()), "broker")),
        Figure(
            "Partitions",
            text.count(int(whole(clusters["partitions"]).sum())),
            f"{least}{text.size(float(size.sum()))}" if len(size) else "sizes unknown",
            "Counted in the latest snapshot of every cluster; below it the size of all replicas.",
        ),
        Figure(
            "Exposed to broker loss",
            flagged(broker, Severity.BROKEN) if len(swept) else none,
            of,
            None,
        ),
        Figure(
            "Exposed to rack loss",
            flagged(rack, Severity.ATTENTION) if len(swept) else none,
            of,
            None,
        ),
        Figure(
            "Critical now",
            flagged(broken, Severity.BROKEN),
            "by their last snapshot",
            None,
        ),
        Figure(
            "Old snapshots",
            flagged(stale, Severity.ATTENTION),
            f"oldest {text.ago(clusters['taken_at'].min().to_pydatetime(), now)}",
            None,
        ),
    ]
