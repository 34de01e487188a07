"""The documents: every link leads somewhere, the tasks have their pictures, and their commands print what is shown."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.formats.forms import FORMS_TOLD
from reseat.model import Options, Wish
from reseat.model.rules import RULES

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: A page for each task, as the operator would name it.
TASKS = ("drain-a-broker.md", "is-it-balanced.md", "before-a-restart.md")
#: Bytes; a picture is looked at in a browser, over a slow line too.
LARGEST_PICTURE = 150_000


def links(document: Path) -> list[str]:
    """What a document links to or shows that is not on another host."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S)
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "``", text))
    return [link for link in found if "://" not in link]


def anchors(document: Path) -> set[str]:
    """The names of a document's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(document: Path) -> list[tuple[str, list[str]]]:
    """Each command of Reseat that a document gives with its output, whose line ``...`` stands for any lines."""
    pairs = re.findall(r"```sh\n(python -m reseat [^\n]+)\n```\n\n```text\n(.*?)```", document.read_text("utf-8"), re.S)
    return [(command, output.splitlines()) for command, output in pairs]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    """Also those to a part of a document, and the pictures."""
    broken = []
    for link in links(document):
        file, _, anchor = link.partition("#")
        target = (document.parent / file).resolve() if file else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_listed_and_has_pictures_that_are_small(task: str) -> None:
    """The README leads to it; each of its pictures has words for who cannot see it."""
    text = (ROOT / "docs" / task).read_text(encoding="utf-8")
    pictures = re.findall(r"!\[(.+?)\]\((pictures/[\w-]+\.png)\)", text)
    sizes = {name: (ROOT / "docs" / name).stat().st_size for _, name in pictures}

    assert f"docs/{task}" in links(ROOT / "README.md")
    assert len(pictures) == text.count("![") >= 3
    assert {name: size for name, size in sizes.items() if size > LARGEST_PICTURE} == {}


def test_no_picture_is_left_over() -> None:
    """Each one stands in some document."""
    shown = {link.rpartition("/")[2] for document in DOCUMENTS for link in links(document) if "pictures/" in link}

    assert {file.name for file in (ROOT / "docs" / "pictures").iterdir()} == shown


@pytest.mark.parametrize("task", TASKS)
def test_the_commands_of_a_task_print_what_is_shown(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other, as a person follows the page: whole lines, in this order, only ``...`` leaves some out."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    told = commands(ROOT / "docs" / task)
    for command, output in told:
        assert main(shlex.split(command)[3:]) == 0
        pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in output)

        assert re.fullmatch(pattern, capsys.readouterr().out), command

    assert len(told) >= 2


def test_every_key_of_a_change_is_documented() -> None:
    """The change file's table names each field of a change and of its options, and ``changes.md`` each rule."""
    keys = {one.name for one in (*fields(Wish), *fields(Options))} - {"options"}
    table = (ROOT / "docs" / "command-line.md").read_text("utf-8").split("### Change files")[1].split("\n## ")[0]
    rules = (ROOT / "docs" / "changes.md").read_text("utf-8").split("### How a rule is written")[1].split("\n## ")[0]

    assert [key for key in sorted(keys) if f"`{key}`" not in table] == []
    assert [key for key in sorted(RULES) if f"`{key}`" not in rules] == []


def test_every_form_that_is_told_is_in_the_documents() -> None:
    """What a page and a refusal say that Reseat reads, README and ``formats.md`` say too, by its longest word."""
    told = [max(re.findall(r"[\w-]+", form), key=len) for form in re.split(", | and ", FORMS_TOLD)]
    documents = [(ROOT / name).read_text("utf-8").lower() for name in ("README.md", "docs/formats.md")]

    assert [word for word in told for text in documents if word.lower() not in text] == []
