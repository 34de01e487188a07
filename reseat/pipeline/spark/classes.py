"""Spark's classes as a JVM has them once parsed, kept for the next JVM: it starts in half of the CPU time.

Java calls it class data sharing. The second session writes down which classes it loaded (a container that lives for one
would pay for nothing); once its command has said what it did, a JVM of lower priority makes an archive of them
(``keep``), which every further session is started with.

What it promises, in this order:
    1. An archive that does not fit, is damaged or is not there is left aside by the JVM: all goes on as without one.
    2. One that was begun and not finished is never used: it is given its name once a JVM has started from it whole.
    3. One process makes one, others go on without; whoever cannot write in the cache, or has no room there, too.
    4. One of an earlier Java or PySpark is removed when the next is made; one that nobody has used for a month, too.

Source: the java command's documentation (JDK 17 and 21): ``-XX:DumpLoadedClassList``, ``-XX:SharedClassListFile``,
``-Xshare:dump``. ``-XX:ArchiveClassesAtExit`` would do it in one step and needs a base archive, which a trimmed runtime
lacks.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from reseat.atomic_write import atomic_write
from reseat.installed import cache_folder
from reseat.pipeline.spark.java import JavaRuntime

__all__ = ["archive_of", "dump", "keep", "of_jars", "recording", "remember", "sharing"]

#: Bytes that must be free on the disk: an archive is some 200 MB, and the one before it goes last.
_ROOM = 1 << 30
#: Seconds until making one is given up: it takes five to ten.
_SECONDS = 300.0
_DAY = 86_400.0
#: Days after which an archive that no session was started with goes.
_UNUSED = 30
_LISTED, _SEEN = ".json", ".seen"
#: Classes of a session that has done something; one that found nothing to do loads half as many.
_LEAST = 15_000


def archive_of(runtime: JavaRuntime, env: Mapping[str, str] = os.environ) -> Path:
    """Where the archive is for this Java and the PySpark that is installed, whether or not it is there.

    Args:
        runtime: the Java that Spark runs on.
        env: the environment; XDG_CACHE_HOME and HOME are read.
    """
    spec = find_spec("pyspark")
    jars = Path((spec and spec.origin) or ".").parent / "jars"
    # What a JVM compares as well; of another name, one that would be refused is made anew.
    states = [path.stat() for path in (runtime.java, runtime.home / "lib" / "modules", jars) if path.exists()]
    found = [version("pyspark"), *(f"{one.st_mtime_ns} {one.st_size}" for one in states)]
    names = (_short(f"{runtime.java}\n{jars}"), _short("\n".join(found)))
    return cache_folder(env) / "classes" / f"{'-'.join(names)}.jsa"


def sharing(archive: Path) -> tuple[str, ...]:
    """The options of a JVM that uses the archive, and is silent where it does not fit; none where it is not there."""
    try:
        if not archive.stat().st_size:
            return ()
    except OSError:
        return ()
    with contextlib.suppress(OSError):  # a cache that cannot be written can be read
        os.utime(archive)
    return (f"-XX:SharedArchiveFile={archive}", "-Xshare:auto", "-Xlog:disable")


def recording(archive: Path, classes: Path) -> tuple[str, ...]:
    """The options of a JVM that writes down its classes; none where an archive is there, to be made or cannot be made.

    Nor for the first session of these versions, which leaves a mark.

    Args:
        archive: the archive that is to be made of them.
        classes: where they are written.
    """
    with contextlib.suppress(OSError):
        there = archive.stat()
        if there.st_size or time.time() - there.st_mtime < _DAY:  # an empty one: Java made none today
            return ()
    parent = next(one for one in archive.parents if one.exists())
    writable = parent.is_dir() and os.access(parent, os.W_OK)
    if archive.with_suffix(_LISTED).exists() or not writable or shutil.disk_usage(parent).free < _ROOM:
        return ()
    mark = archive.with_suffix(_SEEN)
    if not mark.exists():
        with contextlib.suppress(OSError):
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        return ()
    return (f"-XX:DumpLoadedClassList={classes}",)


def remember(archive: Path, classes: Path, java: Path, class_path: str, least: int = _LEAST) -> None:
    """Leave what a session has written down for ``keep``; where that is too little or cannot be written, nothing.

    Args:
        archive: what is to be made of it.
        classes: what the JVM wrote.
        java: the program.
        class_path: of that JVM; the archive fits no other.
        least: how many classes are enough.
    """
    with contextlib.suppress(OSError):
        archive.parent.mkdir(parents=True, exist_ok=True)
        listed = of_jars(classes.read_text(errors="replace"))
        if listed.count("\n") < least:
            return
        told = {"java": str(java), "class_path": class_path, "classes": listed}
        atomic_write(archive.with_suffix(_LISTED), json.dumps(told).encode())


def keep(
    env: Mapping[str, str] = os.environ, begun: Callable[[], object] = lambda: None, seconds: float = _SECONDS
) -> None:
    """Make the archive that a session has left the list for, if any; what goes wrong is no concern of the caller's.

    Args:
        env: the environment; XDG_CACHE_HOME and HOME are read.
        begun: is called before one is made.
        seconds: how long it may take.
    """
    for left in (cache_folder(env) / "classes").glob(f"*{_LISTED}"):
        archive, listed = left.with_suffix(".jsa"), left.with_suffix(".list")
        with contextlib.suppress(OSError, ValueError, KeyError), _alone(archive.parent / "lock") as lock:
            told = json.loads(left.read_bytes())
            listed.write_text(told["classes"])
            begun()
            made = dump(told["java"], archive, told["class_path"], listed, seconds=seconds, lock=lock)
            if not made:
                archive.write_bytes(b"")
            left.unlink()
            listed.unlink()
            archive.with_suffix(_SEEN).unlink(missing_ok=True)
            if made:
                _remove_others(archive)


def dump(
    java: str, archive: Path, class_path: str, listed: Path, *, seconds: float = _SECONDS, lock: int | None = None
) -> bool:
    """Make an archive of listed classes, at lower priority, and say whether it was made.

    Args:
        java: the program.
        archive: what it is called once a JVM has started with it.
        class_path: of the JVMs that will use it.
        listed: the names of the classes as ``of_jars`` gives them.
        seconds: how long it may take.
        lock: an open file; it stays open as long as a JVM works at this, even if this process is killed.
    """
    partial = archive.with_suffix(".part")
    command = ["nice", "-n", "10", java, f"-XX:SharedArchiveFile={partial}", "-cp", class_path]
    made = ["-Xshare:dump", f"-XX:SharedClassListFile={listed}"]
    tried = ["-Xshare:on", "-XX:+VerifySharedSpaces", "-version"]
    try:
        for words in (made, tried):
            done = subprocess.run(  # noqa: S603 - the user's own Java, by its path
                [*command, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
                pass_fds=() if lock is None else (lock,),
            )
            if done.returncode:
                return False
        partial.replace(archive)
    except subprocess.TimeoutExpired:
        return False
    finally:
        partial.unlink(missing_ok=True)
    return True


def of_jars(classes: str) -> str:
    """The classes that come from jars, without a process's own numbers; others are named by these."""
    lines = (line.partition(" id: ")[0] for line in classes.splitlines() if " source: " not in line)
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _remove_others(archive: Path) -> None:
    """Remove the archives of earlier versions in the same places, and those that nobody has used for long."""
    place = archive.name.partition("-")[0]
    for other in archive.parent.glob("*.jsa"):
        with contextlib.suppress(OSError):
            unused = time.time() - other.stat().st_mtime > _UNUSED * _DAY
            if other != archive and (unused or other.name.startswith(f"{place}-")):
                other.unlink()


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[int]:
    """A lock that one process holds, with the JVM that it started.

    Raises:
        OSError: another holds it, or it cannot be made.
    """
    with path.open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock.fileno()


def _short(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:12]
