"""Keep this layout: what was read lands with its moment, its name and its text; a what-if does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.state.opened import Opened as OpenedLayout
from components.state.opened import SessionState
from components.state.past import Past
from components.state.store import KEY
from reseat import formats
from reseat.formats import Reading
from reseat.formats.documents.snapshot import read_snapshot, reading_of
from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.model import Broker, ClusterLayout, Snapshot, Wish
from reseat.model.edits import Edits

pytestmark = pytest.mark.usefixtures("app_tests")

_APP = Path(__file__).resolve().parents[2] / "app.py"
READ_AT = datetime(2026, 5, 1, 12, 30, 0, 123456, tzinfo=UTC)
LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3]}, brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3)]
)
DESCRIBE = b"Topic: t\xe9\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"

Texts = dict[str, tuple[tuple[str, bytes], ...]]
Start = Callable[..., AppTest]


@pytest.fixture
def zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configured landing zone."""
    monkeypatch.setenv("RESEAT_LANDING", str(tmp_path / "zone"))
    monkeypatch.setenv("RESEAT_TABLES", str(tmp_path / "tables"))
    return tmp_path / "zone"


@pytest.fixture
def start(zone: Path) -> Start:
    """Open the dashboard over one layout."""

    def at(
        opened: OpenedLayout,
        name: str = "small.txt",
        wish: Wish | None = None,
        texts: Texts | None = None,
        **kept: object,
    ) -> AppTest:
        app = AppTest.from_file(str(_APP), default_timeout=60)
        state = SessionState(opened={name: opened}, current=name, started=True)
        opened.wish = wish or Wish()
        state.texts |= texts or {}
        state.kept |= {key.replace("_", " "): value for key, value in kept.items()}
        app.session_state[KEY] = state
        return app.run()

    return at


def uploaded(layout: ClusterLayout = LAYOUT, edits: Edits | None = None) -> OpenedLayout:
    """A layout that was uploaded."""
    return OpenedLayout(Reading(layout, kind="a literal", source="small.txt"), READ_AT, edits or Edits())


def said(at: AppTest) -> str:
    """All sentences of the page, with Markdown's escapes and joiners taken out."""
    told = "\n".join(str(one.value) for one in (*at.markdown, *at.caption, *at.code))
    return told.replace("\\", "").replace("\u2060", "")


def press(at: AppTest, name: str = "small.txt") -> AppTest:
    """Keep what is open."""
    assert not at.exception
    at.button(key=f"FormSubmitter:keep-{name}-Save").click().run()
    assert not at.exception
    return at


def landed(zone: Path) -> Snapshot:
    """The only snapshot that landed."""
    (file,) = zone.rglob("*.json")
    return read_snapshot(file.read_bytes())


def test_an_upload_lands_with_the_name_and_moment_given(start: Start, zone: Path) -> None:
    """The moment it was read stands there to be changed; where it lies, and what comes next, is said."""
    at = start(uploaded())
    when = at.text_input(key="keep-when-small.txt")
    at.text_input(key="keep-name-small.txt").set_value("orders-prod")

    assert when.value == "2026-05-01T12:30:00Z"
    when.set_value("2026-05-01T12:00:00+02:00")
    press(at)
    snapshot = landed(zone)
    assert (snapshot.cluster, snapshot.protocol) == ("orders-prod", "text")
    assert snapshot.taken_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert snapshot.layout == LAYOUT
    assert "Saved: orders-prod at 2026-05-01 10:00:00 UTC." in said(at)
    assert str(zone) in said(at)
    assert "after the next pipeline run" in said(at)
    assert "Open History" in [link.proto.label for link in at.get("page_link")]


def test_pressed_twice_it_is_kept_once(start: Start, zone: Path) -> None:
    """And that is said."""
    at = start(uploaded())
    at.text_input(key="keep-name-small.txt").set_value("shop")
    press(press(at))

    assert len(list(zone.rglob("*.json"))) == 1
    assert "Already saved: shop" in said(at)


def test_the_text_of_an_upload_is_kept_inside(start: Start, zone: Path) -> None:
    """Byte for byte, also one that is not UTF-8, where the session still has it."""
    reading = formats.read(DESCRIBE, source="small.txt")
    texts = {reading.layout.digest: (("small.txt", DESCRIBE),)}
    at = start(OpenedLayout(reading, READ_AT), texts=texts)
    at.text_input(key="keep-name-small.txt").set_value("shop")
    press(at)
    snapshot = landed(zone)

    assert snapshot.original is not None
    assert snapshot.original.text.encode("latin-1") == DESCRIBE
    assert snapshot.facts["read_as"] == reading.kind


