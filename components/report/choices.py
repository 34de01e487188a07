"""What one chose on the Report page, as a value and as the address has it. Pure: no Streamlit in here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from reseat.report import ChapterKind, ReportChoices
from reseat.report.content import Audience
from reseat.report.matter import chapters_for

__all__ = [
    "CURRENCY",
    "LONGEST_CURRENCY",
    "MEGABYTE",
    "ReportRequest",
    "choices_of",
    "from_query",
    "to_query",
    "unknown_chapters",
]

#: Throttles are given in MB a second (10^6 bytes), as on the Plan page.
MEGABYTE = 1_000_000
_LONGEST = 200
#: Stands before a price, unless a person chooses another.
CURRENCY = "$"
#: Characters of a currency: a sign, or its code.
LONGEST_CURRENCY = 5


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What one chose; what the address can hold. A logo is no text, and stands in no link.

    Attributes:
        audience: for whom.
        chapters: which, in order; None: those that the audience gets by itself.
        title: on the first page; empty: made from the cluster and the what-if.
        author: the author's line; empty: none.
        price: of a GB of traffic between racks; None: no price.
        throttle: MB a second; None: not decided.
        mask: whether names are replaced.
        currency: what stands before the price.
    """

    audience: Audience = "management"
    chapters: tuple[ChapterKind, ...] | None = None
    title: str = ""
    author: str = ""
    price: float | None = None
    throttle: float | None = None
    mask: bool = False
    currency: str = CURRENCY

    @property
    def shown(self) -> tuple[ChapterKind, ...]:
        """The chapters in their order."""
        return chapters_for(self.audience) if self.chapters is None else self.chapters


def choices_of(request: ReportRequest, logo: bytes | None) -> ReportChoices:
    """How the report is told."""
    return ReportChoices(
        chapters=request.shown,
        audience=request.audience,
        title=request.title.strip() or None,
        author=request.author.strip() or None,
        logo=logo,
        price_per_gb=request.price,
        currency=request.currency.strip() or CURRENCY,
        throttle=None if request.throttle is None else request.throttle * MEGABYTE,
    )


def to_query(request: ReportRequest) -> dict[str, str]:
    """The address' part; what is as by itself is left out."""
    query = {
        "chapters": "" if request.chapters is None else ",".join(kind.value for kind in request.chapters) or "none",
        "audience": "" if request.audience == "management" else request.audience,
        "title": request.title.strip(),
        "author": request.author.strip(),
        "price": "" if request.price is None else f"{request.price:.15g}",
        "currency": "" if request.price is None or request.currency == CURRENCY else request.currency,
        "throttle": "" if request.throttle is None else f"{request.throttle:.15g}",
        "mask": "yes" if request.mask else "",
    }
    return {name: value for name, value in query.items() if value}


def from_query(query: Mapping[str, str]) -> ReportRequest:
    """What an address asks for; what it says and nobody understands is left as by itself."""
    named = query.get("chapters", "")
    known = {kind.value: kind for kind in ChapterKind}
    chosen = tuple(known[word] for word in dict.fromkeys(named.split(",")) if word in known)
    audience: Audience = next((one for one in get_args(Audience) if one == query.get("audience")), "management")
    return ReportRequest(
        audience=audience,
        chapters=tuple(sorted(chosen, key=list(ChapterKind).index)) if named else None,
        title=query.get("title", "")[:_LONGEST],
        author=query.get("author", "")[:_LONGEST],
        price=_positive(query.get("price", ""), zero=True),
        currency=query.get("currency", "")[:LONGEST_CURRENCY] or CURRENCY,
        throttle=_positive(query.get("throttle", "")),
        mask=query.get("mask") == "yes",
    )


def unknown_chapters(query: Mapping[str, str]) -> set[str]:
    """What an address names as chapters and no report has."""
    return set(query.get("chapters", "").split(",")) - {kind.value for kind in ChapterKind} - {"", "none"}


def _positive(word: str, *, zero: bool = False) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) and (value > 0 or (zero and value == 0)) and value < 1e9 else None
