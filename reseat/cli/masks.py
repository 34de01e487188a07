"""The masker of a key file that the person names; the key is made where the file is not there yet."""

from __future__ import annotations

import secrets
from pathlib import Path

from reseat.cli.files import Written
from reseat.cli.inputs import text_of
from reseat.report.mask_files import key_file, key_in
from reseat.report.masking import KEY_BYTES, Masker

__all__ = ["masker_of"]


def masker_of(file: str) -> tuple[Masker, Written | None]:
    """The masker of a key file, and the file to write where it is not there yet.

    Raises:
        InputRefused: the file holds something else; it is never written over.
    """
    if not Path(file).exists():
        key = secrets.token_bytes(KEY_BYTES)
        return Masker(key), Written(file, key_file(key), secret=True)
    return Masker(key_in(*text_of(file))), None
