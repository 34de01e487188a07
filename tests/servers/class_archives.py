"""Kafka's and Spark's classes as a JVM has them once parsed: servers start in two thirds of the CPU time.

An archive that does not fit, of another Java or other jars, is left aside by the JVM: it starts as without one.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory


def archive_of(jars: Path) -> Path:
    """Where the archive of a folder of jars is."""
    return jars.with_suffix(".jsa")


def options(archive: Path) -> tuple[str, ...]:
    """What tells a JVM of an archive, without a word from it where it does not fit: tools' output is read."""
    return (f"-XX:SharedArchiveFile={archive}", "-Xlog:disable") if archive.exists() else ()


def make(java: str, archive: Path, class_path: str, jvm: tuple[str, ...], use: Callable[[Path], None]) -> None:
    """Make an archive; where this Java makes none, all goes on without.

    Args:
        java: the program.
        archive: where it is kept.
        class_path: of the processes that will use it; theirs may go on after it.
        jvm: the options that servers are started with.
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
        lines = {line for file in home.glob("*.loaded") for line in file.read_text().splitlines()}
        # Numbers are a process's own, and what it read from elsewhere is named by them.
        classes = {line.partition(" id: ")[0] for line in lines if " source: " not in line}
        (home / "classes").write_text("".join(f"{line}\n" for line in sorted(classes)))
        kept = [f"-XX:SharedClassListFile={home}/classes", f"-XX:SharedArchiveFile={home}/archive"]
        dump = [java, "-Xshare:dump", *kept, *jvm, "-cp", class_path]
        done = subprocess.run(dump, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            archive.parent.mkdir(parents=True, exist_ok=True)
            partial = archive.with_suffix(f".{os.getpid()}")
            partial.write_bytes((home / "archive").read_bytes())
            partial.replace(archive)
