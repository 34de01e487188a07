"""The names of Kafka's errors as Kafka writes them (``org.apache.kafka.common.protocol.Errors``, 4.1).

kafka-python names most of them alike; where it does not, or does not know the code, Kafka's own name is here.
"""

from __future__ import annotations

__all__ = ["NONE", "NOT_CONTROLLER", "ErrorName", "error_name", "in_words"]


class ErrorName(str):
    """Kafka's name of an error, and what the cluster said with it: compared and kept by name, shown in words.

    Attributes:
        message: in the cluster's words; "" where it said nothing more.
    """

    message: str

    def __new__(cls, name: str, message: str | None = None) -> ErrorName:
        """A name with its message."""
        made = super().__new__(cls, name)
        made.message = message or ""
        return made


#: No error.
NONE = "NONE"
#: The broker asked is not the controller (any more).
NOT_CONTROLLER = "NOT_CONTROLLER"

_OTHERWISE = {
    -1: "UNKNOWN_SERVER_ERROR",
    0: NONE,
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


def error_name(code: int, message: str | None = None) -> ErrorName:
    """Kafka's name of an error code, with the message beside it; ``ERROR_<code>`` for one newer than this table."""
    if code in _OTHERWISE:
        return ErrorName(_OTHERWISE[code], message)
    from kafka.errors import for_code

    known = for_code(code)
    name = f"ERROR_{code}" if known.__name__ == "UnrecognizedBrokerError" else str(known.message)
    return ErrorName(name, message)


def in_words(error: str) -> str:
    """An error for a person: its name, and the cluster's own words where it gave some."""
    message = error.message if isinstance(error, ErrorName) else ""
    return f"{error}: {message}" if message else str(error)
