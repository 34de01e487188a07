"""What a cluster answers a write with: the name of an error, and the cluster's own words beside it."""

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


def error_name(code: int, message: str | None = None) -> ErrorName:
    """Kafka's name of an error code, with the message beside it."""
    from reseat.sources.kafka_admin import error_names  # kafka-python is loaded where a cluster is asked

    return ErrorName(error_names.error_name(code), message)


def in_words(error: str) -> str:
    """An error for a person: its name, and the cluster's own words where it gave some."""
    message = error.message if isinstance(error, ErrorName) else ""
    return f"{error}: {message}" if message else str(error)
