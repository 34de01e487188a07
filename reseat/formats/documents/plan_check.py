"""Whether Kafka's own tool would take a text as a plan, checked as the tool does it and in its words.

``--execute`` parses the text, gives up at the first thing that it does not expect, and only then looks for repeated
partitions, empty lists and repeated brokers, in that order. Reading a layout (``read``) is kinder, since people paste
such texts as layouts; this is the tool's own verdict, word by word where the words are Kafka's. What the JSON library
would say of a text that is no JSON is not reproduced.

Source: ``ReassignPartitionsCommand.parseExecuteAssignmentArgs`` and ``parsePartitionReassignmentData`` (3.9.1).
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TypeAlias

import msgspec

from reseat.formats.input.reading import LIMITS

__all__ = ["plan_error"]

_Json: TypeAlias = "dict[str, _Json] | list[_Json] | str | int | float | bool | None"
_INT_LIMIT = 1 << 31


class _Refused(Exception):
    """Says in the tool's words what it did not expect."""


def plan_error(text: str) -> str | None:
    """Why ``kafka-reassign-partitions --execute`` refuses this text, or None where it takes it.

    Args:
        text: the text of the file.
    """
    if not text.strip():
        return "Expected JSON object, received "
    if len(text) > LIMITS.bytes:
        return f"The text is larger than {LIMITS.megabytes:,} MB, which is Reseat's limit."
    try:
        document: _Json = msgspec.json.decode(text.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return f"The text is not JSON: {error}"
    try:
        _check(document)
    except _Refused as refused:
        return str(refused)
    return None


def _check(document: _Json) -> None:
    root = _object(document)
    version = root.get("version")
    if "version" in root and _int(version) != 1:
        raise _Refused(f"Not supported version field value {version}")
    names: list[str] = []
    lists: list[list[int]] = []
    if root.get("partitions") is not None or "partitions" in root:
        for entry in _array(root["partitions"], "JSON array"):
            name, replicas = _partition(_object(entry))
            names.append(name)
            lists.append(replicas)
    if not names:
        raise _Refused("Partition reassignment list cannot be empty")
    if not all(lists):
        raise _Refused("Partition replica list cannot be empty")
    repeated = [name for name, number in Counter(names).items() if number > 1]
    if repeated:
        raise _Refused(f"Partition reassignment contains duplicate topic partitions: {','.join(repeated)}")
    twice = [
        f"{name} contains multiple entries for {','.join(str(i) for i, number in Counter(ids).items() if number > 1)}"
        for name, ids in zip(names, lists, strict=True)
        if len(set(ids)) < len(ids)
    ]
    if twice:
        raise _Refused(f"Partition replica lists may not contain duplicate entries: {'. '.join(twice)}")


def _partition(entry: dict[str, _Json]) -> tuple[str, list[int]]:
    topic = _field(entry, "topic")
    if not isinstance(topic, str):
        raise _Refused(f"Expected `String` value, received {_as_json(topic)}")
    partition = _int(_field(entry, "partition"))
    replicas = [_int(value) for value in _array(_field(entry, "replicas"))]
    name = f"{topic}-{partition}"
    if "log_dirs" in entry:
        dirs = _array(entry["log_dirs"])
        for value in dirs:
            if not isinstance(value, str):
                raise _Refused(f"Expected `String` value, received {_as_json(value)}")
        if len(dirs) != len(replicas):
            raise _Refused(
                f"Size of replicas list [{', '.join(map(str, replicas))}] is different from size of log dirs list "
                f"[{', '.join(map(str, dirs))}] for partition {name}"
            )
    return name, replicas


def _object(value: _Json) -> dict[str, _Json]:
    if not isinstance(value, dict):
        raise _Refused(f"Expected JSON object, received {_as_json(value)}")
    return value


def _array(value: _Json, named: str = "`JSON array` value") -> list[_Json]:
    if not isinstance(value, list):
        raise _Refused(f"Expected {named}, received {_as_json(value)}")
    return value


def _field(entry: dict[str, _Json], name: str) -> _Json:
    if name not in entry:
        raise _Refused(f"No such field exists: `{name}`")
    return entry[name]


def _int(value: _Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -_INT_LIMIT <= value < _INT_LIMIT:
        raise _Refused(f"Expected `Integer` value, received {_as_json(value)}")
    return value


def _as_json(value: _Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
