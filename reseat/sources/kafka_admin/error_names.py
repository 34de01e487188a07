"""The names of Kafka's errors as Kafka writes them (``org.apache.kafka.common.protocol.Errors``, 4.1).

kafka-python names most of them alike; where it does not, or does not know the code, Kafka's own name is here.
"""

from __future__ import annotations

from kafka.errors import for_code

__all__ = ["error_name"]

_OTHERWISE = {
    -1: "UNKNOWN_SERVER_ERROR",
    0: "NONE",
    6: "NOT_LEADER_OR_FOLLOWER",
    10: "MESSAGE_TOO_LARGE",
    17: "INVALID_TOPIC_EXCEPTION",
    39: "INVALID_REPLICA_ASSIGNMENT",
    128: "INVALID_REGULAR_EXPRESSION",
    129: "REBOOTSTRAP_REQUIRED",
    130: "STREAMS_INVALID_TOPOLOGY",
    131: "STREAMS_INVALID_TOPOLOGY_EPOCH",
    132: "STREAMS_TOPOLOGY_FENCED",
    133: "SHARE_SESSION_LIMIT_REACHED",
}


def error_name(code: int) -> str:
    """Kafka's name of an error code; ``ERROR_<code>`` for one newer than this table."""
    if code in _OTHERWISE:
        return _OTHERWISE[code]
    known = for_code(code)
    return f"ERROR_{code}" if known.__name__ == "UnrecognizedBrokerError" else str(known.message)
