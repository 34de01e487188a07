"""``make setup``: what a machine without the right Python is told, and what a setup leaves that fails or is stopped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "tools" / "setup.sh"

OLD = "#!/bin/sh\nexit 1\n"
WITHOUT_VENV = f"""#!/bin/sh
case "$*" in
    *ensurepip*) echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1 ;;
    *) exec "{sys.executable}" "$@" ;;
esac
"""


#: A Python that makes environments with an installer of ours, which does what ``$INSTALLER`` says.
MAKES_VENV = """#!/bin/sh
[ "$2" = venv ] || exit 0
mkdir -p .venv/bin .venv/lib/python3/site-packages/uv.dist-info
cp "$0" .venv/bin/python
printf '#!/bin/sh\\ncd .venv/lib/python3/site-packages\\neval "$INSTALLER"\\n' >.venv/bin/uv
chmod +x .venv/bin/uv
"""
#: Installers: one that is killed with half of a package there, one that has no network, and one that does all.
STOPPED, OFFLINE, WHOLE = "mkdir pandas pandas.dist-info; kill -9 $PPID", "exit 2", "mkdir pandas pandas.dist-info"
#: One whose disk is full.
FULL = "mkdir pandas pandas.dist-info; exit 2"


def setup(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a project of its own that holds nothing else."""
    (folder / "tools").mkdir(exist_ok=True)
    shutil.copy(SCRIPT, folder / "tools")
    return subprocess.run(
        ["/bin/sh", "tools/setup.sh", "requirements.lock"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def program(path: Path, text: str) -> str:
    """A program of this text."""
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "Reseat needs Python 3.11 or later, and PYTHON={} is not: name another, or leave PYTHON out."),
        (OLD, "Reseat needs Python 3.11 or later, and PYTHON={} is not: name another, or leave PYTHON out."),
        (WITHOUT_VENV, "lacks the venv module: install it (Debian, Ubuntu: apt install python3-venv)"),
    ],
    ids=["no such program", "older", "without venv"],
)
def test_a_python_that_will_not_do_is_named_in_one_line(text: str | None, says: str, tmp_path: Path) -> None:
    """Also where its path holds a blank; no half-made environment is left behind."""
    name = tmp_path / "my python"
    done = setup(tmp_path, PYTHON=str(name) if text is None else program(name, text))

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert says.format(name) in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_where_there_is_no_python_at_all_it_says_what_to_install(tmp_path: Path) -> None:
    """Only older ones on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"):
        program(programs / name, OLD)
    done = setup(tmp_path, PATH=f"{programs}:/usr/bin:/bin")

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "none was found: install one (Debian, Ubuntu: apt install python3 python3-venv)" in done.stderr


@pytest.mark.parametrize(
    ("installer", "anew"), [(STOPPED, True), (FULL, True), (OFFLINE, False)], ids=["stopped", "full", "offline"]
)
def test_what_was_installed_by_halves_is_made_anew_and_what_is_whole_is_kept(
    installer: str, anew: bool, tmp_path: Path
) -> None:
    """A package of which some files are there counts as installed for ever; without a network nothing was begun."""
    (tmp_path / "requirements.lock").write_text("uv==1\n")
    python = program(tmp_path / "python", MAKES_VENV)
    first = setup(tmp_path, PYTHON=python, INSTALLER=installer)
    kept = tmp_path / ".venv" / "kept"
    kept.touch()
    second = setup(tmp_path, PYTHON=python, INSTALLER=WHOLE)

    assert first.returncode != 0
    assert second.returncode == 0, second.stderr
    assert ("An earlier setup was stopped half-way." in second.stderr) == anew
    assert kept.exists() != anew
    assert not (tmp_path / ".venv" / "installing").exists()
    third = setup(tmp_path, PYTHON=python, INSTALLER="exit 3")
    assert (third.returncode, third.stderr) == (0, "")


def test_a_setup_beside_another_waits_for_it(tmp_path: Path) -> None:
    """Two commands of make at once: neither takes the environment away from the other."""
    (tmp_path / "requirements.lock").write_text("uv==1\n")
    python = program(tmp_path / "python", MAKES_VENV)
    assert setup(tmp_path, PYTHON=python, INSTALLER=WHOLE).returncode == 0
    with subprocess.Popen(["/bin/sh", "-c", "sleep 1; rm .venv/installing; sleep 1"], cwd=tmp_path) as other:
        (tmp_path / ".venv" / "installing").write_text(f"{other.pid}\n")
        done = setup(tmp_path, PYTHON=python, INSTALLER="exit 3")

    assert done.returncode == 0
    assert done.stderr == f"Waiting for process {other.pid}, which installs into .venv\n"


def test_the_makefile_is_read_and_its_help_names_every_target() -> None:
    """README's two commands among them; a line without its tab would stop them all."""
    told = subprocess.run(["make", "help"], cwd=SCRIPT.parents[1], capture_output=True, text=True, check=True).stdout

    assert {"setup", "run", "test", "check", "format", "bench", "soak", "pictures", "kafka-jars", "release"} <= {
        line.split()[1] for line in told.splitlines()
    }
    subprocess.run(["make", "-n", "test"], cwd=SCRIPT.parents[1], capture_output=True, check=True)
