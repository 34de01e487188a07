"""The Spark settings of the pipeline, each with its reason."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["cores_of", "launch_settings", "memory_of_machine", "quiet_log", "remote_settings"]

_MIB = 1 << 20

#: What a session may be given while it runs, on every kind, also through Spark Connect.
_OF_SESSION = {
    # A moment is one moment everywhere, in files and in what is read of them.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.ansi.enabled": "true",
    # A cluster called "007" stays text.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Landed files are rows of up to 400 MB: a batch to Python ends with the file that passes 16 MB.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 * _MIB),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    # A task keeps this many Parquet files open, and only beyond sorts its rows by cluster and day.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    "spark.sql.adaptive.enabled": "true",
    # A worker that dies of a signal says where it was.
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}


def remote_settings() -> dict[str, str]:
    """What a session through Spark Connect is given; the rest is the server's own."""
    return dict(_OF_SESSION)


def launch_settings(master: str, scratch: Path, memory: str | None = None) -> dict[str, str]:
    """What a driver that is started here is given.

    Args:
        master: as for ``open_session``.
        scratch: a folder for this session alone.
        memory: the driver's heap.
    """
    found = _OF_SESSION | {
        "spark.master": master,
        "spark.app.name": "reseat",
        "spark.driver.memory": memory or f"{memory_of_machine() // 4 // _MIB}m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # No metastore: tables are folders.
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": (scratch / "warehouse").as_uri(),
        # No _SUCCESS files beside the tables: a batch counts when its commit record is there.
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    }
    if master.startswith("local"):
        found |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(scratch),
            # Adaptive execution joins small ones; more than this only costs files and starts of tasks.
            "spark.sql.shuffle.partitions": str(max(4, 2 * cores_of(master))),
        }
    return found


def cores_of(master: str) -> int:
    """How many tasks run at once in ``local``, ``local[4]`` or ``local[*,2]``."""
    told = re.match(r"local\[(\d+|\*)", master)
    if told is None:
        return 1
    return int(told[1]) if told[1] != "*" else os.cpu_count() or 1


def memory_of_machine() -> int:
    """Bytes of memory this machine, or the container it runs in, has; kept between 4 and 32 GB."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        path = Path(limit)
        if path.is_file() and (told := path.read_text().strip()).isdigit():
            found = min(found, int(told))
    return min(max(found, 4 << 30), 32 << 30)


def quiet_log(scratch: Path) -> str:
    """Java options that send Spark's own log to ``spark.log`` in the folder, and nothing to the terminal."""
    text = f"""\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {(scratch / "spark.log").as_posix()}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""
    path = scratch / "log4j2.properties"
    path.write_text(text)
    return f"-Dlog4j2.configurationFile={path.as_uri()}"
