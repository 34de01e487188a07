"""``reseat completion``: what bash itself completes with it, and what the other shells are given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reseat.cli import main

#: As bash does when a person presses Tab, once for each line that is read.
_PRESS_TAB = """
eval "$(reseat completion bash)"
while IFS= read -r COMP_LINE; do
    COMP_WORDS=($COMP_LINE) COMP_POINT=${#COMP_LINE} COMP_TYPE=9
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _python_argcomplete reseat "${COMP_WORDS[COMP_CWORD]}" reseat
    echo "${COMPREPLY[@]}"
done
"""


def test_bash_completes_commands_options_choices_and_files(tmp_path: Path) -> None:
    """In a real bash; a word that nothing begins with completes to nothing, and no command runs meanwhile."""
    command = tmp_path / "reseat"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m reseat "$@"\n')
    command.chmod(0o755)
    (tmp_path / "layout-of-today.txt").write_text("")
    lines = ["reseat pl", "reseat plan --reb", "reseat completion z", "reseat show lay", "reseat plan --nothing"]
    done = subprocess.run(
        ["bash", "--norc", "-c", _PRESS_TAB],
        input="".join(f"{line}\n" for line in lines),
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert [sorted(line.split()) for line in done.stdout.splitlines()] == [
        ["place", "plan"],
        ["--rebalance"],
        ["zsh"],
        ["layout-of-today.txt"],
        [],
    ]
    assert done.stderr == ""


@pytest.mark.parametrize(("shell", "word"), [("zsh", "compdef"), ("fish", "complete --command reseat")])
def test_other_shells_are_given_their_own(shell: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As argcomplete makes it."""
    assert main(["completion", shell]) == 0
    assert word in capsys.readouterr().out
