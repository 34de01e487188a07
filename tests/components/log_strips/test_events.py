"""What the log strips may say, and what is not heeded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.canvas.log_strips import step_said


def test_a_step_of_this_very_story_is_heard() -> None:
    """From the beginning to the last."""
    assert [step_said({"step": step, "token": "t"}, "t", 3) for step in (0, 3)] == [0, 3]


@pytest.mark.parametrize(
    "said",
    [
        None,
        "3",
        {},
        {"step": 3},
        {"step": 3, "token": "another"},
        {"step": 4, "token": "t"},
        {"step": -1, "token": "t"},
        {"step": True, "token": "t"},
        {"step": 1.0, "token": "t"},
        {"step": "1", "token": "t"},
    ],
)
def test_anything_else_is_not_heeded(said: object) -> None:
    """Another story's message, a step that there is not, or something that is no message."""
    assert step_said(said, "t", 3) is None


@given(st.dictionaries(st.text(max_size=6), st.one_of(st.none(), st.integers(), st.text(), st.lists(st.integers()))))
def test_no_message_raises(said: dict[str, object]) -> None:
    """A browser can send anything."""
    heard = step_said(said, "t", 5)

    assert heard is None or 0 <= heard <= 5
