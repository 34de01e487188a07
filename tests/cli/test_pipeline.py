"""``pipeline run``: when Spark is started, and ``--every``; everything else of ``pipeline`` is tested with Spark."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from reseat.cli import main, pipeline
from reseat.cli.output.exit_codes import ExitCode
from reseat.errors import InputRefused, PipelineBusy
from reseat.pipeline.ingest import RunReport

NOTHING = RunReport()


@pytest.fixture
def started(monkeypatch):
    """What Spark was started with, a dict each time; a session that is none."""
    told = []

    @contextmanager
    def opened(**how):
        told.append(how)
        yield f"session {len(told)}"

    monkeypatch.setattr("reseat.pipeline.spark.session.open_session", opened)
    return told


@pytest.fixture
def interrupted(monkeypatch):
    """The pause between two runs is."""

    def sleep(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline.time, "sleep", sleep)


def test_spark_is_not_started_where_nothing_has_landed(started, tmp_path, capsys):
    """A timer's run that finds nothing takes half a second; the one table that then is there is made all the same."""
    (tmp_path / "landing").mkdir()
    words = ["pipeline", "run", "--landing", str(tmp_path / "landing"), "--tables", str(tmp_path / "tables")]

    assert (main(words), main(words)) == (0, 0)
    assert started == []
    assert capsys.readouterr().out.splitlines() == [NOTHING.sentence] * 2
    assert len(list((tmp_path / "tables" / "rejected").glob("*.parquet"))) == 1


def test_tables_of_a_run_that_took_nothing_in_are_tables(started, tmp_path, capsys):
    """The jobs that a timer starts after it find nothing to do, without Spark; where nothing was run they refuse."""
    (tmp_path / "landing").mkdir()
    tables = ["--tables", str(tmp_path / "tables")]

    assert main(["pipeline", "sweep", *tables]) == 2
    assert "There are no tables here" in capsys.readouterr().err
    assert main(["pipeline", "run", "--landing", str(tmp_path / "landing"), *tables]) == 0
    assert main(["pipeline", "sweep", *tables]) == 0
    assert "Nothing to analyse" in capsys.readouterr().out
    assert started == []


@pytest.mark.parametrize(("number", "ended"), [(signal.SIGTERM, SystemExit), (signal.SIGINT, KeyboardInterrupt)])
def test_a_job_ends_as_who_stopped_it_expects(number, ended, tmp_path, monkeypatch, capsys):
    """A service manager's termination is 143, as of every command; Ctrl-C is what Python makes 130 of."""
    (tmp_path / "landing").mkdir()
    monkeypatch.setattr("reseat.pipeline.ingest.run_on_demand", lambda *_, **__: signal.raise_signal(number))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ended) as stopped:
        main(["pipeline", "run", "--landing", str(tmp_path / "landing"), "--tables", str(tmp_path / "tables")])

    assert getattr(stopped.value, "code", None) == (ExitCode.TERMINATED if number == signal.SIGTERM else None)
    assert capsys.readouterr().err.endswith("reseat: stopped.\n" if number == signal.SIGTERM else "")
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("waiting", "every", "brief"),
    [(1_000, False, True), (24_999_999, False, True), (25_000_001, False, False), (1_000, True, False)],
)
@pytest.mark.usefixtures("interrupted")
def test_spark_is_started_once_and_for_brief_work_where_little_waits(waiting, every, brief, started, monkeypatch):
    """A process that stays is worth the better compiler from the first file on."""
    sessions = []

    def ingest(session, landing, tables, *, report):
        sessions.append(session(waiting))
        sessions.append(session(waiting))
        return NOTHING

    monkeypatch.setattr("reseat.pipeline.ingest.run_on_demand", ingest)
    words = ["pipeline", "run", "--landing", ".", "--tables", "tables", *(["--every", "600"] if every else [])]

    assert main(words) == 0
    assert [how["brief"] for how in started] == [brief]
    assert sessions == ["session 1"] * 2


@pytest.mark.parametrize(
    ("words", "fetched"),
    [
        ("s3://lake/tables", True),
        ("s3://lake/tables --master spark://10.0.0.1:7077", False),
        ("s3://lake/tables --conf spark.jars.packages=a:b:1", False),
        ("tables", False),
    ],
)
def test_spark_is_told_of_the_places_and_people_of_what_is_fetched(started, words, fetched, monkeypatch, capsys):
    """A first start takes as long as 660 MB take."""
    monkeypatch.setattr("reseat.pipeline.ingest.run_on_demand", lambda session, *_, **__: session(1) and NOTHING)
    monkeypatch.setattr("reseat.cli.pipeline.Folder.open", lambda _: SimpleNamespace(exists=lambda: True))
    told = ["pipeline", "run", "--progress", "json", "--landing", "landing", "--tables", *words.split()]

    assert main(told) == 0
    assert [how["places"] for how in started] == [["landing", words.split()[0]]]
    assert ("is fetched, once" in capsys.readouterr().err) == fetched


def test_named_jars_reach_spark_and_what_is_no_file_is_refused(started, tmp_path, monkeypatch, capsys):
    """Where no repository can be reached; a setting of the same name wins."""
    jar = tmp_path / "hadoop-aws.jar"
    jar.write_bytes(b"")
    monkeypatch.setattr("reseat.pipeline.ingest.run_on_demand", lambda session, *_, **__: session(1) and NOTHING)
    words = ["pipeline", "run", "--landing", str(tmp_path), "--tables", str(tmp_path / "tables"), "--jars"]

    assert main([*words, str(jar)]) == 0
    assert main([*words, f"{jar},https://repository/b.jar", "--conf", "spark.jars=mine"]) == 0
    assert [how["settings"]["spark.jars"] for how in started] == [str(jar), "mine"]
    assert main([*words, str(jar), "--remote", "sc://somewhere"]) == 2
    assert "give --jars to the server" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*words, f"{jar},{jar}x"])
    assert f"{jar}x is not a file" in capsys.readouterr().err
    assert len(started) == 2


