"""Whether a cluster can be reached, asked before Spark is: Spark itself tries for minutes and fails with a trace."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from reseat.errors import SparkFailed
from reseat.model.wording import reason_of
from reseat.pipeline.spark.settings import is_local

__all__ = ["check_master", "check_remote"]

#: How long an answer is waited for.
SECONDS = 10.0
_PORTS = {"spark": 7077, "https": 443, "http": 80}


def check_master(master: str, env: Mapping[str, str] = os.environ) -> None:
    """Refuse a master that is none, or that nobody answers for.

    Args:
        master: ``local[*]``, ``spark://host:port[,host:port]``, ``yarn`` or ``k8s://https://host:port``.
        env: the environment, where YARN's configuration is named.

    Raises:
        SparkFailed: with what to do.
    """
    if is_local(master):
        if not re.fullmatch(r"local(\[([1-9]\d*|\*)(,\d+)?\])?", master):
            raise SparkFailed(f"{master} is not a Spark master: expected local[*], or local[4] for four tasks at once.")
    elif master == "yarn":
        if not any(env.get(name) for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR")):
            raise SparkFailed(
                "YARN is found through its configuration: set HADOOP_CONF_DIR to the folder that holds it."
            )
    elif master.startswith("spark://"):
        _answers("The Spark master", [f"spark://{place}" for place in master.removeprefix("spark://").split(",")])
    elif master.startswith("k8s://"):
        address = master.removeprefix("k8s://")
        _answers("The Kubernetes API server", [address if "://" in address else f"https://{address}"])
    else:
        raise SparkFailed(
            f"{master} is not a Spark master: expected local[*], spark://host:port, yarn or k8s://https://host:port "
            "(and --remote for sc://host:port)."
        )


def check_remote(remote: str) -> None:
    """Refuse a Spark Connect server that does not answer as one.

    Args:
        remote: ``sc://host:port/;token=...``.

    Raises:
        SparkFailed: with what to do. The sentence holds host and port, and never the token.
    """
    import grpc
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.client import DefaultChannelBuilder

    try:
        channel = DefaultChannelBuilder(remote).toChannel()
        place = f"sc://{urlsplit(remote).hostname}:{urlsplit(remote).port or DefaultChannelBuilder.default_port()}"
    except (PySparkException, ValueError) as error:
        raise SparkFailed("This is not the address of a Spark Connect server: expected sc://host:port.") from error
    try:
        grpc.channel_ready_future(channel).result(timeout=SECONDS)
    except grpc.FutureTimeoutError as error:
        raise SparkFailed(
            f"No Spark Connect server answers at {place} within {SECONDS:.0f} s: is it running there, and reachable "
            "from this machine?"
        ) from error
    finally:
        channel.close()


def _answers(what: str, places: list[str]) -> None:
    """Pass where one of these addresses takes a connection.

    Raises:
        SparkFailed: none does; it says why, address by address.
    """
    troubles = []
    for place in places:
        try:
            parts = urlsplit(place)
            host, port = parts.hostname, parts.port or _PORTS[parts.scheme]
            if not host:
                raise ValueError("a host is missing")
            with socket.create_connection((host, port), timeout=SECONDS):
                return
        except (OSError, ValueError, KeyError) as error:
            troubles.append(f"{place} ({reason_of(error)})")
    raise SparkFailed(
        f"{what} cannot be reached: {'; '.join(troubles)}. Is it running there, and reachable from this machine?"
    )
