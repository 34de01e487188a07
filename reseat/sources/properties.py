r"""Java's ``.properties`` and the JAAS line in it, as Kafka's own clients read them.

Promises, in this order: (1) no message ever quotes a value; (2) what Kafka's tools read is read the same: comments,
continued lines, ``=``, ``:`` or blanks between key and value, escapes, the last of two equal keys wins, values trimmed;
(3) what they refuse is refused, with its line.

Needs: the text. UTF-8 is tried first and Latin-1 (which Java takes) second.

Example: ``sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \`` continued by
``username="alice" password="a\"b";``.

Complexity: O(characters). Source: ``java.util.Properties.load``, Kafka's ``Utils.loadProps`` and ``JaasConfig``,
``java.io.StreamTokenizer``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reseat.errors import InputRefused

__all__ = ["Jaas", "Property", "read_jaas", "read_properties"]

_BLANK = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|u|.|$)", re.DOTALL)
#: A word of JAAS as StreamTokenizer takes it; one that begins with a digit, a dot or a minus is a number to it.
_WORD = re.compile(r"[A-Za-z_$\u00a0-\uffff][A-Za-z0-9._$\-\u00a0-\uffff]*")
_SKIPPED = re.compile(r"(?:[\x00-\x20]+|//[^\n\r]*|/\*.*?\*/)+", re.DOTALL)
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\\n\r])*)\1""", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r"\\([0-3]?[0-7]{1,2}|.)", re.DOTALL)
_QUOTED_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS = ("required", "requisite", "sufficient", "optional")


@dataclass(frozen=True, slots=True, repr=False)
class Property:
    """One key with its value; the value may be a secret, so the repr shows neither.

    Attributes:
        value: unescaped and trimmed.
        line: 1-based number of its first line.
        separated: whether ``=`` or ``:`` stood between key and value.
    """

    value: str
    line: int
    separated: bool


@dataclass(frozen=True, slots=True, repr=False)
class Jaas:
    """A login module and its options, which may be secrets; the repr shows none.

    Attributes:
        module: the class, without its package.
        options: by name, unquoted.
    """

    module: str
    options: dict[str, str]


def read_properties(data: bytes, *, source: str) -> dict[str, Property]:
    """The properties of a file, the last of two equal keys.

    Raises:
        InputRefused: an escape that Java refuses; names the line.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    found: dict[str, Property] = {}
    for number, line in _logical_lines(text):
        key = _KEY.match(line)
        end = key.end() if key else 0
        between = _SEPARATOR.match(line, end)
        start = between.end() if between else end
        name = _unescaped(line[:end], number, source)
        found[name] = Property(
            _unescaped(line[start:], number, source).strip(), number, bool(between and between.group().strip(_BLANK))
        )
    return found


def _logical_lines(text: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    parts: list[str] = []
    begun = 0
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        stripped = line.lstrip(_BLANK)
        if not parts and (not stripped or stripped[0] in "#!"):
            continue
        begun = begun if parts else number
        continued = (len(stripped) - len(stripped.rstrip("\\"))) % 2 == 1
        parts.append(stripped[:-1] if continued else stripped)
        if not continued:
            lines.append((begun, "".join(parts)))
            parts = []
    if parts:
        lines.append((begun, "".join(parts)))
    return [(number, line) for number, line in lines if line]


def _unescaped(text: str, line: int, source: str) -> str:
    def one(found: re.Match[str]) -> str:
        escape = found.group(1)
        if escape == "u":
            raise InputRefused(
                "A \\u is not followed by four hexadecimal digits, which Java refuses. A backslash itself is "
                "written twice.",
                source=source,
                line=line,
            )
        return chr(int(escape[1:], 16)) if len(escape) == 5 else _ESCAPES.get(escape, escape)

    return _ESCAPE.sub(one, text)


def read_jaas(text: str, *, source: str, line: int | None = None) -> Jaas:
    """The one login module of ``sasl.jaas.config``.

    Args:
        text: ``Module required option="value" ...;``.
        source: the file's name, for the refusal.
        line: its line, for the refusal.

    Raises:
        InputRefused: Kafka would refuse it; says what was expected, and quotes nothing of it.
    """

    def refusal(expected: str) -> InputRefused:
        return InputRefused(
            f"sasl.jaas.config is not as Kafka reads it: {expected} (A value is put into double quotes, and a quote "
            "or backslash within it is written with a backslash before it.)",
            source=source,
            line=line,
        )

    tokens = _tokens(text)
    if tokens is None:
        raise refusal("a quoted value is not closed.")
    if not tokens or tokens[0][0] != "word":
        raise refusal("it begins with the class of a login module.")
    module, rest = tokens[0][1], tokens[1:]
    if not rest or rest[0][1].lower() not in _FLAGS:
        raise refusal("'required' follows the login module.")
    options: dict[str, str] = {}
    at = 1
    while at < len(rest) and rest[at] != ("sign", ";"):
        triple = rest[at : at + 3]
        if len(triple) < 3 or triple[0][0] == "sign" or triple[1] != ("sign", "=") or triple[2][0] == "sign":
            raise refusal('options are written name="value".')
        options[triple[0][1]] = triple[2][1]
        at += 3
    if at >= len(rest):
        raise refusal("it ends with a semicolon.")
    if at + 1 < len(rest):
        raise refusal("it holds exactly one login module.")
    return Jaas(module.rpartition(".")[2], options)


def _tokens(text: str) -> list[tuple[str, str]] | None:
    """Words, quoted texts and single signs; None where a quoted text has no end."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        skipped = _SKIPPED.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        word, quoted = _WORD.match(text, at), _QUOTED.match(text, at)
        if word:
            tokens.append(("word", word.group()))
            at = word.end()
        elif quoted:
            tokens.append(("quoted", _QUOTED_ESCAPE.sub(_unquoted, quoted.group(2))))
            at = quoted.end()
        elif text[at] in "\"'":
            return None
        else:
            tokens.append(("sign", text[at]))
            at += 1
    return tokens


def _unquoted(found: re.Match[str]) -> str:
    escape = found.group(1)
    return chr(int(escape, 8)) if escape[0] in "01234567" else _QUOTED_ESCAPES.get(escape, escape)
