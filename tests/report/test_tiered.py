"""Tiered topics: read from settings, kept in snapshots, and what a plan copies of them is a range."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

import pytest

from reseat.cli.entry import main
from reseat.formats import read
from reseat.formats.documents.snapshot import read_snapshot, reading_of
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.tables.table_writer import write_csv, write_parquet
from reseat.model import Broker, ClusterLayout, Snapshot, Wish
from reseat.model.tiering import Tiering
from reseat.planning import plan
from reseat.report import ReportChoices
from reseat.report.chapters import cost
from reseat.report.copying import copying_of
from reseat.report.gather import gather
from reseat.report.tiered import copies_as_dict, tiered_sentences
from reseat.schedule.batches import Hours
from reseat.schedule.estimate import ObservedRate
from reseat.schedule.tiered import left_out

GB = 1e9
#: Two runs, of 1 and of 0.5 GB a second; neither was limited by a throttle.
RATES = tuple(ObservedRate(rate * GB, None, datetime(2026, 1, 1, tzinfo=UTC)) for rate in (1.0, 1.0, 0.5))
AFTER = {"follower.fetch.last.tiered.offset.enable": "true"}


def cluster(sizes: list[float] | None = None) -> ClusterLayout:
    """Broker 1 has one partition of a tiered topic and one of another; 2 and 3 can take them."""
    lists = {("events", 0): [1, 2], ("plain", 0): [1, 3]}
    brokers = [Broker(broker) for broker in (1, 2, 3)]
    told = None if sizes is None else dict(zip(lists, sizes, strict=True))
    return ClusterLayout.from_assignments(lists, brokers=brokers, size_bytes=told)


def snapshot(**configs: str) -> Snapshot:
    """A reading of the cluster; ``configs`` are of every broker."""
    return Snapshot(
        cluster([4 * GB, 2 * GB]),
        datetime(2026, 1, 1, tzinfo=UTC),
        "admin",
        topic_configs={"events": {"remote.storage.enable": "true"}, "plain": {"remote.storage.enable": "false"}},
        broker_configs={broker: dict(configs) for broker in (1, 2, 3)},
    )


def test_a_snapshot_tells_what_is_tiered() -> None:
    """A setting that is false is none; after it was written and read it is the same."""
    again = read_snapshot(write_snapshot(snapshot(**AFTER)))

    assert reading_of(again).tiering == Tiering(("events",), (1, 2, 3))
    assert reading_of(snapshot()).tiering == Tiering(("events",))
    assert Tiering.of({}, {}) == Tiering()


@pytest.mark.parametrize("per", ["replica", "partition"])
def test_tables_say_what_is_tiered(per: Literal["replica", "partition"]) -> None:
    """CSV and Parquet have a column where any topic is, and read back alike; escaped names too."""
    told = Tiering(("=events", "gone"))
    layout = ClusterLayout.from_assignments({("=events", 0): [1, 2], ("plain", 0): [1, 3]}, brokers=[Broker(9)])
    texts = (write_csv(layout, per=per, tiering=told), write_parquet(layout, per=per, tiering=told))

    assert [read(text).tiering for text in texts] == [Tiering(("=events",))] * 2
    assert [read(text).layout.assignments() for text in texts] == [layout.assignments()] * 2
    assert b"tiered" not in write_csv(layout, per=per)


def test_local_logs_alone_are_copied() -> None:
    """Of a plan that moves nothing tiered, nothing is said."""
    made = plan(cluster([4 * GB, 2 * GB]), Wish(remove=(1,)))

    assert tiered_sentences(made, Tiering(("events",))) == (
        "1 new replica is of tiered topics (events), 4.0 GB of local log. What is in remote storage alone is not "
        "copied, and its size is unknown: brokers tell it in metrics alone.",
    )
    assert tiered_sentences(made, Tiering(("another",))) == ()
    assert tiered_sentences(made, Tiering()) == ()


def test_what_is_copied_is_a_range_where_followers_begin_after_the_tiered_offset() -> None:
    """The least leaves out what these brokers receive of tiered topics; without sizes no bytes are told."""
    wish = Wish(remove=(1,))
    said = tiered_sentences(plan(cluster([4 * GB, 2 * GB]), wish), Tiering(("events",), (2, 3)))
    bare = tiered_sentences(plan(cluster(), wish), Tiering(("events",), (2, 3)))

    assert said[1] == (
        "Broker 3 copies only what is not tiered yet (follower.fetch.last.tiered.offset.enable). The plan copies "
        "2.0 GB to 6.0 GB."
    )
    assert bare == (
        "1 new replica is of tiered topics (events). What is in remote storage alone is not copied, and its size "
        "is unknown: brokers tell it in metrics alone.",
        "Broker 3 copies only what is not tiered yet (follower.fetch.last.tiered.offset.enable).",
    )
    assert len(tiered_sentences(plan(cluster(), wish), Tiering(("events",), (1, 2)))) == 1


def test_records_say_what_is_likely_and_what_is_in_remote_storage_alone() -> None:
    """Of 40 local records 10 are not tiered yet: a quarter of the bytes is likely; 60 of 100 are nowhere else."""
    made = plan(cluster([4 * GB, 2 * GB]), Wish(remove=(1,)))
    said = tiered_sentences(made, Tiering(("events",), (2, 3), (("events", 100, 40, 10),)))
    whole = copies_as_dict(made, Tiering(("events",), (), (("events", 100, 40, 10),)))["copies"]

    assert said[0].endswith(
        "What is in remote storage alone (60 of 100 records of that topic) is not copied, and has 6.0 GB, its records "
        "taken for as large as local ones: brokers tell it in metrics alone."
    )
    assert "its size is unknown" in tiered_sentences(made, Tiering(("events",), (), (("events", 100, 0, 0),)))[0]
    assert said[1].endswith("The plan copies 2.0 GB to 6.0 GB, likely 3.0 GB.")
    assert isinstance(whole, dict)
    assert whole["bytes_likely"] == 6 * GB


@pytest.mark.parametrize("told", [None, 7, "abc", {"events": [1, 2, 3]}, {"events": [3, 2]}, {"events": "321"}])
def test_records_that_a_file_tells_wrongly_are_not_told(told: object) -> None:
    """Anybody may have written the file."""
    again = replace(snapshot(), facts={"tiered_records": told})

    assert read_snapshot(write_snapshot(again)).tiering == Tiering(("events",))


def test_hours_begin_where_all_is_tiered_that_may_be() -> None:
    """The low end leaves out what brokers need not copy; likely does as far as records are told; high counts all."""
    made = plan(cluster([4 * GB, 2 * GB]), Wish(remove=(1,)))
    whole = copying_of(made).hours(1 * GB)
    ranged = copying_of(made, Tiering(("events",), (2, 3))).hours(1 * GB)
    elsewhere = copying_of(made, Tiering(("events",), (1,))).hours(1 * GB)

    assert (ranged.low, ranged.likely, ranged.high) == (2.0, whole.likely, whole.high)
    assert whole.low == elsewhere.low == 6.0
    told = copying_of(made, Tiering(("events",), (2, 3), (("events", 100, 40, 10),)), rates=RATES)
    assert told.hours(1 * GB) == Hours(2.0, 3.0, 12.0)
    assert told.estimate(2 * GB).hours == Hours(1.0, 3.0, 12.0)
    assert left_out(told.batches) == " The low and likely times leave out what is tiered already."
    assert left_out(copying_of(made).batches) == ""


def test_json_says_which_bytes_and_their_range(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    """Local logs, from the least to the most; unknown without sizes."""
    file = tmp_path / "snapshot.json"
    told = replace(snapshot(**AFTER), facts={"tiered_records": {"events": [100, 40, 10]}})
    file.write_bytes(write_snapshot(told))

    assert main(["plan", str(file), "--remove", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["copies"] == {
        "of": "local logs",
        "bytes_low": 2_000_000_000,
        "bytes_likely": 3_000_000_000,
        "bytes_high": 6_000_000_000,
        "tiered_replicas": 1,
        "tiered_local_bytes": 4_000_000_000,
        "replicas_that_leave_out_what_is_tiered": 1,
    }
    bare = copies_as_dict(plan(cluster(), Wish(remove=(1,))), Tiering())["copies"]
    assert isinstance(bare, dict)
    assert (bare["bytes_low"], bare["bytes_high"]) == (None, None)


def test_a_report_says_it_beside_the_cost() -> None:
    """As the plan does, of what the input tells."""
    chapter = cost.chapter(gather(reading_of(snapshot(**AFTER)), snapshot().layout, Wish(remove=(1,))), ReportChoices())

    assert chapter is not None
    assert any("The plan copies 2.0 GB to 6.0 GB." in sentence for sentence in chapter.text)


def test_the_command_line_says_it(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below the proof, of a snapshot's file."""
    file = tmp_path / "snapshot.json"
    file.write_bytes(write_snapshot(snapshot(**AFTER)))

    assert main(["plan", str(file), "--remove", "1"]) == 0
    assert "The plan copies 2.0 GB to 6.0 GB." in capsys.readouterr().out
