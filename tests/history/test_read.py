"""The tables read without Spark: what is asked for, nothing else, and in words where it cannot be."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from reseat.errors import InputRefused
from reseat.history import read
from reseat.history.folder import FileFact, Folder
from reseat.history.parts import day_of
from reseat.history.read import History
from reseat.history.scan import read_listed as plain
from reseat.history.schema import TABLES, arrow_schema
from tests.history.made import FIRST_DAY, SECOND_DAY, Made, layout, write
from tests.history.made import history as snapshots


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two clusters, two days, six snapshots."""
    return write(tmp_path_factory.mktemp("history"))


@pytest.fixture
def history(made: Made) -> History:
    """The tables of it."""
    return History.open(made.tables)


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_clusters_and_days_are_text_also_where_made_of_digits(history):
    """A cluster called 007 is no number 7, in the list as in the rows."""
    rows = history.table("brokers", "007", columns=["cluster", "day", "broker"])

    assert history.clusters() == ("007", "shop")
    assert history.days("007") == (FIRST_DAY, SECOND_DAY)
    assert set(rows["cluster"].to_pylist()) == {"007"}
    assert rows.schema.field("day").type == pa.string()


def test_brokers_that_are_down_count_where_they_hold_replicas(tmp_path):
    """One that was drained and stopped, and is registered still, hides nothing."""
    held = snapshots()["shop"][1]
    drained = layout({("a", 0): [1, 2]}, racks={1: "a", 2: "b", 3: "c"}, down=[3])
    told = (held, replace(held, layout=drained, taken_at=held.taken_at + timedelta(hours=1)))
    found = History.open(write(tmp_path, {"shop": told}, swept=False).tables)

    assert set(found.dark("shop")["taken_at"].to_pylist()) == {held.taken_at}


def test_snapshots_are_told_oldest_first_with_their_keys(history, made):
    """One row a snapshot, as it was written; a count that is told is a whole number."""
    rows = history.snapshots("shop")

    assert rows["snapshot_id"].tolist() == made.ids("shop")
    assert rows["taken_at"].is_monotonic_increasing
    assert rows["offline"].tolist() == [0, 1, 1, 0]
    assert str(rows["offline"].dtype) == "Int64"
    assert rows["day"].tolist() == [FIRST_DAY, FIRST_DAY, SECOND_DAY, SECOND_DAY]


@pytest.mark.parametrize(
    ("since", "until", "count"),
    [
        (None, None, 4),
        ("2026-05-01T15:10", None, 3),
        ("2026-05-01T15:10:00.000001", None, 2),
        (None, "2026-05-01T15:10", 2),
        ("2026-05-02T00:00", "2026-05-02T04:00", 1),
        ("2026-05-03T00:00", None, 0),
    ],
)
def test_a_range_of_time_has_both_its_ends(history, since, until, count):
    """Snapshots taken at either moment count; those outside do not."""
    rows = history.snapshots("shop", at(since) if since else None, at(until) if until else None)

    assert len(rows) == count


def test_all_clusters_at_once(history):
    """Without a cluster's name all snapshots are told, in the order of time."""
    rows = history.snapshots(columns=["cluster", "brokers"])

    assert sorted(rows["cluster"].tolist()) == ["007", "007", "shop", "shop", "shop", "shop"]
    assert rows.columns.tolist() == ["cluster", "brokers"]


def test_the_latest_snapshot_of_every_cluster(history, made):
    """One row a cluster, its newest snapshot."""
    rows = history.latest()

    assert rows["cluster"].tolist() == ["007", "shop"]
    assert rows["snapshot_id"].tolist() == [made.ids("007")[-1], made.ids("shop")[-1]]
    assert history.latest(["cluster", "topics"]).columns.tolist() == ["cluster", "topics"]


def test_the_latest_is_looked_for_behind_an_empty_day(tmp_path):
    """A day without a row, as retention may leave one, does not hide the day before it."""
    made = write(tmp_path)
    empty = made.tables / "snapshots" / "cluster=shop" / "day=2026-05-03"
    empty.mkdir()
    pq.write_table(arrow_schema("snapshots").empty_table(), empty / "0.parquet")
    rows = History.open(made.tables).latest()

    assert rows["snapshot_id"].tolist() == [made.ids("007")[-1], made.ids("shop")[-1]]


def test_rows_of_one_snapshot_alone(history, made):
    """By a snapshot's identity its rows come, and no other's of the same day."""
    third = made.ids("shop")[2]
    rows = history.table("replicas", "shop", snapshot_id=third, columns=["snapshot_id", "topic", "broker"])
    refunds = rows.filter(pc.field("topic") == "refunds")

    assert set(rows["snapshot_id"].to_pylist()) == {third}
    assert len(rows) == 21
    assert sorted(refunds["broker"].to_pylist()) == [1, 5]


