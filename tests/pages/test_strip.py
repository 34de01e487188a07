"""The strip and what opens from it: what is unknown of a layout, the layouts that are open, and the wall."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from streamlit.testing.v1 import AppTest

from components.shell import wall
from components.state import session
from components.state.opened import Opened, SessionState
from components.state.store import KEY
from reseat.formats import Reading, read
from reseat.model import ClusterLayout, Options, Wish
from reseat.model.edits import Edits
from tests.pages.conftest import APP, at_clusters, small, texts

BARE = ClusterLayout.from_assignments({("orders", 0): [1, 2], ("_schemas", 0): [2, 3]})
CUT = b"""Topic: orders\tPartitionCount: 3\tReplicationFactor: 2\tConfigs:
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
"""


def over(app: AppTest, edits: Edits | None = None, **layouts: ClusterLayout) -> AppTest:
    """Look at the first of some layouts, by name; the edits are its own."""
    now = datetime.now(UTC)
    opened = {name: Opened(Reading(layout, kind="a literal", source=name), now) for name, layout in layouts.items()}
    first = next(iter(opened))
    if edits is not None:
        opened[first].edits = edits
    app.session_state[KEY] = SessionState(opened=opened, current=first, started=True)
    return app.run()


def quality(app: AppTest) -> str:
    """What the button of *Data quality* says."""
    (label,) = [one.proto.popover.label for one in app.get("popover") if one.proto.id.endswith("-quality")]
    return str(label)


@pytest.mark.parametrize(
    ("layout", "edits", "said"),
    [
        (BARE, Edits(), ":orange[:material/help: racks, leaders and 2 more unknown: add them]"),
        (BARE, Edits(no_racks=True), "leaders, ISR and 1 more unknown"),
        (small(), Edits(without_internal=True), "1 topic excluded"),
        (read(CUT, source="cut.txt").layout, Edits(no_racks=True), ":orange[:material/help: input incomplete · "),
    ],
)
def test_the_strip_names_what_is_unknown(app: AppTest, layout: ClusterLayout, edits: Edits, said: str) -> None:
    """What a plan depends on stands first and in orange; what one left out oneself is counted too."""
    over(app, edits, first=layout)

    assert not app.exception
    assert quality(app).startswith(said)


def test_where_all_is_known_it_has_its_name_alone(app: AppTest) -> None:
    """The panel is there all the same, with what was read."""
    over(app, first=small())

    assert quality(app) == "Data quality"
    assert "first: a literal." in texts(app).replace("`", "")


def test_what_was_skipped_stands_in_the_panel_of_every_page(app: AppTest) -> None:
    """The lines, and why; once a page. The strip counts what may have told something: a command did not."""
    now = datetime.now(UTC)
    reading = read(
        b"$ kafka-topics.sh --describe\nTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\nno part\n",
        source="a.txt",
    )
    app.session_state[KEY] = SessionState(opened={"a": Opened(reading, now)}, current="a", started=True)
    app.run()
    for page in ("overview", "racks", "plan"):
        app.switch_page(f"pages/{page}.py").run()

        assert not app.exception
        assert texts(app).count("2 lines skipped:") == 1
        assert quality(app).endswith(" · 1 line skipped]")


def test_layouts_that_are_open_are_listed_looked_at_and_closed(app: AppTest) -> None:
    """A click looks at another one; closing it goes back to the one before; the last leaves the doors."""
    over(app, one=BARE, two=small())
    at_clusters(app, "open")

    assert "2 layouts are open; shown is one." in texts(app)
    assert "a literal: 4 brokers, 4 partitions" in texts(app)

    app.button(key="opened-two").click().run()

    assert "2 layouts are open; shown is two." in texts(app)

    app.button(key="opened-close-two").click().run()

    assert "1 layout is open; shown is one." in texts(app)

    app.button(key="opened-close-one").click().run()

    assert not app.exception
    assert "No layout is open." in texts(app)
    assert app.text_area(key="paste-main")


def test_the_wall_stands_in_the_address_and_is_left_by_its_button(app: AppTest) -> None:
    """Entered from the menu of the layout; there the name is no menu any more; left, the address forgets it."""
    over(app, first=small())
    app.button(key="wall-enter").click().run()

    assert app.query_params["wall"] in ("1", ["1"])
    assert not [button for button in app.button if button.key in ("wall-enter", "layout-close")]

    app.switch_page("pages/racks.py").run()
    assert app.query_params["wall"] in ("1", ["1"])

    app.button(key="wall-leave").click().run()

    assert not app.exception
    assert "wall" not in app.query_params
    assert app.button(key="layout-close")


def test_a_link_to_the_wall_opens_there_also_where_no_layout_is_open() -> None:
    """As a screen does that is switched on: the fleet alone, with the way back."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["wall"] = "1"
    app.run()
    at_clusters(app, "fleet")

    assert not app.exception
    assert app.button(key="wall-leave")
    assert app.query_params["wall"] in ("1", ["1"])


def test_a_live_cluster_on_the_wall_is_read_every_minute(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the person has it read by hand; off the wall their choice holds."""
    chosen: dict[str, float | None] = {"prod": None, "often": 10.0}
    monkeypatch.setattr(session, "refresh_every", chosen.get)
    monkeypatch.setattr(session, "on_wall", lambda: True)

    assert [wall.every(name) for name in chosen] == [60.0, 10.0]

    monkeypatch.setattr(session, "on_wall", lambda: False)

    assert [wall.every(name) for name in chosen] == [None, 10.0]


def test_a_what_if_of_several_parts_is_dropped_at_once(app: AppTest) -> None:
    """One part has its chip alone."""
    over(app, first=small())
    app.session_state[KEY].here.wish = Wish(remove=(4,))
    app.run()

    assert not [button for button in app.button if button.key == "wish-clear"]

    app.session_state[KEY].here.wish = Wish(remove=(3, 4))
    app.run()
    app.button(key="wish-clear").click().run()

    assert not app.exception
    assert app.session_state[KEY].here.wish.is_empty
    assert not [button for button in app.button if str(button.key).startswith("chip-")]


@pytest.mark.parametrize(
    ("limit", "key", "words"),
    [
        (Options(receive_cap=3), "cap", "at most 3 replicas received"),
        (Options(max_moves=1_200), "max-moves", "at most 1,200 moves"),
        (Options(max_bytes=2 * 10**12), "max-bytes", "at most 2.0 TB copied"),
    ],
)
def test_each_limit_has_a_chip(app: AppTest, limit: Options, key: str, words: str) -> None:
    """It is dropped as any other part of the what-if."""
    over(app, first=small())
    app.session_state[KEY].here.wish = Wish(remove=(4,), options=limit)
    app.run()
    (chip,) = [button for button in app.button if button.key == f"chip-{key}"]

    assert chip.label.endswith(words)

    chip.click().run()

    assert not app.exception
    assert app.session_state[KEY].here.wish == Wish(remove=(4,))


def test_a_refusal_of_doubled_brokers_offers_the_mend(app: AppTest) -> None:
    """A broker that is named twice is no matter for a drain; the mend is one click away."""
    doubled = ClusterLayout.from_assignments({("a", 0): [1, 1], ("a", 1): [2, 3]})
    over(app, first=doubled)
    app.session_state[KEY].here.wish = Wish(remove=(3,))
    app.switch_page("pages/plan.py").run()
    (mend,) = [button for button in app.button if button.key == "mend-first"]
    mend.click().run()

    assert not app.exception
    assert app.session_state[KEY].here.wish == Wish(mend=True)
    assert not [button for button in app.button if button.key == "mend-first"]
