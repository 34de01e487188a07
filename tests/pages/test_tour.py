"""The tour over a sample: which step one is at, what Next does for one, and that it can be left."""

from __future__ import annotations

import pytest

from components.shell.tour import STEPS, step_on
from components.state.store import KEY
from reseat.model import Wish

from .conftest import texts


@pytest.mark.parametrize(
    ("page", "before", "step"),
    [
        ("Overview", 0, 0),
        ("Overview", 3, 0),
        ("Board", 0, 1),
        ("Plan", 1, 2),
        ("Plan", 3, 2),
        ("Plan", 4, 4),
        ("Leaders", 4, 3),
        ("History", 3, 3),
        ("", 2, 2),
    ],
)
def test_a_page_is_at_its_step(page, before, step):
    """The nearest step that is about it; a page that none is about changes nothing."""
    assert step_on(page, before) == step


def test_the_tour_opens_the_sample_drains_a_broker_and_ends(app):
    """Next, five steps long, on five pages in turn; who did not drain the broker has it drained; Finish ends it."""
    app.run()
    app.button(key="tour-begin-first").click().run()
    said = []
    for step in STEPS:
        app.switch_page(step.place.file).run()
        assert not app.exception
        said.append(step.says in texts(app))
        if step is not STEPS[-1]:
            app.button(key="tour-next").click().run()

    assert said == [True] * len(STEPS)
    assert app.session_state[KEY].here.wish == Wish(remove=(7,))
    assert app.button(key="tour-next").disabled

    app.button(key="tour-leave").click().run()

    assert not app.exception
    assert "Tour," not in texts(app)
    assert "9 brokers" in texts(app)


def test_nothing_is_said_of_a_tour_to_whoever_is_on_none(opened):
    """Neither bar nor button over one's own cluster."""
    at = opened("overview")

    assert not [button for button in at.button if str(button.key).startswith("tour")]


def test_another_page_leads_back_to_the_step(app):
    """A page that no step is about says where it is; the tour goes on there."""
    app.run()
    app.button(key="tour-begin-first").click().run()
    app.switch_page("pages/heatmap.py").run()

    assert "Tour, 1 of 5 is on Overview." in texts(app).replace("**", "")

    app.button(key="tour-return").click().run()

    assert STEPS[0].says in texts(app)
