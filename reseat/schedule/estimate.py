"""How long a plan takes, from what earlier runs on the cluster showed, else from the throttle.

Promises: no estimate is below what a plan's throttle allows; what a throttled run shows of a higher throttle is
nothing. How a run shows a rate, and which do: ``reseat.operate.observed``; why: docs/decisions/0045.

How: the busiest broker's bytes at the rates that runs showed. Likely is the middle one, high the slowest; low is the
throttle's, without one the fastest. Where no run says anything, all three come from the throttle alone.

Example: two runs showed 20 and 40 MB/s at their busiest broker. A plan whose busiest broker sends 72 GB takes 30
minutes at the faster rate, 40 at the middle, and 60 at the slower.

Complexity: O(batches).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from reseat.model.wording import counted
from reseat.schedule.batches import Hours, Preview

__all__ = ["Estimate", "ObservedRate", "estimate", "estimate_at"]


@dataclass(frozen=True, slots=True)
class ObservedRate:
    """What a run showed.

    Attributes:
        rate: bytes a second at its busiest broker.
        throttle: bytes a second a broker that limited it; None: something else did.
        ended_at: UTC.
    """

    rate: float
    throttle: int | None
    ended_at: datetime

    def at(self, throttle: float | None) -> float | None:
        """Bytes a second at the busiest broker that it shows for a throttle (None: none); None: nothing."""
        if self.throttle is None:
            return self.rate if throttle is None else min(self.rate, throttle)
        if throttle is None or throttle > self.throttle:
            return None
        return min(self.rate / self.throttle, 1.0) * throttle


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a plan takes.

    Attributes:
        hours: in seconds; from runs, at the fastest, the middle and the slowest of their rates.
        runs: how many earlier runs it comes from; 0: from the throttle alone.
        since: UTC, when the first of them ended; None where there are none.
    """

    hours: Hours
    runs: int = 0
    since: datetime | None = None

    @property
    def source(self) -> str:
        """What it comes from, as the rest of a sentence."""
        if self.since is None:
            return " at the throttle"
        day = f"{'since' if self.runs > 1 else 'of'} {self.since:%Y-%m-%d}"
        return f", from {counted(self.runs, 'earlier run')} on this cluster {day}"


def estimate(preview: Preview, throttle: float | None, rates: tuple[ObservedRate, ...]) -> Estimate | None:
    """How long a schedule takes, by what earlier runs on the cluster showed; None where nothing tells.

    The throttle is in bytes a second a broker.
    """
    if throttle is not None:
        return estimate_at(preview, throttle, rates)
    held, since = _shown(rates, None)
    return None if since is None else Estimate(_of(preview, held), len(held), since)


def estimate_at(preview: Preview, throttle: float, rates: tuple[ObservedRate, ...]) -> Estimate:
    """As ``estimate``, at a throttle: there is always an answer."""
    at_throttle = preview.hours(throttle)
    held, since = _shown(rates, throttle)
    if since is None:
        return Estimate(at_throttle)
    seen = _of(preview, held)
    # What never met this throttle does not say how close to it a run comes: its schedule does.
    return Estimate(Hours(at_throttle.low, seen.likely, max(seen.high, at_throttle.likely)), len(held), since)


def _shown(rates: tuple[ObservedRate, ...], throttle: float | None) -> tuple[list[float], datetime | None]:
    """The rates that runs show for a throttle, and when the first of them ended; None: none does."""
    shown = [(rate, seen.ended_at) for seen in rates if (rate := seen.at(throttle)) is not None]
    return [rate for rate, _ in shown], min((ended_at for _, ended_at in shown), default=None)


def _of(preview: Preview, rates: list[float]) -> Hours:
    """The busiest broker at the fastest, the middle and the slowest of some rates."""
    return Hours(preview.lowest / max(rates), preview.likely / median(rates), preview.busiest / min(rates))
