"""Fleet under AppTest: its states from empty to huge, a cluster opened, the pipeline's line beside it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from components.over_time import no_history, pipeline_bar
from components.state import shared
from components.state.store import KEY
from reseat.history.commit_record import CommitRecord, record_path
from reseat.history.schema import arrow_schema
from reseat.jobs.process import Phase, PipelineProcess, Stage
from tests.history import made
from tests.pages.conftest import at_clusters, tables, texts, through

PATIENCE = 30.0


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Iterator[PipelineProcess]:
    """A server on which nobody has run the pipeline."""
    process = PipelineProcess(grace=0.3)
    monkeypatch.setattr(shared, "pipeline", lambda: process)
    yield process
    process.cancel()
    assert process.wait(PATIENCE)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: PipelineProcess) -> Path:
    """A landing zone and tables of this test's own, empty."""
    monkeypatch.setenv("RESEAT_LANDING", str(tmp_path / "landing"))
    monkeypatch.setenv("RESEAT_TABLES", str(tmp_path / "tables"))
    return tmp_path


def at_fleet(app: AppTest) -> AppTest:
    """Go to Fleet."""
    return at_clusters(app, "fleet")


def jobs_are(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    """Let the buttons run small programs instead of Spark."""
    stages = tuple(Stage(f"Stage {at}", (sys.executable, "-c", one)) for at, one in enumerate(programs, 1))
    monkeypatch.setattr(pipeline_bar, "run_job", lambda landing, tables: stages)
    monkeypatch.setattr(no_history, "demo_job", lambda landing, tables: stages)


def test_an_empty_history_says_how_to_begin(app: AppTest, home: Path) -> None:
    """The commands to copy name the folders in use; the demo is one click away; no table, nothing broken."""
    at_fleet(app)
    commands = "\n".join(str(code.value) for code in app.code).replace(" \\\n   ", "")

    assert not app.exception
    assert "No history yet: save a first snapshot, or try the demo week." in texts(app)
    assert f"reseat snapshot --bootstrap kafka-1:9092 --landing {home}/landing" in commands
    assert f"reseat pipeline run --landing {home}/landing --tables {home}/tables\n" in commands
    assert "--progress" not in commands
    assert not app.button(key="pipeline-demo").disabled
    assert not tables(app)


def test_landed_snapshots_that_nobody_took_in_are_told_of(app: AppTest, home: Path) -> None:
    """Then the next thing to do is to run the pipeline, not to land."""
    (home / "landing" / "cluster=prod").mkdir(parents=True)
    at_fleet(app)

    assert "Snapshots are saved but not ingested yet: run the pipeline." in texts(app)


def test_the_fleet_at_a_look(app: AppTest, home: Path) -> None:
    """The sentence, the figures, the table worst first; old snapshots are called old."""
    made.write(home)
    at_fleet(app)
    table = tables(app)[0].value

    assert not app.exception
    assert "2 of 2 clusters would lose data or availability if one broker fails" in texts(app)
    assert table["cluster"].tolist() == ["shop", "007"]
    assert table["weakest broker"].tolist() == ["broker 4: 1 offline", "broker 0: 2 below min ISR"]
    assert all(re.fullmatch(r"▲ \d+ days", age) for age in table["age"])
    assert app.metric[0].value == "2"


def test_a_cluster_is_opened_on_other_pages(app: AppTest, home: Path) -> None:
    """One click on a way: its latest snapshot is what all pages show, and the strip says that it is the past."""
    made.write(home)
    at_fleet(app)
    app.session_state[KEY].kept["fleet-opened"] = "shop"
    app.run()
    opened = texts(app)
    through(app, "Overview", "overview")

    assert not app.exception
    assert "shop** · " in opened
    assert "Weakest: broker 4: 1 offline, 1 below min ISR; rack a: 1 offline, 2 below min ISR." in opened
    assert app.session_state[KEY].opened[app.session_state[KEY].current].past.cluster == "shop"
    assert "8 partitions" in texts(app)


@pytest.mark.parametrize(("linked", "opened"), [("", "shop"), ("007", "007"), ("gone", "shop")])
def test_the_cluster_that_is_opened_stands_in_the_address(app: AppTest, home: Path, linked: str, opened: str) -> None:
    """By itself the worst; the link's, where the history has it; so a link to it opens the same."""
    made.write(home)
    if linked:
        app.query_params["cluster"] = linked
    at_fleet(app)

    assert not app.exception
    assert f"{opened}** · " in texts(app)
    assert app.query_params["cluster"] in (opened, [opened])


def test_a_link_that_waits_stays_in_the_address(app: AppTest, home: Path) -> None:
    """Its layout is not on the server: the page draws its own, and loading it anew still asks for that file."""
    made.write(home)
    app.query_params["layout"] = "0" * 32
    app.query_params["remove"] = "1"
    at_fleet(app)

    assert not app.exception
    assert {"layout", "remove", "cluster"} <= set(app.query_params)


def test_partial_without_a_sweep_nobody_is_called_safe(app: AppTest, home: Path) -> None:
    """Taken in, not swept: the sentence and the table say so, and no figure of nothing is drawn."""
    made.write(home, swept=False)
    at_fleet(app)

    assert not app.exception
    assert "2 clusters saved, but failures are not analysed yet: run the pipeline." in texts(app)
    assert set(tables(app)[0].value["weakest rack"]) == {"not analysed yet"}
    assert "✔ tolerates any such loss" not in texts(app)


def test_files_that_could_not_be_read_are_told_of(app: AppTest, home: Path) -> None:
    """One landed file was rejected: the page says how many, where and why."""
    made.write(home)
    rejected = {"cluster": "shop", "path": "cluster=shop/x.json", "reason": "No JSON.", "size_bytes": 3}
    pq.write_table(
        pa.Table.from_pylist([rejected], arrow_schema("rejected")), home / "tables" / "rejected" / "1.parquet"
    )
    at_fleet(app)

    assert any("1 saved file could not be read" in one.label for one in app.expander)


def test_a_run_that_ended_in_the_middle_is_told_of(app: AppTest, home: Path) -> None:
    """A commit was stopped: which days it was about is said, and that the next run heals them."""
    tables = made.write(home).tables
    record = CommitRecord(add=(), remove=(), cluster_days=(("shop", made.FIRST_DAY), ("shop", made.SECOND_DAY)))
    file = tables / record_path(1)
    file.parent.mkdir(parents=True)
    file.write_bytes(record.to_bytes())
    at_fleet(app)

    assert not app.exception
    assert (
        "2 days of 1 cluster are partly rewritten: a run is in progress or ended early. The next run repairs that."
        in texts(app)
    )


def test_tables_that_cannot_be_read_are_refused_in_words(app: AppTest, home: Path) -> None:
    """A broken Parquet file: no traceback, the place, and the button that mends it."""
    home_of = made.write(home).tables / "snapshots" / "cluster=shop" / f"day={made.SECOND_DAY}"
    (home_of / "broken.parquet").write_bytes(b"PAR1 no PAR1")
    at_fleet(app)

    assert not app.exception
    assert "cannot be read" in texts(app)
    assert app.button(key="pipeline-run")


def test_a_run_is_seen_by_everybody_and_cancelled_by_anybody(
    app: AppTest, home: Path, monkeypatch: pytest.MonkeyPatch, pipeline: PipelineProcess
) -> None:
    """One starts it, a second sees the same progress and log after a fresh visit, and cancels it."""
    line = '{"step": "read", "done": 3, "total": 12, "sentence": "Reading 3 of 12 files."}'
    jobs_are(
        monkeypatch, f"import threading; print('hello'); print('{line}', flush=True); threading.Event().wait()", ""
    )
    at_fleet(app).button(key="pipeline-demo").click().run()
    assert pipeline.wait_for(lambda state: state.progress is not None, PATIENCE)
    second = at_fleet(AppTest.from_file(app._script_path, default_timeout=60))
    seen = texts(second)
    second.button(key="pipeline-cancel").click().run()
    assert pipeline.wait(PATIENCE)
    second.run()

    assert not second.exception
    assert "The pipeline is running" in seen
    assert "Stage 1** (1 of 2): Reading 3 of 12 files" in seen
    assert second.button(key="pipeline-run")
    assert "Cancelled just now" in texts(second)
    assert "The tables are whole" in texts(second)
    assert pipeline.state.phase is Phase.CANCELLED


@pytest.mark.parametrize(
    "ending",
    [
        ("print('Took in 4 snapshots.')", "Done just now"),
        ("import sys; print('reseat pipeline: Another run is at work since 12:00.'); sys.exit(2)", "Not run:"),
        ("import sys; print('reseat: a fault'); sys.exit(1)", "failed with exit code 1"),
    ],
)
def test_how_a_run_ended_stays_on_the_page(
    app: AppTest, home: Path, monkeypatch: pytest.MonkeyPatch, pipeline: PipelineProcess, ending: tuple[str, str]
) -> None:
    """Done with its report, refused with the refusal's own sentence, failed with what it said last."""
    program, said = ending
    made.write(home)
    jobs_are(monkeypatch, program)
    at_fleet(app).button(key="pipeline-run").click().run()
    assert pipeline.wait(PATIENCE)
    app.run()

    assert not app.exception
    assert said in texts(app)
    assert pipeline.state.log[0].removeprefix("reseat pipeline: ").removeprefix("reseat: ") in texts(app)
