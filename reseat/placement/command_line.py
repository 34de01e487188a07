"""Whether ``kafka-topics`` would take a command line, checked as the tool does it and in its words.

What it promises: the tool's verdicts, in its order: exactly one action of create, list, alter, describe, delete; the
server; what the action needs; what does not go together.

How it works: options are read as the tool's parser reads them: ``--option value`` or ``--option=value``, with any
unambiguous beginning of an option's name. The checks of the tool are then made one after the other, and the first that
fails is told.

Example: ``--create --list --topic a`` fails with "Command must include exactly one action: --list, --describe,
--create, --alter or --delete".

Source: ``kafka.admin.TopicCommand`` (2.8), ``org.apache.kafka.tools.TopicCommand`` (4.1).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from reseat.errors import PlacementRefused
from reseat.placement.topic_spec import SHOWN, TopicSpec, is_integer, parse_replica_assignment

__all__ = ["ACTIONS", "TopicCommand", "read_topic_command"]

#: The actions, of which a command has exactly one.
ACTIONS = ("create", "list", "alter", "describe", "delete")
_ONE_ACTION = "Command must include exactly one action: --list, --describe, --create, --alter or --delete"
_CONFIG_FORMAT = 'requirement failed: Invalid topic config: all configs to be added must be in the format "key=val".'
#: What fits into 32 bits, or is refused later for being too large.
_INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_WITH_VALUE = frozenset(
    (
        "bootstrap-server", "zookeeper", "command-config", "topic", "topic-id", "config", "delete-config", "partitions",
        "replication-factor", "replica-assignment", "partition-size-limit-per-response",
    )
)  # fmt: skip
_FLAGS = frozenset(
    (
        *ACTIONS, "help", "version", "if-exists", "if-not-exists", "disable-rack-aware", "exclude-internal", "force",
        "under-replicated-partitions", "unavailable-partitions", "under-min-isr-partitions", "at-min-isr-partitions",
        "topics-with-overrides",
    )
)  # fmt: skip
#: Which actions an option goes with, in the order in which the tool checks it.
_GOES_WITH = (
    ("config", ("create", "alter")),
    ("delete-config", ("alter",)),
    ("partitions", ("create", "alter")),
    ("replication-factor", ("create",)),
    ("replica-assignment", ("create", "alter")),
    ("under-replicated-partitions", ("describe",)),
    ("under-min-isr-partitions", ("describe",)),
    ("at-min-isr-partitions", ("describe",)),
    ("unavailable-partitions", ("describe",)),
    ("topics-with-overrides", ("describe",)),
    ("if-exists", ("alter", "delete", "describe")),
    ("if-not-exists", ("create",)),
    ("exclude-internal", ("list", "describe")),
)
#: Flags whose option takes a whole number.
_NUMBERS = ("partitions", "replication-factor", "partition-size-limit-per-response")


@dataclass(frozen=True)
class TopicCommand:
    """A command line that the tool takes.

    Attributes:
        action: one of ``ACTIONS``.
        options: (name, value) of each option given, the value empty for a flag, in order.
        spec: for ``create``, the topic to be made.
    """

    action: str
    options: tuple[tuple[str, str], ...]
    spec: TopicSpec | None = None


def read_topic_command(line: str | Sequence[str]) -> TopicCommand:
    """Read and check a command line of ``kafka-topics``.

    Args:
        line: the words after the tool's name, or the whole line as typed in a shell (with or without the tool's name).

    Raises:
        PlacementRefused: the tool would refuse it; in its words where it has some.
    """
    options = _parsed(_words(line))
    given = {name for name, _ in options}
    actions = [name for name in ACTIONS if name in given]
    if len(actions) != 1:
        raise PlacementRefused(_ONE_ACTION)
    action = actions[0]
    _check_server(given, action)
    _check_needed(given, action)
    _check_together(given, action)
    return TopicCommand(action, options, _spec(options) if action == "create" else None)


def _words(line: str | Sequence[str]) -> list[str]:
    if not isinstance(line, str):
        return list(line)
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise PlacementRefused(f"A quote in the command is not closed: {error}.") from error
    return words[1:] if words and not words[0].startswith("-") else words


def _parsed(words: list[str]) -> tuple[tuple[str, str], ...]:
    options: list[tuple[str, str]] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            raise PlacementRefused(f"{word[:SHOWN]} is not an option of kafka-topics.")
        written, equals, value = word[2:].partition("=")
        name = _full_name(written)
        if name in _WITH_VALUE:
            taken = value if equals else next(rest, None)
            if taken is None or (not equals and taken.startswith("--")):
                raise PlacementRefused(f"Option {name} requires an argument", kafka_error="OptionException")
            if name in _NUMBERS and not is_integer(taken):
                raise PlacementRefused(
                    f"Cannot parse argument '{taken[:SHOWN]}' of option {name}", kafka_error="OptionException"
                )
            options.append((name, taken))
        else:
            options.append((name, ""))
    once = [name for name, _ in options if name in _WITH_VALUE - {"config", "delete-config"}]
    for name in once:
        if once.count(name) > 1:
            raise PlacementRefused(
                f"Found multiple arguments for option {name}, but you asked for only one",
                kafka_error="OptionException",
            )
    return tuple(options)


def _full_name(written: str) -> str:
    """An option's name from any beginning that fits one alone."""
    known = _WITH_VALUE | _FLAGS
    if written in known:
        return written
    fits = [name for name in known if name.startswith(written)] if written else []
    if len(fits) != 1:
        raise PlacementRefused(
            f"{written[:SHOWN]} is not a recognized option", kafka_error="UnrecognizedOptionException"
        )
    return fits[0]


