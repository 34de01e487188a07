"""The columns of a table as numpy arrays, one shape for CSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.input.formula import unescaped
from reseat.formats.input.lines import SkippedLines
from reseat.formats.input.reading import Limits
from reseat.formats.rows.row_findings import PLACES_NAMED
from reseat.model import NONE, NOT_TOLD, Finding, FloatArray, IntArray, Longs, Severity

__all__ = ["ABSENT", "NOBODY", "Table"]

#: An integer cell that is empty.
ABSENT = -3
#: Words for a list or a leader that is told, and is nobody.
NOBODY = frozenset(("none", "-1", "-", "[]", "()"))


@dataclass(eq=False)
class Table:
    """Columns of a table as numpy arrays, n rows.

    Attributes:
        line: where a row stands, as a number from 1.
        limits: what is accepted.
        source: the text's name.
        count: n.
        unit: what ``line`` counts, "line" or "row".
        text: codes (-1 empty) and what they stand for.
        integer: int32, ``ABSENT`` where empty.
        flag: int8, -1 where empty.
        real: float64, NaN where empty.
        lists: Arrow arrays of strings, empty where not told.
        skipped: what was not understood.
        missing: topic, partition and place of rows left out of which both are known.
        faulty: lines of other rows that were left out, wholly or in part.
        over_lines: first and last line of rows with a cell that goes over several lines.
    """

    line: Callable[[int], int]
    limits: Limits
    source: str
    count: int
    unit: str = "line"
    text: dict[str, tuple[IntArray, list[str]]] = field(default_factory=dict)
    integer: dict[str, IntArray] = field(default_factory=dict)
    flag: dict[str, npt.NDArray[np.int8]] = field(default_factory=dict)
    real: dict[str, FloatArray] = field(default_factory=dict)
    lists: dict[str, Any] = field(default_factory=dict)
    skipped: SkippedLines = field(default_factory=SkippedLines)
    missing: list[tuple[str, int, str]] = field(default_factory=list)
    faulty: set[int] = field(default_factory=set)
    over_lines: list[tuple[int, int]] = field(default_factory=list)

    def place(self, row: int) -> str:
        """Where a row stands, in words."""
        return self.named(self.line(row))

    def named(self, line: int) -> str:
        """A line's number in words."""
        return f"{self.unit} {line}"

    def name(self, row: int) -> str:
        """``topic-partition`` of a row, as Kafka writes it."""
        codes, words = self.text["topic"]
        return f"{words[int(codes[row])]}-{int(self.integer['partition'][row])}"

    def finding(self, kind: str, sentence: str, rows: Sequence[int] | Longs) -> Finding:
        """What wants attention, with the places of its rows, of many the first."""
        places = tuple(self.place(int(row)) for row in rows[:PLACES_NAMED])
        return Finding(kind, Severity.ATTENTION, sentence, places=places)

    def leader_epochs(self, first: Longs) -> dict[str, IntArray]:
        """The column ``leader_epoch`` of partitions, each told in its first row; nothing where no row tells one."""
        epoch = self.integer.get("leader_epoch")
        if epoch is None or not (epoch != ABSENT).any():
            return {}
        return {"leader_epoch": np.where(epoch[first] == ABSENT, NOT_TOLD, epoch[first]).astype(np.int32)}

    def skip(self, line: int, text: str, why: str, *, about: tuple[str, int] | None = None) -> None:
        """Note that a row, or a cell of it, is not used.

        Args:
            line: where it stands.
            text: what stands there.
            why: one sentence.
            about: the topic and partition that it told of, where all of it is left out.

        Raises:
            LimitMet: there are more such rows than ``limits.lines`` allow.
        """
        self.skipped.add(line, text, why)
        if about is None:
            self.faulty.add(line)
        else:
            self.missing.append((*about, self.named(line)))
        if len(self.faulty) + len(self.missing) > self.limits.lines:
            raise LimitMet(
                f"More than {self.limits.lines:,} rows of the table are not understood, the first of them so: "
                f"{self.skipped.result()[0].why}",
                source=self.source,
                line=self.skipped.result()[0].line,
            )

    def take(self, name: str, column: Any, word: Callable[[str], str] = unescaped) -> None:
        """Keep an Arrow array of the type that is expected of the column; ``word`` turns a cell into the text told."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        if pa.types.is_dictionary(kind):
            words = [word(cell or "") for cell in column.dictionary.to_pylist()]
            self.text[name] = _merged(_filled(column.indices, NONE, np.int32), words)
        elif pa.types.is_boolean(kind):
            self.flag[name] = _filled(column.cast(pa.int8()), -1, np.int8)
        elif pa.types.is_floating(kind):
            self.real[name] = _filled(column, np.nan, np.float64)
        elif pa.types.is_integer(kind):
            self.integer[name] = _filled(column, ABSENT, np.int32)
        else:
            self.lists[name] = pc.utf8_trim_whitespace(pc.fill_null(column, ""))

    def rows(self, chosen: Longs) -> Table:
        """The same columns with these rows alone, in this order; rows that follow each other are not copied."""
        at: Any = chosen
        if len(chosen) and (np.diff(chosen) == 1).all():
            at = slice(int(chosen[0]), int(chosen[-1]) + 1)
        return Table(
            line=lambda row: self.line(int(chosen[row])),
            limits=self.limits,
            source=self.source,
            unit=self.unit,
            count=len(chosen),
            text={name: (codes[at], words) for name, (codes, words) in self.text.items()},
            integer={name: column[at] for name, column in self.integer.items()},
            flag={name: column[at] for name, column in self.flag.items()},
            real={name: column[at] for name, column in self.real.items()},
            lists={name: column[at] if at is not chosen else column.take(at) for name, column in self.lists.items()},
        )


def _filled(column: Any, fill: float, kind: type[np.generic]) -> npt.NDArray[Any]:
    if column.null_count:
        column = column.fill_null(fill)
    return np.asarray(column.to_numpy(), kind)


def _merged(codes: IntArray, words: list[str]) -> tuple[IntArray, list[str]]:
    """Codes for words that are all different and not empty; an empty word is not told."""
    place: dict[str, int] = {}
    new = [place.setdefault(word, len(place)) if word else NONE for word in words]
    if "" in words and len(place) == len(words) - 1:
        blank = words.index("")  # the others close up, which takes a fraction of the time that a table of codes does
        codes = np.where(codes == blank, np.int32(NONE), codes - (codes > blank))
    elif new != list(range(len(words))):
        codes = np.array([*new, NONE], np.int32)[codes]  # the last one: -1 stays -1
    return codes, list(place)
