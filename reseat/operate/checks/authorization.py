"""Who may write, as the guard asks it: the rules of ``reseat.access`` as a check with a name and a result."""

from __future__ import annotations

from datetime import UTC, datetime

from reseat.access import (
    OPERATE_VARIABLE,
    Access,
    Door,
    Person,
    ask,
    command_line_person,
    writing_enabled,
)
from reseat.operate.checks.check import Check, CheckResult

__all__ = ["OPERATE_VARIABLE", "Access", "Person", "allowed", "command_line_person", "writing_enabled"]


def allowed(person: Person, access: Access, now: datetime | None = None) -> Check:
    """Whether this person may write: the check ``person_allowed``, never overridable.

    Args:
        person: who asks.
        access: who may, as configured.
        now: the moment of asking; by default this one.
    """
    answer = ask(Door.WRITE, person, access, (now or datetime.now(UTC)).timestamp())
    return Check("person_allowed", CheckResult.PASSED if answer.may else CheckResult.FAILED, answer.sentence)
