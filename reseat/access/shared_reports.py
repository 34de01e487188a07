"""Reports that open by a link, without a sign-in: kept as they were made, until they expire or are revoked.

What it promises, in this order:

1. A link opens one document as it was when the link was made, and nothing else: no session, no cluster is behind it.
2. Only who has the whole link opens it: it holds 256 random bits, of which the server keeps the SHA-256 alone. Whoever
   reads the folder has the documents and still no link.
3. Once it is revoked or has expired it opens nothing, at the next use. That there was one is told to nobody.
4. Each link made, opened and revoked is a line of the audit log; without its line none of it happens.

How it works: one file a link, ``HASH.link``: a line of JSON (who made it, when, until when), then the document. Off
unless ``RESEAT_LINKS`` names a folder.

Complexity: a link is opened by its name; a list reads the first line of each file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from reseat import audit
from reseat.atomic_write import atomic_write
from reseat.errors import InputRefused

__all__ = ["MOST_LINKS", "VARIABLE", "SharedReport", "SharedReports"]

#: The environment variable that names the folder.
VARIABLE = "RESEAT_LINKS"
#: Links that count at a time: what nobody revokes and nobody reads must not fill a disk.
MOST_LINKS = 200
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class SharedReport:
    """A link that counts.

    Attributes:
        id: by which it is listed, revoked and told in the audit log: the start of its hash. It opens nothing.
        title: of the report.
        made_by: who made it, as the journal keeps a person.
        made_at: seconds since 1970.
        expires_at: likewise; from then on it opens nothing.
    """

    id: str
    title: str
    made_by: str
    made_at: float
    expires_at: float


class SharedReports:
    """The links of one folder. Several servers may share it.

    Args:
        folder: where they are; made with the first of them, for its owner alone.

    Attributes:
        folder: the same.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def configured(cls, environment: Mapping[str, str]) -> SharedReports | None:
        """Those of the folder that the environment names; None: links are off."""
        named = environment.get(VARIABLE, "").strip()
        return cls(Path(named).expanduser()) if named else None

    def make(self, document: str, *, title: str, who: str, now: float, seconds: float) -> tuple[str, SharedReport]:
        """Keep a report, and make the link that opens it.

        Args:
            document: HTML that needs nothing beside it.
            title: of the report.
            who: who makes it.
            now: seconds since 1970.
            seconds: for how long it opens.

        Returns:
            The link's secret, which is not kept and cannot be told again; and the link.

        Raises:
            InputRefused: there are too many, or the folder cannot be written.
            WriteRefused: the audit log cannot be written.
        """
        if len(self.listed(now)) >= MOST_LINKS:
            raise InputRefused(f"There are {MOST_LINKS} read-only links: revoke one first.", source=str(self.folder))
        token = secrets.token_urlsafe(32)
        name = _hash(token)
        link = SharedReport(name[:12], title, who, now, now + seconds)
        audit.record("link", who=who, link=link.id, decision="made", until=link.expires_at)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self._file(name), f"{json.dumps(asdict(link))}\n{document}".encode(), mode=0o600)
        except OSError as error:
            sentence = f"The link cannot be kept: {error.strerror or error}."
            raise InputRefused(sentence, source=str(self.folder)) from error
        return token, link

    def open(self, token: str, now: float) -> str | None:
        """The report that a link opens; None where it opens nothing, whatever the reason.

        Args:
            token: as the address has it.
            now: seconds since 1970.

        Raises:
            WriteRefused: the audit log cannot be written.
        """
        if not _TOKEN.fullmatch(token):
            return None
        file = self._file(_hash(token))
        try:
            with file.open(encoding="utf-8", newline="") as there:
                link, document = _told(there.readline()), there.read()
        except OSError:
            return None
        if link is None or now >= link.expires_at:
            return None
        audit.record("link", who=f"whoever has link {link.id}", link=link.id, decision="opened")
        return document

    def listed(self, now: float) -> tuple[SharedReport, ...]:
        """The links that count, newest first; what has expired is deleted.

        Raises:
            InputRefused: the folder cannot be listed.
        """
        found = []
        for file in self._files():
            link = _read(file)
            if link is not None and now < link.expires_at:
                found.append(link)
            elif link is not None:
                with contextlib.suppress(OSError):  # it opens nothing all the same
                    file.unlink(missing_ok=True)
        return tuple(sorted(found, key=lambda link: (-link.made_at, link.id)))

    def revoke(self, link: SharedReport, *, who: str) -> None:
        """Let a link open nothing any more; one that is gone stays gone.

        Raises:
            InputRefused: its files cannot be found or deleted, so it opens still.
            WriteRefused: the audit log cannot be written, so it opens still.
        """
        files = self._files(link.id)
        if not files:
            return
        audit.record("link", who=who, link=link.id, decision="revoked")
        try:
            for file in files:
                file.unlink(missing_ok=True)
        except OSError as error:
            sentence = f"The link cannot be revoked and opens still: {error.strerror or error}."
            raise InputRefused(sentence, source=str(self.folder)) from error

    def _files(self, begin: str = "") -> list[Path]:
        """Those whose names begin so; ``Path.glob`` finds none in a folder that is closed."""
        try:
            return [one for one in self.folder.iterdir() if one.name.startswith(begin) and one.suffix == ".link"]
        except FileNotFoundError:
            return []
        except OSError as error:
            sentence = f"The read-only links cannot be listed and open still: {error.strerror or error}."
            raise InputRefused(sentence, source=str(self.folder)) from error

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.link"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _read(path: Path) -> SharedReport | None:
    """The link of a file; None where it is gone, or is no such file."""
    try:
        with path.open(encoding="utf-8", newline="") as there:
            return _told(there.readline())
    except OSError:
        return None


def _told(line: str) -> SharedReport | None:
    try:
        told = json.loads(line)
        return SharedReport(
            str(told["id"]), str(told["title"]), str(told["made_by"]), float(told["made_at"]), float(told["expires_at"])
        )
    except (ValueError, KeyError, TypeError):
        return None
