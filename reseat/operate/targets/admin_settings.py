"""Requests that change settings of brokers and topics (KIP-133, KIP-339), and what fits into one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.throttle_names import LONGEST_VALUE, Settings

__all__ = ["TOPICS_AT_ONCE", "configuring", "refuse_too_long", "settings_in_parts"]

#: Topics in one request that describes or configures them.
TOPICS_AT_ONCE = 500
#: Bytes of settings in one request: a KRaft controller writes them as one batch, which holds 8 MB.
_SETTINGS_BYTES = 900_000
_SET, _DELETE = 0, 1  # operations of IncrementalAlterConfigs


def configuring(kind: int, settings: Mapping[str, Settings]) -> Any:
    """A request that sets these settings; None unsets."""
    from kafka.protocol.admin import IncrementalAlterConfigsRequest

    part = IncrementalAlterConfigsRequest.AlterConfigsResource
    resources = [
        part(
            resource_type=kind,
            resource_name=name,
            configs=[
                part.AlterableConfig(name=key, config_operation=_DELETE if value is None else _SET, value=value)
                for key, value in values.items()
            ],
        )
        for name, values in settings.items()
    ]
    return IncrementalAlterConfigsRequest(resources=resources, validate_only=False)


def refuse_too_long(settings: Mapping[int, Settings] | Mapping[str, Settings]) -> None:
    """Raise for a value that no request can carry: sent all the same, it would be lost again and again."""
    for name, values in settings.items():
        for key, value in values.items():
            if value is not None and len(value.encode()) > LONGEST_VALUE:
                raise ClusterUnreachable(
                    f"The setting {key} of {name} would have {len(value.encode()):,} bytes; a string in Kafka's "
                    f"protocol has at most {LONGEST_VALUE:,}. Nothing was set.",
                    "configuration",
                )


def settings_in_parts(settings: Mapping[str, Settings]) -> Iterator[dict[str, Settings]]:
    """The same in parts of at most ``TOPICS_AT_ONCE`` topics and, where a topic alone is not larger, so many bytes."""
    part: dict[str, Settings] = {}
    size = 0
    for name, values in settings.items():
        more = len(name) + sum(len(key) + len(value or "") for key, value in values.items())
        if part and (len(part) == TOPICS_AT_ONCE or size + more > _SETTINGS_BYTES):
            yield part
            part, size = {}, 0
        part[name] = values
        size += more
    if part:
        yield part
