"""What a form of text is, and the paste that forms take apart between them.

A form takes what it understands out of a paste and leaves everything else to the forms after it; what no form took is
reported. To add one: a class in a file of its own, and its row in ``reseat.formats.forms``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress
from typing import Protocol

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.document import Document
from reseat.formats.input.lines import Block, SkippedLines
from reseat.formats.input.reading import Limits, Reading
from reseat.formats.rows.gather import Part
from reseat.model import Finding

__all__ = ["DocumentForm", "EachDocument", "Form", "Paste"]

#: Refused pieces that are kept; the message tells fewer.
_REFUSED = 100
#: Characters of a document that is not used which are shown.
_SHOWN = 200


@dataclass(eq=False)
class Paste:
    """A paste taken apart, and what the forms have read of it so far.

    Attributes:
        source: the text's name.
        limits: what is accepted.
        placeholder: the name for a topic whose name is not told.
        blocks: the text that no form has taken yet; after ``lines`` was asked for, no more.
        documents: its JSON documents in order, each with the form that claims it.
        headings: the words above a document, in small letters, where there are some.
        parts: what was read, in the order of the forms.
        proposed: the assignment proposed beside the current one, and what calls it so.
        targets: documents that a command names as a reassignment under way.
        instead: the refusal that says what the text is, where there is no layout in it.
        refused: why pieces hold no layout.
        skipped, findings, facts: as in ``Reading``.
    """

    source: str
    limits: Limits
    placeholder: str
    blocks: list[Block] = field(default_factory=list)
    documents: list[tuple[Document, Form]] = field(default_factory=list)
    headings: dict[Document, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    proposed: tuple[Part, str] | None = None
    targets: list[Document] = field(default_factory=list)
    instead: InputRefused | None = None
    refused: list[InputRefused] = field(default_factory=list)
    skipped: SkippedLines = field(default_factory=SkippedLines)
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, object] = field(default_factory=dict)
    _lines: list[tuple[int, str]] | None = None

    @property
    def lines(self) -> list[tuple[int, str]]:
        """The lines that no form has taken yet, with their numbers.

        Raises:
            LimitMet: there are too many to look at one by one.
        """
        if self._lines is None:
            loose = sum(block.data.count(b"\n") for block in self.blocks)
            if loose > self.limits.lines:
                raise LimitMet(
                    f"The text holds {loose:,} lines that are not rows of a known output; at most "
                    f"{self.limits.lines:,} are checked. Delete the lines that do not belong to it.",
                    source=self.source,
                )
            self._lines = sorted(line for block in self.blocks for line in block.lines())
        return self._lines

    @lines.setter
    def lines(self, left: list[tuple[int, str]]) -> None:
        self._lines = left

    def take_blocks(self, looks: re.Pattern[bytes]) -> list[Block]:
        """Take the blocks in which something looks like this, in order; the others stay for the forms after."""
        taken = [bool(looks.search(block.data)) for block in self.blocks]
        found = list(compress(self.blocks, taken))
        self.blocks = [block for block, mine in zip(self.blocks, taken, strict=True) if not mine]
        return found

    def add(self, part: Part | None) -> None:
        """Keep what a form has read, where it is something."""
        if part is not None:
            self.parts.append(part)

    def of(self, form: Form) -> list[Document]:
        """The documents that a form claims, in order."""
        return [found for found, claimed in self.documents if claimed is form]

    def refuse(self, error: InputRefused, line: int, data: bytes, lines: int) -> None:
        """Skip a piece of the text that holds no layout; why is told where nothing else holds one."""
        if len(self.refused) < _REFUSED:
            self.refused.append(error)
        self.skipped.add(line, data[:_SHOWN].decode("utf-8", "replace"), error.sentence, lines)

    @contextmanager
    def skipping(self, found: Document) -> Iterator[None]:
        """Skip a document that is refused while it is read; a limit that is met ends everything."""
        try:
            yield
        except LimitMet:
            raise
        except InputRefused as error:
            self.refuse(error, found.line, found.data, found.data.count(b"\n") + 1)


class Form(Protocol):
    """One form in which a layout is written down; a form is some of the three that follow."""

    def whole(self, data: bytes, source: str, limits: Limits) -> Reading | None:
        """The reading of a text that is of this form from its first to its last byte; None for any other text."""
        return None

    def claims(self, found: Document) -> bool:
        """Whether a JSON document is of this form, told by its keys: the first form that claims it has it."""
        return False

    def read(self, paste: Paste) -> None:
        """Take what is of this form out of the paste and add it to its parts.

        Raises:
            InputRefused: it is of this form, and cut off or damaged so that nothing of it can be read.
            LimitMet: it is larger than the limits.
        """
        return


class DocumentForm(Form, Protocol):
    """A form of which each JSON document is a layout by itself."""

    def part(self, found: Document, paste: Paste) -> Part:
        """Read one document.

        Raises:
            InputRefused: there is no layout in it.
            LimitMet: it is larger than the limits.
        """


class EachDocument(Form):
    """Documents that are layouts by themselves, read in the order of the text whatever their forms."""

    def __init__(self, *forms: DocumentForm) -> None:
        self.forms = forms

    def _form(self, found: Document) -> DocumentForm | None:
        return next((form for form in self.forms if form.claims(found)), None)

    def whole(self, data: bytes, source: str, limits: Limits) -> Reading | None:
        """The reading of a text that is one of the forms as a whole."""
        readings = (form.whole(data, source, limits) for form in self.forms)
        return next((reading for reading in readings if reading is not None), None)

    def claims(self, found: Document) -> bool:
        """Whether it is of one of the forms."""
        return self._form(found) is not None

    def read(self, paste: Paste) -> None:
        """Each document becomes a part."""
        for found in paste.of(self):
            form = self._form(found)
            with paste.skipping(found):
                paste.add(None if form is None else form.part(found, paste))
