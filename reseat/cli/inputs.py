"""From names of files and clusters to what was read: the only place where the command line opens files."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reseat import audit
from reseat.balance.quorum import still_voting
from reseat.cli.output.terminal import working
from reseat.errors import InputRefused, LimitMet
from reseat.formats import LIMITS, Reading
from reseat.model import ClusterLayout, Severity
from reseat.model.edits import Edits, apply_edits
from reseat.model.selection import topics_like
from reseat.model.wording import counted, verb

if TYPE_CHECKING:
    from reseat.sources.connection import Connection

__all__ = [
    "connection_of",
    "expecting",
    "layout_of",
    "layout_words",
    "named_partitions",
    "names_cluster",
    "note_reading",
    "read_file",
    "read_layout",
    "read_texts",
    "reading_notes",
    "refuse_reading_twice",
    "secrets_files",
    "text_of",
    "user_name",
    "with_racks_of",
]

#: What a command is given instead of a file's name.
STANDARD_INPUT = "-"
_PARTITIONS_EXPECTED = (
    'This does not name partitions: {"partitions":[{"topic":"orders","partition":0}]} was expected, as '
    "kafka-leader-election takes it."
)


def text_of(name: str) -> tuple[bytes, str]:
    """A file's bytes and what to call it; ``-`` is standard input.

    Raises:
        InputRefused: the file cannot be read.
        LimitMet: it is larger than what Reseat accepts.
    """
    most = LIMITS.bytes
    if name == STANDARD_INPUT:
        data, source = sys.stdin.buffer.read(most + 1), "standard input"
    else:
        source = name
        try:
            with Path(name).open("rb") as file:
                data = file.read(most + 1)
        except OSError as error:
            raise InputRefused(f"The file cannot be read: {error.strerror or error}.", source=name) from error
    if len(data) > most:
        raise LimitMet(f"The text is larger than {LIMITS.megabytes:,} MB, which is the limit.", source=source)
    return data, source


def read_file(name: str) -> Reading:
    """What came of reading one file.

    Raises:
        InputRefused: it cannot be read, or holds no layout.
    """
    from reseat.formats import read

    data, source = text_of(name)
    return read(data, source=source)


@contextmanager
def expecting(what: str, source: str) -> Iterator[None]:
    """JSON is read: where it cannot be taken apart, ``what`` says what was expected.

    Raises:
        InputRefused: it could not.
    """
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputRefused(what, source=source) from error


def named_partitions(name: str) -> tuple[tuple[str, int], ...]:
    """Topic and id of the partitions that a file names, as ``kafka-leader-election`` takes them.

    Raises:
        InputRefused: it cannot be read, or does not name partitions.
    """
    data, source = text_of(name)
    with expecting(_PARTITIONS_EXPECTED, source):
        told = json.loads(data)["partitions"]
        named = tuple((entry["topic"], entry["partition"]) for entry in told)
        if not all(isinstance(topic, str) and type(partition) is int for topic, partition in named):
            raise TypeError
    if len(set(named)) < len(named):
        topic, partition = next(one for one, often in Counter(named).items() if often > 1)
        raise InputRefused(f"This names {topic}-{partition} twice, which kafka-leader-election refuses.", source=source)
    return named


def read_layout(chosen: argparse.Namespace) -> Reading:
    """The reading of the LAYOUT arguments, several of them combined.

    Raises:
        InputRefused: one of them cannot be read, or they do not go together.
        LimitMet: together they are larger than what Reseat accepts.
    """
    refuse_reading_twice(chosen.layout)
    with working("Reading"):
        return read_texts(chosen.layout)


def refuse_reading_twice(names: Sequence[str | None]) -> None:
    """Go on only where standard input is at most one of these files.

    Raises:
        InputRefused: it is more of them.
    """
    if names.count(STANDARD_INPUT) > 1:
        raise InputRefused("Standard input (-) can be read only once.")


def read_texts(names: Sequence[str]) -> Reading:
    """The reading of files that are one layout together.

    Raises:
        InputRefused: one of them cannot be read, or they do not go together.
        LimitMet: together they are larger than what Reseat accepts.
    """
    from reseat.sources import read_files

    return read_files([(source, data) for data, source in map(text_of, names)])


def layout_of(layout: ClusterLayout, chosen: argparse.Namespace) -> ClusterLayout:
    """The layout that the options make of what was read: racks given, topics left out, what is unknown vouched for.

    Raises:
        InputRefused: the racks file cannot be read.
        WishRefused: a pattern of topics to leave out fits none.
    """
    if chosen.racks is not None:
        layout = with_racks_of(layout, chosen.racks)
    topics_like(layout, without := tuple(chosen.without_topics or ()))
    edits = Edits(
        without_internal=chosen.without_internal,
        without=without,
        order_vouched=chosen.order_is_right,
        no_racks=chosen.no_racks,
        incomplete_accepted=chosen.accept_incomplete,
    )
    return apply_edits(layout, edits)


def layout_words(chosen: argparse.Namespace) -> list[str]:
    """The words by which ``read_layout`` and ``layout_of`` come to the same layout again."""
    words = [*chosen.layout, *([] if chosen.racks is None else [f"--racks={chosen.racks}"])]
    words += [f"--without-topics={','.join(chosen.without_topics)}"] if chosen.without_topics else []
    flags = ("no_racks", "without_internal", "order_is_right", "accept_incomplete")
    return words + [f"--{name.replace('_', '-')}" for name in flags if getattr(chosen, name)]


def with_racks_of(layout: ClusterLayout, name: str) -> ClusterLayout:
    """The layout with the racks that a file tells.

    Raises:
        InputRefused: the file cannot be read.
    """
    from reseat.formats.text.racks import read_racks

    data, source = text_of(name)
    return layout.with_racks(read_racks(data, source=source))


def reading_notes(reading: Reading, layout: ClusterLayout, leaving: Collection[int] = ()) -> list[str]:
    """What a person should know of how the layout was read, before trusting what is made of it.

    Args:
        reading: what was read.
        layout: what the options made of it.
        leaving: brokers that shall leave.
    """
    notes = [
        finding.sentence + (f" ({'; '.join(finding.places[:4])})" if finding.places else "")
        for finding in reading.findings
        if finding.severity is not Severity.NOTE
    ]
    skipped = sum(piece.lines for piece in reading.skipped)
    if skipped:
        notes.append(
            f"{counted(skipped, 'line')} of {reading.source} {verb(skipped, 'was', 'were')} skipped: reseat show lists "
            "them."
        )
    left_out = ~reading.layout.is_topic(layout.topics)
    if count := int(left_out.sum()):
        notes.append(f"{counted(count, 'topic')} {verb(count, 'is', 'are')} excluded and not counted.")
        held = reading.layout.select(left_out[reading.layout.topic_of]).replica_ids
        for broker in leaving:
            number = int(np.count_nonzero(held == broker))
            if number:
                notes.append(f"Broker {broker} keeps {counted(number, 'replica')} of the excluded topics.")
    if votes := still_voting(reading.quorum, leaving):
        notes.append(votes)
    return notes


def names_cluster(chosen: argparse.Namespace) -> bool:
    """Whether the options say where a cluster is."""
    return any(told is not None for told in (chosen.bootstrap, chosen.zookeeper, chosen.config, chosen.cluster))


def connection_of(chosen: argparse.Namespace) -> Connection:
    """The cluster that the options name, and how to be let in; by its name alone it is one of the configured ones.

    Raises:
        InputRefused: none is named, or it is not as expected; names the file, the line and the key, never a secret.
    """
    from reseat.sources.configuration import configured_connection, connection_from_options

    if not names_cluster(chosen):
        raise InputRefused(
            "No cluster given: use --bootstrap HOSTS, --zookeeper HOSTS[/CHROOT], or --cluster NAME for one of "
            "secrets.toml."
        )
    if chosen.bootstrap is None and chosen.zookeeper is None and chosen.config is None:
        return configured_connection(chosen.cluster, os.environ, files=secrets_files())
    return connection_from_options(
        bootstrap=chosen.bootstrap,
        zookeeper=chosen.zookeeper,
        config=None if chosen.config is None else Path(chosen.config),
        name=chosen.cluster or "",
    )


def secrets_files() -> list[Path]:
    """Where ``secrets.toml`` may be, as Streamlit looks for it; the later one goes before."""
    return [folder / ".streamlit" / "secrets.toml" for folder in (Path.home(), Path.cwd())]


def user_name() -> str:
    """The operating system's user; one without a name, as a container's may be, by the number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user id {os.getuid()}"


def note_reading(connection: Connection) -> None:
    """A cluster is about to be read: a line of the audit log, in the name of the operating system's user.

    Raises:
        WriteRefused: the line cannot be written; nothing is read then.
    """
    audit.record("reading", who=user_name(), cluster=connection.name or connection.address)
