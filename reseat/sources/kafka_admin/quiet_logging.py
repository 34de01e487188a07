"""Keeps secrets out of kafka-python's logging, whatever level is set.

Read in kafka-python 3.0.12: its admin client logs its whole configuration at DEBUG (passwords too); its connections log
every request they send, SASL's among them (``auth_bytes`` of PLAIN is the password); its protocol parser logs the very
bytes. A level can be changed by anyone at any time, so what is withheld here is withheld by filters on those loggers.
"""

from __future__ import annotations

import logging

__all__ = ["withhold_secrets"]

#: The loggers through which requests, bytes sent and configurations go, all at DEBUG.
_TELLING = (
    "kafka.admin.client",
    "kafka.net.connection",
    "kafka.net.sasl.msk",
    "kafka.net.sasl.oauth",
    "kafka.net.sasl.plain",
    "kafka.net.sasl.scram",
    "kafka.protocol.parser",
)


class _Withhold(logging.Filter):
    """Lets INFO and above pass: connections made and lost, authentication failed. These name no secret."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.INFO


_WITHHOLD = _Withhold()


def withhold_secrets() -> None:
    """Put the filter on every logger that tells too much; once is enough, again does no harm."""
    for name in _TELLING:
        logging.getLogger(name).addFilter(_WITHHOLD)
