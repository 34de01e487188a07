"""The words of ``generate``, which are those of ``kafka-reassign-partitions --generate``."""

from __future__ import annotations

import argparse
from collections.abc import Callable

__all__ = ["generate_arguments"]


def generate_arguments(command: argparse.ArgumentParser, ids: Callable[[str], tuple[int, ...]]) -> None:
    """Add the words of the command.

    Args:
        command: it.
        ids: reads broker ids.
    """
    command.add_argument(
        "--topics-to-move-json-file", required=True, metavar="FILE", help='the topics: {"version":1,"topics":[...]}'
    )
    command.add_argument("--broker-list", required=True, type=ids, metavar="ID,...", help="the brokers to move them to")
    command.add_argument("--disable-rack-aware", action="store_true", help="racks do not count")
    command.add_argument("--bootstrap-server", dest="bootstrap", metavar="HOSTS", help="brokers of a live cluster")
    command.add_argument("--zookeeper", metavar="HOSTS[/CHROOT]", help="or its ZooKeeper servers")
    command.add_argument("--command-config", dest="config", metavar="FILE", help="security, as a .properties file")
    command.add_argument("--layout", nargs="+", metavar="LAYOUT", help="or a layout in any format that Reseat reads")
    command.add_argument("--racks", metavar="FILE", help="racks by broker: CSV broker,rack or JSON {id: rack}")
    command.add_argument("--generate", action="store_true", help="taken for the word that Kafka's tool needs")
    command.set_defaults(
        cluster=None,
        without_topics=[],
        without_internal=False,
        no_racks=False,
        accept_incomplete=False,
        order_is_right=False,
        run=_run,
    )


def _run(chosen: argparse.Namespace) -> int:
    from reseat.cli.generate import generate

    return generate(chosen)
