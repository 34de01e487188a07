"""``pipeline``: the jobs on Spark, and the week of demo clusters."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING

from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, say
from reseat.errors import InputRefused, PipelineBusy
from reseat.history.folder import Folder
from reseat.model.wording import counted
from reseat.pipeline.lock import check_free
from reseat.pipeline.progress import JobProgress, Report

if TYPE_CHECKING:
    from types import FrameType

    from pyspark.sql import SparkSession

    from reseat.pipeline.ingest import RunReport

__all__ = ["compact", "demo", "migrate", "retain", "run", "sweep"]

#: Seconds between two words of progress of one step.
_PACE = 0.2
#: Landed bytes up to which a run is brief: two million replica rows or so, from which on the better code is worth its
#: compiling.
_BRIEF_BYTES = 25_000_000


def run(chosen: argparse.Namespace) -> int:
    """Take newly landed snapshots into the tables."""
    from reseat.pipeline.ingest import run_on_demand

    landing, tables = Folder.open(chosen.landing), Folder.open(chosen.tables)
    opened = list["SparkSession"]()
    with _asked_to_end(), ExitStack() as kept:
        report = kept.enter_context(_reporter(chosen))

        def session(waiting: int) -> SparkSession:
            if not opened:
                brief = chosen.every is None and waiting <= _BRIEF_BYTES
                opened.append(kept.enter_context(_session(chosen, report, brief=brief)))
            return opened[0]

        def once() -> RunReport:
            if not landing.exists():  # asked each time: a zone that went away is not one in which nothing landed
                raise InputRefused(
                    "There is no landing zone here; `reseat snapshot --landing` and `reseat land` make one.",
                    source=chosen.landing,
                )
            return run_on_demand(session, landing, tables, report=report)

        if chosen.every is not None:
            stay(once, chosen.every)
            return 0
        done = once()
    return _said(chosen, *done.healed, done.sentence)


def stay(once: Callable[[], RunReport], seconds: int) -> None:
    """Run so often, until this process is asked to end between two runs, or nobody reads what it says.

    What refuses the first run is a mistake in how it was started, and is raised. Later it is another job at work, or a
    folder that cannot be reached for a while: that is said, and tried again.
    """
    last: RunReport | None = None
    while True:
        began = time.monotonic()
        words: tuple[str, ...] = ()
        try:
            done = once()
        except (PipelineBusy, InputRefused) as error:
            if last is None:
                raise
            complain(f"reseat pipeline: {error} Trying again in {counted(seconds, 'second')}.")
        else:
            if last is None or done.new or done.healed or done.closed != last.closed:
                words = (*done.healed, done.sentence)
            last = done
        try:
            if not say(*words):
                return
            time.sleep(max(0.0, began + seconds - time.monotonic()))
        except KeyboardInterrupt:  # nothing is begun that would have to be given back
            return


def sweep(chosen: argparse.Namespace) -> int:
    """Fill ``resilience``."""
    from reseat.pipeline.sweep import sweep_on_demand

    tables = _tables(chosen)
    check_free(tables, "pipeline sweep")
    with _asked_to_end(), ExitStack() as kept:
        report = kept.enter_context(_reporter(chosen))
        session = cache(lambda: kept.enter_context(_session(chosen, report)))
        done = sweep_on_demand(session, tables, cluster=chosen.cluster, latest=chosen.latest, report=report)
    return _said(chosen, done.sentence)


def compact(chosen: argparse.Namespace) -> int:
    """Make one file of many."""
    from reseat.pipeline.upkeep.compaction import compact as merge

    tables = _tables(chosen)
    with _job(chosen, tables) as (spark, report):
        done = merge(spark, tables, cluster=chosen.cluster, report=report)
    return _said(chosen, done.sentence)


def retain(chosen: argparse.Namespace) -> int:
    """Thin out what is old."""
    from reseat.pipeline.upkeep.retention import retain as thin_out

    tables = _tables(chosen)
    with _job(chosen, tables) as (spark, report):
        done = thin_out(spark, tables, keep_days=chosen.keep_days, report=report)
    return _said(chosen, done.sentence)


def migrate(chosen: argparse.Namespace) -> int:
    """Copy tables to where they are Delta tables."""
    from reseat.pipeline.upkeep.migration import migrate as copy

    with _asked_to_end(), _reporter(chosen) as report:
        done = copy(Folder.open(chosen.source), Folder.open(chosen.target), report=report)
    say(done.sentence)
    return 0


def demo(chosen: argparse.Namespace) -> int:
    """Land a generated week."""
    from reseat.demo.week import land_demo_week

    with _reporter(chosen) as report:

        def told(done: int, total: int) -> None:
            report(JobProgress("demo", done, total, f"Saving the demo week: {done:,} of {total:,} snapshots."))

        landed = land_demo_week(chosen.landing, seed=chosen.seed, report=told)
    new = sum(file.new for file in landed)
    there = f"; {len(landed) - new:,} already saved" if new < len(landed) else ""
    say(f"{counted(new, 'snapshot')} saved in {chosen.landing}{there}.")
    return 0


def _said(chosen: argparse.Namespace, *sentences: str) -> int:
    """Say what a job did; after the first, prepare faster starts of Spark, which may be stopped and may fail."""
    from reseat.pipeline.spark.classes import keep

    say(*sentences)
    with _asked_to_end(), suppress(KeyboardInterrupt), _reporter(chosen) as report:
        keep(
            begun=lambda: report(
                JobProgress("prepare", 0, None, "Preparing faster starts of Spark, once; Ctrl-C skips it.")
            )
        )
    return 0


def _tables(chosen: argparse.Namespace) -> Folder:
    tables = Folder.open(chosen.tables)
    # A run makes ``rejected`` also where no snapshot was landed yet, or none that can be read: nothing is wrong then.
    if not any(map(tables.exists, ("snapshots", "rejected"))):
        raise InputRefused(
            "There are no tables here; `reseat pipeline run --landing DIR --tables DIR` makes them.",
            source=chosen.tables,
        )
    return tables


@contextmanager
def _job(chosen: argparse.Namespace, tables: Folder) -> Iterator[tuple[SparkSession, Report]]:
    """A session for one job, and whom it tells how far it is."""
    check_free(tables, f"pipeline {chosen.action}")
    with _asked_to_end(), _reporter(chosen) as report, _session(chosen, report) as spark:
        yield spark, report


@contextmanager
def _session(chosen: argparse.Namespace, report: Report, *, brief: bool = False) -> Iterator[SparkSession]:
    """Spark where the command line says; ``brief``: for work of some seconds."""
    from reseat.pipeline.spark.session import open_session
    from reseat.pipeline.spark.settings import is_local, packages_for

    if chosen.jars and chosen.remote:
        raise InputRefused("A Spark Connect server has jars of its own: give --jars to the server.")
    if chosen.memory and chosen.remote:
        raise InputRefused(
            "A Spark Connect server has memory of its own: --memory is that of a driver on this machine."
        )
    settings = ({"spark.jars": chosen.jars} if chosen.jars else {}) | dict(chosen.conf)
    places = [place for place in (getattr(chosen, "landing", ""), chosen.tables) if place]
    embedded = chosen.remote is None and is_local(chosen.master or "local[*]")
    fetched = " What it needs for these places is fetched, once." if embedded and packages_for(places, settings) else ""
    report(JobProgress("start", 0, None, f"Starting Spark.{fetched}"))
    with open_session(
        master=chosen.master,
        remote=chosen.remote,
        settings=settings,
        memory=chosen.memory,
        brief=brief,
        places=places,
    ) as spark:
        yield spark


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Asked to end (by a service manager, or the dashboard's button) a job gives its staging back, as on Ctrl-C."""
    asked: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        # The bridge to Java tells with a traceback that its connection broke in the middle of a command: that is this.
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if not asked:
            raise
        complain("reseat: stopped.")
        raise SystemExit(ExitCode.TERMINATED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _reporter(chosen: argparse.Namespace) -> Iterator[Report]:
    """Progress on standard error: a JSON line each for a program, a line a step for a person.

    At a terminal also how far the step is, but for a job that stays and mostly waits.
    """
    text = chosen.progress == "text"
    with ExitStack() as kept:
        at_work = text and getattr(chosen, "every", None) is None
        tell = kept.enter_context(working("At work")) if at_work else None
        yield _told(text, tell)


def _told(text: bool, tell: Callable[..., None] | None) -> Report:
    step, told_at = "", 0.0

    def report(progress: JobProgress) -> None:
        nonlocal step, told_at
        now = time.monotonic()
        same = progress.step == step
        if tell is not None:
            tell("At work", progress.done, progress.total)
        if same and (text or (now - told_at < _PACE and progress.done != progress.total)):
            return
        step, told_at = progress.step, now
        facts = {"step": step, "done": progress.done, "total": progress.total, "sentence": progress.sentence}
        complain(progress.sentence if text else json.dumps(facts, ensure_ascii=False))

    return report
