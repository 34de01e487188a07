"""A Debian that has nothing yet, and programs in it as in a container: a network, a root and processes of their own.

Made by mmdebstrap and kept as ``.cache/debian-NAME.tar``; a root is unpacked from it. Needs root's rights, as
``unshare`` does.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

__all__ = ["NEWEST", "BareMachine", "lacking", "made"]

ROOT = Path(__file__).resolve().parents[2]
#: Whose Python is 3.11, the oldest that Reseat takes and the one of the Containerfile.
SUITE = "bookworm"
#: The one to come, with the newest Python that Debian has.
NEWEST = "forky"
_PROGRAMS = ("mmdebstrap", "unshare", "nsenter", "setpriv", "ip")
#: How this machine reaches its packages, which the other one has to do as well.
_REACHES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
_VARIABLES = ("PIP_CERT", "PIP_INDEX_URL", "SSL_CERT_FILE", "UV_INDEX_URL", "http_proxy", "https_proxy")


def lacking() -> str | None:
    """Why no bare machine can be made here, or None."""
    if os.geteuid():
        return "Only root may make a root of Debian's and processes apart (unshare)."
    gone = [name for name in _PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(gone)} not found (Debian's packages mmdebstrap, util-linux, iproute2)." if gone else None


@dataclass
class BareMachine:
    """A root and what is said of programs in it.

    Attributes:
        root: its folder here.
        variables: what programs have as environment.
        user: the number of the user and group that they run as.
        folder: where they run.
        writable: folders that can be written where the root cannot; None: all of it can.
    """

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    user: int = 0
    folder: str = "/"
    writable: Mapping[str, str] | None = None

    def inside(self, path: str) -> Path:
        """A path of the machine as it is reached from here."""
        return self.root / path.lstrip("/")

    def copy(self, sources: Iterable[Path], to: str) -> None:
        """Copy files, and what folders hold, as COPY of a Containerfile does."""
        for source in sources:
            target = self.inside(to)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
            else:
                target = target / source.name if to.endswith("/") else target
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def run(self, command: str, *, seconds: float) -> str:
        """Run a line of shell with this machine's network; returns what it printed.

        Raises:
            AssertionError: it ended with another exit code than 0.
        """
        done = subprocess.run(
            self._words(["sh", "-c", command], apart=False),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def start(self, words: list[str], log: Path, *, apart: bool) -> subprocess.Popen[bytes]:
        """Start a program as the first process of a container; ``apart``: without any network but its own loopback."""
        with log.open("wb") as output:
            return subprocess.Popen(
                self._words(words, apart=apart), stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
            )

    def first(self, process: subprocess.Popen[bytes]) -> psutil.Process:
        """The program itself, below the ``unshare`` that ``start`` began."""
        apart, until = psutil.Process(process.pid), time.monotonic() + 20
        while not (found := apart.children()) and time.monotonic() < until:
            time.sleep(0.05)
        return found[0]

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a program that was started, and with it, as the first of its processes, all that it began.

        Killing ``unshare`` is not enough: who changes the user loses the signal that its parent's end would send.
        """
        if process.poll() is None:
            for first in psutil.Process(process.pid).children():
                first.kill()
        process.kill()
        process.wait()

    def beside(self, process: subprocess.Popen[bytes], words: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a program beside one that was started, as a health check is."""
        into = ["nsenter", "--target", str(self.first(process).pid), "--mount", "--net", "--pid", "--root", "--wd"]
        who = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
        command = [*into, *who, "env", "-i", *self._environment(), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def _environment(self) -> list[str]:
        told = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/tmp",
            **self.variables,
        }
        return [f"{name}={value}" for name, value in told.items()]

    def _words(self, words: list[str], *, apart: bool) -> list[str]:
        root = shlex.quote(str(self.root))
        steps = [f"mount --bind {root} {root}", f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev"]
        if self.writable is not None:
            steps += [f"mount {how} {root}{at}" for at, how in self.writable.items()]
            steps += [f"mount -o remount,ro,bind {root}"]
        if apart:
            steps += ["ip link set lo up"]
        inner = shlex.join(["env", "-i", *self._environment(), "sh", "-c", 'cd "$0" && exec "$@"', self.folder, *words])
        steps += [f"exec chroot --userspec={self.user}:{self.user} {root} {inner}"]
        own = ["--net"] if apart else []
        return ["unshare", "--mount", *own, "--pid", "--fork", "--kill-child", "sh", "-ec", "\n".join(steps)]


def made(folder: Path, *packages: str, suite: str = SUITE) -> BareMachine:
    """A machine with nothing but Debian's smallest set of packages and those named, unpacked into a folder.

    Args:
        folder: where its root is made.
        packages: Debian's names.
        suite: of which Debian.
    """
    kept = ROOT / ".cache" / f"debian-{'-'.join((suite, *packages))}.tar"
    if not kept.exists():
        new = kept.with_name(f"{kept.stem}-{os.getpid()}.tar")
        # A mirror may be behind: who signed it counts, and not when.
        how = ["--quiet", "--variant=minbase", '--aptopt=Acquire::Check-Valid-Until "false"']
        command = ["mmdebstrap", *how, f"--include={','.join(packages)}", suite, str(new)]
        subprocess.run(command, check=True, timeout=900)
        new.rename(kept)
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-C", folder, "--exclude=./dev/*", "-xf", kept], check=True)
    for name in filter(os.path.exists, _REACHES):
        (folder / name.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, folder / name.lstrip("/"))
    return BareMachine(folder, {name: os.environ[name] for name in _VARIABLES if name in os.environ})
