"""The Spark settings of the pipeline, each with its reason, and whose word counts.

What the job's promises rest on (``PROMISED``) cannot be changed. Of the rest the caller's settings win, then the
``spark-defaults.conf`` of SPARK_CONF_DIR or SPARK_HOME and what ``spark-submit`` was told, then what is chosen here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from reseat.errors import SparkFailed
from reseat.history.opening import spark_settings

__all__ = [
    "PROMISED",
    "compared_packages",
    "cores_of",
    "for_command_line",
    "from_defaults_file",
    "is_local",
    "is_this_machine",
    "launch_settings",
    "memory_of_machine",
    "packages_for",
    "quiet_log",
    "session_settings",
    "without_promised",
]

_MIB = 1 << 20
#: Names of settings whose values no other user of this machine may see, as in Spark's ``spark.redaction.regex``.
_SECRET = re.compile(r"secret|password|token|(access|account)[._]?key|credential", re.IGNORECASE)
#: The layout of Spark's log lines, in the JVM's own error stream.
_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""

#: Ivy's settings: packages come from where Spark looks for them, and each is compared with the checksum beside it. What
#: Maven keeps on this machine comes last: of a package that it only read about, it has the description and no jar, and
#: Ivy does not look for that jar elsewhere.
_IVY = """\
<ivysettings>
  <property name="ivy.checksums" value="sha1"/>
  <settings defaultResolver="places"/>
  <resolvers>
    <chain name="places" returnFirst="true">
      <ibiblio name="central" m2compatible="true"/>
      <ibiblio name="kept-by-maven" m2compatible="true" root="file:${user.home}/.m2/repository"/>
    </chain>
  </resolvers>
</ivysettings>
"""

#: The package of Hadoop by which Spark reaches places of a scheme.
_REACHED_BY = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "hadoop-aws"),
    **dict.fromkeys(("abfs", "abfss"), "hadoop-azure"),
}
#: Where one of these is told, somebody has seen to that.
_JARS = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")

#: What the tables' meaning rests on.
PROMISED: Mapping[str, str] = {
    # A moment is one moment everywhere, in files and in what is read of them.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # A number that does not fit stops the job, and does not become another number or null.
    "spark.sql.ansi.enabled": "true",
    # A cluster called "007" stays text.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}

#: What may be set on a session while it runs, also through Spark Connect.
_OF_SESSION: Mapping[str, str] = {
    # Landed files are rows of up to 400 MB: a batch on its way to Python ends with the file that passes 16 MB.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 * _MIB),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    # A task keeps this many Parquet files open; only beyond them it sorts its rows by cluster and day.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    "spark.sql.adaptive.enabled": "true",
    # More than 32 paths are looked up by a job: of this many tasks, and not of one a path.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "32",
    # A worker that dies of a signal says where it was.
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}


def session_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """What a session that runs already is given: through Spark Connect, or beside another of this process.

    Args:
        settings: the caller's own; they win.
    """
    return {**_OF_SESSION, **settings, **PROMISED}


def launch_settings(
    master: str, scratch: Path, memory: str | None = None, *, brief: bool = False, java: Sequence[str] = ()
) -> dict[str, str]:
    """What a driver that is started for the session is given.

    Args:
        master: as for ``open_session``.
        scratch: a folder for this session alone.
        memory: the driver's heap ("4g"); by default a quarter of the machine's memory, 1 to 8 GB.
        brief: whether it is for some seconds' work.
        java: further options of its JVM.
    """
    options = (f"-Djava.io.tmpdir={scratch}", *java)
    found = {
        **_OF_SESSION,
        # The S3 service that the environment names for this process, for Spark too.
        **spark_settings(os.environ),
        "spark.master": master,
        "spark.app.name": "reseat",
        "spark.driver.memory": memory or f"{memory_of_machine() // 4 // _MIB}m",
        # Java's own temporary files too: those of a JVM that was killed go with the folder.
        "spark.driver.defaultJavaOptions": " ".join((quiet_log(scratch), *(f'"{one}"' for one in options))),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark keeps 100 of the classes that it generates. A batch is of more plans than that: each would be compiled
        # anew by every batch, and by Java's own compiler once more.
        "spark.sql.codegen.cache.maxEntries": "2000",
        # No metastore: tables are folders.
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": (scratch / "warehouse").as_uri(),
        # No _SUCCESS file: a batch counts when its commit record is there.
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    }
    if is_local(master):
        # Adaptive execution joins small ones; more of them cost files and starts of tasks.
        tasks = str(max(4, 2 * cores_of(master)))
        found["spark.sql.shuffle.partitions"] = tasks
        found["spark.sql.sources.parallelPartitionDiscovery.parallelism"] = tasks
        found["spark.local.dir"] = str(scratch)
        if brief:
            # Java's second compiler does not earn back what it takes: without it a million replica rows take 12 to 14 s
            # instead of 14 to 15, and two thirds of the CPU; ten million take a third longer. Java would then hold 48
            # MB of compiled code instead of 240, of which 504 snapshots take 41; full, methods may be missing.
            found["spark.driver.defaultJavaOptions"] += " -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
    else:
        # A landed file is held a few times on its way: as bytes, as a row, as Arrow.
        found["spark.executor.memory"] = "2g"
    if is_this_machine(master):
        found["spark.driver.host"] = found["spark.driver.bindAddress"] = "127.0.0.1"
    return found


def without_promised(settings: Mapping[str, str]) -> dict[str, str]:
    """The caller's settings, once it is sure that they keep the promises.

    Raises:
        SparkFailed: one of them says otherwise.
    """
    for name, value in PROMISED.items():
        if settings.get(name, value).lower() != value.lower():
            raise SparkFailed(
                f"The setting {name}={settings[name]} is not allowed: the tables depend on {value}. Leave it out."
            )
    return dict(settings)


def from_defaults_file(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What ``spark-defaults.conf`` says, in SPARK_CONF_DIR or SPARK_HOME's ``conf``; nothing where there is none."""
    folder = env.get("SPARK_CONF_DIR") or (env.get("SPARK_HOME") and f"{env['SPARK_HOME']}/conf")
    path = Path(folder, "spark-defaults.conf") if folder else None
    if path is None or not path.is_file():
        return {}
    lines = (line.strip() for line in path.read_text(errors="replace").splitlines())
    pairs = (re.split(r"\s*[=:\s]\s*", line, maxsplit=1) for line in lines if line.startswith("spark."))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def packages_for(places: Iterable[str], settings: Mapping[str, str]) -> dict[str, str]:
    """What is fetched so that PySpark's own Spark reaches places on S3 or ABFS; nothing where jars are told or there.

    Args:
        places: paths and URLs of landing zones and tables.
        settings: what Spark is told, by whomever.
    """
    found = find_spec("pyspark")
    needed = {_REACHED_BY.get(place.partition("://")[0]) for place in places} - {None}
    if not needed or any(name in settings for name in _JARS) or found is None or found.origin is None:
        return {}
    jars = Path(found.origin).parent / "jars"
    # It is of the very version of the Hadoop that is there.
    version = max((file.stem.rpartition("-")[2] for file in jars.glob("hadoop-client-api-*.jar")), default="")
    missing = sorted(one for one in needed if one and not list(jars.glob(f"{one}-*.jar")))
    if not missing or not version:
        return {}
    return {"spark.jars.packages": ",".join(f"org.apache.hadoop:{one}:{version}" for one in missing)}


