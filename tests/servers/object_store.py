"""A real S3 service on this machine (moto's server), and what Spark needs to reach one; both fetched once.

The server keeps objects in memory and checks no key. It runs in an environment of its own below ``.cache``: its
libraries want other versions than Reseat's.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.cluster import await_ready, listens
from tests.servers.ports import free_ports

__all__ = ["ObjectStore", "fetch_object_store", "missing_object_store", "object_store"]

_HERE = Path(__file__).parent / "object_store_parts"
_CACHE = Path(__file__).parents[2] / ".cache" / "object-store"
_JARS, _PYTHON = _CACHE / "jars", _CACHE / "venv" / "bin" / "python"


@dataclass(frozen=True)
class ObjectStore:
    """A running service.

    Attributes:
        environment: the variables by which Reseat and Spark find it.
        jars: Spark's ``spark.jars``, by which it reads and writes S3.
    """

    environment: dict[str, str]
    jars: str


def fetch_object_store() -> None:
    """Fetch the server from PyPI and Spark's S3A with the parts of Amazon's SDK from Maven Central, 18 MB.

    Does nothing where they are there. Of several processes one fetches, and the others wait for it: another one's ``uv
    venv`` would empty what the first is about to use.

    Raises:
        subprocess.CalledProcessError: they cannot be fetched; nothing half fetched is left.
    """
    _CACHE.parent.mkdir(parents=True, exist_ok=True)
    with _CACHE.with_suffix(".lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        _fetch()


def _fetch() -> None:
    try:
        if not list(_JARS.glob("hadoop-aws-*.jar")):
            pom = str(_HERE / "pom.xml")
            command = ["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={_JARS}"]
            subprocess.run(command, check=True, capture_output=True, timeout=600)
        if not (_PYTHON.parent / "moto_server").exists():
            uv = [str(Path(sys.executable).parent / "uv")]
            home = str(_CACHE / "venv")
            subprocess.run([*uv, "venv", "-q", "--python", sys.executable, home], check=True, capture_output=True)
            install = [*uv, "pip", "install", "-q", "--python", str(_PYTHON), "-r", str(_HERE / "requirements.txt")]
            subprocess.run(install, check=True, capture_output=True, timeout=600)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        shutil.rmtree(_CACHE, ignore_errors=True)
        raise


def missing_object_store() -> str | None:
    """Why there can be no such service, as one sentence, or None; fetches what can be fetched."""
    if shutil.which("mvn") is None:
        return "No mvn was found: Spark's parts for S3 are fetched with it."
    try:
        fetch_object_store()
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        said = (error.stderr or error.stdout or b"").decode(errors="replace").strip().splitlines()
        return f"The S3 server, or Spark's parts for S3, cannot be fetched: {said[-1] if said else error}"
    return None


@contextmanager
def object_store(home: Path, bucket: str) -> Iterator[ObjectStore]:
    """A service with one bucket.

    Args:
        home: where its log goes.
        bucket: made at the start.
    """
    from pyarrow import fs

    (port,) = free_ports(1)
    log = home / "s3.log"
    command = [str(_PYTHON.parent / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, env=_bare()) as server:
        try:
            await_ready(lambda: listens(port), server, log, "the S3 server")
            keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret", "AWS_REGION": "us-east-1"}
            service = fs.S3FileSystem(
                access_key=keys["AWS_ACCESS_KEY_ID"],
                secret_key=keys["AWS_SECRET_ACCESS_KEY"],
                region=keys["AWS_REGION"],
                endpoint_override=f"127.0.0.1:{port}",
                scheme="http",
                allow_bucket_creation=True,
            )
            service.create_dir(bucket)
            environment = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", **keys}
            yield ObjectStore(environment, ",".join(map(str, sorted(_JARS.glob("*.jar")))))
        finally:
            server.terminate()


def _bare() -> dict[str, str]:
    """This process's environment without what names a service elsewhere, or modules of this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}
