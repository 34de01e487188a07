"""``pipeline`` as a process of its own, over tables in an object store."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.servers.object_store import ObjectStore

__all__ = ["reseat"]


def reseat(service: ObjectStore, *arguments: str) -> str:
    """The command line over ``tables`` in a bucket, on Spark of two cores that can reach it.

    Args:
        service: of the fixtures ``service`` and ``azure``.
        arguments: what is done there.
    """
    command = [sys.executable, "-m", "reseat", "pipeline", *arguments, "--tables", f"{service.url}/tables"]
    spark = ["--master", "local[2]", "--jars", service.jars]
    done = subprocess.run([*command, *spark], check=False, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr[-3000:]
    assert service.secret not in done.stdout + done.stderr
    return done.stdout
