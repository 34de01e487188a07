"""Mutations of texts and files, thrown at every door, with what must hold of each answer.

What must hold: an answer or a refusal, never another exception; in bounded time and memory; sentences end as sentences
do and echo nothing endless; and every row is read or listed. The last is judged by an oracle of its own, which knows
rows by their plainest form alone: what it takes for a row stands in the layout, or its line is listed.

The corpus grows by what a run finds: an input that is answered in a way not met before (another kind, other findings,
other reasons) is mutated further.
"""

from __future__ import annotations

import json
import random
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from components.state.links import from_query
from reseat.consumers.text import read_group
from reseat.errors import GroupInvalid, InputRefused, PlacementRefused
from reseat.formats import Limits, Reading, combine, read
from reseat.formats.documents.certificate import read_wish
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.tables.table import read_csv, read_parquet, write_csv, write_parquet
from reseat.formats.text.racks import read_racks
from reseat.formats.text.reassignment import read_document
from reseat.placement import infer
from reseat.placement.command_line import read_topic_command
from reseat.sources.upload import read_files, read_proposed

__all__ = ["TIGHT", "Round", "corpus", "mutated", "run", "unaccounted"]

#: Small limits, so that mutations meet them too.
TIGHT = Limits(
    megabytes=1, depth=10, line_length=5_000, partitions=40, replicas=8, cells=200, values=2_000, keys=60, topics=20,
    brokers=30, lines=50,
)  # fmt: skip
#: Longest that one text of a few kilobytes may take; a runaway expression takes far longer.
SECONDS = 20
#: Characters of the longest sentence: a few names of Kafka's longest, and what is said of them.
SENTENCE = 3_000
#: Address space that a process may take while it reads a few kilobytes.
ROOM = 2_000_000_000

