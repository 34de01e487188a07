"""Kafka's classes as a JVM has them once parsed: servers start in two thirds of the CPU time.

An archive that does not fit, of another Java or other jars, is left aside by the JVM: it starts as without one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from reseat.pipeline.spark import classes


def archive_of(jars: Path) -> Path:
    """Where the archive of a folder of jars is."""
    return jars.with_suffix(".jsa")


def options(archive: Path) -> tuple[str, ...]:
    """What tells a JVM of an archive, without a word from it where it does not fit: tools' output is read."""
    return classes.sharing(archive)


def make(java: str, archive: Path, class_path: str, use: Callable[[Path], None]) -> None:
    """Make an archive; where this Java makes none, all goes on without.

    Args:
        java: the program.
        archive: where it is kept.
        class_path: of the processes that will use it; theirs may go on after it.
        use: starts servers and tools in an empty folder, whose classes are those that are kept.
    """
    with TemporaryDirectory(prefix="reseat-classes-") as made:
        home = Path(made)
        told = os.environ.get("JAVA_TOOL_OPTIONS")
        os.environ["JAVA_TOOL_OPTIONS"] = f"{told or ''} -XX:DumpLoadedClassList={home}/%p.loaded".strip()
        try:
            use(home / "cluster")
        finally:
            del os.environ["JAVA_TOOL_OPTIONS"]
            if told is not None:
                os.environ["JAVA_TOOL_OPTIONS"] = told
        listed = home / "classes"
        listed.write_text(classes.of_jars("".join(file.read_text() for file in home.glob("*.loaded"))))
        archive.parent.mkdir(parents=True, exist_ok=True)
        classes.dump(java, archive, class_path, listed)
