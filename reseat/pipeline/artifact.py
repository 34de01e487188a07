"""Reseat's own code as one zip, for the executors of a cluster, where nothing but the requirements is installed.

The bytes are a function of the code alone (names in order, no times, no owners), so the same code has the same name
everywhere. Works from a checkout and from such a zip itself (a driver that a cluster started with ``--py-files``).
``python -m reseat.pipeline.artifact reseat.zip`` writes it for ``spark-submit``.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["code_as_zip", "ship_code", "write_code"]

_PACKAGE = "reseat"
_FIRST_TIME = (1980, 1, 1, 0, 0, 0)  # the least that a zip can say


def code_as_zip() -> bytes:
    """The package as a zip: all of its files but caches; the same bytes for the same code."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in sorted(_files(files(_PACKAGE), _PACKAGE)):
            entry = zipfile.ZipInfo(name, _FIRST_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return held.getvalue()


def write_code(folder: Path) -> Path:
    """Write the zip into a folder, named after its content: ``reseat-DIGEST.zip``."""
    content = code_as_zip()
    path = folder / f"{_PACKAGE}-{hashlib.sha256(content).hexdigest()[:16]}.zip"
    path.write_bytes(content)
    return path


def ship_code(spark: SparkSession, folder: Path) -> None:
    """Bring the code to every executor of this session, those that come later too.

    Args:
        spark: a session of any kind.
        folder: where the zip is written; it must stay as long as the session, whose driver serves it to executors.
    """
    spark.addArtifacts(str(write_code(folder)), pyfile=True)


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    """Every file below a folder with its name in the zip."""
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry, path)
        elif not entry.name.endswith(".pyc"):
            yield path, entry


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("The name of the zip was expected: python -m reseat.pipeline.artifact reseat.zip")
    try:
        Path(sys.argv[1]).write_bytes(code_as_zip())
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: The file cannot be written: {error.strerror or error}.")
