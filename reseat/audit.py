"""The audit log: who signed in, read a cluster, approved, wrote or was refused; a line of JSON each, chained by hashes.

What it promises, in this order: (1) a line that was written is never changed by Reseat: the file is appended to, by one
process at a time; (2) a line that somebody changes, takes out, puts in or moves is found by ``verify``; (3) where a
line cannot be written, what it tells of does not happen: the caller is refused.

How it works: each line holds the hash of the line before it (``before``) and its own (``hash``, SHA-256 over its other
keys as JSON with sorted keys). What was cut off at the end is found only by who kept the last hash, which ``verify``
tells.

With ``RESEAT_AUDIT_SYSLOG`` each line also goes to the syslog daemon of this machine, by its socket: whoever changes
the file does not reach what the daemon has sent on.

Off unless ``RESEAT_AUDIT`` names a file. No topic, no address and no secret is in it; a write names the journal's step.

Example: ``{"at": "2026-05-01T12:00:00+00:00", "before": "", "cluster": "shop", "event": "reading", "hash": "5f…",
"who": "ada@example.org"}``

Complexity: a line reads the last one; ``verify`` reads all, once.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reseat.errors import InputRefused, WriteRefused

__all__ = ["LONGEST", "SYSLOG_VARIABLE", "VARIABLE", "Verified", "record", "verify"]

#: The environment variable that names the file.
VARIABLE = "RESEAT_AUDIT"
#: The environment variable that names the socket of the syslog daemon that gets each line, too: ``/dev/log``.
SYSLOG_VARIABLE = "RESEAT_AUDIT_SYSLOG"
#: Seconds after which a daemon that takes nothing counts as away.
_SYSLOG_SECONDS = 5.0
#: RFC 3164: facility authpriv, severity notice; the tag of the program.
_SYSLOG_HEADER = b"<85>reseat: "
#: Bytes within which a line ends: who reads the last one reads no more.
LONGEST = 65_536


@dataclass(frozen=True, slots=True)
class Verified:
    """What a look at the whole file found.

    Attributes:
        lines: how many lines hold, from the first.
        last: the hash of the last line that holds; empty where there is none.
        last_at: when that was written.
        fault: what is wrong with the line after it, as a sentence; empty where all hold.
    """

    lines: int
    last: str
    last_at: str
    fault: str


def record(event: str, *, who: str, environment: Mapping[str, str] | None = None, **facts: object) -> None:
    """Write a line, or refuse; does nothing where neither a file nor a syslog socket is named.

    Args:
        event: ``sign-in``, ``reading``, ``approval``, ``write`` or ``refusal``.
        who: as the journal keeps the person.
        environment: as ``os.environ``, which it is unless told.
        facts: what else belongs to it: ``cluster``, ``run``, ``kind``, ``checks``.

    Raises:
        WriteRefused: the line cannot be written.
    """
    variables = os.environ if environment is None else environment
    path, syslog = (variables.get(name, "").strip() for name in (VARIABLE, SYSLOG_VARIABLE))
    if not path and not syslog:
        return
    told: dict[str, object] = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, "who": who}
    told |= {name: value for name, value in facts.items() if value is not None}
    place = path
    try:
        line = _append(Path(path).expanduser(), told) if path else _json(told)
        place = syslog
        if syslog:
            _send(syslog, line)
    except OSError as error:
        sentence = f"The audit log {place} cannot be written ({error.strerror or error}); nothing happens without it."
        raise WriteRefused(sentence, failed=(("audit", sentence),)) from error


def _send(address: str, line: bytes) -> None:
    """Give a line to the syslog daemon; one that is not there, or takes none, is an ``OSError``."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.settimeout(_SYSLOG_SECONDS)
        out.connect(address)
        out.send(_SYSLOG_HEADER + line.rstrip(b"\n"))


def _append(path: Path, told: dict[str, object]) -> bytes:
    """Write a line behind the others, and return it."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = os.fstat(file).st_size
        end = os.pread(file, LONGEST, max(0, size - LONGEST))
        # A line that was cut off as its process died stays as it is, on a line of its own, and does not verify.
        whole = end.endswith(b"\n") or not size
        line = chained(told, _hash_of(end.rsplit(b"\n", 2)[-2]) if size and whole else _hash_of(end) if size else "")
        data = (b"" if whole else b"\n") + line
        try:
            while data:
                data = data[os.write(file, data) :]
            os.fsync(file)
        except OSError:
            with suppress(OSError):  # half a line would spoil the chain once there is room again
                os.ftruncate(file, size)
            raise
        return line
    finally:
        os.close(file)


def chained(told: Mapping[str, object], before: str) -> bytes:
    """A line, with its newline: what is told, the hash before it, and its own."""
    whole = {**told, "before": before}
    return _json({**whole, "hash": _digest(whole)}) + b"\n"


def verify(path: Path, *, last: str = "") -> Verified:
    """Read the whole file and check its chain.

    Args:
        path: the file.
        last: the hash that a line must have, kept from an earlier look: what was cut off since is found by it.

    Raises:
        InputRefused: the file cannot be read, or is not there and nothing says that it ever was.
    """
    before, at, lines, seen = "", "", 0, not last
    try:
        with path.open("rb") as file:
            for lines, line in enumerate(file):
                fault = _fault(line, before)
                if fault:
                    return Verified(lines, before, at, f"Line {lines + 1}: {fault}")
                told = json.loads(line)
                before, at = told["hash"], told["at"]
                seen = seen or before == last
            lines = lines + 1 if before else 0
    except OSError as error:
        if last and isinstance(error, FileNotFoundError):
            return Verified(0, "", "", f"It is not there, and had a line with the hash {last}.")
        raise InputRefused(f"The audit log cannot be read: {error.strerror or error}.", source=str(path)) from error
    missing = "" if seen else f"No line has the hash {last}: lines were cut off at the end, or it is another file."
    return Verified(lines, before, at, missing)


def _fault(line: bytes, before: str) -> str:
    """What is wrong with a line; empty where it holds."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return "it is no JSON: it was changed, or cut off as it was written."
    if not isinstance(told, dict) or not {"hash", "before", "at", "event", "who"} <= told.keys():
        return "it is no line of an audit log."
    if told["before"] != before:
        return "it does not follow the line before it: lines were deleted, inserted or moved."
    if told["hash"] != _digest({name: value for name, value in told.items() if name != "hash"}):
        return "it was changed: its hash is another one."
    return ""


def _hash_of(line: bytes) -> str:
    """The hash that a line tells of itself; of one that tells none, of its bytes."""
    try:
        told = json.loads(line)
        return str(told["hash"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return hashlib.sha256(line).hexdigest()


def _digest(told: Mapping[str, object]) -> str:
    return hashlib.sha256(_json(told)).hexdigest()


def _json(told: Mapping[str, object]) -> bytes:
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(errors="surrogatepass")
