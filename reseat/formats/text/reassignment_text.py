"""The text of one reassignment JSON document: its outermost object, and why it is no such document."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.json_fault import refusal
from reseat.formats.input.json_scan import check_width, deepest
from reseat.formats.input.reading import Limits
from reseat.formats.input.shown import shown
from reseat.formats.text.reassignment_bare import Offsets
from reseat.formats.text.reassignment_entries import RAW_OBJECT

__all__ = ["DocumentText"]

#: Keys of a document that are named.
_KEYS = 5


@dataclass(frozen=True, slots=True)
class DocumentText:
    """One document as text.

    Attributes:
        document: in UTF-8.
        source: the file's name, or what the text is called.
        limits: what is accepted.
        place: an offset of the document in words.
    """

    document: bytes
    source: str
    limits: Limits
    place: Offsets

    def top_level(self) -> dict[str, msgspec.Raw]:
        """The values of the outermost object by key; that of ``partitions`` is there.

        Raises:
            InputRefused: it is no JSON, or JSON of another kind.
            LimitMet: it has more keys, or is nested deeper, than the limits.
        """
        check_width(self.document, self.limits.keys, "keys", self.source, self.place.line(0))
        try:
            top = RAW_OBJECT.decode(self.document)
        except msgspec.ValidationError as error:
            raise self.refused("JSON, but not an object with a list of partitions.") from error
        except msgspec.DecodeError as error:
            raise refusal(self.document, 0, self.source, self.place.line(0), error) from error
        except UnicodeDecodeError as error:
            raise self.refused("The text is not UTF-8.") from error
        except RecursionError as error:
            raise LimitMet(f"JSON nested deeper than {self.limits.depth}.", source=self.source) from error
        if "partitions" not in top:
            if "topics" in top:
                raise self.refused(
                    "This is the list of topics that kafka-reassign-partitions --generate takes; no replicas are in "
                    "it. Give its output, or kafka-topics --describe."
                )
            keys = ", ".join(f"'{shown(key)}'" for key in list(top)[:_KEYS]) or "none"
            raise self.refused(f"A reassignment JSON has the key 'partitions'; the keys here are: {keys}.")
        return top

    def refused(self, sentence: str, *, offset: int | None = None) -> InputRefused:
        """A refusal, at an offset of the document where one is given."""
        return InputRefused(sentence, source=self.source, line=None if offset is None else self.place.line(offset))

    def check_depth(self, value: msgspec.Raw) -> None:
        """Values that are not known may be nested at will; what is known is at most four deep."""
        depth = deepest(memoryview(value))
        if depth > self.limits.depth:
            raise LimitMet(f"JSON nested {depth} deep; {self.limits.depth} is the limit.", source=self.source)
