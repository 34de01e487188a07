"""What a machine without the right Python is told by ``make setup``: one clear line, and nothing is made."""

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


def setup(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a project of its own that holds nothing else."""
    (folder / "tools").mkdir()
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


def test_the_makefile_is_read_and_its_help_names_every_target() -> None:
    """README's two commands among them; a line without its tab would stop them all."""
    told = subprocess.run(["make", "help"], cwd=SCRIPT.parents[1], capture_output=True, text=True, check=True).stdout

    assert {"setup", "run", "test", "check", "format", "bench", "soak", "pictures", "kafka-jars", "release"} <= {
        line.split()[1] for line in told.splitlines()
    }
    subprocess.run(["make", "-n", "test"], cwd=SCRIPT.parents[1], capture_output=True, check=True)
