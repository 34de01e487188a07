"""Files to take along: a snapshot where a live cluster was read, and never one of a text."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from components.overview import takeaway
from components.state.opened import Opened as OpenedLayout
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.formats import read
from reseat.formats.documents.snapshot import reading_of
from reseat.model import Snapshot, Wish

from .conftest import small, texts


def downloads(at) -> list[str]:
    """Labels of the downloads on the page."""
    return [element.proto.label for element in at.get("download_button")]


def test_a_live_cluster_can_be_taken_along_as_a_snapshot(app):
    """Beside table, describe text and assignment."""
    snapshot = Snapshot(small(), datetime.now(UTC), "admin", cluster="prod")
    opened = OpenedLayout(reading_of(snapshot), snapshot.taken_at, snapshot=snapshot)
    app.session_state[KEY] = SessionState(opened={"prod": opened}, current="prod", started=True)
    app.run()
    app.switch_page("pages/overview.py").run()

    assert not app.exception
    assert downloads(app)[-5:] == [
        "Layout as CSV", "Layout as Parquet", "As kafka-topics --describe", "As reassignment JSON", "Snapshot",
    ]  # fmt: skip


def test_both_tables_read_back_as_the_layout(opened, monkeypatch):
    """What the two buttons save."""
    saved: dict[str, bytes] = {}

    def keep(label, name, make, **_):
        saved[name] = make()

    monkeypatch.setattr(takeaway, "download", keep)
    opened("overview", small())

    for name in ("layout.csv", "layout.parquet"):
        assert read(saved[name], source=name).layout.assignments() == small().assignments()


@pytest.mark.parametrize(
    ("after", "said"),
    [(True, "All 4 partitions, as they are before the plan."), (False, "All 4 partitions, as shown here, without a")],
)
def test_after_the_plan_it_is_said_that_the_files_are_of_before(opened, after, said):
    """What is shown then is not what they hold."""
    at = opened("overview", wish=Wish(remove=(4,)))
    at.segmented_control(key="strip-after-True").set_value(after).run()

    assert not at.exception
    assert said in texts(at)


def test_a_text_has_no_snapshot(opened):
    """It does not say when it was true."""
    at = opened("overview")

    assert not at.exception
    assert "Layout as CSV" in downloads(at)
    assert "Snapshot" not in downloads(at)


def test_the_link_that_is_copied_is_the_address(opened):
    """Layout, file and what-if: what the browser's address says, and nothing besides."""
    at = opened("overview", wish=Wish(remove=(4,)))
    (link,) = [code.value for code in at.code if "?layout=" in code.value]
    told = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    address = {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}

    assert told == address
    assert told["remove"] == "4"
