"""Bytes or text of any encoding -> clean UTF-8 with line feeds, nothing lost in silence."""

from __future__ import annotations

import codecs
import re

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.input.split import Piece
from reseat.model import Finding, Severity
from reseat.model.wording import counted

__all__ = ["check_lines", "decoded", "is_parquet", "unmarked"]

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
#: Lines looked at to find what stands before every line (a quote mark, a comment mark, a host's name).
_SAMPLE = 40
#: One control character in so many bytes, in what is not UTF-8: no text has that.
_CONTROLS = 20
_PREFIX = re.compile(rb"(?:[ \t]*>[ \t]?|[ \t]*#[ \t]?|[\w.-]{1,100}: )")


def is_parquet(data: bytes) -> bool:
    """Whether the bytes are a Parquet file: it starts and ends with its mark."""
    return data[:4] == b"PAR1" and data[-4:] == b"PAR1"


def decoded(text: str | bytes, source: str, limits: Limits) -> tuple[bytes, list[Finding]]:
    """Clean UTF-8: no byte order mark, no NUL, line feeds only, no mark that stands before every line.

    Args:
        text: as pasted, or a file's bytes: UTF-8, UTF-16 (PowerShell's ``>`` writes it), else Latin-1.
        source: the text's name.
        limits: what is accepted.

    Returns:
        The text, with as many lines as given, and findings about what had to be changed.

    Raises:
        LimitMet: the text is larger than the limit.
        InputRefused: there is nothing in it, or it is no text.
    """
    if len(text) > limits.bytes:
        raise LimitMet(
            f"The text has {len(text) / 1e6:,.1f} MB; at most {limits.megabytes:,} MB are read. Leave topics out, or "
            "write them as CSV or Parquet.",
            source=source,
        )
    findings: list[Finding] = []
    if isinstance(text, str):
        data = unmarked(text.encode("utf-8", "replace"))
    else:
        data = _utf8(unmarked(bytes(text)), source, findings)
    if b"\0" in data:
        count = data.count(b"\0")
        data = data.replace(b"\0", b"")
        findings.append(Finding("nul_bytes", Severity.NOTE, f"The text has {counted(count, 'NUL byte')}, ignored."))
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\x1b" in data:  # a terminal's colours
        data = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", data)
    if not data or data.isspace():
        raise InputRefused("The text is empty.", source=source)
    return _unprefixed(data), findings


def unmarked(data: bytes) -> bytes:
    """What a byte order mark says is UTF-8 or UTF-16, as UTF-8 without the mark; anything else as it is."""
    for mark, encoding in _UTF16.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
    return data.removeprefix(codecs.BOM_UTF8)


def check_lines(data: bytes, piece: Piece, source: str, limits: Limits) -> None:
    """Refuse a text with a line that is too long.

    Raises:
        LimitMet: names the line.
    """
    at, end = piece.start, piece.end
    while end - at > limits.line_length:
        newline = data.rfind(b"\n", at, at + limits.line_length + 1)
        if newline < 0:
            line = piece.line + data.count(b"\n", piece.start, at)
            raise LimitMet(
                f"The line is longer than {limits.line_length:,} characters, the limit for a line that is not JSON.",
                source=source,
                line=line,
            )
        at = newline + 1


def _utf8(data: bytes, source: str, findings: list[Finding]) -> bytes:
    sample = data[:2_000]
    if len(sample) >= 4 and len(data) % 2 == 0 and not any(sample[1::2]) and all(sample[0::2]):
        return data.decode("utf-16-le", "replace").encode("utf-8", "replace")
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        controls = sum(byte < 9 or 13 < byte < 27 for byte in sample)
        if sample and controls * _CONTROLS > len(sample):
            raise InputRefused(
                "This is not text but binary data. Reseat reads text, JSON, CSV and Parquet.", source=source
            ) from error
        line = data.count(b"\n", 0, error.start) + 1
        findings.append(
            Finding(
                "not_utf8",
                Severity.NOTE,
                f"The text is not UTF-8 (first seen in line {line}); it was read as Latin-1.",
                places=(f"line {line}",),
            )
        )
        return data.decode("latin-1").encode("utf-8")
    return data


def _unprefixed(data: bytes) -> bytes:
    """The text without what stands before every line: ``> `` (a quote), ``# `` (a comment), ``host: ``."""
    head = [line for line in data[:20_000].split(b"\n")[:_SAMPLE] if line.strip()]
    if not head:
        return data
    found = _PREFIX.match(head[0])
    if found is None:
        return data
    prefix = found[0].strip()
    is_host = prefix.endswith(b":")
    if is_host and (len(head) < 3 or prefix.lower() in (b"topic:", b"partition:", b"name:")):
        return data
    if not is_host and len(head) < 2 and not re.match(rb"[ \t]*[>#][ \t]*[{\[]", head[0]):
        return data
    if not all(line.lstrip().startswith(prefix) for line in head):
        return data
    return re.sub(rb"(?m)^[ \t]*" + re.escape(prefix) + rb"[ \t]?", b"", data)
