"""What a fingerprint says, as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from reseat.model.wording import counted, listed
from reseat.placement.fingerprint.fits import Fit

__all__ = ["grown_sentence", "striped_sentence", "words_of"]


def words_of(fit: Fit) -> str:
    """One fit in words: over which brokers, how, and its start and shifts."""
    how = "rack-aware" if fit.rack_aware else "rack-unaware"
    which = f"[{', '.join(map(str, fit.brokers))}]" if len(fit.brokers) <= 12 else counted(len(fit.brokers), "broker")
    where = f" {fit.circumstance}" if fit.circumstance else ""
    shifts = listed(fit.shifts).replace(" and ", " or ") if len(fit.shifts) < len(fit.brokers) else "any"
    return f"striped over {which}{where}, {how}, start {fit.start}, shift {shifts}"


def striped_sentence(name: str, fits: Sequence[Fit], size: int, factor: int) -> str:
    """The sentence of a topic all of whose partitions sit as placed."""
    first = fits[0]
    sentence = f"{name} is {words_of(first)}."
    pairs = sum(len(fit.shifts) for fit in fits)
    if pairs > 1:
        sentence += f" All {pairs:,} pairs match"
        if factor == 1:
            sentence += ": with one replica the shift has no effect"
        elif len(first.brokers) == 2:
            sentence += ": with two brokers the shift has no effect"
        sentence += "."
    if len(fits) > 1:
        sentence += f" It is also {words_of(fits[1])}."
    if size == 1:
        sentence += " One partition proves little: any list of this shape matches."
    return sentence


def grown_sentence(name: str, first: Fit, added: Sequence[Fit], size: int) -> str:
    """The sentence of a topic to which partitions were added."""
    begins = [fit.first_id for fit in added]
    return (
        f"{name} is {words_of(first)}; partitions {listed(f'from {begin} on' for begin in begins)} (of {size:,}) were "
        f"added later, as Kafka places added partitions: start and shift {added[0].start}."
    )