def test_what_is_read_through_the_page_is_remembered(start: Start, zone: Path) -> None:
    """A pasted text, from the paste to the file."""
    text = DESCRIBE.decode("latin-1").replace("é", "")
    at = start(uploaded())
    at.switch_page("pages/clusters.py").run()
    at.text_area(key="paste-main").set_value(text)
    at.button(key="FormSubmitter:open-paste-main-Read").click().run()
    at.text_input(key="keep-name-pasted text").set_value("shop")
    press(at, "pasted text")

    assert landed(zone).original is not None
    assert landed(zone).original.text == text  # type: ignore[union-attr]


def test_a_snapshot_that_was_uploaded_stays_what_it_is(start: Start, zone: Path) -> None:
    """Its name and moment are known."""
    taken = Snapshot(LAYOUT, datetime(2026, 4, 1, 8, tzinfo=UTC), "admin", cluster="shop", cluster_id="abc")
    reading = reading_of(taken, source="small.txt")
    texts = {reading.layout.digest: (("small.txt", write_snapshot(taken)),)}
    at = start(OpenedLayout(reading, READ_AT), texts=texts)

    assert at.text_input(key="keep-name-small.txt").value == "shop"
    assert at.text_input(key="keep-when-small.txt").value == "2026-04-01T08:00:00Z"
    press(at)
    assert write_snapshot(landed(zone)) == write_snapshot(taken)


def test_a_live_reading_has_its_own_name_and_moment(start: Start, zone: Path) -> None:
    """An address is made a name; nobody is asked when it was."""
    taken = Snapshot(LAYOUT, datetime(2026, 4, 1, 8, 0, 0, 5, tzinfo=UTC), "admin", cluster_id="abc", controller=2)
    name = "kafka-1:9092"
    at = start(OpenedLayout(reading_of(taken), READ_AT, snapshot=taken), name)

    assert at.text_input(key=f"keep-name-{name}").value == "kafka-1-9092"
    assert "Snapshot time: 2026-04-01 08:00:00 UTC." in said(at)
    assert not [box for box in at.text_input if str(box.key).startswith("keep-when")]
    press(at, name)
    snapshot = landed(zone)
    assert (snapshot.taken_at, snapshot.protocol, snapshot.controller) == (taken.taken_at, "admin", 2)
    assert snapshot.cluster == "kafka-1-9092"


def test_a_what_if_is_not_kept_but_racks_told_by_hand_are(start: Start, zone: Path) -> None:
    """Topics left out are in it too; all of that is said."""
    edits = Edits(racks=((3, "c"),), without_internal=True, without=("orders",))
    at = start(uploaded(edits=edits), wish=Wish(remove=(3,)))
    at.text_input(key="keep-name-small.txt").set_value("shop")

    for sentence in ("The what-if is not saved", "Excluded topics are saved too", "Racks that you added are saved"):
        assert sentence in said(at)
    press(at)
    layout = landed(zone).layout
    assert layout.assignments() == LAYOUT.assignments()
    assert [broker.rack for broker in layout.brokers] == ["a", "b", "c"]
    assert landed(zone).facts["racks_by_hand"] == {"3": "c"}


@pytest.mark.parametrize(
    ("name", "when", "sentence"),
    [
        ("  ", "2026-05-01T12:00:00Z", "Enter a cluster name"),
        ("../etc", "2026-05-01T12:00:00Z", "cannot name a cluster"),
        ("shop", "2026-05-01T12:00:00", "has no time zone"),
        ("shop", "now", "is not a time"),
        ("shop", "2199-05-01T12:00:00Z", "in the future"),
    ],
)
def test_what_cannot_be_is_refused_in_words(name: str, when: str, sentence: str, start: Start, zone: Path) -> None:
    """Nothing is written, and the form keeps what was typed."""
    at = start(uploaded())
    at.text_input(key="keep-name-small.txt").set_value(name)
    at.text_input(key="keep-when-small.txt").set_value(when)
    press(at)

    assert sentence in said(at)
    assert not zone.exists()
    assert at.text_input(key="keep-when-small.txt").value == when


def test_a_landing_zone_that_cannot_be_written_is_said(start: Start, zone: Path) -> None:
    """With the place."""
    zone.write_text("a file")
    at = start(uploaded())
    at.text_input(key="keep-name-small.txt").set_value("shop")
    press(at)

    assert "This cannot be" in said(at)
    assert "zone" in said(at)


def test_a_moment_of_the_past_is_kept_already(start: Start, zone: Path) -> None:
    """There is no form."""
    taken = Snapshot(LAYOUT, READ_AT, "admin", cluster="shop")
    past = Past("shop", identity(taken), READ_AT)
    at = start(OpenedLayout(reading_of(taken), READ_AT, snapshot=taken, past=past), past.name)

    assert "it is already saved" in said(at)
    assert not [box for box in at.text_input if str(box.key).startswith("keep-")]
