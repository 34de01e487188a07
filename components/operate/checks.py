"""The guard's checks drawn: icon, word and sentence each, worst first; what may be overridden has a box to tick."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.look import text
from reseat.operate.checks.check import Check, CheckResult

__all__ = ["draw_check", "draw_checks", "stopping", "tally", "worst_first"]

#: Icon, colour and word of a result: three ways to tell them apart.
_LOOKS = {
    CheckResult.FAILED: (":material/block:", "red", "no"),
    CheckResult.OVERRIDDEN: (":material/published_with_changes:", "orange", "overridden"),
    CheckResult.NOT_TOLD: (":material/help:", "orange", "unknown"),
    CheckResult.PASSED: (":material/check_circle:", "green", "yes"),
}
_ORDER = tuple(_LOOKS)


def worst_first(checks: Sequence[Check]) -> list[Check]:
    """Failed first (those that cannot be overridden before those that can), then overridden, not told and passed."""
    return sorted(checks, key=lambda check: (_ORDER.index(check.result), check.overridable))


def stopping(checks: Sequence[Check], overrides: frozenset[str] = frozenset()) -> list[Check]:
    """The checks that stop a write, those overridden left out; an override of what may not be changes nothing."""
    return [check for check in checks if check.stops and not (check.overridable and check.name in overrides)]


def tally(checks: Sequence[Check]) -> str:
    """How many checks say what, in a line: ``9 yes, 1 not told, 2 no``."""
    counts = {result: sum(check.result is result for check in checks) for result in reversed(_ORDER)}
    return ", ".join(f"{number} {_LOOKS[result][2]}" for result, number in counts.items() if number)


def draw_checks(checks: Sequence[Check], key: str) -> frozenset[str]:
    """Draw the checks and return the names that the person overrides.

    Args:
        checks: as the guard answered without overrides.
        key: the list's name on the page.
    """
    chosen: set[str] = set()
    with st.container(key=f"checks-{key}", gap="xsmall"):
        for check in worst_first(checks):
            line = st.empty()
            result = check.result
            if result is CheckResult.FAILED and check.overridable:
                # The name is the guard's own slug; the box says what ticking it means.
                ticked = st.checkbox(
                    "Continue despite this check: no data can be lost.",
                    key=f"override-{key}-{check.name}",
                )
                if ticked:
                    result = CheckResult.OVERRIDDEN
                    chosen.add(check.name)
            line.markdown(_line(result, check))
    return frozenset(chosen)


def draw_check(check: Check) -> None:
    """Draw one check by itself."""
    st.markdown(_line(check.result, check))


def _line(result: CheckResult, check: Check) -> str:
    icon, colour, word = _LOOKS[result]
    name = text.plain(check.name.replace("_", " "))
    return f":{colour}[{icon} **{name}: {word}.**] {text.plain(check.sentence)}"
