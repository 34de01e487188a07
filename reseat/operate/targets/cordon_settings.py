"""How a broker is cordoned (KIP-1066): Kafka's setting of one broker, its values, and what they close.

Example: ``cordoned.log.dirs`` is ``*`` for every log directory of the broker, or paths joined by commas; empty for
none, which also lifts what the broker's own file says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["ALL", "SETTING", "Cordon", "closes"]

#: The name of the setting, and the value that cordons every log directory.
SETTING = "cordoned.log.dirs"
ALL = "*"


@dataclass(frozen=True, slots=True)
class Cordon:
    """Of one broker.

    Attributes:
        closed: whether every log directory that it has online is cordoned, so that Kafka takes no list that names it.
        dynamic: what is set on it while it runs, or None where nothing is.
        static: what its own file says, or None.
    """

    closed: bool
    dynamic: str | None = None
    static: str | None = None

    @property
    def lifting(self) -> str | None:
        """What is to be set so that nothing of it is cordoned: nothing, or, where its file says so, no directory."""
        return "" if self.static else None


def closes(value: str | None, paths: Iterable[str]) -> frozenset[str]:
    """Those of a broker's log directories that a value of the setting cordons."""
    named = {path.strip() for path in (value or "").split(",")}
    return frozenset(path for path in paths if ALL in named or path in named)
