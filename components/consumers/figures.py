"""What a step of a group's story comes to, in figures."""

from __future__ import annotations

from collections import Counter

from components.consumers import scenario
from components.consumers.matrix import surplus_words
from components.consumers.scenario import GroupScenario
from components.shell import frame
from reseat.consumers.rebalancing import by_brokers
from reseat.consumers.walk import View

__all__ = ["draw_figures"]


def draw_figures(told: GroupScenario, view: View) -> None:
    """What this rebalance cost, and what it came to."""
    state, beyond = view.transition.after, max(view.surplus.values(), default=0.0)
    reads = Counter(view.after.values())
    counts = [reads[member] for member in state.members]
    moved = sum(view.before.get(partition) != member for partition, member in view.after.items())
    paused = len(view.paused)
    assignor = scenario.strategy(told)
    kind = "cooperative" if assignor.cooperative else "eager"
    kind = "KIP-848" if by_brokers(assignor) else kind
    frame.figures(
        [
            frame.Figure("Members", f"{len(state.members):,}"),
            frame.Figure("Assignment spread", f"{max(counts) - min(counts):,}" if counts else "0"),
            frame.Figure("Partitions reassigned", f"{moved:,}"),
            frame.Figure("Paused", f"{paused:,} of {len(view.before):,}"),
            frame.Figure("Largest surplus", surplus_words(beyond)),
            frame.Figure("Protocol", kind),
        ]
    )
