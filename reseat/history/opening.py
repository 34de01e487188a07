"""A path or URL -> the file system it lies on, and how Spark calls it. Credentials come from the environment alone."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.conditional import azure_store, put, s3_store
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
#: The variables that name a service of one's own.
_AMAZON, _AZURE = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), ("AZURE_STORAGE_ENDPOINT",)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a folder lies.

    Attributes:
        scheme: ``file``, ``s3``, ``hdfs`` or ``abfss``.
        root: its path on the file system, without a slash at the end.
        url: how Spark calls it.
        fs: the ``pyarrow.fs.FileSystem``.
        put: makes an object, by its path relative to ``root``, which is seen once it is whole: in place of one that is
            there, or only where there is none (True), and says whether it did (``reseat.history.conditional``). None:
            this is no object store, and a file is written under a hidden name and renamed.
    """

    scheme: str
    root: str
    url: str
    fs: Any = field(repr=False, compare=False)
    put: Callable[[str, bytes, bool], bool] | None = field(default=None, repr=False, compare=False)


def open_place(where: str) -> Place:
    """The file system of a path or URL; nothing is read there but, for S3 without a region told, its region.

    Raises:
        InputRefused: it is no place, its kind is not known, it holds credentials, or its service cannot be used.
    """
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
            return Place(scheme, f"/{path}".rstrip("/"), f"hdfs://{authority}/{path}".rstrip("/"), hdfs(authority))
        return _on_azure(authority, path, os.environ)
    except (OSError, pa.ArrowException) as error:
        raise InputRefused(f"{scheme}://{authority} cannot be used: {reason_of(error)}.") from error


def spark_settings(env: Mapping[str, str]) -> dict[str, str]:
    """What Spark must be told to use the same services as this process; of Amazon's own and Azure's: nothing.

    Args:
        env: the environment (``os.environ``). Amazon's keys are not among the settings: Hadoop reads them there itself.

    Raises:
        InputRefused: an endpoint is no http or https URL, or holds credentials.
    """
    told: dict[str, str] = {}
    if (endpoint := _endpoint(env)) is not None:
        scheme, server = endpoint
        told |= {
            "fs.s3a.endpoint": f"{scheme}://{server}",
            "fs.s3a.endpoint.region": _region(env) or "us-east-1",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.connection.ssl.enabled": "true" if scheme == "https" else "false",
        }
    if (endpoint := _endpoint(env, _AZURE)) is not None:
        scheme, server = endpoint
        told["fs.azure.abfs.endpoint"] = server
        if scheme == "http":  # the other of its two HTTP clients has none without TLS
            told |= {"fs.azure.always.use.https": "false", "fs.azure.networking.library": "JDK_HTTP_URL_CONNECTION"}
    if key := env.get("AZURE_STORAGE_ACCOUNT_KEY"):
        told["fs.azure.account.key"] = key
    return {f"spark.hadoop.{name}": value for name, value in told.items()}


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
    if place.scheme == "abfss":
        return waits | {"allow_http": str(place.url.startswith("abfs:")).lower()}
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
    return Place("file", root, f"file://{root}", fs.LocalFileSystem())


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

    def made(path: str, data: bytes, new: bool) -> bool:
        return put(s3_store(root, region, endpoint, len(data)), path, data, new=new)

    return Place("s3", root, f"s3a://{root}", system, made)


def _on_azure(authority: str, path: str, env: Mapping[str, str]) -> Place:
    from pyarrow import fs

    container, _, host = authority.rpartition("@")
    account, _, domain = host.partition(".")
    if not (container and account):
        raise InputRefused(f"abfss://{authority}: abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH was expected.")
    key, endpoint = env.get("AZURE_STORAGE_ACCOUNT_KEY") or None, _endpoint(env, _AZURE)
    try:
        b64decode(key or "", validate=True)
    except ValueError as error:
        raise InputRefused("AZURE_STORAGE_ACCOUNT_KEY is no account's key; base64 was expected.") from error
    if endpoint is None:
        tail = domain.removeprefix("dfs.").removeprefix("blob.")
        names = {f"{one}_storage_authority": f".{one}.{tail}" for one in ("blob", "dfs")} if tail else {}
    else:
        told = dict(zip(("scheme", "authority"), endpoint, strict=True))
        names = {f"{one}_storage_{name}": value for one in ("blob", "dfs") for name, value in told.items()}
    scheme = "abfs" if endpoint is not None and endpoint[0] == "http" else "abfss"
    url = f"{scheme}://{authority}/{path}".rstrip("/")
    system = fs.AzureFileSystem(account, account_key=key, **names)

    def made(path: str, data: bytes, new: bool) -> bool:
        return put(azure_store(url, len(data), plain=scheme == "abfs"), path, data, new=new)

    return Place("abfss", f"{container}/{path}".rstrip("/"), url, system, made)


def _region(env: Mapping[str, str]) -> str | None:
    return env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or None


def _endpoint(env: Mapping[str, str], names: Sequence[str] = _AMAZON) -> tuple[str, str] | None:
    """(scheme, server) of a service of one's own, by the first variable that names one; None: the provider's."""
    name = next((one for one in names if env.get(one)), None)
    if name is None:
        return None
    parts = urlsplit(env[name])
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        raise InputRefused(f"{name} names no service; an http or https URL without user and password was expected.")
    return parts.scheme, parts.netloc
