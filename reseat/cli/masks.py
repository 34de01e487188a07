"""Masking and back: the masker of a key file that the person names, and ``unmask`` for whoever holds the table."""

from __future__ import annotations

import argparse
import secrets

from reseat.cli.files import Written
from reseat.cli.inputs import STANDARD_INPUT, text_of
from reseat.cli.output.writer import complain, write_text
from reseat.errors import InputRefused
from reseat.existing import may_exist
from reseat.model.wording import counted, listed, verb
from reseat.report.masks.files import key_file, key_in, names_in
from reseat.report.masks.names import KEY_BYTES, PSEUDONYM, Masker, unmasked

__all__ = ["masker_of", "unmask"]


def masker_of(file: str) -> tuple[Masker, Written | None]:
    """The masker of a key file, and the file to write where it is not there yet.

    Raises:
        InputRefused: the file holds something else; it is never written over.
    """
    if not may_exist(file):
        key = secrets.token_bytes(KEY_BYTES)
        return Masker(key), Written(file, key_file(key), secret=True, new=True)
    return Masker(key_in(*text_of(file))), None


def unmask(chosen: argparse.Namespace) -> int:
    """Write a text with its names back in it; see the command's ``--help``."""
    if chosen.names == chosen.text == STANDARD_INPUT:
        raise InputRefused("Standard input (-) can be read only once: as the table of names or as the text, not both.")
    names = names_in(*text_of(chosen.names))
    data, source = text_of(chosen.text)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputRefused(
            "This is not UTF-8 text; a chat text, HTML, CSV, JSON or SVG was expected.", source=source
        ) from error
    write_text(unmasked(text, names))
    if left := sorted(set(PSEUDONYM.findall(text)) - {pseudonym for pseudonym, _, _ in names}):
        count = f"{counted(len(left), 'pseudonym')} {verb(len(left), 'is', 'are')}"
        complain(f"reseat unmask: {count} not in {chosen.names}: {listed(left)}.")
    return 0
