"""Reads which broker stands in which rack: CSV ``broker,rack`` or JSON ``{"1": "rack-a"}``."""

from __future__ import annotations

import csv
import io
import json
import re

import msgspec

from reseat.errors import InputRefused
from reseat.formats.input.document import Document
from reseat.formats.input.formula import unescaped
from reseat.formats.input.json_fault import each_once, refusal
from reseat.formats.input.json_scan import check_width
from reseat.formats.input.reading import LIMITS, Limits, Reading
from reseat.formats.input.shown import fault, shown
from reseat.formats.rows.bounds import check_broker_count, check_size
from reseat.formats.rows.gather import Part
from reseat.formats.text.form import DocumentForm, Paste
from reseat.model import Broker, ClusterLayout
from reseat.model.naming import id_in
from reseat.model.wording import visible

__all__ = ["Racks", "read_racks"]

_HEADER = re.compile(rb'^(?:[ \t]*#[^\n]*\n|[ \t]*\n)*[ \t]*"?broker[a-z_. ]*"?[ \t]*[,;\t][ \t]*"?rack', re.IGNORECASE)
#: Bytes in which the line that names the columns is looked for.
_HEAD = 20_000
_BROKER_WORDS = frozenset(("broker", "broker id", "broker_id", "broker.id", "brokerid", "id", "node", "node.id"))
#: How CSV says that a broker has no rack; JSON says null.
_NO_RACK = frozenset(("", "null", "none", "-"))
_MAPPING: msgspec.json.Decoder[dict[str, str | int | None]] = msgspec.json.Decoder(dict[str, str | int | None])


class Racks(DocumentForm):
    """Racks alone: a layout without partitions."""

    def whole(self, data: bytes, source: str, limits: Limits) -> Reading | None:
        """The racks of a text whose first line names the columns."""
        return _reading(data, source, limits) if _HEADER.match(data[:_HEAD]) else None

    def claims(self, found: Document) -> bool:
        """Whether all its keys are numbers."""
        return bool(found.keys) and all(name.strip().isdecimal() for name in found.keys)

    def part(self, found: Document, paste: Paste) -> Part:
        """Read one object."""
        return Part(_reading(found.data, paste.source, paste.limits))


def _reading(data: bytes, source: str, limits: Limits) -> Reading:
    racks = read_racks(data.decode("utf-8"), source=source, limits=limits)
    layout = ClusterLayout.from_assignments({}, brokers=[Broker(i, rack=rack) for i, rack in racks.items()])
    return Reading(layout=layout, kind="racks", source=source)


def read_racks(text: str | bytes, *, source: str = "racks", limits: Limits = LIMITS) -> dict[int, str | None]:
    """Read the racks of brokers, in the order told.

    CSV has one broker a line, ``broker,rack``, divided by comma, semicolon or tab, with or without a header; a line
    that starts with ``#`` is a remark. An empty rack (or ``null``, ``none``, ``-``) is no rack. JSON is one object,
    ``{"1": "rack-a", "2": null}``.

    Args:
        text: the text, in UTF-8 where it is bytes.
        source: the file's name, for messages.
        limits: what is accepted.

    Returns:
        Rack by broker id; None where the broker has none.

    Raises:
        InputRefused: a line is not understood, or one broker stands in two racks; with the line.
        LimitMet: the text is too large.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    check_size(data, source, limits)
    try:
        plain = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputRefused("The text is not UTF-8.", source=source) from error
    if not plain.strip():
        raise InputRefused(
            'The text is empty; "broker,rack" lines or JSON {"1": "rack-a"} were expected.', source=source
        )
    read = _from_json if plain.lstrip().startswith(("{", "[")) else _from_csv
    return read(plain, source, limits)


def _from_json(text: str, source: str, limits: Limits) -> dict[int, str | None]:
    check_width(text.encode(), limits.brokers, "brokers", source)
    try:
        told = _MAPPING.decode(text)
        json.loads(text, object_pairs_hook=each_once, parse_int=str)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InputRefused(
            f'Racks as JSON are one object, {{"1": "rack-a", "2": null}}; {fault(error)}.', source=source
        ) from error
    except msgspec.DecodeError as error:
        raise refusal(text.encode(), 0, source, 1, error) from error
    except ValueError as error:
        raise InputRefused(f"In racks as JSON, {fault(error)}.", source=source) from error
    racks: dict[int, str | None] = {}
    for key, rack in told.items():
        broker = id_in(key)
        if broker is None:
            raise InputRefused(f'{shown(key)!r} is not a broker id; a number such as "1" was expected.', source=source)
        if broker in racks:
            raise InputRefused(f"Broker {broker} is listed twice.", source=source)
        racks[broker] = None if rack is None or rack == "" else str(rack)
    return racks


def _from_csv(text: str, source: str, limits: Limits) -> dict[int, str | None]:
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    delimiter = max("\t;,", key=first.count)
    racks: dict[int, str | None] = {}
    told_at: dict[int, int] = {}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    ended = 0
    try:
        for cells in reader:
            begun, ended = ended + 1, reader.line_num
            line = ended
            if begun < ended:
                raise InputRefused(
                    f"A quoted cell spans lines {begun} to {ended}; a broker and its rack are on one line. Is a quote "
                    "missing?",
                    source=source,
                    line=begun,
                )
            row = [cell.strip() for cell in cells]
            if not any(row) or row[0].startswith("#"):
                continue
            if not told_at and row[0].strip("'").lower() in _BROKER_WORDS:
                continue
            broker = id_in(row[0])
            if broker is None:
                raise InputRefused(
                    f'{visible(row[0])!r} is not a broker id; "broker,rack" such as 1,rack-a was expected.',
                    source=source,
                    line=line,
                )
            if len(row) < 2 or any(row[2:]):
                raise InputRefused(
                    f'Broker {broker}: {len(row)} cells; "broker,rack" was expected (an empty rack is no rack).',
                    source=source,
                    line=line,
                )
            rack = None if row[1].lower() in _NO_RACK else unescaped(row[1])
            if broker in racks and racks[broker] != rack:
                raise InputRefused(
                    f"Broker {broker} is in rack {shown(rack or 'none')} here and in {shown(racks[broker] or 'none')} "
                    f"on line {told_at[broker]}.",
                    source=source,
                    line=line,
                )
            racks[broker] = rack
            check_broker_count(len(racks), source, limits)
            told_at.setdefault(broker, line)
    except csv.Error as error:
        raise InputRefused(f"Not CSV: {error}.", source=source, line=reader.line_num) from error
    if not racks:
        raise InputRefused('No broker found; "broker,rack" lines were expected.', source=source)
    return racks
