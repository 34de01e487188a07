"""Buttons that save a file: made when they are clicked, without the page being drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

__all__ = ["download"]

_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "key": "text/plain",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "properties": "text/plain",
    "sh": "text/x-shellscript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "zip": "application/zip",
}


def download(
    label: str,
    file: str,
    make: Callable[[], str | bytes],
    *,
    key: str,
    words: str | None = None,
    disabled: bool = False,
    kind: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """A button that saves a file.

    Args:
        label: what it says.
        file: what the file is called; its ending says what it is.
        make: makes it.
        key: the button's name on the page.
        words: what it says to who rests on it.
        disabled: whether there is nothing to save.
        kind: as Streamlit's ``type``.

    Raises:
        KeyError: no type of file is known for the ending.
    """
    st.download_button(
        label,
        make,
        file_name=file,
        mime=_TYPES[file.rpartition(".")[2]],
        on_click="ignore",
        icon=":material/download:",
        type=kind,
        help=words,
        disabled=disabled,
        key=key,
    )
