"""A path or URL -> the file system it lies on, and how Spark calls it. Credentials come from the environment alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.conditional import put_new, s3_store, store_of
from reseat.installed import needs
from reseat.model.wording import reason_of

__all__ = ["Place", "delta_options", "open_place", "spark_settings"]

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
#: Spark's names and ours of the same: s3a is how Hadoop reads S3.
_SAME = {"s3a": "s3", "s3n": "s3", "abfs": "abfss"}
_KNOWN = ("file", "s3", "hdfs", "abfss")
#: A URL that lost a slash, or one as Hadoop prints it (``file:/srv``): taken as a path it would be a folder ``file:``.
_SLASH_LOST = re.compile(rf"({'|'.join((*_KNOWN, *_SAME))}):(?!//)", re.IGNORECASE)
#: Seconds until a service that does not answer is given up.
_CONNECT, _ANSWER = 5.0, 60.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a folder lies.

    Attributes:
        scheme: ``file``, ``s3``, ``hdfs`` or ``abfss``.
        root: its path on the file system, without a slash at the end.
        url: how Spark calls it.
        put_is_whole: whether a file is seen only once it is closed (object stores); else it is written under a
            hidden name and renamed.
        fs: the ``pyarrow.fs.FileSystem``.
        create: makes an object, by its path relative to ``root``, where there is none, and says whether it did
            (``reseat.history.conditional``); None: the file system itself makes a file only once.
    """

    scheme: str
    root: str
    url: str
    put_is_whole: bool
    fs: Any = field(repr=False, compare=False)
    create: Callable[[str, bytes], bool] | None = field(default=None, repr=False, compare=False)


def open_place(where: str) -> Place:
    """The file system of a path or URL; nothing is read there but, for S3 without a region told, its region.

    Raises:
        InputRefused: it is no place, its kind is not known, it holds credentials, or its service cannot be used.
    """
    from pyarrow import fs

    if not where.strip() or any(ord(letter) < 32 for letter in where):
        raise InputRefused("A folder was expected: a path, or a URL (file, s3, hdfs, abfss).")
    told = _URL.match(where)
    if told is None:
        if lost := _SLASH_LOST.match(where):
            scheme = lost.group(1).lower()
            example = "file:///srv/reseat/tables" if scheme == "file" else f"{scheme}://..."
            raise InputRefused(f"A URL has two slashes after {scheme}:, as in {example}; a path begins otherwise.")
        return _local(_at_home(where))
    scheme = _SAME.get(told.group(1).lower(), told.group(1).lower())
    if scheme not in _KNOWN:
        raise InputRefused(f"{scheme[:20]}:// is not supported; a path or a file, s3, hdfs or abfss URL was expected.")
    rest = where[told.end() :]
    # Never quoted in a refusal: what cannot be read may be a secret with a slash in it.
    authority, _, path = rest.partition("/")
    path = path.strip("/")
    if _holds_secret(scheme, authority) or "?" in rest or "#" in rest:
        raise InputRefused(
            f"This {scheme}:// URL has more than a location. Leave user, password, keys and options out: they are "
            "taken from the environment."
        )
    if scheme == "file":
        if authority not in ("", "localhost"):
            raise InputRefused("A file:// URL of this machine was expected, as in file:///srv/reseat/tables.")
        return _local(Path("/" + unquote(path)))
    if not authority:
        raise InputRefused(f"This {scheme}:// URL names no {'bucket' if scheme == 's3' else 'server'}.")
    if any(part == ".." for part in path.split("/")):
        raise InputRefused(f"This {scheme}:// URL has '..' in it; a plain path was expected.")
    try:
        if scheme == "s3":
            root = f"{authority}/{path}".rstrip("/")
            return _on_s3(authority, root, os.environ)
        if scheme == "hdfs":
            with needs():
                from reseat.history.hdfs import hdfs
            return Place(
                scheme, f"/{path}".rstrip("/"), f"hdfs://{authority}/{path}".rstrip("/"), False, hdfs(authority)
            )
        system, root = fs.FileSystem.from_uri(f"{scheme}://{authority}/{path}")
    except (OSError, pa.ArrowException) as error:
        raise InputRefused(f"{scheme}://{authority} cannot be used: {reason_of(error)}.") from error
    url = f"{scheme}://{authority}/{path}".rstrip("/")
    return Place(
        scheme,
        str(root).rstrip("/"),
        url,
        True,
        system,
        lambda path, data: put_new(store_of(url, len(data)), path, data),
    )


