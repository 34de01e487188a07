"""What a topic's name says of it."""

from __future__ import annotations

__all__ = ["is_internal"]


def is_internal(topic: str) -> bool:
    """Whether a topic is internal by its name: Kafka's own start with two underscores, platforms' with one."""
    return topic.startswith("_")
