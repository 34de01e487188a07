"""Topics onto listed brokers with the fewest moves: what ``--generate`` is asked for, and does not do.

Promises, in this order:
    1. No replica of the topics is on a broker that is not listed.
    2. Exactly the replicas that are on such brokers move; the rest is as ``remove`` promises of the topics alone, as
       ``--generate`` sees no others either.

Needs: what ``--generate`` needs, in whose words it is refused (``PlacementRefused``), and what ``remove``
needs.

Source: ``ReassignPartitionsCommand.generateAssignment`` (2.8.2, 3.9.1, 4.1.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reseat.model import ClusterLayout, Plan
from reseat.placement.generate import asked_of
from reseat.placement.striped import RackMode
from reseat.planning.kinds.remove import remove_brokers

__all__ = ["onto_brokers"]


def onto_brokers(
    layout: ClusterLayout, topics: Iterable[str], broker_ids: Sequence[int], *, rack_mode: RackMode = RackMode.ENFORCED
) -> tuple[Plan, tuple[str, ...]]:
    """The plan, over the layout of these topics alone, and what the tool would do in silence.

    Args:
        layout: the layout.
        topics: the topics to move.
        broker_ids: the brokers that may hold them. Unknown ones are dropped, as the tool does, with a note.
        rack_mode: enforced, or disabled (``--disable-rack-aware``).

    Raises:
        PlacementRefused: in Kafka's words; a broker or topic named twice, an unknown topic, racks of some brokers only.
        WishRefused: as ``remove_brokers``.
    """
    before, brokers, notes = asked_of(layout, broker_ids, topics, rack_mode)
    if rack_mode is RackMode.DISABLED:
        before = before.with_racks(dict.fromkeys(before.broker_ids.tolist()))
    listed = {broker.id for broker in brokers}
    return remove_brokers(before, [broker.id for broker in before.brokers if broker.id not in listed]), notes
