"""Topic ids as Kafka prints them (KIP-516): 16 bytes as 22 characters of base64 for URLs."""

from __future__ import annotations

import base64
import uuid

__all__ = ["printed_id"]


def printed_id(told: uuid.UUID | None) -> str:
    """The id as text; "" for none, which Kafka tells as zeros (before 2.8, and of topics made before it)."""
    if told is None or not told.int:
        return ""
    return base64.urlsafe_b64encode(told.bytes).rstrip(b"=").decode()
