"""Groups whose brokers assign partitions (KIP-848): the brokers' assignors, and how members get to what they assign."""

from __future__ import annotations

from reseat.consumers.broker_side.assignors import BROKER_ASSIGNORS, BrokerRange, BrokerUniform

__all__ = ["BROKER_ASSIGNORS", "BrokerRange", "BrokerUniform"]