def test_a_snapshot_that_is_not_there_has_no_rows(history):
    """An identity that nobody knows gives no rows, with the columns asked for."""
    rows = history.table("replicas", "shop", snapshot_id="0" * 32, columns=["topic"])

    assert len(rows) == 0
    assert rows.column_names == ["topic"]


def test_a_filter_is_met(history):
    """Rows that do not meet the filter are not given."""
    rows = history.table("findings", "shop", filter=pc.field("severity") == "broken")

    assert set(rows["severity"].to_pylist()) == {"broken"}


@pytest.mark.parametrize(("since", "filtered"), [("2026-05-02T00:00", False), ("2026-05-02T00:01", True)])
def test_from_midnight_on_no_row_is_looked_at_to_be_left_out(history, monkeypatch, since, filtered):
    """Folders are named by days: to open a fleet's thousands of files for their moments would take a quarter more."""
    asked = []
    monkeypatch.setattr(
        read, "read_listed", lambda *given, **named: asked.append(named["filter"]) or plain(*given, **named)
    )
    rows = history.snapshots(since=at(since))

    assert [one is not None for one in asked] == [filtered]
    assert sorted(set(rows["day"])) == [SECOND_DAY]


def test_changes_since_a_moment_leave_out_what_led_to_it(history, made):
    """Between two snapshots lie the changes after the first, up to and with those that led to the second."""
    first, second = made.snapshots["shop"][0], made.snapshots["shop"][1]
    rows = history.changes("shop", first.taken_at, second.taken_at)
    kinds = rows["kind"].to_pylist()

    assert set(rows["taken_at"].to_pylist()) == {second.taken_at}
    assert kinds.count("broker_gone") == 1
    assert kinds.count("isr_shrunk") == 4
    assert len(history.changes("shop", second.taken_at, second.taken_at)) == 0


def test_losses_of_one_snapshot_by_kind(history, made):
    """Pairs of six brokers are fifteen, racks three; a snapshot that was not swept has none."""
    last = made.ids("shop")[-1]

    assert len(history.resilience("shop", last, "pair")) == 15
    assert len(history.resilience("shop", last, "rack")) == 3
    assert len(history.resilience("shop", last)) == 24
    assert history.resilience("shop", last, "pair", columns=["lost"]).column_names == ["lost"]
    assert history.swept("shop")["snapshot_id"].tolist() == made.ids("shop")
    assert len(history.resilience("shop", "f" * 32)) == 0


@pytest.mark.parametrize("name", [table.name for table in TABLES])
def test_what_is_not_there_yet_is_empty(tmp_path, name):
    """Before the first run every table has its columns and no row."""
    history = History.open(tmp_path / "nothing")
    rows = history.table(name, None)

    assert len(rows) == 0
    assert rows.schema.equals(arrow_schema(name, with_keys=True))
    assert history.clusters() == ()
    assert history.days("shop") == ()
    assert history.latest().empty
    assert history.snapshots("shop").empty


def test_rejected_files_are_told_without_their_content(history):
    """The bytes of what could not be read stay in the table."""
    assert "bytes" not in history.rejected().columns
    assert "reason" in history.rejected().columns


def test_only_the_days_asked_for_are_listed(made, monkeypatch):
    """A question about one day lists that day's folder, and neither the other day's nor another cluster's."""
    listed: list[str] = []
    files = Folder.files

    def noted(self: Folder, under: str = "", suffix: str | None = None, *, hidden: bool = False) -> list[FileFact]:
        listed.append(under)
        return files(self, under, suffix, hidden=hidden)

    monkeypatch.setattr(Folder, "files", noted)
    rows = History.open(made.tables).table("replicas", "shop", days=[SECOND_DAY], columns=["day"])

    assert listed == [f"replicas/cluster=shop/day={SECOND_DAY}"]
    assert set(rows["day"].to_pylist()) == {SECOND_DAY}


def test_files_that_a_compaction_took_away_are_looked_for_again(made, monkeypatch):
    """A file that vanished between listing and reading costs a second look, and no row is missing."""
    files, calls = Folder.files, []

    def stale(self: Folder, under: str = "", suffix: str | None = None, *, hidden: bool = False) -> list[FileFact]:
        calls.append(under)
        found = files(self, under, suffix, hidden=hidden)
        return [*found, FileFact(f"{under}/gone.parquet", 1, 1)] if len(calls) == 1 else found

    monkeypatch.setattr(Folder, "files", stale)
    rows = History.open(made.tables).table("brokers", "shop", days=[FIRST_DAY])

    assert len(calls) == 2
    assert len(rows) == 12