def test_memory_is_that_of_a_driver_here(started, tmp_path, monkeypatch, capsys):
    """A Connect server was started with its own: what is typed would do nothing."""
    monkeypatch.setattr("reseat.pipeline.ingest.run_on_demand", lambda session, *_, **__: session(1) and NOTHING)
    words = ["pipeline", "run", "--landing", str(tmp_path), "--tables", str(tmp_path / "tables"), "--memory", "2g"]

    assert main(words) == 0
    assert main([*words, "--remote", "sc://somewhere"]) == 2
    assert "has memory of its own" in capsys.readouterr().err
    assert [how["memory"] for how in started] == ["2g"]


@pytest.fixture
def stay(monkeypatch, capsys):
    """Call it with what each run gives or raises; the last pause is interrupted. Gives pauses, output and errors."""

    def call(*runs, seconds=60, lasting=0.0):
        clock, pauses, left = [1000.0], [], list(runs)

        def once():
            clock[0] += lasting
            told = left.pop(0)
            if isinstance(told, BaseException):
                raise told
            return told

        def sleep(pause):
            pauses.append(pause)
            clock[0] += pause
            if not left:
                raise KeyboardInterrupt

        monkeypatch.setattr(pipeline.time, "sleep", sleep)
        monkeypatch.setattr(pipeline.time, "monotonic", lambda: clock[0])
        pipeline.stay(once, seconds)
        out, err = capsys.readouterr()
        return pauses, out.splitlines(), err.splitlines()

    return call


def test_a_run_with_nothing_new_says_nothing_but_the_first(stay):
    """A log of a year holds what happened."""
    pauses, out, err = stay(NOTHING, NOTHING, RunReport(new=2, taken=2), NOTHING)

    assert pauses == [60, 60, 60, 60]
    assert out == [
        "No new files: every saved snapshot is in the tables.",
        "2 new files: 2 snapshots ingested. 0.0 s.",
    ]
    assert err == []


def test_a_folder_that_cannot_be_listed_is_said_when_it_is_news(stay):
    """Once, and once more when it can be again."""
    shut = RunReport(closed={"cluster=shop": "Permission denied"})
    out = stay(NOTHING, shut, shut, NOTHING, NOTHING)[1]

    assert out == [
        NOTHING.sentence,
        "No new files. Not ingested: cluster=shop (Permission denied).",
        NOTHING.sentence,
    ]


def test_it_begins_so_often_and_a_run_that_takes_longer_is_followed_at_once(stay):
    """The time is from one beginning to the next."""
    assert stay(NOTHING, NOTHING, lasting=20)[0] == [40, 40]
    assert stay(NOTHING, NOTHING, lasting=70)[0] == [0, 0]


def test_what_passes_is_said_and_tried_again(stay):
    """Another job at work, a folder out of reach; what was healed is said."""
    busy = PipelineBusy("The tables are being written by pipeline compact.")
    away = InputRefused("The folder cannot be listed.", source="/landing")
    healed = RunReport(healed=("A run that was stopped is completed.",))
    pauses, out, err = stay(NOTHING, busy, away, healed)

    assert len(pauses) == 4
    assert out[1] == "A run that was stopped is completed."
    assert err == [
        "reseat pipeline: The tables are being written by pipeline compact. Trying again in 60 seconds.",
        f"reseat pipeline: {away} Trying again in 60 seconds.",
    ]


def test_it_ends_where_nobody_reads_on(stay, monkeypatch):
    """As ``reseat pipeline run --every 600 | head -1``: else it stayed for ever, and nobody knew."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as nobody, monkeypatch.context() as patched:
        patched.setattr("sys.stdout", nobody)
        pauses, _, err = stay(NOTHING, NOTHING)

    assert (pauses, err) == ([], [])


def test_what_refuses_the_first_run_ends_it(stay):
    """A folder that is named wrongly is told at once, and not every ten minutes for ever."""
    with pytest.raises(InputRefused, match="choose a folder next to it"):
        stay(InputRefused("They are in the landing zone; choose a folder next to it."))


def test_asked_to_end_within_a_run_it_is_stopped_as_any_run_is(stay):
    """What it had begun is given back by the run itself, and the exit code tells."""
    with pytest.raises(KeyboardInterrupt):
        stay(NOTHING, KeyboardInterrupt())


def test_a_landing_zone_that_goes_away_is_said_each_time(started, tmp_path, capsys, monkeypatch):
    """A process that stays does not take it for one in which nothing landed."""
    landing, pauses = tmp_path / "landing", []
    landing.mkdir()

    def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt
        (landing.rmdir if len(pauses) == 1 else landing.mkdir)()

    monkeypatch.setattr(pipeline.time, "sleep", sleep)
    words = ["pipeline", "run", "--landing", str(landing), "--tables", str(tmp_path / "tables"), "--every", "600"]
    assert main(words) == 0
    told = capsys.readouterr()

    assert told.out.splitlines() == [NOTHING.sentence]
    assert told.err.count(f"{landing}: There is no landing zone here") == 1
    assert "Trying again in 600 seconds." in told.err


@pytest.mark.parametrize("words", ["0", "-5", "1.5", "soon", "86401"])
def test_a_time_that_is_none_is_refused(words, capsys):
    """Whole seconds."""
    with pytest.raises(SystemExit) as ended:
        main(["pipeline", "run", "--landing", "l", "--tables", "t", f"--every={words}"])

    assert ended.value.code == 2
    assert "whole seconds from 1 to 86400 were expected" in capsys.readouterr().err
