"""What was read from texts -> a snapshot that can be kept: when it was taken, and the texts themselves inside.

What it promises, in this order: the texts survive, byte for byte, whatever they are written in; nothing is guessed
about the moment (a time without a time zone is none); what reading found and left out is said in the snapshot.

How it works: one file that is a snapshot already stays what it is. Anything else is read as every command reads it and
becomes a snapshot of the protocol ``text``. Its ``original`` holds the files one after the other; the fact
``original_parts`` tells their names, how many characters of it each one is, and the encoding that turns those back into
the file's bytes.

Example: ``original.text[:n].encode(encoding)`` is the first file, for ``(name, n, encoding)`` of its first part; a file
that is no text (Parquet) has the encoding ``base64``, and ``base64.b64decode`` instead.

Complexity: O(bytes).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePath

from reseat.errors import InputRefused
from reseat.formats.documents.snapshot import read_snapshot, reading_of
from reseat.formats.documents.snapshot_fields import is_snapshot
from reseat.formats.input.decode import is_parquet
from reseat.formats.input.reading import Reading
from reseat.formats.text.racks import read_racks
from reseat.model import Original, Snapshot
from reseat.model.wording import counted, verb
from reseat.sources.upload import read_files

__all__ = [
    "SKEW",
    "KeptSnapshot",
    "check_moment",
    "moment_of",
    "original_of",
    "own_moment",
    "snapshot_of_files",
    "snapshot_of_reading",
]

#: Kafka was given to the public in January 2011: no cluster was looked at before.
_FIRST = datetime(2011, 1, 1, tzinfo=UTC)
#: How far the clocks of two machines may be apart.
SKEW = timedelta(minutes=5)
#: Texts up to this size are kept: in JSON they may take twice as much, and a snapshot that is read has a limit too.
MOST_CHARACTERS = 150_000_000
#: Facts of a reading that a snapshot has fields for, or that are about the reading of another one.
_FIELDS = ("cluster", "cluster_id", "controller", "metadata", "version", "taken_at", "way", "consistency")


@dataclass(frozen=True, eq=False)
class KeptSnapshot:
    """A snapshot made of files.

    Attributes:
        snapshot: ready to be landed.
        reading: what came of reading the files, for those who say what was skipped.
    """

    snapshot: Snapshot
    reading: Reading


def moment_of(text: str) -> datetime:
    """A moment in ISO 8601 with its offset from UTC, as UTC.

    Raises:
        InputRefused: it is none, or says no offset: what was meant is not guessed.
    """
    try:
        when = datetime.fromisoformat(text.strip())
        if when.tzinfo is not None:
            return when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputRefused(
            f"{text[:60]!r} is not a time; one such as 2026-05-01T12:00:00Z or 2026-05-01T14:00:00+02:00 was expected."
        ) from None
    plain = when.isoformat()
    raise InputRefused(
        f"{plain} has no time zone. Write {plain}Z if it is UTC, or put the offset behind it, as in {plain}+02:00."
    )


def check_moment(when: datetime, *, now: datetime | None = None) -> None:
    """Refuse a moment at which no cluster can have been read.

    Args:
        when: the moment, with its time zone.
        now: the present; None: by this machine's clock.

    Raises:
        InputRefused: it is still to come, or before there was Kafka.
    """
    present = datetime.now(UTC) if now is None else now
    told = f"{when.astimezone(UTC).replace(microsecond=0, tzinfo=None)} UTC"
    if when > present + SKEW:
        raise InputRefused(
            f"{told} is in the future: it is {present.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC by this machine's clock. "
            "Give the time at which the cluster was in this state."
        )
    if when < _FIRST:
        raise InputRefused(
            f"{told} is before the first Kafka of January 2011. Give the time at which the text was taken."
        )


def snapshot_of_files(
    files: Sequence[tuple[str, bytes]],
    *,
    taken_at: datetime | None = None,
    racks: tuple[str, bytes] | None = None,
    reading: Reading | None = None,
    now: datetime | None = None,
) -> KeptSnapshot:
    """Make a snapshot of files that together tell one cluster.

    Args:
        files: (name, content) of each.
        taken_at: when the cluster was so; None: as the files say, which only snapshots do.
        racks: (name, content) of a file with racks by broker.
        reading: what came of reading the files, where that was done already.
        now: the present, as in ``check_moment``.

    Raises:
        InputRefused: the files cannot be read or hold no partition, or the moment is not told or cannot be.
        LimitMet: they are larger than what is read.
    """
    told = read_racks(racks[1], source=racks[0]) if racks is not None else None
    if len(files) == 1 and is_snapshot(files[0][1]):
        name, data = files[0]
        own = read_snapshot(data, source=name)
        if told is not None:
            own = replace(own, layout=own.layout.with_racks(told))
        if taken_at is not None:
            own = replace(own, taken_at=taken_at.astimezone(UTC))
        check_moment(own.taken_at, now=now)
        return KeptSnapshot(own, reading_of(own, source=name))
    reading = read_files(files) if reading is None else reading
    if told is not None:
        reading = replace(reading, layout=reading.layout.with_racks(told))
    when = taken_at if taken_at is not None else own_moment(reading)
    if when is None:
        raise InputRefused(
            "The text has no snapshot time: add --taken-at 2026-05-01T12:00:00Z.",
            source=reading.source,
        )
    parts = [*files, *([racks] if racks is not None else [])]
    return KeptSnapshot(snapshot_of_reading(reading, taken_at=when, files=parts, now=now), reading)


def snapshot_of_reading(
    reading: Reading, *, taken_at: datetime, files: Sequence[tuple[str, bytes]] = (), now: datetime | None = None
) -> Snapshot:
    """Make a snapshot of what was read.

    Args:
        reading: what was read; a proposed assignment in it is no part of what the cluster was, and is left out.
        taken_at: when the cluster was so.
        files: (name, content) of what it was read from, where that is still known.
        now: the present, as in ``check_moment``.

    Raises:
        InputRefused: there is no partition in it, or the moment cannot be.
    """
    check_moment(taken_at, now=now)
    if not reading.layout.partition_count:
        raise InputRefused(
            f"There is no partition in it, which was read as {reading.kind}: nothing to save.", source=reading.source
        )
    facts = reading.facts
    original, about = original_of(files)
    not_read = list(_left_out(reading))
    if files and original is None:
        not_read.append(
            f"The text itself is not saved: it is larger than {MOST_CHARACTERS / 1e6:,.0f} million characters."
        )
    return Snapshot(
        layout=reading.layout,
        taken_at=taken_at.astimezone(UTC),
        protocol="text",
        cluster=_text(facts, "cluster"),
        cluster_id=_text(facts, "cluster_id"),
        controller=_number(facts, "controller"),
        metadata=_text(facts, "metadata"),
        version=_text(facts, "version"),
        findings=reading.findings,
        not_read=tuple(not_read),
        facts={
            **{name: value for name, value in facts.items() if name not in _FIELDS},
            "read_as": reading.kind,
            **about,
        },
        original=original,
    )


def original_of(files: Sequence[tuple[str, bytes]]) -> tuple[Original | None, dict[str, object]]:
    """Files as one text inside a snapshot, and the facts by which they come out of it as they were.

    Returns:
        The text, or None where there is none or it is too large; and the fact ``original_parts``.
    """
    if not files:
        return None, {}
    # Where the file lay is nobody's business but its owner's.
    parts = [(PurePath(name).name or name, *_as_text(data)) for name, data in files]
    if sum(len(text) for _, text, _ in parts) > MOST_CHARACTERS:
        return None, {}
    return (
        Original(" + ".join(name for name, _, _ in parts), "".join(text for _, text, _ in parts)),
        {
            "original_parts": tuple(
                {"name": name, "characters": len(text), "encoding": encoding} for name, text, encoding in parts
            )
        },
    )


def _as_text(data: bytes) -> tuple[str, str]:
    """A file's text and the encoding that gives its bytes again."""
    if is_parquet(data):
        return b64encode(data).decode(), "base64"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16-le" if data[:2] == b"\xff\xfe" else "utf-16-be"
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def own_moment(reading: Reading) -> datetime | None:
    """When the cluster was so, where a snapshot among the files says it."""
    told = reading.facts.get("taken_at")
    return moment_of(told) if isinstance(told, str) else None


def _left_out(reading: Reading) -> list[str]:
    """What of the text is not in the snapshot, one sentence each."""
    out = []
    lines = sum(piece.lines for piece in reading.skipped)
    if lines:
        first = reading.skipped[0]
        out.append(
            f"{counted(lines, 'line')} of the text {verb(lines, 'was', 'were')} not used, from line {first.line} on: "
            f"{first.why}"
        )
    if reading.proposed is not None:
        out.append("The text also has a proposed assignment, which is not the state of the cluster: it is not saved.")
    return out


def _text(facts: Mapping[str, object], name: str) -> str | None:
    value = facts.get(name)
    return value if isinstance(value, str) else None


def _number(facts: Mapping[str, object], name: str) -> int | None:
    value = facts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
