"""The package as others get it: a wheel, installed into an environment that has nothing of the checkout."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from reseat import __version__
from reseat.installed import EXTRAS
from tests.servers.dashboard import stop
from tests.servers.ports import free_port

ROOT = Path(__file__).parent.parent
UV = Path(sys.executable).with_name("uv")
#: Seconds until a server that does not answer is given up.
_PATIENCE = 60
#: A line for each page under AppTest: its first heading, and how many errors it shows. For the environment's Python.
_HEADINGS = """
import sys
from datetime import UTC, datetime
from functools import cache
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from reseat.installed import DASHBOARD
sys.path.insert(0, str(DASHBOARD))
from components.state.opened import Opened, SessionState
from components.state.store import KEY
from reseat.demo.samples import load_sample, samples
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
opened = Opened(load_sample(samples()[0]), datetime.now(UTC))
app = AppTest.from_file(str(DASHBOARD / "app.py"), default_timeout=60)
app.session_state[KEY] = SessionState(opened={"sample": opened}, current="sample", started=True)
app.run()
for page, query in (name.partition("?")[::2] for name in sys.argv[1:]):
    app.switch_page(f"pages/{page}.py")
    app.query_params.update([query.split("=")] if query else [])
    app.run()
    title = app.title[0].value.replace(chr(92), "") if app.title else ""
    print(page + "?" * bool(query) + query, title, len(app.exception), sep=" | ")
"""


@dataclass(frozen=True)
class Environment:
    """Where a wheel is installed, and the folder that its commands run in, which holds nothing of Reseat."""

    home: Path
    folder: Path

    def install(self, *what: str) -> None:
        """Install with the lock file's versions; what is kept of earlier installations needs no network."""
        command = [UV, "pip", "install", "-q", "--python", self.home / "bin" / "python", "-c", self.folder / "versions"]
        if subprocess.run([*command, "--offline", *what], capture_output=True, check=False).returncode:
            subprocess.run([*command, *what], check=True)

    def run(self, *words: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        """A command of the environment."""
        command = [self.home / "bin" / words[0], *words[1:]]
        return subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, text=True, timeout=120, check=check
        )

    @property
    def variables(self) -> dict[str, str]:
        """Those of a person who has installed Reseat and nothing else."""
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}


def built(folder: Path) -> Path:
    """The wheel, made from the checkout."""
    command = [UV, "build", "-q", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return next(folder.glob("*.whl"))


def made(folder: Path, python: str) -> Environment:
    """An empty environment with the lock file's versions beside it."""
    environment = Environment(folder / "env", folder)
    subprocess.run([UV, "venv", "-q", "--python", python, environment.home], check=True, capture_output=True)
    (folder / "versions").write_text(versions())
    return environment


def versions() -> str:
    """The lock file's, without their hashes: given these, an installer wants one of Reseat itself."""
    return "\n".join(re.findall(r"^([\w-][^\n]*?) *\\?$", (ROOT / "requirements.lock").read_text(), re.M))


def answers(url: str, server: subprocess.Popen[bytes]) -> bytes:
    """What a server that has just been started says at an address."""
    for _ in range(_PATIENCE * 10):
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bytes(answer.read())
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            threading.Event().wait(0.1)
    return pytest.fail(f"{url} did not answer")


def test_the_wheel_works_by_itself_and_names_the_extra_that_a_door_lacks(tmp_path: Path) -> None:
    """Commands, a plan, the dashboard below a path; without extras everything else is said in one sentence each."""
    wheel = built(tmp_path)
    there = made(tmp_path, sys.executable)
    there.install(str(wheel))
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = [file for top in ("reseat", "pages", "components", "samples") for file in (ROOT / top).rglob("*.*")]
    names = {file.relative_to(ROOT).as_posix() for file in files if file.is_file() and file.suffix != ".pyc"}
    expected = {name if name.startswith("reseat/") else f"reseat_dashboard/{name}" for name in names}
    expected |= {"reseat_dashboard/app.py", "reseat_dashboard/.streamlit/config.toml"}

    assert expected - packed == set()
    assert {name for name in packed if ".dist-info/" not in name} == expected
    assert there.run("reseat", "--version").stdout == f"reseat {__version__}\n"

    layout = next(there.home.rglob("zookeeper-2.8-three-racks.txt"))
    planned = there.run("reseat", "plan", str(layout), "--remove", "7", "--output", "plan.json")

    assert (planned.returncode, planned.stderr) == (0, "")
    assert (tmp_path / "plan.json").exists()
    landed = ["--landing", "landing", "--cluster", "production", "--taken-at", "2026-05-01T03:10:00Z"]
    there.run("reseat", "land", str(layout), *landed, check=True)
    for name, words in (
        ("live", ["snapshot", "--bootstrap", "127.0.0.1:1", "--output", "now.json"]),
        ("live", ["snapshot", "--zookeeper", "127.0.0.1:1", "--output", "now.json"]),
        ("report", ["report", str(layout), "--html", "report.html"]),
        ("spark", ["pipeline", "run", "--landing", "landing", "--tables", "tables"]),
    ):
        refused = there.run("reseat", *words)

        assert refused.returncode == 2, words
        assert refused.stderr.splitlines()[-1] == (
            f"reseat {words[0]}: {EXTRAS[name].purpose} needs the extra {name}, which is not installed: "
            f"pip install 'reseat[{name}]'."
        )
    pages = sorted(file.stem for file in (ROOT / "pages").glob("[a-z]*.py"))
    drawn = there.run("python", "-c", _HEADINGS, *pages, "clusters?view=live", check=True).stdout.splitlines()
    said = {line.partition(" | ")[0]: line.rpartition(" | ")[0] for line in drawn}
    lacking = {page: extra for page in said for extra in EXTRAS if f"needs the extra {extra}," in said[page]}

    assert {line for line in drawn if not line.endswith(" | 0")} == set()
    assert set(said) == {*pages, "clusters?view=live"}
    assert lacking == {"report": "report", "operate": "live", "clusters?view=live": "live"}

    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            [there.home / "bin" / "reseat", "dashboard", "--port", str(port), "--base-path", "/tools/kafka/"],
            cwd=tmp_path, env=there.variables, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        page = answers(f"http://127.0.0.1:{port}/tools/kafka/", server)
    finally:
        stop(server)

    assert b"<title>" in page
    assert f"http://127.0.0.1:{port}/tools/kafka/" in (tmp_path / "log").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_works_with_all_extras_on_each_python(python: str, tmp_path: Path) -> None:
    """A plan, a report, and the pipeline on Spark; a Python that is not on the machine is passed over."""
    found = [UV, "python", "find", "--no-python-downloads", python]
    if subprocess.run(found, capture_output=True, check=False).returncode:
        pytest.skip(f"There is no Python {python} here.")
    there = made(tmp_path, python)
    there.install(f"reseat[all] @ {built(tmp_path).as_uri()}")
    layout = str(next(there.home.rglob("zookeeper-2.8-three-racks.txt")))
    landed = ["--landing", "landing", "--cluster", "production", "--taken-at", "2026-05-01T03:10:00Z"]
    there.run("reseat", "plan", layout, "--remove", "7", "--output", "plan.json", check=True)
    there.run("reseat", "report", layout, "--remove", "7", "--pdf", "report.pdf", "--pptx", "report.pptx", check=True)
    there.run("reseat", "land", layout, *landed, check=True)
    ran = there.run("reseat", "pipeline", "run", "--landing", "landing", "--tables", "tables")

    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert ran.returncode == 0, ran.stderr
    assert list((tmp_path / "tables").rglob("*.parquet"))
