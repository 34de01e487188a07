"""``report``: files written whole or not at all, what does not go together, and numbers as ``plan`` prints them."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from reseat.cli import main, report
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.tables.table_writer import write_csv
from reseat.model import Broker, ClusterLayout, Snapshot
from reseat.operate.journal.journal import Journal
from tests.history.made import write
from tests.operate.test_observed import make_ended

SAMPLE = str(Path(__file__).parent.parent.parent / "samples" / "zookeeper-2.8-three-racks.txt")
Capture = pytest.CaptureFixture[str]


def test_all_three_files_and_the_rest_are_written(tmp_path: Path, capsys: Capture) -> None:
    """Each is what its name says; one CSV and one Parquet for every table and figure."""
    names = {name: tmp_path / f"report.{name}" for name in ("html", "pdf", "pptx", "png", "svg", "txt")}
    words = ["report", SAMPLE, "--remove", "4", "--figure", "brokers", "--data", str(tmp_path / "data")]
    words += ["--audience", "operators", "--throttle", "5000000", "--price-per-gb", "0.02", "--text", str(names["txt"])]
    words += [word for name in ("html", "pdf", "pptx", "png", "svg") for word in (f"--{name}", str(names[name]))]
    code = main(words)
    said = capsys.readouterr().out

    assert code == 0
    assert names["html"].read_bytes().startswith(b"<!doctype html>")
    assert names["pdf"].read_bytes().startswith(b"%PDF-")
    assert zipfile.ZipFile(names["pptx"]).testzip() is None
    assert names["png"].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in names["svg"].read_bytes()
    assert names["txt"].read_text().startswith("samples") or "broker 4" in names["txt"].read_text()
    assert all(str(name) in said for name in names.values())
    assert {one.stem for one in (tmp_path / "data").glob("*.csv")} == {
        one.stem for one in (tmp_path / "data").glob("*.parquet")
    }
    assert {one.name for one in tmp_path.iterdir()} == {*(one.name for one in names.values()), "data"}


def test_numbers_are_those_that_plan_prints(tmp_path: Path, capsys: Capture) -> None:
    """One number has one source: moves and bytes, in the summary, the steps and the table of moves."""
    assert main(["plan", SAMPLE, "--remove", "4", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    words = ["report", SAMPLE, "--remove", "4", "--json", "--audience", "operators", "--data", str(tmp_path)]
    assert main(words) == 0
    told = {one["chapter"]: one for one in json.loads(capsys.readouterr().out)["chapters"]}
    facts = {name: {fact["label"]: fact["value"] for fact in one["facts"]} for name, one in told.items()}
    moves = pq.read_table(tmp_path / "appendix-moves.parquet")

    assert facts["steps"]["Replicas to copy"] == plan["moves"] == moves.num_rows
    assert facts["steps"]["Data to copy"] == plan["bytes_to_move"] == sum(moves["Data to copy"].to_pylist())
    assert facts["steps"]["Partitions changed"] == plan["changed_partitions"]
    assert set(told) == {
        "summary", "today", "findings", "change", "why", "cost", "risk", "leaders", "steps", "glossary", "appendix",
    }  # fmt: skip


def test_a_refused_wish_is_a_report_that_says_so(tmp_path: Path, capsys: Capture) -> None:
    """The files are there, and the exit code is that of a refused wish."""
    page = tmp_path / "page.txt"
    code = main(["report", SAMPLE, "--remove", "1,2,3,4,5,6,7", "--text", str(page)])
    said = capsys.readouterr().err

    assert code == 2
    assert said.startswith("reseat report: ")
    assert said.removeprefix("reseat report: ").split(".")[0] in page.read_text()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "No output file"),
        (["--figure", "brokers"], "--figure needs --png or --svg"),
        (["--png", "x.png"], "--figure says which"),
        (["--template", "x.pptx", "--html", "x.html"], "it needs --pptx"),
        (["--history", "tables", "--html", "x.html"], "--history needs --cluster"),
        (["--mask", "--html", "x.html"], "--mask needs --mask-key"),
        (["--mask-key", "k", "--html", "x.html"], "--mask-key goes with --mask"),
        (["--mask-names", "n", "--html", "x.html"], "--mask-names goes with --mask"),
        (["--html", "x", "--pdf", "x"], "--pdf names a file that is written by --html"),
        (["--html", "-"], "--html cannot be written to standard output"),
        (["--text", "-", "--json"], "Only one text"),
        (["--max-moves", "3", "--html", "x"], "--max-moves goes with changes that move replicas"),
        (["--kafka-version", "new", "--html", "x"], "not a Kafka version"),
        (["--figure", "none-such", "--svg", "x.svg"], "No figure 'none-such' in this report; there are: "),
        (["--logo", "logo", "--html", "x"], "cannot be read"),
        (["--html", "nowhere/x.html", "--text", "x.txt"], "nowhere/x.html: The file cannot be written"),
    ],
)
def test_what_does_not_go_together_is_refused_and_nothing_is_written(
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """One line says why."""
    monkeypatch.chdir(tmp_path)
    code = main(["report", SAMPLE, "--chapters", "summary,today", *words])
    said = capsys.readouterr().err

    assert code == 2
    assert why in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["--chapters", "summary,sumary"],
        ["--chapters", "summary,summary"],
        ["--chapters", ","],
        ["--audience", "everybody"],
        ["--price-per-gb", "-1"],
        ["--price-per-gb", "nan"],
        ["--price-per-gb", "a lot"],
        ["--throttle", "0"],
        ["--throttle", "50 fast"],
    ],
)
def test_words_that_are_not_understood_are_refused(words: list[str], capsys: Capture) -> None:
    """In one line, as everywhere."""
    with pytest.raises(SystemExit) as ended:
        main(["report", SAMPLE, "--html", "x", *words])

    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_report_is_not_written_over_what_is_read(tmp_path: Path, capsys: Capture) -> None:
    """The layout would be lost."""
    layout = tmp_path / "layout.txt"
    layout.write_text(Path(SAMPLE).read_text())

    assert main(["report", str(layout), "--html", str(layout)]) == 2
    assert "a file that is read; choose another" in capsys.readouterr().err
    assert layout.read_text() == Path(SAMPLE).read_text()


def test_a_file_that_was_there_is_replaced_whole(tmp_path: Path, capsys: Capture) -> None:
    """Through a link too; nothing else is left beside it."""
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old " * 10_000)
    link.symlink_to(real)
    assert main(["report", SAMPLE, "--text", str(link)]) == 0

    assert "old" not in real.read_text()
    assert link.is_symlink()
    assert {one.name for one in tmp_path.iterdir()} == {"real.txt", "link.txt"}


def test_history_is_told_by_the_name_of_its_cluster(tmp_path: Path, capsys: Capture) -> None:
    """Another name is refused with those that are there."""
    made = write(tmp_path)
    words = ["report", SAMPLE, "--history", str(made.tables), "--json", "--cluster"]
    assert main([*words, "nobody"]) == 2
    refused = capsys.readouterr().err
    cluster = refused.split("it has ")[1].split(" and ")[0].split(",")[0].rstrip(".\n")
    assert main([*words, cluster]) == 0
    told = json.loads(capsys.readouterr().out)

    assert "time" in [one["chapter"] for one in told["chapters"]]
    assert told["title"].startswith(cluster)


def test_copying_time_is_learned_from_the_runs_of_a_journal(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the cluster that the input names: by name, or RESEAT_JOURNAL; a journal that is not there is refused."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]}, brokers=[Broker(broker) for broker in (1, 2, 3)])
    sized = replace(layout, size_bytes=np.array([6e9]))
    file, other = tmp_path / "snapshot.json", tmp_path / "layout.csv"
    file.write_bytes(write_snapshot(Snapshot(sized, datetime(2026, 11, 24, tzinfo=UTC), "admin", cluster_id="C1")))
    other.write_bytes(write_csv(sized))
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal, pytest.MonkeyPatch.context() as clock:
        make_ended(journal, clock, seconds=60)  # 10 MB a second, without a throttle
    words = ["report", "--remove", "2", "--throttle", "20000000", "--json", "--chapters", "cost"]

    def told(*more: str) -> str:
        capsys.readouterr()
        assert main([*words, *more]) == 0
        cost = json.loads(capsys.readouterr().out)["chapters"][0]
        return next(fact["detail"] for fact in cost["facts"] if fact["label"] == "Copying takes")

    monkeypatch.setenv("RESEAT_JOURNAL", str(tmp_path / "none.sqlite"))
    assert "earlier run" not in told(str(file))
    assert "1 earlier run on this cluster of 2026-11-23" in told(str(file), "--journal", str(path))
    monkeypatch.setenv("RESEAT_JOURNAL", str(path))
    assert "1 earlier run on this cluster of 2026-11-23" in told(str(file))
    assert "earlier run" not in told(str(other))
    assert main([*words, str(file), "--journal", str(tmp_path / "none.sqlite")]) == 2
    assert main([*words, str(other), "--journal", str(path)]) == 2
    assert not (tmp_path / "none.sqlite").exists()


def test_chapters_come_in_the_order_that_was_asked_for(capsys: Capture) -> None:
    """And no others."""
    assert main(["report", SAMPLE, "--json", "--chapters", "risk,summary"]) == 0

    assert [one["chapter"] for one in json.loads(capsys.readouterr().out)["chapters"]] == ["risk", "summary"]


def test_the_text_for_chat_calls_nobody(tmp_path: Path, capsys: Capture) -> None:
    """A cluster called as a mention, or as markup, is neither there."""
    words = ["report", SAMPLE, "--cluster", "@here <!channel>", "--text", str(tmp_path / "chat.txt")]
    assert main(words) == 0
    told = (tmp_path / "chat.txt").read_text()

    assert "@here" not in told
    assert "<!channel>" not in told
    assert len(told) <= 1_501


def test_a_key_that_another_report_made_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """It was written over: nobody could make the pseudonyms of that report again. Nothing is written then."""
    key, page = tmp_path / "key", tmp_path / "page.html"
    build = report.build

    def beside(*asked: Any) -> Any:
        key.write_text("the other's")
        return build(*asked)

    monkeypatch.setattr(report, "build", beside)

    assert main(["report", SAMPLE, "--html", str(page), "--mask", "--mask-key", str(key)]) == 2
    assert capsys.readouterr().err == f"reseat report: {key}: The file cannot be written: File exists.\n"
    assert key.read_text() == "the other's"
    assert [file.name for file in tmp_path.iterdir()] == ["key"]


def test_names_come_back_by_command(tmp_path: Path, capsys: Capture) -> None:
    """A masked text with the table is the text that no mask had; a table that is none is refused with what it lacks."""
    names, key, text = (str(tmp_path / name) for name in ("names.csv", "key", "text.txt"))
    words = ["report", SAMPLE, "--remove", "4", "--audience", "operators"]
    assert main([*words, "--text", text, "--mask", "--mask-key", key, "--mask-names", names]) == 0
    masked = Path(text).read_text()
    assert main([*words, "--text", text]) == 0
    told = Path(text).read_text().replace("rack az-", "az-")  # a pseudonym says itself that it is a rack's
    Path(text).write_text(f"{masked}topic-aaaaaaaaaa is nobody's.\n")
    capsys.readouterr()

    assert "rack-" in masked
    assert main(["unmask", names, text]) == 0

    back, err = capsys.readouterr()

    assert err == f"reseat unmask: 1 pseudonym is not in {names}: topic-aaaaaaaaaa.\n"
    assert back.splitlines()[1:] == [*told.splitlines()[1:], "topic-aaaaaaaaaa is nobody's."]
    assert main(["unmask", text, names]) == 2
    assert "pseudonym,kind,name were expected" in capsys.readouterr().err

    Path(names).write_bytes(b"\xef\xbb\xbf" + Path(names).read_bytes())  # as spreadsheets save it
    assert main(["unmask", names, text]) == 0
    assert capsys.readouterr().out == back
    Path(names).write_bytes(Path(names).read_bytes() + b"rack-aaaaaaaaaa,rack,M\xfcnchen\n")
    assert main(["unmask", names, text]) == 2
    assert "is not UTF-8" in capsys.readouterr().err

    Path(names).write_bytes(Path(names).read_bytes().partition(b"rack-aaaaaaaaaa")[0] + b"alone\n")

    assert main(["unmask", names, text]) == 2
    assert "is not a row of pseudonyms" in capsys.readouterr().err