def test_files_that_stay_away_are_said_in_words(made, monkeypatch):
    """Where the second look fails too, the sentence names the table and says what to do."""
    monkeypatch.setattr(
        Folder, "files", lambda self, under="", suffix=None, hidden=False: [FileFact(f"{under}/gone.parquet", 1, 1)]
    )

    with pytest.raises(InputRefused, match=r"The table brokers cannot be read.*run the pipeline again"):
        History.open(made.tables).table("brokers", "shop", days=[FIRST_DAY])


def test_a_file_that_is_no_parquet_is_said_in_words(tmp_path):
    """A damaged file is named with its table, and is not read as none."""
    made = write(tmp_path)
    (made.tables / "brokers" / "cluster=shop" / f"day={FIRST_DAY}" / "x.parquet").write_bytes(b"no parquet at all")

    with pytest.raises(InputRefused, match=r"The table brokers cannot be read: .*[^.]\. If a run"):
        History.open(made.tables).table("brokers", "shop")


def test_a_column_that_older_files_lack_is_null(tmp_path):
    """Files written before a column was added still read."""
    made = write(tmp_path)
    file = next((made.tables / "brokers" / "cluster=shop" / f"day={FIRST_DAY}").glob("*.parquet"))
    pq.write_table(pq.read_table(file, partitioning=None).drop_columns(["host"]), file)
    rows = History.open(made.tables).table("brokers", "shop", days=[FIRST_DAY])

    assert rows["host"].null_count == 6


def test_the_stamp_changes_with_what_a_job_leaves(tmp_path):
    """A job's record changes the stamp; asking twice does not."""
    made = write(tmp_path)
    history = History.open(made.tables)
    before = history.stamp()
    ledger = made.tables / "_reseat" / "ledger"
    ledger.mkdir(parents=True)
    pq.write_table(pa.table({"path": ["one"]}), ledger / "1.parquet")

    assert before == History.open(made.tables).stamp() or before != ""
    assert history.stamp() != before
    assert history.stamp() == history.stamp()


def test_names_that_spark_escapes_are_told_as_they_are(tmp_path):
    """A folder's name is undone: a colon in a cluster's name is a colon again."""
    made = write(tmp_path)
    for table in ("snapshots", "brokers"):
        (made.tables / table / "cluster=shop").rename(made.tables / table / "cluster=a%3Ab")
    history = History.open(made.tables)

    assert history.clusters() == ("007", "a:b")
    assert set(history.table("brokers", "a:b", columns=["cluster"])["cluster"].to_pylist()) == {"a:b"}


def test_ten_thousand_days_are_listed_by_their_folders(tmp_path):
    """The days of a cluster come from folder names: no file is opened, so that they may even be empty."""
    home = Path(tmp_path) / "snapshots" / "cluster=old"
    for year in range(2000, 2020):
        for month in range(1, 13):
            (home / f"day={year}-{month:02}-15").mkdir(parents=True)

    assert len(History.open(tmp_path).days("old")) == 240


def test_changes_are_counted_by_kind_without_their_rows(history):
    """Counts by moment and kind are those of the rows themselves."""
    counts = history.change_counts("shop")
    rows = history.changes("shop").to_pandas()
    plain = rows.groupby(["taken_at", "kind"]).size().reset_index(name="changes")

    assert counts.astype({"changes": "int64"}).to_dict("list") == plain.to_dict("list")
    assert history.change_counts("shop", at("2026-05-03T00:00")).columns.tolist() == ["taken_at", "kind", "changes"]


def test_what_a_commit_was_about_to_rewrite_is_named(tmp_path):
    """A commit that was stopped names its cluster-days, and changes the stamp."""
    made = write(tmp_path)
    history = History.open(made.tables)
    before = history.stamp()
    commits = made.tables / "_reseat" / "commits"
    commits.mkdir(parents=True)
    (made.tables / "_reseat" / "runs" / "1").mkdir(parents=True)
    (commits / "000000000001.json").write_text('{"add": [], "remove": [], "cluster_days": [["shop", "2026-05-01"]]}')

    assert history.unfinished() == (("shop", FIRST_DAY),)
    assert history.stamp() != before


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 5, 1, 12, tzinfo=UTC), "2026-05-01"),
        (datetime(2026, 5, 1, 23, 30, tzinfo=timezone(timedelta(hours=-2))), "2026-05-02"),
        (datetime(2026, 5, 1, 0, 30), "2026-05-01"),  # noqa: DTZ001 - a time zone that is not said is UTC
        (datetime(900, 5, 1, tzinfo=UTC), "0900-05-01"),
    ],
)
def test_a_day_is_one_of_utc(moment: datetime, day: str) -> None:
    """Whatever the time zone that a snapshot's moment is said in."""
    assert day_of(moment) == day