def _check_server(given: set[str], action: str) -> None:
    if "bootstrap-server" in given and "zookeeper" in given:
        raise PlacementRefused("Only one of --bootstrap-server or --zookeeper must be specified")
    if not given & {"bootstrap-server", "zookeeper"}:
        raise PlacementRefused("--bootstrap-server must be specified", kafka_error="IllegalArgumentException")
    if "disable-rack-aware" in given and "bootstrap-server" in given:
        raise PlacementRefused('Option "[disable-rack-aware]" can\'t be used with option "[bootstrap-server]"')
    if "bootstrap-server" in given and action == "alter" and given & {"config", "delete-config"}:
        raise PlacementRefused(
            'Option combination "[bootstrap-server],[config]" can\'t be used with option "[alter]" (To alter topic '
            "configurations, the kafka-configs tool can be used.)"
        )


def _check_needed(given: set[str], action: str) -> None:
    if action in ("create", "alter", "delete") and "topic" not in given:
        raise PlacementRefused('Missing required argument "[topic]"')
    if action == "describe" and "if-exists" in given and not given & {"topic", "topic-id"}:
        raise PlacementRefused("--topic or --topic-id is required to describe a topic")
    if action == "alter" and "bootstrap-server" in given and "partitions" not in given:
        raise PlacementRefused('Missing required argument "[partitions]"')
    if action == "create" and "zookeeper" in given and "replica-assignment" not in given:
        for name in ("partitions", "replication-factor"):
            if name not in given:
                raise PlacementRefused(f'Missing required argument "[{name}]"')


def _check_together(given: set[str], action: str) -> None:
    for name, actions in _GOES_WITH:
        if name in given and action not in actions:
            raise PlacementRefused(f'Option "[{name}]" can\'t be used with option "[{action}]"')
    if action == "create" and "replica-assignment" in given:
        for name in ("partitions", "replication-factor"):
            if name in given:
                raise PlacementRefused(f'Option "[replica-assignment]" can\'t be used with option "[{name}]"')


def _spec(options: Sequence[tuple[str, str]]) -> TopicSpec:
    told = dict(options)
    configs = []
    for name, text in options:
        if name == "config":
            key, equals, value = text.partition("=")
            if not equals or "=" in value or not value:
                raise PlacementRefused(_CONFIG_FORMAT, kafka_error="IllegalArgumentException")
            configs.append((key.strip(), value.strip()))
    lists = parse_replica_assignment(told["replica-assignment"]) if told.get("replica-assignment") else {}
    partitions, factor = (int(told[name]) if name in told else None for name in ("partitions", "replication-factor"))
    return TopicSpec(
        told["topic"],
        partitions,
        factor,
        tuple(lists.items()),
        tuple(configs),
        if_not_exists="if-not-exists" in told,
        disable_rack_aware="disable-rack-aware" in told,
    )
