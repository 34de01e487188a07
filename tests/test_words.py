"""One voice: no word that is no longer used stands in what a person sees, and the glossary is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.shell.frame import Figure, help_of
from reseat.model import glossary
from tests.retired import retired_in
from tests.syntax import nodes

ROOT = Path(__file__).parent.parent

#: Files that are not yet in the voice. The list only shrinks: a file without a retired word must leave it.
PENDING = frozenset((ROOT / "tests" / "words_pending.txt").read_text(encoding="utf-8").split())
#: Ends a line whose word is written or read in JSON, where values stay.
KEPT = "# a value of JSON"
#: The changelog tells what was, in the words of then.
EXEMPT = frozenset({"CHANGELOG.md"})


def seen_files() -> list[str]:
    """Files with what a person sees: pages, scripts, styles, the core's sentences, the command line, documents."""
    found = [ROOT / name for name in ("app.py", "README.md", "CONTRIBUTING.md", "Makefile", "tools/setup.sh")]
    found += [*(ROOT / "docs").rglob("*.md"), *(ROOT / "samples").glob("*.json")]
    for room in ("pages", "components", "reseat"):
        found += [file for kind in ("py", "js", "html", "css") for file in (ROOT / room).rglob(f"*.{kind}")]
    return sorted({file.relative_to(ROOT).as_posix() for file in found} - EXEMPT)


def python_texts(file: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every string literal that is no docstring; fields of f-strings stand as ``{}``.

    Values of an ``Enum`` are keys of JSON and of tables, which stay.
    """
    silent: set[int] = set()
    for node in nodes(file):
        if isinstance(node, ast.ClassDef) and any("Enum" in ast.unparse(base) for base in node.bases):
            silent |= {id(one) for below in node.body for one in ast.walk(below) if isinstance(one, ast.Constant)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
            parts = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(parts)
    for node in nodes(file):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


def script_texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a script; comments are no strings."""
    bare = re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", lambda c: "\n" * c.group(0).count("\n"), source, flags=re.S)
    for found in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", bare):
        yield bare.count("\n", 0, found.start()) + 1, re.sub(r"\$\{[^}]*\}", "{}", found.group(0)[1:-1])


def style_texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of what a style writes on the page."""
    for found in re.finditer(r"\bcontent:\s*\"([^\"\n]*)\"", source):
        yield source.count("\n", 0, found.start()) + 1, found[1]


def document_texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of a document, without what stands in code within a line: keys and commands keep their names."""
    for number, line in enumerate(source.splitlines(), 1):
        yield number, re.sub(r"`[^`]*`", "``", line)


def retired_of(name: str) -> list[str]:
    """Each retired word that a person sees in a file, with its line."""
    source = (ROOT / name).read_text(encoding="utf-8")
    kinds = {".js": script_texts, ".json": script_texts, ".css": style_texts}
    kind = kinds.get(Path(name).suffix, document_texts)
    lines = source.splitlines()
    return [
        f"{name}:{line} {found}"
        for line, text in (python_texts(ROOT / name) if name.endswith(".py") else kind(source))
        if not re.fullmatch(r"[\w.:/-]*", text) and not lines[line - 1].endswith(KEPT)
        for found in retired_in(text)
    ]


@pytest.mark.parametrize("name", seen_files())
def test_no_retired_word_stands_in_what_a_person_sees(name: str) -> None:
    """A file is either free of them or on the list, and leaves the list as soon as it is free."""
    found = retired_of(name)

    if name in PENDING:
        assert found, f"{name} is in the voice: take it off the list, so that it stays there."
    else:
        assert found == []


def test_the_list_names_files_that_exist() -> None:
    """A file that was renamed or removed leaves no name behind."""
    assert set(seen_files()) >= PENDING


def test_the_documents_glossary_is_the_modules() -> None:
    """docs/glossary.md is what the module writes; terms stand in the order of the alphabet, each in one line."""
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == glossary.document()
    assert list(glossary.TERMS) == sorted(glossary.TERMS, key=str.lower)
    assert not [term for term, meaning in glossary.TERMS.items() if "\n" in meaning or not meaning.endswith(".")]


def figure_labels(file: Path) -> Iterator[str]:
    """The label of every figure that a file draws: of each ``Figure``, and of each row given to ``frame.figures``."""
    for node in nodes(file):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = ast.unparse(node.func).rpartition(".")[2]
        rows: list[ast.expr] = [node] if called == "Figure" else []
        if called == "figures" and isinstance(node.args[0], ast.List):
            rows = [row for row in node.args[0].elts if isinstance(row, ast.Tuple)]
        for row in rows:
            label = (row.args if isinstance(row, ast.Call) else row.elts)[0]  # type: ignore[attr-defined]
            if isinstance(label, ast.Constant):
                yield str(label.value)


@pytest.mark.parametrize("name", [name for name in seen_files() if re.match(r"(pages|components)/.*\.py$", name)])
def test_every_figures_term_is_in_the_glossary(name: str) -> None:
    """So each has its help, the same on every page and in the documents."""
    labels = set(figure_labels(ROOT / name))

    assert {label for label in labels if help_of(Figure(label, "0")) is None} == set()


@pytest.mark.parametrize("sentence", [*glossary.TERMS, *glossary.TERMS.values()])
def test_the_glossary_keeps_to_itself(sentence: str) -> None:
    """No definition uses a retired word."""
    assert retired_in(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Written to standard output.",
        "2 members leave the group.",
        "An even number of brokers; even so, it lags.",
        "The row is cut off in the middle.",
        "It has a replica that is out of sync.",
        "The key 'wish' holds the change.",
        "A kill at any moment loses nothing.",
        "It breaks apart from the others.",
        "The first of the list leads in the present layout.",
    ],
)
def test_ordinary_words_are_left_alone(sentence: str) -> None:
    """The same letters with another meaning."""
    assert retired_in(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Drag a broker out to see what must move.",
        "Broker 5 can leave: 130 replicas move.",
        "Fullest and emptiest broker are 144 replicas apart.",
        "No plan is evener.",
        "The size is not told.",
        "Carry it out",
        "Nothing is wished for.",
        "Partitions on too few racks",
        "It takes in what lands.",
        "You see the present.",
        "The most uneven topic first",
        "2 checks say no.",
        "Stopping it refuses writes with acks=all.",
        "Throttle, MB a second a broker",
        "Kafka would make orders with 6 partitions.",
        "The job was ended by a fault in Reseat.",
        "This job gave no sign of life for 50 s.",
        "It was refused without a word.",
        "Take it with you",
        "Let something happen",
        "Least spread then",
        "Most replicas that one broker receives",
        "Topics left out",
    ],
)
def test_retired_words_are_found(sentence: str) -> None:
    """By what they mean."""
    assert retired_in(sentence)
