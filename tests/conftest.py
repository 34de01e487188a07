"""What all tests share: how a test says what it needs of the machine."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal import entropy
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling, Scheduling

from reseat.operate.journal import schema
from tests.cases import cases
from tests.servers.cluster import KINDS, states

if TYPE_CHECKING:
    from tests.servers.object_store import ObjectStore

# No test is timed: on a busy machine a deadline fails tests that are right.
settings.register_profile("reseat", deadline=None, max_examples=cases(100))
settings.load_profile("reseat")

# Nobody draws from numpy's own generator (ruff's NPY002): it need not be put back for each case, a tenth of its time.
entropy.NP_RANDOM = Random()

#: What to look for and what to say where it is missing, by the name that RESEAT_REQUIRE uses.
_MISSING = {
    "browser": "No Chromium was found (chromium-headless-shell, chromium or google-chrome on the PATH).",
    "kafka": "No Java was found (java on the PATH), so that real Kafka servers cannot be started.",
    "nginx": "No nginx was found (Debian's package nginx-light), so that nothing can be tried behind a real proxy.",
}


def chromium() -> str | None:
    """The path of a Chromium, or None: before others the one without windows, a seventh faster and the same engine."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def nginx_program() -> str | None:
    """The path of an nginx, or None; Debian keeps it where only administrators look."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def require(name: str) -> None:
    """Skip the test where the machine lacks what it needs; fail it where RESEAT_REQUIRE names that.

    Args:
        name: "browser", "kafka" or "nginx".
    """
    looks = {"browser": chromium, "kafka": lambda: shutil.which("java"), "nginx": nginx_program}
    if looks[name]() is None:
        missing(name, _MISSING[name])


def missing(name: str, reason: str) -> None:
    """Skip with this reason, or fail where RESEAT_REQUIRE (names with commas between) holds the name."""
    if name in os.environ.get("RESEAT_REQUIRE", "").split(","):
        pytest.fail(f"RESEAT_REQUIRE asks for {name}. {reason}", pytrace=False)
    pytest.skip(reason)


#: Files of the pipeline's tests whose sessions are their own.
_OWN_SPARK = ("test_object_store.py", "test_session.py", "test_standalone.py")


class _ByServer(LoadFileScheduling):
    """A file's tests share a process, where they have a real Kafka those with the same kind.

    Else the file whose clusters are of two kinds would keep one process busy long after the other has nothing left. The
    pipeline's share one over their files: another Spark would have to start and to warm up.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, case = nodeid.partition("::")
        if file.startswith("tests/pipeline/") and not file.endswith(_OWN_SPARK):
            return "spark"
        return "-".join([file, *(kind for kind in KINDS if kind in case.partition("[")[2])])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """``--dist loadfile`` as it is meant here; all else as it is."""
    return _ByServer(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure with real Kafka tells what became of its servers: which run, which ended, and what they said last."""
    report = yield
    if report.failed and item.get_closest_marker("kafka") and (told := states()):
        report.sections.append(("Kafka's servers", told))
    return report


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """A real S3 service with the bucket ``fleet``, named by the environment as a user names it."""
    from tests.servers.object_store import missing_object_store, object_store

    yield from _store(missing_object_store(), object_store, tmp_path_factory.mktemp("s3"))


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """The same of Azure's, with the container ``fleet``."""
    from tests.servers.object_store import azure, missing_azure

    yield from _store(missing_azure(), azure, tmp_path_factory.mktemp("azure"))


def _store(
    missed: str | None, start: Callable[[Path, str], AbstractContextManager[ObjectStore]], home: Path
) -> Iterator[ObjectStore]:
    if missed:
        pytest.skip(missed)
    with start(home, "fleet") as running, pytest.MonkeyPatch.context() as patched:
        for name, value in running.environment.items():
            patched.setenv(name, value)
        yield running


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real HDFS; its URL."""
    from tests.servers import hdfs as servers

    if reason := servers.missing_hdfs():
        pytest.skip(reason)
    with servers.hdfs(tmp_path_factory.mktemp("hdfs")) as url:
        yield url


_MAIN = sys.modules["__main__"]


def pytest_runtest_setup() -> None:
    """The program is pytest again: an AppTest leaves its page as that, and a process that is spawned would run it."""
    sys.modules["__main__"] = _MAIN


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's folder."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session", autouse=True)
def kazoos_own_chance() -> Iterator[None]:
    """Kazoo's threads draw their jitter from a generator of their own.

    From the shared one they draw at each look round, and Hypothesis blames the strategy that was drawn meanwhile.
    """
    from kazoo import retry
    from kazoo.protocol import connection

    with pytest.MonkeyPatch.context() as patched:
        for module in (retry, connection):
            patched.setattr(module, "random", Random())
        yield


def pytest_collection_finish() -> None:
    """All that is imported, and some thousand tests, stay: no collection of garbage walks through them again.

    Streamlit's loggers, some sixty, pass on what they are told: else pytest hands each of them its handlers, and takes
    them away, six times a test.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger) and name.startswith("streamlit"):
            logger.propagate = True
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_wait_for_the_disk() -> Iterator[None]:
    """Nothing is forced to disk: what a killed process wrote is there all the same, and no test takes the power away.

    A third of the CPU time of tests that write thousands of times, and most of their waiting. That the product does
    force it has tests of its own.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        patched.setattr(schema, "SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="session")
def app_tests() -> Iterator[None]:
    """What each AppTest works out anew and is always the same is worked out once: more than half of its time.

    As in a server: the installed packages are searched for components at its start, a page's file is compiled once. A
    page is waited for without a look at it each millisecond, for which its thread would have to stand back.
    """
    from streamlit.components.v2 import manifest_scanner
    from streamlit.runtime.scriptrunner.script_cache import ScriptCache
    from streamlit.testing.v1 import app_test, local_script_runner

    scripts = ScriptCache()
    look = local_script_runner.require_widgets_deltas

    def wait(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
        for thread in threading.enumerate():
            if thread.name == "ScriptRunner.scriptThread":
                thread.join(timeout)
        if not runner.script_stopped():
            look(runner, 0)  # raises, in Streamlit's own words

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        for module in (app_test, local_script_runner):
            patched.setattr(module, "ScriptCache", lambda: scripts)
        patched.setattr(app_test, "MagicMock", cache(app_test.MagicMock))
        patched.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield
