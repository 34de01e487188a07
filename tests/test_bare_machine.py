"""What the README and the Containerfile promise, on a Debian that has nothing of Reseat: `make soak` runs it.

The steps of the Containerfile are carried out as they stand, in a root of the same Debian and Python as its base image.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.servers.bare_machine import NEWEST, SUITE, BareMachine, lacking, made
from tests.servers.ports import free_port
from tests.test_deploy import ROOT, STEPS, words
from tests.test_wheel import built as wheel_in
from tests.test_wheel import versions

pytestmark = pytest.mark.slow

#: Seconds for what is fetched and installed, and for a server to answer.
_INSTALLED, _ANSWERS = 900, 120


@pytest.fixture
def machine(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[BareMachine]:
    """Debian's smallest set of packages, with what the README asks for: Python and make."""
    reason = lacking()
    if reason is not None:
        missing("debootstrap", reason)
    suite = getattr(request, "param", SUITE)
    yield made(tmp_path / "root", "python3", "python3-venv", "make", "ca-certificates", suite=suite)
    subprocess.run(["rm", "-rf", "--one-file-system", tmp_path / "root"], check=True)


def tracked() -> list[str]:
    """The files of the checkout."""
    told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in told.split("\0") if name]


def ended(process: subprocess.Popen[bytes], machine: BareMachine) -> float:
    """Ask the program to end as a container is asked to; returns the seconds that it took."""
    began = time.monotonic()
    machine.first(process).send_signal(signal.SIGTERM)
    process.wait(30)
    return time.monotonic() - began


def test_make_run_is_all_that_a_new_machine_needs(machine: BareMachine, tmp_path: Path) -> None:
    """From a checkout, as an ordinary user: `make run` installs all and answers, later at once; `make test` begins.

    The tests themselves are those of one folder: all of them are this machine's own.
    """
    for name in tracked():
        machine.copy([ROOT / name], f"/home/you/reseat/{name}")
    machine.run("chown -R 1000:1000 /home/you && chmod 1777 /tmp", seconds=60)
    you = replace(machine, user=1000, folder="/home/you/reseat", variables=machine.variables | {"HOME": "/home/you"})
    for patience in (_INSTALLED, _ANSWERS):
        port = free_port()
        log = tmp_path / f"run-{patience}.txt"
        running = you.start(["make", "run", f"PORT={port}"], log, apart=False)
        try:
            until = time.monotonic() + patience
            while (answer := asked(port)) is None and running.poll() is None and time.monotonic() < until:
                time.sleep(0.5)
            assert answer == "ok", log.read_text()[-4000:]
            assert "Traceback" not in log.read_text()
        finally:
            you.kill(running)

    checked = you.run("make check && .venv/bin/python -m pytest -q -n 2 tests/model", seconds=_INSTALLED)

    assert "Success: no issues found" in checked
    assert re.search(r"^[0-9]+ passed", checked, re.M)
    assert "Making .venv with Python 3.11" in (tmp_path / f"run-{_INSTALLED}.txt").read_text()
    assert "Installing" not in (tmp_path / f"run-{_ANSWERS}.txt").read_text()


def test_what_operations_begins_with_is_enough(machine: BareMachine) -> None:
    """The lines of docs/operations.md up to the doctor, from a checkout: all is installed, and nothing is broken."""
    block = (ROOT / "docs" / "operations.md").read_text().partition("```sh\n")[2].partition("```")[0].splitlines()
    *lines, start = block
    for name in tracked():
        machine.copy([ROOT / name], f"/srv/reseat/{name}")
    machine.run("chmod 1777 /tmp", seconds=60)
    there = replace(machine, folder="/srv/reseat", variables=machine.variables | {"HOME": "/root"})
    said = [there.run(line, seconds=_INSTALLED) for line in lines]

    assert start.startswith("/opt/reseat/bin/reseat dashboard")
    assert "Versions" in said[-1]
    assert "The dashboard is in /opt/reseat/" in said[-1]


