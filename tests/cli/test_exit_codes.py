"""How commands end: one table, in the help, in the document and in real processes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.cli.output.exit_codes import ExitCode

ROOT = Path(__file__).parents[2]
COMMANDS = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


def test_the_document_has_the_table() -> None:
    """Each code with the same words as in the help, and no other."""
    table = COMMANDS.partition("| exit code | meaning |\n| --- | --- |\n")[2].partition("\n\n")[0]
    told = {int(code): meaning.replace("`", "") for code, meaning in re.findall(r"\| (\d+) \| (.+) \|", table)}

    assert told == {code.value: code.meaning for code in ExitCode}


@pytest.mark.parametrize(
    "words", [[], ["plan"], ["operate"], ["operate", "execute"], ["audit", "verify"]], ids=" ".join
)
@pytest.mark.parametrize("asked", [["--help"], ["help"]], ids=" ".join)
def test_every_help_is_a_manual_that_ends_with_the_table(
    words: list[str], asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """As wide as a terminal; a command's has an example, and the one of all the variables that commands read."""
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"] if asked == ["--help"] else ["help", *words])
    said = capsys.readouterr().out
    parts = re.findall(r"^([A-Z ]+):", said, re.M)
    table = " ".join(f"{code.value} {code.meaning}" for code in ExitCode)

    assert ended.value.code == ExitCode.DONE
    assert said.startswith(f"SYNOPSIS: {' '.join(['reseat', *words])} ")
    assert " ".join(said.partition("EXIT STATUS:")[2].split()) == table
    assert max(map(len, said.partition("EXIT STATUS:")[2].splitlines())) < 80
    assert [part for part in parts if part in ("OPTIONS", "ENVIRONMENT", "EXAMPLE", "EXIT STATUS")] == [
        "OPTIONS",
        *([["ENVIRONMENT"], ["EXAMPLE"], []][len(words)]),
        "EXIT STATUS",
    ]


def test_the_variables_of_the_manual_are_those_of_the_documents(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is explained in one of them."""
    with pytest.raises(SystemExit):
        main(["--help"])
    named = re.findall(r"^  ([A-Z_]{6,})  ", capsys.readouterr().out, re.M)
    documents = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "docs").glob("*.md")))

    assert len(named) > 5
    assert [name for name in named if f"`{name}" not in documents] == []
