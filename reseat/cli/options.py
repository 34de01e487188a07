"""How options are added in a line each, and the options that several commands have."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

from reseat.cli.argument_values import (
    additions,
    amount,
    broker_ids,
    count,
    factor,
    pins,
    rate,
    replacements,
    rule_item,
    words,
)

__all__ = [
    "connection",
    "controller",
    "flag",
    "json_output",
    "kafka_version",
    "later",
    "layout",
    "plan_options",
    "racks",
    "several",
    "throttle",
    "value",
    "wish",
]

#: A command, or a group of its options.
Options = argparse._ActionsContainer


def flag(command: Options, name: str, said: str, *others: str, dest: str | None = None) -> None:
    """An option without a value; ``said`` is its line in the help, ``others`` are further names of it."""
    command.add_argument(name, *others, action="store_true", help=said, dest=dest)


def several(command: Options, name: str, metavar: str, of: Callable[[str], tuple[object, ...]], said: str) -> None:
    """An option that may be given several times; each time ``of`` reads some values, which come after the others."""
    value(command, name, metavar, said, action="extend", default=[], type=of)


def value(command: Options, option: str, metavar: str, said: str, **how: Any) -> None:
    """An option with a value.

    Args:
        command: the command or group that it belongs to.
        option: with its dashes.
        metavar: what the help calls the value.
        said: its help.
        how: what else argparse is told.
    """
    command.add_argument(option, metavar=metavar, help=said, **how)


def later(module: str, name: str = "") -> Callable[[argparse.Namespace], int]:
    """A command that is imported when it runs, so that each starts with what it needs alone.

    Args:
        module: where it is, below ``reseat.cli``.
        name: the function; empty: called as the module is.
    """

    def run(chosen: argparse.Namespace) -> int:
        return int(getattr(import_module(f"reseat.cli.{module}"), name or module)(chosen))

    return run


# ---- options of several commands ---------------------------------------------------------------------------


def json_output(command: Options) -> None:
    """Whether the answer is JSON."""
    flag(command, "--json", "JSON on standard output, for scripts")


def racks(command: Options) -> None:
    """Racks from a file."""
    value(command, "--racks", "FILE", "racks by broker: CSV broker,rack or JSON {id: rack}")


def layout(command: Options) -> None:
    """Which layout, and what of it."""
    command.add_argument(
        "layout",
        nargs="+",
        metavar="LAYOUT",
        help="a layout in any format that Reseat reads, - for standard input; several files are combined "
        "(such as describe output and log directories)",
    )
    racks(command)
    flag(command, "--no-racks", "brokers without a rack in the input have none")
    said = "exclude topics, by name or pattern (* and ?); may be repeated"
    several(command, "--without-topics", "PATTERN,...", words, said)
    flag(command, "--without-internal", "exclude topics whose name starts with _")
    said = "treat replica lists as being in assignment order when the source does not say so"
    flag(command, "--order-is-right", said)
    flag(command, "--accept-incomplete", "plan even if partitions are missing from the input")
    json_output(command)


def wish(command: Options) -> None:
    """The change."""
    several(command, "--remove", "ID,...", broker_ids, "brokers to drain")
    several(command, "--add", "ID[:RACK],...", additions, "brokers to add")
    several(command, "--replace", "OLD:NEW[:RACK],...", replacements, "drain OLD; NEW takes its place in every list")
    value(command, "--replication-factor", "N", "the new replication factor of --topics", type=factor)
    several(command, "--topics", "NAME,...", words, "topics to change, or patterns")
    flag(command, "--rebalance", "balance replicas over all brokers and leaders over all lists, with the fewest moves")
    flag(command, "--mend-racks", "give every partition the best rack diversity; nothing else moves")
    said = "mend partitions: brokers named twice, other factors than the topic's, dead brokers, and racks"
    flag(command, "--mend", said)
    flag(command, "--leaders-only", "balance preferred leaders over all lists; no replica moves")
    said = "what counts, the first most: the change that has its aims in this order (racks,spread,moves,balance)"
    several(command, "--aims", "AIM,...", words, said)
    several(command, "--remove-rack", "RACK,...", words, "drain all brokers of racks")
    said = "topics, patterns or partitions whose replica lists stay as they are"
    several(command, "--pin", "TOPIC[:PARTITION],...", pins, said)
    said = "brokers that are preferred leader only of lists without another broker that can be"
    several(command, "--never-leads", "ID,...", broker_ids, said)
    said = "brokers that receive no replica and are not counted in the replica balance"
    several(command, "--never-onto", "ID,...", broker_ids, said)
    said = "racks in which preferred leaders are to be, the most preferred first"
    several(command, "--leader-racks", "RACK,...", words, said)
    said = "topics that live on these brokers alone (rack:RACK: on those of a rack)"
    several(command, "--only-onto", "TOPIC,...=ID,...", rule_item("only_onto"), said)
    said = "topics or patterns of which no broker is to hold two"
    several(command, "--keep-apart", "TOPIC,TOPIC,...", rule_item("keep_apart"), said)
    said = "the most replicas, or bytes (2TB), that a broker is to hold"
    several(command, "--capacity", "ID=MOST", rule_item("capacity"), said)
    said = "racks are in regions: names such as region/zone are split here, and replicas spread over regions first"
    several(command, "--rack-levels", "CHARACTER", rule_item("rack_levels"), said)
    said = "with --rebalance: no partition's racks get less diverse, and none is moved for its racks alone"
    flag(command, "--keep-racks", said)
    flag(command, "--even-topics", "with --rebalance: balance each topic over brokers before all of them together")
    flag(command, "--same-rack", "with --remove: each replica goes to another broker in its rack")
    said = "also plan partitions without a live in-sync replica; by default they stay as they are"
    flag(command, "--keep-unmovable", said)
    value(command, "--wish", "FILE", "the complete change, with every option: a change file, or a plan's certificate")


def plan_options(command: Options) -> None:
    """How to plan the change."""
    flag(command, "--reorder-all", "with --remove or --add: any replica list may be reordered to balance leaders")
    value(command, "--receive-cap", "N", "max replicas received per broker", type=count)
    flag(command, "--by-bytes", "with --remove or --rebalance: balance by size instead of replica count")
    value(
        command, "--max-moves", "N", "at most N moves; those that the change does not need are for balance", type=count
    )
    value(command, "--max-bytes", "SIZE", "copy at most this much (500GB)", type=amount)
    value(
        command,
        "--point",
        "N",
        "the plan with N moves, or changed leaders of --leaders-only; --curve lists the choices",
        type=count,
    )


def connection(command: Options) -> None:
    """Where a live cluster is and how to be let in; no secret is ever an argument."""
    value(command, "--bootstrap", "HOSTS", "brokers: host:port, comma-separated")
    value(command, "--zookeeper", "HOSTS[/CHROOT]", "ZooKeeper servers, for clusters that keep their metadata there")
    said = "security and secrets: a Kafka client's .properties, or TOML with the keys of secrets.toml"
    value(command, "--config", "FILE", said)
    said = "its name; without the three above, the cluster of this name in secrets.toml, as the dashboard reads it"
    value(command, "--cluster", "NAME", said)


def controller(command: Options) -> None:
    """Which controller elects."""
    said = "which controller elects the leaders; by default as the input shows it, else zookeeper"
    command.add_argument("--controller", choices=("zookeeper", "kraft"), help=said)


def throttle(
    command: Options, said: str = "replication throttle per broker, for the duration; none: not decided"
) -> None:
    """The replication throttle."""
    value(command, "--throttle", "BYTES_PER_SECOND", said, type=rate)


def kafka_version(command: Options, said: str) -> None:
    """Of which Kafka commands and words are."""
    value(command, "--kafka-version", "X.Y", said)
