"""A live cluster through Kafka's Admin protocol (kafka-python) -> a snapshot. Never writes.

May import: what ``reseat.sources`` may, and kafka-python, which nothing outside this package and ``reseat.operate``
loads.
"""

from __future__ import annotations

from reseat.sources.kafka_admin.reading import read_admin_cluster

__all__ = ["read_admin_cluster"]
