"""How commands end: one table, in the help, in the document and in real processes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.cli.output.exit_codes import ExitCode

COMMANDS = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")


def test_the_document_has_the_table() -> None:
    """Each code with the same words as in the help, and no other."""
    table = COMMANDS.partition("| exit code | meaning |\n| --- | --- |\n")[2].partition("\n\n")[0]
    told = {int(code): meaning.replace("`", "") for code, meaning in re.findall(r"\| (\d+) \| (.+) \|", table)}

    assert told == {code.value: code.meaning for code in ExitCode}


@pytest.mark.parametrize("words", [[], ["plan"], ["operate"]], ids=["reseat", "plan", "operate"])
def test_every_help_ends_with_the_table(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A command's also has an example, which its own parser understands."""
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    said = capsys.readouterr().out

    assert ended.value.code == ExitCode.DONE
    assert said.endswith("".join(f"  {code.value:>3}  {code.meaning}\n" for code in ExitCode))
    assert bool(words) == ("\nExample:\n  reseat " in said)