def compared_packages(settings: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """What is added where packages are to be fetched: Spark by itself compares them with nothing.

    Args:
        settings: what Spark is told, by whomever; who names settings of Ivy has chosen.
        scratch: a folder for this session alone.
    """
    if "spark.jars.packages" not in settings or "spark.jars.ivySettings" in settings:
        return {}
    path = scratch / "ivysettings.xml"
    path.write_text(_IVY)
    return {"spark.jars.ivySettings": str(path)}


def for_command_line(settings: Mapping[str, str]) -> dict[str, str]:
    """Those settings that may stand on a command line, which everybody on the machine can read: no secrets."""
    return {name: value for name, value in settings.items() if not _SECRET.search(name)}


def is_local(master: str) -> bool:
    """Whether driver and executors are one JVM on this machine."""
    return re.match(r"local(\[|$)", master) is not None


def is_this_machine(master: str) -> bool:
    """Whether everything runs on this machine: local, or a standalone master at a loopback address."""
    hosts = master.removeprefix("spark://").split(",") if master.startswith("spark://") else []
    return is_local(master) or (
        bool(hosts) and all(host.rpartition(":")[0] in {"127.0.0.1", "localhost"} for host in hosts)
    )


def cores_of(master: str) -> int:
    """How many tasks run at once in ``local``, ``local[4]`` or ``local[*,2]``."""
    told = re.match(r"local\[(\d+|\*)", master)
    if told is None:
        return 1
    return int(told[1]) if told[1] != "*" else os.cpu_count() or 1


def memory_of_machine() -> int:
    """Bytes of memory of this machine, or of the container it runs in; taken as 4 to 32 GB."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        path = Path(limit)
        if path.is_file() and (told := path.read_text().strip()).isdigit():
            found = min(found, int(told))
    return min(max(found, 4 << 30), 32 << 30)


def quiet_log(scratch: Path) -> str:
    """Java options under which Spark says warnings and errors alone, one line each and their stack."""
    path = scratch / "log4j2.properties"
    path.write_text(_LOG4J)
    return f"-Dlog4j2.configurationFile={path.as_uri()}"
