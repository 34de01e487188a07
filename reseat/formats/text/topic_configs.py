"""Reads ``kafka-configs --describe`` of topics and brokers: which topics are tiered, and who starts behind what is.

Alone it is no layout. Settings of all brokers together ("Default configs for brokers") tell nothing of it:
``follower.fetch.last.tiered.offset.enable`` is one broker's own, set in its file, which ``--all`` alone prints.

Source: ``ConfigCommand`` of Kafka 2.8 to 4.4; what 4.3.1 printed.
"""

from __future__ import annotations

import re

from reseat.errors import InputRefused
from reseat.formats.input.reading import Reading
from reseat.formats.rows.gather import Part
from reseat.formats.text.form import Form, Paste
from reseat.model import ClusterLayout
from reseat.model.naming import id_in
from reseat.model.tiering import Tiering

__all__ = ["TopicConfigs", "refuse_settings_alone"]

_KIND = "kafka-configs --describe"

_HEADING = re.compile(
    r"^[ \t]{0,20}(?:Dynamic|All|Default) configs for (?P<kind>topic|broker|brokers) (?P<name>in the cluster|\S{1,249})"
    r" are:\s{0,20}$"
)
_NAME = re.compile(r"[a-z0-9._-]{1,200}")


def _setting(text: str) -> tuple[str, str] | None:
    """``  NAME=VALUE sensitive=false synonyms={...}``, as name and value; None for any other line."""
    name, equals, rest = text.strip().partition("=")
    value, told, _ = rest.partition(" sensitive=")
    known = text[:1].isspace() and equals and told and rest.endswith("}") and " synonyms={" in rest
    return (name, value) if known and _NAME.fullmatch(name) else None


class TopicConfigs(Form):
    """Settings of topics and brokers: what is tiered, beside a layout."""

    def read(self, paste: Paste) -> None:
        """Take headings and settings out of the paste."""
        told: dict[str, dict[str, dict[str, str]]] = {"topic": {}, "broker": {}, "brokers": {}}
        first, left, at = 0, list[tuple[int, str]](), dict[str, str]()
        for number, text in paste.lines:
            if (heading := _HEADING.match(text)) is not None:
                at = told[heading["kind"]].setdefault(heading["name"], {})
                first = first or number
            elif first and (setting := _setting(text)) is not None:
                at[setting[0]] = setting[1]
            else:
                left.append((number, text))
        if not first:
            return
        paste.lines = left
        brokers = {broker: values for name, values in told["broker"].items() if (broker := id_in(name)) is not None}
        reading = Reading(
            layout=ClusterLayout.from_assignments({}, brokers=[]),
            kind=_KIND,
            source=paste.source,
            tiering=Tiering.of(told["topic"], brokers),
        )
        paste.add(Part(reading))


def refuse_settings_alone(reading: Reading) -> None:
    """Refuse settings that nothing stands beside.

    Raises:
        InputRefused: settings are all that was read.
    """
    if reading.kind == _KIND:
        raise InputRefused(
            "These are settings of topics or brokers (kafka-configs --describe), not a layout. Use the output of "
            "kafka-topics --describe for the layout, and add these to it.",
            source=reading.source,
        )