@pytest.mark.parametrize("machine", [NEWEST], indirect=True)
def test_the_wheel_works_on_the_newest_python_of_debian(machine: BareMachine, tmp_path: Path) -> None:
    """With all extras and the lock file's versions: a plan, a report, and the pipeline on Spark."""
    wheel = wheel_in(tmp_path)
    (tmp_path / "versions").write_text(versions())
    machine.copy([wheel, tmp_path / "versions"], "/srv/person/")
    there = replace(machine, folder="/srv/person", variables=machine.variables | {"HOME": "/srv/person"})
    there.run(
        "chmod 1777 /tmp && python3 -m venv uv && uv/bin/pip install -q uv && python3 -m venv --without-pip env"
        f" && uv/bin/uv pip install -q --python env/bin/python -c versions 'reseat[all] @ file:///srv/person/{wheel.name}'",
        seconds=_INSTALLED,
    )
    sample = next(machine.inside("/srv/person/env").rglob("zookeeper-2.8-three-racks.txt")).relative_to(machine.root)
    for line in (
        f"plan /{sample} --remove 7 --output plan.json",
        f"report /{sample} --remove 7 --pdf report.pdf --pptx report.pptx",
        f"land /{sample} --landing landing --cluster production --taken-at 2026-05-01T03:10:00Z",
        "pipeline run --landing landing --tables tables",
    ):
        there.run(f"env/bin/reseat {line}", seconds=_INSTALLED)

    assert re.search(r"on Python 3\.1[4-9]", there.run("env/bin/reseat doctor", seconds=_ANSWERS))
    assert list(machine.inside("/srv/person/tables").rglob("*.parquet"))


def asked(port: int) -> str | None:
    """What a server's health says, or None where none answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return str(answer.read().decode().strip())
    except OSError:
        return None


#: Which stages of the Containerfile a target is made of.
_STAGES = {
    "slim": ("build", "base", "slim"),
    "full": ("build", "build-full", "base", "full"),
    "kerberos": ("build", "build-kerberos", "base", "slim", "kerberos"),
}


def built(machine: BareMachine, target: str) -> BareMachine:
    """Carry out the Containerfile's steps of a target; the machine as the image says that it runs."""
    machine.run("ln -s python3 /usr/bin/python && chmod 1777 /tmp", seconds=60)  # as the base image has it
    stage, folder, told = "", "/", dict[str, str]()
    for name, said in STEPS:
        if name == "FROM":
            stage = said.split()[-1]
        if stage not in _STAGES[target]:
            continue
        if name == "WORKDIR":
            folder = said
            machine.inside(said).mkdir(parents=True, exist_ok=True)
        elif name == "COPY" and "--from" not in said:
            *sources, to = said.split()
            machine.copy([ROOT / source for source in sources], f"{folder}/{to}")
        elif name == "RUN":
            replace(machine, folder=folder).run(said, seconds=_INSTALLED)
        elif name == "ENV":
            told |= dict(pair.split("=", 1) for pair in said.split())
    told["PATH"] = told["PATH"].replace("$PATH", "/usr/local/bin:/usr/bin:/bin")
    writable = {"/tmp": "-t tmpfs tmpfs", "/data": f"--bind {machine.inside('/data')}"}
    return BareMachine(machine.root, told, int(words("USER")[0]), folder, writable)


#: Writes the journal, and holds the tables as a job of the pipeline does, for some seconds.
_HOLDS = """
import sqlite3, sys, time
from pathlib import Path
from reseat.history.folder import Folder
from reseat.operate.journal.journal import Journal
from reseat.pipeline.lock import hold
Journal(Path("/data/journal.sqlite")).close()
database = sqlite3.connect("/data/journal.sqlite", isolation_level=None)
with hold(Folder.open("/data/tables"), "run"):
    database.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    time.sleep(float(sys.argv[1]))
"""


