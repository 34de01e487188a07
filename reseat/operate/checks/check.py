"""What a check says: its name, its result and one sentence, never a bare boolean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

__all__ = ["Check", "CheckResult", "failed", "overridden_of", "passed", "unknown"]


class CheckResult(Enum):
    """What came of a check. Only ``FAILED`` stops a write; ``NOT_TOLD`` is shown and does not."""

    PASSED = "passed"
    FAILED = "failed"
    OVERRIDDEN = "overridden"
    NOT_TOLD = "not told"

    @property
    def word(self) -> str:
        """The result for a person; the value stands in JSON and in the journal."""
        return "unknown" if self is CheckResult.NOT_TOLD else self.value


@dataclass(frozen=True, slots=True)
class Check:
    """One check before a write.

    Attributes:
        name: a stable slug, such as ``targets_alive``; what ``--override`` and the page name.
        result: what came of it.
        sentence: what was checked and found, naming topics, partitions and brokers (the first few, and how many).
        overridable: whether the person may go on in spite of it; only where that cannot lose data.
        partitions: ``topic-partition`` names behind it, possibly empty.
        brokers: broker ids behind it.
    """

    name: str
    result: CheckResult
    sentence: str
    overridable: bool = False
    partitions: tuple[str, ...] = ()
    brokers: tuple[int, ...] = ()

    @property
    def stops(self) -> bool:
        """Whether nothing may be sent."""
        return self.result is CheckResult.FAILED


def passed(name: str, sentence: str, *, partitions: tuple[str, ...] = (), brokers: tuple[int, ...] = ()) -> Check:
    """A check that found nothing wrong."""
    return Check(name, CheckResult.PASSED, sentence, partitions=partitions, brokers=brokers)


def failed(
    name: str,
    sentence: str,
    *,
    overridable: bool = False,
    partitions: tuple[str, ...] = (),
    brokers: tuple[int, ...] = (),
) -> Check:
    """A check for which nothing may be sent."""
    return Check(name, CheckResult.FAILED, sentence, overridable, partitions, brokers)


def unknown(name: str, sentence: str, *, partitions: tuple[str, ...] = (), brokers: tuple[int, ...] = ()) -> Check:
    """A check that cannot be made of what the cluster tells."""
    return Check(name, CheckResult.NOT_TOLD, sentence, partitions=partitions, brokers=brokers)


def overridden_of(checks: Iterable[Check]) -> tuple[str, ...]:
    """Names of the checks that the person went on in spite of, as the journal keeps them."""
    return tuple(found.name for found in checks if found.result is CheckResult.OVERRIDDEN)
