"""Which cluster the pages over time show: chosen on History, or opened from the fleet."""

from __future__ import annotations

from components.state.slots import Slot

__all__ = ["cluster_kept", "keep_cluster"]

_KEPT: Slot[tuple[str, str]] = Slot("history-cluster", addressed=True)


def keep_cluster(cluster: str, past: str) -> None:
    """Show this cluster from now on, until one looks at another moment of the past than this (``Past.link``)."""
    _KEPT.set((cluster, past))


def cluster_kept() -> tuple[str, str]:
    """The cluster and the link of the past that was looked at when it was chosen; both empty where none was."""
    chosen, past = _KEPT.get(("", ""))
    return chosen, past
