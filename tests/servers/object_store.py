"""Object stores on this machine, S3 (moto's server) and Azure's (Azurite), and what Spark needs to reach them.

All is fetched once. Both keep objects in memory; moto checks no key. It runs in an environment of its own below
``.cache``: its libraries want other versions than Reseat's. Azurite is Microsoft's own (MIT), run by Node.
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

__all__ = ["ObjectStore", "azure", "fetch_object_store", "missing_azure", "missing_object_store", "object_store"]

_HERE = Path(__file__).parent / "object_store_parts"
_CACHE = Path(__file__).parents[2] / ".cache" / "object-store"
_JARS, _PYTHON = _CACHE / "jars", _CACHE / "venv" / "bin" / "python"
_AZURITE = "3.37.0"
_NODE = _CACHE / f"azurite-{_AZURITE}"
#: The account that Azurite has from the start; its key is known to everybody.
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
#: Azurite has no hierarchical accounts: Hadoop's driver is told so, as it is for one of Azure's that has none.
_FLAT = """\
spark.hadoop.fs.azure.account.hns.enabled false
spark.hadoop.fs.azure.fns.account.service.type BLOB
"""


@dataclass(frozen=True)
class ObjectStore:
    """A running service.

    Attributes:
        url: of its bucket, or container.
        environment: the variables by which Reseat and Spark find it.
        jars: Spark's ``spark.jars``, by which it reads and writes there.
        secret: what may stand in no output.
    """

    url: str
    environment: dict[str, str]
    jars: str
    secret: str


def fetch_object_store() -> None:
    """Fetch moto's server from PyPI, and Spark's S3A, the parts of Amazon's SDK and ABFS from Maven Central, 22 MB.

    Does nothing where they are there. Of several processes one fetches, and the others wait for it: another one's ``uv
    venv`` would empty what the first is about to use.

    Raises:
        subprocess.CalledProcessError: they cannot be fetched; nothing half fetched is left.
    """
    with _one_at_a_time():
        _fetch()


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    _CACHE.parent.mkdir(parents=True, exist_ok=True)
    with _CACHE.with_suffix(".lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        yield


def _fetch() -> None:
    try:
        if not list(_JARS.glob("hadoop-azure-*.jar")):
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


def missing_azure() -> str | None:
    """The same of Azure's; its server is 186 MB with its libraries."""
    if (npm := shutil.which("npm")) is None:
        return "No npm was found: Azurite is fetched and run with Node."
    with _one_at_a_time():
        if not (_NODE / "node_modules" / ".bin" / "azurite-blob").exists():
            install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(_NODE), f"azurite@{_AZURITE}"]
            done = subprocess.run(install, check=False, capture_output=True, text=True, timeout=600)
            if done.returncode:
                shutil.rmtree(_NODE, ignore_errors=True)
                return f"Azurite cannot be fetched: {done.stderr.strip()[-300:]}"
    return missing_object_store()


@contextmanager
def azure(home: Path, container: str) -> Iterator[ObjectStore]:
    """A service of Azure's with one container, in an account without a hierarchy.

    Args:
        home: where its log and Spark's settings go.
        container: made at the start.
    """
    from pyarrow import fs

    (port,) = free_ports(1)
    command = [str(_NODE / "node_modules" / ".bin" / "azurite-blob"), "--blobHost", "127.0.0.1"]
    # Reseat's libraries speak versions of the protocol that it does not know yet.
    command += ["--blobPort", str(port), "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]
    (home / "spark-defaults.conf").write_text(_FLAT)
    with _running([*command, "--silent"], port, home / "azure.log", NODE_OPTIONS=f"--require {_HERE / 'in_order.js'}"):
        server = f"127.0.0.1:{port}"
        where = {
            f"{one}_storage_{what}": value
            for one in ("blob", "dfs")
            for what, value in (("authority", server), ("scheme", "http"))
        }
        fs.AzureFileSystem(_ACCOUNT, account_key=_KEY, **where).create_dir(container)
        environment = {
            "AZURE_STORAGE_ENDPOINT": f"http://{server}/{_ACCOUNT}",
            "AZURE_STORAGE_ACCOUNT_KEY": _KEY,
            "SPARK_CONF_DIR": str(home),
        }
        yield ObjectStore(f"abfss://{container}@{_ACCOUNT}.dfs.core.windows.net", environment, _jars(), _KEY)


@contextmanager
def object_store(home: Path, bucket: str) -> Iterator[ObjectStore]:
    """A service like Amazon's S3 with one bucket.

    Args:
        home: where its log goes.
        bucket: made at the start.
    """
    from pyarrow import fs

    (port,) = free_ports(1)
    command = [str(_PYTHON), str(_HERE / "serve.py"), "-H", "127.0.0.1", "-p", str(port)]
    with _running(command, port, home / "s3.log"):
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
        yield ObjectStore(f"s3://{bucket}", environment, _jars(), "test-secret")


@contextmanager
def _running(command: list[str], port: int, log: Path, **variables: str) -> Iterator[None]:
    """A server that listens, without what this process is told of services elsewhere and modules of its own."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "AZURE_", "PYTHON"))}
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, env=bare | variables) as server:
        try:
            await_ready(lambda: listens(port), server, log, Path(command[0]).name)
            yield
        finally:
            server.terminate()


def _jars() -> str:
    return ",".join(map(str, sorted(_JARS.glob("*.jar"))))