def spark_settings(env: Mapping[str, str]) -> dict[str, str]:
    """What Spark must be told to use the same S3 service as this process: empty where it is Amazon's.

    Args:
        env: the environment (``os.environ``). Keys are not among the settings: Hadoop reads them there itself.

    Raises:
        InputRefused: the endpoint is no http or https URL, or holds credentials.
    """
    endpoint = _endpoint(env)
    if endpoint is None:
        return {}
    scheme, server = endpoint
    return {
        "spark.hadoop.fs.s3a.endpoint": f"{scheme}://{server}",
        "spark.hadoop.fs.s3a.endpoint.region": _region(env) or "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "true" if scheme == "https" else "false",
    }


def delta_options(place: Place, env: Mapping[str, str]) -> dict[str, str]:
    """What the library for Delta tables must be told to use the same service as this process.

    Args:
        place: where the tables lie.
        env: the environment (``os.environ``); the library reads further keys there itself.

    Raises:
        InputRefused: the endpoint is no http or https URL, or holds credentials.
    """
    if place.scheme == "hdfs":
        from reseat.history.hdfs import PATIENCE

        return dict(PATIENCE)
    waits = {"connect_timeout": f"{_CONNECT:.0f}s", "timeout": f"{_ANSWER:.0f}s"}
    if place.scheme != "s3":
        return waits
    region = _region(env) or str(getattr(place.fs, "region", ""))
    # The next entry of a log is put on condition that there is none: what keeps two jobs apart.
    options = waits | {"conditional_put": "etag"} | ({"aws_region": region} if region else {})
    endpoint = _endpoint(env)
    if endpoint is not None:
        options |= {"aws_endpoint": "://".join(endpoint), "aws_allow_http": str(endpoint[0] == "http").lower()}
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    return options | {name.lower(): env[name] for name in keys if env.get(name)}


def _at_home(where: str) -> Path:
    """A path with ``~`` and ``~name`` replaced."""
    try:
        return Path(where).expanduser()
    except RuntimeError as error:  # no account of that name, or none with a home
        name = where.partition("/")[0]
        raise InputRefused(
            f"{name[:60]} is not an account on this machine; write a path, or ./{name[:60]} for a folder of that name."
        ) from error


def _local(path: Path) -> Place:
    from pyarrow import fs

    root = os.path.normpath(path.absolute())
    try:
        root.encode()
    except UnicodeEncodeError as error:
        shown = os.fsencode(root).decode("utf-8", "backslashreplace")
        raise InputRefused(
            f"{shown[:200]} is not UTF-8, so that Spark cannot open it; give it another name."
        ) from error
    return Place("file", root, f"file://{root}", False, fs.LocalFileSystem())


def _holds_secret(scheme: str, authority: str) -> bool:
    """Whether a URL's server part says more than where the service is."""
    if scheme == "abfss":  # container@account.dfs.core.windows.net
        return ":" in authority or authority.count("@") > 1
    if scheme == "hdfs":
        return "@" in authority or not re.fullmatch(r"[^:]*(:\d+)?", authority)
    return "@" in authority or ":" in authority


def _on_s3(bucket: str, root: str, env: Mapping[str, str]) -> Place:
    from pyarrow import fs

    waits = {"connect_timeout": _CONNECT, "request_timeout": _ANSWER}
    endpoint = _endpoint(env)
    if endpoint is None:
        region = _region(env) or fs.resolve_s3_region(bucket)
        system = fs.S3FileSystem(region=region, **waits)
    else:
        region = _region(env) or "us-east-1"
        system = fs.S3FileSystem(endpoint_override=endpoint[1], scheme=endpoint[0], region=region, **waits)

    def create(path: str, data: bytes) -> bool:
        return put_new(s3_store(root, region, endpoint, len(data)), path, data)

    return Place("s3", root, f"s3a://{root}", True, system, create)


def _region(env: Mapping[str, str]) -> str | None:
    return env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or None


def _endpoint(env: Mapping[str, str]) -> tuple[str, str] | None:
    """(scheme, server) of an S3 service of one's own; None: Amazon's."""
    told = env.get("AWS_ENDPOINT_URL_S3") or env.get("AWS_ENDPOINT_URL")
    if not told:
        return None
    name = "AWS_ENDPOINT_URL_S3" if env.get("AWS_ENDPOINT_URL_S3") else "AWS_ENDPOINT_URL"
    parts = urlsplit(told)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        raise InputRefused(f"{name} names no service; an http or https URL without user and password was expected.")
    return parts.scheme, parts.netloc
