"""Numbers as words for people: thousands separators, bytes, durations, shares and changes.

One place, so that a page, a report, a command and a check write the same number alike.
"""

from __future__ import annotations

import math

__all__ = ["SIZES", "amount", "bytes_in", "count", "duration", "money", "number", "share", "signed", "size"]


def count(value: float | None) -> str:
    """A count with thousands separators; ``not told`` for None, which is not the same as 0."""
    return "unknown" if value is None else f"{value:,.0f}"


def number(value: float | None, digits: int = 1) -> str:
    """A measured number with thousands separators and this many digits behind the point."""
    return "unknown" if value is None or math.isnan(value) else f"{value:,.{digits}f}"


def money(amount: float) -> str:
    """An amount without its currency: two digits behind the point, or two that say something where it is small.

    Less than a millionth is told as that.
    """
    if math.isnan(amount):
        return "unknown"
    if 0 < amount < 0.000001:
        return "<0.000001"
    if amount and abs(amount) < 0.1:
        return f"{amount:.{1 - math.floor(math.log10(abs(amount)))}f}"
    return f"{amount:,.2f}"


def signed(value: float) -> str:
    """A change with its sign: ``+17``, ``−3`` (a real minus), ``±0``."""
    if value == 0:
        return "±0"
    return f"+{value:,.0f}" if value > 0 else f"−{-value:,.0f}"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent, without claiming 0 or 100 where it is not quite."""
    if whole <= 0:
        return "0%"
    percent = 100 * part / whole
    if 0 < percent < 1:
        return "under 1%"
    if 99 < percent < 100:
        return "over 99%"
    return f"{percent:.0f}%"


#: More digits are no size.
_DIGITS = 40
#: Units of size in bytes, each 1,000 times the one before.
SIZES = {unit: 1000.0**power for power, unit in enumerate(("B", "kB", "MB", "GB", "TB", "PB"))}


def bytes_in(text: str) -> int:
    """The bytes that a text writes with a unit of ``SIZES``, in any case: ``500GB``.

    Raises:
        ValueError: what was expected instead.
    """
    number = text.strip().upper().replace(" ", "")
    for unit, one in sorted(SIZES.items(), key=lambda pair: -len(pair[0])):
        if len(number) <= _DIGITS and number.endswith(unit.upper()):
            digits = number[: -len(unit)]
            whole = digits.isascii() and digits.isdecimal()
            try:
                value = int(digits) * int(one) if whole else round(float(digits) * one)
            except (ValueError, OverflowError):
                break
            if value >= 0:
                return value
            break
    raise ValueError(f"'{text[:40]}' is not a size such as 500GB.")


def size(value: float | None) -> str:
    """Bytes in units of 1,000: ``3.2 GB``."""
    if value is None or math.isnan(value):
        return "unknown"
    scaled, unit = float(value), "B"
    for bigger in list(SIZES)[1:]:
        if abs(scaled) < 999.5:
            break
        scaled, unit = scaled / 1000, bigger
    digits = 0 if unit == "B" or abs(scaled) >= 99.5 else 1
    return f"{scaled:,.{digits}f} {unit}"


def amount(told: float, unsized: int, copies: int) -> str:
    """Bytes of some copies: "at least" where the size of some is unknown, "unknown" where that of all is.

    Args:
        told: bytes of the copies whose size is known.
        unsized: copies whose size is not known.
        copies: how many there are.
    """
    return size(None) if 0 < copies <= unsized else f"at least {size(told)}" if unsized else size(told)


def size_change(before: float, after: float) -> str:
    """Bytes before and after in the unit of the larger, so that they are compared at a glance: ``76.5 → 0.4 MB``."""
    most = max(before, after)
    *_, (unit, of) = [(name, one) for name, one in SIZES.items() if one <= max(most, 1)]
    digits = 0 if unit == "B" or most / of >= 99.5 else 1
    return f"{before / of:,.{digits}f} → {after / of:,.{digits}f} {unit}"


def duration(seconds: float | None) -> str:
    """A duration in its two largest units: ``2 h 10 min``."""
    if seconds is None or math.isnan(seconds):
        return "unknown"
    if math.isinf(seconds):
        return "never"
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    parts = ((whole // 86_400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s"))
    first = next(i for i, (amount, _) in enumerate(parts) if amount)
    return " ".join(f"{amount} {unit}" for amount, unit in parts[first : first + 2] if amount)