def test_the_image_runs_on_a_root_that_cannot_be_written(machine: BareMachine, tmp_path: Path) -> None:
    """As user 10001 and first process, without a network: healthy, writing to /data alone, ended well by SIGTERM.

    Killed, it leaves no lock.
    """
    image = built(machine, "slim")
    command = [*json.loads(words("ENTRYPOINT")[0]), *json.loads(words("CMD")[0])]
    healthy = json.loads(words("HEALTHCHECK")[0].partition("CMD ")[2])
    log = tmp_path / "server.txt"
    running = image.start(command, log, apart=True)
    try:
        until = time.monotonic() + _ANSWERS
        while (check := image.beside(running, healthy)).returncode and time.monotonic() < until:
            time.sleep(0.5)
        assert check.returncode == 0, f"{check.stderr[-1000:]}\n{log.read_text()[-4000:]}"

        def fetched(port: int, path: str) -> str:
            code = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}{path}').read().decode())"
            done = image.beside(running, ["python", "-c", code])
            assert done.returncode == 0, done.stderr[-2000:]
            return done.stdout

        ready = json.loads(fetched(8501, "/readyz"))
        program = image.first(running)

        assert ready["ready"] is True, ready
        assert "reseat_sessions" in fetched(9108, "/metrics")
        assert set(program.uids()) == {10001}
        assert image.beside(running, ["touch", "/opt/reseat/x"]).returncode != 0
        assert image.beside(running, ["touch", "/data/x"]).returncode == 0
        # Killed as a run writes the journal and a job holds the tables, it leaves nothing that the next one waits for.
        held = image.beside(
            running,
            ["sh", "-c", 'python -c "$0" 600 >/data/held 2>&1 & until [ -s /data/held ]; do sleep 0.2; done', _HOLDS],
        )
        assert (held.returncode, (image.inside("/data") / "held").read_text()) == (0, "held\n")
        program.kill()
        running.wait(30)
        running = image.start(command, log, apart=True)
        until = time.monotonic() + _ANSWERS
        while image.beside(running, healthy).returncode and time.monotonic() < until:
            time.sleep(0.5)
        again = image.beside(running, ["python", "-c", _HOLDS, "0"])
        assert (again.returncode, again.stdout) == (0, "held\n"), again.stderr
        assert json.loads(fetched(8501, "/readyz"))["ready"] is True
        assert ended(running, image) < 10
    finally:
        image.kill(running)

    assert running.returncode == 0
    assert not re.search("Traceback|Read-only file system|Permission denied", log.read_text())


def test_the_full_image_has_spark_and_its_java(machine: BareMachine, tmp_path: Path) -> None:
    """As the other, user 10001 on a root that cannot be written, without a network: a snapshot becomes tables."""
    image = built(machine, "full")
    sample = next(image.inside("/opt/reseat").rglob("zookeeper-2.8-three-racks.txt")).relative_to(image.root)
    landed = ["land", f"/{sample}", "--landing", "/data/landing", "--cluster", "production"]
    for words_of in (
        [*landed, "--taken-at", "2026-05-01T03:10:00Z"],
        ["pipeline", "run", "--landing", "/data/landing", "--tables", "/data/tables"],
        ["doctor"],
    ):
        log = tmp_path / f"{words_of[0]}.txt"
        running = image.start([*json.loads(words("ENTRYPOINT")[0]), *words_of], log, apart=True)
        assert running.wait(_INSTALLED) == 0, log.read_text()[-4000:]
        assert not re.search("Traceback|Read-only file system|Permission denied", log.read_text())

    assert "is Java 21" in (tmp_path / "doctor.txt").read_text()
    assert list(image.inside("/data/tables").rglob("cluster=production/**/*.parquet"))


def test_the_image_for_kerberos_has_it_and_asks_for_the_keytab(machine: BareMachine, tmp_path: Path) -> None:
    """Compiled in it, as user 10001 on a root that cannot be written: the keytab that is not there is named."""
    machine.run("apt-get update && apt-get install --yes --no-install-recommends python3-dev", seconds=_INSTALLED)
    image = built(machine, "kerberos")
    (image.inside("/data") / "client.properties").write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=GSSAPI\n"
        "sasl.kerberos.keytab=/data/gone.keytab\nsasl.kerberos.principal=reseat@EXAMPLE.ORG\n"
    )
    asked = [
        "snapshot",
        "--bootstrap",
        "127.0.0.1:9",
        "--config",
        "/data/client.properties",
        "--output",
        "/data/now.json",
    ]
    said = {}
    for name, words_of in {"doctor": ["doctor"], "snapshot": asked}.items():
        log = tmp_path / f"{name}.txt"
        running = image.start([*json.loads(words("ENTRYPOINT")[0]), *words_of], log, apart=True)
        assert running.wait(_ANSWERS) == (2 if name == "snapshot" else 0), log.read_text()[-4000:]
        said[name] = log.read_text()

    assert "ok Extras: Signing in with Kerberos: installed." in said["doctor"]
    assert "kerberos_keytab: the file cannot be read" in said["snapshot"]
