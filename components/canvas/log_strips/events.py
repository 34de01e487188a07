"""What the log strips tell Python: the step a person looks at. Pure, and nothing that a browser sends is trusted."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["step_said"]


def step_said(said: object, token: str, last: int) -> int | None:
    """The step, or None where this is about another story, or is no step of it.

    Args:
        said: what came from the browser: ``{"step": 3, "token": "..."}``.
        token: which story is drawn.
        last: its last step.
    """
    if not isinstance(said, Mapping) or said.get("token") != token:
        return None
    step = said.get("step")
    if not isinstance(step, int) or isinstance(step, bool) or not 0 <= step <= last:
        return None
    return step
