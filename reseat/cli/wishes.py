"""From the words of the command line to a wish."""

from __future__ import annotations

import argparse

from reseat.cli.inputs import topics_like
from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Options, Wish

__all__ = ["wish_of"]


def wish_of(chosen: argparse.Namespace, layout: ClusterLayout, options: Options = Options()) -> Wish:  # noqa: B008 (frozen)
    """The wish of ``--remove``, ``--add``, ``--replication-factor`` and ``--topics``.

    Raises:
        WishRefused: a broker is added twice with different racks, or a topic is not known.
    """
    racks: dict[int, str | None] = {}
    for broker, rack in (pair for group in chosen.add for pair in group):
        if racks.get(broker, rack) != rack:
            raise WishRefused(f"Broker {broker} is added twice, with different racks.", brokers=(broker,))
        racks[broker] = rack
    patterns = [pattern for group in chosen.topics for pattern in group]
    return Wish(
        remove=tuple(sorted({broker for group in chosen.remove for broker in group})),
        add=tuple(sorted(racks.items(), key=lambda pair: pair[0])),
        replication_factor=chosen.replication_factor,
        topics=topics_like(layout, patterns) if patterns else (),
        options=options,
    )