_PIECES = (
    b"99999999999999999999", b"-1", b"null", b"{", b"}", b"[", b"]", b'"', b"\\", b"\t", b"\n", b"\r", b",", b":",
    b"\x00", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\x1b[31m", b"[" * 200, b"{}", b"true", b"1e400", b"2147483648",
    b"9" * 5_000, b"000000000004294967297", b"x" * 20_000, b"\xc2\xa0", b";", b'""', b"\xef\xbc\x91",
    b"Topic: ", b"Partition: ", b"Leader: none", b"Replicas: ", b"Isr: ", b"Elr: 5", b"Offline: 1", b"Configs:",
    b"PartitionCount: ", b'"partitions":', b'"replicas":[1]', b'"\\ud800"', b"get /brokers/topics/x",
    b"ls /brokers/ids", b"partition 0, leader 1, replicas: 1,1, isrs: 2",
    b" p0: [1] -> [2]", b"PARTITION  LEADER  REPLICAS\n0  1  [1]",
    b'{"reseat_snapshot":1,', b'"reseat":{"version":1},', b'"order_told":"1",', b'"before":[[1]],',
    b"topic,partition,broker\n", b"topic,partition,replicas\na,0,1;2\n", b"broker,rack\n1,a\n",
)  # fmt: skip
_SWAPS = (
    (b"\n", b""), (b"\t", b" "), (b'"', b""), (b"\n", b"\r\n"), (b":", b""), (b",", b", "), (b"0", b"0" * 11),
    (b"{", b"{\n"), (b"1", b"\xef\xbc\x91"), (b"-", b"\xe2\x88\x92"), (b" ", b"\xc2\xa0"), (b",", b";"),
    (b"\n", b'"\n'),
)  # fmt: skip


def corpus(folder: Path) -> list[bytes]:
    """The texts to start from: those beside the tests, and tables, Parquet files, groups, commands and links."""
    texts = [path.read_bytes() for path in sorted(folder.glob("*.txt"))]
    layout = read(
        b"topic,partition,replicas,leader,isr,size_bytes,log_dirs\n"
        b'a,0,1;2,1,1;2,5;6,"[""/d"",""/e""]"\na,1,2;3,2,2,7,\nb-1,7,3;1;2,-1,none,,\n'
    ).layout
    for per in ("replica", "partition"):
        texts += [write_csv(layout, per=per), write_parquet(layout, per=per)]  # type: ignore[arg-type]
    texts += [
        b'topic,partition,replicas,remark\n"a",0,"1,2","x"\nb,0,"1;2",\nc,1,2,"y z"\n',
        b'{"topics":{"a":4,"b":2},"members":[{"id":"m","topics":["a","b"]},{"id":"n","topics":["a"]}],'
        b'"story":[{"join":{"id":"c","topics":["a"]}},{"leave":"m"},{"partitions":{"a":6}}]}',
        b"kafka-topics --create --bootstrap-server h:9092 --topic t --partitions 3 --replication-factor 2 --config a=b",
        b"layout=0123456789abcdef0123456789abcdef&file=a&remove=1,2&add=7:r1&rf=3&options=reorder,cap:5,moves:9",
    ]
    return texts


def mutated(rng: random.Random, samples: list[bytes]) -> bytes:
    """One sample with a few pieces cut, doubled, moved, replaced or taken from another sample."""
    text = bytearray(rng.choice(samples))
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        start = rng.randrange(len(text) + 1)
        stop = min(len(text), start + rng.choice((1, 2, 5, 20, 200)))
        match rng.randrange(9):
            case 0:
                del text[start:stop]
            case 1:
                text[start:start] = rng.choice(_PIECES)
            case 2:
                text[start:stop] = rng.choice(_PIECES)
            case 3:
                text[start:start] = text[start:stop] * rng.choice((1, 2, 30))
            case 4:
                other = rng.choice(samples)
                place = rng.randrange(len(other) + 1)
                text[start:start] = other[place : place + rng.choice((10, 100, 1_000))]
            case 5:
                del text[start:]
            case 6:  # where a Parquet file has its footer
                if text:
                    text[rng.randrange(max(0, len(text) - 2_000), len(text))] ^= 1 << rng.randrange(8)
            case 7:
                lines = bytes(text).split(b"\n")
                rng.shuffle(lines)
                text = bytearray(b"\n".join(lines))
            case _:
                text = bytearray(bytes(text).replace(*rng.choice(_SWAPS)))
    return bytes(text)


# ---- every row is read or listed ---------------------------------------------------------------------------

_DESCRIBE = re.compile(
    r"^\s*Topic: ([A-Za-z0-9._-]{1,249})[ \t]+Partition: ([0-9]{1,9})[ \t]+Leader: (?:[0-9]{1,9}|none)[ \t]+"
    r"Replicas: [0-9]{1,9}(?:,[0-9]{1,9})*[ \t]+Isr: [0-9]{1,9}(?:,[0-9]{1,9})*\s*$"
)
_KCAT_TOPIC = re.compile(r'^\s*topic "([^"]{1,249})" with [0-9]{1,9} partitions:\s*$')
_KCAT = re.compile(
    r"^\s*partition ([0-9]{1,9}), leader [0-9]{1,9}, replicas: [0-9]{1,9}(?:,[0-9]{1,9})*, "
    r"isrs: [0-9]{1,9}(?:,[0-9]{1,9})*\s*$"
)
_MAPPR = re.compile(r"^\s*([A-Za-z0-9._-]{1,249}) p([0-9]{1,9}): \[[0-9]{1,9}(?: [0-9]{1,9})*\] -> \[[0-9]{1,9}\]")
#: What a reader takes out or apart before lines are lines, so that the plain oracle does not see what it sees.
_STRANGE = re.compile(rb"[^\x09\x0a\x20-\x7e]")


def unaccounted(text: bytes, reading: Reading) -> list[str]:
    """Rows of the text, in their plainest form, that neither the layout holds nor the reading lists."""
    if _STRANGE.search(text) or re.match(rb"\s*[>#\w.-]", text) is None:
        return []
    listed = {line for piece in reading.skipped for line in range(piece.line, piece.line + piece.lines)}
    for found in reading.findings:
        for place in found.places:
            listed.update(_lines_in(place))
    held = set(reading.layout.assignments())
    if reading.proposed is not None:
        held |= set(reading.proposed.assignments())
    rows = _csv_rows(text) if reading.kind.startswith("CSV") else _rows(text)
    return [f"line {line}: {key}" for line, key in rows if key not in held and line not in listed]


def _lines_in(place: str) -> range:
    found = re.search(r"lines? ([0-9]{1,9})(?: to ([0-9]{1,9}))?", place)
    return range(0) if found is None else range(int(found[1]), int(found[2] or found[1]) + 1)


def _rows(text: bytes) -> Iterator[tuple[int, tuple[str, int]]]:
    topic: str | None = None
    for number, line in enumerate(text.decode().split("\n"), 1):
        if (found := _KCAT_TOPIC.match(line)) is not None:
            topic = found[1]
        elif re.search(r"\btopic\b", line):
            topic = None
        if (found := _DESCRIBE.match(line) or _MAPPR.match(line)) is not None:
            yield number, (found[1], int(found[2]))
        elif topic is not None and (found := _KCAT.match(line)) is not None:
            yield number, (topic, int(found[1]))


def _csv_rows(text: bytes) -> Iterator[tuple[int, tuple[str, int]]]:
    header: list[str] | None = None
    delimiter = ","
    for number, line in enumerate(text.decode().split("\n"), 1):
        if header is None:
            if line.strip():
                delimiter = max(",;\t", key=line.count)
                header = [cell.strip(" \"'").lower() for cell in line.split(delimiter)]
                if header.count("topic") != 1 or header.count("partition") != 1:
                    return
            continue
        cells = [cell.strip() for cell in line.split(delimiter)]
        if '"' in line or "'" in line or len(cells) != len(header):
            continue
        topic, partition = cells[header.index("topic")], cells[header.index("partition")]
        if topic and re.fullmatch(r"[0-9]{1,9}", partition):
            yield number, (topic, int(partition))


def _entries_lost(text: bytes, reading: Reading) -> list[str]:
    """Entries of a reassignment document that are not in its layout, where no finding says that some are not."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return []
    entries = told.get("partitions") if isinstance(told, dict) else None
    if not isinstance(entries, list) or {"not_understood", "repeated_keys"} & {one.kind for one in reading.findings}:
        return []
    held = reading.layout.assignments()
    return [str(one)[:100] for one in entries if (one.get("topic"), one.get("partition")) not in held]


# ---- doors -------------------------------------------------------------------------------------------------


def _as_files(text: bytes, limits: Limits) -> object:
    half = text.find(b"\n", len(text) // 2)
    return read_files(
        [("a.txt", text[:half]), ("b.txt", text[half:])] if half > 0 else [("a.txt", text)], limits=limits
    )


def _link(text: bytes, limits: Limits) -> object:
    query = dict(part.partition("=")[::2] for part in text.decode("utf-8", "replace").split("&"))
    return from_query({"layout": "0" * 32, **query})


def _whole(text: bytes | str, limits: Limits) -> object:
    reading = read(text, limits=limits)
    with suppress(PlacementRefused):
        infer(reading.layout)
    return reading


DOORS: tuple[tuple[Callable[..., object], int], ...] = (
    (_whole, 10), (_as_files, 2), (read_csv, 2), (read_parquet, 3), (read_document, 2), (read_sealed, 2),
    (read_snapshot, 2), (read_racks, 1), (read_wish, 1), (_link, 1),
)  # fmt: skip


def _answer(text: bytes, rng: random.Random) -> tuple[object, object]:
    """The door that was chosen, and its answer."""
    limits = TIGHT if rng.random() < 0.3 else Limits()
    door = rng.choices([door for door, _ in DOORS], [weight for _, weight in DOORS])[0]
    if text[:4] == b"PAR1" and rng.random() < 0.9:
        door = read_parquet
    if door is _whole:
        if rng.random() < 0.05:
            return read_group, read_group(text)
        if rng.random() < 0.05:
            return read_topic_command, read_topic_command(text.decode("utf-8", "replace"))
        if rng.random() < 0.05:
            return read_proposed, read_proposed(text)
        if rng.random() < 0.3:
            return str, _whole(text.decode("utf-8", "replace"), limits)
    return door, door(text, limits=limits)


# ---- a run -------------------------------------------------------------------------------------------------


@dataclass
class Round:
    """What came of a run.

    Attributes:
        answered: inputs that were read.
        refused: inputs that were refused.
        kept: inputs answered in a way not met before, which were mutated further.
        faults: what must not be, one a line, with the input.
    """

    answered: int = 0
    refused: int = 0
    kept: int = 0
    faults: list[str] = field(default_factory=list)


class _TooLong(BaseException):
    """An input took longer than it may; no reader catches this."""


def _ring(*_: object) -> None:
    raise _TooLong


def run(
    seed: int, count: int, samples: list[bytes], until: float = float("inf"), *, at_hand: Path | None = None
) -> Round:
    """Throw mutations at the doors, the same for the same seed.

    Args:
        seed: of all choices.
        count: how many.
        samples: what to start from.
        until: when to end at the latest, as ``time.time()`` tells it.
        at_hand: where each input lies while it is read, so that one which ends the process is known. Such a process
            does nothing else, and may take no more than ``ROOM`` beside what it has.
    """
    if at_hand is not None:
        resource.setrlimit(resource.RLIMIT_AS, (_size() + ROOM, resource.getrlimit(resource.RLIMIT_AS)[1]))
    before = signal.signal(signal.SIGALRM, _ring)
    grown: list[bytes] = []
    met: set[object] = set()
    out = Round()
    last: list[Reading] = []
    for number in range(count):
        if time.time() > until or len(out.faults) >= 20:
            break
        rng = random.Random(seed * 1_000_003 + number)
        text = mutated(rng, grown if grown and rng.random() < 0.5 else samples)
        if at_hand is not None:
            at_hand.write_bytes(text)
        signal.alarm(SECONDS)
        try:
            sign = _judged(text, rng, out, last)
        except (InputRefused, PlacementRefused, GroupInvalid) as refusal:
            out.refused += 1
            sign = _words(str(refusal))
            if not str(refusal).rstrip().endswith((".", "?", "]", ")", '"')) and isinstance(refusal, InputRefused):
                out.faults.append(f"no sentence: {str(refusal)[:300]!r} of {text[:3_000]!r}")
            if len(str(refusal)) > SENTENCE:
                out.faults.append(f"endless: {str(refusal)[:300]!r} of {text[:3_000]!r}")
        except (_TooLong, Exception) as fault:  # noqa: BLE001  # what is looked for
            out.faults.append(
                f"{type(fault).__name__} {str(fault)[:200]!r} (seed {seed}, {number}) of {text[:6_000]!r}"
            )
            sign = type(fault).__name__
        finally:
            signal.alarm(0)
        # What is refused leads to what is refused: only some of it is followed.
        if sign not in met and len(text) < 30_000 and (not isinstance(sign, str) or rng.random() < 0.1):
            met.add(sign)
            grown.append(text)
            out.kept += 1
    signal.signal(signal.SIGALRM, before)
    if at_hand is not None:
        at_hand.unlink(missing_ok=True)
    return out


def _judged(text: bytes, rng: random.Random, out: Round, last: list[Reading]) -> object:
    door, answer = _answer(text, rng)
    out.answered += 1
    if not isinstance(answer, Reading):
        return type(answer).__name__
    # Of several files each counts its own lines.
    lost = [
        *(unaccounted(text, answer) if door is not _as_files else []),
        *(_entries_lost(text, answer) if answer.kind == "reassignment JSON" else []),
    ]
    if lost:
        out.faults.append(f"neither read nor listed: {lost[:3]} of {text[:6_000]!r}")
    for said in (*(one.sentence for one in answer.findings), *(piece.why for piece in answer.skipped)):
        if len(said) > SENTENCE:
            out.faults.append(f"endless: {said[:300]!r} of {text[:3_000]!r}")
    last.append(answer)
    del last[:-20]
    if rng.random() < 0.05 and len(last) > 3:
        combine(rng.sample(last, 3))
    return (
        answer.kind,
        tuple(sorted({one.kind for one in answer.findings})),
        tuple(sorted({_words(piece.why) for piece in answer.skipped[:50]})),
        answer.proposed is not None,
    )


def _words(sentence: str) -> str:
    """A sentence without what it says of this input alone."""
    return re.sub(r"['\"].*?['\"]|[0-9][0-9,.]*|\S{20,}", "_", sentence)[:120]


def _size() -> int:
    found = re.search(r"VmSize:\s*([0-9]+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return 0 if found is None else int(found[1]) * 1024
