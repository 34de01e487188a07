"""``pipeline`` as a process of its own, over tables on S3: the service of the fixture ``service``."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.servers.object_store import ObjectStore

__all__ = ["TABLES", "reseat"]

TABLES = "s3://fleet/tables"


def reseat(service: ObjectStore, *arguments: str) -> str:
    """The command line, on Spark of two cores that can reach S3."""
    command = [sys.executable, "-m", "reseat", "pipeline", *arguments, "--tables", TABLES]
    spark = ["--master", "local[2]", "--jars", service.jars]
    done = subprocess.run([*command, *spark], check=False, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr[-3000:]
    assert "test-secret" not in done.stdout + done.stderr
    return done.stdout
